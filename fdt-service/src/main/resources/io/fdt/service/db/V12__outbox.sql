-- Notices that are still to be sent: at most one of a kind for each task and target. "target" is the id of an e-mail address or of a webhook; "task" is empty for a confirmation.
CREATE TABLE outbox (
  channel TEXT NOT NULL,
  target TEXT NOT NULL,
  task TEXT NOT NULL,
  notice TEXT NOT NULL,
  detail TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  created BIGINT NOT NULL,
  PRIMARY KEY (target, task, notice)
);
CREATE INDEX outbox_by_time ON outbox (channel, next_at);
DROP TABLE mail;
DROP TABLE delivery;
