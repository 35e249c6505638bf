package notification

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Office sends a notice to the administrators who have a permission, such as
// "leave.write", except the caller: a log entry, a push to their devices, and an e-mail
// or SMS by preferences and policy. An urgent one goes by SMS and e-mail at once, also
// to the school's emergency contacts.
func (s *Service) Office(ctx context.Context, tx *db.Tx, who actor.Actor, permission string, n Notice) error {
	users, err := OfficeUsers(ctx, tx, permission)
	if err != nil {
		return err
	}
	n.Users = slices.DeleteFunc(users, func(u id.ID) bool { return u == who.User })
	n.Devices, n.office = true, permission
	return fault.Wrap("notify the office", s.Send(ctx, tx, who.School, []Notice{n}))
}

// OfficeUsers returns the active administrators who have a permission.
func OfficeUsers(ctx context.Context, q db.Q, permission string) ([]id.ID, error) {
	module, verb, _ := strings.Cut(permission, ".")
	column, ok := map[string]string{"read": "can_read", "write": "can_write", "delete": "can_delete"}[verb]
	if !ok {
		return nil, fmt.Errorf("%q is not a permission", permission)
	}
	users, err := db.All[id.ID](ctx, q, `
		SELECT u.id FROM users u
		JOIN role_permissions g ON g.school_id = u.school_id AND g.role_id = u.role_id AND g.`+column+`
		JOIN modules o ON o.id = g.module_id AND o.name = :module
		WHERE u.school_id = :school AND u.role = 'SCHOOL_ADMIN' AND u.status = 'ACTIVE' ORDER BY u.id`, db.Args{"module": module})
	if err != nil {
		return nil, fmt.Errorf("find administrators with %s: %w", permission, err)
	}
	return users, nil
}
