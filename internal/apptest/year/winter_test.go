package year_test

import (
	"encoding/json"
	"fmt"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/fee"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// charge charges the fees of the year.
func (s *school) charge() {
	for i, c := range s.classes {
		s.Admin("POST", "/school-admin/fee/charge/generate", m{"classId": c.id, "all": true}).OK()
		for _, p := range s.of(i) {
			p.charged += 300_00
		}
	}
}

func (s *school) grantConcession() {
	p := s.some(0)
	s.Make("fee/concession/grant", m{"studentId": p.id, "amount": 50})
	p.conceded += 50_00
}

// payments takes a random payment of someone who owes.
func (s *school) payments() {
	p := s.some(s.IntN(2))
	s.fine(p)
	if p.owes() <= 0 {
		return
	}
	amount := min(p.owes(), int64(1+s.IntN(150))*100+int64(s.IntN(100)))
	s.Make("fee/collection/record", m{"studentId": p.id, "amount": money(amount), "method": "CASH"})
	p.paid += amount
	s.received += amount
}

func money(cents int64) json.Number { return json.Number(fmt.Sprintf("%d.%02d", cents/100, cents%100)) }

// fineLate lets the nightly job fine whoever has not paid in time.
func (s *school) fineLate() {
	fees := &fee.Service{DB: s.DB, Audit: &audit.Service{DB: s.DB, Now: s.Now, NewID: s.NewID},
		Notify: &notification.Service{DB: s.DB, Out: s.Notify, Now: s.Now, NewID: s.NewID}, Now: s.Now, NewID: s.NewID}
	if err := fees.FineAll(s.Context()); err != nil {
		s.Fatal(err)
	}
	for _, p := range s.pupils {
		s.fine(p)
	}
}

// fine expects the fine of a pupil whose fees are late. A payment adds it, too.
func (s *school) fine(p *pupil) {
	if s.monday > s.due.AddDays(3) && p.fined == 0 && p.owes() > 0 {
		p.fined = 20_00
	}
}

// refund pays back an advance.
func (s *school) refund() {
	p := s.some(1)
	over := max(0, p.owes()) + 100_00
	s.Make("fee/collection/record", m{"studentId": p.id, "amount": money(over), "method": "CASH"})
	p.paid += over
	s.received += over
	s.Make("fee/refund/create", m{"studentId": p.id, "amount": 100, "method": "CASH"})
	p.paid -= 100_00
	s.received -= 100_00
}

// reachParents sends an urgent announcement, which everyone reads in the log.
func (s *school) reachParents() {
	s.Make("announcement/create", m{"title": "Snow", "body": "School closes at noon.", "audience": "ALL", "urgent": true})
	s.Drain()
	for _, p := range s.pupils {
		apptest.Eq(s, "announcements of "+p.phone, s.logged(p.phone, "ANNOUNCEMENT"), 1)
	}
}

// ride schedules a trip of class One.
func (s *school) ride() string {
	return s.Make("transport/trip/schedule", m{"busId": s.bus, "type": "pickup", "date": s.monday, "startTime": "08:30"})
}

// tellRiders expects notifications about a trip. A child who does not board has none.
func (s *school) tellRiders(times int) {
	for _, p := range s.of(0) {
		for range times {
			s.tell(p, "TRANSPORT")
		}
	}
}

// accident reports one on the bus. The office and the parents of those aboard are told.
func (s *school) accident() {
	trip := s.ride()
	at := "/driver/bus-tracking/trips/" + trip
	s.As(s.North.Driver, "POST", at+"/start", m{}).OK()
	office := func() int {
		return s.Count(`notifications WHERE school_id = :school AND user_id = :user AND type = 'TRANSPORT'`, db.Args{"user": s.North.Admin.ID})
	}
	before := office()
	incident := s.As(s.North.Driver, "POST", "/driver/incident/report", m{"type": "accident", "severity": "HIGH"}).OK().Text("id")
	s.Drain()
	apptest.Eq(s, "news of the accident in the office", office()-before, 1)
	s.Admin("POST", "/school-admin/transport/incident/"+incident+"/acknowledge", m{}).OK()
	for _, p := range s.of(0) {
		s.As(s.North.Driver, "POST", at+"/students/"+p.id+"/status", m{"status": "absent"}).OK()
	}
	s.As(s.North.Driver, "POST", at+"/end", m{}).OK()
	s.tellRiders(2) // that it has started, and of the accident
}

// driverIll gives a trip to another driver.
func (s *school) driverIll() {
	trip := s.ride()
	s.Admin("PUT", "/school-admin/transport/trip/"+trip, m{"driverId": s.eve}).OK()
	eve := s.Account(actor.Driver, "+15557000002")
	at := "/driver/bus-tracking/trips/" + trip
	s.As(s.North.Driver, "POST", at+"/start", m{}).Want(403, "PERMISSION_DENIED")
	s.As(eve, "POST", at+"/start", m{}).OK()
	for _, p := range s.of(0) {
		s.As(eve, "POST", at+"/students/"+p.id+"/status", m{"status": "absent"}).OK()
	}
	s.As(eve, "POST", at+"/end", m{}).OK()
	s.tellRiders(1) // that it has started
}

func (s *school) lend() {
	s.Admin("POST", "/school-admin/library/book/create", m{"title": "Atlas", "copies": list{m{"accessionNo": "L-1"}}}).OK()
	s.loan = s.Make("library/loan/issue", m{"accessionNo": "L-1", "studentId": s.some(0).id})
	s.Admin("POST", "/school-admin/library/loan/issue", m{"accessionNo": "L-1", "studentId": s.some(1).id}).Want(409, "Conflict")
}

func (s *school) returnBook() {
	s.Admin("POST", "/school-admin/library/loan/return", m{"accessionNo": "L-1"}).OK()
	apptest.Eq(s, "loan", s.Admin("GET", "/school-admin/library/loan/"+s.loan, nil).OK().Text("status"), "RETURNED")
}

// exam holds an exam in Maths and publishes it. Each parent reads the child's marks.
func (s *school) exam() {
	exam := s.Make("exam/create", m{"name": "Term", "classIds": list{s.classes[0].id, s.classes[1].id}})
	var papers list
	for _, c := range s.classes {
		papers = append(papers, m{"classId": c.id, "subjectId": s.maths, "date": s.day(-3), "maxMarks": 100})
	}
	s.Admin("POST", "/school-admin/exam/schedule", m{"examId": exam, "entries": papers}).OK()
	for i, c := range s.classes {
		var results list
		for _, p := range s.of(i) {
			p.result = s.IntN(101)
			results = append(results, m{"studentId": p.id, "marks": p.result})
		}
		s.Admin("POST", "/school-admin/exam/result/upload", m{"examId": exam, "classId": c.id, "subjectId": s.maths, "results": results}).OK()
	}
	s.Admin("POST", "/school-admin/exam/"+exam+"/publish", m{}).OK()
	for _, p := range s.pupils {
		s.tell(p, "RESULT")
		result := s.As(s.Account(actor.Parent, p.phone), "GET", "/parent/exam/result?studentId="+p.id, nil).OK()
		apptest.Eq(s, "result of "+p.name, fmt.Sprint(result.Items()[0].Objects("subjects")[0]["marks"]), fmt.Sprint(p.result))
	}
}
