-- What a token was made with: it ends with that. Empty for what the user of the service or an identity provider stands for.
ALTER TABLE token ADD COLUMN parent TEXT NOT NULL DEFAULT '';
CREATE INDEX token_by_parent ON token (parent);
ALTER TABLE sign_in ADD COLUMN token TEXT NOT NULL DEFAULT '';
CREATE INDEX sign_in_by_token ON sign_in (token);

-- How often the same was refused within an hour.
ALTER TABLE audit ADD COLUMN times BIGINT NOT NULL DEFAULT 1;

-- Tasks that have ended, by their age.
CREATE INDEX task_by_end ON task (ended, id);
