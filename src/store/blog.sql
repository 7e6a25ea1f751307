-- Blogs.

-- The blog that is replied to is kept until the reply is written. The author has a reward for the first blogs of a
-- day.
-- name: blog_insert(author_id, type, lat, lng, title, content, post_date, weather, quoted, zoom_level, map_type,
--     user_category, visibility, reward, daily_limit) writes service
WITH posted AS (
    INSERT INTO own_blog (author_id, type, lat, lng, title, content, post_date, weather, reply_blog_id, zoom_level,
                          map_type, user_category, visibility)
    SELECT :author_id::bigint, :type::blog_type, :lat::numeric, :lng::numeric, :title::text, :content::text,
           :post_date::date, :weather::weather, :quoted::bigint, :zoom_level::smallint, :map_type::smallint,
           :user_category::text, coalesce(:visibility::visibility, 'public')
     WHERE :quoted::bigint IS NULL OR keep_blog(:quoted, :author_id) IS NOT NULL
    RETURNING blog_id),
credited AS (
    INSERT INTO ledger (user_id, blog_id, amount, credited_on)
    SELECT :author_id, blog_id, :reward::integer, current_date
      FROM posted
     WHERE :reward > 0 AND (SELECT count(*)
                              FROM ledger
                             WHERE user_id = :author_id AND credited_on = current_date) < :daily_limit::bigint
    RETURNING amount)
SELECT blog_id, coalesce((SELECT amount FROM credited), 0) FROM posted;

-- name: blog_update(author_id, type, lat, lng, title, content, post_date, weather, quoted, zoom_level, map_type,
--     user_category, visibility, blog_id) writes service
UPDATE own_blog
   SET type = :type, lat = :lat, lng = :lng, title = :title, content = :content, post_date = :post_date,
       weather = :weather, reply_blog_id = :quoted, zoom_level = :zoom_level, map_type = :map_type,
       user_category = :user_category, visibility = coalesce(:visibility::visibility, visibility)
 WHERE blog_id = :blog_id AND author_id = :author_id
   AND (:quoted::bigint IS NULL OR keep_blog(:quoted, :author_id) IS NOT NULL
        OR :quoted = (SELECT reply_blog_id FROM visible_blog(:author_id) WHERE blog_id = :blog_id))
RETURNING true;

-- name: blog_delete(blog_id, author_id) writes service
DELETE FROM own_blog WHERE blog_id = :blog_id AND author_id = :author_id;

-- name: blog_read(blog_id, viewer, token_hash) service
SELECT u.name, :icon, b.score, b.type, b.lat::text, b.lng::text, b.title, b.content, b.post_date, b.weather,
       q.blog_id, b.zoom_level, b.map_type, b.user_category
  FROM (SELECT :reader AS id) reader, visible_blog(reader.id) b
  JOIN user_account u ON u.user_id = b.author_id
  LEFT JOIN visible_blog(reader.id) q ON q.blog_id = b.reply_blog_id
 WHERE b.blog_id = :blog_id;

-- name: blog_show(blog_id) admin
SELECT b.blog_id, u.user_id, u.name, b.type, b.lat::text, b.lng::text, b.title, b.content, b.post_date, b.weather,
       b.reply_blog_id, b.zoom_level, b.map_type, b.user_category, b.score, b.created_at, b.visibility, b.hidden
  FROM blog b
  JOIN user_account u ON u.user_id = b.author_id
 WHERE b.blog_id = :blog_id;

-- name: blog_list(author_id, after, most) admin
SELECT b.blog_id, b.author_id, b.type, b.post_date, b.title, b.score, b.visibility
  FROM blog b
 WHERE (:author_id::bigint IS NULL OR b.author_id = :author_id) AND b.blog_id > :after::bigint
 ORDER BY b.blog_id
 LIMIT :most::bigint;

-- A quoted blog of 0, or an empty category, takes it away.
-- name: blog_edit(blog_id, type, lat, lng, title, content, post_date, weather, quoted, zoom_level, map_type,
--     user_category, visibility) writes admin
UPDATE blog
   SET type = coalesce(:type, type), lat = coalesce(:lat, lat), lng = coalesce(:lng, lng),
       title = coalesce(:title, title), content = coalesce(:content, content),
       post_date = coalesce(:post_date, post_date), weather = coalesce(:weather, weather),
       reply_blog_id = nullif(coalesce(:quoted::bigint, reply_blog_id), 0),
       zoom_level = coalesce(:zoom_level, zoom_level), map_type = coalesce(:map_type, map_type),
       user_category = nullif(coalesce(:user_category, user_category), ''),
       visibility = coalesce(:visibility, visibility)
 WHERE blog_id = :blog_id
   AND (coalesce(:quoted, 0) = 0
        OR :quoted <> :blog_id AND EXISTS (SELECT FROM blog q WHERE q.blog_id = :quoted))
RETURNING blog_id;

-- name: blog_remove(blog_id) writes admin
DELETE FROM blog WHERE blog_id = :blog_id RETURNING blog_id;
