-- The audit log, append-only. user_id and entity_id have no foreign keys: the log
-- outlives the records.
CREATE TABLE audit_log (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  at         {{ts}} NOT NULL,
  user_id    {{uuid}}, -- NULL: the service itself
  role       {{text}} NOT NULL,
  action     {{text}} NOT NULL,
  entity     {{text}} NOT NULL,
  entity_id  {{uuid}},
  before     {{json}}, -- NULL for a new record
  after      {{json}},
  request_id {{text}} NOT NULL,
  ip         {{text}} NOT NULL,
  PRIMARY KEY (school_id, entity, at, id)
) {{strict}};
{{tenant "audit_log" "append-only" "for a year"}}

-- For a school's list, by each filter; the primary key is for entity. A user belongs to
-- one school.
CREATE INDEX audit_log_user ON audit_log (user_id, at, id);
CREATE INDEX audit_log_newest ON audit_log (school_id, at, id);
CREATE INDEX audit_log_action ON audit_log (school_id, action, at, id);
CREATE INDEX audit_log_record ON audit_log (school_id, entity_id, at, id);
-- For the super-administrators' list of all schools.
CREATE INDEX audit_log_all_newest ON audit_log (at, id);
CREATE INDEX audit_log_all_action ON audit_log (action, at, id);

-- The only allowed update blanks before and after, when a person is erased. The
-- entry itself stays.
{{if pg}}
CREATE OR REPLACE FUNCTION audit_log_append_only() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'DELETE' AND NOT (EXISTS (SELECT 1 FROM schools WHERE id = OLD.school_id AND status <> 'DELETING')
      AND OLD.at >= now() - interval '365 days') THEN
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

-- Who has read which record, append-only for a year. user_id and record_id have no foreign keys:
-- the rows outlive the records.
CREATE TABLE reads (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  at         {{ts}} NOT NULL,
  user_id    {{uuid}} NOT NULL,
  role       {{text}} NOT NULL,
  entity     {{text}} NOT NULL,
  record_id  {{uuid}} NOT NULL,
  request_id {{text}} NOT NULL,
  ip         {{text}} NOT NULL,
  PRIMARY KEY (school_id, record_id, at, id)
) {{strict}};
{{tenant "reads" "append-only" "for a year"}}
-- For a school's list, by each filter; the primary key is for record_id. reads_newest
-- comes last: if two indexes have equal cost, SQLite without statistics takes the older one.
CREATE INDEX reads_user ON reads (school_id, user_id, at, id);
CREATE INDEX reads_newest ON reads (school_id, at, id);
