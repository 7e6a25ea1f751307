-- Lists of changes to pieces, for the counts of the next file. Writers append to the lists and wait for nobody. The keeper, a
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
COMMENT ON TABLE mapdiary_closed.arrival IS 'New pieces that the keeper has not counted, some in a row. A writer pays for this row alone.';
COMMENT ON COLUMN mapdiary_closed.arrival.entry_ids IS 'Identifiers for search_entry.';
COMMENT ON COLUMN mapdiary_closed.arrival.slots IS 'NULL of a piece that not everybody may see.';
COMMENT ON COLUMN mapdiary_closed.arrival.owner_id IS 'Of a piece in a row of its own, as is the score.';

-- A writer holds the row of the piece in its table first, so two writers never meet here. The keeper skips rows that a writer
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
    'Pieces that everybody may see from a day to come. The keeper counts a piece on that day, and it is counted nowhere else before.';

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

-- Whether everybody may see a piece from its day on, as an expression of the columns of "piece". A migration that replaces this
-- function calls follow_pieces(), and has all pieces counted anew if the answer is another one for some of them.
CREATE FUNCTION everybody_sees(of_kind integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE of_kind WHEN 1 THEN '(piece.hidden IS NULL)'
        ELSE '(piece.visibility = ''public'' AND piece.hidden IS NULL)' END
$$;

-- The kinds of pieces, with expressions of their columns: by which owner, slot and day a piece counts, and which columns have
-- its words.
CREATE FUNCTION piece_kinds()
RETURNS TABLE (kind integer, name text, owner text, slot text, day text, words text, is_public text) LANGUAGE sql IMMUTABLE AS $$
    SELECT *, mapdiary.everybody_sees(column1) FROM (VALUES
        (0, 'album', 'piece.owner_id', 'album_slot(piece.category)', '''-infinity''::date', 'piece.title'),
        (1, 'poi', 'piece.owner_id', 'poi_slot(piece.category)', '''-infinity''::date', 'piece.name'),
        (2, 'blog', 'piece.author_id', 'blog_slot(piece.type)', 'piece.post_date', 'piece.title, piece.content')) AS kinds
$$;

-- The functions and triggers of a kind: <name> and its like stand for the columns of piece_kinds(), <old_slot> and <new_slot>
-- and their like for the same of the row before and after. A piece counts while everybody may see it, a blog from its day on.
--
-- Most pieces come one by one, and a trigger notes each. An import, which inserts many in a statement, sets mapdiary.bulk
-- before, and notes them in arrival, 64 in a row, and in owner_change, by the functions <name>_noted_slot() and
-- <name>_noted_owner(), which are inlined. That takes a quarter of the time. A trigger of the statement would do it, too, but
-- all that insert one piece would pay for it.
CREATE FUNCTION following() RETURNS text LANGUAGE sql IMMUTABLE AS $following$ SELECT $template$
    CREATE OR REPLACE FUNCTION welcome_<name>() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    DECLARE
        is_shown CONSTANT boolean := <new_is_public> AND <new_day> <= current_date;
    BEGIN
        IF <new_is_public> AND NOT is_shown THEN
            INSERT INTO map_future (kind, id, owner_id, score, slot, x, y, day)
                VALUES (<kind>, NEW.<name>_id, <new_owner>, NEW.score, <new_slot>, cell_x(NEW.lng::float8, 13),
                        cell_y(NEW.lat::float8, 13), <new_day>);
        END IF;
        IF current_setting('mapdiary.bulk', true) IS DISTINCT FROM 'on' THEN
            INSERT INTO arrival (kind, ids, entry_ids, slots, lats, lngs, owner_id, score) VALUES
                (<kind>, ARRAY[NEW.<name>_id], ARRAY[nextval('search_number')], ARRAY[CASE WHEN is_shown THEN <new_slot> END],
                 ARRAY[NEW.lat]::numeric[], ARRAY[NEW.lng]::numeric[], <new_owner>, NEW.score);
        END IF;
        RETURN NULL;
    END $$;
    DROP FUNCTION IF EXISTS <name>_noted_slot, <name>_noted_owner; -- they may be of another table of that name
    CREATE FUNCTION <name>_noted_slot(piece <name>) RETURNS integer LANGUAGE sql STABLE AS
        $$ SELECT CASE WHEN <is_public> AND <day> <= current_date THEN <slot> END $$;
    CREATE FUNCTION <name>_noted_owner(piece <name>) RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT <owner> $$;
    CREATE OR REPLACE FUNCTION forget_<name>s() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    BEGIN
        WITH future AS (DELETE FROM map_future f USING changed c WHERE f.kind = <kind> AND f.id = c.<name>_id RETURNING f.id),
            gone AS MATERIALIZED (SELECT piece.*, <is_public> AND f.id IS NULL AS is_shown
                FROM changed AS piece LEFT JOIN future f ON f.id = <name>_id),
            owned AS (INSERT INTO owner_change (owner_id, kind, is_shown, pieces, score)
                SELECT <owner>, <kind>, is_shown, -count(*), -sum(score) FROM gone AS piece GROUP BY 1, 3)
            INSERT INTO map_change (slot, x, y, more)
                SELECT <slot>, cell_x(lng::float8, 13), cell_y(lat::float8, 13), -count(*)
                FROM gone AS piece WHERE is_shown GROUP BY 1, 2, 3;
        INSERT INTO search_queue (kind, ids, entry_ids)
            SELECT <kind>, array_agg(<name>_id), array_agg(nextval('search_number')) FROM changed GROUP BY <name>_id >> 6;
        RETURN NULL;
    END $$;
    CREATE OR REPLACE FUNCTION move_<name>() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    DECLARE
        was_shown boolean := <old_is_public>;
        is_shown CONSTANT boolean := <new_is_public> AND <new_day> <= current_date;
    BEGIN
        IF <old_day> > '-infinity' THEN
            DELETE FROM map_future WHERE kind = <kind> AND id = OLD.<name>_id;
            was_shown := was_shown AND NOT FOUND;
        END IF;
        IF <new_is_public> AND NOT is_shown THEN
            INSERT INTO map_future (kind, id, owner_id, score, slot, x, y, day)
                VALUES (<kind>, NEW.<name>_id, <new_owner>, NEW.score, <new_slot>, cell_x(NEW.lng::float8, 13),
                        cell_y(NEW.lat::float8, 13), <new_day>);
        END IF;
        IF ROW(was_shown, <old_slot>, OLD.lat, OLD.lng) IS DISTINCT FROM ROW(is_shown, <new_slot>, NEW.lat, NEW.lng) THEN
            INSERT INTO map_change (slot, x, y, more)
                SELECT slot, cell_x(lng::float8, 13), cell_y(lat::float8, 13), sum(more)
                FROM (VALUES (was_shown, <old_slot>, OLD.lat, OLD.lng, -1), (is_shown, <new_slot>, NEW.lat, NEW.lng, 1))
                    AS piece (is_shown, slot, lat, lng, more)
                WHERE piece.is_shown GROUP BY 1, 2, 3 HAVING sum(more) <> 0;
        END IF;
        IF ROW(was_shown, <old_owner>) IS DISTINCT FROM ROW(is_shown, <new_owner>) THEN
            INSERT INTO owner_change (owner_id, kind, is_shown, pieces, score) VALUES
                (<old_owner>, <kind>, was_shown, -1, -OLD.score::bigint), (<new_owner>, <kind>, is_shown, 1, NEW.score);
        ELSIF OLD.score <> NEW.score THEN
            INSERT INTO owner_change (owner_id, kind, is_shown, pieces, score)
                VALUES (<new_owner>, <kind>, is_shown, 0, NEW.score::bigint - OLD.score);
        END IF;
        RETURN NULL;
    END $$;
    CREATE OR REPLACE FUNCTION reword_<name>() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    BEGIN
        INSERT INTO search_queue (kind, ids, entry_ids) VALUES (<kind>, ARRAY[NEW.<name>_id], ARRAY[nextval('search_number')]);
        RETURN NULL;
    END $$;
    CREATE OR REPLACE TRIGGER followed_new AFTER INSERT ON <name> FOR EACH ROW
        WHEN (current_setting('mapdiary.bulk', true) IS DISTINCT FROM 'on' OR <new_day> > current_date)
        EXECUTE FUNCTION welcome_<name>();
    CREATE OR REPLACE TRIGGER followed_gone AFTER DELETE ON <name> REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION forget_<name>s();
    CREATE OR REPLACE TRIGGER moved AFTER UPDATE ON <name> FOR EACH ROW
        WHEN (<was> IS DISTINCT FROM <is>) EXECUTE FUNCTION move_<name>();
    CREATE OR REPLACE TRIGGER reworded AFTER UPDATE ON <name> FOR EACH ROW
        WHEN (<old_words> IS DISTINCT FROM <new_words>) EXECUTE FUNCTION reword_<name>();
$template$ $following$;

-- Makes them, and the view of all pieces. To be called again when a kind has changed, or is another table.
CREATE PROCEDURE follow_pieces() LANGUAGE plpgsql SET search_path = mapdiary SET client_min_messages = warning AS $$
DECLARE
    statements text;
    mark record;
    of record;
BEGIN
    FOR of IN
        SELECT *, format('ROW(%s, piece.lat, piece.lng, %s, %s, %s, piece.score)', slot, day, is_public, owner) AS counted
            FROM piece_kinds()
    LOOP
        statements := following();
        FOR mark IN
            SELECT * FROM jsonb_each_text(to_jsonb(of))
            UNION ALL
            SELECT concat(row.word, '_', e.key), replace(e.value, 'piece.', row.name)
                FROM jsonb_each_text(to_jsonb(of)) e, (VALUES ('old', 'OLD.'), ('new', 'NEW.')) AS row (word, name)
                WHERE e.key IN ('slot', 'day', 'is_public', 'owner')
            UNION ALL VALUES
                ('was', replace(of.counted, 'piece.', 'OLD.')), ('is', replace(of.counted, 'piece.', 'NEW.')),
                ('old_words', format('ROW(%s)', replace(of.words, 'piece.', 'OLD.'))),
                ('new_words', format('ROW(%s)', replace(of.words, 'piece.', 'NEW.')))
        LOOP
            statements := replace(statements, format('<%s>', mark.key), mark.value);
        END LOOP;
        EXECUTE statements;
    END LOOP;
    EXECUTE (SELECT 'CREATE OR REPLACE VIEW mapdiary_closed.map_piece AS ' || string_agg(format(
        'SELECT %s AS owner_id, %s AS slot, lat::float8 AS lat, lng::float8 AS lng, %s AS day, %s AS is_public, %s AS kind,'
        ' %I AS id, score FROM %I AS piece', owner, slot, day, is_public, kind, name || '_id', name), ' UNION ALL ')
        FROM piece_kinds());
END $$;
CALL follow_pieces();
COMMENT ON VIEW mapdiary_closed.map_piece IS 'All pieces, as they count.';
