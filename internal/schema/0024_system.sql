-- The nodes, their load and the backups. They belong to the platform, not to a school.

-- One row per process. A node that stopped without saying so has no stopped_at and an old
-- seen_at.
CREATE TABLE nodes (
  id         {{uuid}} NOT NULL PRIMARY KEY,
  name       {{text}} NOT NULL,
  version    {{text}} NOT NULL,
  started_at {{ts}}   NOT NULL,
  seen_at    {{ts}}   NOT NULL,
  stopped_at {{ts}},
  sockets    {{int}}  NOT NULL,
  memory     {{int}}  NOT NULL, -- bytes
  goroutines {{int}}  NOT NULL,
  conns      {{int}}  NOT NULL, -- database connections in use
  max_conns  {{int}}  NOT NULL
) {{strict}};
{{grant "nodes"}}

-- What a node has done in a minute.
CREATE TABLE node_minutes (
  at           {{ts}}   NOT NULL, -- the start of the minute
  node_id      {{uuid}} NOT NULL,
  failed       {{int}}  NOT NULL, -- requests answered with 500 or above
  buckets      {{json}} NOT NULL, -- requests by response time
  sockets      {{int}}  NOT NULL,
  jobs_waiting {{int}}  NOT NULL, -- of all nodes
  PRIMARY KEY (at, node_id)
) {{strict}};
{{grant "node_minutes"}}

-- Backups, made by super-administrators or on a schedule. user_id has no foreign key: the row
-- outlives the account.
CREATE TABLE backups (
  id          {{uuid}} NOT NULL PRIMARY KEY,
  state       {{text}} NOT NULL CHECK (state IN ('RUNNING', 'DONE', 'FAILED')),
  failure     {{text}},
  engine      {{text}} NOT NULL,
  node        {{text}} NOT NULL, -- the name of the node that has the file
  size        {{int}},
  user_id     {{uuid}},          -- null: on schedule
  created_at  {{ts}}   NOT NULL,
  finished_at {{ts}},
  checked_at  {{ts}}             -- when it was restored for a test
) {{strict}};
{{grant "backups"}}
CREATE UNIQUE INDEX backups_running ON backups (state) WHERE state = 'RUNNING';
CREATE INDEX backups_newest ON backups (created_at, id);
