package notification_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/schema"
)

// tables reads every row of every table, as lower-case text, by table.
func (w *world) tables() map[string]string {
	w.Helper()
	all := w.DB.Across(unscoped.Permit{})
	list := `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`
	if w.DB.Engine() == "postgres" {
		list = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`
	}
	read := func(sql string, a db.Args) []string {
		rows, err := db.All[string](w.Context(), all, sql, a)
		if err != nil {
			w.Fatal(err)
		}
		return rows
	}
	out := map[string]string{}
	for _, table := range read(list, nil) {
		if table == "schema_migrations" {
			continue // the first is a trigram index
		}
		row := `CAST(t AS TEXT)`
		if w.DB.Engine() == "sqlite" {
			columns := read(`SELECT name FROM pragma_table_info(:t)`, db.Args{"t": table})
			row = `'' || COALESCE(` + strings.Join(columns, `, '') || ' ' || COALESCE(`) + `, '')`
		}
		out[table] = strings.ToLower(strings.Join(read(`SELECT `+row+` FROM `+table+` t`, nil), "\n"))
	}
	return out
}

// personal is all data that identifies the family.
var personal = []string{"aurelia", "quixotania", "2011-11-11", "zebra street", "+1555777", "aurelia@example.org", "zorro", "aury", "gluten",
	"bartholomew", "bart@example.org", "bart's tablet", "10.9.8.7", "token of bart", "sneezes", "windmills", "dapple"}

// TestErasedEverywhere runs every notifying operation for one family, with failed and
// waiting messages, erases the child and searches all tables.
func TestErasedEverywhere(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := dbtest.URL(t, engine, schema.FS)
			w := newWorld(apptest.Open(t, url, func(c *app.Config) { c.RateSocket = 0 }).World(t))
			w.family()
			p := w.speak()
			for _, op := range w.operations() {
				op.do()
			}
			w.traces(p)
			before := w.tables()
			for _, word := range personal {
				if !slices.ContainsFunc(mapValues(before), func(text string) bool { return strings.Contains(text, word) }) {
					t.Errorf("%s is nowhere, so that it proves nothing", word)
				}
			}
			w.Admin("POST", "/school-admin/student/"+w.mia+"/erase", m{"confirm": "ERASE-1"}).OK()
			for table, text := range w.tables() {
				for _, word := range personal {
					if i := strings.Index(text, word); i >= 0 {
						t.Errorf("%s: %s is still there: %s", table, word, text[max(0, i-150):min(len(text), i+150)])
					}
				}
			}
			if after := w.tables()["students"]; !strings.Contains(after, "erase-1") {
				t.Error("the admission number is gone: the one thing that stays")
			}
			p.say(nil)
			p.took = nil
			w.Clock.Add(24 * time.Hour)
			w.Drain()
			for _, m := range p.took {
				if m.To == "" || m.To == "+15557770003" || m.To == "token of bart" {
					t.Errorf("after all was forgotten %+v was sent", m)
				}
			}
			if engine == "sqlite" {
				w.bytes(strings.TrimPrefix(url, "sqlite:"))
			}
		})
	}
}

func mapValues(of map[string]string) (out []string) {
	for _, v := range of {
		out = append(out, v)
	}
	return out
}

// family puts one whose names are nobody else's into Mia's place.
func (w *world) family() {
	w.Helper()
	bart := m{"name": "Bartholomew", "phone": "+15557770003", "email": "bart@example.org"}
	w.mia = w.Make("student/create", m{"admissionNo": "ERASE-1", "firstName": "Aurelia", "lastName": "Quixotania", "dateOfBirth": "2011-11-11",
		"classId": w.class, "divisionId": w.a, "address": "77 Zebra Street", "phone": "+15557770001", "email": "aurelia@example.org",
		"medicalNotes":      "Gluten",
		"emergencyContacts": list{m{"name": "Zorro", "phone": "+15557770002", "relation": "UNCLE"}}, "customFields": m{"nickname": "Aury"},
		"guardians": list{bart, m{"name": "Pat", "phone": w.North.Parent.Phone}}})
	user := w.All(`SELECT user_id FROM guardians WHERE school_id = :school AND name = 'Bartholomew'`, nil)[0]
	w.una = &apptest.Account{ID: id.ID(user), School: w.North.ID, Role: actor.Parent, Phone: "+15557770003"}
	w.SignIn(w.TB, w.una)
	_, err := db.Exec(w.Context(), w.DB.School(w.North.ID), `UPDATE sessions SET device = 'Bart''s tablet', ip = '10.9.8.7'
		WHERE school_id = :school AND user_id = :user`,
		db.Args{"user": w.una.ID})
	if err != nil {
		w.Fatal(err)
	}
	w.Admin("PUT", "/school-admin/setting", m{"pushDetails": true}).OK()
}

// traces leaves what else may name them: a device, a sign-in, an answer that is
// kept, a message to a teacher, and what failed or waits.
func (w *world) traces(p *mouth) {
	w.Helper()
	w.Drain()
	w.As(w.una, "POST", path(w.una, "token"), m{"fcmToken": "token of bart"}).OK()
	w.As(w.North.Teacher, "POST", path(w.North.Teacher, "token"), m{"fcmToken": "ann"}).OK()
	w.As(nil, "POST", "/parent/user-auth/send-otp", m{"phone": w.una.Phone}).OK()
	w.As(w.una, "POST", "/parent/message/send", m{"recipientId": w.North.ID, "body": "My Dapple sneezes"}, "Idempotency-Key", "k1").OK()
	w.As(w.una, "POST", "/parent/message/send", m{"recipientId": w.North.Teacher.ID, "studentId": w.mia, "body": "Dapple sneezes"},
		"Idempotency-Key", "k2").OK()
	w.As(w.North.Teacher, "POST", "/teacher/message/send", m{"recipientId": w.una.ID, "studentId": w.mia, "body": "Windmills"}).OK()
	w.mark("LATE", "remark", "Sneezes")
	p.say(errors.New("no route to +15557770003, said of: Aurelia Quixotania"))
	w.Drain()
	p.say(jobs.Permanent(errors.New("bart@example.org of Bartholomew is no address")))
	w.In(func(ctx context.Context, tx *db.Tx) error {
		return w.Notify.SendAll(ctx, tx, w.North.ID, []notify.Message{
			{Channel: notify.SMS, To: "+1 555 777 0003", Body: "Hello Bartholomew", At: w.Now().Add(time.Hour)},
			{Channel: notify.Email, To: "Bart@example.org", Body: "Hello Bartholomew"},
		})
	})
	w.Drain()
}

// bytes searches the database files.
func (w *world) bytes(file string) {
	w.Helper()
	if err := w.Close(); err != nil { // checkpoints the WAL
		w.Fatal(err)
	}
	for _, name := range []string{file, file + "-wal"} {
		raw, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) && name != file {
			continue
		}
		if err != nil {
			w.Fatal(err)
		}
		raw = bytes.ToLower(raw)
		for _, word := range personal {
			if n := bytes.Count(raw, []byte(word)); n > 0 {
				i := bytes.Index(raw, []byte(word))
				w.Errorf("%s has %s %d times: %q", name, word, n, raw[max(0, i-60):min(len(raw), i+60)])
			}
		}
	}
}
