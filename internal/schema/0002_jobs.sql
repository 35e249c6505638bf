-- The job queue. A job is held while its school is closed: see jobs.Hold.

CREATE TABLE jobs (
  school_id    {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id           {{uuid}} NOT NULL,
  kind         {{text}} NOT NULL,
  payload      {{json}} NOT NULL,
  unique_key   {{text}},
  state        {{text}} NOT NULL CHECK (state IN ('waiting', 'held', 'running', 'done', 'dead')),
  run_at       {{ts}}   NOT NULL,
  attempts     {{int}}  NOT NULL DEFAULT 0,
  max_attempts {{int}}, -- NULL: the default of this kind's worker
  lease_until  {{ts}},
  leased_by    {{uuid}}, -- id of the claim; a worker with another claim may not finish the job
  last_error   {{text}},
  created_at   {{ts}}   NOT NULL,
  finished_at  {{ts}},
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "jobs"}}

-- A dead job does not block a new one with the same key.
CREATE UNIQUE INDEX jobs_unique_key ON jobs (school_id, kind, unique_key) WHERE unique_key IS NOT NULL AND state <> 'dead';
CREATE INDEX jobs_waiting ON jobs (run_at, id) WHERE state = 'waiting';
CREATE INDEX jobs_held ON jobs (school_id) WHERE state = 'held';
CREATE INDEX jobs_running ON jobs (leased_by, id) WHERE state = 'running';
CREATE INDEX jobs_dead ON jobs (school_id, created_at, id) WHERE state = 'dead';
CREATE INDEX jobs_done ON jobs (finished_at) WHERE state = 'done';

-- One row per periodic job, shared by all nodes.
CREATE TABLE job_periods (
  name       {{text}} NOT NULL PRIMARY KEY,
  next_at    {{ts}}   NOT NULL, -- while it runs: when the lease expires
  holder     {{uuid}},
  failures   {{int}}  NOT NULL DEFAULT 0,
  last_error {{text}},
  last_run   {{ts}}
) {{strict}};
{{grant "job_periods"}}
