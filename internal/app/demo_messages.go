package app

import (
	"context"
	"fmt"

	"homeroom/internal/feature/message"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// addMessages adds messages between the demo's parent, teacher and office. Each
// has an unread one.
func (m *demoMaker) addMessages(ctx context.Context, tx *db.Tx, admin id.ID) error {
	parent, err := m.Identity.FindByPhone(ctx, tx, actor.Parent, m.parent())
	if err != nil {
		return err
	}
	teacher, err := m.Identity.FindByPhone(ctx, tx, actor.Teacher, m.teacher())
	if err != nil {
		return err
	}
	home, err := m.readHome(ctx, tx)
	if err != nil {
		return err
	}
	office := m.who.School
	for _, said := range []struct {
		role     actor.Role
		from, to id.ID
		about    *id.ID
		body     string
	}{
		{actor.Parent, parent, teacher, &home.child, "Good morning! Is there anything to prepare for the excursion?"},
		{actor.Teacher, teacher, parent, &home.child, "Good morning. A packed lunch and a rain jacket, and that is all."},
		{actor.Parent, parent, teacher, &home.child, "Thank you!"},
		{actor.Parent, parent, office, nil, "We move next month. Where do I send our new address?"},
		{actor.SchoolAdmin, admin, parent, nil, "Just write it here, and we will enter it for both children."},
		{actor.Teacher, teacher, office, nil, "The projector in our room does not switch on."},
	} {
		who := m.who
		who.User, who.Role = said.from, said.role
		if _, err := m.Messages.Send(ctx, who, message.New{RecipientID: &said.to, StudentID: said.about, Body: said.body}); err != nil {
			return fmt.Errorf("add messages: %w", err)
		}
	}
	return nil
}
