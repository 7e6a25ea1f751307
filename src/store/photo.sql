-- Photos of albums and points of interest.

-- name: photo_show_all_:kind(id) admin for album poi
SELECT p.photo_id, :address, p.description, p.hidden
  FROM photo p
 WHERE p.:key = :id
 ORDER BY p.position;

-- name: photo_of_:kind(id, viewer, token_hash) service for album poi
SELECT p.photo_id, :address, p.description
  FROM (SELECT :reader AS id) reader, visible_:kind(reader.id) t
  JOIN photo p USING (:key)
 WHERE t.:key = :id AND may_see_photo(t.owner_id, p.hidden, reader.id)
 ORDER BY p.position;

-- name: photo_insert_:kind(id, link, description) writes admin for album poi
INSERT INTO photo (:key, position, address, description)
SELECT :key, (SELECT coalesce(max(position), 0) + 1 FROM photo WHERE :key = :id), :link, :description
  FROM :kind
 WHERE :key = :id
RETURNING photo_id;

-- name: photo_delete_:kind(id, photo_id) writes admin for album poi
DELETE FROM photo WHERE :key = :id AND photo_id = :photo_id RETURNING true;

-- All photos of the piece have to be among those given.
-- name: photo_order_:kind(id, photo_ids) writes admin for album poi
UPDATE photo p
   SET position = o.position
  FROM unnest(:photo_ids::bigint[]) WITH ORDINALITY AS o (photo_id, position)
 WHERE p.:key = :id AND p.photo_id = o.photo_id
   AND (SELECT array_agg(photo_id ORDER BY photo_id) FROM photo WHERE :key = :id)
       = (SELECT array_agg(u ORDER BY u) FROM unnest(:photo_ids::bigint[]) u)
RETURNING true;

-- name: photo_show_:kind(id, photo_id) admin for album poi
SELECT p.photo_id, p.:key, t.owner_id, p.position, :address, p.description, p.width, p.height, p.taken_at,
       p.original_bytes, encode(p.original_sha256, 'hex'), p.hidden
  FROM photo p
  JOIN :kind t USING (:key)
 WHERE p.:key = :id AND p.photo_id = :photo_id;

-- name: photo_list_:kind(owner_id, after, most) admin for album poi
SELECT p.photo_id, p.:key, t.owner_id, p.position, :address, p.description, p.width, p.height, p.taken_at,
       p.original_bytes, encode(p.original_sha256, 'hex'), p.hidden
  FROM photo p
  JOIN :kind t USING (:key)
 WHERE (:owner_id::bigint IS NULL OR t.owner_id = :owner_id) AND p.photo_id > :after::bigint
 ORDER BY p.photo_id
 LIMIT :most::bigint;

-- name: photo_edit_:kind(id, photo_id, link, description) writes admin for album poi
UPDATE photo
   SET address = coalesce(:link, address), description = coalesce(:description, description)
 WHERE :key = :id AND photo_id = :photo_id
RETURNING true;

-- A photo of NULL takes the cover away.
-- name: photo_set_cover(album_id, photo_id) writes admin
UPDATE album
   SET cover_photo_id = :photo_id::bigint, updated_at = now()
 WHERE album_id = :album_id
   AND (:photo_id::bigint IS NULL
        OR EXISTS (SELECT FROM photo WHERE album_id = :album_id AND photo_id = :photo_id))
RETURNING true;

-- Whether there is room for so many bytes in the quota (0: none), and for one more photo today.
-- name: photo_may_add_to_:kind(id, viewer, token_hash, bytes, quota) service for album poi
SELECT (:quota::bigint = 0 OR :quota >= :bytes::bigint + photo_bytes(:viewer)), may_add_photo(:viewer)
  FROM (SELECT :reader AS id) reader, visible_:kind(reader.id) t
 WHERE t.:key = :id AND t.owner_id = reader.id;

-- The row of the user is locked before.
-- name: photo_upload_to_:kind(id, user_id, description, name, original, bytes, large_file, small_file, format, width,
--     height, taken_at, quota) writes service admin for album poi
INSERT INTO photo AS p (:key, position, description, name, original_sha256, original_bytes, large_sha256,
                        small_sha256, format, width, height, taken_at)
SELECT :key, (SELECT coalesce(max(position), 0) + 1 FROM photo WHERE :key = :id), :description, :name, :original,
       :bytes::bigint, :large_file, :small_file, :format::smallint, :width::integer, :height::integer,
       :taken_at::timestamptz
  FROM visible_:kind(:user_id)
 WHERE :key = :id AND owner_id = :user_id
   AND (:quota::bigint = 0 OR :quota >= :bytes::bigint + photo_bytes(:user_id))
RETURNING photo_id, :small, :large, taken_at;

-- While the piece of a photo is locked, nobody else takes a position, or publishes a photo that is about to go.
-- name: photo_hold_its_:kind(photo_id, user_id) writes service for album poi
SELECT owner
  FROM hold_:kind((SELECT :key FROM photo WHERE photo_id = :photo_id), :user_id) AS owner
 WHERE owner IS NOT NULL;

-- name: photo_owner_of_:kind(id) admin for album poi
SELECT owner_id FROM :kind WHERE :key = :id;

-- The photo is given by its number or its name. All photos of its piece are counted anew from 1.
-- name: photo_place(photo_id, name, place) writes service admin
WITH moved AS (SELECT photo_id, album_id, poi_id FROM photo WHERE photo_id = :photo_id OR name = :name),
others AS (
    SELECT p.photo_id, row_number() OVER (ORDER BY p.position) AS place
      FROM photo p, moved m
     WHERE p.photo_id <> m.photo_id AND (p.album_id = m.album_id OR p.poi_id = m.poi_id)),
placed AS (
    SELECT photo_id, place + CASE WHEN place < :place::bigint THEN 0 ELSE 1 END AS place FROM others
    UNION ALL
    SELECT photo_id, least(:place, (SELECT count(*) + 1 FROM others)) FROM moved)
UPDATE photo p
   SET position = o.place
  FROM placed o
 WHERE p.photo_id = o.photo_id AND p.position <> o.place;

-- name: photo_measure(name, bytes) writes service admin
UPDATE photo_space SET bytes = bytes + :bytes::bigint, is_measured = true WHERE name = :name;

-- name: photo_find(photo_id) service
SELECT album_id IS NOT NULL FROM photo WHERE photo_id = :photo_id;

-- name: photo_describe(photo_id, description) writes service
UPDATE photo SET description = :description WHERE photo_id = :photo_id;

-- name: photo_cover(photo_id) writes service
UPDATE own_album
   SET cover_photo_id = :photo_id, updated_at = now()
 WHERE album_id = (SELECT album_id FROM photo WHERE photo_id = :photo_id);

-- name: photo_drop(photo_id) writes service
DELETE FROM photo WHERE photo_id = :photo_id;

-- Only the owner sees when it was taken.
-- name: photo_read(photo_id, viewer, token_hash) service
SELECT p.photo_id, p.album_id, p.poi_id, :small, :large, p.width, p.height, p.description, u.user_id, u.name, :icon,
       CASE WHEN p.taken_at IS NOT NULL AND u.user_id = reader.id THEN p.taken_at END
  FROM (SELECT :reader AS id) reader, photo p
  LEFT JOIN LATERAL visible_album(reader.id) a USING (album_id)
  LEFT JOIN LATERAL visible_poi(reader.id) o USING (poi_id)
  JOIN user_account u ON u.user_id = coalesce(a.owner_id, o.owner_id)
 WHERE p.photo_id = :photo_id AND may_see_photo(u.user_id, p.hidden, reader.id);
