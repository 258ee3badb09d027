-- Whether the server of an endpoint that cannot be used answered, and refused: 1 or 0.
ALTER TABLE endpoint ADD COLUMN refused BIGINT NOT NULL DEFAULT 0;
