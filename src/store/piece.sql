-- Albums, points of interest and blogs as pieces.

-- name: piece_shown_:kind(id, viewer, token_hash) service for album poi blog
SELECT true FROM (SELECT :reader AS id) reader, visible_piece(reader.id) t WHERE t.kind = :of_kind AND t.number = :id;

-- The owner is told of a piece that an operator has hidden, and not of one that waits for a look.
-- name: piece_summary_:kind(id, viewer, token_hash) service for album poi blog
SELECT t.owner_id, t.title,
       (SELECT count(*)
          FROM comment c
         WHERE c.kind = :of_kind AND c.number = :id AND may_see_comment(c.commenter_id, c.hidden, reader.id)),
       CASE WHEN t.owner_id = reader.id THEN :visibility END,
       CASE WHEN reader.id IS NOT NULL
            THEN (EXISTS (SELECT
                            FROM recommendation r
                           WHERE r.kind = :of_kind AND r.number = :id AND r.user_id = reader.id))::text END,
       :vote,
       CASE WHEN t.hidden = 'hidden' THEN 'true' END,
       CASE WHEN t.hidden = 'hidden' THEN hidden_reason(:prefix || t.number) END,
       CASE WHEN t.public_day > current_date THEN t.public_day END,
       CASE WHEN t.owner_id = reader.id THEN :version END
  FROM (SELECT :reader AS id) reader, visible_piece(reader.id) t
 WHERE t.kind = :of_kind AND t.number = :id;

-- name: piece_hold_:kind(id, user_id) writes service admin for album poi blog
SELECT owner, version FROM lock_piece(:of_kind, :id, :user_id) WHERE owner IS NOT NULL;

-- name: piece_keep_:kind(id, user_id) writes service admin for album poi blog
SELECT owner FROM pin_piece(:of_kind, :id, :user_id) AS owner WHERE owner IS NOT NULL;

-- name: piece_lock_:kind(id) writes admin for album poi blog
SELECT owner_id, version FROM piece WHERE kind = :of_kind AND number = :id FOR NO KEY UPDATE;

-- Triggers hold back what this transaction writes from here on.
-- name: piece_hold_back(word) service
SELECT set_config('mapdiary.held_word', :word, true);
