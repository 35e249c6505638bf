-- Attendance: one row per student and day (period_no 0), and one for each marked
-- period. class_id and division_id are those of the student at that time. Dates are
-- text, YYYY-MM-DD.
CREATE TABLE attendance (
  school_id    {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id   {{uuid}} NOT NULL,
  date         {{text}} NOT NULL,
  period_no    {{int}} NOT NULL,
  id           {{uuid}} NOT NULL,
  class_id     {{uuid}} NOT NULL,
  division_id  {{uuid}},
  status       {{text}} NOT NULL CHECK (status IN ('PRESENT', 'ABSENT', 'LATE', 'LEAVE', 'HOLIDAY')),
  half_day     {{text}} NOT NULL CHECK (half_day IN ('', 'FIRST', 'SECOND')),
  minutes_late {{int}} NOT NULL, -- 0: unknown, or not late
  remark       {{text}} NOT NULL,
  leave_id     {{uuid}}, -- the leave that set this mark, until someone changes the mark
  marked_by    {{uuid}}, -- user; no foreign key
  marked_at    {{ts}} NOT NULL, -- the client's time, perhaps offline; the audit log has the server's
  PRIMARY KEY (school_id, student_id, date, period_no),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id)
) {{strict}}{{if not pg}}, WITHOUT ROWID{{end}};
{{tenant "attendance"}}
-- Index-only scans for a day of the school and for the days of a division.
CREATE INDEX attendance_date ON attendance (school_id, date, class_id, division_id, period_no, student_id, status, half_day, minutes_late, leave_id);
CREATE INDEX attendance_leave ON attendance (school_id, leave_id) WHERE leave_id IS NOT NULL;

-- Previous versions of changed marks. The current version is in attendance.
CREATE TABLE attendance_revisions (
  school_id    {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id   {{uuid}} NOT NULL,
  date         {{text}} NOT NULL,
  period_no    {{int}} NOT NULL,
  status       {{text}} NOT NULL,
  half_day     {{text}} NOT NULL,
  minutes_late {{int}} NOT NULL,
  remark       {{text}} NOT NULL,
  leave_id     {{uuid}},
  marked_by    {{uuid}},
  marked_at    {{ts}} NOT NULL,
  ended_by     {{uuid}}, -- who changed it
  ended_at     {{ts}} NOT NULL,
  id           {{uuid}} NOT NULL,
  is_removed   {{bool}} NOT NULL, -- deleted, not replaced
  is_void      {{bool}} NOT NULL, -- its leave was withdrawn: it is never restored
  PRIMARY KEY (school_id, student_id, date, period_no, ended_at, id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE
) {{strict}}{{if not pg}}, WITHOUT ROWID{{end}};
{{tenant "attendance_revisions"}}
CREATE INDEX attendance_revisions_date ON attendance_revisions (school_id, date);
CREATE INDEX attendance_revisions_leave ON attendance_revisions (school_id, leave_id) WHERE leave_id IS NOT NULL;

-- The last alert to parents about a child's day, and the period that caused it.
CREATE TABLE attendance_alerts (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id {{uuid}} NOT NULL,
  date       {{text}} NOT NULL,
  period_no  {{int}} NOT NULL,
  told       {{text}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, date, student_id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE
) {{strict}}{{if not pg}}, WITHOUT ROWID{{end}};
{{tenant "attendance_alerts"}}
