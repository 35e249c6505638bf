-- On SQLite too the rows of a class are looked at, and so are those of a list by
-- number: what is asked of them need not stand in an index as well. Deep pages of
-- large schools come from memory.
{{if not pg}}
DROP INDEX students_number;
DROP INDEX students_class;
CREATE INDEX students_class ON students (school_id, class_id, division_id, status) WHERE archived_at IS NULL;
{{end}}
