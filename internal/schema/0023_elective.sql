-- Electives: subjects of a class that only some of its students take. Any other
-- subject of a class is taken by everyone.
CREATE TABLE electives (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  class_id   {{uuid}} NOT NULL,
  subject_id {{uuid}} NOT NULL,
  created_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, class_id, subject_id),
  FOREIGN KEY (school_id, class_id, subject_id) REFERENCES class_subjects (school_id, class_id, subject_id) ON DELETE CASCADE
) {{strict}};
{{tenant "electives"}}

-- Who takes an elective.
CREATE TABLE elective_students (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  class_id   {{uuid}} NOT NULL,
  subject_id {{uuid}} NOT NULL,
  student_id {{uuid}} NOT NULL,
  PRIMARY KEY (school_id, class_id, subject_id, student_id),
  FOREIGN KEY (school_id, class_id, subject_id) REFERENCES electives (school_id, class_id, subject_id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "elective_students"}}
CREATE INDEX elective_students_student ON elective_students (school_id, student_id, class_id);
