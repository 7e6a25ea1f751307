-- The world that tests/bench/finding asks in: bench.pieces pieces, made up by number. As the superuser, who may leave triggers
-- out: what they keep is made for all pieces at once, at the end.
--
-- What is asked for is the same in every world, so that answers have one length: 3,000 pieces in a city of 0.2 degrees at 25 N
-- 121.5 E, 60 on an island in the middle of an ocean that is empty otherwise, 20 with each of the rare words. All else is half
-- in 300 cities, half anywhere but there.
SET search_path = mapdiary;
SET session_replication_role = replica;
SET synchronous_commit = off;
SET maintenance_work_mem = '1GB';
SET work_mem = '256MB';
SELECT setseed(0.5);

-- Indexes are made when all is there, but for those that are parts of an index of all pieces.
CREATE TEMPORARY TABLE dropped AS
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid::regclass::text IN ('album', 'poi', 'blog', 'mapdiary_closed.search_entry') AND NOT indisunique
    AND indexrelid NOT IN (SELECT inhrelid FROM pg_inherits);
SELECT format('DROP INDEX %s', name) FROM dropped \gexec

INSERT INTO user_account (user_id, email, name, icon, password_hash)
SELECT n, 'user' || n || '@example.org', '旅人 ' || n, 'https://icons.example.org/' || n || '.png', '-'
FROM generate_series(1, 1000) AS n;

-- Titles, each of which many pieces have; their words are looked for once.
CREATE TEMPORARY TABLE city AS
    SELECT city, random() * 120 - 55 AS city_lat, random() * 230 - 100 AS city_lng FROM generate_series(0, 299) AS city;
CREATE TEMPORARY TABLE title AS
    SELECT n AS number, '週末散步 第 ' || n || ' 天 ' || (ARRAY['café', 'beach', '夜市', '登山', 'museum', '早餐', 'park'])[1 + n % 7] AS title
    FROM generate_series(0, 9999) AS n
    UNION ALL SELECT 10000 + n, '小記 rare' || n || ' 稀' || chr(19968 + 7 * n) FROM generate_series(0, 99) AS n;
ALTER TABLE title ADD words tsvector, ADD folded text;
UPDATE title SET words = words_of_texts(title, '', ''), folded = folded_title(folded(title));
INSERT INTO mapdiary_closed.title_word SELECT DISTINCT word FROM title, title_words(folded) AS word;
CREATE INDEX ON title (number) INCLUDE (title, words, folded);
ANALYZE title, city;

-- The rare words are spread over all of them, 2,000 in all.
CREATE TEMPORARY TABLE made_up AS
SELECT n, n % 10 AS slot,
       CASE WHEN n % step = 0 AND n / step <= 2000 THEN 10000 + n / step % 100 ELSE n % 10000 END AS number,
       round((CASE WHEN n <= 3000 THEN 24.9 + random() * 0.2
              WHEN n <= 3060 THEN -20 + random() * 0.2
              WHEN n % 2 = 0 THEN greatest(-85, least(85, city_lat + (random() + random() + random() - 1.5) * 0.4))
              ELSE degrees(asin(random() * 1.98 - 0.99)) END)::numeric, 6) AS lat,
       round((CASE WHEN n <= 3000 THEN 121.4 + random() * 0.2
              WHEN n <= 3060 THEN -130 + random() * 0.2
              WHEN n % 2 = 0 THEN city_lng + (random() + random() + random() - 1.5) * 0.4
              ELSE -100 + random() * 279 END)::numeric, 6) AS lng
FROM generate_series(1, current_setting('bench.pieces')::bigint) AS n
JOIN city ON city = n % 300, LATERAL (SELECT current_setting('bench.pieces')::bigint / 2001 AS step) s;
ANALYZE made_up;

INSERT INTO album (number, owner_id, title, slot, lat, lng, updated_at)
SELECT n, 1 + n % 1000, t.title, 1 + n % 16, lat, lng, timestamptz '2020-01-01' + n * interval '1 second'
FROM made_up JOIN title t USING (number) WHERE slot = 0 ORDER BY n;
INSERT INTO poi (number, owner_id, title, slot, lat, lng, updated_at)
SELECT n, 1 + n % 1000, t.title, 17 + n / 10 % 5, lat, lng, timestamptz '2020-01-01' + n * interval '1 second'
FROM made_up JOIN title t USING (number) WHERE slot = 1 ORDER BY n;
INSERT INTO blog (number, owner_id, slot, lat, lng, title, content, post_date, public_day, weather, created_at)
SELECT n, 1 + n % 1000, 22 + n % 9, lat, lng, t.title, '字', date '2010-01-01' + (n % 5000)::integer,
       date '2010-01-01' + (n % 5000)::integer, '晴空萬里',
       timestamptz '2020-01-01' + n * interval '1 second'
FROM made_up JOIN title t USING (number) WHERE slot > 1 ORDER BY n;
INSERT INTO mapdiary_closed.search_entry (entry_id, kind, id, words, title)
SELECT n, least(slot, 2), n, t.words || bucket_words(n), t.folded
FROM made_up JOIN title t USING (number) ORDER BY n;

-- PostGIS has the same, where it is there: a table of what lists show.
SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'postgis') AS postgis \gset
\if :postgis
CREATE EXTENSION IF NOT EXISTS postgis SCHEMA public;
CREATE TABLE public.place AS
    SELECT least(slot, 2)::integer AS kind, n AS id, t.title, 'x' AS slot_name, lat, lng, 1 + n % 1000 AS owner_id,
           date '2020-01-01' AS dated, 0 AS score,
           public.st_setsrid(public.st_makepoint(lng::float8, lat::float8), 4326)::public.geography AS spot
    FROM made_up JOIN title t USING (number) ORDER BY n;
ALTER TABLE public.place ADD PRIMARY KEY (kind, id);
CREATE INDEX place_spot ON public.place USING gist (spot);
CREATE INDEX place_flat ON public.place USING gist ((spot::public.geometry));
GRANT SELECT ON public.place TO PUBLIC;
VACUUM ANALYZE public.place;
\endif

SELECT definition FROM dropped \gexec
VACUUM ANALYZE album, poi, blog, user_account, mapdiary_closed.search_entry;
SELECT recount();
INSERT INTO mapdiary_closed.search_common SELECT DISTINCT unnest(most_common_elems::text::text[]) FROM pg_stats
    WHERE schemaname = 'mapdiary_closed' AND tablename = 'search_entry' AND attname = 'words';
UPDATE mapdiary_closed.indexing SET counted_at = now(), listed_at = now(), common_at = now();
VACUUM ANALYZE mapdiary_closed.map_cell, mapdiary_closed.map_change;
SELECT setval('mapdiary_closed.search_number', current_setting('bench.pieces')::bigint);
