#include "jobs/metrics.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

static void add(struct buffer *out, const char *name, const char *type, const char *help)
{
    buffer_add_format(out, "# HELP mapdiary_%s %s\n# TYPE mapdiary_%s %s\n", name, help, name,
                      type);
}

static void describe(const struct delivery *delivery, struct buffer *out)
{
    add(out, "mails_total", "counter", "Mails handed in, by outcome; attempts count.");
    buffer_add_format(out,
                      "mapdiary_mails_total{outcome=\"sent\"} %lu\n"
                      "mapdiary_mails_total{outcome=\"deferred\"} %lu\n"
                      "mapdiary_mails_total{outcome=\"failed\"} %lu\n",
                      delivery->sent, delivery->deferred, delivery->failed);
    add(out, "mails_waiting", "gauge", "Mails of the outbox that wait.");
    buffer_add_format(out, "mapdiary_mails_waiting %lld\n", (long long)delivery->queue.waiting);
    add(out, "mail_oldest_seconds", "gauge", "How long the oldest waiting mail has waited.");
    buffer_add_format(out, "mapdiary_mail_oldest_seconds %lld\n",
                      (long long)delivery->queue.oldest);
    add(out, "mail_server_away", "gauge", "1 while the mail server takes no mails.");
    buffer_add_format(out, "mapdiary_mail_server_away %d\n", delivery->pause > 0);
}

static bool write_file(const char *path, const struct buffer *text)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return false;
    bool is_written = fwrite(text->data, 1, text->length, file) == text->length;
    return fclose(file) == 0 && is_written;
}

void metrics_write(const struct delivery *delivery)
{
    char path[4096];
    struct buffer text = {0};
    const char *wanted = delivery->config->mail_metrics;
    if (*wanted == '\0')
        return;
    describe(delivery, &text);
    snprintf(path, sizeof path, "%s.new", wanted);
    if (!write_file(path, &text) || rename(path, wanted) != 0)
        log_warning("mail_metrics: %s: %s", path, strerror(errno));
    buffer_free(&text);
}
