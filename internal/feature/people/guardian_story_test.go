package people_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// families is the whole service with shorthands for the tests of guardians.
type families struct{ *apptest.World }

func eachFamily(t *testing.T, test func(t *testing.T, o families)) {
	t.Helper()
	apptest.Worlds(t, func(w *apptest.World) families { return families{w} }, test)
}

func (o families) admin(method, path string, body any, headers ...string) apptest.Reply {
	o.Helper()
	return o.Admin(method, "/school-admin/"+path, body, headers...)
}

// enrol adds a student and returns the ids of its guardians, the primary one first.
func (o families) enrol(name string, guardians ...m) (student string, ids []string) {
	o.Helper()
	st := o.admin("POST", "student/create", m{"firstName": name, "guardians": guardians}).OK()
	for _, g := range st["guardians"].([]any) {
		ids = append(ids, g.(m)["id"].(string))
	}
	return st.Text("id"), ids
}

// parent signs in the account of a phone.
func (o families) parent(phone string) *apptest.Account {
	o.Helper()
	return o.Account(actor.Parent, phone)
}

func TestGuardianIsCorrected(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		mia, ids := o.enrol("Mia", m{"name": "Jon Smth", "phone": "+15550700001"}, m{"name": "Ann", "relation": "MOTHER"})
		jon, ann := ids[0], ids[1]
		old := o.parent("+15550700001")
		got := o.admin("PUT", "guardian/"+jon, m{"name": "John Smith", "phone": "+15550700002", "email": "john@example.org",
			"address": "1 High St", "language": "es", "version": 1}).OK()
		want := "John Smith +15550700002 john@example.org 1 High St es 2"
		is := fmt.Sprint(got["name"], " ", got["phone"], " ", got["email"], " ", got["address"], " ", got["language"], " ", got["version"])
		if is != want {
			t.Errorf("corrected: %s, want %s", is, want)
		}
		o.As(old, "GET", "/parent/contact", nil).Want(401, "Unauthorized") // the login has changed
		me := o.As(o.parent("+15550700002"), "GET", "/parent/contact", nil).OK()
		if me.Text("name") != "John Smith" || me["pending"] != nil {
			t.Errorf("the parent's contact data: %v", me)
		}
		o.admin("PUT", "guardian/"+jon, m{"name": "Late", "version": 1}).Want(409, "Conflict")
		o.admin("PUT", "guardian/"+ann, m{"phone": "+15550700002"}).Want(409, "DUPLICATE_ENTRY")
		o.admin("PUT", "guardian/"+ann, m{"language": "es"}).Want(422, "Unprocessable Entity")
		o.admin("PUT", "guardian/"+ann, m{"phone": "12"}).Want(422, "Unprocessable Entity")
		o.admin("PUT", "guardian/"+ann, m{"phone": "+15550700003"}).OK()
		o.parent("+15550700003") // an account was opened
		o.admin("PUT", "guardian/"+ann, m{"phone": nil}).OK()
		if n := o.admin("GET", "guardian/list?search=smith", nil).OK()["total"]; n != 1.0 {
			t.Errorf("%v guardians found by the corrected name, want 1", n)
		}
		if n := o.admin("GET", "guardian/list?search=smth", nil).OK()["total"]; n != 0.0 {
			t.Errorf("%v guardians found by the old name, want none", n)
		}
		children := o.admin("GET", "guardian/"+jon, nil).OK()["children"].([]any)
		if len(children) != 1 || children[0].(m)["studentId"] != mia {
			t.Errorf("children: %v", children)
		}
		o.As(o.South.Admin, "PUT", "/school-admin/guardian/"+jon, m{"name": "X"}).Want(404, "Not Found")
		o.As(o.South.Admin, "GET", "/school-admin/guardian/"+jon, nil).Want(404, "Not Found")
	})
}

func TestStudentUpdateTakesGuardians(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		mia, ids := o.enrol("Mia", m{"name": "Jon", "phone": "+15550700001"}, m{"name": "Ann", "phone": "+15550700002"})
		put := func(guardians ...m) apptest.Reply {
			t.Helper()
			return o.admin("PUT", "student/"+mia, m{"guardians": append([]m{}, guardians...)})
		}
		names := func(r apptest.Reply) string {
			t.Helper()
			var out []string
			for _, g := range r.OK()["guardians"].([]any) {
				g := g.(m)
				out = append(out, fmt.Sprint(g["name"], " ", g["relation"], " ", g["isPrimary"], " ", g["canViewData"]))
			}
			return strings.Join(out, ", ")
		}
		got := names(put(m{"id": ids[0], "name": "John", "relation": "FATHER", "canViewData": false}, m{"id": ids[1], "isPrimary": true},
			m{"name": "Zoe"}))
		if want := "Ann GUARDIAN true true, John FATHER false false, Zoe GUARDIAN false true"; got != want {
			t.Errorf("guardians: %s, want %s", got, want)
		}
		if got := names(put(m{"id": ids[0]})); got != "John FATHER true false" {
			t.Errorf("the one who is left: %s", got)
		}
		put(m{"relation": "MOTHER"}).Want(422, "Unprocessable Entity")
		put(m{"id": o.North.ID}).Want(404, "Not Found")
		if got := names(put()); got != "" {
			t.Errorf("guardians after all were removed: %s", got)
		}
		if got := names(o.admin("PUT", "student/"+mia, m{"firstName": "Mya", "guardians": []any{m{"id": ids[1]}}})); got !=
			"Ann GUARDIAN true true" {
			t.Errorf("linked again: %s", got)
		}
	})
}

func TestMergeGuardians(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		mia, one := o.enrol("Mia", m{"name": "Jon", "phone": "+15550700001"})
		noa, two := o.enrol("Noa", m{"name": "John", "phone": "+15550700002", "email": "john@example.org"})
		o.admin("POST", "student/"+mia+"/guardians", m{"name": "John", "phone": "+15550700002", "canPickUp": false}).OK()
		kept, gone := o.parent("+15550700001"), o.parent("+15550700002")
		office := o.North.ID
		o.As(kept, "POST", "/parent/message/send", m{"recipientId": office, "studentId": mia, "body": "First"}).OK()
		o.As(gone, "POST", "/parent/message/send", m{"recipientId": office, "studentId": mia, "body": "Second"}).OK()
		o.As(gone, "POST", "/parent/message/send", m{"recipientId": office, "studentId": noa, "body": "About Noa"}).OK()

		o.admin("POST", "guardian/"+one[0]+"/merge", m{"guardianId": one[0]}).Want(422, "Unprocessable Entity")
		o.admin("POST", "guardian/"+one[0]+"/merge", m{"guardianId": o.North.ID}).Want(404, "Not Found")
		o.As(o.South.Admin, "POST", "/school-admin/guardian/"+one[0]+"/merge", m{"guardianId": two[0]}).Want(404, "Not Found")
		got := o.admin("POST", "guardian/"+one[0]+"/merge", m{"guardianId": two[0]}).OK()
		if got.Text("phone") != "+15550700001" || got.Text("email") != "john@example.org" {
			t.Errorf("merged: %v", got)
		}
		links := ""
		for _, c := range got["children"].([]any) {
			links += fmt.Sprint(c.(m)["firstName"], " ", c.(m)["canPickUp"], " ")
		}
		if links != "Mia false Noa true " { // the stricter of the two rights
			t.Errorf("children of the merged guardian: %s", links)
		}
		o.admin("GET", "guardian/"+two[0], nil).Want(404, "Not Found")
		o.As(gone, "GET", "/parent/contact", nil).Want(401, "Unauthorized")
		threads := o.As(kept, "GET", "/parent/message/threads", nil).OK().Items()
		if len(threads) != 2 {
			t.Fatalf("%d conversations, want 2: %v", len(threads), threads)
		}
		var bodies []string
		for _, thread := range threads {
			for _, msg := range o.As(kept, "GET", "/parent/message/thread/"+thread.Text("id"), nil).OK().Items() {
				bodies = append(bodies, msg.Text("body"))
			}
		}
		if got := strings.Join(bodies, ", "); got != "About Noa, Second, First" {
			t.Errorf("messages: %s", got)
		}
		if n := o.As(o.North.Admin, "GET", "/school-admin/message/threads", nil).OK()["unreadCount"]; n != 3.0 {
			t.Errorf("unread by the office: %v, want 3", n)
		}
	})
}

func TestParentProposesContactData(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		o.enrol("Mia", m{"name": "Jon", "phone": "+15550700001"})
		jon := o.parent("+15550700001")
		propose := func(body m) apptest.Reply { return o.As(jon, "POST", "/parent/contact/change", body) }
		propose(m{}).Want(422, "Unprocessable Entity")
		propose(m{"phone": nil}).Want(422, "Unprocessable Entity")
		propose(m{"phone": ""}).Want(422, "Unprocessable Entity")
		first := propose(m{"email": "jon@example.org"}).OK().Text("id")
		second := propose(m{"name": "John", "address": "2 Low Rd"}).OK().Text("id")
		waiting := o.admin("GET", "guardian/change/list", nil).OK().Items()
		if len(waiting) != 1 || waiting[0].Text("id") != second || waiting[0].Text("guardianName") != "Jon" {
			t.Errorf("waiting: %v", waiting)
		}
		news := func(who *apptest.Account) string {
			return fmt.Sprint(o.As(who, "GET", "/"+who.Role.Prefix()+"/notification/delivered-notifications", nil).OK()["notifications"])
		}
		if got := news(o.North.Admin); !strings.Contains(got, "Jon asks to change the contact data.") {
			t.Errorf("what the office reads: %s", got)
		}
		o.admin("POST", "guardian/change/"+first+"/accept", m{}).Want(409, "Conflict") // replaced
		o.As(o.South.Admin, "POST", "/school-admin/guardian/change/"+second+"/accept", m{}).Want(404, "Not Found")
		o.admin("POST", "guardian/change/"+second+"/accept", m{}).OK()
		o.admin("POST", "guardian/change/"+second+"/reject", m{}).Want(409, "Conflict")
		me := o.As(jon, "GET", "/parent/contact", nil).OK()
		if me.Text("name") != "John" || me.Text("address") != "2 Low Rd" || me.Text("email") != "" || me["pending"] != nil {
			t.Errorf("contact data after the decision: %v", me)
		}
		third := propose(m{"name": "Johnny"}).OK().Text("id")
		o.admin("POST", "guardian/change/"+third+"/reject", m{"reason": "Please bring your passport."}).OK()
		if got := news(jon); !strings.Contains(got, "as you asked") || !strings.Contains(got, "Please bring your passport.") {
			t.Errorf("what the parent reads: %s", got)
		}
		propose(m{"name": "J."}).OK()
		o.As(jon, "POST", "/parent/contact/change/cancel", m{}).OK()
		o.As(jon, "POST", "/parent/contact/change/cancel", m{}).Want(404, "Not Found")
		if got := o.As(jon, "GET", "/parent/contact", nil).OK().Text("name"); got != "John" {
			t.Errorf("name after a rejection: %s", got)
		}
	})
}

// TestCancelledChange: a parent cancels a change while the office accepts it. One of them
// is refused, and a cancelled change is not applied.
func TestCancelledChange(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		o.enrol("Mia", m{"name": "Jon", "phone": "+15550700061"})
		jon := o.parent("+15550700061")
		name := "Jon"
		for i := range 20 {
			proposed := fmt.Sprint("Jon ", i)
			change := o.As(jon, "POST", "/parent/contact/change", m{"name": proposed}).OK().Text("id")
			var accepted, cancelled bool
			apptest.AtOnce(2, func(who int) (r apptest.Reply) {
				if who == 0 {
					r = o.admin("POST", "guardian/change/"+change+"/accept", m{})
					accepted = r.Status == 200
					return r
				}
				r = o.As(jon, "POST", "/parent/contact/change/cancel", m{})
				cancelled = r.Status == 200
				return r
			})
			if accepted {
				name = proposed
			}
			if accepted == cancelled {
				t.Errorf("round %d: accepted %t, cancelled %t", i, accepted, cancelled)
			}
			apptest.Eq(t, "name", o.As(jon, "GET", "/parent/contact", nil).OK().Text("name"), name)
		}
	})
}

// TestMergedAccountFollowsChildren: the account that stays can sign in if the merged guardian has a child at the school, and
// only then, whichever of the two was disabled.
func TestMergedAccountFollowsChildren(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		n := 0
		merge := func(name string, keepHasChild, otherHasChild bool, want string) {
			t.Helper()
			n += 2
			phones := []string{fmt.Sprintf("+1555080%04d", n), fmt.Sprintf("+1555080%04d", n+1)}
			ada, keep := o.enrol("Ada", m{"name": "Jon", "phone": phones[0]})
			ben, other := o.enrol("Ben", m{"name": "Jon", "phone": phones[1]})
			for student, stays := range map[string]bool{ada: keepHasChild, ben: otherHasChild} {
				if !stays {
					o.admin("DELETE", "student/"+student, nil).OK()
				}
			}
			o.admin("POST", "guardian/"+keep[0]+"/merge", m{"guardianId": other[0]}).OK()
			apptest.Eq(t, name, o.parentStatus(phones[0]), want)
		}
		merge("the child of the one that stays has left", false, true, "ACTIVE")
		merge("the child of the one that goes has left", true, false, "ACTIVE")
		merge("both children have left", false, false, "DISABLED")

		ada, ann := o.enrol("Ada", m{"name": "Ann"}) // without an account
		gone, old := o.enrol("Ben", m{"name": "Ann", "phone": "+15550809999"})
		o.admin("DELETE", "student/"+gone, nil).OK()
		o.admin("POST", "guardian/"+ann[0]+"/merge", m{"guardianId": old[0]}).OK()
		apptest.Eq(t, "the account of the one that goes", o.parentStatus("+15550809999"), "ACTIVE")
		o.As(o.parent("+15550809999"), "GET", "/parent/student/"+ada, nil).OK()
	})
}

// TestUpdateKeepsRights: guardians who are named by their phone in an update keep the rights and the relation that are not sent.
func TestUpdateKeepsRights(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		jon := m{"name": "Jon", "phone": "+15550810001"}
		ada, _ := o.enrol("Ada", m{"name": "Ann", "phone": "+15550810002"},
			apptest.With(jon, "relation", "FATHER", "canViewData", false, "canPickUp", false))
		rights := func(links ...m) string {
			t.Helper()
			for _, g := range o.admin("PUT", "student/"+ada, m{"guardians": links}).OK()["guardians"].([]any) {
				if g := g.(m); g["name"] == "Jon" {
					return fmt.Sprint(g["relation"], " ", g["canViewData"], " ", g["canPickUp"], " ", g["isPrimary"])
				}
			}
			return "no link"
		}
		ann := m{"name": "Ann", "phone": "+15550810002"}
		apptest.Eq(t, "named by the phone", rights(ann, jon), "FATHER false false false")
		apptest.Eq(t, "with one right", rights(ann, apptest.With(jon, "canPickUp", true)), "FATHER false true false")
		o.As(o.parent("+15550810001"), "GET", "/parent/student/"+ada, nil).Want(403, "PERMISSION_DENIED")
	})
}

// TestStalePageGivesNoRightsBack: whoever read the guardians before they changed can't send the old list.
func TestStalePageGivesNoRightsBack(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		jon, zoe := m{"name": "Jon", "phone": "+15550820002"}, m{"name": "Zoe", "phone": "+15550820003"}
		mia, ids := o.enrol("Mia", m{"name": "Ann", "phone": "+15550820001"}, jon)
		at := "student/" + mia
		version := func() any { return o.admin("GET", at, nil).OK()["version"] }
		ann, blind := m{"id": ids[0]}, m{"id": ids[1], "canViewData": false, "canPickUp": false}
		seeing := apptest.With(blind, "canViewData", true, "canPickUp", true)
		for _, change := range []struct {
			name string
			do   func()
		}{
			{"rights taken away", func() {
				got := o.admin("PUT", at, m{"version": version(), "guardians": []m{ann, blind}}).OK()
				apptest.Eq(t, "version in the reply", got["version"], version())
			}},
			{"another is primary, and a name", func() {
				got := o.admin("PUT", at, m{"firstName": "Mya", "guardians": []m{ann, apptest.With(blind, "isPrimary", true)}}).OK()
				apptest.Eq(t, "version in the reply", got["version"], version())
			}},
			{"guardian added", func() {
				apptest.Eq(t, "version in the reply", o.admin("POST", at+"/guardians", zoe).OK()["version"], version())
			}},
			{"rights taken away by phone", func() { o.admin("POST", at+"/guardians", apptest.With(zoe, "canViewData", false)).OK() }},
			{"guardians merged", func() {
				_, ida := o.enrol("Ida", m{"name": "Zoë", "phone": "+15550820004"})
				zoe := o.One(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Zoe'`, nil)
				o.admin("POST", "guardian/"+ida[0]+"/merge", m{"guardianId": zoe}).OK()
			}},
			{"guardian removed", func() { o.admin("DELETE", at+"/guardians/"+ids[0], nil).OK() }},
			{"import", func() {
				number := o.admin("GET", at, nil).OK().Text("admissionNo")
				o.admin("POST", "student/import?mode=upsert", "admissionNo,guardianName,guardianPhone\n"+number+",Eva,+15550820005\n",
					"Content-Type", "text/csv").OK()
			}},
		} {
			read := version()
			change.do()
			if is := version(); is == read {
				t.Errorf("%s: the version is still %v", change.name, is)
			}
			o.admin("PUT", at, m{"version": read, "guardians": []m{ann, seeing}}).Want(409, "Conflict")
		}
		read := o.admin("GET", at, nil).OK()
		o.admin("PUT", at, m{"guardians": read["guardians"]}).OK()
		apptest.Eq(t, "version after a list that changes nothing", version(), read["version"])
	})
}

// TestErasureKeepsOthersMail: what waits for a parent who stays is sent, also to an address that an erased parent shared.
func TestErasureKeepsOthersMail(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		const shared = "family@example.org"
		ada, _ := o.enrol("Ada", m{"name": "Ann", "phone": "+15550850001", "email": shared})
		_, jon := o.enrol("Ben", m{"name": "Jon", "phone": "+15550850002", "email": shared})
		o.admin("PUT", "guardian/"+jon[0], m{"phone": "+15550850003"}).OK() // which tells Jon by e-mail
		number := o.admin("GET", "student/"+ada, nil).OK().Text("admissionNo")
		o.admin("POST", "student/"+ada+"/erase", m{"confirm": number}).OK()
		n := o.Count(`deliveries WHERE school_id = :school AND to_addr = :to AND status = 'QUEUED'`, db.Args{"to": shared})
		apptest.Eq(t, "e-mails to Jon", n, 1)
	})
}

// TestErasureKeepsCodesOfOthers: a sign-in code stays valid while an account of another school has the phone, and goes with
// the last one.
func TestErasureKeepsCodesOfOthers(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		for phone, want := range map[string]int{o.South.Parent.Phone: 1, "+15550860001": 0} {
			ada, _ := o.enrol("Ada", m{"name": "Pat", "phone": phone})
			o.As(nil, "POST", "/auth/send-otp", m{"phone": phone}).OK()
			number := o.admin("GET", "student/"+ada, nil).OK().Text("admissionNo")
			o.admin("POST", "student/"+ada+"/erase", m{"confirm": number}).OK()
			apptest.Eq(t, "codes of "+phone, o.Count(`otps WHERE phone = :phone AND :school <> ''`, db.Args{"phone": phone}), want)
		}
	})
}
