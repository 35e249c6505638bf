-- Conversations of two sides. user_id is a person: a parent, or the teacher or
-- driver who talks with the office. peer_id is the other side: the account of a
-- teacher or, for the office, the id of the school, so that it refers to no one
-- table. student_id is whom it is about; NULL for nobody in particular.
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
-- Two sides have one conversation about each student, and one about nobody.
CREATE UNIQUE INDEX message_threads_pair ON message_threads (school_id, user_id, peer_id, student_id) WHERE student_id IS NOT NULL;
CREATE UNIQUE INDEX message_threads_general ON message_threads (school_id, user_id, peer_id) WHERE student_id IS NULL;
CREATE INDEX message_threads_student ON message_threads (school_id, student_id, id);

-- side_id is the side that wrote it, as in message_threads, and author_id the
-- account. read_at and read_by are those of the other side. attachments are ids
-- of files.
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

-- A conversation as one of its sides lists it: with what that side has not read,
-- and with the last message of either side, by which the list is in order (ids
-- sort by time). user_id, peer_id and student_id are those of the conversation and
-- never change; search holds its names, folded, as they were at the last message.
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
-- The partial index comes second: of two that cost the same, SQLite takes the newer.
CREATE INDEX message_sides_newest ON message_sides (school_id, side_id, last_message_id, thread_id, unread);
CREATE INDEX message_sides_unread ON message_sides (school_id, side_id, last_message_id, thread_id, unread) WHERE unread > 0;
CREATE INDEX message_sides_student ON message_sides (school_id, side_id, student_id, last_message_id, thread_id);

-- The office looks for whom to write to.
CREATE INDEX users_name ON users (school_id, name, id, role, status);
