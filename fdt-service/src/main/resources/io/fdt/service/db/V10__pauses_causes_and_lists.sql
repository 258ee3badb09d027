ALTER TABLE timer ADD COLUMN paused BIGINT NOT NULL DEFAULT 0;

-- The error code behind a fault, a problem or a failed end; empty when there is none.
ALTER TABLE event ADD COLUMN cause TEXT NOT NULL DEFAULT '';

-- Lists of many tasks: of a user in one state, and of all users.
CREATE INDEX task_by_user_state ON task (owner, state, created, id);
DROP INDEX task_by_user;
CREATE INDEX task_by_age ON task (created, id);
CREATE INDEX audit_by_user ON audit (owner, at, id);
