-- PostgreSQL looks at the rows of a class as fast as at an index of all that lists
-- sort by, and such an index is the largest to keep for every student.
{{if pg}}
DROP INDEX students_class;
CREATE INDEX students_class ON students (school_id, class_id, division_id, status) WHERE archived_at IS NULL;
{{end}}
