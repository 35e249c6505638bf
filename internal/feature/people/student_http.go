package people

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/file"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// officeRoutes are the routes by which the school's office changes students.
func (s *Service) officeRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/student/create", file.Showing(s.create, s.showRecord), web.Write("student"), web.Created(),
			web.Doc("Enrol a student with guardians. A guardian with a known phone is linked, others are created with an account.")),
		web.Handle("PUT /school-admin/student/{id}", file.Showing(s.change, s.showRecord), web.Write("student"), web.Doc("Update a student.")),
		web.Handle("DELETE /school-admin/student/{id}", s.archive, web.Delete("student"),
			web.Doc("Archive a student: removes it from every list and keeps all its data.")),
		web.Handle("POST /school-admin/student/renumber", s.renumber, web.Write("student"), web.Says("Numbered."),
			web.Doc("Number the students of a division anew: 1, 2, 3 and so on.")),
		web.Handle("POST /school-admin/student/promote", s.promote, web.Write("student"), web.Says("Promoted."),
			web.Doc("End a class's year: promote, detain or graduate its students, all or nothing. Repeating the call changes nothing. "+
				"The running year stays as it is until the later year is activated.")),
		web.Handle("POST /school-admin/student/promote/preview", s.previewPromotion, web.Read("student"),
			web.Doc("What a promotion would do, student by student. Changes nothing.")),
		web.Handle("POST /school-admin/student/promote/undo", s.undoPromotion, web.Write("student"), web.Says("Undone."),
			web.Doc("Take a promotion back, while there are no marks, results or charges of the later year.")),
		web.Handle("POST /school-admin/student/{id}/guardians", file.Showing(s.addGuardian, s.showRecord), web.Write("student"), web.Created(),
			web.Doc("Add a guardian. A guardian already linked (same phone) gets the relation and rights sent.")),
		web.Handle("DELETE /school-admin/student/{id}/guardians/{guardianId}", s.removeGuardian, web.Delete("student"),
			web.Doc("Remove a guardian. Disables the account if no child is left.")),
		web.Handle("GET /school-admin/student/{id}/profile", file.Showing(s.profile, s.showProfile), web.Read("student"),
			web.Doc("A student with enrolments, transport and the data of other modules.")),
		web.Handle("GET /school-admin/student/{id}/data-export", s.export, web.Read("student"),
			web.Doc("All data held on a student.")),
		web.Handle("POST /school-admin/student/{id}/erase", s.erase, web.Delete("student"), web.Says("Erased."),
			web.Doc("Erase the personal data of a student, and of guardians without another child. This can't be undone.")),
	}
}

type createIn struct {
	AdmissionNo       string         `json:"admissionNo" maxLength:"50" doc:"Default: the school's next number."`
	FirstName         string         `json:"firstName" required:"true" maxLength:"100"`
	LastName          string         `json:"lastName" maxLength:"100"`
	DateOfBirth       *clock.Date    `json:"dateOfBirth"`
	Gender            string         `json:"gender" enum:"MALE,FEMALE,OTHER" alias:"m=MALE,boy=MALE,f=FEMALE,girl=FEMALE" doc:"Read in any case, and as m, f, boy or girl."`
	BloodGroup        string         `json:"bloodGroup" enum:"A+,A-,B+,B-,AB+,AB-,O+,O-" alias:"" doc:"Read in any case."`
	ClassID           *id.ID         `json:"classId"`
	DivisionID        *id.ID         `json:"divisionId" doc:"A division of the class."`
	RollNo            *int           `json:"rollNo" minimum:"0" maximum:"2147483646"`
	AdmissionDate     *clock.Date    `json:"admissionDate"`
	Address           string         `json:"address" maxLength:"500" multiline:"true"`
	Phone             string         `json:"phone" format:"phone"`
	Email             string         `json:"email" format:"email"`
	PhotoFileID       *id.ID         `json:"photoFileId"`
	MedicalNotes      string         `json:"medicalNotes" maxLength:"5000" multiline:"true" doc:"For the office and the class teacher."`
	RideNotes         string         `json:"rideNotes" maxLength:"1000" multiline:"true" doc:"What the bus driver has to know."`
	EmergencyContacts []Contact      `json:"emergencyContacts" maxItems:"20"`
	CustomFields      map[string]any `json:"customFields" doc:"Any other fields the school needs."`
	Guardians         []guardianIn   `json:"guardians" maxItems:"10"`
}

// Check allows one primary guardian.
func (in *createIn) Check() error {
	primary := 0
	for i, g := range in.Guardians {
		if g.IsPrimary {
			primary++
		}
		if primary > 1 {
			return fault.OnField(fmt.Sprintf("guardians[%d].isPrimary", i), "must be true for only one guardian")
		}
	}
	return nil
}

type guardianIn struct {
	Name        string `json:"name" required:"true" maxLength:"200"`
	Relation    string `json:"relation" enum:"FATHER,MOTHER,GUARDIAN" default:"GUARDIAN"`
	Phone       string `json:"phone" format:"phone" doc:"The guardian's login. A known phone links that guardian, who keeps the name."`
	Email       string `json:"email" format:"email"`
	IsPrimary   bool   `json:"isPrimary" doc:"The guardian the school calls first. Each student with guardians has exactly one."`
	CanViewData *bool  `json:"canViewData" default:"true" doc:"May see the student in the parents app."`
	CanPickUp   *bool  `json:"canPickUp" default:"true"`
}

func (g guardianIn) guardian() NewGuardian {
	out := NewGuardian{Name: strings.TrimSpace(g.Name), Relation: g.Relation, Phone: g.Phone, Email: g.Email, IsPrimary: g.IsPrimary,
		CanViewData: g.CanViewData == nil || *g.CanViewData, CanPickUp: g.CanPickUp == nil || *g.CanPickUp}
	if out.Relation == "" {
		out.Relation = "GUARDIAN"
	}
	return out
}

func (in createIn) student() NewStudent {
	n := NewStudent{AdmissionNo: strings.TrimSpace(in.AdmissionNo),
		FirstName: strings.TrimSpace(in.FirstName), LastName: strings.TrimSpace(in.LastName),
		DateOfBirth: in.DateOfBirth, Gender: in.Gender, BloodGroup: in.BloodGroup, ClassID: in.ClassID, DivisionID: in.DivisionID,
		RollNo: in.RollNo, AdmissionDate: in.AdmissionDate, Address: in.Address, Phone: in.Phone, Email: in.Email,
		PhotoFileID: in.PhotoFileID, MedicalNotes: in.MedicalNotes, RideNotes: in.RideNotes}
	n.EmergencyContacts.V, n.CustomFields.V = in.EmergencyContacts, in.CustomFields
	for _, g := range in.Guardians {
		n.Guardians = append(n.Guardians, g.guardian())
	}
	return n
}

func (s *Service) create(ctx context.Context, who actor.Actor, in createIn) (out Record, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		added, err := s.addStudents(ctx, tx, who, []NewStudent{in.student()})
		if err != nil {
			return err
		}
		out = Record{Student: added[0], Guardians: []Guardian{}}
		if in.PhotoFileID != nil {
			if err := s.Files.AttachOne(ctx, tx, who, file.StudentPhoto, out.ID, in.PhotoFileID); err != nil {
				return err
			}
		}
		if len(in.Guardians)+len(in.CustomFields) > 0 { // a known guardian keeps its name
			if out, err = GetRecord(ctx, tx, out.ID); err != nil {
				return err
			}
		}
		return s.record(ctx, tx, who, "student.create", out.ID, nil, out)
	})
	return out, err
}

type changeIn struct {
	ID id.ID `path:"id"`
	StudentChange
	Guardians *[]GuardianLink `json:"guardians" maxItems:"10" doc:"If sent, the student's guardians: those left out are removed."`
}

func (s *Service) change(ctx context.Context, who actor.Actor, in changeIn) (out Record, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if out, err = s.ChangeStudent(ctx, tx, who, in.ID, in.StudentChange); err != nil || in.Guardians == nil {
			return err
		}
		if err := s.setGuardians(ctx, tx, who, in.ID, *in.Guardians); err != nil {
			return err
		}
		out, err = GetRecord(ctx, tx, in.ID)
		return err
	})
	return out, err
}

func (s *Service) archive(ctx context.Context, who actor.Actor, in idIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.ArchiveStudent(ctx, tx, who, in.ID)
	})
}

func (s *Service) promote(ctx context.Context, who actor.Actor, in Promotion) (out Promoted, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		out, err = s.Promote(ctx, tx, who, in)
		return err
	})
	return out, err
}

// promotionPreview is a plan as the office sees it.
type promotionPreview struct {
	Promoted
	Students []promotedStudent `json:"students"`
}

type promotedStudent struct {
	StudentID  id.ID    `json:"studentId"`
	FirstName  string   `json:"firstName"`
	LastName   opt.Text `json:"lastName"`
	Outcome    string   `json:"outcome" enum:"PROMOTED,DETAINED,GRADUATED"`
	ClassID    *id.ID   `json:"classId" doc:"In the later year; null if not enrolled."`
	DivisionID *id.ID   `json:"divisionId"`
	RollNo     *int     `json:"rollNo"`
}

func (s *Service) previewPromotion(ctx context.Context, who actor.Actor, in Promotion) (promotionPreview, error) {
	plan, err := in.plan(ctx, s.DB.School(who.School))
	out := promotionPreview{Promoted: plan.counts(), Students: []promotedStudent{}}
	for _, m := range plan.moves {
		for _, v := range m.pupils {
			out.Students = append(out.Students, promotedStudent{StudentID: v.StudentID, FirstName: v.FirstName, LastName: opt.Text(v.LastName),
				Outcome: m.outcome, ClassID: m.class, DivisionID: v.Division, RollNo: v.RollNo})
		}
	}
	return out, err
}

func (s *Service) undoPromotion(ctx context.Context, who actor.Actor, in UndoPromotion) (out Undone, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		out, err = s.Undo(ctx, tx, who, in)
		return err
	})
	return out, err
}

type addGuardianIn struct {
	ID id.ID `path:"id"`
	guardianIn
}

func (s *Service) addGuardian(ctx context.Context, who actor.Actor, in addGuardianIn) (out Record, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		out, err = s.AddGuardian(ctx, tx, who, in.ID, in.guardian())
		return err
	})
	return out, err
}

type removeGuardianIn struct {
	ID         id.ID `path:"id"`
	GuardianID id.ID `path:"guardianId"`
}

func (s *Service) removeGuardian(ctx context.Context, who actor.Actor, in removeGuardianIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.RemoveGuardian(ctx, tx, who, in.ID, in.GuardianID)
	})
}

func (s *Service) profile(ctx context.Context, who actor.Actor, in idIn) (Profile, error) {
	return s.GetProfile(ctx, s.DB.School(who.School), who, in.ID)
}

func (s *Service) export(ctx context.Context, who actor.Actor, in idIn) (Export, error) {
	return s.GetExport(ctx, s.DB.School(who.School), who, in.ID)
}

type eraseIn struct {
	ID      id.ID  `path:"id"`
	Confirm string `json:"confirm" required:"true" doc:"The student's admission number."`
}

type eraseOut struct {
	ID id.ID `json:"id"`
}

func (s *Service) erase(ctx context.Context, who actor.Actor, in eraseIn) (eraseOut, error) {
	return eraseOut{in.ID}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.EraseStudent(ctx, tx, who, in.ID, in.Confirm)
	})
}
