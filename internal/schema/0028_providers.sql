-- What real providers need to know of a message, and how many a school sends in a day.

ALTER TABLE deliveries ADD COLUMN device {{bool}} NOT NULL DEFAULT FALSE; -- to_addr is a device's token and not a topic
ALTER TABLE deliveries ADD COLUMN badge {{int}};
ALTER TABLE deliveries ADD COLUMN lang {{text}} NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN not_before {{ts}};
ALTER TABLE deliveries ADD COLUMN recheck {{bool}} NOT NULL DEFAULT FALSE; -- ask again before each try whether it may still be sent

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
