CREATE TABLE pupils (
	school_id  {{uuid}} NOT NULL REFERENCES schools (id),
	id         {{uuid}} NOT NULL,
	class_id   {{uuid}},
	name       {{text}} NOT NULL,
	email      {{text}},
	marks      {{int}} NOT NULL DEFAULT 0,
	height     {{float}},
	active     {{bool}} NOT NULL DEFAULT TRUE,
	born       {{text}},
	tags       {{json}} NOT NULL DEFAULT '[]',
	created_at {{ts}} NOT NULL,
	left_at    {{ts}},
	PRIMARY KEY (school_id, id),
	FOREIGN KEY (school_id, class_id) REFERENCES classes (school_id, id)
) {{strict}};
CREATE INDEX pupils_class ON pupils (school_id, class_id);
CREATE UNIQUE INDEX pupils_email ON pupils (school_id, lower(email)) WHERE email IS NOT NULL;
{{tenant "pupils"}}

CREATE TABLE journal (
	school_id {{uuid}} NOT NULL REFERENCES schools (id),
	id        {{uuid}} NOT NULL,
	entry     {{text}} NOT NULL,
	PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "journal" "append-only"}}
