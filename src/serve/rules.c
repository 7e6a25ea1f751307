#include "serve/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
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

static char *words_of(const char *path)
{
    char *text = memory_zeroed(1, WORDS_MOST + 2);
    const char *wrong = *path != '\0' ? read_words(path, text) : NULL;
    if (wrong == NULL)
        return text;
    log_error("held_words: %s: %s; nothing is held back", path, wrong);
    *text = '\0';
    return text;
}

struct db_rules rules_read(const struct config *config)
{
    return (struct db_rules){.held_words = words_of(config->held_words),
                             .first_week = {config->first_week_pieces, config->first_week_comments,
                                            config->first_week_photos}};
}

void rules_free(struct db_rules *rules)
{
    free(rules->held_words);
    rules->held_words = NULL;
}
