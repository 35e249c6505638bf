-- Students whose push topics are used no more: someone who may have subscribed to
-- them lost the right to see the student, and nobody can be made to unsubscribe.
CREATE TABLE closed_topics (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id {{uuid}} NOT NULL,
  PRIMARY KEY (school_id, student_id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "closed_topics"}}
{{if pg}}
CREATE FUNCTION closed_topics_close() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  -- No row where the student or the whole school is being deleted.
  INSERT INTO closed_topics (school_id, student_id)
  SELECT s.school_id, s.id FROM students s JOIN schools c ON c.id = s.school_id
  WHERE s.school_id = OLD.school_id AND s.id = OLD.student_id ON CONFLICT DO NOTHING;
  RETURN NULL;
END $body$;
CREATE TRIGGER closed_topics_unlinked AFTER DELETE ON student_guardians
  FOR EACH ROW WHEN (OLD.can_view_data) EXECUTE FUNCTION closed_topics_close();
CREATE TRIGGER closed_topics_withheld AFTER UPDATE ON student_guardians
  FOR EACH ROW WHEN (OLD.can_view_data AND NOT NEW.can_view_data) EXECUTE FUNCTION closed_topics_close();
{{else}}
CREATE TRIGGER closed_topics_unlinked AFTER DELETE ON student_guardians WHEN OLD.can_view_data
BEGIN
  INSERT INTO closed_topics (school_id, student_id)
  SELECT s.school_id, s.id FROM students s JOIN schools c ON c.id = s.school_id
  WHERE s.school_id = OLD.school_id AND s.id = OLD.student_id ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER closed_topics_withheld AFTER UPDATE ON student_guardians WHEN OLD.can_view_data AND NOT NEW.can_view_data
BEGIN
  INSERT INTO closed_topics (school_id, student_id)
  SELECT s.school_id, s.id FROM students s JOIN schools c ON c.id = s.school_id
  WHERE s.school_id = OLD.school_id AND s.id = OLD.student_id ON CONFLICT DO NOTHING;
END;
{{end}}
