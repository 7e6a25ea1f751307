#include "store/comment.h"

#include "store/statements.h"

#define COMMENTS_ON(column)                                                 \
    "SELECT c.created_at, u.name, u.icon, c.comment, c.replied_at, c.reply" \
    " FROM comment c JOIN user_account u ON u.user_id = c.commenter_id"     \
    " WHERE c." column " = $1 ORDER BY c.created_at, c.comment_id"

const struct db_statement comment_statements[] = {
    [COMMENT_ON_ALBUM] = {"comment_on_album", COMMENTS_ON("album_id"), "ztttzt", false},
    [COMMENT_ON_POI] = {"comment_on_poi", COMMENTS_ON("poi_id"), "ztttzt", false},
    [COMMENT_ON_BLOG] = {"comment_on_blog", COMMENTS_ON("blog_id"), "ztttzt", false},
    DB_STATEMENTS_END,
};

const struct db_rows *comments_add(struct db_batch *batch, enum comment_subject subject, int64_t id)
{
    return DB_ADD(batch, &comment_statements[subject], db_integer(id));
}

struct comments comments_read(const struct db_rows *rows, struct arena *arena)
{
    struct comments comments = {.count = db_rows_count(rows)};
    comments.list = arena_take_array(arena, comments.count, sizeof *comments.list);
    for (size_t i = 0; i < comments.count; i++) {
        struct comment *comment = &comments.list[i];
        struct db_row row = db_row(rows, i);
        comment->time = db_read_epoch(&row);
        comment->commenter_name = db_read_text(&row);
        comment->commenter_icon = db_read_text(&row);
        comment->text = db_read_text(&row);
        comment->reply_time = db_read_epoch(&row);
        comment->reply = db_read_text(&row);
    }
    return comments;
}
