CREATE TABLE schools (
	id     {{uuid}} NOT NULL PRIMARY KEY,
	name   {{text}} NOT NULL,
	status {{text}} NOT NULL DEFAULT 'ACTIVE'
) {{strict}};
{{grant "schools"}}

CREATE TABLE classes (
	school_id {{uuid}} NOT NULL REFERENCES schools (id),
	id        {{uuid}} NOT NULL,
	name      {{text}} NOT NULL,
	PRIMARY KEY (school_id, id)
) {{strict}};
CREATE UNIQUE INDEX classes_name ON classes (school_id, name);
{{tenant "classes"}}
