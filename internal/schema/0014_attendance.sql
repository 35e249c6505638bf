-- Who was at school. One row per student and day (period_no 0), and one more for
-- each period that is marked by itself. class_id and division_id are where the
-- student sat when it was marked. Dates are text and compare as such.
CREATE TABLE attendance (
  school_id    {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id           {{uuid}} NOT NULL,
  student_id   {{uuid}} NOT NULL,
  date         {{text}} NOT NULL,
  period_no    {{int}} NOT NULL,
  class_id     {{uuid}} NOT NULL,
  division_id  {{uuid}},
  status       {{text}} NOT NULL CHECK (status IN ('PRESENT', 'ABSENT', 'LATE', 'LEAVE', 'HOLIDAY')),
  half_day     {{text}} NOT NULL CHECK (half_day IN ('', 'FIRST', 'SECOND')),
  minutes_late {{int}} NOT NULL, -- 0: not known, or not late
  remark       {{text}} NOT NULL,
  leave_id     {{uuid}}, -- the leave that made the mark, while it is as it made it
  marked_by    {{uuid}}, -- names a user, who may be gone
  marked_at    {{ts}} NOT NULL, -- by the clock of who marked it, offline perhaps; when it got here is in the log
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id)
) {{strict}};
{{tenant "attendance"}}
CREATE UNIQUE INDEX attendance_student ON attendance (school_id, student_id, date, period_no);
-- A day of the school, or some days of a division, read from the index alone: 20
-- million rows elsewhere cost a division's month nothing.
CREATE INDEX attendance_date ON attendance (school_id, date, class_id, division_id, period_no, student_id, status, half_day, minutes_late, leave_id);
CREATE INDEX attendance_leave ON attendance (school_id, leave_id) WHERE leave_id IS NOT NULL;

-- What marks said before they were changed. The first mark of a day costs no row
-- here: it is in the table above until it changes.
CREATE TABLE attendance_revisions (
  school_id    {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id           {{uuid}} NOT NULL,
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
  is_removed   {{bool}} NOT NULL, -- nothing took its place
  is_void      {{bool}} NOT NULL, -- its leave was taken back: it never comes back
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "attendance_revisions"}}
CREATE INDEX attendance_revisions_mark ON attendance_revisions (school_id, student_id, date, period_no, ended_at, id);
CREATE INDEX attendance_revisions_leave ON attendance_revisions (school_id, leave_id) WHERE leave_id IS NOT NULL;

-- What parents were told last about a child's day, and by the mark of which period.
CREATE TABLE attendance_alerts (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id {{uuid}} NOT NULL,
  date       {{text}} NOT NULL,
  period_no  {{int}} NOT NULL,
  told       {{text}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, date, student_id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "attendance_alerts"}}
