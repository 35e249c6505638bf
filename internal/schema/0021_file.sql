-- Uploaded files. The content is in the file store, under a key of school and id.
-- uploaded_by is an account of this school or a super-administrator. holder_kind and
-- holder_id are the record that the file is attached to; loose_since is the time
-- since which it is unattached. gone_at marks a deleted file: its content is being
-- removed, then the row.
CREATE TABLE files (
  school_id    {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id           {{uuid}} NOT NULL,
  name         {{text}} NOT NULL,
  content_type {{text}} NOT NULL,
  size         {{int}} NOT NULL,
  sha256       {{text}} NOT NULL,
  thumb_type   {{text}} NOT NULL,
  thumb_size   {{int}} NOT NULL,
  uploaded_by  {{uuid}} NOT NULL,
  holder_kind  {{text}},
  holder_id    {{uuid}},
  loose_since  {{ts}},
  gone_at      {{ts}},
  created_at   {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK ((holder_kind IS NULL) = (holder_id IS NULL)),
  CHECK ((holder_id IS NULL) = (loose_since IS NOT NULL))
) {{strict}};
{{tenant "files"}}
CREATE INDEX files_holder ON files (school_id, holder_kind, holder_id) WHERE holder_id IS NOT NULL;
CREATE INDEX files_loose ON files (loose_since) WHERE loose_since IS NOT NULL;
CREATE INDEX files_unattached ON files (school_id, uploaded_by) WHERE loose_since IS NOT NULL;

-- The total size of a school's files with thumbnails, until their rows are deleted.
-- Uploads lock the row, so that concurrent ones can't exceed the quota.
CREATE TABLE file_usage (
  school_id {{uuid}} NOT NULL PRIMARY KEY REFERENCES schools (id) ON DELETE CASCADE,
  bytes     {{int}} NOT NULL CHECK (bytes >= 0)
) {{strict}};
{{tenant "file_usage"}}
