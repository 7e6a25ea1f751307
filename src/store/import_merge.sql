-- Merges of imports: they make things of the rows of the staging table that are left, of those in the span. Each is a
-- COPY of two counts, of added and changed things, so that one line answers many rows. The words are in import.sql, too.

\set in_span 's.reason IS NULL AND s.n > (SELECT low FROM span) AND s.n <= (SELECT high FROM span)'
-- What is new has numbers in the order of the file. Its rows (fresh) have only the columns that are needed, as each is
-- written down twice more.
-- New pieces are noted for finding, 64 in a row, and for the sums of their owners.
\set noted 'noted AS (INSERT INTO mapdiary_closed.arrival (kind, ids, entry_ids, slots, lats, lngs) SELECT :of_kind, array_agg(number), array_agg(nextval(''mapdiary_closed.search_number'')), array_agg(slot), array_agg(lat), array_agg(lng) FROM added GROUP BY number >> 6), owned AS (INSERT INTO mapdiary_closed.owner_change (owner_id, kind, is_shown, pieces, score) SELECT owner_id, :of_kind, slot IS NOT NULL, count(*), sum(score) FROM added GROUP BY 1, 3)'
\set as_noted 'RETURNING number, CASE WHEN is_public(visibility, hidden) AND public_day <= current_date THEN slot END AS slot, owner_id, score, lat::numeric, lng::numeric'

-- An icon that was uploaded stays.
\set icon_kept 'CASE WHEN u.icon_name IS NULL THEN coalesce(s.icon, u.icon) ELSE '''' END'

-- name: import_change_users text
COPY (WITH changed AS (
          UPDATE user_account u
             SET email = s.email, name = s.name, icon = :icon_kept
            FROM staging s
           WHERE :in_span AND u.user_id = s.known
             AND (u.email, u.name, u.icon) IS DISTINCT FROM (s.email, s.name, :icon_kept)
          RETURNING 1)
      SELECT 0, (SELECT count(*) FROM changed)) TO STDOUT (FORMAT csv);

-- name: import_add_users text
COPY (WITH fresh AS MATERIALIZED (
          SELECT nextval('mapdiary.user_account_user_id_seq') AS new_id, o.*
            FROM (SELECT s.* FROM staging s WHERE :in_span AND s.known IS NULL ORDER BY n) o),
      added AS (
          INSERT INTO user_account (user_id, email, name, icon, password_hash)
          SELECT new_id, email, name, coalesce(icon, ''), password_hash FROM fresh),
      linked AS (INSERT INTO user_source (source, identifier, user_id)
                 SELECT source, identifier, new_id FROM fresh)
      SELECT (SELECT count(*) FROM fresh), 0) TO STDOUT (FORMAT csv);

-- name: import_change_:kind text for pois albums
COPY (WITH changed AS (
          UPDATE :table p
             SET owner_id = k.user_id, title = k.:title, slot = :slot, lat = k.lat, lng = k.lng,
                 score = coalesce(k.score, p.score), version = p.version + 1, updated_at = now()
            FROM (SELECT s.*, u.user_id
                    FROM staging s
                    JOIN named u ON u.written = s.:user
                   WHERE s.known IS NOT NULL AND :in_span) k
           WHERE p.number = k.known
             AND (p.owner_id, p.title, p.slot, p.lat, p.lng, p.score) IS DISTINCT FROM
                 (k.user_id, k.:title, :slot, k.lat, k.lng, coalesce(k.score, p.score))
          RETURNING 1)
      SELECT 0, (SELECT count(*) FROM changed)) TO STDOUT (FORMAT csv);

-- name: import_add_:kind text for pois albums
COPY (WITH fresh AS MATERIALIZED (
          SELECT nextval(:sequence) AS new_id, o.*
            FROM (SELECT source, identifier, :title, category, lat, lng, score:visibility, u.user_id
                    FROM staging s
                    JOIN named u ON u.written = s.:user
                   WHERE :in_span AND s.known IS NULL ORDER BY n) o),
      added AS (
          INSERT INTO :table (number, owner_id, title, slot, lat, lng, score:visibility)
          SELECT new_id, user_id, :title, :slot, lat, lng, coalesce(score, 0):new_visibility FROM fresh k
          :as_noted),
      :noted,
      linked AS (INSERT INTO piece_source (kind, source, identifier, number)
                 SELECT :of_kind, source, identifier, new_id FROM fresh)
      SELECT (SELECT count(*) FROM fresh), 0) TO STDOUT (FORMAT csv);

-- What a blog shows of the map is by default as BLOG_ZOOM_DEFAULT and BLOG_MAP_TYPE_DEFAULT of model/blog.h.
-- name: import_change_:kind text for blogs
COPY (WITH changed AS (
          UPDATE blog b
             SET owner_id = k.user_id, slot = blog_slot(k.type), lat = k.lat, lng = k.lng, title = k.title,
                 content = k.content, post_date = k.date, public_day = k.date, weather = k.weather,
                 zoom_level = coalesce(k.zoom_level, 14), map_type = coalesce(k.map_type, 1),
                 user_category = k.user_category, score = coalesce(k.score, b.score), version = b.version + 1
            FROM (SELECT s.*, u.user_id
                    FROM staging s
                    JOIN named u ON u.written = s.author
                   WHERE s.known IS NOT NULL AND :in_span) k
           WHERE b.number = k.known
             AND (b.owner_id, b.slot, b.lat, b.lng, b.title, b.content, b.post_date, b.weather, b.zoom_level,
                  b.map_type, b.user_category, b.score) IS DISTINCT FROM
                 (k.user_id, blog_slot(k.type), k.lat, k.lng, k.title, k.content, k.date, k.weather,
                  coalesce(k.zoom_level, 14), coalesce(k.map_type, 1), k.user_category, coalesce(k.score, b.score))
          RETURNING 1)
      SELECT 0, (SELECT count(*) FROM changed)) TO STDOUT (FORMAT csv);

-- name: import_add_:kind text for blogs
COPY (WITH fresh AS MATERIALIZED (
          SELECT nextval('mapdiary.blog_number') AS new_id, o.*
            FROM (SELECT source, identifier, type, lat, lng, title, content, date, weather, zoom_level, map_type,
                         user_category, score, visibility, u.user_id
                    FROM staging s
                    JOIN named u ON u.written = s.author
                   WHERE :in_span AND s.known IS NULL ORDER BY n) o),
      added AS (
          INSERT INTO blog (number, owner_id, slot, lat, lng, title, content, post_date, public_day, weather, zoom_level,
                            map_type, user_category, score, visibility)
          SELECT new_id, user_id, blog_slot(type), lat, lng, title, content, date, date, weather,
                 coalesce(zoom_level, 14), coalesce(map_type, 1), user_category, coalesce(score, 0),
                 coalesce(visibility, 'public')
            FROM fresh
          :as_noted),
      :noted,
      linked AS (INSERT INTO piece_source (kind, source, identifier, number)
                 SELECT :of_kind, source, identifier, new_id FROM fresh)
      SELECT (SELECT count(*) FROM fresh), 0) TO STDOUT (FORMAT csv);

-- By then, new blogs are known.
-- name: import_replies text
UPDATE staging s
   SET known = x.number
  FROM piece_source x
 WHERE s.known IS NULL AND x.kind = 2 AND x.source = s.source AND x.identifier = s.identifier AND s.reply IS NOT NULL;
-- A blog that this import has added or changed already has its version.
UPDATE blog b
   SET reply_number = k.reply_id, version = b.version + (b.xmin <> pg_current_xact_id()::xid)::integer
  FROM (SELECT s.known, :replied AS reply_id FROM staging s WHERE s.reason IS NULL) k
 WHERE b.number = k.known AND b.reply_number IS DISTINCT FROM k.reply_id;

-- A photo that was uploaded stays as it is, but for its description; another may become an uploaded one.
\set address_kept 'CASE WHEN p.name IS NULL THEN s.address END'

-- name: import_change_photos_of_:kind text for album poi
COPY (WITH changed AS (
          UPDATE photo p
             SET address = :address_kept,
                 description = coalesce(s.description, ''),
                 name = CASE WHEN p.name IS NULL THEN s.name ELSE p.name END,
                 original_sha256 = CASE WHEN p.name IS NULL THEN s.original_sha256 ELSE p.original_sha256 END,
                 original_bytes = CASE WHEN p.name IS NULL THEN s.original_bytes ELSE p.original_bytes END,
                 large_sha256 = CASE WHEN p.name IS NULL THEN s.large_sha256 ELSE p.large_sha256 END,
                 small_sha256 = CASE WHEN p.name IS NULL THEN s.small_sha256 ELSE p.small_sha256 END,
                 format = CASE WHEN p.name IS NULL THEN s.format ELSE p.format END,
                 width = CASE WHEN p.name IS NULL THEN s.width ELSE p.width END,
                 height = CASE WHEN p.name IS NULL THEN s.height ELSE p.height END,
                 taken_at = CASE WHEN p.name IS NULL THEN s.taken_at ELSE p.taken_at END
            FROM staging s
           WHERE :in_span AND s.kind = :of_kind AND p.photo_id = s.known
             AND (p.address, p.description) IS DISTINCT FROM (:address_kept, coalesce(s.description, ''))
          RETURNING 1)
      SELECT 0, (SELECT count(*) FROM changed)) TO STDOUT (FORMAT csv);

-- name: import_add_photos_of_:kind text for album poi
COPY (WITH fresh AS MATERIALIZED (
          SELECT nextval('mapdiary.photo_photo_id_seq') AS new_id, o.*
            FROM (SELECT s.*, row_number() OVER (PARTITION BY s.number ORDER BY n)
                              + (SELECT coalesce(max(p.position), 0)
                                   FROM photo p
                                  WHERE p.kind = s.kind AND p.number = s.number) AS place
                    FROM staging s
                   WHERE :in_span AND s.kind = :of_kind AND s.known IS NULL ORDER BY n) o),
      added AS (
          INSERT INTO photo (photo_id, kind, number, position, address, description, :upload)
          SELECT new_id, kind, number, place, address, coalesce(description, ''), :upload FROM fresh),
      linked AS (INSERT INTO photo_source (kind, source, identifier, photo_id)
                 SELECT kind, source, identifier, new_id FROM fresh)
      SELECT (SELECT count(*) FROM fresh), 0) TO STDOUT (FORMAT csv);

-- name: import_covers text
UPDATE staging s
   SET known = x.photo_id
  FROM photo_source x
 WHERE s.known IS NULL AND s.kind = 0 AND x.kind = 0 AND x.source = s.source AND x.identifier = s.identifier AND s.cover;
UPDATE album a
   SET cover_photo_id = s.known
  FROM staging s
 WHERE s.reason IS NULL AND s.cover AND s.kind = 0 AND a.number = s.number AND a.cover_photo_id IS DISTINCT FROM s.known;

-- name: import_change_comments text
COPY (WITH changed AS (
          UPDATE comment c
             SET kind = k.kind, number = k.number, commenter_id = k.user_id, comment = k.comment,
                 created_at = coalesce(k.time, c.created_at), reply = k.reply, replied_at = k.new_replied_at
            FROM (SELECT s.*, u.user_id,
                         CASE WHEN s.reply IS NOT NULL
                              THEN coalesce(s.reply_time,
                                            (SELECT d.replied_at FROM comment d WHERE d.comment_id = s.known),
                                            greatest(now(), s.time)) END AS new_replied_at
                    FROM staging s
                    JOIN named u ON u.written = s.commenter
                   WHERE s.known IS NOT NULL AND :in_span) k
           WHERE c.comment_id = k.known
             AND (c.kind, c.number, c.commenter_id, c.comment, c.created_at, c.reply, c.replied_at) IS DISTINCT FROM
                 (k.kind, k.number, k.user_id, k.comment, coalesce(k.time, c.created_at), k.reply,
                  k.new_replied_at)
          RETURNING 1)
      SELECT 0, (SELECT count(*) FROM changed)) TO STDOUT (FORMAT csv);

-- name: import_add_comments text
COPY (WITH fresh AS MATERIALIZED (
          SELECT nextval('mapdiary.comment_comment_id_seq') AS new_id, o.*
            FROM (SELECT source, identifier, kind, number, comment, time, reply, reply_time, u.user_id
                    FROM staging s
                    JOIN named u ON u.written = s.commenter
                   WHERE :in_span AND s.known IS NULL ORDER BY n) o),
      added AS (
          INSERT INTO comment (comment_id, kind, number, commenter_id, comment, created_at, reply, replied_at)
          SELECT new_id, kind, number, user_id, comment, coalesce(time, now()), reply,
                 CASE WHEN reply IS NOT NULL THEN coalesce(reply_time, greatest(now(), time)) END
            FROM fresh),
      linked AS (INSERT INTO comment_source (source, identifier, comment_id)
                 SELECT source, identifier, new_id FROM fresh)
      SELECT (SELECT count(*) FROM fresh), 0) TO STDOUT (FORMAT csv);
