-- The content that the benchmark reads, made up by number. The sizes are settings: bench.users, bench.albums (of each user),
-- bench.pois, bench.categories (over which the POIs are spread), bench.blogs. The variable extras says whether there are
-- photos, comments and votes, and all of it is in PostgreSQL's own cache at the end.
-- As the superuser, who may leave out triggers: the data is right as it is, and no foreign key needs to be looked up.
SET search_path = mapdiary;
SET session_replication_role = replica;
SET synchronous_commit = off;

-- User 1 is there already, with a password that all others share.
INSERT INTO user_account (user_id, email, name, icon, password_hash)
SELECT n, 'user' || n || '@example.org', '旅人 ' || n, 'https://icons.example.org/' || n || '.png', password_hash
FROM generate_series(2, current_setting('bench.users')::integer) AS n, user_account WHERE user_id = 1;

-- The hash of each user's second session can be computed from the number in SQL, where pgbench needs it; the first ones
-- have tokens that a client can send.
INSERT INTO session (token_hash, user_id, expires_at)
SELECT decode(lpad(to_hex(user_id), 64, '0'), 'hex'), user_id, now() + interval '1 day' FROM user_account;

INSERT INTO album (number, owner_id, title, slot, lat, lng, updated_at)
SELECT (u - 1) * current_setting('bench.albums')::integer + a, u, '週末散步 ' || a || CASE WHEN a % 5 = 0 THEN ' & <回憶>' ELSE '' END, 1 + a % 16,
       (20 + u % 700 / 100.0)::numeric(9, 6), (120 + a % 30 / 10.0)::numeric(9, 6),
       timestamptz '2026-01-01' + u * interval '1 minute'
FROM generate_series(1, current_setting('bench.users')::integer) AS u,
     generate_series(1, current_setting('bench.albums')::integer) AS a;
-- Where there are albums, each user has a private one beyond those.
INSERT INTO album (number, owner_id, title, slot, lat, lng, updated_at, visibility)
SELECT current_setting('bench.users')::bigint * current_setting('bench.albums')::integer + owner_id, owner_id, title, slot, lat, lng, updated_at, 'private'
FROM album WHERE (number - 1) % current_setting('bench.albums')::integer = 0;

INSERT INTO poi (number, owner_id, title, slot, lat, lng, score, updated_at)
SELECT n, 1 + n % current_setting('bench.users')::integer, '巷口咖啡 Café No. ' || n,
       17 + n % current_setting('bench.categories')::integer,
       (21 + n % 4000 / 1000.0)::numeric(9, 6), (119 + n % 3000 / 1000.0)::numeric(9, 6), n % 100,
       timestamptz '2026-01-01' + n * interval '1 second'
FROM generate_series(1, current_setting('bench.pois')::integer) AS n;

INSERT INTO blog (number, owner_id, slot, lat, lng, title, content, post_date, public_day, weather, user_category, score)
SELECT n, 1 + n % current_setting('bench.users')::integer, 22 + n % 9,
       (21 + n % 4000 / 1000.0)::numeric(9, 6), (119 + n % 3000 / 1000.0)::numeric(9, 6), '第 ' || n || ' 天的日記',
       repeat('早上在公園走了一圈，回家的路上買了豆漿和蛋餅。' || E'\r\n' || '<b>天氣很好</b> & 心情也很好。', 3),
       date '2025-01-01' + n % 365, date '2025-01-01' + n % 365, '晴空萬里', '日常', n % 50
FROM generate_series(1, current_setting('bench.blogs')::integer) AS n;

\if :extras
INSERT INTO photo (kind, number, position, address, description)
SELECT kind, number, p, 'https://photos.example.org/album/' || number || '/' || p || '_s.jpg', '第 ' || p || ' 張，風景'
FROM album, generate_series(1, 3) AS p;
UPDATE album SET cover_photo_id = photo_id FROM photo p WHERE p.kind = 0 AND p.number = album.number AND p.position = 1;

INSERT INTO photo (kind, number, position, address, description)
SELECT 1, n, p, 'https://photos.example.org/poi/' || n || '/' || p || '.jpg', '第 ' || p || ' 張，門口'
FROM generate_series(1, current_setting('bench.pois')::integer) AS n, generate_series(1, 3) AS p;

-- Two of five comments have an answer, one has a character to escape. Only every tenth blog has a vote, and comments.
CREATE TEMPORARY VIEW made_up AS
SELECT c, '店員很親切，座位' || CASE c WHEN 1 THEN ' & ' ELSE '和' END || '音樂都剛好，下次還會再來，推薦給大家。' AS comment,
       timestamptz '2026-02-01' + c * interval '1 hour' AS created_at,
       CASE WHEN c <= 2 THEN '謝謝你的留言，歡迎再來！' END AS reply,
       CASE WHEN c <= 2 THEN timestamptz '2026-03-01' + c * interval '1 hour' END AS replied_at
FROM generate_series(1, 5) AS c;

INSERT INTO comment (kind, number, commenter_id, comment, created_at, reply, replied_at)
SELECT 1, n, 1 + (n * 7 + c) % current_setting('bench.users')::integer, comment, created_at, reply, replied_at
FROM generate_series(1, current_setting('bench.pois')::integer) AS n, made_up;
INSERT INTO comment (kind, number, commenter_id, comment, created_at, reply, replied_at)
SELECT kind, number, 1 + (number * 7 + c) % current_setting('bench.users')::integer, comment, m.created_at, reply, replied_at
FROM album, made_up m;
INSERT INTO comment (kind, number, commenter_id, comment, created_at, reply, replied_at)
SELECT 2, n, 1 + (n * 7 + c) % current_setting('bench.users')::integer, comment, created_at, reply, replied_at
FROM generate_series(10, current_setting('bench.blogs')::integer, 10) AS n, made_up;

INSERT INTO vote (blog_id, description)
SELECT n, '下次去哪裡？' FROM generate_series(10, current_setting('bench.blogs')::integer, 10) AS n;
INSERT INTO vote_choice (blog_id, position, description, votes)
SELECT blog_id, p, (ARRAY['海邊', '山上', '在家'])[p], blog_id % 100 + p FROM vote, generate_series(1, 3) AS p;
\endif

SELECT setval(pg_get_serial_sequence('user_account', 'user_id'), (SELECT max(user_id) FROM user_account)),
       setval('album_number', (SELECT max(number) FROM album)),
       setval('poi_number', (SELECT max(number) FROM poi)),
       setval('blog_number', (SELECT max(number) FROM blog));
VACUUM (ANALYZE);
CHECKPOINT;
\if :extras
CREATE EXTENSION pg_prewarm SCHEMA public;
SELECT sum(public.pg_prewarm(oid)) FROM pg_class WHERE relnamespace = 'mapdiary'::regnamespace AND relkind IN ('r', 'i');
\endif
