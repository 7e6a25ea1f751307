-- The indexer: it notes the words of pieces, and finds out what is wrong with words and counts.

-- Takes about so many things off the queue.
CREATE FUNCTION take_things(most integer)
RETURNS TABLE (kind integer, id bigint, entry_id bigint, account_id bigint, size bigint) LANGUAGE plpgsql
SET search_path = mapdiary, mapdiary_closed, pg_temp SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY WITH first AS (SELECT queue_id, sum(cardinality(ids)) OVER (ORDER BY queue_id) - cardinality(ids) AS before
            FROM (SELECT queue_id, ids FROM search_queue ORDER BY queue_id LIMIT most) q),
        taken AS MATERIALIZED (DELETE FROM search_queue WHERE queue_id IN (SELECT queue_id FROM first WHERE before < most)
            RETURNING kind, ids, entry_ids, account_id),
        thing AS MATERIALIZED (SELECT kind, id, account_id, min(entry_id) AS entry_id
            FROM taken, unnest(ids, entry_ids) AS u (id, entry_id) GROUP BY 1, 2, 3)
        SELECT t.kind, t.id, t.entry_id, coalesce(t.account_id, s.account_id, 0), 256 + coalesce(s.size, 0)
            FROM thing t LEFT JOIN LATERAL search_size(t.kind, t.id) s ON true;
END $$;

-- Gives things their turns.
CREATE FUNCTION give_turns(kinds integer[], ids bigint[], entry_ids bigint[], account_ids bigint[], sizes bigint[]) RETURNS void
LANGUAGE sql SET search_path = mapdiary, mapdiary_closed, pg_temp SET enable_seqscan = off AS $$
    WITH thing AS (SELECT * FROM unnest(kinds, ids, entry_ids, account_ids, sizes) AS u (kind, id, entry_id, account_id, size)),
        account AS MATERIALIZED (SELECT account_id, greatest(
                coalesce((SELECT min(turn) FROM search_turn WHERE failures = 0), 0),
                (SELECT w.turn + w.size FROM search_turn w
                    WHERE w.account_id = a.account_id AND w.failures = 0 ORDER BY w.turn DESC LIMIT 1)) AS turn
            FROM (SELECT DISTINCT account_id FROM thing) a),
        turned AS (SELECT t.*, a.turn + sum(size) OVER (PARTITION BY account_id ORDER BY entry_id, kind, id) - size AS turn
            FROM thing t JOIN account a USING (account_id))
    INSERT INTO search_turn AS w (kind, id, entry_id, account_id, size, turn)
        SELECT DISTINCT ON (kind, id) kind, id, entry_id, account_id, size, turn FROM turned ORDER BY kind, id, turn
        ON CONFLICT (kind, id) DO UPDATE SET account_id = excluded.account_id, size = excluded.size, turn = excluded.turn
            WHERE w.failures = 0 AND excluded.turn < w.turn
$$;

-- Notes the words of things: entries are added, changed, or deleted if the piece is gone.
CREATE FUNCTION note_words(kinds integer[], ids bigint[], entry_ids bigint[]) RETURNS void LANGUAGE plpgsql
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    WITH piece AS MATERIALIZED (SELECT * FROM unnest(kinds, ids, entry_ids) AS u (kind, id, entry_id) WHERE u.kind <= 2),
        worded AS MATERIALIZED (SELECT p.*,
            (SELECT e.entry_id FROM search_entry e WHERE e.kind = p.kind AND e.id = p.id) AS known_id,
            (SELECT words_of_texts(t.title, t.body, t.comments) FROM piece_texts(p.kind, p.id) t) AS words FROM piece p),
        gone AS (DELETE FROM search_entry WHERE entry_id = ANY (ARRAY(SELECT known_id FROM worded WHERE words IS NULL))),
        known AS (UPDATE search_entry e SET words = w.words || bucket_words(e.entry_id) FROM worded w
            WHERE e.entry_id = ANY (ARRAY(SELECT known_id FROM worded)) AND e.entry_id = w.known_id
            AND w.words IS NOT NULL AND e.words IS DISTINCT FROM w.words || bucket_words(e.entry_id))
        INSERT INTO search_entry (entry_id, kind, id, words)
            SELECT entry_id, kind, id, words || bucket_words(entry_id) FROM worded WHERE known_id IS NULL AND words IS NOT NULL;
    IF 6 = ANY (kinds) THEN
        UPDATE search_entry e SET words = with_comments(e.words, c.said, false, e.entry_id) FROM (
                SELECT comment.kind, number AS id, string_agg(concat_ws(' . ', comment, reply), ' . ' ORDER BY comment_id DESC) AS said
                FROM unnest(kinds, ids) AS u (kind, id) JOIN comment ON comment_id = u.id
                WHERE u.kind = 6 AND hidden IS NULL GROUP BY 1, 2) c
            WHERE e.kind = c.kind AND e.id = c.id;
    END IF;
    IF kinds && ARRAY[3, 4, 5] THEN
        UPDATE search_entry e SET words = with_comments(e.words,
                (SELECT t.comments FROM piece_texts(e.kind, e.id) t), true, e.entry_id)
            FROM unnest(kinds, ids) AS u (kind, id) WHERE u.kind BETWEEN 3 AND 5 AND e.kind = u.kind - 3 AND e.id = u.id;
    END IF;
END $$;

-- Small things are noted at once, and large ones get turns. Then those whose turn has come are noted, a few at a time or one
-- large one; at least one, so that small things never keep large ones waiting. If nothing waits, some of search_old are taken,
-- the newest first. With most = 1 a thing is taken by its turn, however small, as postpone_words() takes it. No commit waits
-- for the disk, because a crash takes back what was taken off the lists, too.
CREATE FUNCTION index_words(most integer) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    until CONSTANT timestamptz := clock_timestamp() + interval '200 ms';
    done bigint := 0;
    batch record;
BEGIN
    IF NOT is_only_indexer() THEN
        RETURN -1;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    IF NOT EXISTS (SELECT FROM search_queue) AND NOT EXISTS (SELECT FROM search_turn WHERE is_due(not_before)) THEN
        WITH old AS (DELETE FROM search_old WHERE entry_id IN (SELECT entry_id FROM search_old ORDER BY entry_id DESC LIMIT 500)
                RETURNING *)
            INSERT INTO search_queue (kind, ids, entry_ids) SELECT kind, array_agg(id), array_agg(entry_id) FROM old GROUP BY kind;
    END IF;
    WHILE done < most AND clock_timestamp() < until LOOP
        SELECT array_agg(kind) FILTER (WHERE is_small) AS kinds, array_agg(id) FILTER (WHERE is_small) AS ids,
               array_agg(entry_id) FILTER (WHERE is_small) AS entry_ids,
               give_turns(array_agg(kind) FILTER (WHERE NOT is_small), array_agg(id) FILTER (WHERE NOT is_small),
                          array_agg(entry_id) FILTER (WHERE NOT is_small), array_agg(account_id) FILTER (WHERE NOT is_small),
                          array_agg(size) FILTER (WHERE NOT is_small)), count(*) AS taken INTO batch
            FROM (SELECT *, size <= 1024 AND most > 1 AS is_small FROM take_things(256)) t;
        EXIT WHEN batch.taken = 0;
        IF batch.kinds IS NOT NULL THEN
            PERFORM note_words(batch.kinds, batch.ids, batch.entry_ids);
            done := done + cardinality(batch.kinds);
        END IF;
    END LOOP;
    LOOP
        WITH first AS (SELECT kind, id, upto, upto - size AS before
                FROM (SELECT *, sum(size) OVER (ORDER BY turn, entry_id, kind, id) AS upto
                    FROM (SELECT * FROM search_turn WHERE is_due(not_before)
                          ORDER BY turn, entry_id LIMIT CASE most WHEN 1 THEN 1 ELSE 64 END) t) u),
            taken AS (DELETE FROM search_turn t USING first f
                WHERE (f.before = 0 OR f.upto <= 16384) AND t.kind = f.kind AND t.id = f.id RETURNING t.kind, t.id, t.entry_id)
            SELECT array_agg(kind) AS kinds, array_agg(id) AS ids, array_agg(entry_id) AS entry_ids INTO batch FROM taken;
        EXIT WHEN batch.kinds IS NULL;
        PERFORM note_words(batch.kinds, batch.ids, batch.entry_ids);
        done := done + cardinality(batch.kinds);
        EXIT WHEN done >= most OR clock_timestamp() > until;
    END LOOP;
    IF done > 0 THEN
        PERFORM gin_clean_pending_list('search_entry_words');
    END IF;
    RETURN done;
END $$;
COMMENT ON FUNCTION index_words IS
    'Notes the words of at most so many things, for about a fifth of a second. Answers how many; -1 if another process does.';

-- The thing waits for a minute, and twice as long each time that it fails again, up to 512 minutes.
CREATE FUNCTION postpone_words() RETURNS TABLE (thing text, minutes integer) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    IF is_only_indexer() THEN
        PERFORM give_turns(array_agg(kind), array_agg(id), array_agg(entry_id), array_agg(account_id), array_agg(size))
            FROM take_things(1000);
        RETURN QUERY UPDATE search_turn t SET failures = t.failures + 1, turn = (SELECT max(m.turn) FROM search_turn m),
                not_before = now() + interval '1 minute' * (1 << least(t.failures, 9))
            WHERE (t.kind, t.id) = (SELECT f.kind, f.id FROM search_turn f WHERE is_due(f.not_before)
                                    ORDER BY f.turn, f.entry_id LIMIT 1)
            RETURNING (ARRAY['album:', 'poi:', 'blog:', 'album:', 'poi:', 'blog:', 'comment:'])[t.kind + 1] || t.id,
                      1 << least(t.failures - 1, 9);
    END IF;
END $$;
COMMENT ON FUNCTION postpone_words IS
    'Moves the thing that index_words(1) takes next behind all others. Answers its name and the minutes; no row if nothing waits.';

CREATE FUNCTION index_upkeep() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    state indexing;
BEGIN
    IF NOT is_only_indexer() THEN
        RETURN -1;
    END IF;
    SELECT * INTO state FROM indexing;
    IF state.counted_at IS NULL THEN
        PERFORM recount_map();
        UPDATE indexing SET counted_at = now();
        RETURN 1;
    ELSIF state.listed_at IS NULL THEN
        INSERT INTO search_old (entry_id, kind, id)
            SELECT 1 - row_number() OVER (ORDER BY coalesce(created_at, updated_at) DESC, kind, number DESC), kind, number FROM piece;
        UPDATE indexing SET listed_at = now();
        RETURN 1;
    ELSIF state.common_at IS NULL OR state.common_at NOT BETWEEN now() - interval '10 minutes' AND now() THEN
        UPDATE indexing SET common_at = now();
        DELETE FROM search_common;
        INSERT INTO search_common SELECT DISTINCT unnest(most_common_elems::text::text[]) FROM pg_stats
            WHERE schemaname = 'mapdiary_closed' AND tablename = 'search_entry' AND attname = 'words';
    END IF;
    RETURN 0;
END $$;
COMMENT ON FUNCTION index_upkeep IS
    'Does what is due now and then. Answers whether there was anything; -1 if another process does.';

-- For an administrator -----------------------------------------------------------------------------------------------

-- Pieces without words, and words without pieces, that do not wait for the indexer.
CREATE FUNCTION unlisted_pieces() RETURNS TABLE (kind integer, id bigint) LANGUAGE sql STABLE
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    SELECT coalesce(p.kind, e.kind), coalesce(p.id, e.id) FROM (SELECT kind::integer, number AS id FROM piece) p
        FULL JOIN search_entry e ON e.kind = p.kind AND e.id = p.id
        WHERE (p.id IS NULL OR e.id IS NULL)
        AND NOT EXISTS (SELECT FROM search_waiting q WHERE q.kind = coalesce(p.kind, e.kind) AND q.id = coalesce(p.id, e.id))
        AND NOT EXISTS (SELECT FROM search_old o WHERE o.kind = p.kind AND o.id = p.id)
$$;

REVOKE EXECUTE ON FUNCTION search_size, take_things, give_turns, note_words, unlisted_pieces FROM PUBLIC;

CREATE FUNCTION finding_state() RETURNS TABLE (wrong bigint, lost bigint, waiting bigint) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    SELECT CASE WHEN counted_at IS NULL THEN 0 ELSE wrong_cells() + wrong_sums() + (SELECT count(*) FROM wrong_futures()) END,
           (SELECT count(*) FROM unlisted_pieces() WHERE counted_at IS NOT NULL AND listed_at IS NOT NULL),
           (SELECT count(*) FROM search_waiting) + (SELECT count(*) FROM search_old)
        FROM indexing
$$;
COMMENT ON FUNCTION finding_state IS
    'How many counts and sums are wrong, how many pieces lack words or words lack pieces, and how many things wait for the indexer.';

CREATE FUNCTION recount() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    PERFORM recount_map();
    UPDATE indexing SET counted_at = now();
    INSERT INTO search_queue (kind, ids, entry_ids)
        SELECT kind, array_agg(id), array_agg(nextval('search_number')) FROM unlisted_pieces() GROUP BY kind, id >> 6;
    RETURN (SELECT coalesce(sum(total), 0) FROM map_cell WHERE level = 4);
END $$;
COMMENT ON FUNCTION recount IS 'Counts anew, and has missing words noted. Answers how many pieces are counted.';
