-- One index of phones, which sign-in asks over all schools and a school for its own:
-- with the phone first it answers both, and sorts in half the time.
DROP INDEX users_phone;
DROP INDEX users_all_phone;
CREATE UNIQUE INDEX users_phone ON users (phone, school_id, role) WHERE phone IS NOT NULL;
