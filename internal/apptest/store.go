package apptest

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// In runs fn in a transaction of the school.
func (w *World) In(fn func(ctx context.Context, tx *db.Tx) error) {
	w.Helper()
	if err := w.DB.InSchool(w.Context(), w.North.ID, fn); err != nil {
		w.Fatal(err)
	}
}

// Exec runs a statement.
func (w *World) Exec(sql string, a db.Args) {
	w.Helper()
	if _, err := db.Exec(w.Context(), w.DB.School(w.North.ID), sql, a); err != nil {
		w.Fatal(err)
	}
}

// One reads one string.
func (w *World) One(sql string, a db.Args) string {
	w.Helper()
	return Value[string](w, sql, a)
}

// All reads one string per row.
func (w *World) All(sql string, a db.Args) []string {
	w.Helper()
	list, err := db.All[string](w.Context(), w.DB.School(w.North.ID), sql, a)
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// Count counts the rows of a table, from being what follows FROM.
func (w *World) Count(from string, a db.Args) int {
	w.Helper()
	return Value[int](w, `SELECT COUNT(*) FROM `+from, a)
}

// Value reads one value.
func Value[T any](w *World, sql string, a db.Args) T {
	w.Helper()
	v, err := db.One[T](w.Context(), w.DB.School(w.North.ID), sql, a)
	if err != nil {
		w.Fatal(err)
	}
	return v
}

// Audited checks the number of entries for an action in the audit log.
func (w *World) Audited(action string, want int) {
	w.Helper()
	Eq(w, "audit entries "+action, w.Count(`audit_log WHERE school_id = :school AND action = :action`, db.Args{"action": action}), want)
}

// Role returns the id of the system role of a type.
func (w *World) Role(of actor.Role) string {
	w.Helper()
	return w.One(`SELECT id FROM roles WHERE school_id = :school AND type = :type AND is_system`, db.Args{"type": of})
}

// LetRead sets whether a role may read a module. It may not write to it.
func (w *World) LetRead(of actor.Role, module string, may bool) {
	w.Helper()
	id := w.One(`SELECT id FROM modules WHERE name = :name AND :school <> ''`, db.Args{"name": module})
	w.Admin("PUT", "/school-admin/role/"+w.Role(of)+"/permissions", M{"permissions": List{M{"moduleId": id, "canRead": may}}}).OK()
}
