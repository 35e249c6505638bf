-- Events. Date and times are in the school's time zone. The status is derived from
-- them, unless the event is cancelled.
CREATE TABLE events (
  school_id       {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id              {{uuid}} NOT NULL,
  title           {{text}} NOT NULL,
  description     {{text}} NOT NULL,
  event_date      {{text}} NOT NULL,
  start_time      {{text}} NOT NULL,
  end_time        {{text}} NOT NULL,
  venue           {{text}} NOT NULL,
  target_audience {{text}} NOT NULL CHECK (target_audience IN ('ALL', 'PARENTS', 'TEACHERS', 'STUDENTS', 'CLASS')),
  cancelled_at    {{ts}},
  search          {{text}} NOT NULL,
  version         {{int}} NOT NULL DEFAULT 1,
  created_at      {{ts}} NOT NULL,
  updated_at      {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  CHECK (start_time < end_time)
) {{strict}};
{{tenant "events"}}
CREATE INDEX events_when ON events (school_id, event_date, start_time, id);
CREATE INDEX events_audience ON events (school_id, target_audience, event_date, start_time, id);
CREATE INDEX events_title ON events (school_id, search, id);

-- The classes that an event is for.
CREATE TABLE event_classes (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  event_id  {{uuid}} NOT NULL,
  class_id  {{uuid}} NOT NULL,
  PRIMARY KEY (school_id, event_id, class_id),
  FOREIGN KEY (school_id, event_id) REFERENCES events (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, class_id) REFERENCES classes (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "event_classes"}}
CREATE INDEX event_classes_class ON event_classes (school_id, class_id);
