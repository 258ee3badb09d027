-- Names that the attempts of a task have deleted at its destination.
ALTER TABLE task ADD COLUMN files_deleted BIGINT NOT NULL DEFAULT 0;
