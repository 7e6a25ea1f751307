-- Pieces as lists show them, and the pieces near a place.

-- Lists --------------------------------------------------------------------------------------------------------------

CREATE TYPE listed AS (
    kind smallint, id bigint, slot integer, place bigint, title text, slot_name text, lat numeric, lng numeric, thumbnail text,
    owner_id bigint, dated date, public_day date, changed_at timestamptz, score integer);
COMMENT ON TYPE listed IS 'A piece as lists show it.';
-- It is inlined, with visible_piece(). The slot is a sum, so no index of slots is read where a place is looked for.
CREATE FUNCTION listed_pieces(viewer bigint) RETURNS SETOF listed LANGUAGE sql STABLE AS $$
    SELECT t.kind, t.number, t.slot + 0, mapdiary.place_number(t.lat, t.lng), t.title::text, mapdiary.slot_name(t.slot),
           t.lat::numeric, t.lng::numeric,
           CASE WHEN t.kind < 2 THEN coalesce(
               (SELECT mapdiary.photo_address(p.kind, p.number, p.address, p.name, p.format, 'small') FROM mapdiary.photo p
                    WHERE p.photo_id = t.cover_photo_id AND mapdiary.may_see_photo(t.owner_id, p.hidden, viewer)),
               (SELECT mapdiary.photo_address(p.kind, p.number, p.address, p.name, p.format, 'small') FROM mapdiary.photo p
                    WHERE p.kind = t.kind AND p.number = t.number AND mapdiary.may_see_photo(t.owner_id, p.hidden, viewer)
                    ORDER BY p.position LIMIT 1)) END,
           t.owner_id, coalesce(t.post_date, t.updated_at::date), t.public_day, t.updated_at, t.score
        FROM mapdiary.visible_piece(viewer) t
$$;
CREATE FUNCTION listed_piece(viewer bigint, of_kind integer, identifier bigint) RETURNS SETOF listed LANGUAGE sql STABLE AS
    'SELECT * FROM mapdiary.listed_pieces(viewer) WHERE kind = of_kind AND id = identifier';
COMMENT ON FUNCTION listed_piece IS 'A piece of any kind; no row if the viewer may not see it.';

-- The kinds that have these slots. With a range of kinds, PostgreSQL would read the primary key; a list leaves out partitions, too.
CREATE FUNCTION first_kind(first integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
    'SELECT CASE WHEN first <= 16 THEN 0 WHEN first <= 21 THEN 1 ELSE 2 END';
CREATE FUNCTION last_kind(last integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
    'SELECT CASE WHEN last <= 16 THEN 0 WHEN last <= 21 THEN 1 ELSE 2 END';

-- The pieces of these slots in a box. They are inlined. The boxes of pieces_in() are a little wider, because calculated degrees
-- are rounded.
CREATE FUNCTION listed_in(viewer bigint, west numeric, south numeric, east numeric, north numeric, first integer, last integer)
RETURNS SETOF listed LANGUAGE sql STABLE AS $$
    SELECT t.* FROM mapdiary.cells_in(west, south, east, north) c, LATERAL (
        SELECT * FROM mapdiary.listed_pieces(viewer)
            WHERE kind IN (mapdiary.first_kind(first), (mapdiary.first_kind(first) + mapdiary.last_kind(last)) / 2,
                           mapdiary.last_kind(last))
            AND place BETWEEN c.low AND c.high AND slot BETWEEN first AND last OFFSET 0) t
        WHERE t.lat BETWEEN south AND north AND t.lng BETWEEN west AND east
$$;
CREATE FUNCTION pieces_in(viewer bigint, around box, first integer, last integer)
RETURNS TABLE (kind smallint, id bigint, lat float8, lng float8) LANGUAGE sql STABLE AS $$
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

-- The pieces of a kind in a range of place numbers, without most of a crowd: of pieces at one point the first by their
-- identifiers, as many as a page has and not many more. They are read in steps of so many, by the index of places, points and
-- identifiers. If all of a step are at one point, the next step begins beyond that point. At the distance at which a page
-- begins, it begins behind the last identifier of the page before instead.
CREATE FUNCTION sparse_pieces(viewer bigint, of_kind integer, low bigint, high bigint, first integer, last integer,
                              at_lat float8, at_lng float8, after_distance float8, after_id bigint, most integer)
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
                SELECT place_number(piece.lat, piece.lng) AS place, piece.lat::numeric, piece.lng::numeric, piece.number AS id
                    FROM visible_piece(viewer) piece
                    WHERE piece.kind = of_kind
                    AND (place_number(piece.lat, piece.lng), piece.lat::numeric, piece.lng::numeric, piece.number)
                        > (p.place, p.lat, p.lng, CASE WHEN NOT p.is_one THEN p.id
                           WHEN p.first_id <= after_id AND sphere_distance(at_lat, at_lng, p.lat::float8, p.lng::float8) = after_distance
                           THEN greatest(p.id, after_id) ELSE 9223372036854775807 END)
                    AND place_number(piece.lat, piece.lng) <= high AND piece.slot + 0 BETWEEN first AND last
                    ORDER BY place_number(piece.lat, piece.lng), piece.lat::numeric, piece.lng::numeric, piece.number
                    LIMIT most) s)
        SELECT step.id, step.lat, step.lng FROM step WHERE step.id > 0;
END $$;

-- The pieces of these slots in boxes, without most of a crowd.
CREATE FUNCTION sparse_in(viewer bigint, boxes box[], first integer, last integer, at_lat float8, at_lng float8,
                          after_distance float8, after_kind integer, after_id bigint, most integer)
RETURNS TABLE (kind smallint, id bigint, lat float8, lng float8) LANGUAGE sql STABLE SET search_path = mapdiary AS $$
    SELECT k.kind::smallint, p.id, p.lat::float8, p.lng::float8
        FROM unnest(boxes) AS b (box), edges_of(b.box) e, cells_in(e.west, e.south, e.east, e.north) c,
             generate_series(first_kind(first), last_kind(last)) AS k (kind),
             sparse_pieces(viewer, k.kind, c.low, c.high, first, last, at_lat, at_lng, after_distance,
                           CASE after_kind WHEN k.kind THEN after_id ELSE 0 END, most) p
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
RETURNS TABLE (kind smallint, id bigint, title text, slot_name text, lat numeric, lng numeric, thumbnail text,
               owner_id bigint, dated date, public_day date, changed_at timestamptz, score integer, distance float8)
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
    few bigint := enough; -- boxes with so many may have a crowd; NULL once it is known that they have none
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
                            l.public_day, l.changed_at, l.score, p.d
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
                                    l.public_day, l.changed_at, l.score, p.d
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
