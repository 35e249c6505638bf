-- Students: found and counted fast in a school of any size, numbered, forgotten.

-- Lists walk these. A student who is archived is in none of them, and an index
-- that ends in the id answers "which ids are on page 1,000" by itself.
DROP INDEX students_first_name;
DROP INDEX students_last_name;
DROP INDEX students_status;
DROP INDEX students_class;
DROP INDEX students_division;
CREATE INDEX students_first_name ON students (school_id, first_name, id, status) WHERE archived_at IS NULL;
CREATE INDEX students_last_name ON students (school_id, last_name, id, status) WHERE archived_at IS NULL;
CREATE INDEX students_number ON students (school_id, admission_no, id, status, archived_at); -- all columns, lest SQLite prefer the unique one
CREATE INDEX students_class ON students (school_id, class_id, division_id, status, first_name, last_name, roll_no, admission_no, id)
  WHERE archived_at IS NULL;
CREATE INDEX students_gone ON students (school_id, status, first_name, last_name, roll_no, admission_no, id)
  WHERE archived_at IS NULL AND status <> 'ACTIVE';
CREATE INDEX students_archived ON students (school_id, id) WHERE archived_at IS NOT NULL;
-- The students of a year, or of a class as it was, without a look at the rows.
DROP INDEX enrolments_class;
CREATE INDEX enrolments_class ON enrolments (school_id, academic_year_id, class_id, division_id, student_id);

-- How many there are, so that no list has to count them. Triggers keep it.
CREATE TABLE student_counts (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  class     {{text}} NOT NULL, -- its id; '' for none
  division  {{text}} NOT NULL,
  status    {{text}} NOT NULL,
  n         {{int}} NOT NULL,
  PRIMARY KEY (school_id, class, division, status)
) {{strict}};
{{tenant "student_counts"}}
INSERT INTO student_counts (school_id, class, division, status, n)
SELECT school_id, COALESCE(CAST(class_id AS TEXT), ''), COALESCE(CAST(division_id AS TEXT), ''), status, count(*)
FROM students WHERE archived_at IS NULL GROUP BY 1, 2, 3, 4;

{{if pg}}
CREATE FUNCTION student_counts_keep() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO student_counts AS c (school_id, class, division, status, n)
    SELECT school_id, COALESCE(class_id::text, ''), COALESCE(division_id::text, ''), status, count(*)
    FROM came WHERE archived_at IS NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (school_id, class, division, status) DO UPDATE SET n = c.n + excluded.n;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO student_counts AS c (school_id, class, division, status, n)
    SELECT school_id, class, division, status, sum(n) FROM (
      SELECT school_id, COALESCE(class_id::text, '') AS class, COALESCE(division_id::text, '') AS division, status, 1 AS n
      FROM came WHERE archived_at IS NULL
      UNION ALL
      SELECT school_id, COALESCE(class_id::text, ''), COALESCE(division_id::text, ''), status, -1
      FROM went WHERE archived_at IS NULL) AS moved
    GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0 ORDER BY 1, 2, 3, 4
    ON CONFLICT (school_id, class, division, status) DO UPDATE SET n = c.n + excluded.n;
  ELSE -- only when the whole school goes, and perhaps its counts before
    UPDATE student_counts c SET n = c.n - w.n FROM (
      SELECT school_id, COALESCE(class_id::text, '') AS class, COALESCE(division_id::text, '') AS division, status, count(*) AS n
      FROM went WHERE archived_at IS NULL GROUP BY 1, 2, 3, 4) AS w
    WHERE (c.school_id, c.class, c.division, c.status) = (w.school_id, w.class, w.division, w.status);
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER student_counts_came AFTER INSERT ON students REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION student_counts_keep();
CREATE TRIGGER student_counts_moved AFTER UPDATE ON students REFERENCING OLD TABLE AS went NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION student_counts_keep();
CREATE TRIGGER student_counts_went AFTER DELETE ON students REFERENCING OLD TABLE AS went
  FOR EACH STATEMENT EXECUTE FUNCTION student_counts_keep();
{{else}}
CREATE TRIGGER student_counts_came AFTER INSERT ON students WHEN NEW.archived_at IS NULL
BEGIN
  INSERT INTO student_counts (school_id, class, division, status, n)
  VALUES (NEW.school_id, COALESCE(NEW.class_id, ''), COALESCE(NEW.division_id, ''), NEW.status, 1)
  ON CONFLICT (school_id, class, division, status) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER student_counts_moved AFTER UPDATE OF class_id, division_id, status, archived_at ON students
BEGIN
  UPDATE student_counts SET n = n - 1 WHERE OLD.archived_at IS NULL AND school_id = OLD.school_id
    AND class = COALESCE(OLD.class_id, '') AND division = COALESCE(OLD.division_id, '') AND status = OLD.status;
  INSERT INTO student_counts (school_id, class, division, status, n)
  SELECT NEW.school_id, COALESCE(NEW.class_id, ''), COALESCE(NEW.division_id, ''), NEW.status, 1 WHERE NEW.archived_at IS NULL
  ON CONFLICT (school_id, class, division, status) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER student_counts_went AFTER DELETE ON students WHEN OLD.archived_at IS NULL
BEGIN
  UPDATE student_counts SET n = n - 1 WHERE school_id = OLD.school_id
    AND class = COALESCE(OLD.class_id, '') AND division = COALESCE(OLD.division_id, '') AND status = OLD.status;
END;
{{end}}

{{searchable "students"}}

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
