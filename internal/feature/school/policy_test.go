package school_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPolicy sets what goes by SMS and whom to call in an emergency.
func TestPolicy(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, admin := w.newSchool("ONE")
		_, other := w.newSchool("TWO")
		sent := m{"smsTypes": []any{"ATTENDANCE", "FEE"}, "smsCost": 0.05, "emergencyContacts": []any{
			m{"name": "Head", "phone": "+15550107777", "email": "head@one.test"}, m{"name": "Nurse", "phone": "+15550107778", "email": nil}}}
		w.Call(admin, "PUT", "/school-admin/setting", sent).Is(200)
		w.Call(admin, "PUT", "/school-admin/setting", m{"smsPerDay": 9}).Is(200)
		got := w.Call(admin, "GET", "/school-admin/setting", nil).Is(200).Data
		for k, v := range sent {
			if d := cmp.Diff(v, got[k]); d != "" {
				t.Errorf("%s (-PUT +GET):\n%s", k, d)
			}
		}
		if got["smsPerDay"] != 9.0 {
			t.Errorf("smsPerDay is %v", got["smsPerDay"])
		}
		if d := cmp.Diff([]any{}, w.Call(other, "GET", "/school-admin/setting", nil).Is(200).Data["emergencyContacts"]); d != "" {
			t.Errorf("contacts of another school (-want +got):\n%s", d)
		}
		for field, bad := range map[string]m{
			"smsTypes[0]":                {"smsTypes": []any{"GOSSIP"}},
			"smsTypes[1]":                {"smsTypes": []any{"FEE", "FEE"}},
			"smsCost":                    {"smsCost": 0.055},
			"emergencyContacts[0].phone": {"emergencyContacts": []any{m{"name": "Head"}}},
			"emergencyContacts[0].name":  {"emergencyContacts": []any{m{"phone": "+15550107777"}}},
			"emergencyContacts[0].email": {"emergencyContacts": []any{m{"name": "Head", "phone": "+15550107777", "email": "head"}}},
			"emergencyContacts[1].phone": {"emergencyContacts": []any{m{"name": "A", "phone": "+15550107777"},
				m{"name": "B", "phone": "+1 555 010 7777"}}},
		} {
			if a := w.Call(admin, "PUT", "/school-admin/setting", bad); a.Status != 422 || !a.About(field) {
				t.Errorf("%v: %s", bad, a.Text)
			}
		}
		empty := w.Call(admin, "PUT", "/school-admin/setting", m{"smsTypes": []any{}, "smsCost": 0, "emergencyContacts": []any{}}).Is(200).Data
		if d := cmp.Diff([]any{[]any{}, 0.0, []any{}}, []any{empty["smsTypes"], empty["smsCost"], empty["emergencyContacts"]}); d != "" {
			t.Errorf("emptied (-want +got):\n%s", d)
		}
	})
}
