package app

import (
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/fee/feetest"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// checkFees checks that the ledger balances, has every kind of record, and has
// nothing dated in the future.
func checkFees(t *testing.T, s demoServices, at id.ID, p demoPlan) {
	t.Helper()
	q, today := s.DB.School(at), clock.DateIn(s.Now(), p.zone)
	broken, err := feetest.Check(t.Context(), q)
	if err != nil || len(broken) > 0 {
		t.Fatalf("%s: ledger check: %v %v", p.code, broken, err)
	}
	days := strings.NewReplacer(":today", "'"+string(today)+"'", ":first", "'"+string(p.yearStart(today))+"'")
	for table, want := range map[string][2]int{ // at least and at most
		"fee_structures": {5, 5}, "fee_heads WHERE system = ''": {3, 3}, "fee_options": {3, 20},
		"fee_accounts": {30, 30}, "fee_accounts WHERE due = 0": {demoAhead, demoAhead},
		"fee_concessions WHERE given > 0 AND status = 'ACTIVE'": {1, 1},
		"fee_receipts":                                                    {20, 40},
		"fee_receipts WHERE status = 'REVERSED'":                          {1, 1},
		"fee_receipts WHERE (date < :first OR date > :today)":             {0, 0},
		"fee_receipts WHERE (reversed_on < date OR reversed_on > :today)": {0, 0},
		"fee_charges":                                                           {60, 120},
		"fee_charges WHERE status = 'PAID'":                                     {2 * demoAhead, 100},
		"fee_charges WHERE status = 'PARTIAL'":                                  {1, 2},
		"fee_charges WHERE (charged_on < :first OR charged_on > :today)":        {0, 0},
		"fee_charges WHERE fine_of IS NOT NULL":                                 {0, 4},
		"fee_charges WHERE due_date < charged_on":                               {0, 0},
		"fee_charges WHERE status IN ('OPEN', 'PARTIAL') AND due_date < :today": {0, 14},
		"deliveries WHERE to_addr LIKE '%\\_fee' ESCAPE '\\'":                   {30, 30},
	} {
		if n := one[int](t, q, `SELECT COUNT(*) FROM `+where(days.Replace(table))+` school_id = :school`, nil); n < want[0] || n > want[1] {
			t.Errorf("%s on %s: %d %s, want %d to %d", p.code, today, n, table, want[0], want[1])
		}
	}
	checkFamilyFees(t, s, q, p)
}

// checkFamilyFees checks that the demo parent has one receipt for both children,
// a concession for one, and dues for both.
func checkFamilyFees(t *testing.T, s demoServices, q db.Q, p demoPlan) {
	t.Helper()
	parent, err := s.Identity.FindByPhone(t.Context(), q, actor.Parent, p.parent())
	if err != nil {
		t.Fatal(err)
	}
	children, err := people.ChildrenOf(t.Context(), q, parent)
	if err != nil {
		t.Fatal(err)
	}
	a := db.Args{"children": children}
	for what, sql := range map[string]string{
		"receipts for both": `SELECT COUNT(*) FROM (
			SELECT receipt_id FROM fee_receipt_lines WHERE school_id = :school AND student_id IN (:children)
			GROUP BY receipt_id HAVING COUNT(*) = 2) AS both_children`,
		"concessions": `SELECT COUNT(*) FROM fee_concessions WHERE school_id = :school AND student_id IN (:children)`,
	} {
		if n := one[int](t, q, sql, a); n != 1 {
			t.Errorf("%s: %d %s, want 1", p.code, n, what)
		}
	}
	n := one[int](t, q, `SELECT COUNT(*) FROM fee_accounts WHERE school_id = :school AND student_id IN (:children) AND due > 0`, a)
	if n != 2 {
		t.Errorf("%s: fees are due for %d children of the demo parent, want 2", p.code, n)
	}
}

// TestDemoPaymentDays checks every day of two years: no payment before the first
// charge or in the future, some in the last days, and none so late that it is fined.
func TestDemoPaymentDays(t *testing.T) {
	t.Parallel()
	pupils := make([]demoPupil, 2*demoSeats)
	divisions := make([]academics.Division, demoGrades*demoDivisions)
	for i := range divisions {
		divisions[i].ID = id.New()
	}
	for i := range pupils {
		pupils[i] = demoPupil{ID: id.New(), DivisionID: divisions[demoHome].ID, Own: i < 2, pays: 100_00}
	}
	for _, p := range demoPlans() {
		for today := clock.Date("2026-01-01"); today < "2028-03-02"; today = today.AddDays(1) {
			m := &demoMaker{demoPlan: p, rand: p.random(), today: today, first: p.yearStart(today), divisions: divisions}
			b := demoLedger{demoMaker: m, demoPrices: p.prices(), months: feeMonths(m.first, today), pupils: pupils}
			if b.months[0] < m.first || len(b.months) > 2 || !slices.IsSorted(b.months) {
				t.Fatalf("%s on %s: %v", p.code, today, b.months)
			}
			list := b.payments()
			if n := len(list); n < 20 || n > 40 || list[0].day < b.months[0] || list[n-1].day > today || list[n-1].day < today.AddDays(-8) {
				t.Fatalf("%s on %s: %d payments from %s to %s", p.code, today, n, list[0].day, list[n-1].day)
			}
			for _, pay := range list {
				month := b.months[0]
				if this := b.months[len(b.months)-1]; pay.day >= this {
					month = this
				}
				if pay.day >= month.AddDays(demoDueDay+demoGrace) {
					t.Fatalf("%s on %s: %s is so late that the month is fined", p.code, today, pay.day)
				}
			}
		}
	}
}
