-- Buses, routes and stops that are no longer in use stay, because trips of the
-- past tell of them. Their names and numbers are free again.
ALTER TABLE routes ADD COLUMN archived_at {{ts}};
DROP INDEX routes_name;
CREATE UNIQUE INDEX routes_name ON routes (school_id, name) WHERE archived_at IS NULL;

ALTER TABLE route_stops ADD COLUMN archived_at {{ts}};
DROP INDEX route_stops_position;
CREATE UNIQUE INDEX route_stops_position ON route_stops (school_id, route_id, position) WHERE archived_at IS NULL;

ALTER TABLE buses ADD COLUMN archived_at {{ts}};
DROP INDEX buses_registration_no;
CREATE UNIQUE INDEX buses_registration_no ON buses (school_id, registration_no) WHERE archived_at IS NULL;
CREATE INDEX buses_name ON buses (school_id, name, id);
CREATE INDEX buses_status ON buses (school_id, status, registration_no);

-- One run of a bus along a route: to the school (pickup) or from it (dropoff).
-- driver_id is an employee. paused_at: since when it is paused.
CREATE TABLE trips (
  school_id       {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id              {{uuid}} NOT NULL,
  bus_id          {{uuid}} NOT NULL,
  route_id        {{uuid}} NOT NULL,
  driver_id       {{uuid}} NOT NULL,
  type            {{text}} NOT NULL CHECK (type IN ('pickup', 'dropoff')),
  date            {{text}} NOT NULL,
  start_time      {{text}} NOT NULL,
  status          {{text}} NOT NULL CHECK (status IN ('scheduled', 'in_progress', 'paused', 'completed', 'cancelled')),
  started_at      {{ts}},
  paused_at       {{ts}},
  ended_at        {{ts}},
  confirmed_empty {{bool}} NOT NULL DEFAULT FALSE,
  cancelled_at    {{ts}},
  cancel_reason   {{text}} NOT NULL DEFAULT '',
  version         {{int}} NOT NULL DEFAULT 1,
  created_at      {{ts}} NOT NULL,
  updated_at      {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, bus_id) REFERENCES buses (school_id, id),
  FOREIGN KEY (school_id, route_id) REFERENCES routes (school_id, id),
  FOREIGN KEY (school_id, driver_id) REFERENCES employees (school_id, id)
) {{strict}};
{{tenant "trips"}}
-- What is scheduled again is not scheduled twice, and what runs, runs once.
CREATE UNIQUE INDEX trips_slot ON trips (school_id, bus_id, date, type, start_time) WHERE status <> 'cancelled';
CREATE UNIQUE INDEX trips_running_bus ON trips (school_id, bus_id) WHERE status IN ('in_progress', 'paused');
CREATE UNIQUE INDEX trips_running_driver ON trips (school_id, driver_id) WHERE status IN ('in_progress', 'paused');
CREATE INDEX trips_date ON trips (school_id, date, start_time, id);
CREATE INDEX trips_status ON trips (school_id, status, date, start_time, id);
CREATE INDEX trips_bus ON trips (school_id, bus_id, date, start_time, id);
CREATE INDEX trips_driver ON trips (school_id, driver_id, date, start_time, id);
CREATE INDEX trips_type ON trips (school_id, type, date, start_time, id);
CREATE INDEX trips_route ON trips (school_id, route_id, date, start_time, id);

-- Where each student of a trip is. The rows are made when the trip starts.
CREATE TABLE boardings (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  trip_id          {{uuid}} NOT NULL,
  student_id       {{uuid}} NOT NULL,
  stop_id          {{uuid}} NOT NULL, -- the student's own
  status           {{text}} NOT NULL CHECK (status IN ('waiting', 'boarded', 'alighted', 'absent', 'no_show')),
  boarded_at       {{ts}},
  boarded_stop_id  {{uuid}},
  alighted_at      {{ts}},
  alighted_stop_id {{uuid}},
  absent_at        {{ts}},
  no_show_at       {{ts}},
  lat              {{float}},
  lng              {{float}},
  updated_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, trip_id, student_id),
  FOREIGN KEY (school_id, trip_id) REFERENCES trips (school_id, id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id),
  FOREIGN KEY (school_id, stop_id) REFERENCES route_stops (school_id, id),
  FOREIGN KEY (school_id, boarded_stop_id) REFERENCES route_stops (school_id, id),
  FOREIGN KEY (school_id, alighted_stop_id) REFERENCES route_stops (school_id, id)
) {{strict}};
{{tenant "boardings"}}
CREATE INDEX boardings_student ON boardings (school_id, student_id);

-- What parents have been told of a trip: once per child and kind.
CREATE TABLE trip_alerts (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  trip_id    {{uuid}} NOT NULL,
  student_id {{uuid}} NOT NULL,
  kind       {{text}} NOT NULL,
  created_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, trip_id, student_id, kind),
  FOREIGN KEY (school_id, trip_id) REFERENCES trips (school_id, id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id)
) {{strict}};
{{tenant "trip_alerts"}}
CREATE INDEX trip_alerts_student ON trip_alerts (school_id, student_id);

-- Something went wrong on the road. The accounts are those of who said so and of
-- who took note of it.
CREATE TABLE incidents (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  bus_id           {{uuid}} NOT NULL,
  trip_id          {{uuid}},
  type             {{text}} NOT NULL CHECK (type IN ('vehicle_breakdown', 'traffic_jam', 'accident', 'other')),
  severity         {{text}} NOT NULL CHECK (severity IN ('LOW', 'MEDIUM', 'HIGH')),
  description      {{text}} NOT NULL,
  lat              {{float}},
  lng              {{float}},
  photo_file_id    {{uuid}},
  reported_by      {{uuid}} NOT NULL,
  acknowledged_by  {{uuid}},
  acknowledged_at  {{ts}},
  acknowledge_note {{text}} NOT NULL DEFAULT '',
  created_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, bus_id) REFERENCES buses (school_id, id),
  FOREIGN KEY (school_id, trip_id) REFERENCES trips (school_id, id),
  FOREIGN KEY (school_id, reported_by) REFERENCES users (school_id, id),
  FOREIGN KEY (school_id, acknowledged_by) REFERENCES users (school_id, id)
) {{strict}};
{{tenant "incidents"}}
CREATE INDEX incidents_bus ON incidents (school_id, bus_id, id);
CREATE INDEX incidents_trip ON incidents (school_id, trip_id);
CREATE INDEX incidents_reporter ON incidents (school_id, reported_by, id);
CREATE INDEX incidents_type ON incidents (school_id, type, id);
CREATE INDEX incidents_severity ON incidents (school_id, severity, id);
CREATE INDEX incidents_open ON incidents (school_id, id) WHERE acknowledged_at IS NULL;
CREATE INDEX incidents_done ON incidents (school_id, id) WHERE acknowledged_at IS NOT NULL;
