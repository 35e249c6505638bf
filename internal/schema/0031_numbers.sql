-- On PostgreSQL the index that keeps admission numbers apart answers lists by
-- number as well: one less to keep for every student.
{{if pg}}
DROP INDEX students_number;
DROP INDEX students_admission_no;
CREATE UNIQUE INDEX students_admission_no ON students (school_id, admission_no) INCLUDE (id, status, archived_at);
{{end}}
