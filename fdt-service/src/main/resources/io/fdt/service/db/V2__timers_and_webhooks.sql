CREATE TABLE timer (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  task TEXT NOT NULL,
  interval_ms BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  until_at BIGINT NOT NULL,
  runs BIGINT NOT NULL,
  last_task TEXT NOT NULL,
  message TEXT NOT NULL,
  UNIQUE (owner, name)
);

CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  created BIGINT NOT NULL
);

CREATE TABLE delivery (
  task TEXT NOT NULL REFERENCES task (id),
  webhook TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  created BIGINT NOT NULL,
  PRIMARY KEY (task, webhook)
);
