-- Timetables: one per division, replaced as a whole. The version is here, the
-- periods are below.
CREATE TABLE timetables (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  division_id      {{uuid}} NOT NULL,
  class_id         {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  version          {{int}} NOT NULL,
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, division_id),
  FOREIGN KEY (school_id, academic_year_id, class_id) REFERENCES classes (school_id, academic_year_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "timetables"}}
CREATE INDEX timetables_class ON timetables (school_id, academic_year_id, class_id);

-- Periods of the week. day_of_week 1 is Monday. Times are text, HH:MM. A division or
-- a subject with periods can't be deleted.
CREATE TABLE timetable_periods (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  class_id         {{uuid}} NOT NULL,
  division_id      {{uuid}} NOT NULL,
  day_of_week      {{int}} NOT NULL CHECK (day_of_week BETWEEN 1 AND 7),
  period_no        {{int}} NOT NULL,
  start_time       {{text}} NOT NULL,
  end_time         {{text}} NOT NULL,
  subject_id       {{uuid}} NOT NULL,
  employee_id      {{uuid}}, -- NULL: no teacher yet
  room             {{text}} NOT NULL DEFAULT '',
  PRIMARY KEY (school_id, id),
  CHECK (end_time > start_time),
  FOREIGN KEY (school_id, division_id) REFERENCES timetables (school_id, division_id),
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id),
  FOREIGN KEY (school_id, subject_id) REFERENCES subjects (school_id, id),
  FOREIGN KEY (school_id, employee_id) REFERENCES employees (school_id, id)
) {{strict}};
{{tenant "timetable_periods"}}
CREATE UNIQUE INDEX timetable_periods_no ON timetable_periods (school_id, division_id, day_of_week, period_no);
CREATE INDEX timetable_periods_day ON timetable_periods (school_id, academic_year_id, day_of_week);
CREATE INDEX timetable_periods_teacher ON timetable_periods (school_id, employee_id, academic_year_id);
CREATE INDEX timetable_periods_subject ON timetable_periods (school_id, subject_id);

-- Changes of a period on one day. NULL columns are as in the week.
CREATE TABLE timetable_overrides (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  class_id         {{uuid}} NOT NULL,
  division_id      {{uuid}} NOT NULL,
  date             {{text}} NOT NULL,
  day_of_week      {{int}} NOT NULL, -- of date
  period_no        {{int}} NOT NULL,
  employee_id      {{uuid}},
  subject_id       {{uuid}},
  room             {{text}},
  is_cancelled     {{bool}} NOT NULL,
  note             {{text}} NOT NULL DEFAULT '',
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, division_id) REFERENCES timetables (school_id, division_id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, subject_id) REFERENCES subjects (school_id, id),
  FOREIGN KEY (school_id, employee_id) REFERENCES employees (school_id, id)
) {{strict}};
{{tenant "timetable_overrides"}}
CREATE UNIQUE INDEX timetable_overrides_period ON timetable_overrides (school_id, division_id, date, period_no);
CREATE INDEX timetable_overrides_date ON timetable_overrides (school_id, date, id);
CREATE INDEX timetable_overrides_teacher ON timetable_overrides (school_id, employee_id, date);
CREATE INDEX timetable_overrides_subject ON timetable_overrides (school_id, subject_id);

-- Links to calendar feeds, which need no sign-in. Only the hash of the secret is
-- stored. No student: a teacher's own lessons.
CREATE TABLE calendar_links (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  user_id    {{uuid}} NOT NULL,
  student_id {{uuid}},
  hash       {{text}} NOT NULL,
  created_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "calendar_links"}}
CREATE UNIQUE INDEX calendar_links_hash ON calendar_links (school_id, hash);
CREATE INDEX calendar_links_user ON calendar_links (school_id, user_id);
CREATE INDEX calendar_links_student ON calendar_links (school_id, student_id);
