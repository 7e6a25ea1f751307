-- Clusters on the map by the kinds of their pieces.

ALTER TABLE mapdiary_closed.map_cell
    ADD albums integer GENERATED ALWAYS AS (
        counts[1] + counts[2] + counts[3] + counts[4] + counts[5] + counts[6] + counts[7] + counts[8] + counts[9] + counts[10]
        + counts[11] + counts[12] + counts[13] + counts[14] + counts[15] + counts[16]) STORED,
    ADD pois integer GENERATED ALWAYS AS (
        counts[17] + counts[18] + counts[19] + counts[20] + counts[21]) STORED,
    ADD blogs integer GENERATED ALWAYS AS (
        counts[22] + counts[23] + counts[24] + counts[25] + counts[26] + counts[27] + counts[28] + counts[29] + counts[30]) STORED;
COMMENT ON COLUMN mapdiary_closed.map_cell.albums IS 'Of the slots of albums.';
COMMENT ON COLUMN mapdiary_closed.map_cell.pois IS 'Of the slots of points of interest.';
COMMENT ON COLUMN mapdiary_closed.map_cell.blogs IS 'Of the slots of blogs.';

-- Of counts by slots, the sum from one slot to another, as far as these are wanted.
CREATE FUNCTION sum_within(counts integer[], low integer, high integer, first integer, last integer) RETURNS bigint
LANGUAGE sql IMMUTABLE AS
    'SELECT coalesce(sum(n), 0) FROM unnest(counts[greatest(low, first):least(high, last)]) AS n';

DROP FUNCTION map_view;
-- A cluster is what a cell has. The level of the cells follows from the zoom level and the size of the box, so a box that moves
-- moves no cluster. One or two pieces are shown by themselves. If a box has few pieces, they are counted where they are, and up
-- to "singles" are shown by themselves. Otherwise the kept counts are added up, from coarse cells in the middle of the box to
-- fine ones at its edges, and the pieces beyond these are counted where they are.
--
-- A row is a piece (kind, id) or a cluster (how many of each kind, its box, and its place). All rows are found by indexes, whatever the
-- statistics say.
CREATE FUNCTION map_view(viewer bigint, box_west float8, box_south float8, box_east float8, box_north float8, zoom integer,
                         first integer, last integer, singles integer)
RETURNS TABLE (kind smallint, id bigint, albums bigint, pois bigint, blogs bigint, west float8, south float8, east float8,
               north float8, lat float8, lng float8)
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
    live_box integer[] := '{}';             -- parts whose pieces are counted where they are: the box, the part
    live_part box[] := '{}';
    x0 integer; x1 integer; y0 integer; y1 integer;      -- the cells that are wholly in the box,
    px0 integer; px1 integer; py0 integer; py1 integer;  -- and those of the level before
    ends integer[] := '{}';                 -- of each box, those of the finest level
BEGIN
    SELECT array_agg(w), array_agg(e) INTO wests, easts FROM stretches(box_west::numeric, box_east::numeric);
    WHILE shown > 0 AND (ceil((easts[1] - wests[1]) / 360 * (1 << shown)) + 1
                         + coalesce(ceil((easts[2] - wests[2]) / 360 * (1 << shown)) + 1, 0))
                        * (ceil((box_north - box_south) / 360 * (1 << shown)) + 1) > 240 LOOP
        shown := shown - 1;
    END LOOP;

    is_live := shown > 13;
    -- If the box is not so small that it has few pieces, the counts of cells of this level estimate how many it has.
    IF NOT is_live THEN
        coarse := coalesce((SELECT max(l) FROM unnest(map_levels()) AS l WHERE l <= shown), 4);
        SELECT sum(CASE WHEN is_all THEN c.total ELSE (SELECT sum(n) FROM unnest(c.counts[first:last]) AS n) END) INTO total
            FROM unnest(wests, easts) AS b (w, e),
                 generate_series(cell_y(box_south, coarse), cell_y(box_north, coarse)) AS row_y,
                 LATERAL (SELECT m.total, m.counts FROM map_cell m WHERE m.level = coarse AND m.y = row_y
                          AND m.x BETWEEN cell_x(b.w, coarse) AND cell_x(b.e, coarse) OFFSET 0) c;
        SELECT coalesce(total, 0) + coalesce(sum(m.more), 0) INTO total
            FROM unnest(wests, easts) AS b (w, e), map_change m
            WHERE m.more < 0 AND m.slot BETWEEN first AND last
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
        SELECT NULL, NULL, l.albums, l.pois, l.blogs, c.west, c.south, c.east, c.north, c.lat, c.lng
            FROM (SELECT i, x, y, count(*) AS n, count(*) FILTER (WHERE l.kind = 0) AS albums,
                         count(*) FILTER (WHERE l.kind = 1) AS pois, count(*) FILTER (WHERE l.kind = 2) AS blogs, avg(l.lat) AS mean_lat, avg(l.lng) AS mean_lng
                  FROM live l WHERE n > 2 AND (SELECT count(*) FROM live) > singles GROUP BY 1, 2, 3) l,
                 cluster_in(l.x, l.y, shown, l.n, l.mean_lat, l.mean_lng, wests[l.i], box_south, easts[l.i], box_north) c
        UNION ALL
        SELECT l.kind, l.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM live l
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
    WITH parts (i, x, y, albums, pois, blogs, lat, lng) AS (
        -- A flat rectangle is read row by row, a high one column by column.
        SELECT r.i, c.x >> (r.level - shown), c.y >> (r.level - shown), c.albums, c.pois, c.blogs,
               (c.y + 0.5) * 360 / (1 << r.level) - 90, (c.x + 0.5) * 360 / (1 << r.level) - 180
            FROM unnest(rect_box, rect_level, rect_x0, rect_x1, rect_y0, rect_y1) AS r (i, level, x0, x1, y0, y1), LATERAL (
                SELECT f.x, f.y, CASE WHEN is_all THEN f.albums ELSE sum_within(f.counts, 1, 16, first, last) END AS albums,
                       CASE WHEN is_all THEN f.pois ELSE sum_within(f.counts, 17, 21, first, last) END AS pois,
                       CASE WHEN is_all THEN f.blogs ELSE sum_within(f.counts, 22, 30, first, last) END AS blogs
                FROM (
                    SELECT m.* FROM generate_series(r.y0, CASE WHEN r.y1 - r.y0 <= r.x1 - r.x0 THEN r.y1 END) AS at, LATERAL (
                        SELECT * FROM map_cell m WHERE m.level = r.level AND m.y = at AND m.x BETWEEN r.x0 AND r.x1 OFFSET 0) m
                    UNION ALL
                    SELECT m.* FROM generate_series(r.x0, CASE WHEN r.y1 - r.y0 > r.x1 - r.x0 THEN r.x1 END) AS at, LATERAL (
                        SELECT * FROM map_cell m WHERE m.level = r.level AND m.x = at AND m.y BETWEEN r.y0 AND r.y1 OFFSET 0) m) f) c
            WHERE r.x0 <= r.x1 AND r.y0 <= r.y1 AND (c.albums <> 0 OR c.pois <> 0 OR c.blogs <> 0)
        UNION ALL
        SELECT e.i, m.x >> (13 - shown), m.y >> (13 - shown), CASE WHEN m.slot <= 16 THEN m.more ELSE 0 END,
               CASE WHEN m.slot BETWEEN 17 AND 21 THEN m.more ELSE 0 END, CASE WHEN m.slot >= 22 THEN m.more ELSE 0 END,
               (m.y + 0.5) * 360 / 8192 - 90, (m.x + 0.5) * 360 / 8192 - 180
            FROM generate_series(1, cardinality(rect_box) * cardinality(wests)) AS e (i), map_change m
            WHERE e.i <= cardinality(wests) AND m.more < 0 AND m.slot BETWEEN first AND last
            AND m.x BETWEEN ends[e.i][1] AND ends[e.i][2] AND m.y BETWEEN ends[e.i][3] AND ends[e.i][4]
        UNION ALL
        -- Pieces that only the viewer may see.
        SELECT e.i, cell_x(o.lng, 13) >> (13 - shown), cell_y(o.lat, 13) >> (13 - shown),
               (o.kind = 0)::integer, (o.kind = 1)::integer, (o.kind = 2)::integer, o.lat, o.lng
            FROM generate_series(1, cardinality(wests)) AS e (i), (
                SELECT kind, lat::float8 AS lat, lng::float8 AS lng FROM visible_piece(viewer)
                    WHERE kind <> 1 AND owner_id = viewer AND NOT may_see_piece(owner_id, visibility, public_day, hidden, NULL)
                    AND slot BETWEEN first AND last
                UNION ALL
                SELECT kind, lat::float8, lng::float8 FROM visible_piece(viewer)
                    WHERE kind = 1 AND owner_id = viewer AND hidden IS NOT NULL AND slot BETWEEN first AND last) o
            WHERE viewer IS NOT NULL AND cardinality(rect_box) > 0
            AND cell_x(o.lng, 13) BETWEEN ends[e.i][1] AND ends[e.i][2]
            AND cell_y(o.lat, 13) BETWEEN ends[e.i][3] AND ends[e.i][4]
        UNION ALL
        SELECT i, cell_x(lng, shown), cell_y(lat, shown), (kind = 0)::integer, (kind = 1)::integer, (kind = 2)::integer, lat, lng FROM (
            SELECT DISTINCT p.i, t.* FROM unnest(live_box, live_part) AS p (i, part), pieces_in(viewer, p.part, first, last) t
            WHERE p.part IS NOT NULL AND t.lng BETWEEN wests[p.i] AND easts[p.i] AND t.lat BETWEEN box_south AND box_north
                AND NOT (cell_x(t.lng, 13) BETWEEN ends[p.i][1] AND ends[p.i][2]
                         AND cell_y(t.lat, 13) BETWEEN ends[p.i][3] AND ends[p.i][4])) live),
    cells AS MATERIALIZED (
        SELECT i, x, y, albums, pois, blogs, c.*
            FROM (SELECT i, x, y, sum(p.albums)::bigint AS albums, sum(p.pois)::bigint AS pois, sum(p.blogs)::bigint AS blogs,
                         sum(n)::bigint AS n, sum(n * p.lat) / nullif(sum(n), 0) AS mean_lat,
                         sum(n * p.lng) / nullif(sum(n), 0) AS mean_lng
                  FROM parts p, LATERAL (SELECT p.albums + p.pois + p.blogs AS n) s GROUP BY 1, 2, 3) p,
                 cluster_in(p.x, p.y, shown, p.n, p.mean_lat, p.mean_lng, wests[p.i], box_south, easts[p.i], box_north) c)
    SELECT NULL, NULL, c.albums, c.pois, c.blogs, c.west, c.south, c.east, c.north, c.lat, c.lng FROM cells c WHERE c.n > 2
    UNION ALL
    SELECT f.kind, f.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM cells c, LATERAL (
        SELECT t.kind, t.id FROM pieces_in(viewer, box(point(c.west, c.south), point(c.east, c.north)), first, last) t
        WHERE cell_x(t.lng, shown) = c.x AND cell_y(t.lat, shown) = c.y
            AND t.lng BETWEEN wests[c.i] AND easts[c.i] AND t.lat BETWEEN box_south AND box_north
        ORDER BY t.kind, t.id LIMIT 2) f
        WHERE c.n BETWEEN 0 AND 2;
END $$;
COMMENT ON FUNCTION map_view IS 'At most 500 pieces and clusters in a box, as the viewer sees them.';

CALL show_pieces();
