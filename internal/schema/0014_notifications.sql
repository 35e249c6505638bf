-- What people were told. record_id and student_id name records but do not refer to
-- them: they are of many kinds, and what was said stays said.
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
  created_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "notifications"}}
CREATE INDEX notifications_user ON notifications (school_id, user_id, id);
CREATE INDEX notifications_unread ON notifications (school_id, user_id) WHERE read_at IS NULL;
CREATE INDEX notifications_student ON notifications (school_id, student_id);
CREATE INDEX notifications_old ON notifications (school_id, created_at);

-- The devices that push messages reach. A device belongs to the session that
-- registered it last, and its token to one account on the whole platform.
CREATE TABLE devices (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  user_id    {{uuid}} NOT NULL,
  session_id {{uuid}} NOT NULL,
  token      {{text}} NOT NULL,
  platform   {{text}} NOT NULL DEFAULT '',
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

-- An administrator lists what was sent, by channel too.
CREATE INDEX deliveries_channel ON deliveries (school_id, channel, created_at, id);
