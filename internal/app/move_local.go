package app

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/portable"
)

// secrets are the columns that are encrypted with the keys of the installation.
func (a *App) secrets() []portable.Local {
	second, hooks, messages := a.services.identity, a.services.webhook, a.Notify
	// The body of a secret message is emptied once it is sent.
	isSealed := func(row func(string) string) bool { return row("sealed") == "true" && row("body") != "" }
	return []portable.Local{
		{Table: "second_factors", Column: "secret",
			Open: func(row func(string) string) (string, error) { return second.OpenSecond(row("secret")) },
			Seal: func(row func(string) string) (string, error) { return second.SealSecond(row("secret")) }},
		{Table: "webhooks", Column: "secret",
			Open: func(row func(string) string) (string, error) { return hooks.OpenSecret(row("secret")) },
			Seal: func(row func(string) string) (string, error) { return hooks.SealSecret(row("secret")) }},
		{Table: "webhooks", Column: "old_secret",
			Open: func(row func(string) string) (string, error) { return hooks.OpenSecret(row("old_secret")) },
			Seal: func(row func(string) string) (string, error) { return hooks.SealSecret(row("old_secret")) }},
		{Table: "deliveries", Column: "body",
			Open: func(row func(string) string) (string, error) {
				if !isSealed(row) {
					return row("body"), nil
				}
				return messages.OpenBody(id.ID(row("id")), row("body"))
			},
			Seal: func(row func(string) string) (string, error) {
				if !isSealed(row) {
					return row("body"), nil
				}
				return messages.SealBody(id.ID(row("id")), row("body"))
			}},
	}
}

// moduleNames has the file name the modules that a role may use: super-administrators add
// some, whose ids are of the installation. A school with a permission on one that is not here
// is refused: an import adds nothing to other schools.
func (a *App) moduleNames(ctx context.Context) (portable.Local, error) {
	type module struct {
		ID   id.ID
		Name string
	}
	all, err := db.All[module](ctx, a.DB.Across(unscoped.Permit{}), `SELECT id, name FROM modules`, nil)
	if err != nil {
		return portable.Local{}, fmt.Errorf("read the modules: %w", err)
	}
	ids, names := map[string]string{}, map[string]string{}
	for _, m := range all {
		ids[m.Name], names[string(m.ID)] = string(m.ID), m.Name
	}
	known := func(in map[string]string) func(func(string) string) (string, error) {
		return func(row func(string) string) (string, error) {
			if out, ok := in[row("module_id")]; ok {
				return out, nil
			}
			return "", fmt.Errorf("there is no module %q here: create it first, as a super-administrator", row("module_id"))
		}
	}
	return portable.Local{Table: "role_permissions", Column: "module_id", Open: known(names), Seal: known(ids)}, nil
}
