-- When an endpoint is looked at next; before that time nobody reads it. One who looks moves it on first, and notes what was found at the end.
ALTER TABLE endpoint ADD COLUMN next_look BIGINT NOT NULL DEFAULT 0;
CREATE INDEX endpoint_due ON endpoint (next_look, id);
