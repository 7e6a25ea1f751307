#include "ops/answer.h"

void answer_location(struct xml_element *parent, const char *lat, const char *lng)
{
    struct xml_element *location = xml_add(parent, "Location");
    xml_add_text(location, "lat", lat);
    xml_add_text(location, "lng", lng);
}

void answer_date(struct xml_element *parent, const char *name, struct date date)
{
    struct xml_element *element = xml_add(parent, name);
    xml_add_integer(element, "year", date.year);
    xml_add_two_digits(element, "month", date.month);
    xml_add_two_digits(element, "day", date.day);
}

void answer_piece(struct xml_element *parent, const struct piece *piece)
{
    xml_add_integer(parent, "category", piece->category);
    answer_location(parent, piece->lat, piece->lng);
    xml_add_text(parent, "ownerName", piece->owner_name);
    xml_add_text(parent, "ownerIcon", piece->owner_icon);
    answer_date(parent, "updateDate", piece->updated);
    xml_add_integer(parent, "score", piece->score);
}

void answer_photos(struct xml_element *parent, const struct photos *photos, const char *id_name,
                   const char *address_name)
{
    if (photos->count == 0)
        return;
    struct xml_element *list = xml_add(parent, "photos");
    for (size_t i = 0; i < photos->count; i++) {
        struct xml_element *element = xml_add_item(list, "photo", i + 1);
        if (id_name != NULL)
            xml_add_integer(element, id_name, photos->list[i].photo_id);
        xml_add_text(element, address_name, photos->list[i].address);
        xml_add_text(element, "description", photos->list[i].description);
    }
}

static void answer_comment(struct xml_element *element, const struct comment *comment)
{
    xml_add_integer(element, "time", comment->time);
    xml_add_text(element, "commenterName", comment->commenter_name);
    xml_add_text(element, "commenterIcon", comment->commenter_icon);
    xml_add_text(element, "comment", comment->text);
    if (comment->reply == NULL)
        return;
    struct xml_element *reply = xml_add(element, "authorReply");
    xml_add_integer(reply, "time", comment->reply_time);
    xml_add_text(reply, "reply", comment->reply);
}

void answer_comments(struct xml_element *parent, const struct comments *comments)
{
    if (comments->count == 0)
        return;
    struct xml_element *list = xml_add(parent, "comments");
    for (size_t i = 0; i < comments->count; i++)
        answer_comment(xml_add_item(list, "comment", i + 1), &comments->list[i]);
}

void answer_list_begin(const struct answer_list *list)
{
    struct buffer *body = &list->call->reply->body;
    buffer_add_text(body, xml_declaration);
    xml_write_start(body, "response");
    xml_write_start(body, "status");
    buffer_add_text(body, "SUCCESS");
    xml_write_end(body, "status");
    xml_write_start(body, list->name);
}

enum status answer_list_row(void *context, struct db_row *row)
{
    struct answer_list *list = context;
    struct xml_element *item = xml_root_item(list->item, ++list->count);
    xml_add_integer(item, list->id, db_read_integer(row));
    xml_add_text(item, list->label, db_read_text(row));
    xml_write(item, &list->call->reply->body);
    xml_free(&item);
    return reply_send_if_large(list->call->reply);
}

void answer_list_end(const struct answer_list *list)
{
    struct buffer *body = &list->call->reply->body;
    xml_write_end(body, list->name);
    xml_write_end(body, "response");
    buffer_add_text(body, "\n");
}
