-- What a school, or a part of it, should know. It is shown from publish_at to
-- expires_at. published_at is when its readers were told: once, and not before.
-- audience_count is how many there were when it was last counted; attachments
-- are ids of files.
CREATE TABLE announcements (
  school_id      {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id             {{uuid}} NOT NULL,
  title          {{text}} NOT NULL,
  body           {{text}} NOT NULL,
  audience       {{text}} NOT NULL CHECK (audience IN ('ALL', 'PARENTS', 'TEACHERS', 'DRIVERS', 'CLASS', 'DIVISION')),
  attachments    {{json}} NOT NULL,
  is_pinned      {{bool}} NOT NULL,
  publish_at     {{ts}} NOT NULL,
  expires_at     {{ts}},
  published_at   {{ts}},
  audience_count {{int}} NOT NULL,
  search         {{text}} NOT NULL,
  created_by     {{uuid}} NOT NULL,
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

-- The classes and divisions of an announcement that is for them. No division:
-- the whole class.
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

-- Who has opened an announcement, and when first.
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
