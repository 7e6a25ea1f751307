-- The blogs of an author are found by blog_newest_of_author as well, so that writers pay for one index less. By its columns, as
-- it has another name where the table has been parted.
DO $$
DECLARE
    superfluous regclass;
BEGIN
    FOR superfluous IN SELECT indexrelid FROM pg_index
        WHERE indrelid = 'blog'::regclass AND pg_get_indexdef(indexrelid) LIKE '%(author_id, blog\_id)' LOOP
        EXECUTE format('DROP INDEX %s', superfluous);
    END LOOP;
END $$;
