-- Whether an administrator has given the role: what an identity provider says does not change it then.
ALTER TABLE account ADD COLUMN by_hand BIGINT NOT NULL DEFAULT 0;
UPDATE account SET by_hand = 1 WHERE issuer = '';

-- One person at a provider has one name here, also when two sign-ins come at once.
CREATE UNIQUE INDEX account_of_person ON account (issuer, subject) WHERE issuer <> '';
DROP INDEX account_by_subject;

-- Where users are told of their tasks by e-mail. "code" is what confirms an address, encrypted; empty once it is confirmed.
CREATE TABLE email (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  address TEXT NOT NULL,
  notify TEXT NOT NULL,
  code TEXT NOT NULL,
  created BIGINT NOT NULL,
  UNIQUE (owner, address)
);

-- What is still to be sent: of each task at most one mail of a kind to an address.
CREATE TABLE mail (
  email TEXT NOT NULL,
  task TEXT NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  created BIGINT NOT NULL,
  PRIMARY KEY (email, task, kind)
);
CREATE INDEX mail_by_time ON mail (next_at);

CREATE TABLE bookmark (
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  path TEXT NOT NULL,
  created BIGINT NOT NULL,
  PRIMARY KEY (owner, name)
);

-- How many tasks at once a link has carried best; see LinkPace.
CREATE TABLE link (
  source TEXT NOT NULL,
  destination TEXT NOT NULL,
  pace TEXT NOT NULL,
  changed BIGINT NOT NULL,
  PRIMARY KEY (source, destination)
);
