-- What a decision about waiting tasks reads, in the order in which it numbers them: without it each one sorts all of them.
CREATE INDEX task_waiting ON task (owner, source, destination, priority DESC, created, id, not_before)
  WHERE state IN ('QUEUED', 'RETRYING');
