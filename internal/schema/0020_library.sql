-- The library. A book is a title; its copies are lent. search has title, author, ISBN
-- and accession numbers as people.Fold returns them; title_key and author_key are
-- folded prefixes to sort by.
CREATE TABLE library_books (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id          {{uuid}} NOT NULL,
  archived_at {{ts}},
  search      {{text}} NOT NULL,
  title       {{text}} NOT NULL,
  author      {{text}} NOT NULL DEFAULT '',
  isbn        {{text}} NOT NULL DEFAULT '', -- 13 digits
  publisher   {{text}} NOT NULL DEFAULT '',
  category    {{text}} NOT NULL DEFAULT '',
  shelf       {{text}} NOT NULL DEFAULT '',
  price       {{int}} NOT NULL DEFAULT 0 CHECK (price >= 0), -- minor units; 0: the rules' price
  available   {{int}} NOT NULL DEFAULT 0, -- copies that are AVAILABLE
  title_key   {{text}} NOT NULL,
  author_key  {{text}} NOT NULL,
  version     {{int}} NOT NULL DEFAULT 1,
  created_at  {{ts}} NOT NULL,
  updated_at  {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "library_books"}}
CREATE UNIQUE INDEX library_books_isbn ON library_books (school_id, isbn) WHERE isbn <> '' AND archived_at IS NULL;
-- archived_at and search are for SQLite, as in the indexes of students.
CREATE INDEX library_books_title ON library_books (school_id, title_key, id, archived_at{{if not pg}}, search{{end}}) WHERE archived_at IS NULL;
CREATE INDEX library_books_author ON library_books (school_id, author_key, title_key, id{{if not pg}}, search{{end}}) WHERE archived_at IS NULL;
CREATE INDEX library_books_category ON library_books (school_id, category, title_key, id) WHERE archived_at IS NULL;
CREATE INDEX library_books_available ON library_books (school_id, title_key, id) WHERE archived_at IS NULL AND available > 0;

CREATE TABLE library_copies (
  school_id    {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id           {{uuid}} NOT NULL,
  book_id      {{uuid}} NOT NULL,
  accession_no {{text}} NOT NULL,
  status       {{text}} NOT NULL CHECK (status IN ('AVAILABLE', 'HELD', 'ISSUED', 'LOST', 'WITHDRAWN')),
  created_at   {{ts}} NOT NULL,
  updated_at   {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, book_id) REFERENCES library_books (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "library_copies"}}
CREATE UNIQUE INDEX library_copies_accession_no ON library_copies (school_id, accession_no);
CREATE INDEX library_copies_book ON library_copies (school_id, book_id, accession_no);
CREATE INDEX library_copies_held ON library_copies (school_id, book_id) WHERE status = 'HELD';

-- The last accession number of the school's sequence.
CREATE TABLE library_numbers (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  last      {{int}} NOT NULL,
  PRIMARY KEY (school_id)
) {{strict}};
{{tenant "library_numbers"}}

-- Library rules of a school. No row: the defaults.
CREATE TABLE library_rules (
  school_id      {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_loans  {{int}} NOT NULL,
  student_days   {{int}} NOT NULL,
  employee_loans {{int}} NOT NULL,
  employee_days  {{int}} NOT NULL,
  max_renewals   {{int}} NOT NULL,
  hold_days      {{int}} NOT NULL,
  fine_per_day   {{int}} NOT NULL, -- minor units, as the next two
  max_fine       {{int}} NOT NULL, -- 0: none
  default_price  {{int}} NOT NULL,
  overdue_blocks {{bool}} NOT NULL,
  version        {{int}} NOT NULL,
  updated_at     {{ts}} NOT NULL,
  PRIMARY KEY (school_id)
) {{strict}};
{{tenant "library_rules"}}

-- Loans. A loan is overdue if it is ISSUED and due_date has passed.
CREATE TABLE library_loans (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id          {{uuid}} NOT NULL,
  book_id     {{uuid}} NOT NULL,
  copy_id     {{uuid}} NOT NULL,
  student_id  {{uuid}},
  employee_id {{uuid}},
  issue_date  {{text}} NOT NULL,
  due_date    {{text}} NOT NULL,
  return_date {{text}}, -- or the date when it was reported lost
  status      {{text}} NOT NULL CHECK (status IN ('ISSUED', 'RETURNED', 'LOST')),
  renewals    {{int}} NOT NULL DEFAULT 0,
  fine        {{int}} NOT NULL DEFAULT 0, -- minor units, as replacement
  replacement {{int}} NOT NULL DEFAULT 0,
  reminded_on {{text}}, -- day of the last overdue reminder
  created_at  {{ts}} NOT NULL,
  updated_at  {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((student_id IS NULL) <> (employee_id IS NULL)),
  CHECK ((status = 'ISSUED') = (return_date IS NULL)),
  FOREIGN KEY (school_id, book_id) REFERENCES library_books (school_id, id),
  FOREIGN KEY (school_id, copy_id) REFERENCES library_copies (school_id, id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id),
  FOREIGN KEY (school_id, employee_id) REFERENCES employees (school_id, id)
) {{strict}};
{{tenant "library_loans"}}
CREATE UNIQUE INDEX library_loans_out ON library_loans (school_id, copy_id) WHERE status = 'ISSUED';
CREATE INDEX library_loans_open ON library_loans (school_id, due_date, id) WHERE status = 'ISSUED';
CREATE INDEX library_loans_status ON library_loans (school_id, status, id);
CREATE INDEX library_loans_due ON library_loans (school_id, due_date, id);
CREATE INDEX library_loans_copy ON library_loans (school_id, copy_id, id);
CREATE INDEX library_loans_book ON library_loans (school_id, book_id, id);
CREATE INDEX library_loans_student ON library_loans (school_id, student_id, id) WHERE student_id IS NOT NULL;
CREATE INDEX library_loans_employee ON library_loans (school_id, employee_id, id) WHERE employee_id IS NOT NULL;

-- Reservations, in order of id. A copy is HELD exactly while a READY reservation
-- refers to it.
CREATE TABLE library_reservations (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id          {{uuid}} NOT NULL,
  book_id     {{uuid}} NOT NULL,
  copy_id     {{uuid}},
  student_id  {{uuid}},
  employee_id {{uuid}},
  status      {{text}} NOT NULL CHECK (status IN ('WAITING', 'READY', 'FULFILLED', 'CANCELLED', 'EXPIRED')),
  hold_until  {{text}}, -- last day on which the copy is held
  created_at  {{ts}} NOT NULL,
  updated_at  {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((student_id IS NULL) <> (employee_id IS NULL)),
  CHECK (status <> 'READY' OR (copy_id IS NOT NULL AND hold_until IS NOT NULL)),
  FOREIGN KEY (school_id, book_id) REFERENCES library_books (school_id, id),
  FOREIGN KEY (school_id, copy_id) REFERENCES library_copies (school_id, id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id),
  FOREIGN KEY (school_id, employee_id) REFERENCES employees (school_id, id)
) {{strict}};
{{tenant "library_reservations"}}
CREATE UNIQUE INDEX library_reservations_by_student ON library_reservations (school_id, student_id, book_id)
  WHERE student_id IS NOT NULL AND status IN ('WAITING', 'READY');
CREATE UNIQUE INDEX library_reservations_by_employee ON library_reservations (school_id, employee_id, book_id)
  WHERE employee_id IS NOT NULL AND status IN ('WAITING', 'READY');
CREATE UNIQUE INDEX library_reservations_held ON library_reservations (school_id, copy_id) WHERE status = 'READY';
CREATE INDEX library_reservations_queue ON library_reservations (school_id, book_id, id) WHERE status IN ('WAITING', 'READY');
CREATE INDEX library_reservations_status ON library_reservations (school_id, status, id);
CREATE INDEX library_reservations_book ON library_reservations (school_id, book_id, id);
CREATE INDEX library_reservations_student ON library_reservations (school_id, student_id, id) WHERE student_id IS NOT NULL;
CREATE INDEX library_reservations_employee ON library_reservations (school_id, employee_id, id) WHERE employee_id IS NOT NULL;
CREATE INDEX library_reservations_copy ON library_reservations (school_id, copy_id);
