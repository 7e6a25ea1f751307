-- Pieces as lists show them, and the pieces near a place.

-- A kind is 0 for albums, 1 for points of interest, 2 for blogs. A slot is one of the 30 things by which pieces are counted:
-- the categories of albums (1 to 16), those of points of interest (17 to 21), and the types of blogs (22 to 30).
CREATE FUNCTION album_slot(category smallint) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT category::integer';
CREATE FUNCTION poi_slot(category smallint) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 16 + category';
CREATE FUNCTION blog_slot(type blog_type) RETURNS integer LANGUAGE sql STABLE AS
    'SELECT 22 + substr(type::text, 3)::integer';

-- Lists --------------------------------------------------------------------------------------------------------------

CREATE TYPE listed AS (
    kind integer, id bigint, slot integer, place bigint, title text, slot_name text, lat numeric, lng numeric, thumbnail text,
    owner_id bigint, dated date, changed_at timestamptz, score integer);
COMMENT ON TYPE listed IS 'A piece as lists show it.';
-- These functions are inlined, with visible_album() and its like.
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
CREATE FUNCTION listed_piece(viewer bigint, of_kind integer, identifier bigint) RETURNS SETOF listed LANGUAGE sql STABLE AS $$
    SELECT * FROM mapdiary.listed_album(viewer) WHERE of_kind = 0 AND id = identifier
    UNION ALL SELECT * FROM mapdiary.listed_poi(viewer) WHERE of_kind = 1 AND id = identifier
    UNION ALL SELECT * FROM mapdiary.listed_blog(viewer) WHERE of_kind = 2 AND id = identifier
$$;
COMMENT ON FUNCTION listed_piece IS 'A piece of any kind; no row if the viewer may not see it.';

-- The pieces of these slots in a box. They are inlined. The boxes of pieces_in() are a little wider, because calculated degrees
-- are rounded.
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
CREATE FUNCTION pieces_in(viewer bigint, around box, first integer, last integer)
RETURNS TABLE (kind integer, id bigint, lat float8, lng float8) LANGUAGE sql STABLE AS $$
    SELECT t.kind, t.id, t.lat::float8, t.lng::float8
        FROM mapdiary.edges_of(around) e, mapdiary.listed_in(viewer, e.west, e.south, e.east, e.north, first, last) t
        OFFSET 0
$$;

-- Near a place -------------------------------------------------------------------------------------------------------

-- About how far from a place one must go for so many pieces of these slots, by the counts of the nine cells around it: those of
-- the finest level at which they have so many.
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

-- For each kind, the pieces in a range of place numbers, without most of a crowd: of pieces at one point the first by their
-- identifiers, as many as a page has and not many more. They are read in steps of so many, by the index of places, points and
-- identifiers. If all of a step are at one point, the next step begins beyond that point. At the distance at which a page
-- begins, it begins behind the last identifier of the page before instead.
DO $do$
DECLARE
    of record;
BEGIN
    FOR of IN SELECT * FROM (VALUES ('album', 'album_slot(piece.category)'), ('poi', 'poi_slot(piece.category)'),
                                    ('blog', 'blog_slot(piece.type)')) AS kinds (name, slot) LOOP
        EXECUTE replace(replace($template$
    CREATE FUNCTION sparse_<name>s(viewer bigint, low bigint, high bigint, first integer, last integer, at_lat float8, at_lng float8,
                                   after_distance float8, after_id bigint, most integer)
    RETURNS TABLE (id bigint, lat numeric, lng numeric) LANGUAGE plpgsql STABLE SET search_path = mapdiary
    SET enable_bitmapscan = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
    SET plan_cache_mode = force_generic_plan AS $$
    #variable_conflict use_column
    BEGIN
        RETURN QUERY WITH RECURSIVE step AS (
            SELECT low AS place, -91::numeric AS lat, -181::numeric AS lng, 0::bigint AS id, most::bigint AS n, false AS is_one,
                   0::bigint AS first_id
            UNION ALL
            SELECT s.place, s.lat, s.lng, s.id, row_number() OVER (),
                   (s.lat, s.lng) = (first_value(s.lat) OVER (), first_value(s.lng) OVER ()), first_value(s.id) OVER ()
                FROM (SELECT * FROM step WHERE n = most) p, LATERAL (
                    SELECT place_number(piece.lat, piece.lng) AS place, piece.lat::numeric, piece.lng::numeric, piece.<name>_id AS id
                        FROM visible_<name>(viewer) piece
                        WHERE (place_number(piece.lat, piece.lng), piece.lat::numeric, piece.lng::numeric, piece.<name>_id)
                            > (p.place, p.lat, p.lng, CASE WHEN NOT p.is_one THEN p.id
                               WHEN p.first_id <= after_id AND sphere_distance(at_lat, at_lng, p.lat::float8, p.lng::float8) = after_distance
                               THEN greatest(p.id, after_id) ELSE 9223372036854775807 END)
                        AND place_number(piece.lat, piece.lng) <= high AND <slot> BETWEEN first AND last
                        ORDER BY place_number(piece.lat, piece.lng), piece.lat::numeric, piece.lng::numeric, piece.<name>_id
                        LIMIT most) s)
            SELECT step.id, step.lat, step.lng FROM step WHERE step.id > 0;
    END $$;
$template$, '<name>', of.name), '<slot>', of.slot);
    END LOOP;
END $do$;

-- The pieces of these slots in boxes, without most of a crowd.
CREATE FUNCTION sparse_in(viewer bigint, boxes box[], first integer, last integer, at_lat float8, at_lng float8,
                          after_distance float8, after_kind integer, after_id bigint, most integer)
RETURNS TABLE (kind integer, id bigint, lat float8, lng float8) LANGUAGE sql STABLE SET search_path = mapdiary AS $$
    SELECT p.kind, p.id, p.lat::float8, p.lng::float8
        FROM unnest(boxes) AS b (box), edges_of(b.box) e, cells_in(e.west, e.south, e.east, e.north) c, LATERAL (
            SELECT 0 AS kind, s.* FROM sparse_albums(viewer, c.low, c.high, first, last, at_lat, at_lng, after_distance,
                CASE after_kind WHEN 0 THEN after_id ELSE 0 END, most) s WHERE first <= 16
            UNION ALL
            SELECT 1, s.* FROM sparse_pois(viewer, c.low, c.high, first, last, at_lat, at_lng, after_distance,
                CASE after_kind WHEN 1 THEN after_id ELSE 0 END, most) s WHERE first <= 21 AND last >= 17
            UNION ALL
            SELECT 2, s.* FROM sparse_blogs(viewer, c.low, c.high, first, last, at_lat, at_lng, after_distance,
                CASE after_kind WHEN 2 THEN after_id ELSE 0 END, most) s WHERE last >= 22) p
        WHERE p.lat BETWEEN e.south AND e.north AND p.lng BETWEEN e.west AND e.east
$$;

-- The pieces are looked for in rings around the place. The first ring is as wide as the kept counts suggest; each further one
-- as wide as it has to be if the density stays the same. A ring with far more than a page is made narrower, down to a metre. A
-- narrow ring behind many pieces is made of many boxes, none of which has its middle. Boxes with far more than a page are read
-- without most of a crowd.
--
-- A GiST index of points would be simpler and read in 0.7 of the time, but inserting a piece would take five times as long.
CREATE FUNCTION nearest_pieces(viewer bigint, at_lat float8, at_lng float8, radius float8, first integer, last integer,
                               after_distance float8, after_kind integer, after_id bigint, before bigint, most integer)
RETURNS TABLE (kind integer, id bigint, title text, slot_name text, lat numeric, lng numeric, thumbnail text,
               owner_id bigint, dated date, changed_at timestamptz, score integer, distance float8)
LANGUAGE plpgsql STABLE SET search_path = mapdiary
SET enable_bitmapscan = off SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    wanted CONSTANT float8 := most + 3 * sqrt(most);
    enough CONSTANT bigint := 200 + 4 * most;
    inner_radius float8 := greatest(0, after_distance);
    -- The square of the outer radius of a ring less that of the inner one.
    more float8 := CASE WHEN before > 0 AND inner_radius > 1 THEN inner_radius * inner_radius * wanted / before
                   ELSE power(usual_distance(at_lat, at_lng, first, last, wanted), 2) END;
    few bigint := 500 + 4 * most; -- boxes with so many may have a crowd; NULL once it is known that they have none
    narrow float8; -- a ring that is a metre wide
    bound float8;
    boxes box[];
    seen bigint;
BEGIN
    LOOP
        narrow := greatest(1, 2 * inner_radius);
        more := greatest(narrow, more);
        bound := least(radius, sqrt(inner_radius * inner_radius + more));
        boxes := boxes_around(at_lat, at_lng, bound);
        IF before >= 500 AND more < inner_radius * inner_radius AND abs(at_lat) < 70 AND cardinality(boxes) = 1 THEN
            boxes := boxes_between(at_lat, at_lng, inner_radius, bound, least(30, 3 + sqrt(before) / 2)::integer);
        END IF;
        RETURN QUERY SELECT p.kind, p.id, l.title, l.slot_name, l.lat, l.lng, l.thumbnail, l.owner_id, l.dated,
                            l.changed_at, l.score, p.d
            FROM (SELECT DISTINCT ON (c.d, c.kind, c.id) c.kind, c.id, c.d
                FROM (SELECT r.*, count(*) OVER () AS there FROM (
                    SELECT m.kind, m.id, m.d FROM (
                        SELECT n.*, sphere_distance(at_lat, at_lng, n.lat, n.lng) AS d
                        FROM (SELECT b.*, count(*) OVER () AS in_boxes
                            FROM (SELECT t.* FROM unnest(boxes) AS b (box), pieces_in(viewer, b.box, first, last) t LIMIT few) b) n
                        WHERE few IS NULL OR n.in_boxes < few OFFSET 0) m
                    WHERE m.d <= bound AND (m.d, m.kind, m.id) > (after_distance, after_kind, after_id)
                    LIMIT CASE WHEN few IS NULL AND more > narrow THEN enough END) r) c
                WHERE few IS NOT NULL OR more <= narrow OR c.there < enough
                ORDER BY c.d, c.kind, c.id LIMIT most) p, LATERAL listed_piece(viewer, p.kind, p.id) l
            ORDER BY p.d, p.kind, p.id;
        GET DIAGNOSTICS seen = ROW_COUNT;
        IF seen = 0 AND few IS NOT NULL THEN
            -- If a third of them are at one point, the boxes are read without most of a crowd.
            PERFORM FROM (SELECT t.lat, t.lng FROM unnest(boxes) AS b (box), pieces_in(viewer, b.box, first, last) t
                          LIMIT few) t
                GROUP BY t.lat, t.lng HAVING count(*) > few / 3;
            IF FOUND THEN
                IF cardinality(boxes) > 8 THEN -- each box has some ranges, and each range is begun anew
                    boxes := boxes_between(at_lat, at_lng, inner_radius, bound, 4);
                END IF;
                RETURN QUERY SELECT p.kind, p.id, l.title, l.slot_name, l.lat, l.lng, l.thumbnail, l.owner_id, l.dated,
                                    l.changed_at, l.score, p.d
                    FROM (SELECT DISTINCT ON (d, t.kind, t.id) t.kind, t.id, d
                          FROM sparse_in(viewer, boxes, first, last, at_lat, at_lng, after_distance, after_kind, after_id, most) t,
                               LATERAL (SELECT sphere_distance(at_lat, at_lng, t.lat, t.lng) AS d OFFSET 0) s
                          WHERE d <= bound AND (d, t.kind, t.id) > (after_distance, after_kind, after_id)
                          ORDER BY d, t.kind, t.id LIMIT most) p, LATERAL listed_piece(viewer, p.kind, p.id) l
                    ORDER BY p.d, p.kind, p.id;
                GET DIAGNOSTICS seen = ROW_COUNT;
            ELSIF EXISTS (SELECT FROM unnest(boxes) AS b (box), pieces_in(viewer, b.box, first, last) t OFFSET few - 1) THEN
                few := NULL;
                CONTINUE;
            END IF;
        ELSIF seen = 0 AND more > narrow THEN
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
COMMENT ON FUNCTION nearest_pieces IS
    'The nearest pieces of these slots behind a position, nearest first, as the viewer sees them; "before" pieces were nearer.';
