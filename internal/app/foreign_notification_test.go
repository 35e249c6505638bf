package app_test

import (
	"context"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// notificationProbes are those of the module; see probes.
var notificationProbes = []probe{
	{route: "POST /parent/notification/read", body: m{"notificationId": "$parentNotification"}},
	{route: "POST /teacher/notification/read", body: m{"notificationId": "$teacherNotification"}},
	{route: "POST /driver/notification/read", body: m{"notificationId": "$driverNotification"}},
	{route: "POST /school-admin/notification/read", body: m{"notificationId": "$adminNotification"}},
	{route: "POST /school-admin/notification/deliveries/{id}/retry", path: []string{"$delivery"}}, // which has not failed: 409
	{route: "GET /school-admin/notification/test/{id}", path: []string{"$testMessage"}},
}

// furnishNotification sends a notification to each account of the school.
func furnishNotification(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	var err error
	f["delivery"], err = db.One[id.ID](t.Context(), s.DB.School(at.ID),
		`SELECT id FROM deliveries WHERE school_id = :school ORDER BY id LIMIT 1`, nil)
	if err != nil {
		t.Fatal(err)
	}
	f["testMessage"] = id.ID(s.Call(t, at.Admin, "POST", "/school-admin/notification/test", m{"channel": "email"}).OK().Text("id"))
	n := &notification.Service{DB: s.DB, Out: s.Notify, Now: s.Now, NewID: s.NewID}
	for name, who := range map[string]*apptest.Account{"parent": at.Parent, "teacher": at.Teacher, "driver": at.Driver, "admin": at.Admin} {
		err := s.DB.InSchool(t.Context(), at.ID, func(ctx context.Context, tx *db.Tx) (err error) {
			err = n.Send(ctx, tx, at.ID, []notification.Notice{{Type: notification.Message, Title: text.Plain("Hello"), Users: []id.ID{who.ID}}})
			if err != nil {
				return err
			}
			f[name+"Notification"], err = db.One[id.ID](ctx, tx, `
				SELECT id FROM notifications WHERE school_id = :school AND user_id = :user AND type = 'MESSAGE'`, db.Args{"user": who.ID})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
