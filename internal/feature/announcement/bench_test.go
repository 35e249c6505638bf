package announcement_test

import (
	"fmt"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

// BenchmarkPublish publishes over HTTP to a school of 10,000 parents: to ALL with one
// topic, and to PARENTS with one topic per family.
func BenchmarkPublish(b *testing.B) {
	for _, engine := range dbtest.Engines {
		for _, audience := range []string{"ALL", "PARENTS"} {
			b.Run(engine+"/"+audience, func(b *testing.B) {
				url := dbtest.URL(b, engine, schema.FS)
				s := apptest.Open(b, url)
				crowd(b, s, 10_000)
				dbtest.Settle(b, s.DB, url)
				b.ResetTimer()
				for range b.N {
					s.Call(b, s.North.Admin, "POST", admin+"create", m{"title": "T", "body": "B", "audience": audience}).OK()
				}
			})
		}
	}
}

// BenchmarkList lists announcements as a driver and as an administrator, with 40
// announcements that everyone has read.
func BenchmarkList(b *testing.B) {
	for _, engine := range dbtest.Engines {
		s := apptest.Start(b, engine)
		users := crowd(b, s, 10_000)
		type read struct {
			AnnouncementID, UserID id.ID
			ReadAt                 time.Time
		}
		for i := range 40 {
			made := s.Call(b, s.North.Admin, "POST", admin+"create", m{"title": fmt.Sprint(i), "body": "B", "audience": "DRIVERS"}).OK()
			rows := make([]read, len(users))
			for j, u := range users {
				rows[j] = read{id.ID(made.Text("id")), u, s.Now()}
			}
			insert(b, s, `INSERT INTO announcement_reads (school_id, announcement_id, user_id, read_at)
				VALUES (:school, :announcement_id, :user_id, :read_at)`, rows)
		}
		for _, who := range []*apptest.Account{s.North.Driver, s.North.Admin} {
			b.Run(engine+"/"+string(who.Role), func(b *testing.B) {
				for range b.N {
					s.Call(b, who, "GET", "/"+who.Role.Prefix()+"/announcement/list", nil).OK()
				}
			})
		}
	}
}

func insert[T any](b *testing.B, s *apptest.Service, sql string, rows []T) {
	b.Helper()
	if _, err := db.Insert(b.Context(), s.DB.School(s.North.ID), sql, rows); err != nil {
		b.Fatal(err)
	}
}

// crowd adds n parents with a child each to North, and returns their accounts.
func crowd(b *testing.B, s *apptest.Service, n int) []id.ID {
	b.Helper()
	role, err := access.System(b.Context(), s.DB.School(s.North.ID), actor.Parent)
	if err != nil {
		b.Fatal(err)
	}
	type family struct {
		UserID, RoleID, GuardianID, StudentID id.ID
		Name                                  string
		Now                                   time.Time
	}
	rows, users := make([]family, n), make([]id.ID, n)
	for i := range rows {
		rows[i] = family{s.NewID(), role.ID, s.NewID(), s.NewID(), fmt.Sprint("No ", i), s.Now()}
		users[i] = rows[i].UserID
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
	} {
		insert(b, s, sql, rows)
	}
	return users
}
