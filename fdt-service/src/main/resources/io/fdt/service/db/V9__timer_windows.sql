-- The part of each day in which a timer submits, as 22:00-06:00; empty for all of it.
ALTER TABLE timer ADD COLUMN hours TEXT NOT NULL DEFAULT '';
