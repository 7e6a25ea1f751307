#include "ops/answer.h"

void answer_location(struct buffer *out, const char *lat, const char *lng)
{
    xml_start(out, "Location");
    xml_add_text(out, "lat", lat);
    xml_add_text(out, "lng", lng);
    xml_end(out, "Location");
}

void answer_date(struct buffer *out, const char *name, struct date date)
{
    xml_start(out, name);
    xml_add_integer(out, "year", date.year);
    xml_add_two_digits(out, "month", date.month);
    xml_add_two_digits(out, "day", date.day);
    xml_end(out, name);
}

void answer_piece(struct buffer *out, const struct piece *piece)
{
    xml_add_integer(out, "category", piece->category);
    answer_location(out, piece->lat, piece->lng);
    xml_add_text(out, "ownerName", piece->owner_name);
    xml_add_text(out, "ownerIcon", piece->owner_icon);
    answer_date(out, "updateDate", piece->updated);
    xml_add_integer(out, "score", piece->score);
}

void answer_photos(struct buffer *out, const struct photos *photos, const char *id_name,
                   const char *address_name)
{
    if (photos->count == 0)
        return;
    xml_start(out, "photos");
    for (size_t i = 0; i < photos->count; i++) {
        xml_start_item(out, "photo", i + 1);
        if (id_name != NULL)
            xml_add_integer(out, id_name, photos->list[i].photo_id);
        xml_add_text(out, address_name, photos->list[i].address);
        xml_add_text(out, "description", photos->list[i].description);
        xml_end_item(out, "photo", i + 1);
    }
    xml_end(out, "photos");
}

static void answer_reply(struct buffer *out, const struct comment *comment)
{
    if (comment->reply == NULL)
        return;
    xml_start(out, "authorReply");
    xml_add_integer(out, "time", comment->reply_time);
    xml_add_text(out, "reply", comment->reply);
    xml_end(out, "authorReply");
}

void answer_comments(struct buffer *out, const struct comments *comments)
{
    if (comments->count == 0)
        return;
    xml_start(out, "comments");
    for (size_t i = 0; i < comments->count; i++) {
        const struct comment *comment = &comments->list[i];
        xml_start_item(out, "comment", i + 1);
        xml_add_integer(out, "time", comment->time);
        xml_add_text(out, "commenterName", comment->commenter_name);
        xml_add_text(out, "commenterIcon", comment->commenter_icon);
        xml_add_text(out, "comment", comment->text);
        answer_reply(out, comment);
        xml_end_item(out, "comment", i + 1);
    }
    xml_end(out, "comments");
}

enum status answer_list_row(void *context, struct db_row *row)
{
    struct answer_list *list = context;
    struct buffer *out = list->call->answer;
    xml_start_item(out, list->item, ++list->count);
    xml_add_integer(out, list->id, db_read_integer(row));
    xml_add_text(out, list->label, db_read_text(row));
    xml_end_item(out, list->item, list->count);
    return reply_send_if_large(list->call->reply);
}
