-- A stamp says which students a school has, what they are and where they sit and
-- sat: it is another one after every change. Who has read them once can tell by
-- it whether that still holds and, by the last few stamps, who has changed since.
-- Triggers keep it.
CREATE TABLE student_stamps (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  stamp     {{text}} NOT NULL, -- at random: one that a rollback took back never returns
  recent    {{text}} NOT NULL, -- "stamp:student " of the last changes, the newest first; "stamp: " where many changed
  PRIMARY KEY (school_id)
) {{strict}};
{{tenant "student_stamps"}}
INSERT INTO student_stamps (school_id, stamp, recent) SELECT DISTINCT school_id, 'first', 'first: ' FROM students;

{{if pg}}
CREATE FUNCTION student_stamps_keep() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  new_stamp text := gen_random_uuid();
BEGIN
  IF TG_OP = 'DELETE' THEN -- perhaps because the whole school goes, and its stamp did before
    UPDATE student_stamps SET stamp = new_stamp, recent = new_stamp || ': ' WHERE school_id IN (SELECT school_id FROM went);
  ELSIF (SELECT count(*) FROM came) > 12 THEN
    INSERT INTO student_stamps (school_id, stamp, recent) SELECT DISTINCT school_id, new_stamp, new_stamp || ': ' FROM came
    ON CONFLICT (school_id) DO UPDATE SET stamp = excluded.stamp, recent = excluded.recent;
  ELSE
    INSERT INTO student_stamps AS s (school_id, stamp, recent)
    SELECT school_id, new_stamp, string_agg(new_stamp || ':' || (to_jsonb(came) ->> TG_ARGV[0]) || ' ', '') FROM came GROUP BY school_id
    ON CONFLICT (school_id) DO UPDATE SET stamp = excluded.stamp, recent = left(excluded.recent || s.recent, 1850); -- 25 of them
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER student_stamps_came AFTER INSERT ON students REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION student_stamps_keep('id');
CREATE TRIGGER student_stamps_moved AFTER UPDATE ON students REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION student_stamps_keep('id');
CREATE TRIGGER student_stamps_went AFTER DELETE ON students REFERENCING OLD TABLE AS went
  FOR EACH STATEMENT EXECUTE FUNCTION student_stamps_keep();
CREATE TRIGGER enrolment_stamps_came AFTER INSERT ON enrolments REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION student_stamps_keep('student_id');
CREATE TRIGGER enrolment_stamps_moved AFTER UPDATE ON enrolments REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION student_stamps_keep('student_id');
CREATE TRIGGER enrolment_stamps_went AFTER DELETE ON enrolments REFERENCING OLD TABLE AS went
  FOR EACH STATEMENT EXECUTE FUNCTION student_stamps_keep();
{{else}}
CREATE TRIGGER student_stamps_came AFTER INSERT ON students
BEGIN
  INSERT INTO student_stamps (school_id, stamp, recent) VALUES (NEW.school_id, hex(randomblob(16)), '')
  ON CONFLICT (school_id) DO UPDATE SET stamp = excluded.stamp;
  UPDATE student_stamps SET recent = substr(stamp || ':' || NEW.id || ' ' || recent, 1, 1750) WHERE school_id = NEW.school_id; -- 25 of them
END;
CREATE TRIGGER student_stamps_moved AFTER UPDATE ON students
BEGIN
  UPDATE student_stamps SET stamp = hex(randomblob(16)) WHERE school_id = NEW.school_id;
  UPDATE student_stamps SET recent = substr(stamp || ':' || NEW.id || ' ' || recent, 1, 1750) WHERE school_id = NEW.school_id;
END;
CREATE TRIGGER student_stamps_went AFTER DELETE ON students
BEGIN
  UPDATE student_stamps SET stamp = hex(randomblob(16)), recent = '' WHERE school_id = OLD.school_id;
  UPDATE student_stamps SET recent = stamp || ': ' WHERE school_id = OLD.school_id;
END;
CREATE TRIGGER enrolment_stamps_came AFTER INSERT ON enrolments
BEGIN
  UPDATE student_stamps SET stamp = hex(randomblob(16)) WHERE school_id = NEW.school_id;
  UPDATE student_stamps SET recent = substr(stamp || ':' || NEW.student_id || ' ' || recent, 1, 1750) WHERE school_id = NEW.school_id;
END;
CREATE TRIGGER enrolment_stamps_moved AFTER UPDATE ON enrolments
BEGIN
  UPDATE student_stamps SET stamp = hex(randomblob(16)) WHERE school_id = NEW.school_id;
  UPDATE student_stamps SET recent = substr(stamp || ':' || NEW.student_id || ' ' || recent, 1, 1750) WHERE school_id = NEW.school_id;
END;
CREATE TRIGGER enrolment_stamps_went AFTER DELETE ON enrolments
BEGIN
  UPDATE student_stamps SET stamp = hex(randomblob(16)), recent = '' WHERE school_id = OLD.school_id;
  UPDATE student_stamps SET recent = stamp || ': ' WHERE school_id = OLD.school_id;
END;
{{end}}

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
