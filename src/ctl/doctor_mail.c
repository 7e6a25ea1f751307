#include "ctl/visit.h"
#include "mail/texts.h"
#include "store/mail.h"
#include "store/registry.h"
#include "store/trial.h"

enum { LATE = 15 * 60 }; /* seconds that no mail should wait */

static const char advice_of_texts[] =
    "mend what is named above, or bring back what the package has, then: "
    "sudo systemctl reload mapdiary";

/* By the database that the doctor has found good. */
static void report_queue(struct visit *visit)
{
    struct mail_queue queue = {0};
    struct trial trial;
    trial_open(&trial, visit->config.database, store_registry);
    enum status status = mail_look(trial.batch, &queue);
    trial_close(&trial);
    if (status != STATUS_OK) /* of which there is a finding already */
        return;
    visit_find(visit, "mail", queue.oldest < LATE,
               "systemctl status mapdiary-mail; mapdiaryctl mail list tells why they wait",
               "%lld mails wait, the first for %lld minutes", (long long)queue.waiting,
               (long long)queue.oldest / 60);
}

void visit_mail(struct visit *visit)
{
    struct mail_texts *texts = mail_texts_read(visit->config.mail_directory);
    if (texts == NULL)
        visit_find(visit, "mail", false, advice_of_texts, "%s: cannot be used, see above",
                   visit->config.mail_directory);
    else if (visit->has_database)
        report_queue(visit);
    mail_texts_free(&texts);
}
