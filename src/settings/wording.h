/*
 * The files of operators beside the configuration: the words that hold texts back, and the texts of
 * mails. The master reads them, and its processes inherit them: so a file that cannot be read any
 * more takes nothing away from a service that runs.
 */
#ifndef MAPDIARY_SETTINGS_WORDING_H
#define MAPDIARY_SETTINGS_WORDING_H

#include "base/arena.h"
#include "base/config.h"
#include "db/options.h"
#include "mail/texts.h"
#include "words/list.h"

enum { WORDING_SETTINGS = 5 };

struct wording {
    struct arena *arena;
    /* Of the sessions of workers, by names that the schema asks for: the rules for writes, and the
     * beginning of the addresses of photos and icons. */
    struct db_setting settings[WORDING_SETTINGS + 1];
    const struct word_list *held_words; /* NULL: no word holds anything back */
    struct mail_texts *mail_texts;      /* NULL: they cannot be used */
};

/** False, logged, where a file cannot be used: then no word holds anything back, or there are no
 * texts. Ends with wording_free() in either case. */
bool wording_read(const struct config *config, const char *path, struct wording *wording);
void wording_free(struct wording *wording);

#endif
