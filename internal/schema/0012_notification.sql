-- Notifications in people's inboxes. record_id and student_id have no foreign keys:
-- records are of many kinds, and notifications outlive them. withdrawn ones are not
-- shown: the news was taken back, or is not for the user any more.
CREATE TABLE notifications (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  user_id    {{uuid}} NOT NULL,
  type       {{text}} NOT NULL,
  title      {{text}} NOT NULL,
  body       {{text}} NOT NULL,
  record_id  {{uuid}},
  student_id {{uuid}},
  read_at    {{ts}},
  withdrawn  {{bool}} NOT NULL DEFAULT FALSE,
  created_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "notifications"}}
CREATE INDEX notifications_user ON notifications (school_id, user_id, id);
CREATE INDEX notifications_unread ON notifications (school_id, user_id) WHERE read_at IS NULL;
CREATE INDEX notifications_student ON notifications (school_id, student_id);
CREATE INDEX notifications_record ON notifications (school_id, record_id) WHERE type IN ('ANNOUNCEMENT', 'RESULT');
CREATE INDEX notifications_old ON notifications (school_id, created_at);

-- Devices for push messages. A device belongs to the session that registered it
-- last. Its token belongs to one account on the whole platform. A browser's token is the
-- endpoint of its subscription; it has the keys that encrypt its messages.
CREATE TABLE devices (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  user_id    {{uuid}} NOT NULL,
  session_id {{uuid}} NOT NULL,
  token      {{text}} NOT NULL,
  platform   {{text}} NOT NULL DEFAULT '',
  p256dh     {{text}} NOT NULL DEFAULT '',
  auth       {{text}} NOT NULL DEFAULT '',
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, session_id) REFERENCES sessions (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "devices"}}
CREATE UNIQUE INDEX devices_token ON devices (token);
CREATE INDEX devices_user ON devices (school_id, user_id);
CREATE INDEX devices_session ON devices (school_id, session_id);

-- Notification preferences. No row: the defaults.
CREATE TABLE notification_preferences (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  user_id    {{uuid}} NOT NULL,
  quiet_from {{text}}, -- HH:MM in the school's time zone, both or neither
  quiet_to   {{text}},
  channels   {{json}} NOT NULL, -- disabled channels, by notification type
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, user_id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "notification_preferences"}}

-- Digest windows: pushes of one type to one topic are combined. There is one row for
-- the push that opened the window, already sent, and one for each later push. Rows
-- are only inserted, to avoid contention, and deleted together.
CREATE TABLE push_digests (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  topic      {{text}} NOT NULL,
  type       {{text}} NOT NULL,
  gathered   {{bool}} NOT NULL, -- waits for the end of the window
  until      {{ts}} NOT NULL,
  record_id  {{uuid}},
  student_id {{uuid}},
  users      {{json}} NOT NULL, -- users whose preferences apply
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "push_digests"}}
CREATE INDEX push_digests_topic ON push_digests (school_id, topic, type, until);
CREATE INDEX push_digests_due ON push_digests (school_id, until);
CREATE INDEX push_digests_student ON push_digests (school_id, student_id);

-- Students whose push topics are no longer used: someone who lost the right to see
-- the student may be subscribed, and FCM can't unsubscribe them.
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
  -- No row if the student or the school is being deleted.
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
