#include "ctl/piece.h"

#include "store/album.h"
#include "store/blog.h"
#include "store/poi.h"

const char *const subject_words_with_photos[] = {"album", "poi", NULL};

static void show_vote(struct output *out, const struct piece_rows *rows)
{
    if (rows->vote == NULL || db_rows_count(rows->vote) == 0)
        return;
    struct db_row row = db_row(rows->vote, 0);
    output_object(out, "vote");
    output_fields(out, &row);
    output_rows(out, "choices", rows->choices);
    output_end(out);
}

static void show_rows(struct output *out, const struct piece_rows *rows)
{
    struct db_row row = db_row(rows->piece, 0);
    output_object(out, NULL);
    output_fields(out, &row);
    if (rows->photos != NULL)
        output_rows(out, "photos", rows->photos);
    show_vote(out, rows);
    output_rows(out, "comments", rows->comments);
    output_end(out);
}

int piece_show(struct invocation *run, enum subject subject, int64_t id)
{
    static enum status (*const show[SUBJECT_COUNT])(struct db_batch *, int64_t,
                                                    struct piece_rows *) = {
        [SUBJECT_ALBUM] = album_show, [SUBJECT_POI] = poi_show, [SUBJECT_BLOG] = blog_show};
    struct piece_rows rows;
    enum status status = show[subject](run->batch, id, &rows);
    if (status == STATUS_OK)
        show_rows(run->out, &rows);
    return command_end(status, "%s %lld", subject_names[subject], (long long)id);
}
