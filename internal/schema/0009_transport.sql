-- Buses, the routes they drive, and who waits at which stop.
CREATE TABLE routes (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  name       {{text}} NOT NULL,
  version    {{int}} NOT NULL DEFAULT 1,
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
{{tenant "routes"}}
CREATE UNIQUE INDEX routes_name ON routes (school_id, name);

CREATE TABLE route_stops (
  school_id       {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id              {{uuid}} NOT NULL,
  route_id        {{uuid}} NOT NULL,
  name            {{text}} NOT NULL,
  lat             {{float}} NOT NULL,
  lng             {{float}} NOT NULL,
  position        {{int}} NOT NULL, -- from 1, in the order of the morning
  pickup_time     {{text}},
  dropoff_time    {{text}},
  geofence_meters {{int}} NOT NULL,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, route_id) REFERENCES routes (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "route_stops"}}
CREATE UNIQUE INDEX route_stops_position ON route_stops (school_id, route_id, position);

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
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, driver_id) REFERENCES employees (school_id, id),
  FOREIGN KEY (school_id, route_id) REFERENCES routes (school_id, id)
) {{strict}};
{{tenant "buses"}}
CREATE UNIQUE INDEX buses_registration_no ON buses (school_id, registration_no);
CREATE INDEX buses_driver ON buses (school_id, driver_id);
CREATE INDEX buses_route ON buses (school_id, route_id);

-- A student is picked up at one stop and dropped off at one, perhaps another.
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
