-- Grade scales. bands is [{grade, minPercent, points}], the highest first.
CREATE TABLE grade_scales (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  name       {{text}} NOT NULL,
  search     {{text}} NOT NULL,
  is_default {{bool}} NOT NULL DEFAULT FALSE,
  bands      {{json}} NOT NULL,
  version    {{int}} NOT NULL DEFAULT 1,
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "grade_scales"}}
CREATE UNIQUE INDEX grade_scales_name ON grade_scales (school_id, search);
CREATE UNIQUE INDEX grade_scales_default ON grade_scales (school_id) WHERE is_default;

-- Exams. state is set by people. A SCHEDULED exam is ONGOING from first_day, the day
-- of its first paper, and COMPLETED after last_day: see withStatus in exam/state.go.
-- start_date and end_date are the announced dates. bands is the grade scale at the
-- time of publication.
CREATE TABLE exams (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  name             {{text}} NOT NULL,
  search           {{text}} NOT NULL,
  type             {{text}} NOT NULL CHECK (type IN ('UNIT_TEST', 'TERM', 'FINAL', 'OTHER')),
  state            {{text}} NOT NULL CHECK (state IN ('DRAFT', 'SCHEDULED', 'COMPLETED', 'PUBLISHED')),
  start_date       {{text}},
  end_date         {{text}},
  first_day        {{text}},
  last_day         {{text}},
  grade_scale_id   {{uuid}},
  bands            {{json}},
  published_at     {{ts}},
  opened_at        {{ts}}, -- when a parent first opened the published results
  told_at          {{ts}}, -- when parents were last told of results, kept when these are taken back
  unpublish_reason {{text}} NOT NULL DEFAULT '',
  version          {{int}} NOT NULL DEFAULT 1,
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK (state <> 'SCHEDULED' OR first_day IS NOT NULL),
  FOREIGN KEY (school_id, academic_year_id) REFERENCES academic_years (school_id, id),
  FOREIGN KEY (school_id, grade_scale_id) REFERENCES grade_scales (school_id, id)
) {{strict}};
{{tenant "exams"}}
CREATE INDEX exams_name ON exams (school_id, academic_year_id, name, id);
CREATE INDEX exams_state ON exams (school_id, state, id);
CREATE INDEX exams_scale ON exams (school_id, grade_scale_id);
-- Target of foreign keys: year and exam must match.
CREATE UNIQUE INDEX exams_year ON exams (school_id, academic_year_id, id);

-- Classes of an exam, of its academic year.
CREATE TABLE exam_classes (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  exam_id          {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  class_id         {{uuid}} NOT NULL,
  PRIMARY KEY (school_id, exam_id, class_id),
  FOREIGN KEY (school_id, academic_year_id, exam_id) REFERENCES exams (school_id, academic_year_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, academic_year_id, class_id) REFERENCES classes (school_id, academic_year_id, id)
) {{strict}};
{{tenant "exam_classes"}}
CREATE INDEX exam_classes_class ON exam_classes (school_id, class_id, exam_id);

-- Papers: one subject of one class. Marks are in hundredths. components is
-- [{name, maxMarks}], which add up to max_marks, or [].
CREATE TABLE exam_papers (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  exam_id    {{uuid}} NOT NULL,
  class_id   {{uuid}} NOT NULL,
  subject_id {{uuid}} NOT NULL,
  date       {{text}} NOT NULL,
  start_time {{text}},
  end_time   {{text}},
  max_marks  {{int}} NOT NULL CHECK (max_marks > 0),
  pass_marks {{int}} CHECK (pass_marks BETWEEN 0 AND max_marks),
  room       {{text}} NOT NULL DEFAULT '',
  components {{json}} NOT NULL DEFAULT '[]',
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((start_time IS NULL) = (end_time IS NULL)),
  CHECK (end_time > start_time),
  FOREIGN KEY (school_id, exam_id, class_id) REFERENCES exam_classes (school_id, exam_id, class_id),
  FOREIGN KEY (school_id, exam_id) REFERENCES exams (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, subject_id) REFERENCES subjects (school_id, id)
) {{strict}};
{{tenant "exam_papers"}}
CREATE UNIQUE INDEX exam_papers_subject ON exam_papers (school_id, exam_id, class_id, subject_id);
CREATE INDEX exam_papers_date ON exam_papers (school_id, date, id);
CREATE INDEX exam_papers_class ON exam_papers (school_id, class_id, date, id);
CREATE INDEX exam_papers_used ON exam_papers (school_id, subject_id);

-- Results of students. Only the outcome SCORED has marks. class_id and division_id
-- are those of the student at that time. components is [{name, marks}].
CREATE TABLE exam_results (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id          {{uuid}} NOT NULL,
  exam_id     {{uuid}} NOT NULL,
  paper_id    {{uuid}} NOT NULL,
  student_id  {{uuid}} NOT NULL,
  class_id    {{uuid}} NOT NULL,
  division_id {{uuid}},
  marks       {{int}} CHECK (marks >= 0),
  outcome     {{text}} NOT NULL CHECK (outcome IN ('SCORED', 'ABSENT', 'EXEMPT')),
  components  {{json}} NOT NULL DEFAULT '[]',
  remark      {{text}} NOT NULL DEFAULT '',
  created_at  {{ts}} NOT NULL,
  updated_at  {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((outcome = 'SCORED') = (marks IS NOT NULL)),
  FOREIGN KEY (school_id, exam_id) REFERENCES exams (school_id, id),
  FOREIGN KEY (school_id, paper_id) REFERENCES exam_papers (school_id, id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id),
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id)
) {{strict}};
{{tenant "exam_results"}}
CREATE UNIQUE INDEX exam_results_paper ON exam_results (school_id, paper_id, student_id);
CREATE INDEX exam_results_student ON exam_results (school_id, student_id, exam_id);
CREATE INDEX exam_results_exam ON exam_results (school_id, exam_id, class_id, id);
CREATE INDEX exam_results_class ON exam_results (school_id, class_id, division_id, id);
