-- Comments.

\set columns 'c.created_at, u.name, :icon, c.comment, c.replied_at, c.reply'
-- The piece is there for the reader.
\set is_shown 'EXISTS (SELECT FROM (SELECT :reader AS id) reader, visible_piece(reader.id) t WHERE t.kind = :of_kind AND t.number = :id)'

-- The newest 200, for readers without a session: those that everybody sees. An index has them in this order.
-- name: comment_on_:kind(id, viewer, token_hash) service for album poi blog
SELECT :columns
  FROM (SELECT *
          FROM comment
         WHERE kind = :of_kind AND number = :id AND may_see_comment(commenter_id, hidden, NULL) AND hidden IS NULL
         ORDER BY hidden DESC, created_at DESC, comment_id DESC
         LIMIT 200) c
  JOIN user_account u ON u.user_id = c.commenter_id
 WHERE :is_shown
 ORDER BY c.created_at, c.comment_id;

-- The same for a reader with a session, who also sees hidden comments of his own. Another index has those.
-- name: comment_by_user_on_:kind(id, viewer, token_hash) service for album poi blog
SELECT :columns
  FROM (SELECT :reader AS id) reader,
       LATERAL (SELECT *
                  FROM ((SELECT *
                           FROM comment
                          WHERE kind = :of_kind AND number = :id AND may_see_comment(commenter_id, hidden, NULL) AND hidden IS NULL
                          ORDER BY hidden DESC, created_at DESC, comment_id DESC
                          LIMIT 200)
                        UNION ALL
                        (SELECT *
                           FROM comment
                          WHERE kind = :of_kind AND number = :id AND may_see_comment(commenter_id, hidden, reader.id)
                            AND hidden IS NOT NULL AND commenter_id = reader.id
                          ORDER BY created_at DESC, comment_id DESC
                          LIMIT 200)) c
                 ORDER BY created_at DESC, comment_id DESC
                 LIMIT 200) c
  JOIN user_account u ON u.user_id = c.commenter_id
 WHERE :is_shown
 ORDER BY c.created_at, c.comment_id;

-- A page of the same from the oldest, behind a position: a time in microseconds and a comment.
\set is_behind '(created_at, comment_id) > (timestamptz ''epoch'' + :time::bigint / 1000000 * interval ''1 second'' + :time::bigint % 1000000 * interval ''1 microsecond'', :comment_id::bigint)'
-- name: comment_page_:kind(id, viewer, token_hash, time, comment_id, most) service for album poi blog
SELECT (extract(epoch FROM c.created_at) * 1000000)::bigint, c.comment_id, c.commenter_id, :columns
  FROM (SELECT :reader AS id) reader,
       LATERAL (SELECT *
                  FROM ((SELECT *
                           FROM comment
                          WHERE kind = :of_kind AND number = :id AND may_list_comment(commenter_id, hidden, NULL) AND hidden IS NULL
                            AND :is_behind
                          ORDER BY hidden ASC, created_at ASC, comment_id ASC
                          LIMIT :most::bigint)
                        UNION ALL
                        (SELECT *
                           FROM comment
                          WHERE kind = :of_kind AND number = :id AND may_list_comment(commenter_id, hidden, reader.id)
                            AND hidden IS NOT NULL AND commenter_id = reader.id AND :is_behind
                          ORDER BY created_at ASC, comment_id ASC
                          LIMIT :most::bigint)) c
                 ORDER BY created_at ASC, comment_id ASC
                 LIMIT :most::bigint) c
  JOIN user_account u ON u.user_id = c.commenter_id
 WHERE :is_shown
 ORDER BY c.created_at, c.comment_id;

-- name: comment_show_:kind(id) admin for album poi blog
SELECT c.comment_id, c.created_at, c.commenter_id, u.name, c.comment, c.replied_at, c.reply, c.hidden
  FROM comment c
  JOIN user_account u ON u.user_id = c.commenter_id
 WHERE c.kind = :of_kind AND c.number = :id
 ORDER BY c.created_at, c.comment_id;

-- The piece is kept until the comment is written. Comments that come by the service are counted.
-- name: comment_insert_:kind(id, user_id, text) writes service admin for album poi blog
INSERT INTO comment (kind, number, commenter_id, comment)
SELECT :of_kind, :id::bigint, :user_id::bigint, :text::text
  FROM pin_piece(:of_kind, :id, :user_id) AS owner
 WHERE owner IS NOT NULL
   AND CASE WHEN owner <> :user_id AND current_user = 'mapdiary_visitor'
            THEN count_comment(:user_id, :prefix || :id) ELSE true END
RETURNING comment_id;

-- name: comment_withdraw(comment_id, user_id) writes service
SELECT may FROM withdraw_comment(:comment_id, :user_id) AS may WHERE may IS NOT NULL;

-- name: comment_answer(comment_id, user_id, reply) writes service
SELECT may FROM answer_comment(:comment_id, :user_id, :reply) AS may WHERE may IS NOT NULL;

-- name: comment_reply(comment_id, reply) writes admin
UPDATE comment
   SET reply = :reply, replied_at = greatest(now(), created_at)
 WHERE comment_id = :comment_id
RETURNING true;

-- An empty reply takes the reply away.
-- name: comment_edit(comment_id, text, reply) writes admin
UPDATE comment
   SET comment = coalesce(:text, comment),
       reply = nullif(coalesce(:reply::text, reply), ''),
       replied_at = CASE WHEN coalesce(:reply, reply) <> ''
                         THEN coalesce(replied_at, greatest(now(), created_at)) END
 WHERE comment_id = :comment_id
RETURNING true;

-- name: comment_delete(comment_id) writes admin
DELETE FROM comment WHERE comment_id = :comment_id RETURNING true;

-- name: comment_show(comment_id) admin
SELECT c.comment_id, :piece_ids, c.created_at, c.commenter_id, u.name, c.comment, c.replied_at, c.reply,
       c.hidden
  FROM comment c
  JOIN user_account u ON u.user_id = c.commenter_id
 WHERE c.comment_id = :comment_id;

-- name: comment_list(commenter_id, after, most) admin
SELECT c.comment_id, :piece_ids, c.created_at, c.commenter_id, u.name, c.comment, c.replied_at, c.reply, c.hidden
  FROM comment c
  JOIN user_account u ON u.user_id = c.commenter_id
 WHERE (:commenter_id::bigint IS NULL OR c.commenter_id = :commenter_id) AND c.comment_id > :after::bigint
 ORDER BY c.comment_id
 LIMIT :most::bigint;
