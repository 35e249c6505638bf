package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"homeroom/internal/platform/fault"
)

// Admin is a super-administrator to create.
type Admin struct {
	Email    string
	Name     string
	Password Secret
}

// CreateAdmin creates a super-administrator: on an empty database, the first
// account. The service may be running.
func CreateAdmin(ctx context.Context, s Store, log *slog.Logger, who Admin) error {
	c := Default()
	c.Store = s
	a, err := New(ctx, c, Deps{Log: log})
	if err != nil {
		return err
	}
	if err := a.refuseDemo(ctx); err != nil {
		return errors.Join(err, a.Close())
	}
	_, err = a.services.identity.CreateSuperAdmin(ctx, who.Name, who.Email, string(who.Password))
	return errors.Join(plainError(err), a.Close())
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
	return errors.Join(plainError(err), a.Close())
}

// plainError formats a fault for the terminal: message and field errors,
// without code and cause.
func plainError(err error) error {
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
