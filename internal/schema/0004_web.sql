-- The first answer to a keyed request, kept to be given again.
CREATE TABLE idempotency_keys (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  user_id    {{uuid}} NOT NULL,
  key        {{text}} NOT NULL,
  hash       {{text}} NOT NULL,
  status     {{int}} NOT NULL,
  body       {{text}} NOT NULL,
  created_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
CREATE UNIQUE INDEX idempotency_keys_key ON idempotency_keys (school_id, user_id, key);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
{{tenant "idempotency_keys"}}

-- Calls counted per minute where several nodes must agree. A count lost in a
-- crash starts a new window, so PostgreSQL need not log it.
CREATE {{if pg}}UNLOGGED {{end}}TABLE rate_counts (
  key   {{text}} PRIMARY KEY,
  since {{ts}} NOT NULL,
  n     {{int}} NOT NULL
) {{strict}};
{{grant "rate_counts"}}
