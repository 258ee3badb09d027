-- When an endpoint was last looked at (0: never), and why it could not be used then (empty: it could).
ALTER TABLE endpoint ADD COLUMN checked BIGINT NOT NULL DEFAULT 0;
ALTER TABLE endpoint ADD COLUMN problem TEXT NOT NULL DEFAULT '';
