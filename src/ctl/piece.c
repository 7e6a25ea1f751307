#include "ctl/piece.h"

#include "store/album.h"
#include "store/blog.h"
#include "store/poi.h"

const char *const subject_words_with_photos[] = {"album", "poi", NULL};

static const struct column album[] = {
    {"albumID", COLUMN_INTEGER},
    {"albumTitle", COLUMN_TEXT},
    {"cover", COLUMN_INTEGER},
    {"category", COLUMN_INTEGER},
    {"lat", COLUMN_DECIMAL},
    {"lng", COLUMN_DECIMAL},
    {"ownerID", COLUMN_INTEGER},
    {"ownerName", COLUMN_TEXT},
    {"updated", COLUMN_TIME},
    {"score", COLUMN_INTEGER},
    {"visibility", COLUMN_TEXT},
    {"hidden", COLUMN_TEXT},
    COLUMNS_END,
};

static const struct column poi[] = {
    {"POIID", COLUMN_INTEGER},
    {"name", COLUMN_TEXT},
    {"category", COLUMN_INTEGER},
    {"lat", COLUMN_DECIMAL},
    {"lng", COLUMN_DECIMAL},
    {"ownerID", COLUMN_INTEGER},
    {"ownerName", COLUMN_TEXT},
    {"updated", COLUMN_TIME},
    {"score", COLUMN_INTEGER},
    {"hidden", COLUMN_TEXT},
    COLUMNS_END,
};

static const struct column blog[] = {
    {"blogID", COLUMN_INTEGER},
    {"authorID", COLUMN_INTEGER},
    {"authorName", COLUMN_TEXT},
    {"type", COLUMN_TEXT},
    {"lat", COLUMN_DECIMAL},
    {"lng", COLUMN_DECIMAL},
    {"blogTitle", COLUMN_TEXT},
    {"blogContent", COLUMN_TEXT},
    {"postDate", COLUMN_DATE},
    {"weather", COLUMN_TEXT},
    {"replyBlogID", COLUMN_INTEGER},
    {"zoomLevel", COLUMN_INTEGER},
    {"mapType", COLUMN_INTEGER},
    {"userCategory", COLUMN_TEXT},
    {"score", COLUMN_INTEGER},
    {"created", COLUMN_TIME},
    {"visibility", COLUMN_TEXT},
    {"hidden", COLUMN_TEXT},
    COLUMNS_END,
};

static const struct column album_photos[] = {
    {"photoID", COLUMN_INTEGER},
    {"thumbnail", COLUMN_TEXT},
    {"description", COLUMN_TEXT},
    {"hidden", COLUMN_TEXT},
    COLUMNS_END,
};

static const struct column poi_photos[] = {
    {"photoID", COLUMN_INTEGER},
    {"photoPath", COLUMN_TEXT},
    {"description", COLUMN_TEXT},
    {"hidden", COLUMN_TEXT},
    COLUMNS_END,
};

static const struct column comments[] = {
    {"commentID", COLUMN_INTEGER},  {"time", COLUMN_TIME},    {"commenterID", COLUMN_INTEGER},
    {"commenterName", COLUMN_TEXT}, {"comment", COLUMN_TEXT}, {"replyTime", COLUMN_TIME},
    {"reply", COLUMN_TEXT},         {"hidden", COLUMN_TEXT},  COLUMNS_END,
};

static const struct column vote[] = {
    {"description", COLUMN_TEXT},
    {"closed", COLUMN_TIME},
    COLUMNS_END,
};

static const struct column choices[] = {
    {"choice", COLUMN_INTEGER},
    {"description", COLUMN_TEXT},
    {"votes", COLUMN_INTEGER},
    COLUMNS_END,
};

static const struct {
    enum status (*show)(struct db_batch *batch, int64_t id, struct piece_rows *rows);
    const struct column *piece, *photos;
} kinds[SUBJECT_COUNT] = {
    [SUBJECT_ALBUM] = {album_show, album, album_photos},
    [SUBJECT_POI] = {poi_show, poi, poi_photos},
    [SUBJECT_BLOG] = {blog_show, blog, NULL},
};

static void show_vote(struct output *out, const struct piece_rows *rows)
{
    if (rows->vote == NULL || db_rows_count(rows->vote) == 0)
        return;
    struct db_row row = db_row(rows->vote, 0);
    output_object(out, "vote");
    output_columns(out, vote, &row);
    output_list_of(out, "choices", choices, rows->choices);
    output_end(out);
}

static void show_rows(struct output *out, enum subject subject, const struct piece_rows *rows)
{
    struct db_row row = db_row(rows->piece, 0);
    output_object(out, NULL);
    output_columns(out, kinds[subject].piece, &row);
    if (rows->photos != NULL)
        output_list_of(out, "photos", kinds[subject].photos, rows->photos);
    show_vote(out, rows);
    output_list_of(out, "comments", comments, rows->comments);
    output_end(out);
}

int piece_show(struct invocation *run, enum subject subject, int64_t id)
{
    struct piece_rows rows;
    enum status status = kinds[subject].show(run->batch, id, &rows);
    if (status == STATUS_OK)
        show_rows(run->out, subject, &rows);
    return command_end(status, "%s %lld", subject_names[subject], (long long)id);
}
