-- Stored responses of requests with an Idempotency-Key.
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

-- Rate limit counters shared by all nodes. UNLOGGED on PostgreSQL: a counter lost in
-- a crash only starts a new window.
CREATE {{if pg}}UNLOGGED {{end}}TABLE rate_counts (
  key   {{text}} PRIMARY KEY,
  since {{ts}} NOT NULL,
  n     {{int}} NOT NULL
) {{strict}};
{{grant "rate_counts"}}
