-- Schools. The platform's own record (is_platform) is the school of the
-- super-administrators; no list shows it. Its is_demo says that --demo has filled
-- this database.
CREATE TABLE schools (
  id              {{uuid}} PRIMARY KEY,
  name            {{text}} NOT NULL,
  code            {{text}} NOT NULL,
  phone           {{text}} NOT NULL DEFAULT '',
  email           {{text}} NOT NULL DEFAULT '',
  address         {{text}} NOT NULL DEFAULT '',
  timezone        {{text}} NOT NULL,
  currency        {{text}} NOT NULL,
  locale          {{text}} NOT NULL,
  logo_file_id    {{uuid}},
  status          {{text}} NOT NULL CHECK (status IN ('ACTIVE', 'SUSPENDED', 'DELETING')),
  evaluation_mode {{bool}} NOT NULL DEFAULT FALSE,
  is_platform     {{bool}} NOT NULL DEFAULT FALSE,
  is_demo         {{bool}} NOT NULL DEFAULT FALSE,
  settings        {{json}} NOT NULL DEFAULT '{}',
  version         {{int}} NOT NULL DEFAULT 1,
  created_at      {{ts}} NOT NULL,
  updated_at      {{ts}} NOT NULL
) {{strict}};
CREATE UNIQUE INDEX schools_code ON schools (code);
CREATE INDEX schools_name ON schools (name, id);

{{if pg}}
ALTER TABLE schools ENABLE ROW LEVEL SECURITY;
ALTER TABLE schools FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON schools TO homeroom_app
  USING (id = (SELECT current_setting('homeroom.school')::uuid))
  WITH CHECK (id = (SELECT current_setting('homeroom.school')::uuid));
CREATE POLICY platform ON schools TO homeroom_platform USING (TRUE) WITH CHECK (TRUE);
GRANT SELECT, UPDATE ON schools TO homeroom_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON schools TO homeroom_platform;
{{end}}
