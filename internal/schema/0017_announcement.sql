-- Announcements, visible from publish_at to expires_at. published_at is the time of
-- the notifications, which are sent once. audience_count is the last count of
-- readers. attachments are ids of files. by_office: an administrator saved it last.
CREATE TABLE announcements (
  school_id      {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id             {{uuid}} NOT NULL,
  title          {{text}} NOT NULL,
  body           {{text}} NOT NULL,
  audience       {{text}} NOT NULL CHECK (audience IN ('ALL', 'PARENTS', 'TEACHERS', 'DRIVERS', 'CLASS', 'DIVISION')),
  attachments    {{json}} NOT NULL,
  is_pinned      {{bool}} NOT NULL,
  urgent         {{bool}} NOT NULL, -- notifies at once by push, SMS and e-mail
  publish_at     {{ts}} NOT NULL,
  expires_at     {{ts}},
  published_at   {{ts}},
  audience_count {{int}} NOT NULL,
  search         {{text}} NOT NULL,
  created_by     {{uuid}} NOT NULL,
  by_office      {{bool}} NOT NULL,
  version        {{int}} NOT NULL DEFAULT 1,
  created_at     {{ts}} NOT NULL,
  updated_at     {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, created_by) REFERENCES users (school_id, id)
) {{strict}};
{{tenant "announcements"}}
CREATE INDEX announcements_pinned ON announcements (school_id, is_pinned, publish_at, id);
CREATE INDEX announcements_publish ON announcements (school_id, publish_at, id);
CREATE INDEX announcements_audience ON announcements (school_id, audience, is_pinned, publish_at, id);
CREATE INDEX announcements_expires ON announcements (school_id, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX announcements_created_by ON announcements (school_id, created_by);

-- The classes and divisions that an announcement is for. No division: the whole class.
CREATE TABLE announcement_targets (
  school_id       {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id              {{uuid}} NOT NULL,
  announcement_id {{uuid}} NOT NULL,
  class_id        {{uuid}} NOT NULL,
  division_id     {{uuid}},
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, announcement_id) REFERENCES announcements (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, class_id) REFERENCES classes (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, class_id, division_id) REFERENCES divisions (school_id, class_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "announcement_targets"}}
CREATE INDEX announcement_targets_of ON announcement_targets (school_id, announcement_id);
CREATE INDEX announcement_targets_class ON announcement_targets (school_id, class_id, division_id);

-- Who has opened an announcement, and when for the first time.
CREATE TABLE announcement_reads (
  school_id       {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  announcement_id {{uuid}} NOT NULL,
  user_id         {{uuid}} NOT NULL,
  read_at         {{ts}} NOT NULL,
  PRIMARY KEY (school_id, announcement_id, user_id),
  FOREIGN KEY (school_id, announcement_id) REFERENCES announcements (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "announcement_reads"}}
CREATE INDEX announcement_reads_user ON announcement_reads (school_id, user_id);
