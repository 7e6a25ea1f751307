#include "settings/wording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

enum { WORDS_MOST = 65536 }; /* bytes */

/* NULL, or why not. */
static const char *read_words(const char *path, char text[static WORDS_MOST + 1])
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return strerror(errno);
    size_t length = fread(text, 1, WORDS_MOST + 1, file);
    bool is_read = !ferror(file);
    fclose(file);
    if (!is_read || length > WORDS_MOST)
        return is_read ? "it has more than 64 KiB" : "it cannot be read";
    text[length] = '\0';
    return strlen(text) == length && text_is_valid(text, length) ? NULL : "it is no text in UTF-8";
}

static char *number(struct arena *arena, int64_t value)
{
    return arena_format(arena, "%lld", (long long)value);
}

/* The triggers of the schema run where mapdiary.rules is set. */
static void set_settings(const struct config *config, struct wording *wording)
{
    struct arena *arena = wording->arena;
    bool has_rules = wording->held_words != NULL || config->first_week_pieces > 0 ||
                     config->first_week_comments > 0 || config->first_week_photos > 0;
    const struct db_setting settings[] = {
        {"mapdiary.public_url", arena_format(arena, "%s", config->site)},
        {"mapdiary.first_week_pieces", number(arena, config->first_week_pieces)},
        {"mapdiary.first_week_comments", number(arena, config->first_week_comments)},
        {"mapdiary.first_week_photos", number(arena, config->first_week_photos)},
        {has_rules ? "mapdiary.rules" : NULL, "on"},
        {NULL, NULL},
    };
    _Static_assert(sizeof settings == sizeof wording->settings, "each setting has a place");
    memcpy(wording->settings, settings, sizeof settings);
}

static bool read_rules(const struct config *config, const char *path, struct wording *wording)
{
    char *text = arena_take(wording->arena, WORDS_MOST + 2), reason[512];
    const char *wrong = *config->held_words != '\0' ? read_words(config->held_words, text) : NULL;
    if (wrong != NULL) {
        snprintf(reason, sizeof reason, "%.400s: %s", config->held_words, wrong);
        config_complain(config, path, "held_words", reason);
    } else if (*text != '\0') {
        wording->held_words = word_list_read(wording->arena, text);
    }
    set_settings(config, wording);
    return wrong == NULL;
}

static bool read_mail_texts(const struct config *config, const char *path,
                            struct mail_texts **texts)
{
    *texts = mail_texts_read(config->mail_directory);
    if (*texts == NULL)
        config_complain(config, path, "mail_directory",
                        "without texts of mails, nobody can register or get a new password");
    else if (!mail_texts_have(*texts, config->mail_language))
        log_warning("mail_language: %s has no folder '%s', so mails are in '%s'",
                    config->mail_directory, config->mail_language, *mail_texts_languages(*texts));
    return *texts != NULL;
}

bool wording_read(const struct config *config, const char *path, struct wording *wording)
{
    wording->arena = arena_new();
    bool has_rules = read_rules(config, path, wording);
    return read_mail_texts(config, path, &wording->mail_texts) && has_rules;
}

void wording_free(struct wording *wording)
{
    arena_free(&wording->arena);
    mail_texts_free(&wording->mail_texts);
    *wording = (struct wording){0};
}
