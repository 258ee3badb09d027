ALTER TABLE timer ADD COLUMN paused BIGINT NOT NULL DEFAULT 0;

-- The error code behind a fault, a problem or a failed end; empty when there is none.
ALTER TABLE event ADD COLUMN cause TEXT NOT NULL DEFAULT '';

-- Lists of many tasks: of a user in one state, and of all users.
CREATE INDEX task_by_user_state ON task (owner, state, created, id);
DROP INDEX task_by_user;
CREATE INDEX task_by_age ON task (created, id);
CREATE INDEX audit_by_user ON audit (owner, at, id);

-- What a decision about waiting tasks reads, in the order in which it numbers them: without it each one sorts all of them.
CREATE INDEX task_waiting ON task (owner, source, destination, priority DESC, created, id, not_before)
  WHERE state IN ('QUEUED', 'RETRYING');
