#include "ctl/piece.h"

#include "base/log.h"
#include "ctl/decide.h"
#include "ctl/groups.h"
#include "store/album.h"
#include "store/blog.h"
#include "store/poi.h"

const char *const subject_words_with_photos[] = {"album", "poi", NULL};

static const char *const album[] = {"albumID",    "albumTitle", "cover",     "category", "#lat",
                                    "#lng",       "ownerID",    "ownerName", "updated",  "score",
                                    "visibility", "hidden",     "version",   NULL};

static const char *const poi[] = {"POIID",     "name",    "category", "#lat",   "#lng", "ownerID",
                                  "ownerName", "updated", "score",    "hidden", NULL};

static const char *const blog[] = {
    "blogID",    "authorID",     "authorName", "type",    "#lat",        "#lng",
    "blogTitle", "blogContent",  "postDate",   "weather", "replyBlogID", "zoomLevel",
    "mapType",   "userCategory", "score",      "created", "visibility",  "hidden",
    "version",   "publicDay",    NULL};

static const char *const album_photos[] = {"photoID", "thumbnail", "description", "hidden", NULL};

static const char *const poi_photos[] = {"photoID", "photoPath", "description", "hidden", NULL};

static const char *const comments[] = {"commentID",     "time",    "commenterID",
                                       "commenterName", "comment", "replyTime",
                                       "reply",         "hidden",  NULL};

static const char *const vote[] = {"description", "closed", NULL};

static const char *const choices[] = {"choice", "description", "votes", NULL};

static const struct {
    enum status (*show)(struct db_batch *batch, int64_t id, struct piece_rows *rows);
    const char *const *piece, *const *photos;
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

int piece_changed_meanwhile(enum subject subject, int64_t id, int64_t version)
{
    log_error("%s %lld: changed meanwhile: it has version %lld", subject_names[subject],
              (long long)id, (long long)version);
    return EXIT_FAILED;
}

/* Hiding ------------------------------------------------------------------------------------- */

static const struct parameter hide_parameters[] = DECIDE_PARAMETERS(SUBJECT_PARAMETER, true);
static const struct parameter unhide_parameters[] = DECIDE_PARAMETERS(SUBJECT_PARAMETER, false);

const struct command piece_commands[] = {
    {.name = "hide",
     .summary = "hide an album, a place or a blog from all readers except the owner",
     .details =
         "The decision upholds the open reports of the piece. The owner and the reporters are\n"
         "told by mail. report show and decision list have the decision.",
     .parameters = hide_parameters,
     .run = decide_about},
    {.name = "unhide",
     .summary = "show a hidden or held piece again",
     .details = "The owner is told by mail. The decision dismisses the open reports of the piece.",
     .parameters = unhide_parameters,
     .run = decide_about},
    COMMANDS_END,
};
