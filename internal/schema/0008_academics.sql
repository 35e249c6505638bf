-- Classes, divisions and subjects. A class belongs to one academic year: next year's
-- Grade 5 is another row.
CREATE TABLE classes (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  name             {{text}} NOT NULL,
  display_order    {{int}} NOT NULL,
  search           {{text}} NOT NULL, -- the name, folded: see people.Fold
  version          {{int}} NOT NULL DEFAULT 1,
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, academic_year_id) REFERENCES academic_years (school_id, id)
) {{strict}};
{{tenant "classes"}}
CREATE UNIQUE INDEX classes_name ON classes (school_id, academic_year_id, name);
CREATE INDEX classes_order ON classes (school_id, display_order, id);
-- Target of foreign keys: year and class must match.
CREATE UNIQUE INDEX classes_year ON classes (school_id, academic_year_id, id);

CREATE TABLE divisions (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  class_id   {{uuid}} NOT NULL,
  name       {{text}} NOT NULL,
  capacity   {{int}},
  room       {{text}} NOT NULL DEFAULT '',
  version    {{int}} NOT NULL DEFAULT 1,
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, class_id) REFERENCES classes (school_id, id)
) {{strict}};
{{tenant "divisions"}}
CREATE UNIQUE INDEX divisions_name ON divisions (school_id, class_id, name);
-- Target of foreign keys: class and division must match.
CREATE UNIQUE INDEX divisions_class ON divisions (school_id, class_id, id);
CREATE INDEX divisions_list ON divisions (school_id, name, id);

CREATE TABLE subjects (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  name       {{text}} NOT NULL,
  code       {{text}} NOT NULL DEFAULT '',
  type       {{text}} NOT NULL CHECK (type IN ('CORE', 'ELECTIVE')),
  version    {{int}} NOT NULL DEFAULT 1,
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "subjects"}}
CREATE UNIQUE INDEX subjects_code ON subjects (school_id, code) WHERE code <> '';
CREATE INDEX subjects_name ON subjects (school_id, name, id);

CREATE TABLE class_subjects (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  class_id   {{uuid}} NOT NULL,
  subject_id {{uuid}} NOT NULL,
  PRIMARY KEY (school_id, class_id, subject_id),
  FOREIGN KEY (school_id, class_id) REFERENCES classes (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, subject_id) REFERENCES subjects (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "class_subjects"}}
CREATE INDEX class_subjects_subject ON class_subjects (school_id, subject_id);
