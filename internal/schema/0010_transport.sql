-- Buses, routes, stops, riders and trips. Buses, routes and stops are archived instead
-- of deleted, because past trips refer to them. Their names can be used again.
CREATE TABLE routes (
  school_id   {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id          {{uuid}} NOT NULL,
  name        {{text}} NOT NULL,
  version     {{int}} NOT NULL DEFAULT 1,
  created_at  {{ts}} NOT NULL,
  updated_at  {{ts}} NOT NULL,
  archived_at {{ts}},
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "routes"}}
CREATE UNIQUE INDEX routes_name ON routes (school_id, name) WHERE archived_at IS NULL;

CREATE TABLE route_stops (
  school_id       {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id              {{uuid}} NOT NULL,
  route_id        {{uuid}} NOT NULL,
  name            {{text}} NOT NULL,
  lat             {{float}} NOT NULL,
  lng             {{float}} NOT NULL,
  position        {{int}} NOT NULL, -- from 1, in the order of the pickup
  pickup_time     {{text}},
  dropoff_time    {{text}},
  geofence_meters {{int}} NOT NULL,
  archived_at     {{ts}},
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, route_id) REFERENCES routes (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "route_stops"}}
CREATE UNIQUE INDEX route_stops_position ON route_stops (school_id, route_id, position) WHERE archived_at IS NULL;

CREATE TABLE buses (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id               {{uuid}} NOT NULL,
  registration_no  {{text}} NOT NULL,
  name             {{text}} NOT NULL DEFAULT '',
  capacity         {{int}} NOT NULL,
  driver_id        {{uuid}},
  attendant_name   {{text}} NOT NULL DEFAULT '',
  route_id         {{uuid}},
  status           {{text}} NOT NULL CHECK (status IN ('ACTIVE', 'MAINTENANCE', 'RETIRED')),
  insurance_expiry {{text}},
  fitness_expiry   {{text}},
  version          {{int}} NOT NULL DEFAULT 1,
  created_at       {{ts}} NOT NULL,
  updated_at       {{ts}} NOT NULL,
  archived_at      {{ts}},
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, driver_id) REFERENCES employees (school_id, id),
  FOREIGN KEY (school_id, route_id) REFERENCES routes (school_id, id)
) {{strict}};
{{tenant "buses"}}
CREATE UNIQUE INDEX buses_registration_no ON buses (school_id, registration_no) WHERE archived_at IS NULL;
CREATE INDEX buses_name ON buses (school_id, name, id);
CREATE INDEX buses_status ON buses (school_id, status, registration_no);
CREATE INDEX buses_driver ON buses (school_id, driver_id);
CREATE INDEX buses_route ON buses (school_id, route_id);

-- Riders: at most one pickup stop and one dropoff stop per student.
CREATE TABLE student_stops (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  student_id {{uuid}} NOT NULL,
  stop_id    {{uuid}} NOT NULL,
  pickup     {{bool}} NOT NULL,
  dropoff    {{bool}} NOT NULL,
  created_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, student_id, stop_id),
  FOREIGN KEY (school_id, student_id) REFERENCES students (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, stop_id) REFERENCES route_stops (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "student_stops"}}
CREATE INDEX student_stops_stop ON student_stops (school_id, stop_id);
CREATE UNIQUE INDEX student_stops_pickup ON student_stops (school_id, student_id) WHERE pickup;
CREATE UNIQUE INDEX student_stops_dropoff ON student_stops (school_id, student_id) WHERE dropoff;

-- Minutes that a parent needs on foot to a stop.
CREATE TABLE stop_walks (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  user_id    {{uuid}} NOT NULL,
  stop_id    {{uuid}} NOT NULL,
  minutes    {{int}} NOT NULL CHECK (minutes BETWEEN 0 AND 120),
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, user_id, stop_id),
  FOREIGN KEY (school_id, user_id) REFERENCES users (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, stop_id) REFERENCES route_stops (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "stop_walks"}}
CREATE INDEX stop_walks_stop ON stop_walks (school_id, stop_id);

-- Trips of a bus along a route: to the school (pickup) or from it (dropoff).
-- driver_id is an employee. paused_at is the start of the current pause.
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
-- No duplicate trips, and one running trip per bus and per driver.
CREATE UNIQUE INDEX trips_slot ON trips (school_id, bus_id, date, type, start_time) WHERE status <> 'cancelled';
CREATE UNIQUE INDEX trips_running_bus ON trips (school_id, bus_id) WHERE status IN ('in_progress', 'paused');
CREATE UNIQUE INDEX trips_running_driver ON trips (school_id, driver_id) WHERE status IN ('in_progress', 'paused');
CREATE INDEX trips_date ON trips (school_id, date, start_time, id);
CREATE INDEX trips_status ON trips (school_id, status, date, start_time, id);
CREATE INDEX trips_bus ON trips (school_id, bus_id, date, start_time, id);
CREATE INDEX trips_driver ON trips (school_id, driver_id, date, start_time, id);
CREATE INDEX trips_type ON trips (school_id, type, date, start_time, id);
CREATE INDEX trips_route ON trips (school_id, route_id, date, start_time, id);

-- Boarding status of each student of a trip. Rows are created at the start of the trip.
CREATE TABLE boardings (
  school_id        {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  trip_id          {{uuid}} NOT NULL,
  student_id       {{uuid}} NOT NULL,
  stop_id          {{uuid}} NOT NULL, -- the student's stop
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

-- Notifications sent to parents about a trip: one per child and kind.
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

-- Incidents on the road, with the accounts of the reporter, of the administrator who
-- acknowledged it, and of whoever withdrew it.
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
  withdrawn_by     {{uuid}},
  withdrawn_at     {{ts}}, -- reported by mistake
  withdraw_reason  {{text}} NOT NULL DEFAULT '',
  created_at       {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, bus_id) REFERENCES buses (school_id, id),
  FOREIGN KEY (school_id, trip_id) REFERENCES trips (school_id, id),
  FOREIGN KEY (school_id, reported_by) REFERENCES users (school_id, id),
  FOREIGN KEY (school_id, acknowledged_by) REFERENCES users (school_id, id),
  FOREIGN KEY (school_id, withdrawn_by) REFERENCES users (school_id, id)
) {{strict}};
{{tenant "incidents"}}
CREATE INDEX incidents_bus ON incidents (school_id, bus_id, id);
CREATE INDEX incidents_trip ON incidents (school_id, trip_id);
CREATE INDEX incidents_reporter ON incidents (school_id, reported_by, id);
CREATE INDEX incidents_type ON incidents (school_id, type, id);
CREATE INDEX incidents_severity ON incidents (school_id, severity, id);
CREATE INDEX incidents_open ON incidents (school_id, id) WHERE acknowledged_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX incidents_done ON incidents (school_id, id) WHERE acknowledged_at IS NOT NULL;
