-- Finding pieces: near a place, on a map, by words, the newest. What is asked for beside the pieces themselves is kept here:
-- counts in cells of the map, and the words of each piece. Writers append what has changed to lists and wait for nobody;
-- a process of the service, the keeper, works them off. So no row is written by many.
--
-- The tables begin empty, and nothing here reads a large one: the keeper fills them when it first runs. They are closed to
-- requests, as they know of what not everybody may see: functions of the owner read them, and take the viewer.

-- Kinds and what they are of -----------------------------------------------------------------------------------------

-- A kind is 0 for albums, 1 for points of interest, 2 for blogs. The slots of a piece's counts are 1 to 30: the categories of
-- albums, those of points of interest, the types of blogs, one after the other.
CREATE FUNCTION album_slot(category smallint) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT category::integer';
CREATE FUNCTION poi_slot(category smallint) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 16 + category';
CREATE FUNCTION blog_slot(type blog_type) RETURNS integer LANGUAGE sql STABLE AS
    'SELECT 22 + substr(type::text, 3)::integer';

-- A blog has changed when what its author wrote has; without a moment, it has not since it was posted.
ALTER TABLE blog ADD changed_at timestamptz;
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at := now();
    RETURN NEW;
END $$;
CREATE TRIGGER change_noted BEFORE UPDATE ON blog FOR EACH ROW
    WHEN ((OLD.type, OLD.lat::text, OLD.lng::text, OLD.title, OLD.content, OLD.post_date, OLD.weather, OLD.reply_blog_id,
           OLD.zoom_level, OLD.map_type, OLD.user_category, OLD.visibility) IS DISTINCT FROM
          (NEW.type, NEW.lat::text, NEW.lng::text, NEW.title, NEW.content, NEW.post_date, NEW.weather, NEW.reply_blog_id,
           NEW.zoom_level, NEW.map_type, NEW.user_category, NEW.visibility))
    EXECUTE FUNCTION note_change();
CALL show_pieces();

-- Cells --------------------------------------------------------------------------------------------------------------

-- Cells of level n are squares of 360 / 2^n degrees, counted from the south west; the last ones have their northern and eastern
-- edge, too.
CREATE FUNCTION cell_x(lng float8, level integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
    'SELECT least(floor((lng + 180) / 360 * (1 << level)), (1 << level) - 1)::integer';
CREATE FUNCTION cell_y(lat float8, level integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
    'SELECT least(floor((lat + 90) / 360 * (1 << level)), (1 << level - 1) - 1)::integer';

-- Pieces are found where they lie by a B-tree of the numbers of their places. A number has six digits, for the cells of the
-- levels 3, 6, 9, 12, 15 and 18 that the place is in: which one it is of the 8 by 8 in the cell before, counted row by row from
-- the south west. So what is in a row of such cells has numbers from one to another, as far as the row is in one cell of the
-- level before; and what is in a box has a few such ranges.
--
-- A digit has three bits of y and three of x. They are put so far from each other by adding up copies that do not overlap: of all 18
-- bits, and then of each six of them.
--
-- PostgreSQL prepares the expression of an index anew in each statement that writes, function by function: so they are few. The
-- first bucket of width_bucket() is all below its range, the last all above it.
CREATE FUNCTION place_x(lng float8) RETURNS integer LANGUAGE sql IMMUTABLE AS
    'SELECT width_bucket(lng, -180 + 360 / 262144.0::float8, 180 - 360 / 262144.0::float8, 262142)';
CREATE FUNCTION place_y(lat float8) RETURNS integer LANGUAGE sql IMMUTABLE AS
    'SELECT width_bucket(lat, -90 + 360 / 262144.0::float8, 90 - 360 / 262144.0::float8, 131070)';
CREATE FUNCTION spread_bits(number integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    'SELECT (number * 68719738881 & 17732924589735999) * 65 & 1010776701614951943';
CREATE FUNCTION cell_number(x integer, y integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    'SELECT (mapdiary.spread_bits(y) << 3) | mapdiary.spread_bits(x)';
CREATE FUNCTION place_number(lat numeric, lng numeric) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    'SELECT mapdiary.cell_number(mapdiary.place_x(lng::float8), mapdiary.place_y(lat::float8))';

-- The ranges that have all of a box, and something around it: of the finest level of which they are few. The box is a little wider
-- than it is, as other releases of PostgreSQL may round another way what is at the edge of a bucket. It is inlined.
CREATE FUNCTION cells_in(west numeric, south numeric, east numeric, north numeric) RETURNS TABLE (low bigint, high bigint)
LANGUAGE sql IMMUTABLE AS $$
    SELECT mapdiary.cell_number(greatest(x0, x << up + 3), greatest(y0, y << up)),
           mapdiary.cell_number(least(x1, (x + 1 << up + 3) - 1), least(y1, (y + 1 << up) - 1))
        FROM (SELECT mapdiary.place_x(west::float8 - 1e-9) AS x0, mapdiary.place_x(east::float8 + 1e-9) AS x1,
                     mapdiary.place_y(south::float8 - 1e-9) AS y0, mapdiary.place_y(north::float8 + 1e-9) AS y1
              OFFSET 0) edges,
             LATERAL (SELECT up FROM generate_series(0, 15, 3) AS up
                WHERE ((y1 >> up) - (y0 >> up) + 1)::bigint * ((x1 >> up + 3) - (x0 >> up + 3) + 1) <= 32
                ORDER BY up LIMIT 1) finest,
             generate_series(y0 >> up, y1 >> up) AS y, generate_series(x0 >> up + 3, x1 >> up + 3) AS x
        OFFSET 0
$$;

-- Listed -------------------------------------------------------------------------------------------------------------

-- The pieces of a kind that a viewer may see, as lists show them. They are inlined, with visible_album() and its like.
CREATE TYPE listed AS (
    kind integer, id bigint, slot integer, place bigint, title text, slot_name text, lat numeric, lng numeric, thumbnail text,
    owner_id bigint, dated date, changed_at timestamptz, score integer);
CREATE FUNCTION listed_album(viewer bigint) RETURNS SETOF listed LANGUAGE sql STABLE AS $$
    SELECT 0, t.album_id, mapdiary.album_slot(t.category), mapdiary.place_number(t.lat, t.lng), t.title::text, t.category::text,
           t.lat::numeric, t.lng::numeric,
           (SELECT mapdiary.photo_address(p.album_id, p.poi_id, p.address, p.name, p.format, 'small') FROM mapdiary.photo p
                WHERE p.album_id = t.album_id AND mapdiary.may_see_photo(t.owner_id, p.hidden, viewer)
                ORDER BY p.photo_id = t.cover_photo_id DESC NULLS LAST, p.position LIMIT 1),
           t.owner_id, t.updated_at::date, t.updated_at, t.score
        FROM mapdiary.visible_album(viewer) t
$$;
CREATE FUNCTION listed_poi(viewer bigint) RETURNS SETOF listed LANGUAGE sql STABLE AS $$
    SELECT 1, t.poi_id, mapdiary.poi_slot(t.category), mapdiary.place_number(t.lat, t.lng), t.name::text, t.category::text,
           t.lat::numeric, t.lng::numeric,
           (SELECT mapdiary.photo_address(p.album_id, p.poi_id, p.address, p.name, p.format, 'small') FROM mapdiary.photo p
                WHERE p.poi_id = t.poi_id AND mapdiary.may_see_photo(t.owner_id, p.hidden, viewer) ORDER BY p.position LIMIT 1),
           t.owner_id, t.updated_at::date, t.updated_at, t.score
        FROM mapdiary.visible_poi(viewer) t
$$;
CREATE FUNCTION listed_blog(viewer bigint) RETURNS SETOF listed LANGUAGE sql STABLE AS $$
    SELECT 2, t.blog_id, mapdiary.blog_slot(t.type), mapdiary.place_number(t.lat, t.lng), t.title::text, t.type::text,
           t.lat::numeric, t.lng::numeric, NULL::text, t.author_id, t.post_date, coalesce(t.changed_at, t.created_at), t.score
        FROM mapdiary.visible_blog(viewer) t
$$;

-- A piece of any kind, without a row where the viewer may not see it; and those of these slots in a box. They are inlined, as is
-- pieces_in(), whose boxes are a little wider than they are: degrees that were calculated are rounded.
CREATE FUNCTION listed_piece(viewer bigint, of_kind integer, identifier bigint) RETURNS SETOF listed LANGUAGE sql STABLE AS $$
    SELECT * FROM mapdiary.listed_album(viewer) WHERE of_kind = 0 AND id = identifier
    UNION ALL SELECT * FROM mapdiary.listed_poi(viewer) WHERE of_kind = 1 AND id = identifier
    UNION ALL SELECT * FROM mapdiary.listed_blog(viewer) WHERE of_kind = 2 AND id = identifier
$$;
CREATE FUNCTION listed_in(viewer bigint, west numeric, south numeric, east numeric, north numeric, first integer, last integer)
RETURNS SETOF listed LANGUAGE sql STABLE AS $$
    SELECT t.* FROM mapdiary.cells_in(west, south, east, north) c, LATERAL (
        SELECT * FROM mapdiary.listed_album(viewer)
            WHERE place BETWEEN c.low AND c.high AND first <= 16 AND slot BETWEEN first AND last
        UNION ALL
        SELECT * FROM mapdiary.listed_poi(viewer)
            WHERE place BETWEEN c.low AND c.high AND first <= 21 AND last >= 17 AND slot BETWEEN first AND last
        UNION ALL
        SELECT * FROM mapdiary.listed_blog(viewer)
            WHERE place BETWEEN c.low AND c.high AND last >= 22 AND (first <= 22 AND last = 30 OR slot BETWEEN first AND last)) t
        WHERE t.lat BETWEEN south AND north AND t.lng BETWEEN west AND east
$$;
CREATE FUNCTION edges_of(around box) RETURNS TABLE (west numeric, south numeric, east numeric, north numeric)
LANGUAGE sql IMMUTABLE AS $$
    SELECT ((around[1])[0] - 1e-9)::numeric, ((around[1])[1] - 1e-9)::numeric,
           ((around[0])[0] + 1e-9)::numeric, ((around[0])[1] + 1e-9)::numeric OFFSET 0
$$;
CREATE FUNCTION pieces_in(viewer bigint, around box, first integer, last integer)
RETURNS TABLE (kind integer, id bigint, lat float8, lng float8) LANGUAGE sql STABLE AS $$
    SELECT t.kind, t.id, t.lat::float8, t.lng::float8
        FROM mapdiary.edges_of(around) e, mapdiary.listed_in(viewer, e.west, e.south, e.east, e.north, first, last) t
        OFFSET 0
$$;

-- The site, of which the identifiers of feeds and their entries are made; and a key, by which it knows what it has given for
-- the next page of a list.
ALTER TABLE service ADD site_id uuid NOT NULL DEFAULT gen_random_uuid(),
                    ADD page_key text NOT NULL DEFAULT gen_random_uuid() || ':' || gen_random_uuid();

-- Near a place -------------------------------------------------------------------------------------------------------

-- Metres on a sphere of the earth's mean radius, by haversines.
CREATE FUNCTION sphere_distance(lat1 float8, lng1 float8, lat2 float8, lng2 float8) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
    SELECT 12742017.6 * asin(least(1, sqrt(power(sin(radians(lat2 - lat1) / 2), 2)
        + cos(radians(lat1)) * cos(radians(lat2)) * power(sin(radians(lng2 - lng1) / 2), 2))))
$$;

-- The boxes, one or two, within which all is that is so near, and a little more, as sines are rounded. A circle that holds a pole
-- has all longitudes.
CREATE FUNCTION boxes_around(lat float8, lng float8, radius float8) RETURNS box[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    margin CONSTANT float8 := 1e-5;
    high float8 := degrees(radius / 6371008.8) + margin;
    south float8 := greatest(lat - high, -90) - margin;
    north float8 := least(lat + high, 90) + margin;
    wide float8;
BEGIN
    IF lat + high >= 90 OR lat - high <= -90 THEN
        RETURN ARRAY[box(point(-180, south), point(180, north))];
    END IF;
    wide := degrees(asin(least(1, sin(radians(high)) / cos(radians(lat))))) + margin;
    IF lng - wide < -180 THEN
        RETURN ARRAY[box(point(-180, south), point(lng + wide, north)), box(point(lng - wide + 360, south), point(180, north))];
    ELSIF lng + wide > 180 THEN
        RETURN ARRAY[box(point(lng - wide, south), point(180, north)), box(point(-180, south), point(lng + wide - 360, north))];
    END IF;
    RETURN ARRAY[box(point(lng - wide, south), point(lng + wide, north))];
END $$;

-- Where a circle crosses a parallel, in degrees of longitude from its middle; 0 where it does not.
CREATE FUNCTION crossing(lat float8, radius float8, parallel float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT degrees(2 * asin(sqrt(least(1, greatest(0,
        (power(sin(radius / 12742017.6), 2) - power(sin(radians(parallel - lat) / 2), 2))
        / (cos(radians(lat)) * cos(radians(parallel))))))))
$$;

-- Boxes that have all that is no nearer than the one and no farther than the other radius, and little else: of strips of
-- latitude the part in the west and the one in the east. Not near a pole or the antimeridian.
CREATE FUNCTION boxes_between(lat float8, lng float8, inner_radius float8, outer_radius float8, strips integer) RETURNS box[]
LANGUAGE plpgsql IMMUTABLE SET search_path = mapdiary AS $$
DECLARE
    margin CONSTANT float8 := 1e-5;
    high CONSTANT float8 := degrees(outer_radius / 6371008.8) + margin;
    widest CONSTANT float8 := degrees(asin(sin(outer_radius / 6371008.8) / cos(radians(lat))));
    widest_at CONSTANT float8 := degrees(asin(sin(radians(lat)) / cos(outer_radius / 6371008.8)));
BEGIN
    RETURN (SELECT array_agg(box(point(lng + side * (near - margin), south - margin), point(lng + side * (far + margin), north + margin)))
        FROM (
            SELECT south, lead(south) OVER w AS north, least(near, lead(near) OVER w) AS near,
                   CASE WHEN widest_at BETWEEN south AND lead(south) OVER w THEN widest ELSE greatest(far, lead(far) OVER w) END AS far
                FROM generate_series(0, strips) AS n, LATERAL (SELECT lat + high * (2.0 * n / strips - 1) AS south) e,
                     LATERAL (SELECT crossing(lat, inner_radius, south) AS near, crossing(lat, outer_radius, south) AS far) c
                WINDOW w AS (ORDER BY n)) s,
            unnest(ARRAY[-1, 1]) AS side WHERE north IS NOT NULL);
END $$;

-- About how far from a place one has to go for so many pieces of these slots, by the counts that are kept: those of the nine
-- cells around it, of the finest level where they have so many.
CREATE FUNCTION usual_distance(at_lat float8, at_lng float8, first integer, last integer, pieces float8) RETURNS float8
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = mapdiary, mapdiary_closed, pg_temp SET enable_seqscan = off AS $$
DECLARE
    there bigint;
    finest integer;
BEGIN
    FOREACH finest IN ARRAY ARRAY[13, 10, 7, 4] LOOP
        SELECT sum(CASE WHEN first = 1 AND last = 30 THEN c.total ELSE (SELECT sum(n) FROM unnest(c.counts[first:last]) AS n) END)
            INTO there
            FROM generate_series(-1, 1) AS more, LATERAL (
                SELECT * FROM map_cell m WHERE m.level = finest AND m.y = cell_y(at_lat, finest) + more
                AND m.x BETWEEN cell_x(at_lng, finest) - 1 AND cell_x(at_lng, finest) + 1 OFFSET 0) c;
        EXIT WHEN there >= pieces;
    END LOOP;
    RETURN 3 * 360.0 / (1 << finest) * 111195 * sqrt(cos(radians(at_lat)) * pieces / (pi() * greatest(1, there)));
END $$;

-- The nearest of these slots behind a position, nearest first; so many were before it. They are looked for in rings around the
-- place: each is as wide as it has to be where it goes on as it was, the first one by the counts that are kept. One that has far
-- more than that is made narrower, down to a metre. A narrow one behind many is made of many boxes, of which none has its middle.
CREATE FUNCTION nearest_pieces(viewer bigint, at_lat float8, at_lng float8, radius float8, first integer, last integer,
                               after_distance float8, after_kind integer, after_id bigint, before bigint, most integer)
RETURNS TABLE (kind integer, id bigint, title text, slot_name text, lat numeric, lng numeric, thumbnail text,
               owner_id bigint, dated date, changed_at timestamptz, score integer, distance float8)
LANGUAGE plpgsql STABLE SET search_path = mapdiary
SET enable_bitmapscan = off SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off AS $$
DECLARE
    wanted CONSTANT float8 := most + 3 * sqrt(most);
    enough CONSTANT bigint := 200 + 4 * most;
    inner_radius float8 := greatest(0, after_distance);
    -- How much wider a ring is, squared.
    more float8 := CASE WHEN before > 0 AND inner_radius > 1 THEN inner_radius * inner_radius * wanted / before
                   ELSE power(usual_distance(at_lat, at_lng, first, last, wanted), 2) END;
    narrow float8; -- a ring of a metre
    bound float8;
    boxes box[];
    seen bigint;
BEGIN
    LOOP
        narrow := greatest(1, 2 * inner_radius);
        more := greatest(narrow, more);
        bound := least(radius, sqrt(inner_radius * inner_radius + more));
        boxes := boxes_around(at_lat, at_lng, bound);
        IF before > 500 AND more < inner_radius * inner_radius AND abs(at_lat) < 70 AND cardinality(boxes) = 1 THEN
            boxes := boxes_between(at_lat, at_lng, inner_radius, bound, least(30, 3 + sqrt(before) / 2)::integer);
        END IF;
        RETURN QUERY SELECT DISTINCT ON (c.d, c.kind, c.id)
                   c.kind, c.id, c.title, c.slot_name, c.lat, c.lng, c.thumbnail, c.owner_id, c.dated, c.changed_at, c.score,
                   c.d
            FROM (SELECT l.*, count(*) OVER () AS there FROM (
                SELECT m.* FROM (
                    SELECT n.*, sphere_distance(at_lat, at_lng, n.y, n.x) AS d
                    FROM (SELECT t.*, t.lat::float8 AS y, t.lng::float8 AS x
                        FROM unnest(boxes) AS b (box), edges_of(b.box) e,
                             listed_in(viewer, e.west, e.south, e.east, e.north, first, last) t OFFSET 0) n OFFSET 0) m
                WHERE m.d <= bound AND (m.d, m.kind, m.id) > (after_distance, after_kind, after_id)
                LIMIT CASE WHEN more > narrow THEN enough END) l) c
            WHERE more <= narrow OR c.there < enough
            ORDER BY c.d, c.kind, c.id LIMIT most;
        GET DIAGNOSTICS seen = ROW_COUNT;
        IF seen = 0 AND more > narrow THEN
            PERFORM FROM unnest(boxes) AS b (box), pieces_in(viewer, b.box, first, last) t,
                         sphere_distance(at_lat, at_lng, t.lat, t.lng) AS d
                WHERE d <= bound AND (d, t.kind, t.id) > (after_distance, after_kind, after_id) LIMIT 1 OFFSET enough - 1;
            IF FOUND THEN
                more := more / 8;
                CONTINUE;
            END IF;
        END IF;
        most := most - seen;
        EXIT WHEN (most > 0 AND bound < radius) IS NOT TRUE;
        before := before + seen;
        after_distance := bound; after_kind := 3;
        inner_radius := bound;
        more := more * 4;
    END LOOP;
END $$;

-- On a map -----------------------------------------------------------------------------------------------------------

-- Cells of the levels below have their counts here, of what everybody may see: in all, and of each slot.
CREATE TABLE mapdiary_closed.map_cell (
    level  smallint NOT NULL,
    y      integer NOT NULL,
    x      integer NOT NULL,
    total  integer NOT NULL,
    counts integer[] NOT NULL,
    PRIMARY KEY (level, y, x)
);
CREATE INDEX map_cell_column ON mapdiary_closed.map_cell (level, x, y);
CREATE FUNCTION map_levels() RETURNS integer[] LANGUAGE sql IMMUTABLE AS 'SELECT ARRAY[4, 7, 10, 13]';

-- What is not in them yet, in cells of the finest level: pieces that came (1), or went (-1), from their day on. What went is
-- taken off at once by whoever counts.
CREATE TABLE mapdiary_closed.map_change (
    slot smallint NOT NULL,
    x    integer NOT NULL,
    y    integer NOT NULL,
    more integer NOT NULL,
    day  date NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX map_change_gone ON mapdiary_closed.map_change (y, x) WHERE more < 0;

-- New pieces that the keeper has not come to, some of a day in a row: identifiers for "search_entry", below; slots, NULL of what
-- not everybody may see; and places. Whoever writes a piece pays for this row alone, so it has no index, and nothing is worked out.
CREATE TABLE mapdiary_closed.arrival (
    kind      integer NOT NULL,
    ids       bigint[] NOT NULL,
    entry_ids bigint[] NOT NULL,
    day       date NOT NULL,
    slots     integer[] NOT NULL,
    lats      numeric[] NOT NULL,
    lngs      numeric[] NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- A row of 64 pieces has some 3 kB: nothing that it is worth to compress.
ALTER TABLE mapdiary_closed.arrival ALTER ids SET STORAGE PLAIN, ALTER entry_ids SET STORAGE PLAIN, ALTER slots SET STORAGE PLAIN,
    ALTER lats SET STORAGE PLAIN, ALTER lngs SET STORAGE PLAIN;
CREATE VIEW mapdiary_closed.map_waiting AS
    SELECT slot::integer, x, y, more, day FROM mapdiary_closed.map_change
    UNION ALL
    SELECT slot, cell_x(lng::float8, 13), cell_y(lat::float8, 13), 1, day
        FROM mapdiary_closed.arrival, unnest(slots, lats, lngs) AS piece (slot, lat, lng) WHERE slot IS NOT NULL;

-- Whether everybody may see a piece, from its day on: an expression of the columns of "piece". This is its one place: whoever
-- replaces it calls follow_pieces(), and has all counted anew where it is no longer true of pieces that are there.
CREATE FUNCTION everybody_sees(of_kind integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE of_kind WHEN 1 THEN '(piece.hidden IS NULL)'
        ELSE '(piece.visibility = ''public'' AND piece.hidden IS NULL)' END
$$;

-- The kinds of pieces, and expressions of their columns: where they count, by slot, place, day and whether everybody sees them;
-- and what their words are of.
CREATE FUNCTION piece_kinds()
RETURNS TABLE (kind integer, name text, owner text, slot text, day text, words text, is_public text) LANGUAGE sql IMMUTABLE AS $$
    SELECT *, mapdiary.everybody_sees(column1) FROM (VALUES
        (0, 'album', 'piece.owner_id', 'album_slot(piece.category)', '''-infinity''::date', 'piece.title'),
        (1, 'poi', 'piece.owner_id', 'poi_slot(piece.category)', '''-infinity''::date', 'piece.name'),
        (2, 'blog', 'piece.author_id', 'blog_slot(piece.type)', 'piece.post_date', 'piece.title, piece.content')) AS kinds
$$;

-- For each kind: <name> and its like stand for what is said above, <was> and <is> for where a piece counted and counts. A
-- piece counts while everybody may see it, a blog from its day on.
--
-- A piece by itself, as most come, is noted by the row. Who inserts many at a time, as an import does, sets "mapdiary.bulk" before,
-- and notes them in "arrival", 64 in a row, by <name>_noted_slot() and <name>_noted_day(), which are inlined: that takes a quarter of
-- the time. A trigger of the statement would do it, too, and cost everybody who inserts one.
CREATE FUNCTION following() RETURNS text LANGUAGE sql IMMUTABLE AS $following$ SELECT $template$
    CREATE OR REPLACE FUNCTION welcome_<name>() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    BEGIN
        INSERT INTO arrival (kind, ids, entry_ids, day, slots, lats, lngs) VALUES
            (<kind>, ARRAY[NEW.<name>_id], ARRAY[nextval('search_number')], <new_day>,
             ARRAY[CASE WHEN <new_is_public> THEN <new_slot> END], ARRAY[NEW.lat]::numeric[], ARRAY[NEW.lng]::numeric[]);
        RETURN NULL;
    END $$;
    DROP FUNCTION IF EXISTS <name>_noted_slot, <name>_noted_day; -- they may have been for another table of that name
    CREATE FUNCTION <name>_noted_slot(piece <name>) RETURNS integer LANGUAGE sql STABLE AS
        $$ SELECT CASE WHEN <is_public> THEN <slot> END $$;
    CREATE FUNCTION <name>_noted_day(piece <name>) RETURNS date LANGUAGE sql STABLE AS
        $$ SELECT greatest(<day>, current_date - 2) $$;
    CREATE OR REPLACE FUNCTION forget_<name>s() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    BEGIN
        INSERT INTO map_change (slot, x, y, more, day)
            SELECT <slot>, cell_x(lng::float8, 13), cell_y(lat::float8, 13), -count(*), <day>
            FROM changed AS piece WHERE <is_public> GROUP BY 1, 2, 3, 5;
        INSERT INTO search_queue (kind, ids, entry_ids)
            SELECT <kind>, array_agg(<name>_id), array_agg(nextval('search_number')) FROM changed GROUP BY <name>_id >> 6;
        RETURN NULL;
    END $$;
    CREATE OR REPLACE FUNCTION move_<name>() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    BEGIN
        INSERT INTO map_change (slot, x, y, more, day)
            SELECT <slot>, cell_x(lng::float8, 13), cell_y(lat::float8, 13), more, <day>
            FROM (SELECT OLD.*, -1 AS more UNION ALL SELECT NEW.*, 1) AS piece WHERE <is_public>;
        RETURN NULL;
    END $$;
    CREATE OR REPLACE FUNCTION reword_<name>() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    BEGIN
        INSERT INTO search_queue (kind, ids, entry_ids) VALUES (<kind>, ARRAY[NEW.<name>_id], ARRAY[nextval('search_number')]);
        RETURN NULL;
    END $$;
    CREATE OR REPLACE TRIGGER followed_new AFTER INSERT ON <name> FOR EACH ROW
        WHEN (current_setting('mapdiary.bulk', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION welcome_<name>();
    CREATE OR REPLACE TRIGGER followed_gone AFTER DELETE ON <name> REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION forget_<name>s();
    CREATE OR REPLACE TRIGGER moved AFTER UPDATE ON <name> FOR EACH ROW
        WHEN (<was> IS DISTINCT FROM <is>) EXECUTE FUNCTION move_<name>();
    CREATE OR REPLACE TRIGGER reworded AFTER UPDATE ON <name> FOR EACH ROW
        WHEN (<old_words> IS DISTINCT FROM <new_words>) EXECUTE FUNCTION reword_<name>();
$template$ $following$;

-- Has every kind followed, and all pieces in one view. To be called again when a kind has changed, or is another table.
CREATE PROCEDURE follow_pieces() LANGUAGE plpgsql SET search_path = mapdiary SET client_min_messages = warning AS $$
DECLARE
    statements text;
    mark record;
    of record;
BEGIN
    FOR of IN
        SELECT *, format('ROW(%s, piece.lat, piece.lng, %s, %s)', slot, day, is_public) AS counted FROM piece_kinds()
    LOOP
        statements := following();
        FOR mark IN
            SELECT * FROM jsonb_each_text(to_jsonb(of)) UNION ALL VALUES
                ('new_slot', replace(of.slot, 'piece.', 'NEW.')), ('new_day', replace(of.day, 'piece.', 'NEW.')),
                ('new_is_public', replace(of.is_public, 'piece.', 'NEW.')),
                ('was', replace(of.counted, 'piece.', 'OLD.')), ('is', replace(of.counted, 'piece.', 'NEW.')),
                ('old_words', format('ROW(%s)', replace(of.words, 'piece.', 'OLD.'))),
                ('new_words', format('ROW(%s)', replace(of.words, 'piece.', 'NEW.')))
        LOOP
            statements := replace(statements, format('<%s>', mark.key), mark.value);
        END LOOP;
        EXECUTE statements;
    END LOOP;
    EXECUTE (SELECT 'CREATE OR REPLACE VIEW mapdiary_closed.map_piece AS ' || string_agg(format(
        'SELECT %s AS owner_id, %s AS slot, lat::float8 AS lat, lng::float8 AS lng, %s AS day, %s AS is_public FROM %I AS piece',
        owner, slot, day, is_public, name), ' UNION ALL ') FROM piece_kinds());
END $$;
CALL follow_pieces();

-- Comments and photos are words of their pieces.
CREATE FUNCTION reword_pieces() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    INSERT INTO search_queue (kind, ids, entry_ids)
        SELECT kind, array_agg(id), array_agg(nextval('search_number')) FROM (
            SELECT DISTINCT CASE WHEN album_id IS NOT NULL THEN 0 WHEN poi_id IS NOT NULL THEN 1 ELSE 2 END AS kind,
                            coalesce(album_id, poi_id, blog_id) AS id FROM changed) AS piece
        GROUP BY kind, id >> 6;
    RETURN NULL;
END $$;
CREATE TRIGGER words_new AFTER INSERT ON comment REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION reword_pieces();
CREATE TRIGGER words_gone AFTER DELETE ON comment REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION reword_pieces();
CREATE TRIGGER words_before AFTER UPDATE ON comment REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION reword_pieces();
CREATE TRIGGER words_after AFTER UPDATE ON comment REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION reword_pieces();

CREATE FUNCTION reword_described() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    INSERT INTO search_queue (kind, ids, entry_ids)
        SELECT kind, array_agg(id), array_agg(nextval('search_number')) FROM (
            SELECT DISTINCT CASE WHEN album_id IS NOT NULL THEN 0 ELSE 1 END AS kind, coalesce(album_id, poi_id) AS id
            FROM changed WHERE description <> '') AS piece
        GROUP BY kind, id >> 6;
    RETURN NULL;
END $$;
CREATE FUNCTION reword_photo() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    INSERT INTO search_queue (kind, ids, entry_ids)
        VALUES (CASE WHEN NEW.album_id IS NOT NULL THEN 0 ELSE 1 END, ARRAY[coalesce(NEW.album_id, NEW.poi_id)],
                ARRAY[nextval('search_number')]);
    RETURN NULL;
END $$;
CREATE TRIGGER words_new AFTER INSERT ON photo REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION reword_described();
CREATE TRIGGER words_gone AFTER DELETE ON photo REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION reword_described();
CREATE TRIGGER reworded AFTER UPDATE ON photo FOR EACH ROW
    WHEN ((OLD.description, OLD.hidden) IS DISTINCT FROM (NEW.description, NEW.hidden))
    EXECUTE FUNCTION reword_photo();

-- The keeper -----------------------------------------------------------------------------------------------------------

-- These run as the owner of the tables, one at a time: where another process is at it, they answer -1.
CREATE FUNCTION is_only_keeper() RETURNS boolean LANGUAGE sql AS
    'SELECT pg_try_advisory_xact_lock(x''6b656570''::integer, ''mapdiary''::regnamespace::integer)';
CREATE FUNCTION add_counts(one integer[], other integer[]) RETURNS integer[] LANGUAGE sql IMMUTABLE AS
    'SELECT array_agg(a + b ORDER BY n) FROM unnest(one, other) WITH ORDINALITY AS u (a, b, n)';

-- Works off changes whose day has come, and what is new, at most so many of each. Answers how many. The words of what is new go to
-- the queue below, as they take longer. Rows are taken off by their ctid: by a scan of the table each would be compared with all.
CREATE FUNCTION keep_counts(most integer) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp SET enable_seqscan = off AS $$
DECLARE
    done bigint;
BEGIN
    IF NOT is_only_keeper() THEN
        RETURN -1;
    END IF;
    WITH gone AS MATERIALIZED (DELETE FROM map_change WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM map_change WHERE day <= current_date LIMIT most)) RETURNING slot, x, y, more),
        come AS MATERIALIZED (DELETE FROM arrival WHERE ctid = ANY (ARRAY(
                SELECT a.ctid FROM (SELECT ctid, sum(cardinality(ids)) OVER (ROWS UNBOUNDED PRECEDING) - cardinality(ids) AS before
                    FROM (SELECT ctid, ids FROM arrival LIMIT most) w) a WHERE before < most))
            RETURNING *),
        queued AS (INSERT INTO search_queue (kind, ids, entry_ids)
            SELECT kind, array_agg(id), array_agg(entry_id) FROM come, unnest(ids, entry_ids) AS piece (id, entry_id)
            GROUP BY kind, entry_id >> 6 ORDER BY min(entry_id)),
        cell AS MATERIALIZED (
            SELECT slot, cell_x(lng::float8, 13) AS x, cell_y(lat::float8, 13) AS y, day
            FROM come, unnest(slots, lats, lngs) AS piece (slot, lat, lng) WHERE slot IS NOT NULL),
        future AS (INSERT INTO map_change (slot, x, y, more, day)
            SELECT slot, x, y, 1, day FROM cell WHERE day > current_date),
        changes AS (SELECT * FROM gone UNION ALL SELECT slot, x, y, 1 FROM cell WHERE day <= current_date),
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
            SET total = c.total + excluded.total, counts = add_counts(c.counts, excluded.counts))
        SELECT (SELECT count(*) FROM gone) + coalesce(sum(cardinality(ids)), 0) INTO done FROM come;
    RETURN done;
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
    WITH gone AS (DELETE FROM map_change), come AS (DELETE FROM arrival RETURNING kind, ids, entry_ids),
        queued AS (INSERT INTO search_queue (kind, ids, entry_ids) SELECT * FROM come)
        INSERT INTO map_change (slot, x, y, more, day)
            SELECT slot, cell_x(lng, 13), cell_y(lat, 13), count(*), day FROM map_piece WHERE is_public GROUP BY 1, 2, 3, 5;
    DELETE FROM map_cell;
    LOOP
        more := keep_counts(most);
        done := done + more;
        EXIT WHEN more < most; -- writers may go on for ever
    END LOOP;
    RETURN done;
END $$;

-- How many cells have another count than there are pieces in them: none, but for what is wrong.
CREATE FUNCTION wrong_cells() RETURNS bigint LANGUAGE sql STABLE
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    WITH fine AS (
        SELECT slot, cell_x(lng, 13) AS x, cell_y(lat, 13) AS y, count(*) AS more
            FROM map_piece WHERE is_public AND day <= current_date GROUP BY 1, 2, 3
        UNION ALL SELECT slot, x, y, -sum(more) FROM map_waiting WHERE day <= current_date GROUP BY 1, 2, 3),
    cells AS (
        SELECT level, y >> (13 - level) AS y, x >> (13 - level) AS x, slot, sum(more) AS more
            FROM fine, unnest(map_levels()) AS level GROUP BY 1, 2, 3, 4
        UNION ALL SELECT level, y, x, slot, -n FROM map_cell, unnest(counts) WITH ORDINALITY AS u (n, slot))
    SELECT count(*) FROM (SELECT FROM cells GROUP BY level, y, x, slot HAVING sum(more) <> 0) AS wrong
$$;

-- Edges of cells of the finest level that is kept.
CREATE FUNCTION edge_x(x integer) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT x * 360.0::float8 / 8192 - 180';
CREATE FUNCTION edge_y(y integer) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT y * 360.0::float8 / 8192 - 90';

-- The longitudes of a box: one stretch, or two, none of which is across the antimeridian, which is in the west and in the east.
CREATE FUNCTION stretches(west numeric, east numeric) RETURNS TABLE (w numeric, e numeric) LANGUAGE sql IMMUTABLE AS $$
    SELECT west, CASE WHEN west > east THEN 180 ELSE east END
    UNION ALL
    SELECT CASE WHEN west = -180 THEN 180 ELSE -180 END, CASE WHEN west = -180 THEN 180 WHEN west > east THEN east ELSE -180 END
        WHERE west > east OR (west = -180) <> (east = 180)
$$;

-- So many pieces in a cell, as far as it is in a box.
CREATE FUNCTION cluster_in(x integer, y integer, level integer, pieces bigint, mean_lat float8, mean_lng float8,
                           box_west float8, box_south float8, box_east float8, box_north float8)
RETURNS TABLE (n bigint, west float8, south float8, east float8, north float8, lat float8, lng float8)
LANGUAGE sql IMMUTABLE AS $$
    SELECT pieces, west, south, east, north, least(greatest(mean_lat, south), north), least(greatest(mean_lng, west), east)
        FROM (SELECT greatest(box_west, x * 360.0 / (1 << level) - 180) AS west,
                     least(box_east, (x + 1) * 360.0 / (1 << level) - 180) AS east,
                     greatest(box_south, y * 360.0 / (1 << level) - 90) AS south,
                     least(box_north, (y + 1) * 360.0 / (1 << level) - 90) AS north OFFSET 0) b
$$;

-- What is in a box, to be shown one by one. It is inlined.
CREATE FUNCTION pieces_on_map(viewer bigint, box_west numeric, box_south numeric, box_east numeric, box_north numeric,
                              first integer, last integer) RETURNS SETOF listed LANGUAGE sql STABLE AS $$
    SELECT p.* FROM (SELECT * FROM mapdiary.stretches(box_west, box_east) OFFSET 0) s,
                    mapdiary.listed_in(viewer, s.w, box_south, s.e, box_north, first, last) p
$$;

-- A view of the map: places, and clusters of those that are close, together at most 500 rows. A cluster is what is in a cell
-- whose level follows from the zoom level and the size of the box alone, so that moving the box moves no cluster; of one or
-- two pieces it is these. What the box has few of is counted where it lies, and up to "singles" of it are shown one by one; else
-- the counts that are kept are added up, from coarse cells in its middle to fine ones at its edges, and what is left beyond
-- these is counted where it lies.
--
-- A row is a piece (kind, id) or a cluster (pieces, its box, and where it is). All is looked up by indexes, whatever PostgreSQL
-- thinks of how much there is when it plans.
CREATE FUNCTION map_view(viewer bigint, box_west float8, box_south float8, box_east float8, box_north float8, zoom integer,
                         first integer, last integer, singles integer)
RETURNS TABLE (kind integer, id bigint, pieces bigint, west float8, south float8, east float8, north float8,
               lat float8, lng float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = mapdiary, mapdiary_closed, pg_temp
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET enable_material = off AS $$
#variable_conflict use_column
DECLARE
    few CONSTANT integer := 5000;
    is_all CONSTANT boolean := first = 1 AND last = 30;
    wests float8[];
    easts float8[];
    shown integer := zoom + 2;              -- the level of the clusters
    coarse integer;
    kept integer;
    total bigint;
    is_live boolean;
    rect_box integer[] := '{}';             -- rectangles of kept cells: the box, the level, from and to
    rect_level integer[] := '{}';
    rect_x0 integer[] := '{}';
    rect_x1 integer[] := '{}';
    rect_y0 integer[] := '{}';
    rect_y1 integer[] := '{}';
    live_box integer[] := '{}';             -- what is counted where it lies: the box, and its part
    live_part box[] := '{}';
    x0 integer; x1 integer; y0 integer; y1 integer;      -- the cells that are wholly in the box,
    px0 integer; px1 integer; py0 integer; py1 integer;  -- and those of the level before
    ends integer[] := '{}';                 -- of each box, the finest of them
BEGIN
    SELECT array_agg(w), array_agg(e) INTO wests, easts FROM stretches(box_west::numeric, box_east::numeric);
    WHILE shown > 0 AND (ceil((easts[1] - wests[1]) / 360 * (1 << shown)) + 1
                         + coalesce(ceil((easts[2] - wests[2]) / 360 * (1 << shown)) + 1, 0))
                        * (ceil((box_north - box_south) / 360 * (1 << shown)) + 1) > 240 LOOP
        shown := shown - 1;
    END LOOP;

    is_live := shown > 13;
    -- The level of the cells by which what there is, is estimated, where it is not few for its size.
    IF NOT is_live THEN
        coarse := coalesce((SELECT max(l) FROM unnest(map_levels()) AS l WHERE l <= shown), 4);
        SELECT sum(CASE WHEN is_all THEN c.total ELSE (SELECT sum(n) FROM unnest(c.counts[first:last]) AS n) END) INTO total
            FROM unnest(wests, easts) AS b (w, e),
                 generate_series(cell_y(box_south, coarse), cell_y(box_north, coarse)) AS row_y,
                 LATERAL (SELECT m.total, m.counts FROM map_cell m WHERE m.level = coarse AND m.y = row_y
                          AND m.x BETWEEN cell_x(b.w, coarse) AND cell_x(b.e, coarse) OFFSET 0) c;
        SELECT coalesce(total, 0) + coalesce(sum(m.more), 0) INTO total
            FROM unnest(wests, easts) AS b (w, e), map_change m
            WHERE m.more < 0 AND m.day <= current_date AND m.slot BETWEEN first AND last
            AND m.x BETWEEN cell_x(b.w, 13) AND cell_x(b.e, 13) AND m.y BETWEEN cell_y(box_south, 13) AND cell_y(box_north, 13);
        is_live := total <= few;
    END IF;

    IF is_live THEN
        RETURN QUERY
        WITH live AS MATERIALIZED (
            SELECT *, count(*) OVER (PARTITION BY i, x, y) AS n
            FROM (SELECT b.i, t.*, cell_x(t.lng, shown) AS x, cell_y(t.lat, shown) AS y
                  FROM unnest(wests, easts) WITH ORDINALITY AS b (w, e, i),
                       pieces_in(viewer, box(point(b.w, box_south), point(b.e, box_north)), first, last) t
                  WHERE t.lng BETWEEN b.w AND b.e AND t.lat BETWEEN box_south AND box_north) p)
        SELECT NULL, NULL, c.n, c.west, c.south, c.east, c.north, c.lat, c.lng
            FROM (SELECT i, x, y, count(*) AS n, avg(l.lat) AS mean_lat, avg(l.lng) AS mean_lng
                  FROM live l WHERE n > 2 AND (SELECT count(*) FROM live) > singles GROUP BY 1, 2, 3) l,
                 cluster_in(l.x, l.y, shown, l.n, l.mean_lat, l.mean_lng, wests[l.i], box_south, easts[l.i], box_north) c
        UNION ALL
        SELECT l.kind, l.id, 1, NULL, NULL, NULL, NULL, NULL, NULL FROM live l
            WHERE n <= 2 OR (SELECT count(*) FROM live) <= singles;
        RETURN;
    END IF;

    FOR i IN 1 .. cardinality(wests) LOOP
        px0 := 0; px1 := -1; py0 := 0; py1 := -1;
        FOREACH kept IN ARRAY map_levels() LOOP
            CONTINUE WHEN kept < shown;
            x0 := ceil((wests[i] + 180) / 360 * (1 << kept));
            x1 := CASE WHEN easts[i] = 180 THEN (1 << kept) - 1 ELSE cell_x(easts[i], kept) - 1 END;
            y0 := ceil((box_south + 90) / 360 * (1 << kept));
            y1 := CASE WHEN box_north = 90 THEN (1 << kept - 1) - 1 ELSE cell_y(box_north, kept) - 1 END;
            IF x0 > x1 OR y0 > y1 THEN
                x1 := x0 - 1;
                y1 := y0 - 1;
            ELSIF px0 > px1 THEN
                rect_box := rect_box || i; rect_level := rect_level || kept;
                rect_x0 := rect_x0 || x0; rect_x1 := rect_x1 || x1; rect_y0 := rect_y0 || y0; rect_y1 := rect_y1 || y1;
            ELSE
                -- Below, above, left and right of them.
                rect_box := rect_box || ARRAY[i, i, i, i]; rect_level := rect_level || ARRAY[kept, kept, kept, kept];
                rect_x0 := rect_x0 || ARRAY[x0, x0, x0, px1 + 1]; rect_x1 := rect_x1 || ARRAY[x1, x1, px0 - 1, x1];
                rect_y0 := rect_y0 || ARRAY[y0, py1 + 1, py0, py0]; rect_y1 := rect_y1 || ARRAY[py0 - 1, y1, py1, py1];
            END IF;
            IF x0 <= x1 THEN
                -- The same cells, of the next level.
                px0 := x0 << 3; px1 := (x1 + 1 << 3) - 1; py0 := y0 << 3; py1 := (y1 + 1 << 3) - 1;
            END IF;
        END LOOP;
        IF px0 > px1 THEN
            x0 := 0; x1 := -1; y0 := 0; y1 := -1;
            live_box := live_box || i;
            live_part := live_part || box(point(wests[i], box_south), point(easts[i], box_north));
        ELSE
            -- West, east, south and north of them. A cell has its western and southern edge, the last ones both.
            live_box := live_box || ARRAY[i, i, i, i];
            live_part := live_part || ARRAY[
                CASE WHEN wests[i] < edge_x(x0) THEN box(point(wests[i], box_south), point(edge_x(x0), box_north)) END,
                CASE WHEN easts[i] < 180 THEN box(point(edge_x(x1 + 1), box_south), point(easts[i], box_north)) END,
                CASE WHEN box_south < edge_y(y0) THEN box(point(wests[i], box_south), point(easts[i], edge_y(y0))) END,
                CASE WHEN box_north < 90 THEN box(point(wests[i], edge_y(y1 + 1)), point(easts[i], box_north)) END];
        END IF;
        ends := ends || ARRAY[[x0, x1, y0, y1]];
    END LOOP;

    RETURN QUERY
    WITH parts (i, x, y, n, lat, lng) AS (
        -- What is flat row by row, what is high column by column.
        SELECT r.i, c.x >> (r.level - shown), c.y >> (r.level - shown), c.n,
               (c.y + 0.5) * 360 / (1 << r.level) - 90, (c.x + 0.5) * 360 / (1 << r.level) - 180
            FROM unnest(rect_box, rect_level, rect_x0, rect_x1, rect_y0, rect_y1) AS r (i, level, x0, x1, y0, y1), LATERAL (
                SELECT f.x, f.y, CASE WHEN is_all THEN f.total ELSE (SELECT sum(n) FROM unnest(f.counts[first:last]) AS n) END AS n
                FROM (
                    SELECT m.* FROM generate_series(r.y0, CASE WHEN r.y1 - r.y0 <= r.x1 - r.x0 THEN r.y1 END) AS at, LATERAL (
                        SELECT * FROM map_cell m WHERE m.level = r.level AND m.y = at AND m.x BETWEEN r.x0 AND r.x1 OFFSET 0) m
                    UNION ALL
                    SELECT m.* FROM generate_series(r.x0, CASE WHEN r.y1 - r.y0 > r.x1 - r.x0 THEN r.x1 END) AS at, LATERAL (
                        SELECT * FROM map_cell m WHERE m.level = r.level AND m.x = at AND m.y BETWEEN r.y0 AND r.y1 OFFSET 0) m) f) c
            WHERE r.x0 <= r.x1 AND r.y0 <= r.y1 AND c.n <> 0
        UNION ALL
        SELECT e.i, m.x >> (13 - shown), m.y >> (13 - shown), m.more,
               (m.y + 0.5) * 360 / 8192 - 90, (m.x + 0.5) * 360 / 8192 - 180
            FROM generate_series(1, cardinality(rect_box) * cardinality(wests)) AS e (i), map_change m
            WHERE e.i <= cardinality(wests) AND m.more < 0 AND m.day <= current_date AND m.slot BETWEEN first AND last
            AND m.x BETWEEN ends[e.i][1] AND ends[e.i][2] AND m.y BETWEEN ends[e.i][3] AND ends[e.i][4]
        UNION ALL
        -- What is the viewer's alone to see.
        SELECT e.i, cell_x(o.lng, 13) >> (13 - shown), cell_y(o.lat, 13) >> (13 - shown), 1, o.lat, o.lng
            FROM generate_series(1, cardinality(wests)) AS e (i), (
                SELECT lat::float8 AS lat, lng::float8 AS lng FROM visible_album(viewer)
                    WHERE owner_id = viewer AND NOT may_see_album(owner_id, visibility, hidden, NULL)
                    AND album_slot(category) BETWEEN first AND last
                UNION ALL
                SELECT lat::float8, lng::float8 FROM visible_poi(viewer)
                    WHERE owner_id = viewer AND hidden IS NOT NULL AND NOT may_see_poi(owner_id, hidden, NULL)
                    AND poi_slot(category) BETWEEN first AND last
                UNION ALL
                SELECT lat::float8, lng::float8 FROM visible_blog(viewer)
                    WHERE author_id = viewer AND NOT may_see_blog(author_id, visibility, post_date, hidden, NULL)
                    AND blog_slot(type) BETWEEN first AND last) o
            WHERE viewer IS NOT NULL AND cardinality(rect_box) > 0
            AND cell_x(o.lng, 13) BETWEEN ends[e.i][1] AND ends[e.i][2]
            AND cell_y(o.lat, 13) BETWEEN ends[e.i][3] AND ends[e.i][4]
        UNION ALL
        SELECT i, cell_x(lng, shown), cell_y(lat, shown), 1, lat, lng FROM (
            SELECT DISTINCT p.i, t.* FROM unnest(live_box, live_part) AS p (i, part), pieces_in(viewer, p.part, first, last) t
            WHERE p.part IS NOT NULL AND t.lng BETWEEN wests[p.i] AND easts[p.i] AND t.lat BETWEEN box_south AND box_north
                AND NOT (cell_x(t.lng, 13) BETWEEN ends[p.i][1] AND ends[p.i][2]
                         AND cell_y(t.lat, 13) BETWEEN ends[p.i][3] AND ends[p.i][4])) live),
    cells AS MATERIALIZED (
        SELECT i, x, y, c.*
            FROM (SELECT i, x, y, sum(n)::bigint AS n, sum(n * p.lat) / nullif(sum(n), 0) AS mean_lat,
                         sum(n * p.lng) / nullif(sum(n), 0) AS mean_lng FROM parts p GROUP BY 1, 2, 3) p,
                 cluster_in(p.x, p.y, shown, p.n, p.mean_lat, p.mean_lng, wests[p.i], box_south, easts[p.i], box_north) c)
    SELECT NULL, NULL, c.n, c.west, c.south, c.east, c.north, c.lat, c.lng FROM cells c WHERE c.n > 2
    UNION ALL
    SELECT f.kind, f.id, 1, NULL, NULL, NULL, NULL, NULL, NULL FROM cells c, LATERAL (
        SELECT t.kind, t.id FROM pieces_in(viewer, box(point(c.west, c.south), point(c.east, c.north)), first, last) t
        WHERE cell_x(t.lng, shown) = c.x AND cell_y(t.lat, shown) = c.y
            AND t.lng BETWEEN wests[c.i] AND easts[c.i] AND t.lat BETWEEN box_south AND box_north
        ORDER BY t.kind, t.id LIMIT 2) f
        WHERE c.n BETWEEN 0 AND 2;
END $$;

-- By words -----------------------------------------------------------------------------------------------------------

-- The words of each piece. An identifier is that by which the piece was first noted, so that the newest have the
-- highest; those that were there before this table have none above 0. Among the words are the buckets of the identifier ("#s3",
-- of 2048; "#m", of 16384; "#l", of 262144), so that the newest are found without looking at all.
CREATE TABLE mapdiary_closed.search_entry (
    entry_id bigint PRIMARY KEY,
    kind     integer NOT NULL,
    id       bigint NOT NULL,
    words    tsvector NOT NULL,
    UNIQUE (kind, id)
);
ALTER TABLE mapdiary_closed.search_entry ALTER words SET STATISTICS 300;
-- What a batch adds goes into the index together, at its end: in half the time that one after the other takes.
CREATE INDEX search_entry_words ON mapdiary_closed.search_entry USING gin (words) WITH (gin_pending_list_limit = 65536);

-- Pieces whose words may have changed since, or that are gone, some in a row; each with an identifier that it gets if it has none.
-- What is new comes here by way of "arrival".
CREATE SEQUENCE mapdiary_closed.search_number;
CREATE TABLE mapdiary_closed.search_queue (
    queue_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind      integer NOT NULL,
    ids       bigint[] NOT NULL,
    entry_ids bigint[] NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE VIEW mapdiary_closed.search_waiting AS
    SELECT kind, id, entry_id FROM (
        SELECT kind, ids, entry_ids FROM mapdiary_closed.search_queue
        UNION ALL SELECT kind, ids, entry_ids FROM mapdiary_closed.arrival) q, unnest(ids, entry_ids) AS piece (id, entry_id);

-- The words that many pieces have, as ANALYZE has found.
CREATE TABLE mapdiary_closed.search_common (word text PRIMARY KEY);

-- What people see of HTML, nearly. In an expression of several branches none is lazy (PostgreSQL manual, 9.7.3.5), so what has an
-- end of its own has a call of its own; none has a back-reference, whose time would grow with the cube of a hostile text.
CREATE FUNCTION plain_text(html text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN html !~ '[<&]' THEN html ELSE replace(replace(replace(replace(replace(
        regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(html,
            '<!--.*?-->', ' ', 'g'),
            '<script\y.*?</script\s*>', ' ', 'gi'),
            '<style\y.*?</style\s*>', ' ', 'gi'),
            '</?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var|wbr)(?:\s(?:"[^"]*"|''[^'']*''|[^''"<>])*)?/?>', '', 'gi'),
            '</?[a-z!](?:"[^"]*"|''[^'']*''|[^''"<>])*>', ' ', 'gi'),
        '&nbsp;', ' '), '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&amp;', '&') END
$$;

-- Words in one form: without regard to case, accents, width; all else is a blank. Whatever the locale of the database.
CREATE FUNCTION folded(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN octet_length(t) = length(t) THEN regexp_replace(lower(t COLLATE "und-x-icu"), '[^a-z0-9]+', ' ', 'g')
    ELSE regexp_replace(replace(replace(replace(replace(translate(
        normalize(regexp_replace(normalize(lower(normalize(t, NFKC) COLLATE "und-x-icu"), NFKD), '[\u0300-\u036f\u200b-\u200d\u2060\ufeff\u00ad]+', '', 'g'), NFKC),
        'ıøłđðħŧς', 'iolddhtσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
        '[^[:alnum:]]+' COLLATE "und-x-icu", ' ', 'g') END
$$;

-- Of folded text: its words, and of runs of Chinese, Japanese and Korean characters each one and each two.
CREATE FUNCTION words_of(t text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    c text;
BEGIN
    IF t !~ '[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]' THEN
        RETURN to_tsvector('pg_catalog.simple', t);
    END IF;
    c := regexp_replace(t, '[^\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+', ' ', 'g');
    RETURN to_tsvector('pg_catalog.simple',
            regexp_replace(t, '([\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff])', ' \1 ', 'g'))
        || to_tsvector('pg_catalog.simple',
            regexp_replace(c, '([^ ])([^ ])', '\1\2 ', 'g') || ' '
            || regexp_replace(regexp_replace(c, '(^| )[^ ]', ' ', 'g'), '([^ ])([^ ])', '\1\2 ', 'g'));
END $$;

-- What has all words of a text: of any weight, or of these. The characters of a longer run stand one behind the other; how they
-- stand is not known of long texts ("#long"). NULL where the text has no word.
CREATE FUNCTION search_query(q text, weights text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE SET search_path = mapdiary AS $$
DECLARE
    t CONSTANT text := folded(q);
    wanted text;
    run text[];
BEGIN
    SELECT string_agg(quote_literal(word) || weights, ' & ') INTO wanted FROM unnest(tsvector_to_array(words_of(t))) AS word;
    FOR run IN SELECT regexp_matches(t, '[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]{3,}', 'g') LOOP
        wanted := wanted || ' & (''#long'' | '
            || (SELECT string_agg(quote_literal(c) || weights, ' <-> ' ORDER BY n)
                FROM unnest(string_to_array(run[1], NULL)) WITH ORDINALITY AS u (c, n)) || ')';
    END LOOP;
    RETURN wanted::tsquery;
END $$;

-- What a piece is found by: its title, its text or the descriptions of its photos, and its comments, of which the newest count.
-- Without a row where there is none. It is inlined.
CREATE FUNCTION piece_texts(of_kind integer, identifier bigint) RETURNS TABLE (title text, body text, comments text)
LANGUAGE sql STABLE AS $$
    SELECT t.title::text,
           (SELECT string_agg(left(description, 2000), ' . ') FROM (SELECT description FROM mapdiary.photo
                WHERE album_id = identifier AND description <> '' AND hidden IS NULL
                ORDER BY position LIMIT 500) p),
           (SELECT string_agg(concat_ws(' . ', comment, reply), ' . ') FROM (SELECT * FROM mapdiary.comment
                WHERE album_id = identifier AND hidden IS NULL ORDER BY created_at DESC LIMIT 500) c)
        FROM mapdiary.album t WHERE of_kind = 0 AND album_id = identifier
    UNION ALL
    SELECT t.name,
           (SELECT string_agg(left(description, 2000), ' . ') FROM (SELECT description FROM mapdiary.photo
                WHERE poi_id = identifier AND description <> '' AND hidden IS NULL
                ORDER BY position LIMIT 500) p),
           (SELECT string_agg(concat_ws(' . ', comment, reply), ' . ') FROM (SELECT * FROM mapdiary.comment
                WHERE poi_id = identifier AND hidden IS NULL ORDER BY created_at DESC LIMIT 500) c)
        FROM mapdiary.poi t WHERE of_kind = 1 AND poi_id = identifier
    UNION ALL
    SELECT t.title, mapdiary.plain_text(t.content),
           (SELECT string_agg(concat_ws(' . ', comment, reply), ' . ') FROM (SELECT * FROM mapdiary.comment
                WHERE blog_id = identifier AND hidden IS NULL ORDER BY created_at DESC LIMIT 500) c)
        FROM mapdiary.blog t WHERE of_kind = 2 AND blog_id = identifier
$$;

-- The words of these, of so many characters each. A tsvector holds a mebibyte.
CREATE FUNCTION words_within(title text, body text, comments text, most integer) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    a CONSTANT text := mapdiary.folded(title);
    b CONSTANT text := mapdiary.folded(body);
    d CONSTANT text := mapdiary.folded(comments);
    words tsvector := setweight(mapdiary.words_of(left(a, most)), 'A');
BEGIN
    IF b <> '' THEN
        words := words || setweight(mapdiary.words_of(left(b, most)), 'B');
    END IF;
    IF d <> '' THEN
        words := words || setweight(mapdiary.words_of(left(d, most)), 'D');
    END IF;
    -- A word's positions are 255 at most (PostgreSQL manual, 12.10).
    IF length(a) + length(b) + length(d) > 6000 OR length(a) + length(b) + length(d) >= 255
        AND EXISTS (SELECT FROM unnest(words) u WHERE cardinality(positions) >= 255) THEN
        words := words || quote_literal('#long')::tsvector;
    END IF;
    RETURN words;
END $$;
CREATE FUNCTION words_of_texts(title text, body text, comments text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words tsvector;
BEGIN
    body := coalesce(body, '');
    comments := left(coalesce(comments, ''), 100000);
    IF length(body) + length(comments) < 20000 THEN
        RETURN mapdiary.words_within(title, body, comments, 20000);
    END IF;
    BEGIN
        words := mapdiary.words_within(title, body, comments, 100000);
        PERFORM words || mapdiary.bucket_words(9223372036854775807); -- has room, too
        RETURN words;
    EXCEPTION WHEN program_limit_exceeded THEN
        RETURN mapdiary.words_within(title, body, comments, 16000);
    END;
END $$;

CREATE FUNCTION bucket_words(entry bigint) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
    SELECT array_to_tsvector(ARRAY['#s' || (entry >> 11), '#m' || (entry >> 14), '#l' || (entry >> 18)])
$$;

-- How far that is with what was there before.
CREATE TABLE mapdiary_closed.keeping (
    is_one     boolean PRIMARY KEY DEFAULT true CHECK (is_one),
    counted_at timestamptz,
    listed_at  timestamptz,
    common_at  timestamptz
);
INSERT INTO mapdiary_closed.keeping DEFAULT VALUES;
CREATE TABLE mapdiary_closed.search_old (
    entry_id bigint PRIMARY KEY,
    kind     integer NOT NULL,
    id       bigint NOT NULL,
    UNIQUE (kind, id)
);

-- Works off the queue, and then what was there before, the newest first; at most so many pieces, or a few more. Answers how
-- many. No commit waits for the disk: a crash takes back what was taken off the lists, too.
CREATE FUNCTION keep_words(most integer) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp SET enable_seqscan = off AS $$
DECLARE
    done bigint;
BEGIN
    IF NOT is_only_keeper() THEN
        RETURN -1;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    WITH first AS (SELECT queue_id, sum(cardinality(ids)) OVER (ORDER BY queue_id) - cardinality(ids) AS before
            FROM (SELECT queue_id, ids FROM search_queue ORDER BY queue_id LIMIT most) q),
        taken AS MATERIALIZED (DELETE FROM search_queue WHERE queue_id IN (SELECT queue_id FROM first WHERE before < most)
            RETURNING kind, ids, entry_ids),
        piece AS MATERIALIZED (SELECT kind, id, min(entry_id) AS entry_id
            FROM taken, unnest(ids, entry_ids) AS u (id, entry_id) GROUP BY 1, 2),
        worded AS MATERIALIZED (SELECT p.*,
            (SELECT e.entry_id FROM search_entry e WHERE e.kind = p.kind AND e.id = p.id) AS known_id,
            (SELECT words_of_texts(t.title, t.body, t.comments) FROM piece_texts(p.kind, p.id) t) AS words FROM piece p),
        gone AS (DELETE FROM search_entry WHERE entry_id = ANY (ARRAY(SELECT known_id FROM worded WHERE words IS NULL))),
        known AS (UPDATE search_entry e SET words = w.words || bucket_words(e.entry_id) FROM worded w
            WHERE e.entry_id = ANY (ARRAY(SELECT known_id FROM worded)) AND e.entry_id = w.known_id
            AND w.words IS NOT NULL AND e.words IS DISTINCT FROM w.words || bucket_words(e.entry_id)),
        added AS (INSERT INTO search_entry (entry_id, kind, id, words)
            SELECT entry_id, kind, id, words || bucket_words(entry_id) FROM worded WHERE known_id IS NULL AND words IS NOT NULL)
        SELECT count(*) INTO done FROM piece;
    IF done > 0 THEN
        PERFORM gin_clean_pending_list('search_entry_words');
        RETURN done;
    END IF;
    WITH taken AS MATERIALIZED (DELETE FROM search_old WHERE entry_id IN (
                SELECT entry_id FROM search_old ORDER BY entry_id DESC LIMIT most) RETURNING *),
        added AS (INSERT INTO search_entry (entry_id, kind, id, words)
            SELECT p.entry_id, p.kind, p.id, words_of_texts(t.title, t.body, t.comments) || bucket_words(p.entry_id)
            FROM taken p, piece_texts(p.kind, p.id) t
            ON CONFLICT (kind, id) DO NOTHING)
        SELECT count(*) INTO done FROM taken;
    IF done > 0 THEN
        PERFORM gin_clean_pending_list('search_entry_words');
    END IF;
    RETURN done;
END $$;

-- What is done once, and what is done now and then. Answers whether there was anything of it.
CREATE FUNCTION keep_house() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
DECLARE
    state keeping;
BEGIN
    IF NOT is_only_keeper() THEN
        RETURN -1;
    END IF;
    SELECT * INTO state FROM keeping;
    IF state.counted_at IS NULL THEN
        PERFORM recount_map();
        UPDATE keeping SET counted_at = now();
        RETURN 1;
    ELSIF state.listed_at IS NULL THEN
        INSERT INTO search_old (entry_id, kind, id)
            SELECT 1 - row_number() OVER (ORDER BY came DESC, kind, id DESC), kind, id FROM (
                SELECT 0 AS kind, album_id AS id, updated_at AS came FROM album
                UNION ALL SELECT 1, poi_id, updated_at FROM poi
                UNION ALL SELECT 2, blog_id, created_at FROM blog) p;
        UPDATE keeping SET listed_at = now();
        RETURN 1;
    ELSIF state.common_at IS NULL OR state.common_at < now() - interval '10 minutes' THEN
        UPDATE keeping SET common_at = now();
        DELETE FROM search_common;
        INSERT INTO search_common SELECT DISTINCT unnest(most_common_elems::text::text[]) FROM pg_stats
            WHERE schemaname = 'mapdiary_closed' AND tablename = 'search_entry' AND attname = 'words';
    END IF;
    RETURN 0;
END $$;

-- The pieces that have all words of a text, for a viewer: of the newest thousand, those behind a position, the best first. The
-- class is 0 where all of the words are in the title, 1 where title and text have them, else 2. Then the nearer ones come
-- first, or without a place the newer.
CREATE FUNCTION found_pieces(viewer bigint, q text, first_kind integer, last_kind integer, at_lat float8, at_lng float8,
                             after_class integer, after_far float8, after_kind integer, after_id bigint, most integer)
RETURNS TABLE (kind integer, id bigint, class integer, far float8) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET enable_material = off AS $$
#variable_conflict use_column
DECLARE
    enough CONSTANT integer := 1000;
    wanted CONSTANT tsquery := search_query(q, '');
    in_title CONSTANT tsquery := search_query(q, ':A');
    in_text CONSTANT tsquery := search_query(q, ':AB');
    entries bigint[] := '{}';
    kinds integer[] := '{}';
    ids bigint[] := '{}';
    classes integer[] := '{}';
    places point[] := '{}';
    stage record;
    page record;
    highest bigint;
    lowest bigint;
    is_rare boolean;
    pending integer[];
    pending_ids bigint[];
    pending_entries bigint[];
BEGIN
    IF wanted IS NULL THEN
        RETURN;
    END IF;
    -- Where one of its words is rare, all that have it are few; else they are looked for from the newest bucket on.
    is_rare := EXISTS (SELECT FROM unnest(tsvector_to_array(words_of(folded(q)))) AS u (word)
                       WHERE NOT EXISTS (SELECT FROM search_common c WHERE c.word = u.word));
    SELECT max(e.entry_id), min(e.entry_id) INTO highest, lowest FROM search_entry e;
    -- What the keeper has not come to yet is looked at as it is, the newest of it.
    SELECT array_agg(p.kind), array_agg(p.id), array_agg(coalesce(e.entry_id, p.entry_id))
        INTO pending, pending_ids, pending_entries
        FROM (SELECT w.kind, w.id, min(w.entry_id) AS entry_id FROM (
                SELECT q.kind, u.id, u.entry_id
                FROM ((SELECT kind, ids, entry_ids FROM search_queue ORDER BY queue_id DESC LIMIT 100)
                      UNION ALL
                      (SELECT kind, ids, entry_ids FROM arrival ORDER BY entry_ids[1] DESC LIMIT 100)) q,
                     unnest(q.ids, q.entry_ids) AS u (id, entry_id)
                ORDER BY u.entry_id DESC LIMIT 100) w GROUP BY 1, 2) p
        LEFT JOIN search_entry e ON e.kind = p.kind AND e.id = p.id;
    -- With a sum, as PostgreSQL would go through the whole index of kinds beside that of words.
    FOR stage IN
        SELECT 0 AS n, NULL AS bucket, NULL::bigint AS below WHERE is_rare
        UNION ALL
        SELECT 1, '#s' || b, NULL FROM generate_series(highest >> 11, greatest(highest >> 14 << 3, lowest >> 11), -1) AS b
            WHERE NOT is_rare
        UNION ALL
        SELECT 2, '#m' || b, NULL
            FROM generate_series((highest >> 14) - 1, greatest(highest >> 18 << 4, lowest >> 14), -1) AS b WHERE NOT is_rare
        UNION ALL
        SELECT 3, '#l' || b, NULL FROM generate_series((highest >> 18) - 1, lowest >> 18, -1) AS b WHERE NOT is_rare
    LOOP
        SELECT array_agg(f.entry_id) AS entries, array_agg(f.kind) AS kinds, array_agg(f.id) AS ids,
               array_agg(f.class) AS classes, array_agg(f.place) AS places INTO page
        FROM (
            SELECT e.entry_id, e.kind, e.id, v.place,
                   CASE WHEN e.words @@ in_title THEN 0 WHEN e.words @@ in_text THEN 1 ELSE 2 END AS class
            FROM (SELECT * FROM search_entry s
                  WHERE s.words @@ CASE WHEN stage.bucket IS NULL THEN wanted ELSE quote_literal(stage.bucket)::tsquery && wanted END
                  AND s.kind + 0 BETWEEN first_kind AND last_kind ORDER BY s.entry_id DESC) e,
                 LATERAL (
                    SELECT point(t.lng::float8, t.lat::float8) AS place FROM visible_album(viewer) t
                        WHERE e.kind = 0 AND t.album_id = e.id
                    UNION ALL
                    SELECT point(t.lng::float8, t.lat::float8) FROM visible_poi(viewer) t WHERE e.kind = 1 AND t.poi_id = e.id
                    UNION ALL
                    SELECT point(t.lng::float8, t.lat::float8) FROM visible_blog(viewer) t
                        WHERE e.kind = 2 AND t.blog_id = e.id) v
            WHERE pending IS NULL
                OR NOT EXISTS (SELECT FROM unnest(pending, pending_ids) AS p (k, i) WHERE p.k = e.kind AND p.i = e.id)
            LIMIT enough - cardinality(entries)) f;
        entries := entries || page.entries;
        kinds := kinds || page.kinds;
        ids := ids || page.ids;
        classes := classes || page.classes;
        places := places || page.places;
        EXIT WHEN cardinality(entries) >= enough;
    END LOOP;
    RETURN QUERY
    SELECT r.kind, r.id, r.class, r.far FROM (
        SELECT m.kind, m.id, m.class, CASE WHEN at_lat IS NULL THEN -m.entry_id
                ELSE sphere_distance(at_lat, at_lng, m.place[1], m.place[0]) END AS far
        FROM (
            SELECT * FROM unnest(entries, kinds, ids, classes, places) AS u (entry_id, kind, id, class, place)
            UNION ALL
            SELECT p.e, l.kind, l.id,
                   CASE WHEN w.words @@ in_title THEN 0 WHEN w.words @@ in_text THEN 1 ELSE 2 END,
                   point(l.lng::float8, l.lat::float8)
                FROM unnest(pending, pending_ids, pending_entries) AS p (k, i, e), LATERAL listed_piece(viewer, p.k, p.i) l,
                     piece_texts(l.kind, l.id) t, words_of_texts(t.title, t.body, t.comments) AS w (words)
                WHERE l.kind BETWEEN first_kind AND last_kind AND w.words @@ wanted
            ORDER BY 1 DESC LIMIT enough) m) r
        WHERE (r.class, r.far, r.kind, r.id) > (after_class, after_far, after_kind, after_id)
        ORDER BY r.class, r.far, r.kind, r.id LIMIT most;
END $$;

-- For an administrator ----------------------------------------------------------------------------------------------

-- Pieces without words, and words without pieces, that the keeper does not know of.
CREATE FUNCTION unlisted_pieces() RETURNS TABLE (kind integer, id bigint) LANGUAGE sql STABLE
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    SELECT coalesce(p.kind, e.kind), coalesce(p.id, e.id) FROM (
            SELECT 0 AS kind, album_id AS id FROM album UNION ALL SELECT 1, poi_id FROM poi UNION ALL SELECT 2, blog_id FROM blog) p
        FULL JOIN search_entry e ON e.kind = p.kind AND e.id = p.id
        WHERE (p.id IS NULL OR e.id IS NULL)
        AND NOT EXISTS (SELECT FROM search_waiting q WHERE q.kind = coalesce(p.kind, e.kind) AND q.id = coalesce(p.id, e.id))
        AND NOT EXISTS (SELECT FROM search_old o WHERE o.kind = p.kind AND o.id = p.id)
$$;

-- What is wrong: cells with another count than there are pieces in them, pieces without words and words without pieces; and
-- how many pieces wait for the keeper.
CREATE FUNCTION finding_state() RETURNS TABLE (wrong bigint, lost bigint, waiting bigint) LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
    SELECT CASE WHEN counted_at IS NULL THEN 0 ELSE wrong_cells() END,
           (SELECT count(*) FROM unlisted_pieces() WHERE counted_at IS NOT NULL AND listed_at IS NOT NULL),
           (SELECT count(*) FROM search_waiting) + (SELECT count(*) FROM search_old)
        FROM keeping
$$;

-- Mends what is wrong: counts now, words by the keeper. Answers how many pieces are counted.
CREATE FUNCTION recount() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = mapdiary, mapdiary_closed, pg_temp AS $$
BEGIN
    PERFORM recount_map();
    UPDATE keeping SET counted_at = now();
    INSERT INTO search_queue (kind, ids, entry_ids)
        SELECT kind, array_agg(id), array_agg(nextval('search_number')) FROM unlisted_pieces() GROUP BY kind, id >> 6;
    RETURN (SELECT coalesce(sum(total), 0) FROM map_cell WHERE level = 4);
END $$;

-- Whoever may use the schema may have the keeper work; the rest is the owner's.
REVOKE EXECUTE ON FUNCTION recount_map, wrong_cells, unlisted_pieces, is_only_keeper FROM PUBLIC;
CALL show_pieces();
