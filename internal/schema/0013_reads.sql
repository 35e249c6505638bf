-- Who has seen which record. user_id and record_id name records but do not refer
-- to them: what was seen stays so when they are gone. Rows are never changed.
CREATE TABLE reads (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  at         {{ts}} NOT NULL,
  user_id    {{uuid}} NOT NULL,
  role       {{text}} NOT NULL,
  entity     {{text}} NOT NULL,
  record_id  {{uuid}} NOT NULL,
  request_id {{text}} NOT NULL,
  ip         {{text}} NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "reads" "append-only"}}
-- A school's own list, by each of its filters; a record's id is enough to find
-- it, whatever it is. reads_newest comes last: where SQLite, without statistics,
-- thinks two indexes equally good, it takes the older one.
CREATE INDEX reads_record ON reads (school_id, record_id, at, id);
CREATE INDEX reads_user ON reads (school_id, user_id, at, id);
CREATE INDEX reads_newest ON reads (school_id, at, id);
