-- Conversations. user_id is the account of a parent, or of a teacher or driver who
-- writes with the office. peer_id is the account of a teacher or, for the office, the
-- id of the school, so it has no foreign key. student_id is the student that it is
-- about, or NULL.
CREATE TABLE message_threads (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  user_id    {{uuid}} NOT NULL,
  peer_id    {{uuid}} NOT NULL,
  student_id {{uuid}},
  created_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id)
) {{strict}};
{{tenant "message_threads"}}
-- One conversation per pair and student, and one without a student.
CREATE UNIQUE INDEX message_threads_pair ON message_threads (school_id, user_id, peer_id, student_id) WHERE student_id IS NOT NULL;
CREATE UNIQUE INDEX message_threads_general ON message_threads (school_id, user_id, peer_id) WHERE student_id IS NULL;
CREATE INDEX message_threads_student ON message_threads (school_id, student_id, id);

-- Messages. side_id is the user_id or peer_id of the side that wrote it, author_id
-- the account. read_at and read_by are of the other side. attachments are ids of files.
CREATE TABLE messages (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id          {{uuid}} NOT NULL,
  thread_id   {{uuid}} NOT NULL,
  side_id     {{uuid}} NOT NULL,
  author_id   {{uuid}} NOT NULL,
  body        {{text}} NOT NULL,
  attachments {{json}} NOT NULL,
  read_at     {{ts}},
  read_by     {{uuid}},
  created_at  {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, thread_id) REFERENCES message_threads (school_id, id),
  FOREIGN KEY (school_id, author_id) REFERENCES users (school_id, id),
  FOREIGN KEY (school_id, read_by) REFERENCES users (school_id, id)
) {{strict}};
{{tenant "messages"}}
CREATE INDEX messages_thread ON messages (school_id, thread_id, id);
CREATE INDEX messages_unread ON messages (school_id, thread_id, id, side_id) WHERE read_at IS NULL;

-- The conversation list of each side: unread count and last message, which the list
-- is sorted by (ids sort by time). user_id, peer_id and student_id are copies and
-- never change. search has the folded names at the time of the last message.
CREATE TABLE message_sides (
  school_id       {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  thread_id       {{uuid}} NOT NULL,
  side_id         {{uuid}} NOT NULL,
  user_id         {{uuid}} NOT NULL,
  peer_id         {{uuid}} NOT NULL,
  student_id      {{uuid}},
  last_message_id {{uuid}} NOT NULL,
  unread          {{int}} NOT NULL CHECK (unread >= 0),
  search          {{text}} NOT NULL,
  created_at      {{ts}} NOT NULL,
  PRIMARY KEY (school_id, thread_id, side_id),
  FOREIGN KEY (school_id, thread_id) REFERENCES message_threads (school_id, id),
  FOREIGN KEY (school_id, last_message_id) REFERENCES messages (school_id, id)
) {{strict}};
{{tenant "message_sides"}}
-- The partial index comes second: if two indexes have equal cost, SQLite takes the newer.
CREATE INDEX message_sides_newest ON message_sides (school_id, side_id, last_message_id, thread_id, unread);
CREATE INDEX message_sides_unread ON message_sides (school_id, side_id, last_message_id, thread_id, unread) WHERE unread > 0;
CREATE INDEX message_sides_student ON message_sides (school_id, side_id, student_id, last_message_id, thread_id);

-- For the office's search of recipients.
CREATE INDEX users_name ON users (school_id, name, id, role, status);
