-- Keys with which other systems read rosters. A key has the rights of the account that
-- created it, and goes with it.
CREATE TABLE oneroster_keys (
  school_id    {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id           {{uuid}} NOT NULL,
  user_id      {{uuid}} NOT NULL, -- who created it
  name         {{text}} NOT NULL,
  hash         {{text}} NOT NULL, -- of the secret
  last_used_on {{text}}, -- a day
  created_at   {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "oneroster_keys"}}
CREATE INDEX oneroster_keys_name ON oneroster_keys (school_id, name, id);
CREATE INDEX oneroster_keys_user ON oneroster_keys (school_id, user_id);
