#include "ctl/decide.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/change.h"
#include "mail/texts.h"
#include "store/decision.h"

/* What is told on which occasion. */
static const struct {
    const char *name;
    enum mail_occasion mail;
} occasions[] = {
    {"hide", MAIL_HIDDEN},          {"unhide", MAIL_UNHIDDEN},
    {"block", MAIL_BLOCKED},        {"unblock", MAIL_UNBLOCKED},
    {"upheld", MAIL_REPORT_UPHELD}, {"dismissed", MAIL_REPORT_DISMISSED},
};

static enum mail_occasion occasion_of(const char *name)
{
    size_t i = 0;
    while (strcmp(occasions[i].name, name) != 0)
        i++;
    return occasions[i].mail;
}

/* Whoever has called sudo, if that is how root came to it. */
static const char *caller(void)
{
    const char *name = getenv("SUDO_USER");
    const struct passwd *user = getpwuid(getuid());
    if (name != NULL && *name != '\0' && getuid() == 0)
        return name;
    return user != NULL ? user->pw_name : "?";
}

/* Mails ---------------------------------------------------------------------------------------- */

struct telling {
    struct invocation *run;
    const struct decision *decision;
    struct mail_texts *texts;
};

/* "album:7" at https://diary.example/#album=7, "poi:7" at #POI=7; a user at no other than the
 * site's. */
static const char *address_of(const struct telling *telling, const char *site, const char *piece)
{
    struct arena *arena = telling->run->arena;
    const char *colon = strchr(piece, ':');
    for (int i = 0; i < SUBJECT_COUNT; i++)
        if (strncmp(piece, subject_names[i], (size_t)(colon - piece)) == 0)
            return arena_format(arena, "%s/#%s=%s", site, subject_kinds[i], colon + 1);
    return site;
}

static struct mail_text write_mail(const struct telling *telling,
                                   const struct decision_hearer *hearer)
{
    const struct config *config = &telling->run->config;
    struct arena *arena = telling->run->arena;
    const char *const languages[2] = {hearer->language, config->mail_language};
    struct mail_values values = {.site = config->site,
                                 .title = hearer->title,
                                 .thing = telling->decision->thing,
                                 .reason = telling->decision->reason,
                                 .rule = telling->decision->rule};
    values.address = address_of(telling, values.site, hearer->piece);
    values.contact = *config->contact != '\0' ? config->contact : config->mail_from;
    return mail_texts_fill(telling->texts, occasion_of(hearer->occasion), languages, &values,
                           arena);
}

/* The rows go when the batch goes on, in which the mails are written. */
struct mail {
    int64_t user_id;
    struct mail_text text;
};

static size_t write_mails(const struct telling *telling, const struct db_rows *hearers,
                          struct mail **mails)
{
    size_t count = 0;
    *mails = arena_take_array(telling->run->arena, db_rows_count(hearers), sizeof **mails);
    for (size_t i = 0; i < db_rows_count(hearers); i++) {
        struct decision_hearer hearer = decision_hearer_read(hearers, i);
        if (hearer.user_id != 0)
            (*mails)[count++] = (struct mail){hearer.user_id, write_mail(telling, &hearer)};
    }
    return count;
}

/* Deciding ------------------------------------------------------------------------------------- */

/* As many at a time as a batch has room for. */
static enum status put_mails(struct db_batch *batch, const struct mail *mails, size_t count)
{
    size_t next = 0;
    do {
        for (int i = 0; i < DB_BATCH_MOST && next < count; i++, next++)
            decision_mail_add(batch, mails[next].user_id, &mails[next].text);
        enum status status = next < count ? db_batch_run_open(batch) : db_batch_commit(batch);
        if (status != STATUS_OK)
            return status;
    } while (next < count);
    return STATUS_OK;
}

static enum status carry_out(const struct telling *telling)
{
    struct mail *mails = NULL;
    struct db_batch *batch = telling->run->batch;
    const struct db_rows *hearers = NULL, *published = NULL;
    enum status status = decision_make(batch, telling->decision, &hearers, &published);
    if (status == STATUS_OK)
        status = change_withdraw(telling->run, published);
    if (status != STATUS_OK)
        return status;
    size_t count = write_mails(telling, hearers, &mails);
    return put_mails(batch, mails, count);
}

int decide(struct invocation *run, const char *action, const char *thing, int64_t report_id)
{
    const struct value *values = run->values;
    const char *by = values[DECIDE_BY].text, *rule = values[DECIDE_RULE].text;
    const struct decision decision = {.thing = thing,
                                      .action = action,
                                      .by = by != NULL ? by : caller(),
                                      .reason = values[DECIDE_REASON].text,
                                      .rule = rule != NULL ? rule : "",
                                      .report_id = report_id};
    struct telling telling = {run, &decision, mail_texts_read(run->config.mail_directory)};
    enum status status = telling.texts != NULL ? carry_out(&telling) : STATUS_UNAVAILABLE;
    mail_texts_free(&telling.texts);
    return command_end(status, "%s", thing);
}

int decide_about(struct invocation *run)
{
    const struct value *what = &run->values[DECIDE_WHAT];
    bool is_piece = run->command->parameters[DECIDE_WHAT].type.kind == VALUE_SUBJECT;
    const char *kind = is_piece ? subject_names[what->subject] : run->group->name;
    return decide(run, run->command->name,
                  arena_format(run->arena, "%s:%lld", kind, (long long)what->number), 0);
}
