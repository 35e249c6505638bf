-- The last position of each bus, with the next stop and its predicted arrival.
CREATE TABLE bus_positions (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  bus_id        {{uuid}} NOT NULL,
  trip_id       {{uuid}}, -- the running trip, if any
  at            {{ts}} NOT NULL,
  lat           {{float}} NOT NULL,
  lng           {{float}} NOT NULL,
  speed         {{float}} NOT NULL,
  heading       {{float}} NOT NULL,
  next_stop_id  {{uuid}},
  next_stop_at  {{ts}}, -- predicted arrival
  next_meters   {{int}} NOT NULL DEFAULT 0,
  delay_seconds {{int}},
  PRIMARY KEY (school_id, bus_id),
  FOREIGN KEY (school_id, bus_id) REFERENCES buses (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "bus_positions"}}

-- The track of each trip. Times are the device's, so that repeated positions are
-- stored once and late ones are in the right order.
CREATE TABLE trip_positions (
  school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  trip_id   {{uuid}} NOT NULL,
  at        {{ts}} NOT NULL,
  lat       {{float}} NOT NULL,
  lng       {{float}} NOT NULL,
  speed     {{float}} NOT NULL,
  heading   {{float}} NOT NULL,
  PRIMARY KEY (school_id, trip_id, at),
  FOREIGN KEY (school_id, trip_id) REFERENCES trips (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "trip_positions"}}
CREATE INDEX trip_positions_at ON trip_positions (school_id, at);

-- Travel times between stops of past trips, to predict arrivals. Weekday (0 is
-- Sunday) and hour are those of the departure, in the school's time zone.
CREATE TABLE leg_times (
  school_id     {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  trip_id       {{uuid}} NOT NULL,
  from_stop_id  {{uuid}} NOT NULL,
  to_stop_id    {{uuid}} NOT NULL,
  route_id      {{uuid}} NOT NULL,
  weekday       {{int}} NOT NULL,
  hour          {{int}} NOT NULL,
  dwell_seconds {{int}} NOT NULL,
  drive_seconds {{int}} NOT NULL,
  at            {{ts}} NOT NULL,
  PRIMARY KEY (school_id, trip_id, from_stop_id, to_stop_id),
  FOREIGN KEY (school_id, trip_id) REFERENCES trips (school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, route_id) REFERENCES routes (school_id, id) ON DELETE CASCADE
) {{strict}};
{{tenant "leg_times"}}
CREATE INDEX leg_times_route ON leg_times (school_id, route_id, at);
CREATE INDEX leg_times_at ON leg_times (school_id, at);
