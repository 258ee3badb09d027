-- The object of a change, by the name that it had then; empty for none.
ALTER TABLE audit ADD COLUMN about TEXT NOT NULL DEFAULT '';
