package app_test

import (
	"path/filepath"
	"strings"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
)

// TestMoveOfModules moves a school between installations whose super-administrators have added modules. They have the
// same id nowhere: the file names them.
func TestMoveOfModules(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			source, target := install(t, "sqlite"), install(t, engine)
			add := func(i installation, name string) {
				i.Call(t, i.Super, "POST", "/super-admin/module/create", m{"name": name, "displayName": name}).OK()
			}
			add(source, "hostel")
			code := source.one(t, `SELECT code FROM schools WHERE id = :id`, db.Args{"id": source.North.ID})
			file := filepath.Join(t.TempDir(), "school.zip")
			source.export(t, code, file)
			target.exec(t, `UPDATE schools SET code = 'OTHER' WHERE code = :code`, db.Args{"code": code})
			target.exec(t, `DELETE FROM email_logins WHERE TRUE`, nil)

			_, err := app.ImportSchool(t.Context(), target.store, move(file))
			if err == nil || !strings.Contains(err.Error(), `no module "hostel" here`) {
				t.Errorf("without the module: %v", err)
			}
			if n := target.one(t, `SELECT COUNT(*) || '' FROM schools WHERE code = :code`, db.Args{"code": code}); n != "0" {
				t.Errorf("%s schools were written", n)
			}
			add(target, "garage")
			add(target, "hostel")
			if _, err := app.ImportSchool(t.Context(), target.store, move(file)); err != nil {
				t.Fatal(err)
			}
			lacks := target.one(t, `
				SELECT COUNT(*) || '' FROM modules m WHERE NOT EXISTS (
					SELECT 1 FROM role_permissions p JOIN roles r ON r.school_id = p.school_id AND r.id = p.role_id
					WHERE p.module_id = m.id AND r.school_id = :school AND r.is_system AND r.type = 'SCHOOL_ADMIN'
						AND p.can_read AND p.can_write AND p.can_delete)`, db.Args{"school": source.North.ID})
			if lacks != "0" {
				t.Errorf("the administrators lack %s modules", lacks)
			}
			again := filepath.Join(t.TempDir(), "again.zip")
			target.export(t, code, again)
			text := content(t, again)["tables/role_permissions.jsonl"]
			if !strings.Contains(text, `"garage"`) || !strings.Contains(text, `"hostel"`) {
				t.Errorf("the file has no names: %s", text)
			}
		})
	}
}
