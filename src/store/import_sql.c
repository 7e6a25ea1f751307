/*
 * The statements of imports, kind by kind. A merge is a COPY of the counts of what it added and
 * changed, so that a statement that writes many rows answers one line.
 */
#include <stddef.h>

#include "model/blog.h"
#include "store/import.h"

#define STAGING(columns) \
    "CREATE TEMPORARY TABLE staging (" IMPORT_STAGING_COLUMNS ", " columns ") ON COMMIT DROP"
#define COUNTED(statements, counts) \
    "COPY (WITH " statements " SELECT " counts ") TO STDOUT (FORMAT csv)"
#define ADDED "(SELECT count(*) FROM fresh), 0"
#define CHANGED "0, (SELECT count(*) FROM changed)"

/* The rows whose turn it is. */
#define IN_SPAN \
    " s.reason IS NULL AND s.n > (SELECT low FROM span) AND s.n <= (SELECT high FROM span)"
/* What of them is new, with identifiers in the order of the file. Only what is wanted of it: each
 * row is written down twice more. */
#define FRESH(table, key, user, columns)                                                          \
    "fresh AS MATERIALIZED (SELECT nextval('mapdiary." table "_" key "_seq') AS new_id, o.* FROM" \
    " (SELECT source, identifier, " columns ", u.user_id FROM staging s"                          \
    "  JOIN named u ON u.written = s." user " WHERE" IN_SPAN                                      \
    "  AND s.known IS NULL ORDER BY n) o)"
#define LINKED(table, key)                                                  \
    "linked AS (INSERT INTO " table "_source (source, identifier, " key ")" \
    " SELECT source, identifier, new_id FROM fresh)"
/* What was added is noted for finding, 64 pieces in a row (schema/0012-finding.sql). */
#define NOTED(table, key, kind)                                                                   \
    " RETURNING " key " AS id, " table "_noted_slot(piece) AS slot, " table "_noted_day(piece)"   \
    " AS day, lat::numeric, lng::numeric), noted AS (INSERT INTO mapdiary_closed.arrival"         \
    " (kind, ids, entry_ids, day, slots, lats, lngs) SELECT " kind ", array_agg(id),"             \
    " array_agg(nextval('mapdiary_closed.search_number')), day, array_agg(slot), array_agg(lat)," \
    " array_agg(lng) FROM added GROUP BY day, id >> 6)"
/* What of those is there already. */
#define KNOWN(user) \
    " FROM staging s JOIN named u ON u.written = s." user " WHERE s.known IS NOT NULL AND" IN_SPAN

/* Users -------------------------------------------------------------------------------------- */

#define USER_COLUMNS "email, name, icon, password_hash"

static const char *const user_checks[] = {
    IMPORT_TWICE,
    IMPORT_KNOW("user", "user_id", ""),
    IMPORT_KNOW_OWN("user_account", "user_id", ""),
    "UPDATE staging s SET reason = 'email: stands in line ' || f.line || ' already'"
    " FROM (SELECT lower(email) AS email, min(n) AS n, min(line) AS line FROM staging"
    "       GROUP BY lower(email) HAVING count(*) > 1) f"
    " WHERE lower(s.email) = f.email AND s.n > f.n AND s.reason IS NULL",
    "UPDATE staging s SET reason = 'email: another account has it' FROM user_account u"
    " WHERE s.reason IS NULL AND lower(u.email) = lower(s.email)"
    " AND u.user_id IS DISTINCT FROM s.known",
    NULL,
};

/* One that was uploaded stays. */
#define ICON_KEPT "CASE WHEN u.icon_name IS NULL THEN coalesce(s.icon, u.icon) ELSE '' END"

static const char *const user_merges[] = {
    COUNTED("changed AS (UPDATE user_account u SET email = s.email, name = s.name,"
            " icon = " ICON_KEPT " FROM staging s"
            " WHERE" IN_SPAN " AND u.user_id = s.known AND"
            " (u.email, u.name, u.icon) IS DISTINCT FROM (s.email, s.name, " ICON_KEPT ")"
            " RETURNING 1)",
            CHANGED),
    COUNTED("fresh AS MATERIALIZED (SELECT nextval('mapdiary.user_account_user_id_seq') AS new_id,"
            " o.* FROM (SELECT s.* FROM staging s WHERE" IN_SPAN
            "  AND s.known IS NULL ORDER BY n) o),"
            " added AS (INSERT INTO user_account (user_id, email, name, icon, password_hash)"
            " SELECT new_id, email, name, coalesce(icon, ''), password_hash FROM fresh"
            "), " LINKED("user", "user_id"),
            ADDED),
    NULL,
};

/* Points of interest and albums -------------------------------------------------------------- */

#define POI_COLUMNS "name, category, lat, lng, owner, score"
#define ALBUM_COLUMNS "title, category, lat, lng, owner, score, visibility"

#define PLACE_CHECKS(table, key)                                                \
    IMPORT_TWICE, IMPORT_KNOW(table, key, ""), IMPORT_KNOW_OWN(table, key, ""), \
        IMPORT_NAME_USERS("owner"), NULL

static const char *const poi_checks[] = {PLACE_CHECKS("poi", "poi_id")};
static const char *const album_checks[] = {PLACE_CHECKS("album", "album_id")};

/* clang-format off */
/* More columns are of what is new alone. */
#define PLACE_MERGES(table, key, kind, name, columns, values)                                    \
    COUNTED("changed AS (UPDATE " table " p SET owner_id = k.user_id, " name " = k." name ","    \
            " category = k.category, lat = k.lat, lng = k.lng,"                                  \
            " score = coalesce(k.score, p.score), updated_at = now()"                            \
            " FROM (SELECT s.*, u.user_id" KNOWN("owner") ") k WHERE p." key " = k.known"        \
            " AND (p.owner_id, p." name ", p.category, p.lat, p.lng, p.score) IS DISTINCT FROM"  \
            " (k.user_id, k." name ", k.category, k.lat, k.lng, coalesce(k.score, p.score))"     \
            " RETURNING 1)",                                                                     \
            CHANGED),                                                                            \
    COUNTED(FRESH(table, key, "owner", name ", category, lat, lng, score" columns) ","           \
            " added AS (INSERT INTO " table " AS piece"                                          \
            " (" key ", owner_id, " name ", category, lat, lng, score" columns ")"               \
            " SELECT new_id, user_id, " name ", category, lat, lng, coalesce(score, 0)" values   \
            " FROM fresh" NOTED(table, key, kind) ", " LINKED(table, key),                       \
            ADDED),                                                                              \
    NULL
/* clang-format on */

static const char *const poi_merges[] = {PLACE_MERGES("poi", "poi_id", "1", "name", "", "")};
static const char *const album_merges[] = {PLACE_MERGES(
    "album", "album_id", "0", "title", ", visibility", ", coalesce(visibility, 'public')")};

/* Blogs -------------------------------------------------------------------------------------- */

#define BLOG_COLUMNS                                                              \
    "author, type, lat, lng, title, content, date, weather, reply, reply_source," \
    " zoom_level, map_type, user_category, score, visibility"

#define ZOOM_LEVEL(of) "coalesce(" of "zoom_level, " BLOG_ZOOM_DEFAULT ")"
#define MAP_TYPE(of) "coalesce(" of "map_type, " BLOG_MAP_TYPE_DEFAULT ")"

/* A reply may be to a blog that comes later in the file. */
#define REPLY_SOURCE "coalesce(s.reply_source, s.source)"
#define REPLY_OF IMPORT_NAMED("s.reply", REPLY_SOURCE, "blog", "blog_id")

static const char *const blog_checks[] = {
    IMPORT_TWICE,
    IMPORT_KNOW("blog", "blog_id", ""),
    IMPORT_KNOW_OWN("blog", "blog_id", ""),
    IMPORT_NAME_USERS("author"),
    "UPDATE staging s SET reason = 'reply: no such blog' WHERE reason IS NULL"
    " AND reply IS NOT NULL AND " REPLY_OF " IS NULL AND NOT EXISTS"
    " (SELECT FROM staging t WHERE t.identifier = s.reply AND t.source = " REPLY_SOURCE
    " AND t.n <> s.n AND t.reason IS NULL)",
    "UPDATE staging s SET reason = 'reply: the blog itself' WHERE reason IS NULL"
    " AND reply IS NOT NULL AND " REPLY_OF " = s.known",
    NULL,
};

/* clang-format off */
static const char *const blog_merges[] = {
    COUNTED("changed AS (UPDATE blog b SET author_id = k.user_id, type = k.type, lat = k.lat,"
            " lng = k.lng, title = k.title, content = k.content, post_date = k.date,"
            " weather = k.weather, zoom_level = " ZOOM_LEVEL("k.") ","
            " map_type = " MAP_TYPE("k.") ", user_category = k.user_category,"
            " score = coalesce(k.score, b.score)"
            " FROM (SELECT s.*, u.user_id" KNOWN("author") ") k"
            " WHERE b.blog_id = k.known"
            " AND (b.author_id, b.type, b.lat, b.lng, b.title, b.content, b.post_date, b.weather,"
            " b.zoom_level, b.map_type, b.user_category, b.score) IS DISTINCT FROM"
            " (k.user_id, k.type, k.lat, k.lng, k.title, k.content, k.date, k.weather,"
            " " ZOOM_LEVEL("k.") ", " MAP_TYPE("k.") ", k.user_category,"
            " coalesce(k.score, b.score)) RETURNING 1)",
            CHANGED),
    COUNTED(FRESH("blog", "blog_id", "author", "type, lat, lng, title, content, date, weather,"
                  " zoom_level, map_type, user_category, score, visibility") ","
            " added AS (INSERT INTO blog AS piece (blog_id, author_id, type, lat, lng, title, content,"
            " post_date, weather, zoom_level, map_type, user_category, score, visibility)"
            " SELECT new_id, user_id, type, lat, lng, title, content, date, weather,"
            " " ZOOM_LEVEL("") ", " MAP_TYPE("") ", user_category, coalesce(score, 0),"
            " coalesce(visibility, 'public') FROM fresh"
            NOTED("blog", "blog_id", "2") ", " LINKED("blog", "blog_id"),
            ADDED),
    NULL,
};
/* clang-format on */

/* What was new is known by now. */
static const char blog_replies[] = IMPORT_KNOW(
    "blog", "blog_id",
    " AND s.reply IS NOT NULL") ";"
                                " UPDATE blog b SET reply_blog_id = k.reply_id"
                                " FROM (SELECT s.known, " REPLY_OF
                                " AS reply_id FROM staging s WHERE s.reason IS NULL) k"
                                " WHERE b.blog_id = k.known AND b.reply_blog_id IS DISTINCT FROM k.reply_id";

/* Photos ------------------------------------------------------------------------------------- */

#define PHOTO_COLUMNS "album, poi, address, description, cover, file"
/* Of a file, what its row is to say: struct photo_upload. */
#define UPLOAD_COLUMNS                                                                  \
    "name, original_sha256, original_bytes, large_sha256, small_sha256, format, width," \
    " height, taken_at"

/* Its place in the order, and the cover, are of one album. */
#define PHOTO_CHECKS(table, key)                                                             \
    IMPORT_RESOLVE(table, table, key), IMPORT_UNRESOLVED(table, key),                        \
        IMPORT_KNOW(table "_photo", "photo_id", " AND s." key " IS NOT NULL"),               \
        IMPORT_KNOW_OWN("photo", "photo_id",                                                 \
                        " AND s." key " IS NOT NULL AND t." key " IS NOT NULL"),             \
        "UPDATE staging s SET reason = '" table ": it is a photo of another one' FROM photo" \
        " p WHERE s.reason IS NULL AND p.photo_id = s.known AND p." key " <> s." key

static const char *const photo_checks[] = {
    IMPORT_TWICE_AMONG("poi IS NULL"),
    "UPDATE staging SET reason = 'album, poi: not one of the two' WHERE reason IS NULL"
    " AND num_nonnulls(album, poi) <> 1",
    "UPDATE staging SET reason = 'address, file: not one of the two' WHERE reason IS NULL"
    " AND num_nonnulls(address, file) <> 1",
    "UPDATE staging SET reason = 'address: does not start with http:// or https://'"
    " WHERE reason IS NULL AND poi IS NOT NULL AND address !~ '^https?://'",
    PHOTO_CHECKS("album", "album_id"),
    PHOTO_CHECKS("poi", "poi_id"),
    NULL,
};

/* clang-format off */
/* One that was uploaded stays as it is, but for its words; else it may become one. */
#define KEPT(column) column " = CASE WHEN p.name IS NULL THEN s." column " ELSE p." column " END"
#define PHOTO_MERGES(table, key)                                                                 \
    COUNTED("changed AS (UPDATE photo p"                                                         \
            " SET address = " ADDRESS_KEPT ", description = coalesce(s.description, ''), "       \
            KEPT("name") ", " KEPT("original_sha256") ", " KEPT("original_bytes") ", "           \
            KEPT("large_sha256") ", " KEPT("small_sha256") ", " KEPT("format") ", "              \
            KEPT("width") ", " KEPT("height") ", " KEPT("taken_at")                              \
            " FROM staging s"                                                                    \
            " WHERE" IN_SPAN " AND s." key " IS NOT NULL AND p.photo_id = s.known"               \
            " AND (p.address, p.description) IS DISTINCT FROM"                                   \
            " (" ADDRESS_KEPT ", coalesce(s.description, '')) RETURNING 1)",                     \
            CHANGED),                                                                            \
    COUNTED("fresh AS MATERIALIZED (SELECT nextval('mapdiary.photo_photo_id_seq')"               \
            " AS new_id, o.* FROM (SELECT s.*, row_number() OVER (PARTITION BY s." key           \
            " ORDER BY n) + (SELECT coalesce(max(p.position), 0) FROM photo p"                   \
            " WHERE p." key " = s." key ") AS place FROM staging s"                              \
            " WHERE" IN_SPAN " AND s." key " IS NOT NULL AND s.known IS NULL"                    \
            " ORDER BY n) o), added AS (INSERT INTO photo"                                       \
            " (photo_id, " key ", position, address, description, " UPLOAD_COLUMNS ")"           \
            " SELECT new_id, " key ", place, address, coalesce(description, ''), "               \
            UPLOAD_COLUMNS " FROM fresh"                                                         \
            "), " LINKED(table "_photo", "photo_id"),                                \
            ADDED)
#define ADDRESS_KEPT "CASE WHEN p.name IS NULL THEN s.address END"
/* clang-format on */

static const char *const photo_merges[] = {
    PHOTO_MERGES("album", "album_id"),
    PHOTO_MERGES("poi", "poi_id"),
    NULL,
};

static const char photo_covers[] = IMPORT_KNOW(
    "album_photo", "photo_id",
    " AND s.cover AND s.album_id IS NOT NULL") ";"
                                               " UPDATE album a SET cover_photo_id = s.known FROM staging s"
                                               " WHERE s.reason IS NULL AND s.cover AND a.album_id = s.album_id"
                                               " AND a.cover_photo_id IS DISTINCT FROM s.known";

/* Comments ----------------------------------------------------------------------------------- */

#define COMMENT_COLUMNS "album, poi, blog, commenter, comment, time, reply, reply_time"

static const char *const comment_checks[] = {
    IMPORT_TWICE,
    IMPORT_KNOW("comment", "comment_id", ""),
    IMPORT_KNOW_OWN("comment", "comment_id", ""),
    IMPORT_NAME_USERS("commenter"),
    "UPDATE staging SET reason = 'album, poi, blog: not one of the three' WHERE reason IS NULL"
    " AND num_nonnulls(album, poi, blog) <> 1",
    "UPDATE staging SET reason = 'replyTime: without a reply, or before the comment'"
    " WHERE reason IS NULL AND (reply_time < time OR (reply IS NULL AND reply_time IS NOT NULL))",
    IMPORT_RESOLVE("album", "album", "album_id"),
    IMPORT_UNRESOLVED("album", "album_id"),
    IMPORT_RESOLVE("poi", "poi", "poi_id"),
    IMPORT_UNRESOLVED("poi", "poi_id"),
    IMPORT_RESOLVE("blog", "blog", "blog_id"),
    IMPORT_UNRESOLVED("blog", "blog_id"),
    NULL,
};

/* clang-format off */
static const char *const comment_merges[] = {
    COUNTED("changed AS (UPDATE comment c SET album_id = k.album_id, poi_id = k.poi_id,"
            " blog_id = k.blog_id, commenter_id = k.user_id, comment = k.comment,"
            " created_at = coalesce(k.time, c.created_at), reply = k.reply,"
            " replied_at = k.new_replied_at FROM (SELECT s.*, u.user_id,"
            " CASE WHEN s.reply IS NOT NULL THEN coalesce(s.reply_time, (SELECT d.replied_at"
            " FROM comment d WHERE d.comment_id = s.known), greatest(now(), s.time)) END"
            " AS new_replied_at" KNOWN("commenter") ") k"
            " WHERE c.comment_id = k.known"
            " AND (c.album_id, c.poi_id, c.blog_id, c.commenter_id, c.comment, c.created_at,"
            " c.reply, c.replied_at) IS DISTINCT FROM (k.album_id, k.poi_id, k.blog_id, k.user_id,"
            " k.comment, coalesce(k.time, c.created_at), k.reply, k.new_replied_at) RETURNING 1)",
            CHANGED),
    COUNTED(FRESH("comment", "comment_id", "commenter",
                  "album_id, poi_id, blog_id, comment, time, reply, reply_time") ","
            " added AS (INSERT INTO comment (comment_id, album_id, poi_id, blog_id, commenter_id,"
            " comment, created_at, reply, replied_at)"
            " SELECT new_id, album_id, poi_id, blog_id, user_id, comment, coalesce(time, now()),"
            " reply, CASE WHEN reply IS NOT NULL THEN"
            " coalesce(reply_time, greatest(now(), time)) END FROM fresh), "
            LINKED("comment", "comment_id"),
            ADDED),
    NULL,
};
/* clang-format on */

/* -------------------------------------------------------------------------------------------- */

#define STATEMENTS(columns, types, checks_of, merges_of, last_of)                     \
    {                                                                                 \
        .staging = STAGING(types), .copy = IMPORT_COPY(columns), .checks = checks_of, \
        .rejected = IMPORT_REJECTED(columns), .merges = merges_of, .last = last_of    \
    }

const struct import_statements import_statements[IMPORT_KIND_COUNT] = {
    [IMPORT_USERS] =
        STATEMENTS(USER_COLUMNS, "email text, name text, icon text, password_hash text",
                   user_checks, user_merges, NULL),
    [IMPORT_POIS] = STATEMENTS(POI_COLUMNS,
                               "name text, category smallint, lat numeric, lng numeric,"
                               " owner text, score integer",
                               poi_checks, poi_merges, NULL),
    [IMPORT_ALBUMS] = STATEMENTS(ALBUM_COLUMNS,
                                 "title text, category smallint, lat numeric, lng numeric,"
                                 " owner text, score integer, visibility visibility",
                                 album_checks, album_merges, NULL),
    [IMPORT_BLOGS] =
        STATEMENTS(BLOG_COLUMNS,
                   "author text, type blog_type, lat numeric, lng numeric, title"
                   " text, content text, date date, weather weather, reply text,"
                   " reply_source text, zoom_level smallint, map_type smallint, user_category text,"
                   " score integer, visibility visibility",
                   blog_checks, blog_merges, blog_replies),
    [IMPORT_PHOTOS] = {.staging = STAGING("album text, poi text, address text, description text,"
                                          " cover boolean, file text, name bytea,"
                                          " original_sha256 bytea, original_bytes bigint,"
                                          " large_sha256 bytea, small_sha256 bytea,"
                                          " format smallint, width integer, height integer,"
                                          " taken_at timestamptz, album_id bigint, poi_id bigint"),
                       .copy = IMPORT_COPY(PHOTO_COLUMNS ", " UPLOAD_COLUMNS),
                       .checks = photo_checks,
                       .rejected = IMPORT_REJECTED(PHOTO_COLUMNS),
                       .merges = photo_merges,
                       .last = photo_covers},
    [IMPORT_COMMENTS] = STATEMENTS(COMMENT_COLUMNS,
                                   "album text, poi text, blog text, commenter text, comment"
                                   " text, time timestamptz, reply text, reply_time timestamptz,"
                                   " album_id bigint, poi_id bigint, blog_id bigint",
                                   comment_checks, comment_merges, NULL),
};
