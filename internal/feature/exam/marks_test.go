package exam

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"homeroom/internal/platform/id"
)

func TestMarks(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]string{"0": "0", "42": "42", "42.5": "42.5", "42.50": "42.5", "42.05": "42.05", "0.01": "0.01",
		"100000": "100000",
		"":       "", "-1": "", "1e3": "", "42.125": "", "42.": "", ".5": "", "100000.01": "", "null": "", "99999999999999999999": "", "4 2": "",
		"NaN": ""} {
		m, err := parseMarks(literal)
		if want == "" {
			if err == nil {
				t.Errorf("%q parsed as %s, want an error", literal, m)
			}
			continue
		}
		if err != nil || m.String() != want {
			t.Errorf("%q parsed as %s, want %s: %v", literal, m, want, err)
		}
		var back Marks
		if raw, err := json.Marshal(m); err != nil || json.Unmarshal(raw, &back) != nil || back != m {
			t.Errorf("%q as JSON: %s, %v", literal, back, err)
		}
	}
}

// Percents are exact, rounded half up to two decimals.
func TestPercent(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		most := Marks(1 + r.Int64N(int64(maxMark)*20))
		m := Marks(r.Int64N(int64(most) + 1))
		exact := new(big.Rat).Mul(big.NewRat(int64(m), int64(most)), big.NewRat(int64(hundred), 1))
		half := new(big.Rat).Add(exact, big.NewRat(1, 2))
		want := new(big.Int).Quo(half.Num(), half.Denom())
		if got := percent(m, most); int64(got) != want.Int64() {
			t.Fatalf("%s of %s is %s %%, want %s", m, most, got, want)
		}
	}
	if percent(5, 0) != 0 || mean(5, 0) != 0 || mean(100+101, 2) != 101 {
		t.Error("percent of 0, or mean of 0 or of an odd sum, is wrong")
	}
}

// FuzzRanks checks the definition of a rank: one plus the number of better students.
func FuzzRanks(f *testing.F) {
	f.Add([]byte{50, 50, 40, 90, 0})
	f.Fuzz(func(t *testing.T, scores []byte) {
		paper := Paper{ID: "p", ClassID: "c", MaxMarks: 255}
		var marks []mark
		for i, s := range scores {
			m := mark{PaperID: "p", StudentID: idOf(i), ClassID: "c", Marks: new(Marks(s)), Outcome: Scored}
			if s == 0 {
				m.Marks, m.Outcome = nil, Absent
			}
			marks = append(marks, m)
		}
		for _, st := range computeStandings(nil, []Paper{paper}, marks, nil) {
			mine := st.lines[0]
			if mine.Outcome == Absent {
				if st.total.RankInClass != nil || *st.total.Percent != 0 {
					t.Fatalf("who was absent has rank %d", *st.total.RankInClass)
				}
				continue
			}
			better := 0
			for _, s := range scores {
				if s != 0 && percent(Marks(s), 255) > *mine.Percent {
					better++
				}
			}
			if *st.total.RankInClass != better+1 || *st.total.RankInDivision != better+1 {
				t.Fatalf("%v: %s has rank %d, and %d are better", scores, mine.Marks, *st.total.RankInClass, better)
			}
		}
	})
}

func idOf(i int) id.ID { return id.ID(fmt.Sprint("student ", i)) }
