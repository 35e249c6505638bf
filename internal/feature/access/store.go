package access

import (
	"context"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

const roleColumns = `id, name, type, is_system, version, created_at, updated_at`

// Get returns a role of q's school, or ErrNoRole.
func Get(ctx context.Context, q db.Q, role id.ID) (Role, error) {
	r, err := db.One[Role](ctx, q, `SELECT `+roleColumns+` FROM roles WHERE school_id = :school AND id = :id`, db.Args{"id": role})
	return r, db.Found("read role", err, ErrNoRole)
}

// System returns the system role of a type of q's school, or ErrNoRole.
func System(ctx context.Context, q db.Q, typ actor.Role) (Role, error) {
	r, err := db.One[Role](ctx, q, `SELECT `+roleColumns+` FROM roles WHERE school_id = :school AND type = :type AND is_system`,
		db.Args{"type": typ})
	return r, db.Found("read role", err, ErrNoRole)
}

func listRoles(ctx context.Context, q db.Q, typ, search string, r page.Request) (page.Of[Role], error) {
	search = db.Contains(fold(search))
	return db.Page[Role](ctx, q, db.List{
		Columns: roleColumns,
		From: `roles WHERE school_id = :school` +
			db.When(typ != "", ` AND type = :type`) +
			db.When(search != "", ` AND search LIKE :search ESCAPE '\'`),
		Sorts:   map[string]string{"name": "search", "type": "type", "createdAt": "created_at"},
		Default: "name",
	}, r, db.Args{"type": typ, "search": search})
}

const insertRole = `
	INSERT INTO roles (school_id, id, name, search, type, is_system, version, created_at, updated_at)
	VALUES (:school, :id, :name, :search, :type, :system, :version, :created, :updated)`

func roleArgs(r Role) db.Args {
	return db.Args{"id": r.ID, "name": r.Name, "search": fold(r.Name), "type": r.Type, "system": r.IsSystem,
		"version": r.Version, "created": r.CreatedAt, "updated": r.UpdatedAt}
}

func putRole(ctx context.Context, tx *db.Tx, r Role) error {
	_, err := db.Exec(ctx, tx, insertRole, roleArgs(r))
	return err
}

// putSystemRole inserts a system role unless one of this type exists.
func putSystemRole(ctx context.Context, tx *db.Tx, r Role) error {
	_, err := db.Exec(ctx, tx, insertRole+` ON CONFLICT (school_id, type) WHERE is_system DO NOTHING`, roleArgs(r))
	return err
}

// updateRole writes the next version of r.
func updateRole(ctx context.Context, tx *db.Tx, r Role) error {
	return db.Update(ctx, tx, `
		UPDATE roles SET name = :name, search = :search, type = :type, version = version + 1, updated_at = :updated
		WHERE school_id = :school AND id = :id AND version = :version`,
		db.Args{"id": r.ID, "name": r.Name, "search": fold(r.Name), "type": r.Type, "updated": r.UpdatedAt, "version": r.Version})
}

func deleteRole(ctx context.Context, tx *db.Tx, role id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM roles WHERE school_id = :school AND id = :id`, db.Args{"id": role})
	return err
}

func listPermissions(ctx context.Context, q db.Q, role id.ID) ([]Permission, error) {
	rows, err := db.All[Permission](ctx, q, `
		SELECT p.id, m.id AS module_id, m.name AS module, m.display_name,
			COALESCE(p.can_read, FALSE) AS can_read, COALESCE(p.can_write, FALSE) AS can_write, COALESCE(p.can_delete, FALSE) AS can_delete
		FROM modules m LEFT JOIN role_permissions p ON p.school_id = :school AND p.role_id = :role AND p.module_id = m.id
		ORDER BY m.id`, db.Args{"role": role})
	for i := range rows {
		rows[i].RoleID = role
	}
	return rows, err
}

// putPermissions upserts permission rows.
func putPermissions(ctx context.Context, tx *db.Tx, rows []Permission) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO role_permissions (school_id, id, role_id, module_id, can_read, can_write, can_delete)
		VALUES (:school, :id, :role_id, :module_id, :can_read, :can_write, :can_delete)
		ON CONFLICT (school_id, role_id, module_id) DO UPDATE
		SET can_read = excluded.can_read, can_write = excluded.can_write, can_delete = excluded.can_delete`, rows)
	return err
}

const moduleColumns = `id, name, display_name, created_at, updated_at`

func listModules(ctx context.Context, q db.Q, search string, r page.Request) (page.Of[Module], error) {
	search = db.Contains(fold(search))
	return db.Page[Module](ctx, q, db.List{
		Columns: moduleColumns,
		From:    `modules` + db.When(search != "", ` WHERE search LIKE :search ESCAPE '\'`),
		Sorts:   map[string]string{"name": "name", "displayName": "display_name", "createdAt": "created_at"},
		Default: "name",
	}, r, db.Args{"search": search})
}

func putModule(ctx context.Context, all *db.Tx, m Module) error {
	_, err := db.Exec(ctx, all, `
		INSERT INTO modules (id, name, display_name, search, created_at, updated_at)
		VALUES (:id, :name, :display, :search, :created, :updated)`,
		db.Args{"id": m.ID, "name": m.Name, "display": m.DisplayName, "search": fold(m.Name + " " + m.DisplayName),
			"created": m.CreatedAt, "updated": m.UpdatedAt})
	return err
}

type administrators struct{ SchoolID, ID id.ID }

// listAdministrators returns every school's system role of administrators, and other
// administrator roles with every permission on all modules except one.
func listAdministrators(ctx context.Context, all *db.Tx, but id.ID) ([]administrators, error) {
	return db.All[administrators](ctx, all, `
		SELECT school_id, id FROM roles r WHERE is_system AND type IN ('SCHOOL_ADMIN', 'SUPER_ADMIN')
			OR type = 'SCHOOL_ADMIN' AND NOT EXISTS (SELECT 1 FROM modules m WHERE m.id <> :but AND NOT EXISTS (
				SELECT 1 FROM role_permissions p WHERE p.school_id = r.school_id AND p.role_id = r.id AND p.module_id = m.id
					AND p.can_read AND p.can_write AND p.can_delete))`, db.Args{"but": but})
}

type granted struct{ SchoolID, ID, RoleID, ModuleID id.ID }

func grantAll(ctx context.Context, all *db.Tx, rows []granted) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := db.Insert(ctx, all, `
		INSERT INTO role_permissions (school_id, id, role_id, module_id, can_read, can_write, can_delete)
		VALUES (:school_id, :id, :role_id, :module_id, TRUE, TRUE, TRUE)`, rows)
	return err
}

// fold lower-cases text for searching: SQLite lower-cases ASCII only.
func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
