#include "ctl/piece.h"

#include "store/overview.h"

const char *const subject_words_with_photos[] = {"album", "poi", NULL};

static void show_rows(struct output *out, const char *name, const struct db_rows *rows)
{
    if (rows == NULL)
        return;
    output_list(out, name);
    for (size_t i = 0; i < db_rows_count(rows); i++) {
        struct db_row row = db_row(rows, i);
        (void)output_row(out, &row);
    }
    output_end(out);
}

static void show_vote(struct output *out, const struct overview *overview)
{
    if (overview->vote == NULL || db_rows_count(overview->vote) == 0)
        return;
    struct db_row row = db_row(overview->vote, 0);
    output_object(out, "vote");
    output_fields(out, &row);
    show_rows(out, "choices", overview->choices);
    output_end(out);
}

int piece_show(struct invocation *run, enum subject subject, int64_t id)
{
    struct overview overview;
    enum status status = overview_read(run->batch, subject, id, &overview);
    if (status == STATUS_OK) {
        struct db_row row = db_row(overview.piece, 0);
        output_object(run->out, NULL);
        output_fields(run->out, &row);
        show_rows(run->out, "photos", overview.photos);
        show_vote(run->out, &overview);
        show_rows(run->out, "comments", overview.comments);
        output_end(run->out);
    }
    return command_end(status, "%s %lld", subject_names[subject], (long long)id);
}
