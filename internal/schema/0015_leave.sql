-- Leave of students and employees. half is a half of a single day; NULL for whole
-- days. applied_by and decided_by are accounts. attachments are ids of files. The
-- service prevents overlapping leaves with a lock per person: SQLite has no
-- exclusion constraints.
CREATE TABLE leaves (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id            {{uuid}} NOT NULL,
  student_id    {{uuid}},
  employee_id   {{uuid}},
  type          {{text}} NOT NULL CHECK (type IN ('SICK', 'CASUAL', 'EMERGENCY')),
  from_date     {{text}} NOT NULL,
  to_date       {{text}} NOT NULL,
  half          {{text}} CHECK (half IN ('FIRST', 'SECOND')),
  reason        {{text}} NOT NULL,
  attachments   {{json}} NOT NULL,
  status        {{text}} NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED', 'CANCELLED')),
  applied_by    {{uuid}} NOT NULL,
  decided_by    {{uuid}},
  decided_at    {{ts}},
  decision_note {{text}} NOT NULL DEFAULT '',
  cancelled_at  {{ts}},
  created_at    {{ts}} NOT NULL,
  updated_at    {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((student_id IS NULL) <> (employee_id IS NULL)),
  CHECK (to_date >= from_date),
  CHECK (half IS NULL OR from_date = to_date),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id),
  FOREIGN KEY (school_id, employee_id) REFERENCES employees (school_id, id),
  FOREIGN KEY (school_id, applied_by) REFERENCES users (school_id, id),
  FOREIGN KEY (school_id, decided_by) REFERENCES users (school_id, id)
) {{strict}};
{{tenant "leaves"}}
CREATE INDEX leaves_student ON leaves (school_id, student_id, from_date);
CREATE INDEX leaves_employee ON leaves (school_id, employee_id, from_date);
CREATE INDEX leaves_from ON leaves (school_id, from_date, id);
CREATE INDEX leaves_status ON leaves (school_id, status, id);
CREATE INDEX leaves_status_from ON leaves (school_id, status, from_date, id);

-- Leave quotas of employees in half days, by type and academic year. No employee: the
-- school's default. No row: no limit.
CREATE TABLE leave_entitlements (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id          {{uuid}} NOT NULL,
  employee_id {{uuid}},
  type        {{text}} NOT NULL CHECK (type IN ('SICK', 'CASUAL', 'EMERGENCY')),
  half_days   {{int}} NOT NULL CHECK (half_days >= 0),
  created_at  {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, employee_id) REFERENCES employees (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "leave_entitlements"}}
CREATE UNIQUE INDEX leave_entitlements_school ON leave_entitlements (school_id, type) WHERE employee_id IS NULL;
CREATE UNIQUE INDEX leave_entitlements_employee ON leave_entitlements (school_id, employee_id, type) WHERE employee_id IS NOT NULL;
