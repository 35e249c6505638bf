package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Statuses are numbers in the bare server's tables, and days are as 20261116.
var bareStatus = []string{"", "PRESENT", "ABSENT", "LATE"}

func statusNo(name string) int64 {
	for i, s := range bareStatus {
		if s == name {
			return int64(i)
		}
	}
	return 0
}

func dayNo(date string) (int64, error) {
	return strconv.ParseInt(strings.ReplaceAll(date, "-", ""), 10, 64)
}

func dayText(n int64) string {
	s := strconv.FormatInt(n, 10)
	return s[:4] + "-" + s[4:6] + "-" + s[6:]
}

// sheetIn is the attendance of a division on one day.
type sheetIn struct {
	DivisionID int64 `json:",string"`
	Date       string
	Records    []struct {
		StudentID int64 `json:",string"`
		Status    string
	}
}

type sheetOut struct {
	Marked    int `json:"marked"`
	Created   int `json:"created"`
	Unchanged int `json:"unchanged"`
}

// columns returns the students and statuses of a sheet.
func (in sheetIn) columns() (day int64, students, statuses []int64, err error) {
	day, err = dayNo(in.Date)
	students, statuses = make([]int64, len(in.Records)), make([]int64, len(in.Records))
	for i, r := range in.Records {
		if students[i], statuses[i] = r.StudentID, statusNo(r.Status); statuses[i] == 0 {
			return 0, nil, nil, fmt.Errorf("no status %q", r.Status)
		}
	}
	return day, students, statuses, err
}

func (b bareServer) marks(school int64, r *http.Request) (any, error) {
	var in struct{ Data sheetIn }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	out, err := b.mark(school, in.Data)
	if err == nil && out.Marked != len(in.Data.Records) {
		err = errNoRow // a student of another division
	}
	return out, err
}

type bareTally struct {
	Present int `json:"present"`
	Absent  int `json:"absent"`
	Late    int `json:"late"`
}

func (t *bareTally) add(status int64) {
	switch bareStatus[status] {
	case "PRESENT":
		t.Present++
	case "ABSENT":
		t.Absent++
	case "LATE":
		t.Late++
	}
}

// bareLine is a student in a month; Statuses are those of the month's days.
type bareLine struct {
	ID          int64     `json:"id"`
	AdmissionNo string    `json:"admissionNo"`
	FirstName   string    `json:"firstName"`
	LastName    string    `json:"lastName"`
	RollNo      int       `json:"rollNo"`
	Statuses    []string  `json:"statuses"`
	Totals      bareTally `json:"totals"`
}

type bareMonth struct {
	Days     []string   `json:"days"`
	Students []bareLine `json:"students"`
	Totals   bareTally  `json:"totals"`
}

func (b bareServer) month(school int64, r *http.Request) (any, error) {
	q := r.URL.Query()
	division, err := strconv.ParseInt(q.Get("divisionId"), 10, 64)
	if err != nil {
		return nil, err
	}
	first, err := dayNo(q.Get("month") + "-00")
	if err != nil {
		return nil, err
	}
	var out bareMonth
	at := map[int64]int{}
	err = b.query(`SELECT id, admission_no, first_name, last_name, roll_no FROM students WHERE division_id = $1 AND school_id = $2
		ORDER BY roll_no`, []any{division, school}, func(scan func(...any) error) error {
		var l bareLine
		err := scan(&l.ID, &l.AdmissionNo, &l.FirstName, &l.LastName, &l.RollNo)
		at[l.ID], out.Students = len(out.Students), append(out.Students, l)
		return err
	})
	if err != nil || len(out.Students) == 0 {
		return out, err
	}
	var last, day, student, status int64
	err = b.query(`SELECT day, student_id, status FROM marks WHERE division_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day, student_id`,
		[]any{division, first, first + 31}, func(scan func(...any) error) error {
			if err := scan(&day, &student, &status); err != nil {
				return err
			}
			if day != last {
				last, out.Days = day, append(out.Days, dayText(day))
			}
			i, ok := at[student]
			if !ok { // has left the division
				return nil
			}
			line := &out.Students[i]
			for len(line.Statuses) < len(out.Days)-1 {
				line.Statuses = append(line.Statuses, "") // not marked
			}
			line.Statuses = append(line.Statuses, bareStatus[status])
			line.Totals.add(status)
			out.Totals.add(status)
			return nil
		})
	return out, err
}

type bareEntry struct {
	Date      string  `json:"date"`
	Type      string  `json:"type"`
	Amount    float64 `json:"amount"`
	Narration string  `json:"narration"`
	Balance   float64 `json:"balance"`
}

type bareStatement struct {
	Student bareStudent `json:"student"`
	Entries []bareEntry `json:"entries"`
	Totals  struct {
		Charged float64 `json:"charged"`
		Paid    float64 `json:"paid"`
		Due     float64 `json:"due"`
	} `json:"totals"`
}

func (b bareServer) statement(school int64, r *http.Request) (any, error) {
	student, err := b.student(school, r)
	if err != nil {
		return nil, err
	}
	out := bareStatement{Student: student.(bareStudent), Entries: make([]bareEntry, 0, 2*peerCharges)}
	var charged, paid, day, amount int64 // in cents; the amount of a payment is negative
	err = b.query(`SELECT day, amount, narration FROM entries WHERE student_id = $1 ORDER BY no`, []any{out.Student.ID},
		func(scan func(...any) error) error {
			e := bareEntry{Type: "DR"}
			if err := scan(&day, &amount, &e.Narration); err != nil {
				return err
			}
			if amount < 0 {
				e.Type, amount = "CR", -amount
				paid += amount
			} else {
				charged += amount
			}
			e.Date, e.Amount, e.Balance = dayText(day), float64(amount)/100, float64(charged-paid)/100
			out.Entries = append(out.Entries, e)
			return nil
		})
	out.Totals.Charged, out.Totals.Paid, out.Totals.Due = float64(charged)/100, float64(paid)/100, float64(charged-paid)/100
	return out, err
}
