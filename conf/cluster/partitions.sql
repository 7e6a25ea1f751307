-- Parts the tables that grow without end into ranges: blog and comment by their numbers, which come in the order of
-- time, and ledger by days. The old table becomes the first partition: PostgreSQL reads its rows for a check, and writes
-- none. New rows go into the second partition. No statement of mapdiary changes. A million rows of each table take about three
-- seconds; requests wait meanwhile.
--
--     psql -v ON_ERROR_STOP=1 --single-transaction --file=partitions.sql "dbname=mapdiary user=mapdiary_owner"
--
-- To cut again later, in one transaction: DETACH PARTITION blog_2, ATTACH it with an upper end, make blog_3 from there, and
-- CALL show_pieces().
-- A look-up of the comments of a blog, or of the blogs of an author, reads each partition: keep the partitions few.

SET LOCAL search_path = mapdiary;
-- All locks or none, so that this and a request never wait for each other.
SET LOCAL lock_timeout = '200ms';
DO $$ BEGIN
    LOOP
        BEGIN
            LOCK TABLE mapdiary_closed.piece, own_album, own_blog, piece, photo, vote, recommendation, report, comment, ledger,
                user_account;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.1);
        END;
    END LOOP;
END $$;

-- The new table has the name of the old table, continues the numbers, and becomes the part of pieces in its place. The foreign
-- keys of the old table count as parts of the new table's. Foreign keys that refer to the old table or to pieces, and the triggers,
-- move to the new table.
CREATE FUNCTION pg_temp.part(name text, number text, by text, beyond text, whole text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    sequence regclass := pg_get_serial_sequence(name, number);
    sequence_name text := relname FROM pg_class WHERE oid = sequence;
    next bigint := nextval(sequence);
    boundary text;
    gone text;
    kept text;
    back text;
BEGIN
    EXECUTE format('SELECT %s FROM %I', beyond, name) INTO boundary;
    WITH key AS (
        SELECT format('ALTER TABLE %s ', conrelid::regclass) AS alter, conname AS name, pg_get_constraintdef(oid) AS definition,
               confrelid = part.name::regclass OR coalesce(confrelid = whole::regclass, false) AS refers
            FROM pg_constraint
            WHERE contype = 'f' AND conparentid = 0
            AND (conrelid = part.name::regclass OR confrelid IN (part.name::regclass, whole::regclass)))
    SELECT string_agg(format('%s DROP CONSTRAINT %I;', alter, key.name), '') FILTER (WHERE refers),
           string_agg(format('%s ADD CONSTRAINT %I %s;', alter, key.name, definition), '') FILTER (WHERE NOT refers),
           string_agg(format('%s ADD CONSTRAINT %I %s;', alter, key.name, definition), '') FILTER (WHERE refers)
        INTO gone, kept, back FROM key;
    SELECT concat(gone, string_agg(format('DROP TRIGGER %I ON %s;', tgname, name), '')),
           concat(back, string_agg(pg_get_triggerdef(oid) || ';', ''))
        INTO gone, back
        FROM pg_trigger WHERE tgrelid = name::regclass AND tgparentid = 0 AND NOT tgisinternal;
    EXECUTE gone;
    IF whole IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', whole, name);
    END IF;
    EXECUTE format('ALTER TABLE %1$I RENAME TO %1$s_1', name);
    EXECUTE format('CREATE TABLE %1$I (LIKE %1$s_1 INCLUDING ALL) PARTITION BY RANGE (%2$I)', name, by);
    IF whole IS NOT NULL THEN
        EXECUTE format('ALTER SEQUENCE %s OWNED BY %I.%I', sequence, name, number);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (2)', whole, name);
    ELSE
        EXECUTE format('ALTER TABLE %s_1 ALTER %I DROP IDENTITY', name, number);
        EXECUTE format('ALTER SEQUENCE %s RENAME TO %I', pg_get_serial_sequence(name, number), sequence_name);
        EXECUTE format('ALTER SEQUENCE %I RESTART WITH %s', sequence_name, next);
        EXECUTE kept;
    END IF;
    EXECUTE format('ALTER TABLE %1$I ATTACH PARTITION %1$s_1 FOR VALUES FROM (MINVALUE) TO (%2$L)', name, boundary);
    EXECUTE format('CREATE TABLE %1$s_2 PARTITION OF %1$I FOR VALUES FROM (%2$L) TO (MAXVALUE)', name, boundary);
    EXECUTE back;
END $$;

DO $$ BEGIN
    PERFORM pg_temp.part('blog', 'number', 'number', 'coalesce(max(number), 0) + 1', 'piece');
    PERFORM pg_temp.part('comment', 'comment_id', 'comment_id', 'coalesce(max(comment_id), 0) + 1', NULL);
    PERFORM pg_temp.part('ledger', 'entry_id', 'credited_on', 'coalesce(max(credited_on), current_date) + 1', NULL);
END $$;

-- Requests write blogs into the new table, and into no partition by itself.
CALL show_pieces();

ANALYZE blog, comment, ledger;
