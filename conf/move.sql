-- Writes users, photos and comments of a database of a commit before the first release as files that "mapdiaryctl import" takes
-- (doc/install.md). "mapdiaryctl export" writes the pieces, each with the source and the identifier by which it is known here.
--
--     psql -qX -v ON_ERROR_STOP=1 -d mapdiary -f move.sql

SET search_path = mapdiary;
SET timezone = 'UTC';

-- The pieces as the exports name them.
CREATE TEMPORARY VIEW named AS
    SELECT 'album:' || album_id AS thing, coalesce(x.source, name) AS source, coalesce(x.identifier, album_id::text) AS identifier
        FROM service, album LEFT JOIN album_source x USING (album_id)
    UNION ALL
    SELECT 'poi:' || poi_id, coalesce(x.source, s.name), coalesce(x.identifier, poi_id::text)
        FROM service s, poi LEFT JOIN poi_source x USING (poi_id) WHERE hidden IS NULL
    UNION ALL
    SELECT 'blog:' || blog_id, coalesce(x.source, name), coalesce(x.identifier, blog_id::text)
        FROM service, blog LEFT JOIN blog_source x USING (blog_id);

COPY (
    SELECT coalesce(x.identifier, user_id::text) AS id, coalesce(x.source, s.name) AS source, email, u.name, icon,
           password_hash AS "passwordHash"
        FROM service s, user_account u LEFT JOIN user_source x USING (user_id) ORDER BY user_id
) TO STDOUT (FORMAT csv, HEADER) \g users.csv

-- A photo or a comment names its piece by the identifier in its own source, so it takes the source of the piece.
COPY (
    SELECT CASE WHEN x.source = n.source THEN x.identifier ELSE 'photo ' || photo_id END AS id, n.source,
           CASE WHEN p.album_id IS NOT NULL THEN n.identifier END AS album,
           CASE WHEN p.poi_id IS NOT NULL THEN n.identifier END AS poi,
           address, description, (photo_id = cover_photo_id)::text AS cover,
           'originals/' || left(encode(original_sha256, 'hex'), 2) || '/' || encode(original_sha256, 'hex') AS file
        FROM photo p JOIN named n ON thing = thing_name(p.album_id, p.poi_id, NULL, NULL, NULL) LEFT JOIN album USING (album_id)
            LEFT JOIN (TABLE album_photo_source UNION ALL TABLE poi_photo_source) x USING (photo_id)
        WHERE p.hidden IS NULL ORDER BY p.album_id, p.poi_id, position
) TO STDOUT (FORMAT csv, HEADER) \g photos.csv

COPY (
    SELECT CASE WHEN x.source = n.source THEN x.identifier ELSE 'comment ' || comment_id END AS id, n.source,
           CASE WHEN c.album_id IS NOT NULL THEN n.identifier END AS album,
           CASE WHEN c.poi_id IS NOT NULL THEN n.identifier END AS poi,
           CASE WHEN c.blog_id IS NOT NULL THEN n.identifier END AS blog,
           email AS user, comment, to_char(c.created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS time, reply,
           to_char(replied_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "replyTime"
        FROM comment c JOIN named n ON thing = thing_name(album_id, poi_id, blog_id, NULL, NULL) JOIN user_account ON user_id = commenter_id
            LEFT JOIN comment_source x USING (comment_id)
        WHERE c.hidden IS NULL ORDER BY comment_id
) TO STDOUT (FORMAT csv, HEADER) \g comments.csv
