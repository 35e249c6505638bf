package notify

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// Traces identify the deliveries to or about a person.
type Traces struct {
	Users     []id.ID
	Addresses []string
	About     id.ID // a record whose id is in the data of a message
}

// Blank erases the content of deliveries to or about a person, and their jobs.
// Queued ones are not sent.
func Blank(ctx context.Context, tx *db.Tx, of Traces) error {
	addresses := make([]string, len(of.Addresses))
	for i, a := range of.Addresses {
		addresses[i] = address(a)
	}
	blanked := map[id.ID]bool{}
	err := db.Each(ctx, tx, `
		UPDATE deliveries SET to_addr = '', subject = '', body = '', html = '', data = '{}', provider_answer = NULL,
			status = CASE WHEN status = 'QUEUED' THEN 'FAILED' ELSE status END
		WHERE school_id = :school AND (user_id IN (:users) OR lower(to_addr) IN (:addresses) OR CAST(data AS TEXT) LIKE :about)
		RETURNING id`,
		db.Args{"users": of.Users, "addresses": addresses, "about": db.Contains(string(of.About))}, func(d id.ID) error {
			blanked[d] = true
			return nil
		})
	if err != nil {
		return fmt.Errorf("erase deliveries: %w", err)
	}
	return jobs.ForgetKind(ctx, tx, func(a deliver) bool { return blanked[a.Delivery] })
}
