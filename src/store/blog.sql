-- Blogs.

\set is_published_ahead '(:is_published::integer = 1 AND :post_date::date > current_date)'
-- Looked at before the blogs are, as all that is wrong with parameters. CASE keeps that order, and AND does not.
\set may_be_published '(:is_published::integer IS DISTINCT FROM 1 OR may_be_published(:post_date))'

-- The blog that is replied to is kept until the reply is written. The author has a reward for the first blogs of a
-- day.
-- name: blog_insert(author_id, type, lat, lng, title, content, post_date, weather, quoted, zoom_level, map_type,
--     user_category, visibility, reward, daily_limit, is_published) writes service
WITH posted AS (
    INSERT INTO own_blog (owner_id, slot, lat, lng, title, content, post_date, public_day, weather, reply_number,
                          zoom_level, map_type, user_category, visibility)
    SELECT :author_id::bigint, blog_slot(:type), :lat::numeric, :lng::numeric, :title::text, :content::text,
           :post_date::date,
           CASE WHEN :is_published_ahead THEN current_date ELSE :post_date END, :weather::weather, :quoted::bigint,
           :zoom_level::smallint, :map_type::smallint, :user_category::text, coalesce(:visibility::visibility, 'public')
     WHERE CASE WHEN :may_be_published THEN :quoted::bigint IS NULL OR pin_piece(2, :quoted, :author_id) IS NOT NULL END
    RETURNING number),
credited AS (
    INSERT INTO ledger (user_id, blog_id, amount, credited_on)
    SELECT :author_id, number, :reward::integer, current_date
      FROM posted
     WHERE :reward > 0 AND (SELECT count(*)
                              FROM ledger
                             WHERE user_id = :author_id AND credited_on = current_date) < :daily_limit::bigint
    RETURNING amount)
SELECT number, coalesce((SELECT amount FROM credited), 0) FROM posted;

-- A blog that others see keeps its day, but a later date than before decides anew.
\set kept_day 'CASE WHEN :post_date > post_date THEN :post_date ELSE least(:post_date, public_day) END'

-- name: blog_update(author_id, type, lat, lng, title, content, post_date, weather, quoted, zoom_level, map_type,
--     user_category, visibility, blog_id, base_version, is_published) writes service
UPDATE own_blog
   SET slot = blog_slot(:type), lat = :lat, lng = :lng, title = :title, content = :content, post_date = :post_date,
       public_day = CASE WHEN :is_published_ahead THEN least(current_date, public_day) ELSE :kept_day END,
       weather = :weather, reply_number = coalesce(:quoted, unseen_reply(reply_number, :author_id)),
       zoom_level = :zoom_level, map_type = :map_type, user_category = :user_category,
       visibility = coalesce(:visibility::visibility, visibility), version = version + 1
 WHERE :may_be_published AND number = :blog_id AND owner_id = :author_id AND :is_base
   AND (:quoted::bigint IS NULL OR pin_piece(2, :quoted, :author_id) IS NOT NULL OR :quoted = reply_number)
RETURNING true;

-- name: blog_delete(blog_id, author_id, base_version) writes service
DELETE FROM own_blog WHERE number = :blog_id AND owner_id = :author_id AND :is_base;

-- name: blog_read(blog_id, viewer, token_hash) service
SELECT u.name, :icon, b.score, slot_name(b.slot), b.lat::text, b.lng::text, b.title, b.content, b.post_date, b.weather,
       q.number, b.zoom_level, b.map_type, b.user_category
  FROM (SELECT :reader AS id) reader, visible_piece(reader.id) b
  JOIN user_account u ON u.user_id = b.owner_id
  LEFT JOIN visible_piece(reader.id) q ON q.kind = 2 AND q.number = b.reply_number
 WHERE b.kind = 2 AND b.number = :blog_id;

-- name: blog_show(blog_id) admin
SELECT b.number, u.user_id, u.name, slot_name(b.slot), b.lat::text, b.lng::text, b.title, b.content, b.post_date, b.weather,
       b.reply_number, b.zoom_level, b.map_type, b.user_category, b.score, b.created_at, b.visibility, b.hidden,
       b.version, b.public_day
  FROM blog b
  JOIN user_account u ON u.user_id = b.owner_id
 WHERE b.number = :blog_id;

-- name: blog_list(author_id, after, most) admin
SELECT b.number, b.owner_id, slot_name(b.slot), b.post_date, b.title, b.score, b.visibility
  FROM blog b
 WHERE (:author_id::bigint IS NULL OR b.owner_id = :author_id) AND b.number > :after::bigint
 ORDER BY b.number
 LIMIT :most::bigint;

-- A quoted blog of 0, or an empty category, takes it away.
-- name: blog_edit(blog_id, type, lat, lng, title, content, post_date, weather, quoted, zoom_level, map_type,
--     user_category, visibility, base_version) writes admin
UPDATE blog
   SET slot = coalesce(blog_slot(:type), slot), lat = coalesce(:lat, lat), lng = coalesce(:lng, lng),
       title = coalesce(:title, title), content = coalesce(:content, content),
       post_date = coalesce(:post_date, post_date), public_day = :kept_day,
       weather = coalesce(:weather, weather), reply_number = nullif(coalesce(:quoted::bigint, reply_number), 0),
       zoom_level = coalesce(:zoom_level, zoom_level), map_type = coalesce(:map_type, map_type),
       user_category = nullif(coalesce(:user_category, user_category), ''),
       visibility = coalesce(:visibility, visibility), version = version + 1
 WHERE number = :blog_id AND :is_base
   AND (coalesce(:quoted, 0) = 0
        OR :quoted <> :blog_id AND EXISTS (SELECT FROM blog q WHERE q.number = :quoted))
RETURNING number;

-- name: blog_remove(blog_id) writes admin
DELETE FROM blog WHERE number = :blog_id RETURNING number;
