-- Accounts. search is name, phone and e-mail, lower-cased by the service. A deleted
-- account keeps a blank row, because other records refer to it.
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
  last_seen_at  {{ts}}, -- last sign-in or refresh
  version       {{int}} NOT NULL DEFAULT 1,
  created_at    {{ts}} NOT NULL,
  updated_at    {{ts}} NOT NULL,
  locale        {{text}}, -- language of messages; NULL: the school's
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, role_id, role) REFERENCES roles (school_id, id, type)
) {{strict}};
-- phone comes first because sign-in searches all schools.
CREATE UNIQUE INDEX users_phone ON users (phone, school_id, role) WHERE phone IS NOT NULL;
CREATE INDEX users_role ON users (school_id, role_id);
-- For super-administrators, who search all schools.
CREATE INDEX users_all_id ON users (id) WHERE role = 'SCHOOL_ADMIN';
CREATE INDEX users_all_role ON users (search, id) WHERE role = 'SCHOOL_ADMIN';
{{tenant "users"}}

-- E-mail addresses that administrators sign in with. They are unique on the whole
-- platform, and the table has no row-level security, because the school is not
-- known before sign-in.
CREATE TABLE email_logins (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  user_id   {{uuid}} NOT NULL,
  email     {{text}} NOT NULL,
  PRIMARY KEY (school_id, user_id)
) {{strict}};
CREATE UNIQUE INDEX email_logins_email ON email_logins (email);
{{grant "email_logins"}}

-- Sessions. Only hashes of refresh tokens are stored: of the current one and of the
-- previous one, exchanged at last_used_at. opened_by is the sign-in method, phone
-- the phone that got the code, proven_at the time of the last code or password; the
-- last two are NULL after a PIN. ends_at is the maximum age, despite refreshes.
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
CREATE INDEX sessions_all_id ON sessions (id); -- refresh tokens do not contain the school
CREATE INDEX sessions_all_expires ON sessions (expires_at);
{{tenant "sessions"}}

-- Password links: invitations and resets. Deleted after use.
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
CREATE INDEX password_resets_all_hash ON password_resets (hash); -- links do not contain the school
CREATE INDEX password_resets_all_expires ON password_resets (expires_at);
{{tenant "password_resets"}}

-- The current sign-in code of a phone. Wrong attempts from known places are counted
-- separately, so that strangers can't lock out the owner.
CREATE TABLE otps (
  phone          {{text}} PRIMARY KEY,
  hash           {{text}} NOT NULL,
  known_tries    {{int}} NOT NULL DEFAULT 0,
  stranger_tries {{int}} NOT NULL DEFAULT 0,
  expires_at     {{ts}} NOT NULL
) {{strict}};
CREATE INDEX otps_expires ON otps (expires_at);
{{grant "otps"}}

-- Times of limited actions: codes sent to a phone, wrong codes, PINs and passwords.
-- The key is a keyed hash. Unknown phones and e-mails are counted too, so that
-- limits do not reveal which are known.
CREATE TABLE tries (
  key        {{text}} PRIMARY KEY,
  times      {{json}} NOT NULL,
  touched_at {{ts}} NOT NULL
) {{strict}};
CREATE INDEX tries_touched ON tries (touched_at);
{{grant "tries"}}

-- Networks and devices that have signed in to an account, or with a code to a phone. The
-- key is a keyed hash of both.
CREATE TABLE known_places (
  key     {{text}} PRIMARY KEY,
  seen_at {{ts}} NOT NULL
) {{strict}};
CREATE INDEX known_places_seen ON known_places (seen_at);
{{grant "known_places"}}

-- Sign-in attempts. Those for an unknown phone or e-mail belong to the platform's
-- school, with a keyed hash of it instead of a user.
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

-- The second factor (TOTP) of an administrator, active once confirmed. secret is
-- encrypted. step is the last used time step: no code works twice. recovery has the
-- hashes of unused recovery codes.
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
