package people

import (
	"strings"

	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// plainText normalizes line ends and trims, as a CSV round trip does.
func plainText(s string) string {
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return strings.TrimSpace(s)
}

// change returns the update that a line makes to an existing student. Empty cells
// change nothing.
func (l *studentLine) change(is *foundStudent) (c StudentChange, changed bool) {
	text := func(to *web.Opt[string], was, now string) {
		if now != "" && now != plainText(was) {
			*to, changed = web.Opt[string]{Set: true, V: now}, true
		}
	}
	if l.FirstName != "" && l.FirstName != plainText(is.FirstName) {
		c.FirstName, changed = &l.FirstName, true
	}
	text(&c.LastName, is.LastName, l.LastName)
	text(&c.Gender, is.Gender, l.Gender)
	text(&c.BloodGroup, is.BloodGroup, l.BloodGroup)
	text(&c.Address, is.Address, l.Address)
	text(&c.Phone, is.Phone, l.Phone)
	text(&c.Email, is.Email, l.Email)
	text(&c.MedicalNotes, is.MedicalNotes, l.MedicalNotes)
	text(&c.RideNotes, is.RideNotes, l.RideNotes)
	text(&c.LeavingReason, is.LeavingReason, l.leavingReason)
	changed = set(&c.DateOfBirth, is.DateOfBirth, l.DateOfBirth) || changed
	changed = set(&c.AdmissionDate, is.AdmissionDate, l.AdmissionDate) || changed
	changed = set(&c.LeavingDate, is.LeavingDate, l.leavingDate) || changed
	changed = l.changeSeat(is, &c) || changed
	if l.status != "" && l.status != is.Status {
		c.Status, changed = &l.status, true
	}
	return c, changed
}

// changeSeat changes the seat in the academic year of the import. Class and division
// are sent together, because a class of another year than the current one says which
// year's seat is meant.
func (l *studentLine) changeSeat(is *foundStudent, c *StudentChange) bool {
	moved := set(&c.ClassID, is.ClassID, l.ClassID)
	changed := set(&c.DivisionID, is.DivisionID, l.DivisionID) || moved
	if changed = set(&c.RollNo, is.RollNo, l.RollNo) || changed; !changed {
		return false
	}
	if !moved && is.ClassID != nil {
		c.ClassID = web.Opt[id.ID]{Set: true, V: *is.ClassID}
		if !c.DivisionID.Set && is.DivisionID != nil {
			c.DivisionID = web.Opt[id.ID]{Set: true, V: *is.DivisionID}
		}
	}
	return true
}

// set sets a field if the line has a value that differs from the record's.
func set[T comparable](to *web.Opt[T], was, now *T) bool {
	if now == nil || same(was, now) {
		return false
	}
	*to = web.Opt[T]{Set: true, V: *now}
	return true
}

func (l *studentLine) statusAfter(is *foundStudent) string {
	if l.status != "" {
		return l.status
	}
	return is.Status
}
