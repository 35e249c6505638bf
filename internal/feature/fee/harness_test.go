package fee_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/fee/feetest"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = apptest.M
	list = apptest.List
)

const at = "/school-admin/fee/"

// world is North with two classes and three students, two of them the parent's
// children; South has a student of its own.
type world struct {
	*apptest.World
	year               string
	one, two           string // classes
	ann, ben, cyd      string // ann and ben are siblings in class one, cyd sits in class two
	farClass, farChild string
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	apptest.Worlds(t, newWorld, func(t *testing.T, w *world) {
		test(t, w)
		w.checkBooks()
	})
}

func newWorld(base *apptest.World) *world {
	base.Helper()
	w := &world{World: base}
	w.year = w.get("/school-admin/academic-year/list").Items()[0].Text("id")
	w.one, w.two = w.Make("class/create", m{"name": "One"}), w.Make("class/create", m{"name": "Two"})
	parent := list{m{"name": "Pat", "relation": "MOTHER", "phone": w.North.Parent.Phone, "email": "pat@example.org", "canViewData": true}}
	w.ann = w.Make("student/create", m{"firstName": "Ann", "lastName": "Lee", "admissionNo": "A1", "classId": w.one, "guardians": parent})
	w.ben = w.Make("student/create", m{"firstName": "Ben", "lastName": "Lee", "admissionNo": "A2", "classId": w.one, "guardians": parent})
	w.cyd = w.Make("student/create", m{"firstName": "Cyd", "admissionNo": "A3", "classId": w.two,
		"guardians": list{m{"name": "Kim", "relation": "FATHER", "phone": "+15550199999"}}})
	w.farClass = w.As(w.South.Admin, "POST", "/school-admin/class/create", m{"name": "One"}).OK().Text("id")
	w.farChild = w.As(w.South.Admin, "POST", "/school-admin/student/create", m{"firstName": "Far", "classId": w.farClass}).OK().Text("id")
	return w
}

// post calls a route of fees as the administrator.
func (w *world) post(path string, body m, headers ...string) apptest.Reply {
	w.Helper()
	return w.Admin("POST", at+path, body, headers...)
}

func (w *world) get(path string) apptest.Object {
	w.Helper()
	if !strings.HasPrefix(path, "/") {
		path = at + path
	}
	return w.Admin("GET", path, nil).OK()
}

func (w *world) parent(path string) apptest.Reply {
	w.Helper()
	return w.As(w.North.Parent, "GET", "/parent/fee/"+path, nil)
}

// charge charges by hand and returns the charge's id.
func (w *world) charge(student, name, amount string, due ...string) string {
	w.Helper()
	body := m{"studentId": student, "name": name, "amount": json.Number(amount)}
	if len(due) > 0 {
		body["dueDate"] = due[0]
	}
	return w.post("charge/create", body).OK().Text("id")
}

// pay records a payment and returns the receipt.
func (w *world) pay(student, amount string, more ...any) apptest.Object {
	w.Helper()
	body := m{"studentId": student, "amount": json.Number(amount), "method": "CASH"}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return w.post("collection/record", body).OK()
}

func (w *world) month(n int) string {
	now := w.Now()
	return time.Date(now.Year(), now.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
}

// totals are those of a student's statement, as text: "charged 100 paid 0 …".
func (w *world) totals(student string) string {
	w.Helper()
	t := w.get("report/" + student)["totals"].(map[string]any)
	return fmt.Sprintf("charged %v paid %v concession %v fine %v due %v advance %v",
		t["charged"], t["paid"], t["concession"], t["fine"], t["due"], t["advance"])
}

func (w *world) wantTotals(student, want string) {
	w.Helper()
	apptest.Eq(w, "totals", w.totals(student), want)
}

// status is a charge's status and due amount.
func (w *world) status(charge string) string {
	w.Helper()
	c := w.get("charge/" + charge)
	return fmt.Sprintf("%v %v", c["status"], c["due"])
}

func (w *world) wantStatus(charge, want string) {
	w.Helper()
	apptest.Eq(w, "charge", w.status(charge), want)
}

// checkBooks checks the ledgers of both schools and every statement of North.
func (w *world) checkBooks() {
	w.Helper()
	for _, school := range []id.ID{w.North.ID, w.South.ID} {
		broken, err := feetest.Check(w.Context(), w.DB.School(school))
		if err != nil || len(broken) > 0 {
			w.Errorf("check of the ledger: %v, broken rules %q", err, broken)
		}
	}
	for _, student := range []string{w.ann, w.ben, w.cyd} {
		r := w.Admin("GET", at+"report/"+student, nil)
		if r.Status == 404 {
			continue // archived by the test
		}
		if err := feetest.Statement(exact(w, r)); err != nil {
			w.Errorf("the statement of %s: %v", student, err)
		}
	}
}

// exact decodes the data object of a reply, with numbers as json.Number.
func exact(t testing.TB, r apptest.Reply) m {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(r.Body)))
	dec.UseNumber()
	var v struct{ Data m }
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v.Data
}
