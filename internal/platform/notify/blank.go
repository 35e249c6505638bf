package notify

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Traces is what tells that a delivery was to or about someone.
type Traces struct {
	Users     []id.ID
	Addresses []string
	About     id.ID // a record that the data of a message name
}

// Blank forgets what was sent to or about someone. What is still waiting is not
// sent any more.
func Blank(ctx context.Context, tx *db.Tx, of Traces) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE deliveries SET to_addr = '', subject = '', body = '', html = '', data = '{}', provider_answer = NULL,
			status = CASE WHEN status = 'QUEUED' THEN 'FAILED' ELSE status END
		WHERE school_id = :school AND (user_id IN (:users) OR to_addr IN (:addresses) OR CAST(data AS TEXT) LIKE :about)`,
		db.Args{"users": of.Users, "addresses": of.Addresses, "about": db.Contains(string(of.About))})
	if err != nil {
		return fmt.Errorf("blank what was sent: %w", err)
	}
	return nil
}
