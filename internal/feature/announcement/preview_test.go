package announcement_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

const previewPath = "/school-admin/announcement/preview"

// TestPreview counts each audience before it is written, as the publication does.
func TestPreview(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, body := range []m{{}, {"audience": "PARENTS"}, {"audience": "TEACHERS"}, {"audience": "DRIVERS"},
			{"audience": "CLASS", "classIds": []string{w.one}}, {"audience": "CLASS", "classIds": []string{w.one, w.two, w.two}},
			{"audience": "DIVISION", "divisionIds": []string{w.oneB}}, {"audience": "DIVISION", "divisionIds": []string{w.oneA, w.twoA}}} {
			before := w.Count(`notifications WHERE school_id = :school`, nil)
			seen := w.Admin("POST", previewPath, body).OK()
			apptest.Eq(t, fmt.Sprint(body, ": written"), w.Count(`announcements WHERE school_id = :school AND title = 'T'`, nil), 0)
			apptest.Eq(t, fmt.Sprint(body, ": notified"), w.Count(`notifications WHERE school_id = :school`, nil), before)
			made := w.write(apptest.With(body, "title", "T"))
			apptest.Eq(t, fmt.Sprint(body, ": accounts"), seen["accounts"], made["audienceCount"])
			w.Admin("DELETE", admin+made.Text("id"), nil)
		}
		w.Audited("announcement.create", 8)
	})
}

// TestPreviewChannels counts by channel, and what the SMS cost.
func TestPreviewChannels(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		noas := m{"audience": "DIVISION", "divisionIds": []string{w.oneB}, "title": "Trip"}
		counts := func(body m) string {
			o := w.Admin("POST", previewPath, body).OK()
			return fmt.Sprintf("%v people, %v push, %v sms in %v, %v mail, %v unreachable, cost %v", o["people"], o["push"], o["sms"], o["smsParts"],
				o["email"], o["unreachable"], o["smsCost"])
		}
		apptest.Eq(t, "a parent without the app", counts(noas), "1 people, 0 push, 1 sms in 1, 0 mail, 0 unreachable, cost <nil>")
		w.Admin("PUT", "/school-admin/setting", m{"smsCost": 0.05}).OK()
		long := apptest.With(noas, "body", strings.Repeat("a", 290))
		apptest.Eq(t, "a long text", counts(long), "1 people, 0 push, 1 sms in 3, 0 mail, 0 unreachable, cost 0.15")
		w.As(w.ofNoa, "POST", "/parent/notification/token", m{"fcmToken": "phone"}).OK()
		apptest.Eq(t, "with the app", counts(noas), "1 people, 1 push, 0 sms in 0, 0 mail, 0 unreachable, cost 0")
		apptest.Eq(t, "urgent", counts(apptest.With(noas, "urgent", true)), "1 people, 1 push, 1 sms in 1, 0 mail, 0 unreachable, cost 0.05")
		w.As(w.ofNoa, "PUT", "/parent/notification/preferences",
			m{"channels": m{"ANNOUNCEMENT": m{"push": false, "sms": false, "email": false}}}).OK()
		apptest.Eq(t, "everything switched off", counts(noas), "1 people, 0 push, 0 sms in 0, 0 mail, 1 unreachable, cost 0")

		guardian := m{"name": "Gran", "relation": "GUARDIAN", "email": "gran@test.test", "canViewData": true}
		w.Admin("POST", "/school-admin/student/"+w.noa+"/guardians", guardian).OK()
		apptest.Eq(t, "accounts of guardians", w.Count(`guardians WHERE school_id = :school AND name = 'Gran' AND user_id IS NULL`, db.Args{}), 1)
		apptest.Eq(t, "and one without an account", counts(noas), "2 people, 0 push, 0 sms in 0, 1 mail, 1 unreachable, cost 0")
	})
}

func TestPreviewMisuse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("POST", previewPath, m{"audience": "CLASS"}).Fields(422, "classIds")
		w.Admin("POST", previewPath, m{"audience": "PARENTS", "classIds": []string{w.one}}).Fields(422, "classIds")
		w.As(w.South.Admin, "POST", previewPath, m{"audience": "CLASS", "classIds": []string{w.one}}).Want(404, "Not Found")
		w.As(w.South.Admin, "POST", previewPath, m{"audience": "DIVISION", "divisionIds": []string{w.oneA}}).Want(404, "Not Found")
		for _, who := range []*apptest.Account{w.ann, w.ofMia, w.North.Driver} {
			w.As(who, "POST", previewPath, m{}).Want(403, "PERMISSION_DENIED")
		}
	})
}
