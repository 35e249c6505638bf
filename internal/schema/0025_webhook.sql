-- Webhooks: URLs of other systems that are told of events. Those of the platform's own
-- school get the events of all schools.
CREATE TABLE webhooks (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id            {{uuid}} NOT NULL,
  name          {{text}} NOT NULL,
  url           {{text}} NOT NULL,
  events        {{json}} NOT NULL,
  secret        {{text}} NOT NULL, -- sealed
  old_secret    {{text}} NOT NULL, -- sealed; signs, too, until old_until
  old_until     {{ts}},
  status        {{text}} NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
  problem       {{text}} NOT NULL, -- why the service has disabled it
  failing_since {{ts}},
  failures      {{int}} NOT NULL DEFAULT 0, -- since the last success
  paused_until  {{ts}},
  sender        {{uuid}}, -- the job that sends now
  sender_until  {{ts}},
  version       {{int}} NOT NULL DEFAULT 1,
  created_at    {{ts}} NOT NULL,
  updated_at    {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "webhooks"}}
CREATE INDEX webhooks_name ON webhooks (school_id, name, id);

-- Events for one webhook. event_id is the entry of the audit log, which has no foreign key:
-- pings have none, and entries may be deleted first.
CREATE TABLE webhook_deliveries (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  webhook_id  {{uuid}} NOT NULL,
  event_id    {{uuid}} NOT NULL,
  type        {{text}} NOT NULL,
  body        {{text}} NOT NULL,
  status      {{text}} NOT NULL CHECK (status IN ('PENDING', 'DELIVERED', 'FAILED')),
  attempts    {{int}} NOT NULL DEFAULT 0,
  due_at      {{ts}} NOT NULL,
  answer      {{int}}, -- HTTP status of the last attempt
  response    {{text}} NOT NULL, -- start of its body, or the error
  created_at  {{ts}} NOT NULL,
  finished_at {{ts}},
  PRIMARY KEY (school_id, webhook_id, event_id),
  FOREIGN KEY (school_id, webhook_id) REFERENCES webhooks (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "webhook_deliveries"}}
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (school_id, webhook_id, due_at, event_id) WHERE status = 'PENDING';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (school_id, webhook_id, created_at, event_id);
CREATE INDEX webhook_deliveries_status ON webhook_deliveries (school_id, webhook_id, status, created_at, event_id);
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (school_id, created_at);
