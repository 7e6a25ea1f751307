#include "ctl/piece.h"

#include "store/overview.h"

const char *const subject_words_with_photos[] = {"album", "poi", NULL};

static void show_vote(struct output *out, const struct overview *overview)
{
    if (overview->vote == NULL || db_rows_count(overview->vote) == 0)
        return;
    struct db_row row = db_row(overview->vote, 0);
    output_object(out, "vote");
    output_fields(out, &row);
    output_rows(out, "choices", overview->choices);
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
        if (overview.photos != NULL)
            output_rows(run->out, "photos", overview.photos);
        show_vote(run->out, &overview);
        output_rows(run->out, "comments", overview.comments);
        output_end(run->out);
    }
    return command_end(status, "%s %lld", subject_names[subject], (long long)id);
}
