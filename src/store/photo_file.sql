-- The files of photos and icons: the sweep of files that no row names, then files by their addresses.

-- Marks the given files that no row names, unmarks the others, and tells which have been marked for so long. A file
-- that is marked here does not count as marked yet. A mark of a clock that was ahead becomes a mark of now.
-- name: photo_file_mark(digests, seconds) writes admin
WITH given AS MATERIALIZED (
    SELECT decode(hex, 'hex') AS sha256, place
      FROM unnest(:digests::text[]) WITH ORDINALITY AS g (hex, place)),
unnamed AS MATERIALIZED (SELECT given.* FROM unnamed_places(:digests) AS place JOIN given USING (place)),
named AS (
    DELETE FROM photo_unnamed
     WHERE sha256 IN (SELECT sha256 FROM given EXCEPT SELECT sha256 FROM unnamed)),
marked AS (
    INSERT INTO photo_unnamed (sha256) SELECT sha256 FROM unnamed
        ON CONFLICT (sha256) DO UPDATE SET since = excluded.since WHERE photo_unnamed.since > now())
SELECT place, coalesce(since <= now() - make_interval(secs => :seconds::bigint), false)
  FROM unnamed
  LEFT JOIN photo_unnamed USING (sha256)
 ORDER BY place;

-- name: photo_file_forget(digests) writes admin
DELETE FROM photo_unnamed WHERE sha256 IN (SELECT decode(hex, 'hex') FROM unnest(:digests::text[]) hex) RETURNING true;

-- Those of the addresses that are not of a public photo or an icon.
-- name: photo_file_ask_public(addresses) admin
SELECT place
  FROM (SELECT place, split_part(address, '/', 1) AS piece, decode(split_part(address, '/', 2), 'hex') AS name
          FROM unnest(:addresses::text[]) WITH ORDINALITY AS g (address, place)) AS g
 WHERE NOT EXISTS (SELECT
                     FROM photo p
                     JOIN visible_piece(NULL) t USING (kind, number)
                    WHERE p.hidden IS NULL AND p.name = g.name AND substr('ap', kind + 1, 1) || number = piece)
   AND NOT EXISTS (SELECT FROM user_account WHERE icon_name = g.name AND 'u' || user_id = piece)
 ORDER BY place;

-- name: photo_file_list admin
SELECT photo_id, NULL::bigint, true, encode(original_sha256, 'hex') FROM photo WHERE original_sha256 IS NOT NULL
UNION ALL
SELECT photo_id, NULL, false, encode(large_sha256, 'hex') FROM photo WHERE large_sha256 IS NOT NULL
UNION ALL
SELECT photo_id, NULL, false, encode(small_sha256, 'hex') FROM photo WHERE small_sha256 IS NOT NULL
UNION ALL
SELECT NULL, user_id, false, encode(icon_sha256, 'hex') FROM user_account WHERE icon_sha256 IS NOT NULL;

-- name: photo_file_gone(most) writes service admin
SELECT names, digests FROM gone_photos(:most::integer) WHERE names IS NOT NULL;

-- name: photo_file_unnamed(digests) service admin
SELECT unnamed_files(:digests::text[]);

-- name: photo_file_forget_gone(names) writes service admin
DELETE FROM photo_space
 WHERE gone_at IS NOT NULL AND name IN (SELECT decode(hex, 'hex') FROM unnest(:names::text[]) hex);

-- name: photo_file_hold admin
SELECT true FROM hold_photo_files();

-- name: photo_file_lock(first, second, third) service admin
SELECT true FROM unnest(ARRAY[:first, :second, :third]::bytea[]) AS sha256, lock_photo_file(sha256);

-- name: photo_file_unmeasured(most) admin
SELECT photo_id, encode(large_sha256, 'hex'), encode(small_sha256, 'hex')
  FROM photo_space
  JOIN photo USING (name)
 WHERE NOT is_measured
 LIMIT :most::bigint;

-- name: photo_file_measured(photo_ids, bytes) writes admin
UPDATE photo_space s
   SET bytes = s.bytes + m.bytes, is_measured = true
  FROM unnest(:photo_ids::bigint[], :bytes::bigint[]) AS m (photo_id, bytes), photo p
 WHERE p.photo_id = m.photo_id AND p.name = s.name AND NOT s.is_measured;

-- table: photo_owner_statements

-- A mark of this database, which a restored dump has as well, and no other database.
-- name: photo_file_owner service admin
SELECT whose, has_photos FROM owner_of_photos();

-- table: picture_statements

-- The file of a picture for a reader, and whether everybody sees it. "large" is 1 or 0.
-- name: picture_of_:kind(id, viewer, token_hash, name, format, is_large) service for album poi
SELECT p.hidden IS NULL
       AND EXISTS (SELECT FROM visible_piece(NULL) n WHERE n.kind = :of_kind AND n.number = :id),
       encode(CASE WHEN :is_large::integer = 1 THEN p.large_sha256 ELSE p.small_sha256 END, 'hex')
  FROM (SELECT :reader AS id) reader, visible_piece(reader.id) t
  JOIN photo p USING (kind, number)
 WHERE t.kind = :of_kind AND t.number = :id AND p.name = decode(:name::text, 'hex') AND p.format = :format::smallint
   AND may_see_photo(t.owner_id, p.hidden, reader.id);

-- name: picture_of_user(user_id, name, format, is_large) service
SELECT true, encode(icon_sha256, 'hex')
  FROM user_account
 WHERE user_id = :user_id AND icon_name = decode(:name::text, 'hex') AND icon_format = :format::smallint
   AND :is_large::integer = 1;

-- A locked row counts as absent: a worker does not wait for it, as the picture is only published later.
-- name: picture_hold_:kind(id) writes service for album poi
SELECT true FROM pin_public_piece(:of_kind, :id) AS pinned WHERE pinned;

-- name: picture_hold_user(user_id) writes service
SELECT true FROM user_account WHERE user_id = :user_id FOR SHARE SKIP LOCKED;

-- name: picture_any_public admin
SELECT :small
  FROM photo p
  JOIN visible_piece(NULL) t USING (kind, number)
 WHERE p.name IS NOT NULL AND p.hidden IS NULL
 LIMIT 1;

-- The first column of what is published is a number of enum picture_owner; a name of NULL stands for all files
-- of the owner. The photos of a piece that the user may not see are not even looked for.
-- name: published_:kind(id, user_id) service admin for album poi
SELECT :of_kind::smallint, :id::bigint, NULL::text
 WHERE CASE WHEN :user_id::bigint IS NULL
                 OR EXISTS (SELECT FROM visible_piece(:user_id) t WHERE t.kind = :of_kind AND t.number = :id)
            THEN EXISTS (SELECT FROM photo WHERE kind = :of_kind AND number = :id AND name IS NOT NULL) END;

-- name: published_photo(photo_id) service admin
SELECT kind, number, encode(name, 'hex')
  FROM photo
 WHERE photo_id = :photo_id AND name IS NOT NULL;

-- name: published_icon(user_id) service admin
SELECT 2::smallint, user_id, encode(icon_name, 'hex')
  FROM user_account
 WHERE user_id = :user_id AND icon_name IS NOT NULL;

-- name: published_user(user_id) service admin
SELECT t.kind, t.number, NULL::text
  FROM visible_piece(:user_id) t
 WHERE t.kind < 2 AND t.owner_id = :user_id
   AND EXISTS (SELECT FROM photo p WHERE p.kind = t.kind AND p.number = t.number AND p.name IS NOT NULL)
UNION ALL
SELECT 2::smallint, user_id, encode(icon_name, 'hex')
  FROM user_account
 WHERE user_id = :user_id AND icon_name IS NOT NULL;
