-- Which process works on a task, until when, and how often that has changed. "changed" is the time of the database.
ALTER TABLE task ADD COLUMN lease_owner TEXT NOT NULL DEFAULT '';
ALTER TABLE task ADD COLUMN lease_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;
CREATE INDEX task_by_change ON task (changed);
CREATE INDEX task_by_deadline ON task (state, deadline);
CREATE INDEX task_by_user ON task (owner, state);
CREATE INDEX task_by_source ON task (source, state);
CREATE INDEX task_by_destination ON task (destination, state);
CREATE INDEX delivery_by_time ON delivery (next_at);

-- What the processes of one database have to agree on.
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE account (
  owner TEXT PRIMARY KEY,
  role TEXT NOT NULL,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  created BIGINT NOT NULL
);
CREATE INDEX account_by_subject ON account (issuer, subject);

-- The home whose command uses the token; empty for the tokens that users make.
ALTER TABLE token ADD COLUMN home TEXT NOT NULL DEFAULT '';

CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at BIGINT NOT NULL,
  owner TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  status BIGINT NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX audit_by_time ON audit (at, id);
