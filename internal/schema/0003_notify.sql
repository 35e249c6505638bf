-- Messages that leave the service: SMS, e-mail and push.

-- user_id names a user but does not refer to one: what was sent outlives its reader.
CREATE TABLE deliveries (
  school_id       {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id              {{uuid}} NOT NULL,
  channel         {{text}} NOT NULL CHECK (channel IN ('sms', 'email', 'push')),
  to_addr         {{text}} NOT NULL,
  subject         {{text}} NOT NULL,
  body            {{text}} NOT NULL,
  html            {{text}} NOT NULL,
  data            {{json}} NOT NULL,
  sealed          {{bool}} NOT NULL, -- body holds the encrypted content, or nothing once it was sent
  user_id         {{uuid}},
  status          {{text}} NOT NULL CHECK (status IN ('QUEUED', 'SENT', 'FAILED')),
  attempts        {{int}}  NOT NULL DEFAULT 0,
  provider        {{text}},
  provider_answer {{text}},
  created_at      {{ts}}   NOT NULL,
  sent_at         {{ts}},
  device          {{bool}} NOT NULL DEFAULT FALSE, -- to_addr is a device's token and not a topic
  badge           {{int}},
  lang            {{text}} NOT NULL DEFAULT '',
  not_before      {{ts}},
  recheck         {{bool}} NOT NULL DEFAULT FALSE, -- ask again before each try whether it may still be sent
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "deliveries"}}

CREATE INDEX deliveries_newest ON deliveries (school_id, created_at, id);
CREATE INDEX deliveries_failed ON deliveries (school_id, created_at, id) WHERE status = 'FAILED';
CREATE INDEX deliveries_recipient ON deliveries (lower(to_addr), created_at, id);
CREATE INDEX deliveries_channel ON deliveries (school_id, channel, created_at, id);

-- One row per channel and day of a school that has a daily limit. Nodes take from
-- it in blocks, so that many messages at once don't wait for one row.
CREATE TABLE delivery_days (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  channel    {{text}} NOT NULL CHECK (channel IN ('sms', 'email')),
  day        {{text}} NOT NULL, -- the school's own
  taken      {{int}}  NOT NULL,
  alerted_at {{ts}},
  created_at {{ts}}   NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "delivery_days"}}
CREATE UNIQUE INDEX delivery_days_day ON delivery_days (school_id, channel, day);
CREATE INDEX delivery_days_old ON delivery_days (school_id, created_at);
