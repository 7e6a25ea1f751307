#include "store/overview.h"

#include "store/admin.h"

enum { PIECE = 0, COMMENTS = 3, PHOTOS = 6, VOTE = 8, CHOICES, BLOGS };

#define PLACE(alias) "to_json(" alias ".lat) AS lat, to_json(" alias ".lng) AS lng"
#define OWNER "u.user_id AS \"ownerID\", u.name::text AS \"ownerName\""

#define COMMENTS_ON(piece, key)                                                             \
    {                                                                                       \
        "overview_comments_" piece,                                                         \
            "SELECT c.comment_id AS \"commentID\", c.created_at AS time,"                   \
            " c.commenter_id AS \"commenterID\", u.name::text AS \"commenterName\","        \
            " c.comment::text, c.replied_at AS \"replyTime\", c.reply::text FROM comment c" \
            " JOIN user_account u ON u.user_id = c.commenter_id WHERE c." key " = $1"       \
            " ORDER BY c.created_at, c.comment_id",                                         \
            "lzlttzt", false                                                                \
    }
#define PHOTOS_OF(piece, key, address, shown)                                                   \
    {                                                                                           \
        "overview_photos_" piece,                                                               \
            "SELECT photo_id AS \"photoID\", " address "::text AS " shown ", description::text" \
            " FROM " piece "_photo WHERE " key " = $1 ORDER BY position",                       \
            "ltt", false                                                                        \
    }

const struct db_statement overview_statements[] = {
    [PIECE + SUBJECT_ALBUM] =
        {"overview_album",
         "SELECT a.album_id AS \"albumID\", a.title::text AS \"albumTitle\","
         " a.cover_photo_id AS cover, a.category, " PLACE(
             "a") ", " OWNER ","
                  " a.updated_at AS updated, a.score FROM album a"
                  " JOIN user_account u ON u.user_id = a.owner_id WHERE a.album_id = $1",
         "ltlsjjltzi", false},
    [PIECE + SUBJECT_POI] =
        {"overview_poi",
         "SELECT p.poi_id AS \"POIID\", p.name::text, p.category, " PLACE(
             "p") ", " OWNER ", p.updated_at AS updated, p.score FROM poi p"
                  " JOIN user_account u ON u.user_id = p.owner_id WHERE p.poi_id = $1",
         "ltsjjltzi", false},
    [PIECE + SUBJECT_BLOG] =
        {"overview_blog",
         "SELECT b.blog_id AS \"blogID\", u.user_id AS \"authorID\","
         " u.name::text AS \"authorName\", b.type, " PLACE(
             "b") ", b.title::text AS \"blogTitle\", b.content::text AS \"blogContent\","
                  " b.post_date AS \"postDate\", b.weather, b.reply_blog_id AS \"replyBlogID\","
                  " b.zoom_level AS \"zoomLevel\", b.map_type AS \"mapType\","
                  " b.user_category::text AS \"userCategory\", b.score, b.created_at AS created"
                  " FROM blog b JOIN user_account u ON u.user_id = b.author_id"
                  " WHERE b.blog_id = $1",
         "llttjjttdtlsstiz", false},
    [COMMENTS + SUBJECT_ALBUM] = COMMENTS_ON("album", "album_id"),
    [COMMENTS + SUBJECT_POI] = COMMENTS_ON("poi", "poi_id"),
    [COMMENTS + SUBJECT_BLOG] = COMMENTS_ON("blog", "blog_id"),
    [PHOTOS + SUBJECT_ALBUM] = PHOTOS_OF("album", "album_id", "thumbnail", "thumbnail"),
    [PHOTOS + SUBJECT_POI] = PHOTOS_OF("poi", "poi_id", "path", "\"photoPath\""),
    [VOTE] = {"overview_vote",
              "SELECT description::text, closed_at AS closed FROM vote WHERE blog_id = $1", "tz",
              false},
    [CHOICES] = {"overview_choices",
                 "SELECT position AS choice, description::text, votes FROM vote_choice"
                 " WHERE blog_id = $1 ORDER BY position",
                 "sti", false},
    [BLOGS] = {"overview_blogs",
               "SELECT b.blog_id AS \"blogID\", b.author_id AS \"authorID\", b.type,"
               " b.post_date AS \"postDate\", b.title::text AS \"blogTitle\", b.score"
               " FROM blog b WHERE $1::bigint IS NULL OR b.author_id = $1 ORDER BY b.blog_id"
               " LIMIT $2::bigint",
               "lltdti", false},
    DB_STATEMENTS_END,
};

static const struct db_rows *add(struct db_batch *batch, int statement, int64_t id)
{
    return DB_ADD(batch, &overview_statements[statement], db_integer(id));
}

enum status overview_read(struct db_batch *batch, enum subject subject, int64_t id,
                          struct overview *overview)
{
    bool is_blog = subject == SUBJECT_BLOG;
    *overview = (struct overview){
        .piece = add(batch, PIECE + (int)subject, id),
        .photos = is_blog ? NULL : add(batch, PHOTOS + (int)subject, id),
        .vote = is_blog ? add(batch, VOTE, id) : NULL,
        .choices = is_blog ? add(batch, CHOICES, id) : NULL,
        .comments = add(batch, COMMENTS + (int)subject, id),
    };
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    return db_rows_count(overview->piece) == 0 ? subject_absent(subject) : STATUS_OK;
}

enum status overview_blogs(struct db_batch *batch, int64_t user_id, int64_t most,
                           db_row_function *function, void *context)
{
    DB_STREAM(batch, &overview_statements[BLOGS], function, context, db_id(user_id), db_id(most));
    return db_batch_run(batch);
}
