-- Lists of pieces of any kind, for a reader. The functions of the schema find them.

-- The columns of a piece l and its owner u, as read_piece() reads them.
\set listed 'l.kind, l.id, l.title, l.summary, l.slot_name, l.lat::text, l.lng::text, l.thumbnail, l.owner_id, u.name, :icon, l.dated, CASE WHEN l.public_day > current_date THEN l.public_day END, l.score, l.changed_at, coalesce(nullif(l.public_day, ''-infinity''), l.dated)::timestamptz'
-- A row of its own (OFFSET 0): PostgreSQL would else put the query for the session in its place within
-- visible_piece(), and not inline these any more.
\set reader_row '(SELECT :reader AS id OFFSET 0) reader'
-- Looked up one by one (OFFSET 0), however many PostgreSQL expects. PostgreSQL expects a thousand rows of a function, and a tenth of
-- all blogs from a LIMIT that is a parameter. A join would read all pieces of the instance beside a page.
\set listed_row '(SELECT * FROM listed_piece(reader.id, n.kind, n.id) OFFSET 0) l'
\set owner_row '(SELECT * FROM user_account WHERE user_id = l.owner_id OFFSET 0) u'

-- Behind the position: a distance, a kind and an identifier; "before" counts the pieces of the pages before.
-- name: finding_nearby(lat, viewer, token_hash, lng, radius, first_slot, last_slot, far, kind, id, before, most)
-- service
SELECT :listed, l.distance::text
  FROM :reader_row,
       nearest_pieces(reader.id, :lat::float8, :lng::float8, :radius::bigint, :first_slot::integer,
                      :last_slot::integer, :far::float8, :kind::integer, :id::bigint, :before::bigint,
                      :most::integer) l
 CROSS JOIN LATERAL :owner_row
 ORDER BY l.distance, l.kind, l.id;

-- Pieces and clusters.
-- name: finding_on_map(west, viewer, token_hash, south, east, north, first_slot, last_slot, zoom_level, most) service
SELECT :listed, n.albums, n.pois, n.blogs, trim_scale(n.west::numeric)::text, trim_scale(n.south::numeric)::text,
       trim_scale(n.east::numeric)::text, trim_scale(n.north::numeric)::text, trim_scale(n.lat::numeric)::text,
       trim_scale(n.lng::numeric)::text
  FROM :reader_row,
       map_view(reader.id, :west::float8, :south::float8, :east::float8, :north::float8, :zoom_level::integer,
                :first_slot::integer, :last_slot::integer, :most::integer) n
  LEFT JOIN LATERAL :listed_row ON true
  LEFT JOIN LATERAL :owner_row ON true
 WHERE n.kind IS NULL OR l.kind IS NOT NULL
 ORDER BY n.kind, n.id, n.south, n.west;

-- Each piece. The limit is STREET_MOST of store/finding.c and one more, which says that there are too many.
-- name: finding_on_street(west, viewer, token_hash, south, east, north, first_slot, last_slot) service
SELECT *
  FROM (SELECT :listed
          FROM :reader_row,
               pieces_on_map(reader.id, :west::numeric, :south::numeric, :east::numeric, :north::numeric,
                             :first_slot::integer, :last_slot::integer) l
         CROSS JOIN LATERAL :owner_row
         LIMIT 500 + 1) s
 ORDER BY kind, id;

-- Near a place where there is one. Behind the position: a class, a distance or the negative score, and an age.
-- name: finding_by_words(text, viewer, token_hash, class, most, first_slot, last_slot, lat, lng, far, age) service
SELECT :listed, n.far::text, n.class, n.age, :lat::text IS NOT NULL
  FROM :reader_row,
       found_pieces(reader.id, :text, :first_slot::integer, :last_slot::integer, :lat::float8, :lng::float8,
                    :class::integer, :far::float8, :age::bigint, :most::integer) n
 CROSS JOIN LATERAL :listed_row
 CROSS JOIN LATERAL :owner_row
 ORDER BY n.class, n.far, n.age;

-- If nothing is found: the words of titles that are nearest, or NULL.
-- name: finding_suggestion(text, viewer, token_hash, first_slot, last_slot) service
SELECT suggestion(:reader, :text, :first_slot::integer, :last_slot::integer);

-- The blogs of the latest days first, behind the position of a day and a blog. Each branch is a stretch of an index, so that
-- no blog is read that the reader does not see. There is a statement for each filter, so that each has the plan of its index.
-- Each blog is looked up (OFFSET 0): PostgreSQL expects a tenth of all, and would else read the primary key from its end.

\set shown 'blog_shown(b.visibility, b.hidden, b.public_day, b.post_date)'
\set blogs_behind 'SELECT b.post_date, b.number FROM visible_piece(reader.id) b WHERE b.kind = 2 AND :of_type AND :of_user AND (b.post_date, b.number) < (:day::date, :id::bigint)'
\set latest_first 'ORDER BY b.post_date DESC, b.number DESC LIMIT :most::bigint'

-- kind: blogs
\set kind blogs \set of_type ':type::text IS NULL' \set of_user ':author_id::bigint IS NULL'

-- kind: blogs_of_type
\set kind blogs_of_type \set of_type 'b.slot = blog_slot(:type)' \set of_user ':author_id::bigint IS NULL'

-- kind: blogs_of_user
\set kind blogs_of_user \set of_type ':type::text IS NULL' \set of_user 'b.owner_id = :author_id::bigint'

-- kind: blogs_of_both
\set kind blogs_of_both \set of_type 'b.slot = blog_slot(:type)' \set of_user 'b.owner_id = :author_id::bigint'

-- name: finding_:kind(day, viewer, token_hash, id, most, type, author_id) service
--     for blogs blogs_of_type blogs_of_user blogs_of_both
SELECT :listed
  FROM :reader_row,
       LATERAL (SELECT *
                  FROM ((:blogs_behind AND :shown = 1 AND b.post_date <= current_date :latest_first)
                        UNION ALL
                        (:blogs_behind AND :shown = 2 :latest_first)
                        UNION ALL
                        (:blogs_behind AND :shown = 1 AND b.post_date > current_date AND b.owner_id = reader.id :latest_first)
                        UNION ALL
                        (:blogs_behind AND :shown = 0 AND b.owner_id = reader.id :latest_first)) b
                 :latest_first) n
 CROSS JOIN LATERAL (SELECT * FROM listed_piece(reader.id, 2, n.number) OFFSET 0) l
 CROSS JOIN LATERAL :owner_row
 ORDER BY n.post_date DESC, n.number DESC;

-- The diary of a user, behind a position.
-- name: finding_diary(day, viewer, token_hash, last_kind, id, moment, most, author_id, first_day, last_day) service
SELECT :listed, n.day, (extract(epoch FROM n.began) * 1000000)::bigint
  FROM :reader_row,
       diary(reader.id, :author_id::bigint, :first_day::date, :last_day::date, :day::date, :last_kind::integer, :id::bigint,
             :moment::bigint, :most::bigint) n
 CROSS JOIN LATERAL :listed_row
 CROSS JOIN LATERAL :owner_row
 ORDER BY n.day DESC, n.kind DESC, n.began DESC, n.id DESC;

-- name: finding_feed(user_id) service
SELECT site_id::text, (SELECT name FROM user_account WHERE user_id = :user_id) FROM service;

-- The places of the newest public albums and blogs, as struct spot of base/box.h: at most 500, which is START_MOST of
-- store/finding.h, by latitude.
-- name: finding_newest service
SELECT lat::text, lng::text
  FROM (SELECT lat, lng
          FROM ((SELECT lat, lng, created_at::date AS dated
                   FROM visible_piece(NULL) a
                  WHERE kind = 0 AND visibility = 'public' AND hidden IS NULL
                  ORDER BY number DESC
                  LIMIT 500)
                UNION ALL
                (SELECT lat, lng, post_date
                   FROM visible_piece(NULL) b
                  WHERE kind = 2 AND :shown = 1 AND post_date <= current_date
                  ORDER BY post_date DESC, number DESC
                  LIMIT 500)
                UNION ALL
                (SELECT lat, lng, post_date
                   FROM visible_piece(NULL) b
                  WHERE kind = 2 AND :shown = 2
                  ORDER BY post_date DESC, number DESC
                  LIMIT 500)) p
         ORDER BY dated DESC
         LIMIT 500) n
 ORDER BY lat;

-- The day by which entries become public.
-- name: finding_today service
SELECT current_date;
