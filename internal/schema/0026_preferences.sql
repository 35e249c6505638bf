-- In what language a person is spoken to; NULL: the school's.
ALTER TABLE users ADD COLUMN locale {{text}};

-- What people want to hear of, how and when. Who has no row has set nothing.
CREATE TABLE notification_preferences (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  user_id    {{uuid}} NOT NULL,
  quiet_from {{text}}, -- HH:MM in the school's time zone, both or neither
  quiet_to   {{text}},
  channels   {{json}} NOT NULL, -- by type, what is switched off
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, user_id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "notification_preferences"}}

-- The windows in which pushes of one type to one topic are gathered: a row for
-- the push that opened it and has left, and one for each that came after. Rows are
-- only added, so that nobody waits for anybody, and taken away together.
CREATE TABLE push_digests (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  topic      {{text}} NOT NULL,
  type       {{text}} NOT NULL,
  gathered   {{bool}} NOT NULL, -- it has yet to leave
  until      {{ts}} NOT NULL,
  record_id  {{uuid}},
  student_id {{uuid}},
  users      {{json}} NOT NULL, -- whose preferences count
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "push_digests"}}
CREATE INDEX push_digests_topic ON push_digests (school_id, topic, type, until);
CREATE INDEX push_digests_due ON push_digests (school_id, until);
CREATE INDEX push_digests_student ON push_digests (school_id, student_id);
