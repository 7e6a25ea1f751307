-- The first words of a piece, as lists show them.

-- White space is what Unicode says (White_Space), whatever the locale of the database.
CREATE FUNCTION summary(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT nullif(left(btrim(regexp_replace(t, '[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g')), 160), '')
$$;
COMMENT ON FUNCTION summary IS 'The first 160 characters of a text, its white space collapsed; NULL if there is nothing else.';

ALTER TABLE piece ADD summary text GENERATED ALWAYS AS (mapdiary.summary(mapdiary.plain_text(content))) STORED;
COMMENT ON COLUMN piece.summary IS 'The first words of a blog, without markup.';
CREATE INDEX photo_described ON photo (kind, number, position) WHERE description <> '';
CALL view_pieces();

ALTER TYPE listed ADD ATTRIBUTE summary text;
CREATE OR REPLACE FUNCTION listed_pieces(viewer bigint) RETURNS SETOF listed LANGUAGE sql STABLE AS $$
    SELECT t.kind, t.number, t.slot + 0, mapdiary.place_number(t.lat, t.lng), t.title::text, mapdiary.slot_name(t.slot),
           t.lat::numeric, t.lng::numeric,
           CASE WHEN t.kind < 2 THEN coalesce(
               (SELECT mapdiary.photo_address(p.kind, p.number, p.address, p.name, p.format, 'small') FROM mapdiary.photo p
                    WHERE p.photo_id = t.cover_photo_id AND mapdiary.may_see_photo(t.owner_id, p.hidden, viewer)),
               (SELECT mapdiary.photo_address(p.kind, p.number, p.address, p.name, p.format, 'small') FROM mapdiary.photo p
                    WHERE p.kind = t.kind AND p.number = t.number AND mapdiary.may_see_photo(t.owner_id, p.hidden, viewer)
                    ORDER BY p.position LIMIT 1)) END,
           t.owner_id, coalesce(t.post_date, t.updated_at::date), t.public_day, t.updated_at, t.score,
           CASE WHEN t.kind = 0 THEN
               (SELECT mapdiary.summary(p.description) FROM mapdiary.photo p
                    WHERE p.kind = t.kind AND p.number = t.number AND p.description <> ''
                    AND mapdiary.may_see_photo(t.owner_id, p.hidden, viewer) ORDER BY p.position LIMIT 1)
           ELSE t.summary END
        FROM mapdiary.visible_piece(viewer) t
$$;

DROP FUNCTION nearest_pieces;
-- The pieces are looked for in rings around the place. The first ring is as wide as the kept counts suggest; each further one
-- as wide as it has to be if the density stays the same. A ring with far more than a page is made narrower, down to a metre. A
-- narrow ring behind many pieces is made of many boxes, none of which has its middle. Boxes with far more than a page are read
-- without most of a crowd.
--
-- A GiST index of points would be simpler and read in 0.7 of the time, but inserting a piece would take five times as long.
CREATE FUNCTION nearest_pieces(viewer bigint, at_lat float8, at_lng float8, radius float8, first integer, last integer,
                               after_distance float8, after_kind integer, after_id bigint, before bigint, most integer)
RETURNS TABLE (kind smallint, id bigint, title text, summary text, slot_name text, lat numeric, lng numeric, thumbnail text,
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
        RETURN QUERY SELECT p.kind, p.id, l.title, l.summary, l.slot_name, l.lat, l.lng, l.thumbnail, l.owner_id, l.dated,
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
                RETURN QUERY SELECT p.kind, p.id, l.title, l.summary, l.slot_name, l.lat, l.lng, l.thumbnail, l.owner_id, l.dated,
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

CALL show_pieces();
