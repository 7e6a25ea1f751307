-- The keys of the ledger contain the day, so that it can be parted by days. The primary key finds the entries of a user's
-- day, too, which had an index of its own.
DROP INDEX ledger_day;
ALTER TABLE ledger
    DROP CONSTRAINT ledger_pkey,
    DROP CONSTRAINT ledger_blog_id_key,
    ADD PRIMARY KEY (user_id, credited_on, entry_id),
    ADD UNIQUE (blog_id, credited_on);
