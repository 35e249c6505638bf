-- Outgoing messages: SMS, e-mail and push.

-- user_id has no foreign key: deliveries outlive the user.
CREATE TABLE deliveries (
  school_id       {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id              {{uuid}} NOT NULL,
  channel         {{text}} NOT NULL CHECK (channel IN ('sms', 'email', 'push')),
  to_addr         {{text}} NOT NULL,
  subject         {{text}} NOT NULL,
  body            {{text}} NOT NULL,
  html            {{text}} NOT NULL,
  data            {{json}} NOT NULL,
  sealed          {{bool}} NOT NULL, -- body is encrypted, and emptied once sent
  user_id         {{uuid}},
  status          {{text}} NOT NULL CHECK (status IN ('QUEUED', 'SENT', 'FAILED')),
  attempts        {{int}}  NOT NULL DEFAULT 0,
  provider        {{text}},
  provider_answer {{text}},
  created_at      {{ts}}   NOT NULL,
  sent_at         {{ts}},
  device          {{bool}} NOT NULL DEFAULT FALSE, -- to_addr is a device token, not a topic
  badge           {{int}},
  lang            {{text}} NOT NULL DEFAULT '',
  not_before      {{ts}},
  recheck         {{bool}} NOT NULL DEFAULT FALSE, -- check before each attempt whether it may still be sent
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "deliveries"}}

CREATE INDEX deliveries_newest ON deliveries (school_id, created_at, id);
CREATE INDEX deliveries_failed ON deliveries (school_id, created_at, id) WHERE status = 'FAILED';
CREATE INDEX deliveries_recipient ON deliveries (lower(to_addr), created_at, id);
CREATE INDEX deliveries_channel ON deliveries (school_id, channel, created_at, id);

-- The key that identifies the installation to the push services of browsers. It is a
-- row of the platform's own school.
CREATE TABLE web_push_keys (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id          {{uuid}} NOT NULL,
  private_key {{text}} NOT NULL, -- encrypted
  created_at  {{ts}}   NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "web_push_keys"}}
CREATE UNIQUE INDEX web_push_keys_one ON web_push_keys (school_id);

-- Use of the daily limits: one row per channel and day. Nodes reserve messages in
-- blocks, to avoid contention on the row.
CREATE TABLE delivery_days (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  channel    {{text}} NOT NULL CHECK (channel IN ('sms', 'email')),
  day        {{text}} NOT NULL, -- in the school's time zone
  taken      {{int}}  NOT NULL,
  alerted_at {{ts}},
  created_at {{ts}}   NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "delivery_days"}}
CREATE UNIQUE INDEX delivery_days_day ON delivery_days (school_id, channel, day);
CREATE INDEX delivery_days_old ON delivery_days (school_id, created_at);
