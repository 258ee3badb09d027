-- Whether an administrator has given the role: what an identity provider says does not change it then.
ALTER TABLE account ADD COLUMN by_hand BIGINT NOT NULL DEFAULT 0;
UPDATE account SET by_hand = 1 WHERE issuer = '';

-- One person at a provider has one name here, also when two sign-ins come at once.
CREATE UNIQUE INDEX account_of_person ON account (issuer, subject) WHERE issuer <> '';
DROP INDEX account_by_subject;
