-- Webhooks are told of what their users ask for; those that are there, of ends, as before.
ALTER TABLE webhook ADD COLUMN notify TEXT NOT NULL DEFAULT 'END';

-- Of each task a webhook is told once of each notice. Neither database changes a primary key in the same way: a new table.
ALTER TABLE delivery RENAME TO delivery_of_ends;
CREATE TABLE delivery (
  task TEXT NOT NULL REFERENCES task (id),
  webhook TEXT NOT NULL,
  notice TEXT NOT NULL,
  detail TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  created BIGINT NOT NULL,
  PRIMARY KEY (task, webhook, notice)
);
INSERT INTO delivery (task, webhook, notice, detail, attempts, next_at, created)
  SELECT task, webhook, 'END', '', attempts, next_at, created FROM delivery_of_ends;
DROP TABLE delivery_of_ends;
CREATE INDEX delivery_by_time ON delivery (next_at);
