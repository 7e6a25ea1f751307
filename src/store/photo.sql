-- Photos of albums and points of interest.

-- name: photo_show_all_:kind(id) admin for album poi
SELECT p.photo_id, :address, p.description, p.hidden
  FROM photo p
 WHERE p.kind = :of_kind AND p.number = :id
 ORDER BY p.position;

-- name: photo_of_:kind(id, viewer, token_hash) service for album poi
SELECT p.photo_id, :address, p.description
  FROM (SELECT :reader AS id) reader, visible_piece(reader.id) t
  JOIN photo p USING (kind, number)
 WHERE t.kind = :of_kind AND t.number = :id AND may_see_photo(t.owner_id, p.hidden, reader.id)
 ORDER BY p.position;

\set next_position '(SELECT coalesce(max(position), 0) + 1 FROM photo WHERE kind = :of_kind AND number = :id)'

-- name: photo_insert_:kind(id, link, description) writes admin for album poi
INSERT INTO photo (kind, number, position, address, description)
SELECT kind, number, :next_position, :link, :description
  FROM piece
 WHERE kind = :of_kind AND number = :id
RETURNING photo_id;

-- name: photo_delete_:kind(id, photo_id) writes admin for album poi
DELETE FROM photo WHERE kind = :of_kind AND number = :id AND photo_id = :photo_id RETURNING true;

-- All photos of the piece have to be among those given.
-- name: photo_order_:kind(id, photo_ids) writes admin for album poi
UPDATE photo p
   SET position = o.position
  FROM unnest(:photo_ids::bigint[]) WITH ORDINALITY AS o (photo_id, position)
 WHERE p.kind = :of_kind AND p.number = :id AND p.photo_id = o.photo_id
   AND (SELECT array_agg(photo_id ORDER BY photo_id) FROM photo WHERE kind = :of_kind AND number = :id)
       = (SELECT array_agg(u ORDER BY u) FROM unnest(:photo_ids::bigint[]) u)
RETURNING true;

-- name: photo_show_:kind(id, photo_id) admin for album poi
SELECT p.photo_id, p.number, t.owner_id, p.position, :address, p.description, p.width, p.height, p.taken_at,
       p.original_bytes, encode(p.original_sha256, 'hex'), p.hidden
  FROM photo p
  JOIN piece t USING (kind, number)
 WHERE p.kind = :of_kind AND p.number = :id AND p.photo_id = :photo_id;

-- name: photo_list_:kind(owner_id, after, most) admin for album poi
SELECT p.photo_id, p.number, t.owner_id, p.position, :address, p.description, p.width, p.height, p.taken_at,
       p.original_bytes, encode(p.original_sha256, 'hex'), p.hidden
  FROM photo p
  JOIN piece t USING (kind, number)
 WHERE p.kind = :of_kind AND (:owner_id::bigint IS NULL OR t.owner_id = :owner_id) AND p.photo_id > :after::bigint
 ORDER BY p.photo_id
 LIMIT :most::bigint;

-- name: photo_edit_:kind(id, photo_id, link, description) writes admin for album poi
UPDATE photo
   SET address = coalesce(:link, address), description = coalesce(:description, description)
 WHERE kind = :of_kind AND number = :id AND photo_id = :photo_id
RETURNING true;

-- A photo of NULL takes the cover away.
-- name: photo_set_cover(album_id, photo_id) writes admin
UPDATE album
   SET cover_photo_id = :photo_id::bigint, updated_at = now()
 WHERE number = :album_id
   AND (:photo_id::bigint IS NULL
        OR EXISTS (SELECT FROM photo WHERE kind = 0 AND number = :album_id AND photo_id = :photo_id))
RETURNING true;

-- Whether there is room for so many bytes in the quota (0: none), and for one more photo today.
-- name: photo_may_add_to_:kind(id, viewer, token_hash, bytes, quota) service for album poi
SELECT (:quota::bigint = 0 OR :quota >= :bytes::bigint + photo_bytes(:viewer)), may_add_photo(:viewer)
  FROM (SELECT :reader AS id) reader, visible_piece(reader.id) t
 WHERE t.kind = :of_kind AND t.number = :id AND t.owner_id = reader.id;

-- The row of the user is locked before.
-- name: photo_upload_to_:kind(id, user_id, description, name, original, bytes, large_file, small_file, format, width,
--     height, taken_at, quota) writes service admin for album poi
INSERT INTO photo AS p (kind, number, position, description, name, original_sha256, original_bytes, large_sha256,
                        small_sha256, format, width, height, taken_at)
SELECT kind, number, :next_position, :description, :name, :original, :bytes::bigint, :large_file, :small_file,
       :format::smallint, :width::integer, :height::integer, :taken_at::timestamptz
  FROM visible_piece(:user_id)
 WHERE kind = :of_kind AND number = :id AND owner_id = :user_id
   AND (:quota::bigint = 0 OR :quota >= :bytes::bigint + photo_bytes(:user_id))
RETURNING photo_id, :small, :large, taken_at;

-- While the piece of a photo is locked, nobody else takes a position, or publishes a photo that is about to go.
-- name: photo_hold_its_:kind(photo_id, user_id) writes service for album poi
SELECT owner, version
  FROM lock_piece(:of_kind, (SELECT number FROM photo WHERE kind = :of_kind AND photo_id = :photo_id), :user_id)
 WHERE owner IS NOT NULL;

-- name: photo_owner_of_:kind(id) admin for album poi
SELECT owner_id FROM piece WHERE kind = :of_kind AND number = :id;

-- The photo is given by its number or its name. All photos of its piece are counted anew from 1.
-- name: photo_place(photo_id, name, place) writes service admin
WITH moved AS (SELECT photo_id, kind, number FROM photo WHERE photo_id = :photo_id OR name = :name),
others AS (
    SELECT p.photo_id, row_number() OVER (ORDER BY p.position) AS place
      FROM photo p, moved m
     WHERE p.photo_id <> m.photo_id AND p.kind = m.kind AND p.number = m.number),
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
SELECT kind = 0 FROM photo WHERE photo_id = :photo_id;

-- name: photo_describe(photo_id, description) writes service
UPDATE photo SET description = :description WHERE photo_id = :photo_id;

-- name: photo_cover(photo_id) writes service
UPDATE own_album
   SET cover_photo_id = :photo_id, updated_at = now()
 WHERE number = (SELECT number FROM photo WHERE kind = 0 AND photo_id = :photo_id);

-- name: photo_drop(photo_id) writes service
DELETE FROM photo WHERE photo_id = :photo_id;

-- Only the owner sees when it was taken.
-- name: photo_read(photo_id, viewer, token_hash) service
SELECT p.photo_id, CASE p.kind WHEN 0 THEN p.number END, CASE p.kind WHEN 1 THEN p.number END, :small, :large, p.width, p.height, p.description, u.user_id, u.name, :icon,
       CASE WHEN p.taken_at IS NOT NULL AND u.user_id = reader.id THEN p.taken_at END
  FROM (SELECT :reader AS id) reader, photo p
  JOIN LATERAL visible_piece(reader.id) t USING (kind, number)
  JOIN user_account u ON u.user_id = t.owner_id
 WHERE p.photo_id = :photo_id AND may_see_photo(u.user_id, p.hidden, reader.id);
