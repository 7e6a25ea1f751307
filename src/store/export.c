#include "store/export.h"

#include "store/registry.h"

#define FEATURE(key, properties)                                                           \
    "json_build_object('type', 'Feature', 'id', t." key ", 'geometry', json_build_object(" \
    "'type', 'Point', 'coordinates', json_build_array(t.lng, t.lat)), 'properties',"       \
    " json_build_object(" properties "))::text"
#define BY_OWNER(table, owner) " FROM " table " t JOIN user_account u ON u.user_id = t." owner
#define CSV(query) "COPY (" query ") TO STDOUT (FORMAT csv, HEADER)"

const struct db_statement export_statements[] = {
    [EXPORT_POIS] = {"export_pois",
                     "SELECT " FEATURE("poi_id",
                                       "'name', t.name, 'category', t.category, 'owner', u.email,"
                                       " 'score', t.score")
                         BY_OWNER("poi", "owner_id") " ORDER BY poi_id",
                     "t", false, DB_ADMIN},
    [EXPORT_ALBUMS] = {"export_albums",
                       "SELECT " FEATURE(
                           "album_id", "'title', t.title, 'category', t.category, 'owner', u.email,"
                                       " 'score', t.score")
                           BY_OWNER("album", "owner_id") " ORDER BY album_id",
                       "t", false, DB_ADMIN},
    [EXPORT_BLOGS] = {"export_blogs",
                      "SELECT " FEATURE(
                          "blog_id",
                          "'author', u.email, 'type', t.type, 'title', t.title, 'content',"
                          " t.content, 'date', t.post_date, 'weather', t.weather, 'reply',"
                          " t.reply_blog_id, 'zoomLevel', t.zoom_level, 'mapType', t.map_type,"
                          " 'userCategory', t.user_category, 'score', t.score")
                          BY_OWNER("blog", "author_id") " ORDER BY blog_id",
                      "t", false, DB_ADMIN},
    DB_STATEMENTS_END,
};

static const char *const csv[EXPORT_KIND_COUNT] = {
    [EXPORT_POIS] = CSV("SELECT poi_id AS id, t.name, category, lat, lng, email AS owner,"
                        " score" BY_OWNER("mapdiary.poi", "owner_id") " ORDER BY poi_id"),
    [EXPORT_ALBUMS] = CSV("SELECT album_id AS id, title, category, lat, lng, email AS owner,"
                          " score" BY_OWNER("mapdiary.album", "owner_id") " ORDER BY album_id"),
    [EXPORT_BLOGS] =
        CSV("SELECT blog_id AS id, email AS author, type, lat, lng, title, content,"
            " post_date AS date, weather, reply_blog_id AS reply, zoom_level AS \"zoomLevel\","
            " map_type AS \"mapType\", user_category AS \"userCategory\","
            " score" BY_OWNER("mapdiary.blog", "author_id") " ORDER BY blog_id"),
};

enum status export_features(struct db_batch *batch, enum export_kind kind,
                            db_row_function *function, void *context)
{
    db_batch_stream(batch, &export_statements[kind], NULL, 0, function, context);
    return db_batch_run(batch);
}

enum status export_csv(struct db *db, enum export_kind kind, db_line_function *function,
                       void *context)
{
    enum status status = db_script(db, "BEGIN READ ONLY");
    if (status == STATUS_OK)
        status = db_copy_out(db, csv[kind], function, context);
    return status != STATUS_OK ? status : db_continue(db, "COMMIT");
}

/* One user ----------------------------------------------------------------------------------- */

const struct export_file export_files[] = {
    {"account.jsonl", "the account: without the password, which is not kept as such"},
    {"sessions.jsonl", "logins that have not expired"},
    {"albums.jsonl", "albums"},
    {"album-photos.jsonl", "the photos in them"},
    {"places.jsonl", "points of interest"},
    {"place-photos.jsonl", "the photos of them"},
    {"blogs.jsonl", "blogs, with the votes on them"},
    {"comments.jsonl", "comments that the user wrote"},
    {"received-comments.jsonl",
     "comments by others on what is the user's, with the user's answers"},
    {"votes.jsonl", "what the user voted for"},
    {"recommendations.jsonl", "what the user recommends"},
    {"rewards.jsonl", "rewards for blogs"},
    {.name = NULL},
};

#define ROWS(name, query)                                                              \
    {                                                                                  \
        (name), "SELECT row_to_json(t)::text FROM (" query ") t", "t", false, DB_ADMIN \
    }

/* In the order of export_files. */
const struct db_statement export_file_statements[] = {
    ROWS("export_user_account",
         "SELECT user_id AS \"userID\", email, name, icon, disabled, created_at AS created"
         " FROM user_account WHERE user_id = $1"),
    ROWS("export_user_sessions", "SELECT created_at AS created, expires_at AS expires FROM session"
                                 " WHERE user_id = $1 AND expires_at > now() ORDER BY created_at"),
    ROWS("export_user_albums",
         "SELECT album_id AS id, title, category, lat, lng, score, cover_photo_id AS cover,"
         " updated_at AS updated FROM album WHERE owner_id = $1 ORDER BY album_id"),
    ROWS("export_user_album_photos",
         "SELECT photo_id AS id, p.album_id AS album, position, thumbnail AS address, description"
         " FROM album_photo p JOIN album USING (album_id) WHERE owner_id = $1"
         " ORDER BY album_id, position"),
    ROWS("export_user_pois",
         "SELECT poi_id AS id, name, category, lat, lng, score, updated_at AS updated FROM poi"
         " WHERE owner_id = $1 ORDER BY poi_id"),
    ROWS("export_user_poi_photos",
         "SELECT photo_id AS id, p.poi_id AS poi, position, path AS address, description"
         " FROM poi_photo p JOIN poi USING (poi_id) WHERE owner_id = $1 ORDER BY poi_id, position"),
    ROWS("export_user_blogs",
         "SELECT b.blog_id AS id, type, lat, lng, title, content, post_date AS date, weather,"
         " reply_blog_id AS reply, zoom_level AS \"zoomLevel\", map_type AS \"mapType\","
         " user_category AS \"userCategory\", score, created_at AS created,"
         " v.description AS vote, (SELECT json_agg(json_build_object('description',"
         " c.description, 'votes', c.votes) ORDER BY position) FROM vote_choice c"
         " WHERE c.blog_id = b.blog_id) AS choices"
         " FROM blog b LEFT JOIN vote v USING (blog_id) WHERE author_id = $1 ORDER BY b.blog_id"),
    ROWS("export_user_comments",
         "SELECT comment_id AS id, album_id AS album, poi_id AS poi, blog_id AS blog, comment,"
         " created_at AS time, reply, replied_at AS \"replyTime\" FROM comment"
         " WHERE commenter_id = $1 ORDER BY comment_id"),
    ROWS("export_user_received",
         "SELECT c.comment_id AS id, c.album_id AS album, c.poi_id AS poi, c.blog_id AS blog,"
         " u.name AS commenter, c.comment, c.created_at AS time, c.reply,"
         " c.replied_at AS \"replyTime\" FROM comment c"
         " JOIN user_account u ON u.user_id = c.commenter_id"
         " LEFT JOIN album a ON a.album_id = c.album_id LEFT JOIN poi p ON p.poi_id = c.poi_id"
         " LEFT JOIN blog b ON b.blog_id = c.blog_id WHERE c.commenter_id <> $1"
         " AND $1 IN (a.owner_id, p.owner_id, b.author_id) ORDER BY c.comment_id"),
    ROWS("export_user_ballots",
         "SELECT b.blog_id AS blog, c.description AS choice, cast_at AS cast FROM ballot b"
         " JOIN vote_choice c USING (blog_id, position) WHERE user_id = $1 ORDER BY cast_at"),
    ROWS("export_user_recommendations",
         "SELECT album_id AS album, poi_id AS poi, blog_id AS blog, recommended_at AS recommended"
         " FROM recommendation WHERE user_id = $1 ORDER BY recommended_at"),
    ROWS("export_user_rewards",
         "SELECT blog_id AS blog, amount, credited_on AS day FROM ledger WHERE user_id = $1"
         " ORDER BY entry_id"),
    DB_STATEMENTS_END,
};

enum status export_file_rows(struct db_batch *batch, size_t file, int64_t user_id,
                             db_row_function *function, void *context)
{
    DB_STREAM(batch, &export_file_statements[file], function, context, db_integer(user_id));
    return db_batch_run(batch);
}
