package people

import (
	"context"
	"slices"
	"strings"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Hold is a column that refers to records such as students. Its rows prevent undoing the
// import that added them.
type Hold struct {
	Of        string // the kind of record: student, guardian, employee, user …
	Table     string
	Column    string
	Where     string // an optional condition
	One, Many string // "charge", "charges"
}

// ownHolds are those of this package and of the accounts. Other features add to
// Service.Holds.
var ownHolds = []Hold{
	{Of: "user", Table: "users", Column: "id", One: "person who has signed in", Many: "people who have signed in",
		Where: `(last_seen_at IS NOT NULL OR EXISTS (SELECT 1 FROM sessions s WHERE s.school_id = users.school_id AND s.user_id = users.id))`},
	{Of: "student", Table: "enrolments", Column: "student_id", One: "enrolment in another year", Many: "enrolments in other years",
		Where: `EXISTS (SELECT 1 FROM enrolments o WHERE o.school_id = enrolments.school_id AND o.student_id = enrolments.student_id
			AND o.academic_year_id > enrolments.academic_year_id)`},
	{Of: "guardian", Table: "contact_changes", Column: "guardian_id", One: "proposed change of contact data",
		Many: "proposed changes of contact data"},
}

// What else holds the records of an import.
var (
	isUpdated = Hold{One: "record that existed before and was changed", Many: "records that existed before and were changed"}
	isAdopted = Hold{One: "account that existed before", Many: "accounts that existed before"}
	isChanged = Hold{One: "changed record", Many: "changed records"}
	isSibling = Hold{One: "guardian with another child", Many: "guardians with another child"}
)

// heldBy counts what holds records, by name: "3 charges".
type heldBy struct {
	names  []Hold
	counts map[string]int
}

func (h *heldBy) add(by Hold, n int) {
	if n == 0 {
		return
	}
	if h.counts == nil {
		h.counts = map[string]int{}
	}
	if h.counts[by.One] == 0 {
		h.names = append(h.names, by)
	}
	h.counts[by.One] += n
}

// words is "2 charges and 1 person who has signed in"; "" if nothing holds the records.
func (h *heldBy) words() string {
	parts := make([]string, len(h.names))
	for i, n := range h.names {
		parts[i] = Plural(h.counts[n.One], n.One, n.Many)
	}
	return Join(parts)
}

// Join returns "a, b and c".
func Join(parts []string) string {
	last := len(parts) - 1
	if last <= 0 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// count counts the rows that refer to records of one kind, with one round trip.
func (u *Undoing) count(ctx context.Context, of string, ids []id.ID) error {
	holds := slices.DeleteFunc(slices.Clone(u.of.Holds), func(h Hold) bool { return h.Of != of })
	counts, asks := make([][]int, len(holds)), make([]db.Ask, len(holds))
	for i, h := range holds {
		asks[i] = db.Into(&counts[i], `SELECT COUNT(*) FROM `+h.Table+` WHERE school_id = :school AND `+h.Column+` IN (:ids)`+
			db.When(h.Where != "", ` AND `+h.Where), db.Args{"ids": ids})
	}
	if err := db.Read(ctx, u.tx, asks...); err != nil {
		return fault.Wrap("count what holds the records of an import", err)
	}
	for i, h := range holds {
		u.held.add(h, counts[i][0])
	}
	return nil
}
