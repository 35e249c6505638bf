-- What many students at once cost: every key that is checked and every index that
-- is kept, for each of them. Those that say nothing new go.

-- A student is enrolled once in a year: that is the row's name, and it needs no
-- other. On SQLite, rows that are little more than their key lie in its index.
{{if pg}}
ALTER TABLE enrolments DROP CONSTRAINT enrolments_pkey;
ALTER TABLE enrolments DROP COLUMN id;
ALTER TABLE enrolments ADD CONSTRAINT enrolments_pkey PRIMARY KEY USING INDEX enrolments_year;
{{else}}
CREATE TABLE enrolled (
  school_id        TEXT NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id       TEXT NOT NULL,
  academic_year_id TEXT NOT NULL,
  class_id         TEXT NOT NULL,
  division_id      TEXT,
  roll_no          INTEGER,
  outcome          TEXT NOT NULL CHECK (outcome IN ('ENROLLED', 'PROMOTED', 'DETAINED', 'LEFT')),
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL,
  PRIMARY KEY (school_id, student_id, academic_year_id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, academic_year_id, class_id) REFERENCES classes (school_id, academic_year_id, id),
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO enrolled SELECT school_id, student_id, academic_year_id, class_id, division_id, roll_no, outcome, created_at, updated_at
  FROM enrolments ORDER BY school_id, student_id, academic_year_id;
DROP TABLE enrolments;
ALTER TABLE enrolled RENAME TO enrolments;
CREATE INDEX enrolments_class ON enrolments (school_id, academic_year_id, class_id, division_id, student_id);

CREATE TABLE linked (
  school_id     TEXT NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id    TEXT NOT NULL,
  guardian_id   TEXT NOT NULL,
  relation      TEXT NOT NULL CHECK (relation IN ('FATHER', 'MOTHER', 'GUARDIAN')),
  is_primary    INTEGER NOT NULL,
  can_view_data INTEGER NOT NULL,
  can_pick_up   INTEGER NOT NULL,
  created_at    TEXT NOT NULL,
  PRIMARY KEY (school_id, student_id, guardian_id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, guardian_id) REFERENCES guardians (school_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO linked SELECT school_id, student_id, guardian_id, relation, is_primary, can_view_data, can_pick_up, created_at
  FROM student_guardians ORDER BY school_id, student_id, guardian_id;
DROP TABLE student_guardians;
ALTER TABLE linked RENAME TO student_guardians;
CREATE INDEX student_guardians_guardian ON student_guardians (school_id, guardian_id);
{{end}}

-- Over all schools only administrators are listed and read, and they are few.
DROP INDEX users_all_id;
DROP INDEX users_all_role;
CREATE INDEX users_all_id ON users (id) WHERE role = 'SCHOOL_ADMIN';
CREATE INDEX users_all_role ON users (search, id) WHERE role = 'SCHOOL_ADMIN';
{{if pg}}
-- How much of new text is kept unsorted is each connection's to say.
ALTER INDEX students_search RESET (gin_pending_list_limit);
{{end}}

-- How many are enrolled in a year, the archived included. Triggers keep it.
CREATE TABLE enrolment_counts (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  academic_year_id {{uuid}} NOT NULL, -- names a year that may be gone, with a count of 0
  n                {{int}} NOT NULL,
  PRIMARY KEY (school_id, academic_year_id)
) {{strict}};
{{tenant "enrolment_counts"}}
INSERT INTO enrolment_counts (school_id, academic_year_id, n) SELECT school_id, academic_year_id, count(*) FROM enrolments GROUP BY 1, 2;
{{if pg}}
CREATE FUNCTION enrolment_counts_keep() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO enrolment_counts AS c (school_id, academic_year_id, n)
    SELECT school_id, academic_year_id, count(*) FROM came GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (school_id, academic_year_id) DO UPDATE SET n = c.n + excluded.n;
  ELSE
    UPDATE enrolment_counts c SET n = c.n - w.n FROM (
      SELECT school_id, academic_year_id, count(*) AS n FROM went GROUP BY 1, 2) AS w
    WHERE (c.school_id, c.academic_year_id) = (w.school_id, w.academic_year_id);
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER enrolment_counts_came AFTER INSERT ON enrolments REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION enrolment_counts_keep();
CREATE TRIGGER enrolment_counts_went AFTER DELETE ON enrolments REFERENCING OLD TABLE AS went
  FOR EACH STATEMENT EXECUTE FUNCTION enrolment_counts_keep();
{{else}}
CREATE TRIGGER enrolment_counts_came AFTER INSERT ON enrolments
BEGIN
  INSERT INTO enrolment_counts (school_id, academic_year_id, n) VALUES (NEW.school_id, NEW.academic_year_id, 1)
  ON CONFLICT (school_id, academic_year_id) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER enrolment_counts_went AFTER DELETE ON enrolments
BEGIN
  UPDATE enrolment_counts SET n = n - 1 WHERE school_id = OLD.school_id AND academic_year_id = OLD.academic_year_id;
END;
{{end}}
