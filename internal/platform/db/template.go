package db

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// render executes a migration template for one engine.
func render(pg bool, name, text string) (string, error) {
	return renderWith(templateFuncs(pg), name, text)
}

func renderWith(funcs template.FuncMap, name, text string) (string, error) {
	t, err := template.New(name).Funcs(funcs).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, nil)
	return b.String(), err
}

// templateFuncs are the template functions of migrations:
//
//	{{uuid}} {{ts}} {{json}} {{bool}} {{text}} {{int}} {{float}}   the engine's column types
//	{{strict}}                     after CREATE TABLE (…)
//	{{tenant "t"}}                 after a table with school_id: row-level security, policies and grants
//	{{tenant "t" "append-only"}}   the same for an append-only table
//	{{tenant "t" "append-only" "for a year"}}
//	{{grant "t"}}                  after a table without school_id
//	{{if pg}} … {{else}} … {{end}} engine-specific SQL
//
// Rows of an append-only table can't be updated. They can be deleted only with
// their whole school: its row in schools has the status DELETING, or is gone. With
// "for a year" they can also be deleted 365 days after the time in their column "at".
func templateFuncs(pg bool) template.FuncMap {
	pick := func(postgres, sqlite string) func() string {
		return func() string {
			if pg {
				return postgres
			}
			return sqlite
		}
	}
	return template.FuncMap{
		"pg":     func() bool { return pg },
		"uuid":   pick("uuid", "TEXT"),
		"ts":     pick("timestamptz", "TEXT"),
		"json":   pick("jsonb", "TEXT"),
		"bool":   pick("boolean", "INTEGER"),
		"text":   pick(`text COLLATE "C"`, "TEXT"), // sorts the same on both engines
		"int":    pick("bigint", "INTEGER"),
		"float":  pick("double precision", "REAL"),
		"strict": pick("", "STRICT"),
		"grant": func(table string) string {
			if !pg {
				return ""
			}
			return fmt.Sprintf("GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s, %s;", table, roleApp, rolePlatform)
		},
		"tenant": func(table string, how ...string) (string, error) {
			switch {
			case len(how) > 2 || len(how) > 0 && how[0] != "append-only" || len(how) == 2 && how[1] != "for a year":
				return "", errors.New(`the options of tenant are "append-only" and "for a year"`)
			case pg:
				return pgTenant(table, how...), nil
			case len(how) == 0:
				return "", nil
			}
			return appendOnly(liteAppendOnly, table, how, ` AND OLD.at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-365 days')`), nil
		},
	}
}

// pgSchool is a sub-select so that the setting is read once per statement, not once
// per row. Without a school it is NULL, which matches no row.
const pgSchool = `(SELECT NULLIF(current_setting('homeroom.school', true), '')::uuid)`

func pgTenant(table string, how ...string) string {
	sql := `
ALTER TABLE $t ENABLE ROW LEVEL SECURITY;
ALTER TABLE $t FORCE ROW LEVEL SECURITY;
CREATE POLICY $t_school ON $t TO $app USING (school_id = $school) WITH CHECK (school_id = $school);
CREATE POLICY $t_platform ON $t TO $platform USING (true) WITH CHECK (true);
GRANT SELECT, INSERT$change ON $t TO $app;
GRANT SELECT, INSERT, UPDATE, DELETE ON $t TO $platform;`
	change := ", UPDATE, DELETE"
	if len(how) > 0 {
		change = ""
		sql += appendOnly(pgAppendOnly, table, how, ` AND OLD.at >= now() - interval '365 days'`)
	}
	return strings.NewReplacer("$t", table, "$app", roleApp, "$platform", rolePlatform,
		"$school", pgSchool, "$change", change).Replace(sql)
}

// appendOnly fills in a trigger. The condition young is only for tables with "for a year".
func appendOnly(sql, table string, how []string, young string) string {
	if len(how) < 2 {
		young = ""
	}
	return strings.NewReplacer("$t", table, "$young", young).Replace(sql)
}

const pgAppendOnly = `
CREATE FUNCTION $t_append_only() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
	IF TG_OP = 'DELETE' AND NOT (EXISTS (SELECT 1 FROM schools WHERE id = OLD.school_id AND status <> 'DELETING')$young) THEN
		RETURN OLD;
	END IF;
	RAISE EXCEPTION 'rows of $t are never changed or deleted';
END $body$;
CREATE TRIGGER $t_append_only BEFORE UPDATE OR DELETE ON $t FOR EACH ROW EXECUTE FUNCTION $t_append_only();`

const liteAppendOnly = `
CREATE TRIGGER $t_never_updated BEFORE UPDATE ON $t
BEGIN SELECT RAISE(ABORT, 'rows of $t are never changed or deleted'); END;
CREATE TRIGGER $t_never_deleted BEFORE DELETE ON $t
WHEN EXISTS (SELECT 1 FROM schools WHERE id = OLD.school_id AND status <> 'DELETING')$young
BEGIN SELECT RAISE(ABORT, 'rows of $t are never changed or deleted'); END;`
