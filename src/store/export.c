#include "store/export.h"

#include "store/addresses.h"
#include "store/registry.h"

/* clang-format off */
#define OF_SOURCE(table, key)                                                             \
    " CROSS JOIN service o LEFT JOIN " table "_source x ON x." key " = t." key            \
    " ORDER BY t." key
/* What an operator has hidden is nobody's but its owner's, also where it is imported. */
#define SHOWN "CASE WHEN t.hidden IS NULL THEN visibility ELSE 'private' END"
#define POIS                                                                              \
    "SELECT coalesce(x.identifier, t.poi_id::text), coalesce(x.source, o.name), t.name,"  \
    " category, lat::text, lng::text, email, score FROM poi t"                            \
    " JOIN user_account u ON u.user_id = owner_id AND t.hidden IS NULL" OF_SOURCE("poi", "poi_id")
#define ALBUMS                                                                            \
    "SELECT coalesce(x.identifier, t.album_id::text), coalesce(x.source, o.name), title," \
    " category, lat::text, lng::text, email, score, " SHOWN " FROM album t"               \
    " JOIN user_account u ON u.user_id = owner_id" OF_SOURCE("album", "album_id")
/* The source of what it quotes is there where it is another one. */
#define BLOGS                                                                             \
    "SELECT coalesce(x.identifier, t.blog_id::text), coalesce(x.source, o.name), email,"  \
    " type, lat::text, lng::text, title, content, post_date, weather,"                    \
    " coalesce(q.identifier, reply_blog_id::text), CASE WHEN reply_blog_id IS NOT NULL"   \
    " THEN nullif(coalesce(q.source, o.name), coalesce(x.source, o.name)) END,"           \
    " zoom_level, map_type, user_category, score, " SHOWN " FROM blog t"                  \
    " LEFT JOIN blog_source q ON q.blog_id = t.reply_blog_id"                             \
    " JOIN user_account u ON u.user_id = author_id" OF_SOURCE("blog", "blog_id")
/* clang-format on */

const struct db_statement export_statements[] = {
    [EXPORT_POIS] = {"export_pois", POIS, "tttsttti", false, DB_ADMIN},
    [EXPORT_ALBUMS] = {"export_albums", ALBUMS, "tttstttit", false, DB_ADMIN},
    [EXPORT_BLOGS] = {"export_blogs", BLOGS, "ttttttttdtttsstit", false, DB_ADMIN},
    DB_STATEMENTS_END,
};

enum status export_rows(struct db_batch *batch, enum export_kind kind, db_row_function *function,
                        void *context)
{
    db_batch_stream(batch, &export_statements[kind], NULL, 0, function, context);
    return db_batch_run(batch);
}

#define CSV(query) "COPY (" query ") TO STDOUT (FORMAT csv)"

static const char *const csv[EXPORT_KIND_COUNT] = {
    [EXPORT_POIS] = CSV(POIS), [EXPORT_ALBUMS] = CSV(ALBUMS), [EXPORT_BLOGS] = CSV(BLOGS)};

enum status export_csv(struct db *db, enum export_kind kind, db_line_function *function,
                       void *context)
{
    enum status status = db_script(db, "BEGIN READ ONLY");
    if (status == STATUS_OK)
        status = db_copy_out(db, csv[kind], function, context);
    return status != STATUS_OK ? status : db_continue(db, "COMMIT");
}

/* One user ----------------------------------------------------------------------------------- */

#define MOMENT(column)                                     \
    "to_char(" column ", 'YYYY-MM-DD\"T\"HH24:MI:SS') || " \
    "rtrim(to_char(" column ", '.US'), '.0') || to_char(" column ", 'TZH:TZM')"

/* clang-format off */
const struct db_statement export_file_statements[] = {
    [EXPORT_ACCOUNT] = {"export_account",
        "SELECT user_id, email, name, " ICON_ADDRESS("u") ", disabled, blocked, " MOMENT("created_at")
        ", language FROM user_account u WHERE user_id = $1",
        "ltttbbtt", false, DB_ADMIN},
    [EXPORT_SESSIONS] = {"export_sessions",
        "SELECT " MOMENT("created_at") ", " MOMENT("expires_at") " FROM session"
        " WHERE user_id = $1 AND expires_at > now() ORDER BY created_at",
        "tt", false, DB_ADMIN},
    [EXPORT_MAILS] = {"export_mails",
        "SELECT recipient, state::text, " MOMENT("created_at") ", " MOMENT("ended_at") ", reply"
        " FROM mail WHERE user_id = $1 ORDER BY mail_id",
        "ttttt", false, DB_ADMIN},
    [EXPORT_REPORTS] = {"export_reports",
        "SELECT thing_name(album_id, poi_id, blog_id, comment_id, photo_id), reason, state::text, "
        MOMENT("reported_at") " FROM report WHERE reporter_id = $1 ORDER BY report_id",
        "tttt", false, DB_ADMIN},
    [EXPORT_DECISIONS] = {"export_decisions",
        "SELECT thing, action::text, reason, rule, " MOMENT("decided_at")
        " FROM decision WHERE owner_id = $1 ORDER BY decision_id",
        "ttttt", false, DB_ADMIN},
    [EXPORT_OWN_ALBUMS] = {"export_own_albums",
        "SELECT album_id, title, category, lat::text, lng::text, score, cover_photo_id, "
        MOMENT("updated_at") ", visibility FROM album WHERE owner_id = $1 ORDER BY album_id",
        "ltsttiltt", false, DB_ADMIN},
    [EXPORT_ALBUM_PHOTOS] = {"export_album_photos",
        "SELECT photo_id, p.album_id, position, " PHOTO_ADDRESS("p", "large")
        ", description FROM photo p JOIN album USING (album_id) WHERE owner_id = $1"
        " ORDER BY album_id, position",
        "llitt", false, DB_ADMIN},
    [EXPORT_OWN_POIS] = {"export_own_pois",
        "SELECT poi_id, name, category, lat::text, lng::text, score, " MOMENT("updated_at")
        " FROM poi WHERE owner_id = $1 ORDER BY poi_id",
        "ltsttit", false, DB_ADMIN},
    [EXPORT_POI_PHOTOS] = {"export_poi_photos",
        "SELECT photo_id, p.poi_id, position, " PHOTO_ADDRESS("p", "large")
        ", description FROM photo p JOIN poi USING (poi_id) WHERE owner_id = $1 ORDER BY poi_id, position",
        "llitt", false, DB_ADMIN},
    [EXPORT_OWN_BLOGS] = {"export_own_blogs",
        "SELECT b.blog_id, type, lat::text, lng::text, title, content, post_date, weather,"
        " reply_blog_id, zoom_level, map_type, user_category, score, " MOMENT("created_at") ","
        " visibility, v.description, (SELECT string_agg(c.votes || ' ' || c.description, E'\\n'"
        " ORDER BY position) FROM vote_choice c WHERE c.blog_id = b.blog_id)"
        " FROM blog b LEFT JOIN vote v USING (blog_id) WHERE author_id = $1 ORDER BY b.blog_id",
        "ltttttdtlsstitttt", false, DB_ADMIN},
    [EXPORT_COMMENTS] = {"export_comments",
        "SELECT comment_id, album_id, poi_id, blog_id, comment, " MOMENT("created_at") ", reply, "
        MOMENT("replied_at") " FROM comment WHERE commenter_id = $1 ORDER BY comment_id",
        "lllltttt", false, DB_ADMIN},
    [EXPORT_RECEIVED_COMMENTS] = {"export_received_comments",
        "SELECT c.comment_id, c.album_id, c.poi_id, c.blog_id, u.name, c.comment, "
        MOMENT("c.created_at") ", c.reply, " MOMENT("c.replied_at") " FROM comment c"
        " JOIN user_account u ON u.user_id = c.commenter_id"
        " LEFT JOIN album a ON a.album_id = c.album_id LEFT JOIN poi p ON p.poi_id = c.poi_id"
        " LEFT JOIN blog b ON b.blog_id = c.blog_id WHERE c.commenter_id <> $1"
        " AND $1 IN (a.owner_id, p.owner_id, b.author_id) ORDER BY c.comment_id",
        "llllttttt", false, DB_ADMIN},
    [EXPORT_BALLOTS] = {"export_ballots",
        "SELECT b.blog_id, c.description, " MOMENT("cast_at") " FROM ballot b"
        " JOIN vote_choice c USING (blog_id, position) WHERE user_id = $1 ORDER BY cast_at",
        "ltt", false, DB_ADMIN},
    [EXPORT_RECOMMENDATIONS] = {"export_recommendations",
        "SELECT album_id, poi_id, blog_id, " MOMENT("recommended_at")
        " FROM recommendation WHERE user_id = $1 ORDER BY recommended_at",
        "lllt", false, DB_ADMIN},
    [EXPORT_REWARDS] = {"export_rewards",
        "SELECT blog_id, amount, credited_on FROM ledger WHERE user_id = $1 ORDER BY entry_id",
        "lid", false, DB_ADMIN},
    [EXPORT_ORIGINALS] = {"export_originals",
        "SELECT photo_id, encode(original_sha256, 'hex') FROM photo p"
        " LEFT JOIN album a USING (album_id) LEFT JOIN poi o USING (poi_id)"
        " WHERE p.name IS NOT NULL AND $1 IN (a.owner_id, o.owner_id) ORDER BY photo_id",
        "lt", false, DB_ADMIN},
    DB_STATEMENTS_END,
};
/* clang-format on */

enum status export_file_rows(struct db_batch *batch, enum export_file file, int64_t user_id,
                             db_row_function *function, void *context)
{
    DB_STREAM(batch, &export_file_statements[file], function, context, db_integer(user_id));
    return db_batch_run(batch);
}

enum status export_originals_of(struct db_batch *batch, int64_t user_id, db_row_function *function,
                                void *context)
{
    return export_file_rows(batch, EXPORT_ORIGINALS, user_id, function, context);
}
