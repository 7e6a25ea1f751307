-- Counts of pieces, in cells of the map and by account.

CREATE TABLE mapdiary_closed.map_cell (
    level  smallint NOT NULL,
    y      integer NOT NULL,
    x      integer NOT NULL,
    total  integer NOT NULL,
    counts integer[] NOT NULL,
    PRIMARY KEY (level, y, x)
);
CREATE INDEX map_cell_column ON mapdiary_closed.map_cell (level, x, y);
COMMENT ON TABLE mapdiary_closed.map_cell IS 'How many pieces that everybody may see are in a cell of the levels of map_levels().';
COMMENT ON COLUMN mapdiary_closed.map_cell.total IS 'Of all slots.';
COMMENT ON COLUMN mapdiary_closed.map_cell.counts IS 'Of each slot, from 1 to 30.';
CREATE FUNCTION map_levels() RETURNS integer[] LANGUAGE sql IMMUTABLE AS 'SELECT ARRAY[4, 7, 10, 13]';

CREATE TABLE mapdiary_closed.owner_sum (
    owner_id bigint NOT NULL,
    kind     integer NOT NULL,
    is_shown boolean NOT NULL,
    pieces   bigint NOT NULL,
    score    bigint NOT NULL,
    PRIMARY KEY (owner_id, kind, is_shown)
);
COMMENT ON TABLE mapdiary_closed.owner_sum IS 'How many pieces of a kind an account has, and the sum of their scores.';
COMMENT ON COLUMN mapdiary_closed.owner_sum.is_shown IS 'Whether everybody may see the pieces.';

CREATE TABLE mapdiary_closed.indexing (
    is_one     boolean PRIMARY KEY DEFAULT true CHECK (is_one),
    counted_at timestamptz,
    listed_at  timestamptz,
    common_at  timestamptz
);
INSERT INTO mapdiary_closed.indexing DEFAULT VALUES;
COMMENT ON TABLE mapdiary_closed.indexing IS 'One row: how far the indexer is.';
COMMENT ON COLUMN mapdiary_closed.indexing.counted_at IS 'If NULL, it counts all pieces anew.';
COMMENT ON COLUMN mapdiary_closed.indexing.listed_at IS 'If NULL, it notes the words of all pieces anew, by search_old.';
COMMENT ON COLUMN mapdiary_closed.indexing.common_at IS 'When it filled search_common; it does so every ten minutes.';

-- Working off the lists ----------------------------------------------------------------------------------------------

-- False if another process is at it. The lock lasts until the transaction ends.
CREATE FUNCTION is_only_indexer() RETURNS boolean LANGUAGE sql AS
    'SELECT pg_try_advisory_xact_lock(x''6b656570''::integer, ''mapdiary''::regnamespace::integer)';
CREATE FUNCTION add_counts(one integer[], other integer[]) RETURNS integer[] LANGUAGE sql IMMUTABLE AS
    'SELECT array_agg(a + b ORDER BY n) FROM unnest(one, other) WITH ORDINALITY AS u (a, b, n)';

-- The words of new pieces go to search_queue, because they take longer. Rows of lists are deleted by their ctid, because a scan
-- of the table would compare each row with all.
CREATE FUNCTION index_counts(most integer) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp SET enable_seqscan = off AS $$
DECLARE
    done bigint;
    owners bigint[];
BEGIN
    IF NOT is_only_indexer() THEN
        RETURN -1;
    END IF;
    WITH gone AS MATERIALIZED (DELETE FROM map_change WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM map_change LIMIT most)) RETURNING slot, x, y, more),
        due AS MATERIALIZED (DELETE FROM map_future WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM map_future WHERE day <= current_date LIMIT most FOR UPDATE SKIP LOCKED)) RETURNING *),
        come AS MATERIALIZED (DELETE FROM arrival WHERE ctid = ANY (ARRAY(
                SELECT a.ctid FROM (SELECT ctid, sum(cardinality(ids)) OVER (ROWS UNBOUNDED PRECEDING) - cardinality(ids) AS before
                    FROM (SELECT ctid, ids FROM arrival LIMIT most) w) a WHERE before < most))
            RETURNING *),
        owned AS MATERIALIZED (DELETE FROM owner_change WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM owner_change LIMIT most)) RETURNING *),
        queued AS (INSERT INTO search_queue (kind, ids, entry_ids)
            SELECT kind, array_agg(id), array_agg(entry_id) FROM come, unnest(ids, entry_ids) AS piece (id, entry_id)
            GROUP BY kind, entry_id >> 6 ORDER BY min(entry_id)),
        changes AS (SELECT * FROM gone
            UNION ALL SELECT slot, x, y, 1 FROM due
            UNION ALL SELECT slot, cell_x(lng::float8, 13), cell_y(lat::float8, 13), 1
                FROM come, unnest(slots, lats, lngs) AS piece (slot, lat, lng) WHERE slot IS NOT NULL),
        fine AS (SELECT slot, x, y, sum(more) AS more FROM changes GROUP BY 1, 2, 3),
        cells AS (SELECT level, y >> (13 - level) AS y, x >> (13 - level) AS x, sum(more) AS total, ARRAY[
                    coalesce(sum(more) FILTER (WHERE slot = 1), 0), coalesce(sum(more) FILTER (WHERE slot = 2), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 3), 0), coalesce(sum(more) FILTER (WHERE slot = 4), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 5), 0), coalesce(sum(more) FILTER (WHERE slot = 6), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 7), 0), coalesce(sum(more) FILTER (WHERE slot = 8), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 9), 0), coalesce(sum(more) FILTER (WHERE slot = 10), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 11), 0), coalesce(sum(more) FILTER (WHERE slot = 12), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 13), 0), coalesce(sum(more) FILTER (WHERE slot = 14), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 15), 0), coalesce(sum(more) FILTER (WHERE slot = 16), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 17), 0), coalesce(sum(more) FILTER (WHERE slot = 18), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 19), 0), coalesce(sum(more) FILTER (WHERE slot = 20), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 21), 0), coalesce(sum(more) FILTER (WHERE slot = 22), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 23), 0), coalesce(sum(more) FILTER (WHERE slot = 24), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 25), 0), coalesce(sum(more) FILTER (WHERE slot = 26), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 27), 0), coalesce(sum(more) FILTER (WHERE slot = 28), 0),
                    coalesce(sum(more) FILTER (WHERE slot = 29), 0), coalesce(sum(more) FILTER (WHERE slot = 30), 0)]::integer[] AS counts
            FROM fine, unnest(map_levels()) AS level GROUP BY 1, 2, 3 HAVING count(*) > 0),
        written AS (INSERT INTO map_cell AS c (level, y, x, total, counts) SELECT level, y, x, total, counts FROM cells
            ON CONFLICT (level, y, x) DO UPDATE
            SET total = c.total + excluded.total, counts = add_counts(c.counts, excluded.counts)),
        added AS (INSERT INTO owner_sum AS s (owner_id, kind, is_shown, pieces, score)
            SELECT owner_id, kind, is_shown, sum(pieces), sum(score) FROM (
                SELECT * FROM owned
                UNION ALL SELECT owner_id, kind, slots[1] IS NOT NULL, 1, score FROM come WHERE owner_id IS NOT NULL
                UNION ALL SELECT owner_id, kind, turned.is_shown, turned.pieces, turned.pieces * score
                    FROM due, (VALUES (false, -1), (true, 1)) AS turned (is_shown, pieces)) AS o GROUP BY 1, 2, 3
            ON CONFLICT (owner_id, kind, is_shown) DO UPDATE
            SET pieces = s.pieces + excluded.pieces, score = s.score + excluded.score RETURNING owner_id)
        SELECT greatest((SELECT count(*) FROM gone) + (SELECT count(*) FROM due)
                        + (SELECT coalesce(sum(cardinality(ids)), 0) FROM come), (SELECT count(*) FROM owned)),
               (SELECT array_agg(DISTINCT owner_id) FROM added) INTO done, owners;
    DELETE FROM owner_sum WHERE owner_id = ANY (owners) AND pieces = 0 AND score = 0;
    RETURN done;
END $$;
COMMENT ON FUNCTION index_counts IS
    'Adds up changes, new pieces, and pieces whose day has come, about so many of each. Answers how many; -1 if another process does.';

-- Counting anew ------------------------------------------------------------------------------------------------------

-- Pieces of a day to come without their row, and rows without their piece.
CREATE FUNCTION wrong_futures() RETURNS TABLE (kind integer, number bigint) LANGUAGE sql STABLE
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    SELECT DISTINCT kind, id FROM (
        SELECT kind, number AS id, owner_id, score, slot, cell_x(lng::float8, 13) AS x, cell_y(lat::float8, 13) AS y, public_day
            FROM piece WHERE is_public(visibility, hidden) AND public_day > current_date
        UNION ALL SELECT kind, id, owner_id, score, slot, x, y, day FROM map_future WHERE day > current_date) AS future
        GROUP BY kind, id, owner_id, score, slot, x, y, public_day HAVING count(*) <> 2
$$;

-- Makes such rows anew. The piece cannot change meanwhile.
CREATE FUNCTION mend_futures() RETURNS void LANGUAGE plpgsql SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    wrong record;
BEGIN
    FOR wrong IN SELECT * FROM wrong_futures() ORDER BY 1, 2 LOOP
        PERFORM FROM piece WHERE kind = wrong.kind AND number = wrong.number FOR SHARE;
        DELETE FROM map_future WHERE kind = wrong.kind AND id = wrong.number;
        INSERT INTO map_future (kind, id, owner_id, score, slot, x, y, day)
            SELECT kind, number, owner_id, score, slot, cell_x(lng::float8, 13), cell_y(lat::float8, 13), public_day
                FROM piece WHERE kind = wrong.kind AND number = wrong.number
                AND is_public(visibility, hidden) AND public_day > current_date;
    END LOOP;
END $$;

-- Counts everything anew. Writers go on meanwhile: what one statement sees takes the place of the changes that it sees.
CREATE FUNCTION recount_map() RETURNS bigint LANGUAGE plpgsql
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    most CONSTANT integer := 1000000;
    done bigint := 0;
    more bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(x'6b656570'::integer, 'mapdiary'::regnamespace::integer);
    PERFORM mend_futures();
    WITH gone AS (DELETE FROM map_change), owned AS (DELETE FROM owner_change),
        come AS (DELETE FROM arrival RETURNING kind, ids, entry_ids),
        queued AS (INSERT INTO search_queue (kind, ids, entry_ids) SELECT * FROM come),
        counted AS NOT MATERIALIZED (SELECT p.*, is_public(visibility, hidden) AND f.id IS NULL AS is_shown
            FROM piece p LEFT JOIN map_future f ON f.kind = p.kind AND f.id = p.number),
        summed AS (INSERT INTO owner_change (owner_id, kind, is_shown, pieces, score)
            SELECT owner_id, kind, is_shown, count(*), sum(score) FROM counted GROUP BY 1, 2, 3)
        INSERT INTO map_change (slot, x, y, more)
            SELECT slot, cell_x(lng::float8, 13), cell_y(lat::float8, 13), count(*) FROM counted WHERE is_shown GROUP BY 1, 2, 3;
    DELETE FROM map_cell;
    DELETE FROM owner_sum;
    LOOP
        more := index_counts(most);
        done := done + more;
        EXIT WHEN more < most; -- writers may go on for ever
    END LOOP;
    RETURN done;
END $$;

-- How many cells have another count than pieces.
CREATE FUNCTION wrong_cells() RETURNS bigint LANGUAGE sql STABLE
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    WITH fine AS (
        SELECT slot, cell_x(lng::float8, 13) AS x, cell_y(lat::float8, 13) AS y, count(*) AS more
            FROM piece WHERE is_public(visibility, hidden) AND public_day <= current_date GROUP BY 1, 2, 3
        UNION ALL SELECT slot, x, y, -sum(more) FROM map_waiting WHERE day <= current_date GROUP BY 1, 2, 3),
    cells AS (
        SELECT level, y >> (13 - level) AS y, x >> (13 - level) AS x, slot, sum(more) AS more
            FROM fine, unnest(map_levels()) AS level GROUP BY 1, 2, 3, 4
        UNION ALL SELECT level, y, x, slot, -n FROM map_cell, unnest(counts) WITH ORDINALITY AS u (n, slot))
    SELECT count(*) FROM (SELECT FROM cells GROUP BY level, y, x, slot HAVING sum(more) <> 0) AS wrong
$$;

-- How many sums of accounts are not those of their pieces. A piece whose day has come is not shown until the indexer comes to
-- it.
CREATE FUNCTION wrong_sums() RETURNS bigint LANGUAGE sql STABLE SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    SELECT count(*) FROM (
        SELECT FROM (
            SELECT p.owner_id, p.kind, is_public(visibility, hidden) AND f.id IS NULL AS is_shown, 1 AS pieces, p.score
                FROM piece p LEFT JOIN map_future f ON f.kind = p.kind AND f.id = p.number
            UNION ALL SELECT owner_id, kind, is_shown, -pieces, -score FROM owner_sum
            UNION ALL SELECT owner_id, kind, is_shown, -pieces, -score FROM owner_waiting) AS o
        GROUP BY owner_id, kind, is_shown HAVING sum(pieces) <> 0 OR sum(score) <> 0) AS wrong
$$;

REVOKE EXECUTE ON FUNCTION is_only_indexer, wrong_futures, mend_futures, recount_map, wrong_cells, wrong_sums FROM PUBLIC;

CREATE FUNCTION sums_of(account bigint, viewer bigint) RETURNS TABLE (albums bigint, blogs bigint, score bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
#variable_conflict use_column
DECLARE
    is_own CONSTANT boolean := coalesce(account = viewer, false);
BEGIN
    IF (SELECT counted_at IS NULL FROM indexing) THEN
        RETURN QUERY SELECT count(*) FILTER (WHERE kind = 0), count(*) FILTER (WHERE kind = 2), coalesce(sum(p.score), 0)::bigint
            FROM piece p WHERE owner_id = account
            AND (is_own OR (is_public(visibility, hidden) AND public_day <= current_date));
        RETURN;
    END IF;
    RETURN QUERY SELECT coalesce(sum(pieces) FILTER (WHERE kind = 0), 0)::bigint,
                        coalesce(sum(pieces) FILTER (WHERE kind = 2), 0)::bigint, coalesce(sum(o.score), 0)::bigint
        FROM (SELECT kind, pieces, score FROM owner_sum WHERE owner_id = account AND (is_own OR is_shown)
              UNION ALL SELECT kind, pieces, score FROM owner_waiting WHERE owner_id = account AND (is_own OR is_shown)
              UNION ALL SELECT kind, 1, score FROM map_future WHERE owner_id = account AND day <= current_date AND NOT is_own) AS o;
END $$;
COMMENT ON FUNCTION sums_of IS
    'How many albums and blogs of an account the viewer may see, and the sum of the scores of all its pieces that the viewer may see.';
