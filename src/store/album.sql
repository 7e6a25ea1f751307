-- Albums.

-- name: album_insert(owner_id, title, category, lat, lng, visibility) writes service admin
INSERT INTO own_album (owner_id, title, slot, lat, lng, visibility)
VALUES (:owner_id, :title, :category, :lat, :lng, coalesce(:visibility::visibility, 'public'))
RETURNING number;

-- name: album_update(album_id, owner_id, title, category, lat, lng, visibility, base_version) writes service
UPDATE own_album
   SET title = :title, slot = :category, lat = :lat, lng = :lng,
       visibility = coalesce(:visibility::visibility, visibility), version = version + 1, updated_at = now()
 WHERE number = :album_id AND owner_id = :owner_id AND :is_base;

-- name: album_delete(album_id, owner_id, base_version) writes service
DELETE FROM own_album WHERE number = :album_id AND owner_id = :owner_id AND :is_base;

-- name: album_read(album_id, viewer, token_hash) service
SELECT a.title,
       (SELECT p.photo_id
          FROM photo p
         WHERE p.photo_id = a.cover_photo_id AND may_see_photo(a.owner_id, p.hidden, reader.id)),
       a.slot, a.lat::text, a.lng::text, u.name, :icon, a.updated_at::date, a.score
  FROM (SELECT :reader AS id) reader, visible_piece(reader.id) a
  JOIN user_account u ON u.user_id = a.owner_id
 WHERE a.kind = 0 AND a.number = :album_id;

-- The albums of a user. An index has the public ones, so the time does not tell of others. Each half is in order,
-- so the first rows of a long list come before the last are read.
-- name: album_list(owner_id, viewer, token_hash) service
(SELECT a.number, a.title
   FROM (SELECT :reader AS id) reader, visible_piece(reader.id) a
  WHERE a.kind = 0 AND a.owner_id = :owner_id AND reader.id = :owner_id
  ORDER BY a.number)
UNION ALL
(SELECT a.number, a.title
   FROM visible_piece(NULL) a
  WHERE a.kind = 0 AND a.owner_id = :owner_id AND :reader IS DISTINCT FROM :owner_id
  ORDER BY a.number)
ORDER BY 1;

-- name: album_page(owner_id, viewer, token_hash, after, most) service
(SELECT a.number, a.title
   FROM (SELECT :reader AS id) reader, visible_piece(reader.id) a
  WHERE a.kind = 0 AND a.owner_id = :owner_id AND reader.id = :owner_id AND a.number > :after::bigint
  ORDER BY a.number
  LIMIT :most::bigint)
UNION ALL
(SELECT a.number, a.title
   FROM visible_piece(NULL) a
  WHERE a.kind = 0 AND a.owner_id = :owner_id AND :reader IS DISTINCT FROM :owner_id AND a.number > :after::bigint
  ORDER BY a.number
  LIMIT :most::bigint)
ORDER BY 1
LIMIT :most::bigint;

-- name: album_show(album_id) admin
SELECT a.number, a.title, a.cover_photo_id, a.slot, a.lat::text, a.lng::text, u.user_id, u.name,
       a.updated_at, a.score, a.visibility, a.hidden, a.version
  FROM album a
  JOIN user_account u ON u.user_id = a.owner_id
 WHERE a.number = :album_id;

-- name: album_edit(album_id, owner_id, title, category, lat, lng, visibility, base_version) writes admin
UPDATE album
   SET owner_id = coalesce(:owner_id, owner_id), title = coalesce(:title, title),
       slot = coalesce(:category, slot), lat = coalesce(:lat, lat), lng = coalesce(:lng, lng),
       visibility = coalesce(:visibility::visibility, visibility), version = version + 1, updated_at = now()
 WHERE number = :album_id AND :is_base
RETURNING number;

-- name: album_remove(album_id) writes admin
DELETE FROM album WHERE number = :album_id RETURNING number;

-- name: album_list_all(owner_id, after, most) admin
SELECT number, owner_id, title, slot, lat::text, lng::text, updated_at, score, visibility
  FROM album
 WHERE (:owner_id::bigint IS NULL OR owner_id = :owner_id) AND number > :after::bigint
 ORDER BY number
 LIMIT :most::bigint;
