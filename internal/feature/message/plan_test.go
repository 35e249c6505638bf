package message_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/access"
	"homeroom/internal/feature/message"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

// crowd is a school in which n parents have each written to the office twice; every
// fourth is unread.
type crowd struct {
	*apptest.Service
	users, threads, messages []id.ID // messages: the last of each thread
}

func newCrowd(t testing.TB, engine string, n int) *crowd {
	t.Helper()
	url := dbtest.URL(t, engine, schema.FS)
	c := &crowd{Service: apptest.Open(t, url)}
	role, err := access.System(t.Context(), c.DB.School(c.North.ID), actor.Parent)
	if err != nil {
		t.Fatal(err)
	}
	type family struct {
		UserID, RoleID, GuardianID, StudentID, PeerID, ThreadID, First, Last id.ID
		Name                                                                 string
		Unread                                                               int
		Now                                                                  time.Time
	}
	rows := make([]family, n)
	for i := range rows {
		rows[i] = family{c.NewID(), role.ID, c.NewID(), c.NewID(), c.North.ID, c.NewID(), c.NewID(), c.NewID(), fmt.Sprint("No ", i), 0, c.Now()}
		if i%4 == 0 {
			rows[i].Unread = 1
		}
		c.users, c.threads, c.messages = append(c.users, rows[i].UserID), append(c.threads, rows[i].ThreadID), append(c.messages, rows[i].Last)
	}
	for _, sql := range []string{
		`INSERT INTO users (school_id, id, role_id, role, name, status, search, created_at, updated_at)
			VALUES (:school, :user_id, :role_id, 'PARENT', :name, 'ACTIVE', :name, :now, :now)`,
		`INSERT INTO guardians (school_id, id, user_id, name, created_at, updated_at)
			VALUES (:school, :guardian_id, :user_id, :name, :now, :now)`,
		`INSERT INTO students (school_id, id, admission_no, first_name, status, search, created_at, updated_at)
			VALUES (:school, :student_id, :name, :name, 'ACTIVE', :name, :now, :now)`,
		`INSERT INTO student_guardians (school_id, student_id, guardian_id, relation, is_primary, can_view_data, can_pick_up, created_at)
			VALUES (:school, :student_id, :guardian_id, 'MOTHER', TRUE, TRUE, TRUE, :now)`,
		`INSERT INTO message_threads (school_id, id, user_id, peer_id, student_id, created_at)
			VALUES (:school, :thread_id, :user_id, :peer_id, :student_id, :now)`,
		`INSERT INTO messages (school_id, id, thread_id, side_id, author_id, body, attachments, read_at, created_at)
			VALUES (:school, :first, :thread_id, :user_id, :user_id, 'Good morning', '[]', :now, :now)`,
		`INSERT INTO messages (school_id, id, thread_id, side_id, author_id, body, attachments, created_at)
			VALUES (:school, :last, :thread_id, :user_id, :user_id, 'Is there school tomorrow?', '[]', :now)`,
		`INSERT INTO message_sides (school_id, thread_id, side_id, user_id, peer_id, student_id, last_message_id, unread, search, created_at)
			VALUES (:school, :thread_id, :user_id, :user_id, :peer_id, :student_id, :last, :unread, :name, :now)`,
		`INSERT INTO message_sides (school_id, thread_id, side_id, user_id, peer_id, student_id, last_message_id, unread, search, created_at)
			VALUES (:school, :thread_id, :peer_id, :user_id, :peer_id, :student_id, :last, :unread, :name, :now)`,
	} {
		if _, err := db.Insert(t.Context(), c.DB.School(c.North.ID), sql, rows); err != nil {
			t.Fatal(err)
		}
	}
	dbtest.Settle(t, c.DB, url)
	return c
}

// TestPlans checks the query plans of a large school's lists: index scans only, no
// table scan or sort.
func TestPlans(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, engine, 3000)
			side := db.Args{"side": c.North.ID}
			talk := db.Args{"thread": c.threads[0], "before": c.messages[0]}
			for _, tt := range []struct {
				name, sql string
				args      db.Args
				index     string
			}{
				{"threads", message.ThreadsSQL, side, "message_sides_newest"},
				{"unread threads", message.UnreadOnlySQL, side, "message_sides_unread"},
				{"how many threads", message.CountThreadsSQL, side, "message_sides"},
				{"what is shown of threads", message.ShownSQL, db.Args{"side": c.North.ID, "ids": c.threads[:20]}, "message_sides"},
				{"the children of recipients", message.ChildrenSQL, db.Args{"ids": c.users[:20]}, "guardians_user"},
				{"how much is unread", message.CountUnreadSQL, side, "message_sides_unread"},
				{"messages", message.MessagesSQL, talk, "messages_thread"},
				{"how many messages", message.CountSQL, db.Args{"thread": c.threads[0]}, "messages_thread"},
			} {
				plan := c.explain(t, tt.sql, tt.args)
				scans := strings.Contains(plan, "Seq Scan on message") || strings.Contains(plan, "SCAN m")
				if tt.name == "how many threads" { // half of the table: PostgreSQL may prefer a full scan
					scans = strings.Contains(plan, "SCAN m")
				}
				if scans || !strings.Contains(plan, tt.index) || strings.Contains(plan, "Sort") || strings.Contains(plan, "TEMP B-TREE") {
					t.Errorf("%s, want %s:\n%s", tt.name, tt.index, plan)
				}
			}
		})
	}
}

// explain returns the query plan of a statement.
func (c *crowd) explain(t *testing.T, sql string, a db.Args) string {
	t.Helper()
	q := c.DB.School(c.North.ID)
	if c.DB.Engine() == "postgres" {
		lines, err := db.All[string](t.Context(), q, `EXPLAIN `+sql, a)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "\n")
	}
	type step struct {
		ID, Parent, Notused int
		Detail              string
	}
	steps, err := db.All[step](t.Context(), q, `EXPLAIN QUERY PLAN `+sql, a)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range steps {
		out = append(out, s.Detail)
	}
	return strings.Join(out, "\n")
}

// BenchmarkThreads lists conversations through HTTP in a school with 10,000 of them.
func BenchmarkThreads(b *testing.B) {
	for _, engine := range dbtest.Engines {
		c := newCrowd(b, engine, 10_000)
		for _, query := range []string{"", "?page=400", "?unread=true", "?search=9999"} {
			b.Run(engine+"/"+query, func(b *testing.B) {
				for range b.N {
					c.Call(b, c.North.Admin, "GET", "/school-admin/message/threads"+query, nil).OK()
				}
			})
		}
		b.Run(engine+"/thread", func(b *testing.B) {
			for range b.N {
				c.Call(b, c.North.Admin, "GET", "/school-admin/message/thread/"+string(c.threads[0]), nil).OK()
			}
		})
		b.Run(engine+"/recipients", func(b *testing.B) {
			for range b.N {
				c.Call(b, c.North.Admin, "GET", "/school-admin/message/recipients", nil).OK()
			}
		})
	}
}

// BenchmarkSend answers through HTTP in that school: message, notification, push and
// audit entry.
func BenchmarkSend(b *testing.B) {
	for _, engine := range dbtest.Engines {
		c := newCrowd(b, engine, 10_000)
		b.Run(engine, func(b *testing.B) {
			for i := range b.N {
				c.Call(b, c.North.Admin, "POST", "/school-admin/message/send", m{"threadId": c.threads[i%len(c.threads)], "body": "Yes."}).OK()
			}
		})
	}
}
