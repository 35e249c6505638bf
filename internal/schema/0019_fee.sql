-- Fees. Amounts are in minor units. ledger_* and fee_allocations are the ledger:
-- append-only, with no personal data but ids. fee_charges and fee_accounts have the
-- totals per charge and student, updated in the same transaction.

-- Fee heads, such as tuition. system is set for heads that the service charges to.
CREATE TABLE fee_heads (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  name       {{text}} NOT NULL,
  code       {{text}} NOT NULL DEFAULT '',
  search     {{text}} NOT NULL, -- the name, folded: see people.Fold
  system     {{text}} NOT NULL DEFAULT '' CHECK (system IN ('', 'LATE_FINE', 'LIBRARY_FINE', 'OPENING')),
  version    {{int}} NOT NULL DEFAULT 1,
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "fee_heads"}}
CREATE UNIQUE INDEX fee_heads_name ON fee_heads (school_id, search);
CREATE UNIQUE INDEX fee_heads_code ON fee_heads (school_id, code) WHERE code <> '';
CREATE UNIQUE INDEX fee_heads_system ON fee_heads (school_id, system) WHERE system <> '';

-- Fee structures, one per class and so per academic year.
CREATE TABLE fee_structures (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  class_id         {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  terms            {{int}} NOT NULL CHECK (terms BETWEEN 1 AND 4),
  fine_per_day     {{int}} CHECK (fine_per_day > 0),
  fine_flat        {{int}} CHECK (fine_flat > 0),
  grace_days       {{int}} NOT NULL DEFAULT 0 CHECK (grace_days >= 0),
  version          {{int}} NOT NULL DEFAULT 1,
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK (fine_per_day IS NULL OR fine_flat IS NULL),
  FOREIGN KEY (school_id, academic_year_id, class_id) REFERENCES classes (school_id, academic_year_id, id)
) {{strict}};
{{tenant "fee_structures"}}
CREATE UNIQUE INDEX fee_structures_class ON fee_structures (school_id, class_id);
CREATE INDEX fee_structures_year ON fee_structures (school_id, academic_year_id, id);

CREATE TABLE fee_items (
  school_id    {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id           {{uuid}} NOT NULL,
  structure_id {{uuid}} NOT NULL,
  head_id      {{uuid}} NOT NULL,
  amount       {{int}} NOT NULL CHECK (amount > 0),
  frequency    {{text}} NOT NULL CHECK (frequency IN ('ONCE', 'MONTHLY', 'QUARTERLY', 'TERM', 'YEARLY')),
  due_day      {{int}} CHECK (due_day BETWEEN 1 AND 31),
  due_date     {{text}},
  is_optional  {{bool}} NOT NULL,
  category     {{text}} NOT NULL DEFAULT '', -- of students; '': all
  start_date   {{text}}, -- periods that start earlier are not charged,
  end_date     {{text}}, -- nor those that start later
  position     {{int}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, structure_id) REFERENCES fee_structures (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, head_id) REFERENCES fee_heads (school_id, id)
) {{strict}};
{{tenant "fee_items"}}
CREATE INDEX fee_items_structure ON fee_items (school_id, structure_id, position);
CREATE INDEX fee_items_head ON fee_items (school_id, head_id);

-- Fee accounts, one per student: totals of the ledger, and the student's fee profile.
CREATE TABLE fee_accounts (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id  {{uuid}} NOT NULL,
  category    {{text}} NOT NULL DEFAULT '',
  due         {{int}} NOT NULL DEFAULT 0 CHECK (due >= 0),
  advance     {{int}} NOT NULL DEFAULT 0 CHECK (advance >= 0),
  reminded_on {{text}},
  version     {{int}} NOT NULL DEFAULT 1, -- incremented by every transaction of the student
  created_at  {{ts}} NOT NULL,
  updated_at  {{ts}} NOT NULL,
  PRIMARY KEY (school_id, student_id),
  CHECK (due = 0 OR advance = 0), -- an advance pays new charges at once
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "fee_accounts"}}
CREATE INDEX fee_accounts_due ON fee_accounts (school_id, due, student_id) WHERE due > 0;

-- The optional items that a student takes.
CREATE TABLE fee_options (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id {{uuid}} NOT NULL,
  item_id    {{uuid}} NOT NULL,
  PRIMARY KEY (school_id, student_id, item_id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, item_id) REFERENCES fee_items (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "fee_options"}}
CREATE INDEX fee_options_item ON fee_options (school_id, item_id);

-- Charges of students. period distinguishes the charges of one item; reference is the
-- record that another module charged for; fine_of is the overdue charge of a late fine.
CREATE TABLE fee_charges (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  student_id       {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  head_id          {{uuid}} NOT NULL,
  item_id          {{uuid}},
  period           {{text}} NOT NULL DEFAULT '',
  reference        {{text}},
  fine_of          {{uuid}},
  title            {{text}} NOT NULL,
  note             {{text}} NOT NULL DEFAULT '',
  amount           {{int}} NOT NULL CHECK (amount > 0),
  paid             {{int}} NOT NULL CHECK (paid >= 0),
  conceded         {{int}} NOT NULL CHECK (conceded >= 0),
  due_date         {{text}} NOT NULL,
  charged_on       {{text}} NOT NULL,
  fined_until      {{text}}, -- late fines are charged up to and including this day
  status           {{text}} NOT NULL,
  void_reason      {{text}} NOT NULL DEFAULT '',
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK (CASE status
    WHEN 'OPEN' THEN paid = 0 AND conceded < amount
    WHEN 'PARTIAL' THEN paid > 0 AND paid + conceded < amount
    WHEN 'PAID' THEN paid > 0 AND paid + conceded = amount
    WHEN 'WAIVED' THEN paid = 0 AND conceded = amount
    WHEN 'VOID' THEN paid = 0 AND conceded = 0
    ELSE FALSE END),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id),
  FOREIGN KEY (school_id, academic_year_id) REFERENCES academic_years (school_id, id),
  FOREIGN KEY (school_id, head_id) REFERENCES fee_heads (school_id, id),
  FOREIGN KEY (school_id, item_id) REFERENCES fee_items (school_id, id),
  FOREIGN KEY (school_id, fine_of) REFERENCES fee_charges (school_id, id)
) {{strict}};
{{tenant "fee_charges"}}
CREATE UNIQUE INDEX fee_charges_once ON fee_charges (school_id, item_id, period, student_id) WHERE item_id IS NOT NULL;
CREATE UNIQUE INDEX fee_charges_reference ON fee_charges (school_id, reference) WHERE reference IS NOT NULL;
CREATE UNIQUE INDEX fee_charges_fine ON fee_charges (school_id, fine_of) WHERE fine_of IS NOT NULL;
CREATE INDEX fee_charges_student ON fee_charges (school_id, student_id, due_date, id);
CREATE INDEX fee_charges_due ON fee_charges (school_id, due_date, id);
CREATE INDEX fee_charges_open ON fee_charges (school_id, due_date, id) WHERE status IN ('OPEN', 'PARTIAL');
CREATE INDEX fee_charges_head ON fee_charges (school_id, head_id, due_date, id);

-- Concessions: a percentage of every charge, or an amount until it is used up.
CREATE TABLE fee_concessions (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  student_id       {{uuid}} NOT NULL,
  head_id          {{uuid}}, -- NULL: all heads except fines
  academic_year_id {{uuid}}, -- NULL: all years
  percent          {{int}} CHECK (percent BETWEEN 1 AND 10000), -- in hundredths
  amount           {{int}} CHECK (amount > 0),
  given            {{int}} NOT NULL CHECK (given >= 0),
  reason           {{text}} NOT NULL DEFAULT '',
  status           {{text}} NOT NULL CHECK (status IN ('ACTIVE', 'REVOKED')),
  revoke_reason    {{text}} NOT NULL DEFAULT '',
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((percent IS NULL) <> (amount IS NULL)),
  CHECK (amount IS NULL OR given <= amount),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id),
  FOREIGN KEY (school_id, head_id) REFERENCES fee_heads (school_id, id),
  FOREIGN KEY (school_id, academic_year_id) REFERENCES academic_years (school_id, id)
) {{strict}};
{{tenant "fee_concessions"}}
CREATE INDEX fee_concessions_student ON fee_concessions (school_id, student_id, id);
CREATE INDEX fee_concessions_head ON fee_concessions (school_id, head_id);

-- Receipts. no is gapless within an academic year; seq is the ledger transaction.
CREATE TABLE fee_receipts (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  no               {{int}} NOT NULL CHECK (no > 0),
  number           {{text}} NOT NULL,
  date             {{text}} NOT NULL,
  method           {{text}} NOT NULL,
  reference        {{text}} NOT NULL DEFAULT '',
  payer            {{text}} NOT NULL DEFAULT '',
  note             {{text}} NOT NULL DEFAULT '',
  amount           {{int}} NOT NULL CHECK (amount > 0),
  status           {{text}} NOT NULL CHECK (status IN ('ISSUED', 'REVERSED')),
  reversed_on      {{text}},
  reversal_reason  {{text}} NOT NULL DEFAULT '',
  received_by      {{uuid}},
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((status = 'REVERSED') = (reversed_on IS NOT NULL)),
  FOREIGN KEY (school_id, academic_year_id) REFERENCES academic_years (school_id, id)
) {{strict}}{{if not pg}}, WITHOUT ROWID{{end}};
{{tenant "fee_receipts"}}
CREATE UNIQUE INDEX fee_receipts_no ON fee_receipts (school_id, academic_year_id, no);
CREATE INDEX fee_receipts_date ON fee_receipts (school_id, date, id);
CREATE INDEX fee_receipts_method ON fee_receipts (school_id, method, date, id);
CREATE UNIQUE INDEX fee_receipts_number ON fee_receipts (school_id, number);

-- The share of each student in a receipt. advance is the amount that was not due.
CREATE TABLE fee_receipt_lines (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  receipt_id {{uuid}} NOT NULL,
  student_id {{uuid}} NOT NULL,
  amount     {{int}} NOT NULL CHECK (amount > 0),
  advance    {{int}} NOT NULL CHECK (advance >= 0 AND advance <= amount),
  PRIMARY KEY (school_id, student_id, receipt_id),
  FOREIGN KEY (school_id, receipt_id) REFERENCES fee_receipts (school_id, id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id)
) {{strict}}{{if not pg}}, WITHOUT ROWID{{end}};
{{tenant "fee_receipt_lines" "append-only"}}
CREATE INDEX fee_receipt_lines_receipt ON fee_receipt_lines (school_id, receipt_id);

-- Refunds of advances. no is gapless within an academic year, as that of receipts.
CREATE TABLE fee_refunds (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  student_id       {{uuid}} NOT NULL,
  academic_year_id {{uuid}} NOT NULL,
  no               {{int}} NOT NULL CHECK (no > 0),
  number           {{text}} NOT NULL,
  date             {{text}} NOT NULL,
  method           {{text}} NOT NULL,
  reference        {{text}} NOT NULL DEFAULT '',
  reason           {{text}} NOT NULL DEFAULT '',
  amount           {{int}} NOT NULL CHECK (amount > 0),
  status           {{text}} NOT NULL CHECK (status IN ('PAID', 'REVERSED')),
  reversed_on      {{text}},
  reversal_reason  {{text}} NOT NULL DEFAULT '',
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((status = 'REVERSED') = (reversed_on IS NOT NULL)),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id),
  FOREIGN KEY (school_id, academic_year_id) REFERENCES academic_years (school_id, id)
) {{strict}};
{{tenant "fee_refunds"}}
CREATE UNIQUE INDEX fee_refunds_no ON fee_refunds (school_id, academic_year_id, no);
CREATE UNIQUE INDEX fee_refunds_number ON fee_refunds (school_id, number);
CREATE INDEX fee_refunds_student ON fee_refunds (school_id, student_id, date, id);
CREATE INDEX fee_refunds_date ON fee_refunds (school_id, date, id);

-- Opening balances: what a student owed, or had paid ahead, before the school kept its
-- books here. The amount owed is a charge.
CREATE TABLE fee_openings (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id            {{uuid}} NOT NULL,
  student_id    {{uuid}} NOT NULL,
  owed          {{int}} NOT NULL CHECK (owed >= 0),
  advance       {{int}} NOT NULL CHECK (advance >= 0),
  charge_id     {{uuid}},
  note          {{text}} NOT NULL DEFAULT '',
  status        {{text}} NOT NULL CHECK (status IN ('ACTIVE', 'CANCELLED')),
  cancel_reason {{text}} NOT NULL DEFAULT '',
  created_at    {{ts}} NOT NULL,
  updated_at    {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((owed > 0) <> (advance > 0)),
  CHECK ((owed > 0) = (charge_id IS NOT NULL)),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id),
  FOREIGN KEY (school_id, charge_id) REFERENCES fee_charges (school_id, id)
) {{strict}};
{{tenant "fee_openings"}}
CREATE UNIQUE INDEX fee_openings_once ON fee_openings (school_id, student_id) WHERE status = 'ACTIVE';
CREATE INDEX fee_openings_student ON fee_openings (school_id, student_id, id);
CREATE INDEX fee_openings_charge ON fee_openings (school_id, charge_id) WHERE charge_id IS NOT NULL;

-- Tills: the cash drawer of one person between opening and counting. A till has the
-- person's ledger transactions after opened_seq, up to closed_seq. Both are read under the
-- ledger lock, so that each transaction is in the till or after it.
CREATE TABLE fee_tills (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id            {{uuid}} NOT NULL,
  user_id       {{uuid}} NOT NULL,
  status        {{text}} NOT NULL CHECK (status IN ('OPEN', 'CLOSED')),
  float_cash    {{int}} NOT NULL CHECK (float_cash >= 0),
  opened_on     {{text}} NOT NULL,
  opened_at     {{ts}} NOT NULL,
  opened_seq    {{int}} NOT NULL,
  closed_at     {{ts}},
  closed_seq    {{int}},
  closed_by     {{uuid}},
  expected      {{int}}, -- when it was closed
  counted       {{int}} CHECK (counted >= 0),
  note          {{text}} NOT NULL DEFAULT '',
  told          {{bool}} NOT NULL DEFAULT FALSE, -- the office knows of a difference
  reopened_at   {{ts}},
  reopen_reason {{text}} NOT NULL DEFAULT '',
  version       {{int}} NOT NULL DEFAULT 1,
  updated_at    {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((status = 'CLOSED') = (closed_seq IS NOT NULL)),
  CHECK ((status = 'CLOSED') = (counted IS NOT NULL)),
  CHECK ((status = 'CLOSED') = (expected IS NOT NULL)),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id),
  FOREIGN KEY (school_id, closed_by) REFERENCES users (school_id, id)
) {{strict}};
{{tenant "fee_tills"}}
CREATE UNIQUE INDEX fee_tills_open ON fee_tills (school_id, user_id) WHERE status = 'OPEN';
CREATE INDEX fee_tills_user ON fee_tills (school_id, user_id, opened_seq);
CREATE INDEX fee_tills_closed_by ON fee_tills (school_id, closed_by);
CREATE INDEX fee_tills_day ON fee_tills (school_id, opened_on, id);

-- Ledger transactions. seq numbers a school's transactions in order. A reversal
-- mirrors one transaction (reverses); a transaction has one reversal at most.
CREATE TABLE ledger_transactions (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  seq           {{int}} NOT NULL CHECK (seq > 0),
  kind          {{text}} NOT NULL CHECK (kind IN ('CHARGE', 'PAYMENT', 'CONCESSION', 'ADVANCE', 'REFUND', 'OPENING', 'REVERSAL')),
  date          {{text}} NOT NULL,
  narration     {{text}} NOT NULL,
  reverses      {{int}},
  charge_id     {{uuid}},
  concession_id {{uuid}},
  receipt_id    {{uuid}},
  refund_id     {{uuid}},
  opening_id    {{uuid}},
  user_id       {{uuid}},
  created_at    {{ts}} NOT NULL,
  PRIMARY KEY (school_id, seq),
  CHECK ((kind = 'REVERSAL') = (reverses IS NOT NULL)),
  FOREIGN KEY (school_id, reverses) REFERENCES ledger_transactions (school_id, seq),
  FOREIGN KEY (school_id, charge_id) REFERENCES fee_charges (school_id, id),
  FOREIGN KEY (school_id, concession_id) REFERENCES fee_concessions (school_id, id),
  FOREIGN KEY (school_id, receipt_id) REFERENCES fee_receipts (school_id, id),
  FOREIGN KEY (school_id, refund_id) REFERENCES fee_refunds (school_id, id),
  FOREIGN KEY (school_id, opening_id) REFERENCES fee_openings (school_id, id)
) {{strict}}{{if not pg}}, WITHOUT ROWID{{end}};
{{tenant "ledger_transactions" "append-only"}}
CREATE UNIQUE INDEX ledger_transactions_reverses ON ledger_transactions (school_id, reverses) WHERE reverses IS NOT NULL;
CREATE INDEX ledger_transactions_charge ON ledger_transactions (school_id, charge_id) WHERE charge_id IS NOT NULL;
CREATE INDEX ledger_transactions_concession ON ledger_transactions (school_id, concession_id) WHERE concession_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_transactions_receipt ON ledger_transactions (school_id, receipt_id) WHERE receipt_id IS NOT NULL AND reverses IS NULL;
CREATE UNIQUE INDEX ledger_transactions_refund ON ledger_transactions (school_id, refund_id) WHERE refund_id IS NOT NULL AND reverses IS NULL;
CREATE INDEX ledger_transactions_opening ON ledger_transactions (school_id, opening_id, seq) WHERE opening_id IS NOT NULL;

-- Ledger entries. Accounts: one per student, income and fines by head, cash and bank
-- by payment method, and the other side of opening balances.
CREATE TABLE ledger_entries (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  seq        {{int}} NOT NULL,
  line       {{int}} NOT NULL,
  date       {{text}} NOT NULL,
  type       {{text}} NOT NULL CHECK (type IN ('DR', 'CR')),
  account    {{text}} NOT NULL CHECK (account IN ('STUDENT', 'ADVANCE', 'INCOME', 'FINE', 'CONCESSION', 'CASH', 'BANK', 'OPENING')),
  student_id {{uuid}},
  head_id    {{uuid}},
  method     {{text}},
  amount     {{int}} NOT NULL CHECK (amount > 0),
  PRIMARY KEY (school_id, seq, line),
  CHECK ((account IN ('STUDENT', 'ADVANCE')) = (student_id IS NOT NULL)),
  CHECK ((account IN ('INCOME', 'FINE')) = (head_id IS NOT NULL)),
  CHECK ((account IN ('CASH', 'BANK')) = (method IS NOT NULL)),
  FOREIGN KEY (school_id, seq) REFERENCES ledger_transactions (school_id, seq),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id),
  FOREIGN KEY (school_id, head_id) REFERENCES fee_heads (school_id, id)
) {{strict}}{{if not pg}}, WITHOUT ROWID{{end}};
{{tenant "ledger_entries" "append-only"}}
-- Has all that a statement shows of an entry.
CREATE INDEX ledger_entries_student ON ledger_entries (school_id, student_id, date, seq, line, type, account, amount)
  WHERE student_id IS NOT NULL;
CREATE INDEX ledger_entries_account ON ledger_entries (school_id, account, date, type, head_id, method, amount);

-- Allocations of a transaction to charges; negative if taken back.
CREATE TABLE fee_allocations (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  seq        {{int}} NOT NULL,
  line       {{int}} NOT NULL,
  date       {{text}} NOT NULL,
  source     {{text}} NOT NULL CHECK (source IN ('PAYMENT', 'ADVANCE', 'CONCESSION')),
  student_id {{uuid}} NOT NULL,
  charge_id  {{uuid}} NOT NULL,
  receipt_id {{uuid}},
  amount     {{int}} NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (school_id, seq, line),
  CHECK ((source = 'PAYMENT') = (receipt_id IS NOT NULL)),
  FOREIGN KEY (school_id, seq) REFERENCES ledger_transactions (school_id, seq),
  FOREIGN KEY (school_id, charge_id) REFERENCES fee_charges (school_id, id),
  FOREIGN KEY (school_id, receipt_id) REFERENCES fee_receipts (school_id, id)
) {{strict}}{{if not pg}}, WITHOUT ROWID{{end}};
{{tenant "fee_allocations" "append-only"}}
CREATE INDEX fee_allocations_charge ON fee_allocations (school_id, charge_id);
CREATE INDEX fee_allocations_receipt ON fee_allocations (school_id, receipt_id) WHERE receipt_id IS NOT NULL;
CREATE INDEX fee_allocations_student ON fee_allocations (school_id, student_id, source);
CREATE INDEX fee_allocations_date ON fee_allocations (school_id, date, source);
