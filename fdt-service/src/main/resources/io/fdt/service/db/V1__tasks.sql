-- The same text for SQLite and PostgreSQL. Times are milliseconds since 1970.

CREATE TABLE endpoint (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  port BIGINT NOT NULL,
  fingerprint TEXT NOT NULL,
  token TEXT NOT NULL,
  default_path TEXT NOT NULL,
  max_tasks BIGINT NOT NULL,
  created BIGINT NOT NULL,
  version BIGINT NOT NULL,
  UNIQUE (owner, name)
);

CREATE TABLE task (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  submission_id TEXT NOT NULL,
  request TEXT NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  source_name TEXT NOT NULL,
  destination TEXT NOT NULL,
  destination_name TEXT NOT NULL,
  paths TEXT NOT NULL,
  destination_path TEXT NOT NULL,
  options TEXT NOT NULL,
  label TEXT NOT NULL,
  priority BIGINT NOT NULL,
  deadline BIGINT NOT NULL,
  rate_limit BIGINT NOT NULL,
  state TEXT NOT NULL,
  intent TEXT NOT NULL,
  created BIGINT NOT NULL,
  started BIGINT NOT NULL,
  ended BIGINT NOT NULL,
  not_before BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  faults BIGINT NOT NULL,
  session TEXT NOT NULL,
  session_at TEXT NOT NULL,
  message TEXT NOT NULL,
  bytes_done BIGINT NOT NULL,
  bytes_total BIGINT NOT NULL,
  files_done BIGINT NOT NULL,
  files_failed BIGINT NOT NULL,
  files_total BIGINT NOT NULL,
  events BIGINT NOT NULL,
  version BIGINT NOT NULL,
  UNIQUE (owner, submission_id)
);

CREATE INDEX task_by_owner ON task (owner, created, id);
CREATE INDEX task_by_state ON task (state, not_before);

CREATE TABLE event (
  task TEXT NOT NULL REFERENCES task (id),
  number BIGINT NOT NULL,
  at BIGINT NOT NULL,
  code TEXT NOT NULL,
  is_error BIGINT NOT NULL,
  detail TEXT NOT NULL,
  once TEXT NOT NULL,
  PRIMARY KEY (task, number),
  UNIQUE (task, once)
);

CREATE TABLE token (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  label TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created BIGINT NOT NULL,
  expires BIGINT NOT NULL
);

CREATE TABLE sign_in (
  hash TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  scopes TEXT NOT NULL,
  expires BIGINT NOT NULL
);
