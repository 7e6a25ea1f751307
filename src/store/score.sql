-- The scores of pieces: recommendations count, and an administrator may set them.

-- name: score_set_:kind(id, score) writes admin for album poi blog
UPDATE :kind SET score = :score WHERE :key = :id RETURNING score;

-- name: score_recommend_:kind(id, user_id) writes service admin for album poi blog
INSERT INTO recommendation (:key, user_id)
SELECT :key, :user_id FROM visible_:kind(:user_id) WHERE :key = :id AND :owner <> :user_id
ON CONFLICT DO NOTHING;

-- name: score_take_back_:kind(id, user_id) writes service for album poi blog
DELETE FROM recommendation r
 USING visible_:kind(:user_id) t
 WHERE r.:key = :id AND r.user_id = :user_id AND t.:key = :id;

-- After the trigger has counted.
-- name: score_read_:kind(id, user_id) service admin for album poi blog
SELECT score FROM visible_:kind(:user_id) WHERE :key = :id;
