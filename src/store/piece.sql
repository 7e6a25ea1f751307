-- Albums, points of interest and blogs as pieces.

-- name: piece_shown_:kind(id, viewer, token_hash) service for album poi blog
SELECT true FROM (SELECT :reader AS id) reader, visible_:kind(reader.id) t WHERE t.:key = :id;

-- The owner is told of a piece that an operator has hidden, and not of one that waits for a look.
-- name: piece_summary_:kind(id, viewer, token_hash) service for album poi blog
SELECT t.:owner, t.:title,
       (SELECT count(*)
          FROM comment c
         WHERE c.:key = :id AND may_see_comment(c.commenter_id, c.hidden, reader.id)),
       CASE WHEN t.:owner = reader.id THEN :visibility END,
       CASE WHEN reader.id IS NOT NULL
            THEN (EXISTS (SELECT FROM recommendation r WHERE r.:key = :id AND r.user_id = reader.id))::text END,
       :vote,
       CASE WHEN t.hidden = 'hidden' THEN 'true' END,
       CASE WHEN t.hidden = 'hidden' THEN hidden_reason(:prefix || t.:key) END
  FROM (SELECT :reader AS id) reader, visible_:kind(reader.id) t
 WHERE t.:key = :id;

-- name: piece_hold_:kind(id, user_id) writes service admin for album poi blog
SELECT owner FROM hold_:kind(:id, :user_id) AS owner WHERE owner IS NOT NULL;

-- name: piece_keep_:kind(id, user_id) writes service admin for album poi blog
SELECT owner FROM keep_:kind(:id, :user_id) AS owner WHERE owner IS NOT NULL;

-- name: piece_lock_:kind(id) writes admin for album poi blog
SELECT :owner FROM :kind WHERE :key = :id FOR NO KEY UPDATE;
