-- Albums.

-- name: album_insert(owner_id, title, category, lat, lng, visibility) writes service admin
INSERT INTO own_album (owner_id, title, category, lat, lng, visibility)
VALUES (:owner_id, :title, :category, :lat, :lng, coalesce(:visibility::visibility, 'public'))
RETURNING album_id;

-- name: album_update(album_id, owner_id, title, category, lat, lng, visibility) writes service
UPDATE own_album
   SET title = :title, category = :category, lat = :lat, lng = :lng,
       visibility = coalesce(:visibility::visibility, visibility), updated_at = now()
 WHERE album_id = :album_id AND owner_id = :owner_id;

-- name: album_delete(album_id, owner_id) writes service
DELETE FROM own_album WHERE album_id = :album_id AND owner_id = :owner_id;

-- name: album_read(album_id, viewer, token_hash) service
SELECT a.title,
       (SELECT p.photo_id
          FROM photo p
         WHERE p.photo_id = a.cover_photo_id AND may_see_photo(a.owner_id, p.hidden, reader.id)),
       a.category, a.lat::text, a.lng::text, u.name, :icon, a.updated_at::date, a.score
  FROM (SELECT :reader AS id) reader, visible_album(reader.id) a
  JOIN user_account u ON u.user_id = a.owner_id
 WHERE a.album_id = :album_id;

-- The albums of a user. An index has the public ones, so the time does not tell of others. Each half is in order,
-- so the first rows of a long list come before the last are read.
-- name: album_list(owner_id, viewer, token_hash) service
(SELECT a.album_id, a.title
   FROM (SELECT :reader AS id) reader, visible_album(reader.id) a
  WHERE a.owner_id = :owner_id AND reader.id = :owner_id
  ORDER BY a.album_id)
UNION ALL
(SELECT a.album_id, a.title
   FROM visible_album(NULL) a
  WHERE a.owner_id = :owner_id AND :reader IS DISTINCT FROM :owner_id
  ORDER BY a.album_id)
ORDER BY 1;

-- name: album_page(owner_id, viewer, token_hash, after, most) service
(SELECT a.album_id, a.title
   FROM (SELECT :reader AS id) reader, visible_album(reader.id) a
  WHERE a.owner_id = :owner_id AND reader.id = :owner_id AND a.album_id > :after::bigint
  ORDER BY a.album_id
  LIMIT :most::bigint)
UNION ALL
(SELECT a.album_id, a.title
   FROM visible_album(NULL) a
  WHERE a.owner_id = :owner_id AND :reader IS DISTINCT FROM :owner_id AND a.album_id > :after::bigint
  ORDER BY a.album_id
  LIMIT :most::bigint)
ORDER BY 1
LIMIT :most::bigint;

-- name: album_show(album_id) admin
SELECT a.album_id, a.title, a.cover_photo_id, a.category, a.lat::text, a.lng::text, u.user_id, u.name,
       a.updated_at, a.score, a.visibility, a.hidden
  FROM album a
  JOIN user_account u ON u.user_id = a.owner_id
 WHERE a.album_id = :album_id;

-- name: album_edit(album_id, owner_id, title, category, lat, lng, visibility) writes admin
UPDATE album
   SET owner_id = coalesce(:owner_id, owner_id), title = coalesce(:title, title),
       category = coalesce(:category, category), lat = coalesce(:lat, lat), lng = coalesce(:lng, lng),
       visibility = coalesce(:visibility::visibility, visibility), updated_at = now()
 WHERE album_id = :album_id
RETURNING album_id;

-- name: album_remove(album_id) writes admin
DELETE FROM album WHERE album_id = :album_id RETURNING album_id;

-- name: album_list_all(owner_id, after, most) admin
SELECT album_id, owner_id, title, category, lat::text, lng::text, updated_at, score, visibility
  FROM album
 WHERE (:owner_id::bigint IS NULL OR owner_id = :owner_id) AND album_id > :after::bigint
 ORDER BY album_id
 LIMIT :most::bigint;
