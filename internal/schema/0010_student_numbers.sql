-- The admission number that a school gave last: prefix, then digits of a width.
CREATE TABLE admission_numbers (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  prefix    {{text}} NOT NULL,
  width     {{int}} NOT NULL,
  last      {{int}} NOT NULL,
  PRIMARY KEY (school_id)
) {{strict}};
{{tenant "admission_numbers"}}

-- When the student was forgotten: its row stays, blank, for what refers to it.
ALTER TABLE students ADD COLUMN erased_at {{ts}};

-- Of an entry of the log one thing may change: what it says of a record can be
-- blanked, when the person is to be forgotten. That it happened stays.
{{if pg}}
CREATE OR REPLACE FUNCTION audit_log_append_only() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT 1 FROM schools WHERE id = OLD.school_id AND status <> 'DELETING') THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.before IS NULL AND NEW.after IS NULL THEN
    OLD.before := NULL;
    OLD.after := NULL;
    IF OLD = NEW THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'rows of audit_log are never changed or deleted';
END $body$;
GRANT UPDATE (before, after) ON audit_log TO homeroom_app;
{{else}}
DROP TRIGGER audit_log_never_updated;
CREATE TRIGGER audit_log_never_updated BEFORE UPDATE ON audit_log
WHEN NEW.before IS NOT NULL OR NEW.after IS NOT NULL OR
  (NEW.school_id, NEW.id, NEW.at, NEW.user_id, NEW.role, NEW.action, NEW.entity, NEW.entity_id, NEW.request_id, NEW.ip) IS NOT
  (OLD.school_id, OLD.id, OLD.at, OLD.user_id, OLD.role, OLD.action, OLD.entity, OLD.entity_id, OLD.request_id, OLD.ip)
BEGIN SELECT RAISE(ABORT, 'rows of audit_log are never changed or deleted'); END;
{{end}}
