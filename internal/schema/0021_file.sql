-- Files that people have sent; their bytes are with the store of files, under a
-- key made of school and id. uploaded_by is an account, of this school or a
-- super-administrator's. holder_kind and holder_id name the record that a file
-- belongs to, if one does; loose_since is since when none does. gone_at: it is
-- shown to nobody any more, and its bytes are being removed; the row goes last.
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

-- The bytes of all files of a school, thumbnails included, until their rows are
-- deleted. An upload locks the row, so that two at once can't pass a quota together.
CREATE TABLE file_usage (
  school_id {{uuid}} NOT NULL PRIMARY KEY REFERENCES schools (id) ON DELETE CASCADE,
  bytes     {{int}} NOT NULL CHECK (bytes >= 0)
) {{strict}};
{{tenant "file_usage"}}
