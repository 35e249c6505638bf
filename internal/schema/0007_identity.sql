-- Accounts. search: name, phone and e-mail, lower-cased by the service. A
-- deleted account keeps its row, blank, because other records name it.
CREATE TABLE users (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id            {{uuid}} NOT NULL,
  role_id       {{uuid}} NOT NULL,
  role          {{text}} NOT NULL,
  name          {{text}} NOT NULL,
  phone         {{text}},
  email         {{text}},
  password_hash {{text}} NOT NULL DEFAULT '',
  pin_hash      {{text}} NOT NULL DEFAULT '',
  status        {{text}} NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED', 'DELETED')),
  search        {{text}} NOT NULL,
  last_seen_at  {{ts}}, -- signed in or refreshed
  version       {{int}} NOT NULL DEFAULT 1,
  created_at    {{ts}} NOT NULL,
  updated_at    {{ts}} NOT NULL,
  locale        {{text}}, -- of messages to the person; NULL: the school's
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, role_id, role) REFERENCES roles (school_id, id, type)
) {{strict}};
-- The phone first: sign-in looks in all schools, a school in its own.
CREATE UNIQUE INDEX users_phone ON users (phone, school_id, role) WHERE phone IS NOT NULL;
CREATE INDEX users_role ON users (school_id, role_id);
-- Super-administrators look in all schools.
CREATE INDEX users_all_id ON users (id) WHERE role = 'SCHOOL_ADMIN';
CREATE INDEX users_all_role ON users (search, id) WHERE role = 'SCHOOL_ADMIN';
{{tenant "users"}}

-- The e-mail that an administrator signs in with. No school is known by then, so
-- an e-mail is one account's on the whole platform, and this table is no school's.
CREATE TABLE email_logins (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  user_id   {{uuid}} NOT NULL,
  email     {{text}} NOT NULL,
  PRIMARY KEY (school_id, user_id)
) {{strict}};
CREATE UNIQUE INDEX email_logins_email ON email_logins (email);
{{grant "email_logins"}}

-- Sessions. Of a refresh token only its hash is kept: of the one that lives and
-- of the one before it, which was exchanged for it at last_used_at. opened_by,
-- phone and proven_at say how it was opened: phone is where the code was sent,
-- proven_at when a code or password was last typed in; both are NULL after a PIN.
-- A session ends at ends_at, however often it is refreshed.
CREATE TABLE sessions (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id            {{uuid}} NOT NULL,
  user_id       {{uuid}} NOT NULL,
  refresh_hash  {{text}} NOT NULL,
  previous_hash {{text}} NOT NULL DEFAULT '',
  device        {{text}} NOT NULL,
  ip            {{text}} NOT NULL,
  opened_by     {{text}} NOT NULL CHECK (opened_by IN ('otp', 'pin', 'password', 'switch')),
  phone         {{text}},
  proven_at     {{ts}},
  created_at    {{ts}} NOT NULL,
  last_used_at  {{ts}} NOT NULL,
  expires_at    {{ts}} NOT NULL,
  ends_at       {{ts}} NOT NULL,
  revoked_at    {{ts}},
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE
) {{strict}};
CREATE INDEX sessions_user ON sessions (school_id, user_id, last_used_at, id);
CREATE INDEX sessions_all_id ON sessions (id); -- a refresh token names no school
CREATE INDEX sessions_all_expires ON sessions (expires_at);
{{tenant "sessions"}}

-- Links by which a password is set: invitations and resets. Used once, then gone.
CREATE TABLE password_resets (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  user_id    {{uuid}} NOT NULL,
  hash       {{text}} NOT NULL,
  expires_at {{ts}} NOT NULL,
  created_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE
) {{strict}};
CREATE INDEX password_resets_user ON password_resets (school_id, user_id);
CREATE INDEX password_resets_all_hash ON password_resets (hash); -- a link names no school
CREATE INDEX password_resets_all_expires ON password_resets (expires_at);
{{tenant "password_resets"}}

-- The one code that a phone can sign in with at present. Those who have signed in
-- with the phone before have wrong tries of their own, so that strangers can't
-- use up the code of the person who waits for it.
CREATE TABLE otps (
  phone          {{text}} PRIMARY KEY,
  hash           {{text}} NOT NULL,
  known_tries    {{int}} NOT NULL DEFAULT 0,
  stranger_tries {{int}} NOT NULL DEFAULT 0,
  expires_at     {{ts}} NOT NULL
) {{strict}};
CREATE INDEX otps_expires ON otps (expires_at);
{{grant "otps"}}

-- When something was tried that may be tried so and so often: codes sent to a
-- phone, wrong codes, wrong PINs, wrong passwords. The key is a keyed hash. It is
-- kept for phones and e-mails nobody has as well, so that it does not tell which
-- are known.
CREATE TABLE tries (
  key        {{text}} PRIMARY KEY,
  times      {{json}} NOT NULL,
  touched_at {{ts}} NOT NULL
) {{strict}};
CREATE INDEX tries_touched ON tries (touched_at);
{{grant "tries"}}

-- Networks and devices that have signed in with a phone or an e-mail. The key is
-- a keyed hash of both.
CREATE TABLE known_places (
  key     {{text}} PRIMARY KEY,
  seen_at {{ts}} NOT NULL
) {{strict}};
CREATE INDEX known_places_seen ON known_places (seen_at);
{{grant "known_places"}}

-- Every attempt to sign in. An attempt at a phone or e-mail that nobody has is
-- the platform's, with a keyed hash of the name in place of a user.
CREATE TABLE sign_ins (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id        {{uuid}} NOT NULL,
  at        {{ts}} NOT NULL,
  user_id   {{uuid}},
  name_hash {{text}},
  way       {{text}} NOT NULL,
  outcome   {{text}} NOT NULL,
  ip        {{text}} NOT NULL,
  device    {{text}} NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
CREATE INDEX sign_ins_newest ON sign_ins (school_id, at, id);
CREATE INDEX sign_ins_user ON sign_ins (school_id, user_id, at, id);
CREATE INDEX sign_ins_outcome ON sign_ins (school_id, outcome, at, id);
CREATE INDEX sign_ins_all_at ON sign_ins (at);
{{tenant "sign_ins"}}

-- The second factor of an administrator. secret is sealed. It counts once it is
-- confirmed by a code. step is the last step of time whose code was used: no code works twice.
-- recovery: hashes of codes that work once each.
CREATE TABLE second_factors (
  school_id    {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  user_id      {{uuid}} NOT NULL,
  secret       {{text}} NOT NULL,
  confirmed_at {{ts}},
  step         {{int}} NOT NULL DEFAULT 0,
  recovery     {{json}} NOT NULL DEFAULT '[]',
  PRIMARY KEY (school_id, user_id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "second_factors"}}
