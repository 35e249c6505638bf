package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"homeroom/internal/platform/fault"
)

// Admin is a super-administrator to be.
type Admin struct {
	Email    string
	Name     string
	Password Secret
}

// CreateAdmin makes a super-administrator, on an empty database the first
// account of all. It may be done while the service runs.
func CreateAdmin(ctx context.Context, s Store, log *slog.Logger, who Admin) error {
	c := Default()
	c.Store = s
	a, err := New(ctx, c, Deps{Log: log})
	if err != nil {
		return err
	}
	if err := a.servable(ctx); err != nil { // the demo is no place for real people
		return errors.Join(err, a.Close())
	}
	_, err = a.services.identity.CreateSuperAdmin(ctx, who.Name, who.Email, string(who.Password))
	return errors.Join(forPeople(err), a.Close())
}

// RemoveSecondFactor lets a super-administrator sign in without one.
func RemoveSecondFactor(ctx context.Context, s Store, log *slog.Logger, email string) error {
	c := Default()
	c.Store = s
	a, err := New(ctx, c, Deps{Log: log})
	if err != nil {
		return err
	}
	err = a.services.identity.RemoveSecondFactor(ctx, strings.ToLower(strings.TrimSpace(email)))
	return errors.Join(forPeople(err), a.Close())
}

// forPeople is a fault as a command says it: what is wrong, and not how the
// service came to know.
func forPeople(err error) error {
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		return err
	}
	text := strings.TrimSuffix(f.Message, " See details.")
	for _, field := range f.Fields {
		text += fmt.Sprintf("\n  %s %s", field.Field, field.Message)
	}
	return errors.New(text)
}
