-- The scores of pieces: recommendations count, and an administrator may set them.

-- name: score_set_:kind(id, score) writes admin for album poi blog
UPDATE piece SET score = :score WHERE kind = :of_kind AND number = :id RETURNING score;

-- name: score_recommend_:kind(id, user_id) writes service admin for album poi blog
INSERT INTO recommendation (kind, number, user_id)
SELECT kind, number, :user_id
  FROM visible_piece(:user_id)
 WHERE kind = :of_kind AND number = :id AND owner_id <> :user_id
ON CONFLICT DO NOTHING;

-- name: score_take_back_:kind(id, user_id) writes service for album poi blog
DELETE FROM recommendation r
 USING visible_piece(:user_id) t
 WHERE r.kind = :of_kind AND r.number = :id AND r.user_id = :user_id AND t.kind = :of_kind AND t.number = :id;

-- After the trigger has counted.
-- name: score_read_:kind(id, user_id) service admin for album poi blog
SELECT score FROM visible_piece(:user_id) WHERE kind = :of_kind AND number = :id;
