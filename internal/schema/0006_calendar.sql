-- What lists of schools search in: name, code, phone and e-mail, lower-cased by
-- the service, because the engines fold letters differently.
ALTER TABLE schools ADD COLUMN search {{text}} NOT NULL DEFAULT '';
CREATE INDEX schools_search ON schools (search, id);
CREATE INDEX schools_status ON schools (status, search, id);

-- A school's years, which never overlap. At most one is current.
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

-- Days without school; end_date is the last of them, date itself for a single day.
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
