#include "http/multipart_form.h"

/* Not all of it: what a file is written with is large. */
void multipart_form_begin(struct multipart_form *reading, struct form *form,
                          const struct body_means *means)
{
    reading->form = form;
    reading->means = means;
    reading->part = (struct part){.kind = PART_ABSENT};
    reading->texts_length = 0;
}

static enum status begin(void *context, const struct part *part)
{
    struct multipart_form *reading = context;
    reading->part = *part;
    reading->means->texts->length = 0;
    return part->kind == PART_FILE ? upload_begin(&reading->file, reading->means->files)
                                   : STATUS_OK;
}

static enum status add_text(struct multipart_form *reading, const char *bytes, size_t length)
{
    reading->texts_length += length;
    if (reading->texts_length > FORM_TEXTS_MOST)
        return STATUS_REQUEST_TOO_LARGE;
    buffer_add(reading->means->texts, bytes, length);
    return STATUS_OK;
}

static enum status add(void *context, const char *bytes, size_t length)
{
    struct multipart_form *reading = context;
    if (reading->part.kind == PART_FILE)
        return upload_add(&reading->file, bytes, length);
    return reading->part.kind == PART_TEXT ? add_text(reading, bytes, length) : STATUS_OK;
}

static enum status end_file(struct multipart_form *reading)
{
    struct upload *upload = &reading->file.upload;
    enum status status = upload_end(&reading->file);
    bool is_taken = status == STATUS_OK && form_add_upload(reading->form, reading->part.name,
                                                           upload, reading->means->arena);
    if (!is_taken)
        upload_close(upload);
    return status;
}

static void end_text(struct multipart_form *reading)
{
    struct buffer *texts = reading->means->texts;
    *buffer_room(texts, 1) = '\0';
    form_add(reading->form, reading->part.name, texts->data, texts->length, reading->means->arena);
}

static enum status end(void *context)
{
    struct multipart_form *reading = context;
    enum part_kind kind = reading->part.kind;
    enum status status = STATUS_OK;
    if (kind == PART_TEXT)
        end_text(reading);
    if (kind == PART_FILE)
        status = end_file(reading);
    reading->part.kind = PART_ABSENT;
    return status == STATUS_OK && !form_is_open(reading->form) ? reading->form->status : status;
}

const struct multipart_taker multipart_form_taker = {begin, add, end};

void multipart_form_end(struct multipart_form *reading)
{
    if (reading->part.kind == PART_FILE)
        upload_close(&reading->file.upload);
}
