-- Lists of changes to pieces, for the counts of the next file. Writers append to the lists and wait for nobody. The indexer, a
-- process of the service, works them off, so no row is written by many.

CREATE TABLE mapdiary_closed.map_change (
    slot smallint NOT NULL,
    x    integer NOT NULL,
    y    integer NOT NULL,
    more integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX map_change_gone ON mapdiary_closed.map_change (y, x) WHERE more < 0;
COMMENT ON TABLE mapdiary_closed.map_change IS 'Changes that are not in map_cell yet, in cells of the finest level.';
COMMENT ON COLUMN mapdiary_closed.map_change.more IS 'If negative, readers subtract it themselves.';

CREATE TABLE mapdiary_closed.arrival (
    kind      integer NOT NULL,
    ids       bigint[] NOT NULL,
    entry_ids bigint[] NOT NULL,
    slots     integer[] NOT NULL,
    lats      numeric[] NOT NULL,
    lngs      numeric[] NOT NULL,
    owner_id  bigint,
    score     integer
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- A row of 64 pieces has some 3 kB, which is not worth compressing.
ALTER TABLE mapdiary_closed.arrival ALTER ids SET STORAGE PLAIN, ALTER entry_ids SET STORAGE PLAIN, ALTER slots SET STORAGE PLAIN,
    ALTER lats SET STORAGE PLAIN, ALTER lngs SET STORAGE PLAIN;
CREATE INDEX arrival_owner ON mapdiary_closed.arrival (owner_id) WHERE owner_id IS NOT NULL;
COMMENT ON TABLE mapdiary_closed.arrival IS 'New pieces that the indexer has not counted, some in a row. A writer pays for this row alone.';
COMMENT ON COLUMN mapdiary_closed.arrival.entry_ids IS 'Identifiers for search_entry.';
COMMENT ON COLUMN mapdiary_closed.arrival.slots IS 'NULL of a piece that not everybody may see.';
COMMENT ON COLUMN mapdiary_closed.arrival.owner_id IS 'Of a piece in a row of its own, as is the score.';

-- A writer holds the row of the piece in its table first, so two writers never meet here. The indexer skips rows that a writer
-- holds. A writer finds out by this table alone whether a piece has been counted.
CREATE TABLE mapdiary_closed.map_future (
    kind     integer NOT NULL,
    id       bigint NOT NULL,
    owner_id bigint NOT NULL,
    score    integer NOT NULL,
    slot     integer NOT NULL,
    x        integer NOT NULL,
    y        integer NOT NULL,
    day      date NOT NULL,
    PRIMARY KEY (kind, id)
);
CREATE INDEX map_future_day ON mapdiary_closed.map_future (day);
CREATE INDEX map_future_owner ON mapdiary_closed.map_future (owner_id, day);
COMMENT ON TABLE mapdiary_closed.map_future IS
    'Pieces that everybody may see from a day to come. The indexer counts a piece on that day, and it is counted nowhere else before.';

CREATE TABLE mapdiary_closed.owner_change (
    owner_id bigint NOT NULL,
    kind     integer NOT NULL,
    is_shown boolean NOT NULL,
    pieces   bigint NOT NULL,
    score    bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX owner_change_owner ON mapdiary_closed.owner_change (owner_id);
COMMENT ON TABLE mapdiary_closed.owner_change IS 'Changes that are not in owner_sum yet.';

CREATE VIEW mapdiary_closed.map_waiting AS
    SELECT slot::integer, x, y, more, '-infinity'::date AS day FROM mapdiary_closed.map_change
    UNION ALL
    SELECT slot, cell_x(lng::float8, 13), cell_y(lat::float8, 13), 1, '-infinity'
        FROM mapdiary_closed.arrival, unnest(slots, lats, lngs) AS piece (slot, lat, lng) WHERE slot IS NOT NULL
    UNION ALL
    SELECT slot, x, y, 1, day FROM mapdiary_closed.map_future;
COMMENT ON VIEW mapdiary_closed.map_waiting IS 'All that map_cell does not have yet.';
CREATE VIEW mapdiary_closed.owner_waiting AS
    SELECT owner_id, kind, is_shown, pieces, score FROM mapdiary_closed.owner_change
    UNION ALL SELECT owner_id, kind, slots[1] IS NOT NULL, 1, score FROM mapdiary_closed.arrival WHERE owner_id IS NOT NULL;
COMMENT ON VIEW mapdiary_closed.owner_waiting IS 'All that owner_sum does not have yet.';

-- The consequences of a write ---------------------------------------------------------------------------------------

-- A piece counts while everybody may see it, from its public day on. Whether everybody may see it then. A migration that
-- replaces this function has all pieces counted anew if the answer is another one for some of them. It is inlined.
CREATE FUNCTION is_public(visibility visibility, hidden hiding) RETURNS boolean LANGUAGE sql IMMUTABLE AS
    'SELECT visibility = ''public'' AND hidden IS NULL';

-- Most pieces come one by one, and a trigger notes each. An import, which inserts many in a statement, sets mapdiary.bulk
-- before, and notes them in arrival, 64 in a row, and in owner_change, which takes a quarter of the time. A trigger of the
-- statement would do it, too, but all that insert one piece would pay for it.
CREATE FUNCTION welcome_piece() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    is_shown CONSTANT boolean := is_public(NEW.visibility, NEW.hidden) AND NEW.public_day <= current_date;
BEGIN
    IF NOT is_shown AND is_public(NEW.visibility, NEW.hidden) THEN
        INSERT INTO map_future (kind, id, owner_id, score, slot, x, y, day)
            VALUES (NEW.kind, NEW.number, NEW.owner_id, NEW.score, NEW.slot, cell_x(NEW.lng::float8, 13),
                    cell_y(NEW.lat::float8, 13), NEW.public_day);
    END IF;
    IF current_setting('mapdiary.bulk', true) IS DISTINCT FROM 'on' THEN
        INSERT INTO arrival (kind, ids, entry_ids, slots, lats, lngs, owner_id, score) VALUES
            (NEW.kind, ARRAY[NEW.number], ARRAY[nextval('search_number')], ARRAY[CASE WHEN is_shown THEN NEW.slot END],
             ARRAY[NEW.lat]::numeric[], ARRAY[NEW.lng]::numeric[], NEW.owner_id, NEW.score);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER followed_new AFTER INSERT ON piece FOR EACH ROW
    WHEN (current_setting('mapdiary.bulk', true) IS DISTINCT FROM 'on' OR NEW.public_day > current_date)
    EXECUTE FUNCTION welcome_piece();

CREATE FUNCTION forget_pieces() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    WITH future AS (DELETE FROM map_future f USING changed c WHERE f.kind = c.kind AND f.id = c.number RETURNING f.kind, f.id),
        gone AS MATERIALIZED (SELECT c.*, is_public(visibility, hidden) AND f.id IS NULL AS is_shown
            FROM changed c LEFT JOIN future f ON f.kind = c.kind AND f.id = c.number),
        owned AS (INSERT INTO owner_change (owner_id, kind, is_shown, pieces, score)
            SELECT owner_id, kind, is_shown, -count(*), -sum(score) FROM gone GROUP BY 1, 2, 3)
        INSERT INTO map_change (slot, x, y, more)
            SELECT slot, cell_x(lng::float8, 13), cell_y(lat::float8, 13), -count(*)
            FROM gone WHERE is_shown GROUP BY 1, 2, 3;
    INSERT INTO search_queue (kind, ids, entry_ids)
        SELECT kind, array_agg(number), array_agg(nextval('search_number')) FROM changed GROUP BY kind, number >> 6;
    RETURN NULL;
END $$;
-- Triggers of statements are those of the table that the statement names alone.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['piece', 'album', 'poi', 'blog'] LOOP
        EXECUTE format('CREATE TRIGGER followed_gone AFTER DELETE ON %I REFERENCING OLD TABLE AS changed
                            FOR EACH STATEMENT EXECUTE FUNCTION forget_pieces()', name);
    END LOOP;
END $$;

CREATE FUNCTION move_piece() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    was_shown boolean := is_public(OLD.visibility, OLD.hidden);
    is_shown CONSTANT boolean := is_public(NEW.visibility, NEW.hidden) AND NEW.public_day <= current_date;
BEGIN
    IF OLD.public_day > '-infinity' THEN
        DELETE FROM map_future WHERE kind = OLD.kind AND id = OLD.number;
        was_shown := was_shown AND NOT FOUND;
    END IF;
    IF NOT is_shown AND is_public(NEW.visibility, NEW.hidden) THEN
        INSERT INTO map_future (kind, id, owner_id, score, slot, x, y, day)
            VALUES (NEW.kind, NEW.number, NEW.owner_id, NEW.score, NEW.slot, cell_x(NEW.lng::float8, 13),
                    cell_y(NEW.lat::float8, 13), NEW.public_day);
    END IF;
    IF ROW(was_shown, OLD.slot, OLD.lat, OLD.lng) IS DISTINCT FROM ROW(is_shown, NEW.slot, NEW.lat, NEW.lng) THEN
        INSERT INTO map_change (slot, x, y, more)
            SELECT slot, cell_x(lng::float8, 13), cell_y(lat::float8, 13), sum(more)
            FROM (VALUES (was_shown, OLD.slot, OLD.lat, OLD.lng, -1), (is_shown, NEW.slot, NEW.lat, NEW.lng, 1))
                AS piece (is_shown, slot, lat, lng, more)
            WHERE piece.is_shown GROUP BY 1, 2, 3 HAVING sum(more) <> 0;
    END IF;
    IF ROW(was_shown, OLD.owner_id) IS DISTINCT FROM ROW(is_shown, NEW.owner_id) THEN
        INSERT INTO owner_change (owner_id, kind, is_shown, pieces, score) VALUES
            (OLD.owner_id, OLD.kind, was_shown, -1, -OLD.score::bigint), (NEW.owner_id, NEW.kind, is_shown, 1, NEW.score);
    ELSIF OLD.score <> NEW.score THEN
        INSERT INTO owner_change (owner_id, kind, is_shown, pieces, score)
            VALUES (NEW.owner_id, NEW.kind, is_shown, 0, NEW.score::bigint - OLD.score);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER moved AFTER UPDATE ON piece FOR EACH ROW
    WHEN (ROW(OLD.slot, OLD.lat, OLD.lng, OLD.public_day, OLD.visibility, OLD.hidden, OLD.owner_id, OLD.score) IS DISTINCT FROM
          ROW(NEW.slot, NEW.lat, NEW.lng, NEW.public_day, NEW.visibility, NEW.hidden, NEW.owner_id, NEW.score))
    EXECUTE FUNCTION move_piece();

CREATE FUNCTION reword_piece() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    INSERT INTO search_queue (kind, ids, entry_ids) VALUES (NEW.kind, ARRAY[NEW.number], ARRAY[nextval('search_number')]);
    RETURN NULL;
END $$;
CREATE TRIGGER reworded AFTER UPDATE ON piece FOR EACH ROW
    WHEN (ROW(OLD.title, OLD.content) IS DISTINCT FROM ROW(NEW.title, NEW.content)) EXECUTE FUNCTION reword_piece();
