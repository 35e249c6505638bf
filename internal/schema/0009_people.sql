-- Employees, students and guardians. search has names and numbers as people.Fold
-- returns them, for case-insensitive search on both engines. Lists omit archived
-- rows: indexes end in archived_at, so that counts are index-only.
CREATE TABLE employees (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id            {{uuid}} NOT NULL,
  employee_code {{text}} NOT NULL,
  first_name    {{text}} NOT NULL,
  last_name     {{text}} NOT NULL DEFAULT '',
  designation   {{text}} NOT NULL DEFAULT '',
  department    {{text}} NOT NULL DEFAULT '',
  role_id       {{uuid}} NOT NULL,
  user_id       {{uuid}}, -- NULL without a phone or e-mail to sign in with
  phone         {{text}} NOT NULL DEFAULT '',
  email         {{text}} NOT NULL DEFAULT '',
  date_of_birth {{text}},
  gender        {{text}} NOT NULL DEFAULT '' CHECK (gender IN ('', 'MALE', 'FEMALE', 'OTHER')),
  join_date     {{text}},
  qualification {{text}} NOT NULL DEFAULT '',
  salary        {{int}}, -- minor units
  license_no    {{text}} NOT NULL DEFAULT '',
  status        {{text}} NOT NULL CHECK (status IN ('ACTIVE', 'ON_LEAVE', 'RESIGNED')),
  archived_at   {{ts}},
  search        {{text}} NOT NULL,
  version       {{int}} NOT NULL DEFAULT 1,
  created_at    {{ts}} NOT NULL,
  updated_at    {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, role_id) REFERENCES roles (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id)
) {{strict}};
{{tenant "employees"}}
CREATE UNIQUE INDEX employees_code ON employees (school_id, employee_code);
CREATE UNIQUE INDEX employees_user ON employees (school_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX employees_first_name ON employees (school_id, first_name, id, archived_at);
CREATE INDEX employees_role ON employees (school_id, role_id, first_name, id, archived_at);
CREATE INDEX employees_department ON employees (school_id, department, first_name, id, archived_at);

-- class_id, division_id and roll_no are copies of the enrolment in the current academic
-- year; NULL without one.
CREATE TABLE students (
  school_id          {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id                 {{uuid}} NOT NULL,
  archived_at        {{ts}}, -- omitted from lists, and 404 by id
  search             {{text}} NOT NULL, -- before the long columns: a search scans rows up to here
  admission_no       {{text}} NOT NULL,
  first_name         {{text}} NOT NULL,
  last_name          {{text}} NOT NULL DEFAULT '',
  date_of_birth      {{text}},
  gender             {{text}} NOT NULL DEFAULT '' CHECK (gender IN ('', 'MALE', 'FEMALE', 'OTHER')),
  blood_group        {{text}} NOT NULL DEFAULT '' CHECK (blood_group IN ('', 'A+', 'A-', 'B+', 'B-', 'AB+', 'AB-', 'O+', 'O-')),
  class_id           {{uuid}},
  division_id        {{uuid}},
  roll_no            {{int}},
  admission_date     {{text}},
  address            {{text}} NOT NULL DEFAULT '',
  phone              {{text}} NOT NULL DEFAULT '',
  email              {{text}} NOT NULL DEFAULT '',
  photo_file_id      {{uuid}},
  medical_notes      {{text}} NOT NULL DEFAULT '', -- for the office and the class teacher
  ride_notes         {{text}} NOT NULL DEFAULT '', -- what the driver has to know
  emergency_contacts {{json}} NOT NULL DEFAULT '[]',
  custom_fields      {{json}} NOT NULL DEFAULT '{}',
  leaving_date       {{text}},
  leaving_reason     {{text}} NOT NULL DEFAULT '',
  status             {{text}} NOT NULL CHECK (status IN ('ACTIVE', 'TRANSFERRED', 'GRADUATED', 'LEFT')),
  version            {{int}} NOT NULL DEFAULT 1,
  created_at         {{ts}} NOT NULL,
  updated_at         {{ts}} NOT NULL,
  erased_at          {{ts}}, -- the blank row stays as a target of foreign keys
  PRIMARY KEY (school_id, id),
  CHECK (division_id IS NULL OR class_id IS NOT NULL),
  FOREIGN KEY (school_id, class_id) REFERENCES classes (school_id, id),
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id)
) {{strict}};
{{tenant "students"}}
CREATE UNIQUE INDEX students_admission_no ON students (school_id, admission_no);
-- Sort keys of lists, with filters: archived_at makes SQLite's counts index-only, and
-- search saves it lookups of rows.
CREATE INDEX students_first_name ON students (school_id, first_name, id, status, archived_at{{if not pg}}, search{{end}})
  WHERE archived_at IS NULL;
CREATE INDEX students_last_name ON students (school_id, last_name, id, status, archived_at{{if not pg}}, search{{end}})
  WHERE archived_at IS NULL;
CREATE INDEX students_roll_no ON students (school_id, COALESCE(roll_no, 2147483647), id{{if not pg}}, search{{end}})
  WHERE archived_at IS NULL;
-- The list of a class and the counts of its divisions.
CREATE INDEX students_class ON students (school_id, class_id, first_name, id, division_id, status, archived_at) WHERE archived_at IS NULL;
CREATE INDEX students_archived ON students (school_id, id) WHERE archived_at IS NOT NULL;

-- The last admission number of a school: a prefix, then digits of a fixed width.
CREATE TABLE admission_numbers (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  prefix    {{text}} NOT NULL,
  width     {{int}} NOT NULL,
  last      {{int}} NOT NULL,
  next      {{text}} NOT NULL, -- the whole number after last
  PRIMARY KEY (school_id)
) {{strict}};
{{tenant "admission_numbers"}}

-- The class, division and roll number of a student in each academic year.
CREATE TABLE enrolments (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id       {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  class_id         {{uuid}} NOT NULL,
  division_id      {{uuid}},
  roll_no          {{int}},
  outcome          {{text}} NOT NULL CHECK (outcome IN ('ENROLLED', 'PROMOTED', 'DETAINED', 'GRADUATED', 'LEFT')),
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, student_id, academic_year_id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, academic_year_id, class_id) REFERENCES classes (school_id, academic_year_id, id),
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id)
) {{strict}}{{if not pg}}, WITHOUT ROWID{{end}};
{{tenant "enrolments"}}
-- A division belongs to one year.
CREATE UNIQUE INDEX enrolments_roll_no ON enrolments (school_id, division_id, roll_no)
  WHERE division_id IS NOT NULL AND roll_no IS NOT NULL AND outcome <> 'LEFT';
CREATE INDEX enrolments_class ON enrolments (school_id, academic_year_id, class_id, division_id, student_id);
{{if pg}}
-- A year determines the school. Without this, PostgreSQL underestimates the rows for both.
CREATE STATISTICS enrolments_year (dependencies) ON school_id, academic_year_id, class_id FROM enrolments;
{{end}}

-- Guardians, one per phone, also of several children.
CREATE TABLE guardians (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  user_id    {{uuid}}, -- the PARENT account of the phone
  name       {{text}} NOT NULL,
  phone      {{text}} NOT NULL DEFAULT '',
  email      {{text}} NOT NULL DEFAULT '',
  address    {{text}} NOT NULL DEFAULT '',
  search     {{text}} NOT NULL DEFAULT '',
  version    {{int}} NOT NULL DEFAULT 1,
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id)
) {{strict}};
{{tenant "guardians"}}
CREATE INDEX guardians_name ON guardians (school_id, name, id{{if not pg}}, search{{end}}); -- search: as for students
CREATE UNIQUE INDEX guardians_phone ON guardians (school_id, phone) WHERE phone <> '';
CREATE UNIQUE INDEX guardians_user ON guardians (school_id, user_id) WHERE user_id IS NOT NULL;

CREATE TABLE student_guardians (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id    {{uuid}} NOT NULL,
  guardian_id   {{uuid}} NOT NULL,
  relation      {{text}} NOT NULL CHECK (relation IN ('FATHER', 'MOTHER', 'GUARDIAN')),
  is_primary    {{bool}} NOT NULL,
  can_view_data {{bool}} NOT NULL,
  can_pick_up   {{bool}} NOT NULL,
  created_at    {{ts}} NOT NULL,
  PRIMARY KEY (school_id, student_id, guardian_id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, guardian_id) REFERENCES guardians (school_id, id) ON DELETE CASCADE
) {{strict}}{{if not pg}}, WITHOUT ROWID{{end}};
{{tenant "student_guardians"}}
CREATE INDEX student_guardians_guardian ON student_guardians (school_id, guardian_id);

-- Changes of contact data that parents propose. NULL columns stay as they are.
CREATE TABLE contact_changes (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id          {{uuid}} NOT NULL,
  guardian_id {{uuid}} NOT NULL,
  user_id     {{uuid}} NOT NULL, -- who proposed it
  name        {{text}},
  phone       {{text}},
  email       {{text}},
  address     {{text}},
  status      {{text}} NOT NULL CHECK (status IN ('PENDING', 'ACCEPTED', 'REJECTED', 'CANCELLED')),
  reason      {{text}} NOT NULL DEFAULT '',
  decided_by  {{uuid}},
  decided_at  {{ts}},
  created_at  {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, guardian_id) REFERENCES guardians (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, decided_by) REFERENCES users (school_id, id)
) {{strict}};
{{tenant "contact_changes"}}
CREATE UNIQUE INDEX contact_changes_pending ON contact_changes (school_id, guardian_id) WHERE status = 'PENDING';
CREATE INDEX contact_changes_status ON contact_changes (school_id, status, id);
CREATE INDEX contact_changes_guardian ON contact_changes (school_id, guardian_id);
CREATE INDEX contact_changes_user ON contact_changes (school_id, user_id);
CREATE INDEX contact_changes_decided_by ON contact_changes (school_id, decided_by);

-- Imports that have written something. entity is as in the audit log.
CREATE TABLE imports (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  entity     {{text}} NOT NULL,
  file       {{text}} NOT NULL,
  user_id    {{uuid}}, -- NULL: the command line
  total      {{int}} NOT NULL,
  created    {{int}} NOT NULL,
  updated    {{int}} NOT NULL,
  unchanged  {{int}} NOT NULL,
  failed     {{int}} NOT NULL,
  status     {{text}} NOT NULL CHECK (status IN ('DONE', 'UNDONE')),
  created_at {{ts}} NOT NULL,
  undone_at  {{ts}},
  undone_by  {{uuid}},
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "imports"}}
CREATE INDEX imports_entity ON imports (school_id, entity, id);

-- What an import has added, in lists of at most 1,024 ids (records). entity is the kind of record,
-- such as student. The records had this version after the import. replaced is what was there before.
CREATE TABLE import_parts (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  import_id {{uuid}} NOT NULL,
  part      {{int}} NOT NULL,
  entity    {{text}} NOT NULL,
  version   {{int}} NOT NULL,
  records   {{json}} NOT NULL,
  replaced  {{json}} NOT NULL DEFAULT 'null',
  PRIMARY KEY (school_id, import_id, part),
  FOREIGN KEY (school_id, import_id) REFERENCES imports (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "import_parts"}}

-- Assignments of teachers. No division: all divisions of the class; no subject: all
-- subjects. Part of the academics feature, but here because of its foreign key.
CREATE TABLE teacher_assignments (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  employee_id      {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  class_id         {{uuid}} NOT NULL,
  division_id      {{uuid}},
  subject_id       {{uuid}},
  is_class_teacher {{bool}} NOT NULL,
  created_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, employee_id) REFERENCES employees (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, academic_year_id, class_id) REFERENCES classes (school_id, academic_year_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, subject_id) REFERENCES subjects (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "teacher_assignments"}}
CREATE INDEX teacher_assignments_employee ON teacher_assignments (school_id, employee_id, class_id);
CREATE INDEX teacher_assignments_class ON teacher_assignments (school_id, class_id, division_id);
CREATE INDEX teacher_assignments_subject ON teacher_assignments (school_id, subject_id);
-- One class teacher per division, and per class as a whole.
CREATE UNIQUE INDEX teacher_assignments_class_teacher ON teacher_assignments (school_id, division_id)
  WHERE is_class_teacher AND division_id IS NOT NULL;
CREATE UNIQUE INDEX teacher_assignments_whole_class_teacher ON teacher_assignments (school_id, class_id)
  WHERE is_class_teacher AND division_id IS NULL;
