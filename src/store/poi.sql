-- Points of interest.

-- name: poi_read(poi_id, viewer, token_hash) service
SELECT p.title, p.slot - 16, p.lat::text, p.lng::text, u.name, :icon, p.updated_at::date, p.score
  FROM (SELECT :reader AS id) reader, visible_piece(reader.id) p
  JOIN user_account u ON u.user_id = p.owner_id
 WHERE p.kind = 1 AND p.number = :poi_id;

-- name: poi_list(category, viewer, token_hash) service
SELECT p.number, p.title
  FROM (SELECT :reader AS id) reader, visible_piece(reader.id) p
 WHERE p.kind = 1 AND p.slot = 16 + :category::smallint
 ORDER BY p.number;

-- name: poi_page(category, viewer, token_hash, after, most) service
SELECT p.number, p.title
  FROM (SELECT :reader AS id) reader, visible_piece(reader.id) p
 WHERE p.kind = 1 AND p.slot = 16 + :category::smallint AND p.number > :after::bigint
 ORDER BY p.number
 LIMIT :most::bigint;

-- name: poi_show(poi_id) admin
SELECT p.number, p.title, p.slot - 16, p.lat::text, p.lng::text, u.user_id, u.name, p.updated_at, p.score, p.hidden
  FROM poi p
  JOIN user_account u ON u.user_id = p.owner_id
 WHERE p.number = :poi_id;

-- name: poi_insert(owner_id, name, category, lat, lng) writes admin
INSERT INTO poi (owner_id, title, slot, lat, lng)
VALUES (:owner_id, :name, 16 + :category::smallint, :lat, :lng)
RETURNING number;

-- name: poi_update(owner_id, name, category, lat, lng, poi_id) writes admin
UPDATE poi
   SET owner_id = coalesce(:owner_id, owner_id), title = coalesce(:name, title),
       slot = coalesce(16 + :category::smallint, slot), lat = coalesce(:lat, lat), lng = coalesce(:lng, lng),
       version = version + 1, updated_at = now()
 WHERE number = :poi_id
RETURNING number;

-- name: poi_lock(poi_id) writes admin
SELECT true FROM poi WHERE number = :poi_id FOR UPDATE;

-- name: poi_delete(poi_id) writes admin
DELETE FROM poi WHERE number = :poi_id RETURNING number;

-- name: poi_list_all(owner_id, category, after, most) admin
SELECT number, owner_id, title, slot - 16, lat::text, lng::text, updated_at, score
  FROM poi
 WHERE (:owner_id::bigint IS NULL OR owner_id = :owner_id) AND (:category::bigint IS NULL OR slot = 16 + :category)
   AND number > :after::bigint
 ORDER BY number
 LIMIT :most::bigint;
