-- Modules: what permissions apply to, the same in every school. search is the
-- searchable text, lower-cased by the service because the engines' lower()
-- functions differ.
CREATE TABLE modules (
  id           {{uuid}} PRIMARY KEY,
  name         {{text}} NOT NULL,
  display_name {{text}} NOT NULL,
  search       {{text}} NOT NULL,
  created_at   {{ts}} NOT NULL,
  updated_at   {{ts}} NOT NULL
) {{strict}};
CREATE UNIQUE INDEX modules_name ON modules (name);
{{grant "modules"}}

INSERT INTO modules (id, name, display_name, search, created_at, updated_at) VALUES
  ('01930000-0000-7000-8000-000000000001', 'student', 'Students', 'student students', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000002', 'employee', 'Employees', 'employee employees', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000003', 'class', 'Classes', 'class classes', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000004', 'division', 'Divisions', 'division divisions', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000005', 'subject', 'Subjects', 'subject subjects', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000006', 'timetable', 'Timetable', 'timetable timetable', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000007', 'attendance', 'Attendance', 'attendance attendance', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000008', 'exam', 'Exams', 'exam exams', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000009', 'result', 'Results', 'result results', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-00000000000a', 'fee', 'Fees', 'fee fees', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-00000000000b', 'announcement', 'Announcements', 'announcement announcements', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-00000000000c', 'leave', 'Leave', 'leave leave', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-00000000000d', 'transport', 'Transport', 'transport transport', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-00000000000e', 'library', 'Library', 'library library', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-00000000000f', 'event', 'Events', 'event events', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000010', 'message', 'Messages', 'message messages', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000011', 'notification', 'Notifications', 'notification notifications', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000012', 'report', 'Reports and audit log', 'report reports and audit log', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000013', 'role', 'Roles and permissions', 'role roles and permissions', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'),
  ('01930000-0000-7000-8000-000000000014', 'setting', 'Settings', 'setting settings', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z');

CREATE TABLE roles (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  name       {{text}} NOT NULL,
  search     {{text}} NOT NULL,
  type       {{text}} NOT NULL CHECK (type IN ('PARENT', 'TEACHER', 'DRIVER', 'SCHOOL_ADMIN', 'SUPER_ADMIN')),
  is_system  {{bool}} NOT NULL DEFAULT FALSE,
  version    {{int}} NOT NULL DEFAULT 1,
  created_at {{ts}} NOT NULL,
  updated_at {{ts}} NOT NULL,
  PRIMARY KEY (school_id, id)
) {{strict}};
CREATE UNIQUE INDEX roles_name ON roles (school_id, search);
CREATE UNIQUE INDEX roles_system ON roles (school_id, type) WHERE is_system;
CREATE INDEX roles_type ON roles (school_id, type, id);
-- Target of the foreign key of users: role and type must match.
CREATE UNIQUE INDEX roles_id_type ON roles (school_id, id, type);
{{tenant "roles"}}

-- Permissions of a role, by module. No row: none.
CREATE TABLE role_permissions (
  school_id  {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
  id         {{uuid}} NOT NULL,
  role_id    {{uuid}} NOT NULL,
  module_id  {{uuid}} NOT NULL REFERENCES modules (id),
  can_read   {{bool}} NOT NULL DEFAULT FALSE,
  can_write  {{bool}} NOT NULL DEFAULT FALSE,
  can_delete {{bool}} NOT NULL DEFAULT FALSE,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, role_id) REFERENCES roles (school_id, id) ON DELETE CASCADE
) {{strict}};
CREATE UNIQUE INDEX role_permissions_module ON role_permissions (school_id, role_id, module_id);
{{tenant "role_permissions"}}
