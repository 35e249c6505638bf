-- PostgreSQL looks at the rows of a class as fast as at an index of all that is
-- asked of them, and such indexes are the largest to keep for every student.
{{if pg}}
DROP INDEX students_class;
CREATE INDEX students_class ON students (school_id, class_id, division_id, status) WHERE archived_at IS NULL;
DROP INDEX enrolments_class;
CREATE INDEX enrolments_class ON enrolments (school_id, academic_year_id, class_id, division_id);
{{end}}
