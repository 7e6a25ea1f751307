-- Advertisements of the operator, each for a circle on the earth and some days.

CREATE TABLE advertisement (
    advertisement_id bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
    title      text_line NOT NULL,
    text       xml_text NOT NULL CHECK (char_length(text) <= 500),
    image      text CHECK (image ~ '^https?://[!-~]+$' AND length(image) <= 2000),
    address    text NOT NULL CHECK (address ~ '^https?://[!-~]+$' AND length(address) <= 2000),
    lat        latitude NOT NULL,
    lng        longitude NOT NULL,
    radius     integer NOT NULL CHECK (radius BETWEEN 1 AND 20100000),
    weight     integer NOT NULL CHECK (weight BETWEEN 1 AND 1000),
    first_day  date NOT NULL,
    last_day   date NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    ended_at   timestamptz,
    CHECK (last_day >= first_day)
);
CREATE INDEX advertisement_place ON advertisement (place_number(lat, lng));
COMMENT ON TABLE advertisement IS 'Advertisements.';
COMMENT ON COLUMN advertisement.image IS 'The address of a picture.';
COMMENT ON COLUMN advertisement.address IS 'Where a click leads.';
COMMENT ON COLUMN advertisement.radius IS 'In metres.';
COMMENT ON COLUMN advertisement.weight IS 'How often it is shown, compared with others at the same place.';
COMMENT ON COLUMN advertisement.ended_at IS 'When an operator ended it.';

CREATE TABLE advertisement_day (
    advertisement_id bigint NOT NULL REFERENCES advertisement ON DELETE CASCADE,
    day              date NOT NULL,
    shown            bigint NOT NULL,
    clicked          bigint NOT NULL,
    PRIMARY KEY (advertisement_id, day)
);
COMMENT ON TABLE advertisement_day IS 'How often an advertisement was shown and clicked in a day. Nothing tells by whom.';

CREATE FUNCTION runs_today(one advertisement) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT current_date BETWEEN one.first_day AND one.last_day AND one.ended_at IS NULL';
COMMENT ON FUNCTION runs_today IS 'Whether an advertisement runs today.';

-- The turn is a number from 0 on and below 1, of which each advertisement has a part as large as its weight. Advertisements are
-- found as pieces near a place are.
CREATE FUNCTION advertisement_at(at_lat float8, at_lng float8, turn float8)
RETURNS TABLE (id bigint, title text, text text, image text, address text, lat text, lng text) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
    WITH far AS (SELECT max(radius)::float8 AS most FROM advertisement a WHERE runs_today(a)),
        near AS (SELECT DISTINCT advertisement_id FROM far, unnest(boxes_around(at_lat, at_lng, most)) AS b (box),
                edges_of(b.box) e, cells_in(e.west, e.south, e.east, e.north) c, advertisement a
            WHERE place_number(a.lat, a.lng) BETWEEN c.low AND c.high AND runs_today(a)
            AND sphere_distance(at_lat, at_lng, a.lat::float8, a.lng::float8) <= a.radius),
        there AS (SELECT a.*, sum(weight) OVER (ORDER BY advertisement_id) AS upto, sum(weight) OVER () AS total
            FROM advertisement a JOIN near USING (advertisement_id))
    SELECT advertisement_id, title, text, image, address, lat::text, lng::text FROM there WHERE upto > turn * total
        ORDER BY upto LIMIT 1
$$;
COMMENT ON FUNCTION advertisement_at IS 'Of the advertisements whose circle has a place, the one whose turn it is.';

CREATE FUNCTION advertisement_runs(of_id bigint) RETURNS boolean LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
    SELECT EXISTS (SELECT FROM advertisement a WHERE advertisement_id = of_id AND runs_today(a))
$$;
COMMENT ON FUNCTION advertisement_runs IS 'Whether an advertisement runs today, for requests.';

CREATE FUNCTION count_advertisement(of_id bigint, more_shown bigint, more_clicked bigint) RETURNS void LANGUAGE sql
SET search_path = mapdiary AS $$
    INSERT INTO advertisement_day AS d (advertisement_id, day, shown, clicked)
        SELECT advertisement_id, current_date, more_shown, more_clicked FROM advertisement WHERE advertisement_id = of_id
        ON CONFLICT (advertisement_id, day) DO UPDATE
        SET shown = d.shown + excluded.shown, clicked = d.clicked + excluded.clicked
$$;
COMMENT ON FUNCTION count_advertisement IS 'Adds to the counts of today.';
