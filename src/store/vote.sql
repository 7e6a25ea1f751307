-- The votes of blogs.

\set is_seen 'EXISTS (SELECT FROM visible_piece(:user_id) b WHERE b.kind = 2 AND b.number = :blog_id)'

-- name: vote_read(blog_id, viewer, token_hash) service
SELECT v.description, c.description, c.votes
  FROM vote v
  LEFT JOIN vote_choice c USING (blog_id)
 WHERE v.blog_id = :blog_id
   AND EXISTS (SELECT FROM (SELECT :reader AS id) reader, visible_piece(reader.id) t WHERE t.kind = 2 AND t.number = :blog_id)
 ORDER BY c.position;

-- name: vote_tally(blog_id, user_id) service
SELECT v.description, c.description, c.votes
  FROM vote v
  LEFT JOIN vote_choice c USING (blog_id)
 WHERE v.blog_id = :blog_id AND :is_seen
 ORDER BY c.position;

-- name: vote_show(blog_id) admin
SELECT description, closed_at FROM vote WHERE blog_id = :blog_id;

-- name: vote_show_choices(blog_id) admin
SELECT position, description, votes FROM vote_choice WHERE blog_id = :blog_id ORDER BY position;

-- The choices are lines of one text. A user of NULL is an administrator, here and in vote_close.
-- name: vote_create(blog_id, user_id, description, choices) writes service admin
WITH made AS (
    INSERT INTO vote (blog_id, description)
    SELECT number, :description
      FROM own_blog
     WHERE number = :blog_id AND (:user_id::bigint IS NULL OR owner_id = :user_id)
    ON CONFLICT DO NOTHING
    RETURNING blog_id),
filled AS (
    INSERT INTO vote_choice (blog_id, position, description)
    SELECT made.blog_id, c.position, c.description
      FROM made, string_to_table(:choices, E'\n') WITH ORDINALITY AS c (description, position))
SELECT true FROM made;

-- Nobody closes the vote until the transaction ends.
-- name: vote_lock(blog_id, user_id) writes service admin
SELECT closed_at IS NOT NULL FROM vote WHERE blog_id = :blog_id AND :is_seen FOR SHARE;

-- name: vote_cast(blog_id, user_id, position) writes service admin
INSERT INTO ballot (blog_id, user_id, position)
SELECT c.blog_id, :user_id, c.position
  FROM vote_choice c
  JOIN vote v USING (blog_id)
 WHERE c.blog_id = :blog_id AND c.position = :position AND v.closed_at IS NULL AND :is_seen
ON CONFLICT DO NOTHING;

-- Whether the user's ballot is for this choice.
-- name: vote_ballot(blog_id, user_id, position) service admin
SELECT b.position = c.position
  FROM vote_choice c
  LEFT JOIN ballot b ON b.blog_id = c.blog_id AND b.user_id = :user_id
 WHERE c.blog_id = :blog_id AND c.position = :position AND :is_seen;

-- name: vote_close(blog_id, user_id) writes service admin
UPDATE vote v
   SET closed_at = coalesce(closed_at, now())
  FROM own_blog b
 WHERE v.blog_id = :blog_id AND b.number = :blog_id AND (:user_id::bigint IS NULL OR b.owner_id = :user_id)
RETURNING true;
