-- Points of interest.

-- name: poi_read(poi_id, viewer, token_hash) service
SELECT p.name, p.category, p.lat::text, p.lng::text, u.name, :icon, p.updated_at::date, p.score
  FROM (SELECT :reader AS id) reader, visible_poi(reader.id) p
  JOIN user_account u ON u.user_id = p.owner_id
 WHERE p.poi_id = :poi_id;

-- name: poi_list(category, viewer, token_hash) service
SELECT p.poi_id, p.name
  FROM (SELECT :reader AS id) reader, visible_poi(reader.id) p
 WHERE p.category = :category
 ORDER BY p.poi_id;

-- name: poi_page(category, viewer, token_hash, after, most) service
SELECT p.poi_id, p.name
  FROM (SELECT :reader AS id) reader, visible_poi(reader.id) p
 WHERE p.category = :category AND p.poi_id > :after::bigint
 ORDER BY p.poi_id
 LIMIT :most::bigint;

-- name: poi_show(poi_id) admin
SELECT p.poi_id, p.name, p.category, p.lat::text, p.lng::text, u.user_id, u.name, p.updated_at, p.score, p.hidden
  FROM poi p
  JOIN user_account u ON u.user_id = p.owner_id
 WHERE p.poi_id = :poi_id;

-- name: poi_insert(owner_id, name, category, lat, lng) writes admin
INSERT INTO poi (owner_id, name, category, lat, lng)
VALUES (:owner_id, :name, :category, :lat, :lng)
RETURNING poi_id;

-- name: poi_update(owner_id, name, category, lat, lng, poi_id) writes admin
UPDATE poi
   SET owner_id = coalesce(:owner_id, owner_id), name = coalesce(:name, name),
       category = coalesce(:category, category), lat = coalesce(:lat, lat), lng = coalesce(:lng, lng),
       updated_at = now()
 WHERE poi_id = :poi_id
RETURNING poi_id;

-- name: poi_lock(poi_id) writes admin
SELECT true FROM poi WHERE poi_id = :poi_id FOR UPDATE;

-- name: poi_delete(poi_id) writes admin
DELETE FROM poi WHERE poi_id = :poi_id RETURNING poi_id;

-- name: poi_list_all(owner_id, category, after, most) admin
SELECT poi_id, owner_id, name, category, lat::text, lng::text, updated_at, score
  FROM poi
 WHERE (:owner_id::bigint IS NULL OR owner_id = :owner_id) AND (:category::bigint IS NULL OR category = :category)
   AND poi_id > :after::bigint
 ORDER BY poi_id
 LIMIT :most::bigint;
