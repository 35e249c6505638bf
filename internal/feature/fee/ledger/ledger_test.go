package ledger_test

import (
	"context"
	"testing"
	"time"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// TestOnlyWhatBalancesIsPosted hands Post what does not, which must leave nothing.
func TestOnlyWhatBalancesIsPosted(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			d := dbtest.Open(t, engine, schema.FS)
			school, student := id.New(), id.New()
			for name, fill := range map[string]func(*ledger.Transaction){
				"nothing":    func(*ledger.Transaction) {},
				"one entry":  func(t *ledger.Transaction) { t.Debit(ledger.Student(student), 5) },
				"more debit": func(t *ledger.Transaction) { t.Debit(ledger.Student(student), 5); t.Credit(ledger.Concession(), 4) },
				"both debit": func(t *ledger.Transaction) { t.Debit(ledger.Student(student), 5); t.Debit(ledger.Concession(), 5) },
				"negative":   func(t *ledger.Transaction) { t.Debit(ledger.Student(student), -5); t.Credit(ledger.Concession(), -5) },
				"of nothing": func(t *ledger.Transaction) { t.Debit(ledger.Student(student), 0); t.Credit(ledger.Concession(), 0) },
				"no reversal": func(t *ledger.Transaction) {
					t.Kind = ledger.Reversal
					t.Debit(ledger.Student(student), 5)
					t.Credit(ledger.Concession(), 5)
				},
				"two balances": func(t *ledger.Transaction) { t.Credit(ledger.Cash("CASH"), 7); t.Debit(ledger.Cash("UPI"), 8) },
			} {
				tr := &ledger.Transaction{Kind: ledger.Charge, Date: "2026-11-15", Narration: name}
				fill(tr)
				err := d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
					return ledger.Post(ctx, tx, "", time.Now(), 0, []*ledger.Transaction{tr})
				})
				if err == nil {
					t.Errorf("%s was posted", name)
				}
			}
			n, err := db.One[int](t.Context(), d.School(school), `SELECT COUNT(*) FROM ledger_entries WHERE school_id = :school`, nil)
			if err != nil || n != 0 {
				t.Errorf("%d entries: %v", n, err)
			}
		})
	}
}

func TestMirror(t *testing.T) {
	t.Parallel()
	tr := &ledger.Transaction{Seq: 7, Kind: ledger.Payment, Date: "2026-11-01", Narration: "Receipt 1",
		About: ledger.About{ReceiptID: id.New()}}
	tr.Debit(ledger.Cash("UPI"), 12)
	tr.Credit(ledger.Student("s"), 7)
	tr.Credit(ledger.Advance("s"), 5)
	m := tr.Mirror("2026-11-15", "Reversed")
	sums := map[ledger.Account]money.Money{}
	for _, e := range append(append([]ledger.Entry{}, tr.Entries...), m.Entries...) {
		if e.Side == ledger.DR {
			sums[e.Account] += e.Amount
		} else {
			sums[e.Account] -= e.Amount
		}
	}
	for a, sum := range sums {
		if sum != 0 {
			t.Errorf("balance of %+v after the reversal: %s, want 0", a, sum)
		}
	}
	if len(sums) != 3 || *m.Reverses != 7 || m.Kind != ledger.Reversal || m.About != tr.About || m.Date != "2026-11-15" ||
		m.Narration != "Reversed" {
		t.Errorf("reversal: %+v", m)
	}
	if a := ledger.Cash("CASH"); a.Kind != "CASH" || ledger.Cash("UPI").Kind != "BANK" {
		t.Errorf("account of CASH: %+v, of UPI: %+v", a, ledger.Cash("UPI"))
	}
}
