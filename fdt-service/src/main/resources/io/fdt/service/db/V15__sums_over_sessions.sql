-- What the sessions of a task have moved, and those before the current one.
ALTER TABLE task ADD COLUMN files_moved BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN bytes_before BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN files_before BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN deleted_before BIGINT NOT NULL DEFAULT 0;
