-- SQLite takes it that a school has ten rows in a table, and so reads all of a
-- school rather than an index that has to look rows up. Of the two tables that lie
-- in their keys' index it is told what schools are like: of a thousand children,
-- each with two guardians and in two years, in divisions of twenty-five.
{{if not pg}}
ANALYZE student_guardians; -- which makes the table of what is known
DELETE FROM sqlite_stat1 WHERE tbl IN ('student_guardians', 'enrolments');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('student_guardians', 'student_guardians',          '1000000 2000 2 1'),
  ('student_guardians', 'student_guardians_guardian', '1000000 2000 2 1'),
  ('enrolments',        'enrolments',                 '1000000 2000 2 1'),
  ('enrolments',        'enrolments_class',           '1000000 2000 1000 50 25 1');
ANALYZE sqlite_schema; -- has it read
{{end}}
