-- Schools, academic years and holidays. search is the searchable text, lower-cased by
-- the service because the engines' lower() functions differ. The platform's own row
-- (is_platform) is the school of the super-administrators; lists omit it. Its is_demo
-- marks a database with demo data.
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
  updated_at      {{ts}} NOT NULL,
  search          {{text}} NOT NULL DEFAULT ''
) {{strict}};
CREATE UNIQUE INDEX schools_code ON schools (code);
CREATE INDEX schools_name ON schools (name, id);
CREATE INDEX schools_search ON schools (search, id);
CREATE INDEX schools_status ON schools (status, search, id);

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

-- How far the import of a school has come, while it lasts: so many rows of a table.
CREATE TABLE school_imports (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  file       {{text}} NOT NULL, -- SHA-256 of the file's manifest
  entry      {{text}} NOT NULL, -- the table, or files
  count      {{int}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id)
) {{strict}};
{{tenant "school_imports"}}

-- Academic years, which never overlap. At most one is current.
CREATE TABLE academic_years (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  name       {{text}} NOT NULL,
  search     {{text}} NOT NULL,
  start_date {{text}} NOT NULL,
  end_date   {{text}} NOT NULL,
  is_current {{bool}} NOT NULL DEFAULT FALSE,
  version    {{int}} NOT NULL DEFAULT 1,
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK (end_date > start_date)
) {{strict}};
CREATE UNIQUE INDEX academic_years_name ON academic_years (school_id, search);
CREATE UNIQUE INDEX academic_years_current ON academic_years (school_id) WHERE is_current;
CREATE INDEX academic_years_start ON academic_years (school_id, start_date, id);
{{tenant "academic_years"}}

-- Holidays from date to end_date inclusive.
CREATE TABLE holidays (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  name       {{text}} NOT NULL,
  search     {{text}} NOT NULL,
  date       {{text}} NOT NULL,
  end_date   {{text}} NOT NULL,
  version    {{int}} NOT NULL DEFAULT 1,
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK (end_date >= date)
) {{strict}};
CREATE UNIQUE INDEX holidays_day ON holidays (school_id, date, search);
CREATE INDEX holidays_end ON holidays (school_id, end_date, id);
{{tenant "holidays"}}
