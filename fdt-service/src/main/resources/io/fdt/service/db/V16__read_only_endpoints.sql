-- Whether an endpoint that can be used has no export to which its user may write: 1 or 0.
ALTER TABLE endpoint ADD COLUMN read_only BIGINT NOT NULL DEFAULT 0;
