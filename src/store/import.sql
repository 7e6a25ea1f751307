-- Imports. Rows come into the table staging, are checked there, and become things in the same transaction.

-- Memory enough to sort and hash a million rows; plans take little knowledge of the staging table; what finding notes
-- of a piece, the statements below note themselves.
-- name: import_begin_transaction text
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL work_mem = '64MB';
SET LOCAL synchronous_commit = on;
SET LOCAL plan_cache_mode = auto;
SET LOCAL default_statistics_target = 10;
SET LOCAL mapdiary.bulk = on;

-- The rows that become things at a time: after low, up to high. They are few enough to show progress, and many enough
-- to be worth the index of the staging table.
-- name: import_make_span text
CREATE TEMPORARY TABLE span ON COMMIT DROP AS SELECT 0::bigint AS low, 0::bigint AS high;

-- name: import_next_span text
COPY (WITH next AS (UPDATE span SET low = high, high = high + 50000 RETURNING high)
      SELECT high FROM next) TO STDOUT;

-- name: import_analyze text
ANALYZE staging (n, source, identifier, reason, known);

-- The checks write rows behind all others, so this comes after them.
-- name: import_index text
CREATE INDEX ON staging USING brin (n) WITH (pages_per_range = 16);

-- The words of each kind of rows: how its columns are called in a file and in the staging table, the table of its
-- things and the table that knows of which row of which source each came, the column that names a user, and the number
-- of the kind of pieces.

-- kind: users
\set kind users \set columns 'email, name, icon, password_hash'
\set types 'email text, name text, icon text, password_hash text'
\set table user_account \set key user_id \set source user_source

-- kind: pois
\set kind pois \set columns 'name, category, lat, lng, owner, score'
\set types 'name text, category smallint, lat numeric, lng numeric, owner text, score integer'
\set table poi \set of_kind 1 \set sequence '''mapdiary.poi_number''' \set title name \set slot '16 + k.category'
\set user owner \set no_user '''owner: no user has this email address'''
\set visibility '' \set new_visibility ''

-- kind: albums
\set kind albums \set columns 'title, category, lat, lng, owner, score, visibility'
\set types 'title text, category smallint, lat numeric, lng numeric, owner text, score integer, visibility visibility'
\set table album \set of_kind 0 \set sequence '''mapdiary.album_number''' \set title title \set slot 'k.category'
\set user owner \set no_user '''owner: no user has this email address'''
\set visibility ', visibility' \set new_visibility ', coalesce(visibility, ''public'')'

-- kind: blogs
\set kind blogs
\set columns 'author, type, lat, lng, title, content, date, weather, reply, reply_source, zoom_level, map_type, user_category, score, visibility'
\set types 'author text, type text, lat numeric, lng numeric, title text, content text, date date, weather weather, reply text, reply_source text, zoom_level smallint, map_type smallint, user_category text, score integer, visibility visibility'
\set table blog \set of_kind 2
\set user author \set no_user '''author: no user has this email address'''

-- kind: photos
\set kind photos \set columns 'album, poi, address, description, cover, file'
\set types 'album text, poi text, address text, description text, cover boolean, file text, name bytea, original_sha256 bytea, original_bytes bigint, large_sha256 bytea, small_sha256 bytea, format smallint, width integer, height integer, taken_at timestamptz, kind smallint, number bigint'

-- kind: comments
\set kind comments \set columns 'album, poi, blog, commenter, comment, time, reply, reply_time'
\set types 'album text, poi text, blog text, commenter text, comment text, time timestamptz, reply text, reply_time timestamptz, kind smallint, number bigint'
\set table comment \set key comment_id \set source comment_source
\set user commenter \set no_user '''commenter: no user has this email address'''

-- And of the pieces that rows name.

-- kind: album
\set of_kind 0
\set unresolved '''album: no such thing of this source''' \set of_another '''album: it is a photo of another one'''

-- kind: poi
\set of_kind 1
\set unresolved '''poi: no such thing of this source''' \set of_another '''poi: it is a photo of another one'''

-- kind: blog
\set of_kind 2 \set unresolved '''blog: no such thing of this source'''

-- name: import_staging_:kind text for users pois albums blogs photos comments
CREATE TEMPORARY TABLE staging (n bigint, line bigint, position bigint, source text, identifier text, reason text,
                                known bigint, :types) ON COMMIT DROP;

-- name: import_copy_:kind text for users pois albums blogs comments
COPY staging (n, line, position, source, identifier, :columns) FROM STDIN;

-- What the row of an uploaded photo says: struct photo_upload.
\set upload 'name, original_sha256, original_bytes, large_sha256, small_sha256, format, width, height, taken_at'

-- name: import_copy_photos text
COPY staging (n, line, position, source, identifier, album, poi, address, description, cover, file, :upload) FROM STDIN;

-- name: import_rejected_:kind text for users pois albums blogs photos comments
COPY (SELECT line, position, reason, identifier, source, :columns FROM staging WHERE reason IS NOT NULL ORDER BY n)
  TO STDOUT (FORMAT csv);

-- Checks: each gives the rows that cannot be taken a reason, or finds the things that are here already. ---------------

-- Identifiers that stand twice. Only rows are compared whose hash another row has, which are few; a third of the time
-- tells that there are none.
\set hash 'hashtextextended(identifier, 0)'
\set may_be_twice '(SELECT count(*) > count(DISTINCT :hash) FROM staging) AND :hash IN (SELECT :hash FROM staging GROUP BY 1 HAVING count(*) > 1)'
\set say_twice 's SET reason = ''identifier: stands in line '' || t.first || '' already'' FROM twice t WHERE t.n = s.n'

-- name: import_twice text
CREATE TEMPORARY TABLE twice ON COMMIT DROP AS
SELECT n, first
  FROM (SELECT n, first_value(line) OVER alike AS first, row_number() OVER alike AS place
          FROM staging
         WHERE :may_be_twice
        WINDOW alike AS (PARTITION BY source, identifier, true ORDER BY n)) w
 WHERE place > 1;
ANALYZE twice;
UPDATE staging :say_twice;

-- A source counts the photos of albums and those of points of interest apart.
-- name: import_twice_photos text
CREATE TEMPORARY TABLE twice ON COMMIT DROP AS
SELECT n, first
  FROM (SELECT n, first_value(line) OVER alike AS first, row_number() OVER alike AS place
          FROM staging
         WHERE :may_be_twice
        WINDOW alike AS (PARTITION BY source, identifier, poi IS NULL ORDER BY n)) w
 WHERE place > 1;
ANALYZE twice;
UPDATE staging :say_twice;

-- Things that came of such a row before, and those that this service itself exported.
\set exported 's.source = (SELECT name FROM service)'
\set identifier 'CASE WHEN s.identifier ~ ''^[0-9]{1,18}$'' THEN s.identifier::bigint END'

-- name: import_known_:kind text for users comments
UPDATE staging s
   SET known = x.:key
  FROM :source x
 WHERE s.known IS NULL AND x.source = s.source AND x.identifier = s.identifier;
UPDATE staging s
   SET known = t.:key
  FROM :table t
 WHERE s.known IS NULL AND :exported AND t.:key = :identifier;

-- name: import_known_:kind text for pois albums blogs
UPDATE staging s
   SET known = x.number
  FROM piece_source x
 WHERE s.known IS NULL AND x.kind = :of_kind AND x.source = s.source AND x.identifier = s.identifier;
UPDATE staging s
   SET known = t.number
  FROM piece t
 WHERE s.known IS NULL AND :exported AND t.kind = :of_kind AND t.number = :identifier;

-- The users that rows name by email addresses, each address looked up once as it is written; the user is NULL where
-- no account has it.
-- name: import_named_:kind text for pois albums blogs comments
CREATE TEMPORARY TABLE named ON COMMIT DROP AS
SELECT w.written, u.user_id
  FROM (SELECT DISTINCT :user AS written FROM staging) w
  LEFT JOIN user_account u ON lower(u.email COLLATE "C") = lower(w.written COLLATE "C");
ANALYZE named;
UPDATE staging s
   SET reason = :no_user
 WHERE (SELECT bool_or(user_id IS NULL) FROM named) AND reason IS NULL
   AND (:user IS NULL OR :user IN (SELECT written FROM named WHERE user_id IS NULL));

-- name: import_check_users text
UPDATE staging s
   SET reason = 'email: stands in line ' || f.line || ' already'
  FROM (SELECT lower(email COLLATE "C") AS email, min(n) AS n, min(line) AS line
          FROM staging
         GROUP BY lower(email COLLATE "C")
        HAVING count(*) > 1) f
 WHERE lower(s.email COLLATE "C") = f.email AND s.n > f.n AND s.reason IS NULL;
UPDATE staging s
   SET reason = 'email: another account has it'
  FROM user_account u
 WHERE s.reason IS NULL AND lower(u.email COLLATE "C") = lower(s.email COLLATE "C") AND u.user_id IS DISTINCT FROM s.known;

-- The blog that a blog replies to: "#" and its number, or an identifier of a source. It may come later in the file.
\set reply_source 'coalesce(s.reply_source, s.source)'
\set replied 'CASE WHEN s.reply ~ ''^#[0-9]{1,18}$'' THEN (SELECT t.number FROM blog t WHERE t.number = substr(s.reply, 2)::bigint) ELSE coalesce((SELECT x.number FROM piece_source x WHERE x.kind = 2 AND x.source = :reply_source AND x.identifier = s.reply), (SELECT t.number FROM blog t, service o WHERE o.name = :reply_source AND t.number = CASE WHEN s.reply ~ ''^[0-9]{1,18}$'' THEN s.reply::bigint END)) END'

-- name: import_check_blogs text
UPDATE staging s
   SET reason = 'reply: no such blog'
 WHERE reason IS NULL AND reply IS NOT NULL AND :replied IS NULL
   AND NOT EXISTS (SELECT
                     FROM staging t
                    WHERE t.identifier = s.reply AND t.source = :reply_source AND t.n <> s.n AND t.reason IS NULL);
UPDATE staging s
   SET reason = 'reply: the blog itself'
 WHERE reason IS NULL AND reply IS NOT NULL AND :replied = s.known;

-- name: import_check_photos text
UPDATE staging
   SET reason = 'album, poi: not one of the two'
 WHERE reason IS NULL AND num_nonnulls(album, poi) <> 1;
UPDATE staging
   SET reason = 'address, file: not one of the two'
 WHERE reason IS NULL AND num_nonnulls(address, file) <> 1;
UPDATE staging
   SET reason = 'address: does not start with http:// or https://'
 WHERE reason IS NULL AND poi IS NOT NULL AND address !~ '^https?://';

-- name: import_check_comments text
UPDATE staging
   SET reason = 'album, poi, blog: not one of the three'
 WHERE reason IS NULL AND num_nonnulls(album, poi, blog) <> 1;
UPDATE staging
   SET reason = 'replyTime: without a reply, or before the comment'
 WHERE reason IS NULL AND (reply_time < time OR (reply IS NULL AND reply_time IS NOT NULL));

-- The pieces that rows name: "#" and the number of one, or an identifier of the row's own source.
-- name: import_resolve_:kind text for album poi blog
UPDATE staging s
   SET kind = :of_kind,
       number = CASE WHEN s.:kind ~ '^#[0-9]{1,18}$'
                     THEN (SELECT t.number
                             FROM piece t
                            WHERE t.kind = :of_kind AND t.number = substr(s.:kind, 2)::bigint)
                     ELSE coalesce((SELECT x.number
                                      FROM piece_source x
                                     WHERE x.kind = :of_kind AND x.source = s.source AND x.identifier = s.:kind),
                                   (SELECT t.number
                                      FROM piece t, service o
                                     WHERE o.name = s.source AND t.kind = :of_kind
                                       AND t.number = CASE WHEN s.:kind ~ '^[0-9]{1,18}$' THEN s.:kind::bigint END)) END
 WHERE reason IS NULL AND s.:kind IS NOT NULL;
UPDATE staging
   SET reason = :unresolved
 WHERE reason IS NULL AND :kind IS NOT NULL AND number IS NULL;

-- The place of a photo in the order, and the cover, are of one piece.
-- name: import_known_photos_of_:kind text for album poi
UPDATE staging s
   SET known = x.photo_id
  FROM photo_source x
 WHERE s.known IS NULL AND s.kind = :of_kind AND x.kind = s.kind AND x.source = s.source AND x.identifier = s.identifier;
UPDATE staging s
   SET known = t.photo_id
  FROM photo t
 WHERE s.known IS NULL AND s.kind = :of_kind AND :exported AND t.photo_id = :identifier AND t.kind = s.kind;
UPDATE staging s
   SET reason = :of_another
  FROM photo p
 WHERE s.reason IS NULL AND s.kind = :of_kind AND p.photo_id = s.known AND p.number <> s.number;
