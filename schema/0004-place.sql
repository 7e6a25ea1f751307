-- Places on the earth: numbers by which B-trees find them, cells of the map, and distances.

-- Cells of level n are squares of 360 / 2^n degrees, counted from the south west. The last cells have their northern and
-- eastern edges, too.
CREATE FUNCTION cell_x(lng float8, level integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
    'SELECT least(floor((lng + 180) / 360 * (1 << level)), (1 << level) - 1)::integer';
CREATE FUNCTION cell_y(lat float8, level integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
    'SELECT least(floor((lat + 90) / 360 * (1 << level)), (1 << level - 1) - 1)::integer';

-- The number of a place has six digits, one for each of the levels 3, 6, 9, 12, 15 and 18. A digit says which of the 8 by 8
-- cells within the cell of the level before it is, counted row by row from the south west. So a row of such cells within one
-- cell of the level before is a range of numbers, and a box is a few such ranges.
--
-- A digit has three bits of y and three of x. spread_bits() moves the bits apart by adding up copies that do not overlap: of
-- all 18 bits, and then of each six of them.
--
-- PostgreSQL prepares the expression of an index anew in each statement that writes, function by function, so the functions are
-- few. The first bucket of width_bucket() is everything below its range, and the last everything above it.
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
COMMENT ON FUNCTION place_number IS 'The number by which an index finds a place.';

-- The ranges of numbers that cover a box: of the finest level of which they are few. The box is made a little wider, because
-- another release of PostgreSQL may round otherwise at the edge of a bucket. It is inlined.
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

CREATE FUNCTION edges_of(around box) RETURNS TABLE (west numeric, south numeric, east numeric, north numeric)
LANGUAGE sql IMMUTABLE AS $$
    SELECT ((around[1])[0] - 1e-9)::numeric, ((around[1])[1] - 1e-9)::numeric,
           ((around[0])[0] + 1e-9)::numeric, ((around[0])[1] + 1e-9)::numeric OFFSET 0
$$;

-- Metres on a sphere of the earth's mean radius, by haversines.
CREATE FUNCTION sphere_distance(lat1 float8, lng1 float8, lat2 float8, lng2 float8) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
    SELECT 12742017.6 * asin(least(1, sqrt(power(sin(radians(lat2 - lat1) / 2), 2)
        + cos(radians(lat1)) * cos(radians(lat2)) * power(sin(radians(lng2 - lng1) / 2), 2))))
$$;

-- The boxes, one or two, that cover a circle, and a little more, because sines are rounded. A circle that holds a pole has all
-- longitudes.
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

-- How far from its middle, in degrees of longitude, a circle crosses a parallel; 0 if it does not.
CREATE FUNCTION crossing(lat float8, radius float8, parallel float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT degrees(2 * asin(sqrt(least(1, greatest(0,
        (power(sin(radius / 12742017.6), 2) - power(sin(radians(parallel - lat) / 2), 2))
        / (cos(radians(lat)) * cos(radians(parallel))))))))
$$;

-- Boxes that cover a ring between two radii, and little else: the western and the eastern part of strips of latitude. Not for
-- rings near a pole or the antimeridian.
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
