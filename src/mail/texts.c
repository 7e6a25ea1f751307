#include "mail/texts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    LANGUAGES_MOST = 64,
    LANGUAGE_LONGEST = 35, /* RFC 5646, section 4.4.1 */
    FILE_MOST = 20000,     /* bytes */
    SUBJECT_MOST = 150,    /* characters */
    LINE_MOST = 500,       /* bytes, of the 998 of RFC 5322, section 2.1.1; {link} may be as long */
};

struct mail_texts {
    struct arena *arena;
    size_t count;
    const char *languages[LANGUAGES_MOST + 1];
    struct mail_text texts[LANGUAGES_MOST][MAIL_OCCASIONS];
};

/* What a mail has beside {site}. */
enum topic { TOPIC_ACCOUNT, TOPIC_TOKEN, TOPIC_DECISION, TOPIC_REPORT };
enum {
    OF_TOKEN = 1 << TOPIC_TOKEN,
    OF_DECISION = 1 << TOPIC_DECISION,
    OF_REPORT = 1 << TOPIC_REPORT,
    OF_EACH = OF_TOKEN | OF_DECISION | OF_REPORT | 1 << TOPIC_ACCOUNT
};

static const struct {
    const char *file;
    enum topic topic;
} occasions[MAIL_OCCASIONS] = {
    [MAIL_CONFIRM_ACCOUNT] = {"confirm-account", TOPIC_TOKEN},
    [MAIL_ACCOUNT_EXISTS] = {"account-exists", TOPIC_ACCOUNT},
    [MAIL_CONFIRM_ADDRESS] = {"confirm-address", TOPIC_TOKEN},
    [MAIL_ADDRESS_CHANGES] = {"address-changes", TOPIC_ACCOUNT},
    [MAIL_RESET_PASSWORD] = {"reset-password", TOPIC_TOKEN},
    [MAIL_PASSWORD_CHANGED] = {"password-changed", TOPIC_ACCOUNT},
    [MAIL_HIDDEN] = {"hidden", TOPIC_DECISION},
    [MAIL_UNHIDDEN] = {"unhidden", TOPIC_DECISION},
    [MAIL_BLOCKED] = {"blocked", TOPIC_DECISION},
    [MAIL_UNBLOCKED] = {"unblocked", TOPIC_DECISION},
    [MAIL_REPORT_UPHELD] = {"report-upheld", TOPIC_REPORT},
    [MAIL_REPORT_DISMISSED] = {"report-dismissed", TOPIC_REPORT},
};

static const struct {
    const char *name;
    size_t offset;
    unsigned topics; /* that have it */
} places[] = {
    {"{site}", offsetof(struct mail_values, site), OF_EACH},
    {"{link}", offsetof(struct mail_values, link), OF_TOKEN},
    {"{token}", offsetof(struct mail_values, token), OF_TOKEN},
    {"{title}", offsetof(struct mail_values, title), OF_DECISION},
    {"{thing}", offsetof(struct mail_values, thing), OF_DECISION | OF_REPORT},
    {"{address}", offsetof(struct mail_values, address), OF_DECISION | OF_REPORT},
    {"{reason}", offsetof(struct mail_values, reason), OF_DECISION | OF_REPORT},
    {"{rule}", offsetof(struct mail_values, rule), OF_DECISION | OF_REPORT},
    {"{contact}", offsetof(struct mail_values, contact), OF_DECISION | OF_REPORT},
};

enum { PLACES = sizeof places / sizeof *places };

/* The place that begins here; PLACES where none does. */
static size_t place_at(const char *text)
{
    size_t place = 0;
    while (place < PLACES && strncmp(text, places[place].name, strlen(places[place].name)) != 0)
        place++;
    return place;
}

/* Reading -------------------------------------------------------------------------------------- */

/* By what the mail is about. */
static const struct {
    const char *places;
    const char *lacking;
} topics[] = {
    [TOPIC_ACCOUNT] = {"what is in braces is not {site}", NULL},
    [TOPIC_TOKEN] = {"what is in braces is none of {site}, {link} and {token}",
                     "there is neither {link} nor {token}"},
    [TOPIC_DECISION] = {"what is in braces is none of {site}, {title}, {thing}, {address}, "
                        "{reason}, {rule} and {contact}",
                        "there is nothing of the decision: {title}, {thing}, {address}, {reason}, "
                        "{rule} or {contact}"},
    [TOPIC_REPORT] = {"what is in braces is none of {site}, {thing}, {address}, {reason}, {rule} "
                      "and {contact}",
                      "there is nothing of the decision: {thing}, {address}, {reason}, {rule} or "
                      "{contact}"},
};

static const char *check_places(const char *text, enum topic topic)
{
    bool tells_topic = topic == TOPIC_ACCOUNT;
    for (const char *brace = strchr(text, '{'); brace != NULL; brace = strchr(brace + 1, '{')) {
        size_t place = place_at(brace);
        if (place == PLACES || (places[place].topics & 1U << topic) == 0)
            return topics[topic].places;
        tells_topic = tells_topic || places[place].topics != OF_EACH;
    }
    return tells_topic ? NULL : topics[topic].lacking;
}

static const char *check_lines(const char *text)
{
    for (const char *line = text; *line != '\0'; line += line[0] == '\n') {
        size_t length = strcspn(line, "\n");
        if (length > LINE_MOST)
            return "a line has more than 500 bytes";
        line += length;
    }
    return NULL;
}

/* Cuts a file in two. NULL, or what is wrong with it. */
static const char *parse(char *content, size_t length, enum topic topic, struct mail_text *text)
{
    static const char head[] = "Subject: ";
    char *end = strstr(content, "\n\n");
    if (strlen(content) != length || !text_is_valid(content, length))
        return "it is no text in UTF-8";
    if (strncmp(content, head, sizeof head - 1) != 0 || end == NULL || end[2] == '\0')
        return "it is not 'Subject: ...', an empty line, and a text";
    *end = '\0';
    *text = (struct mail_text){content + sizeof head - 1, end + 2};
    if (!text_is_line(text->subject, 1, SUBJECT_MOST) || strchr(text->subject, '{') != NULL)
        return "the subject is not one line of 1 to 150 characters without braces";
    const char *wrong = check_places(text->body, topic);
    return wrong != NULL ? wrong : check_lines(text->body);
}

/* Line ends become LF. */
static size_t drop_returns(char *text, size_t length)
{
    size_t kept = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] != '\r')
            text[kept++] = text[i];
    text[kept] = '\0';
    return kept;
}

static const char *read_file(const char *path, enum topic topic, struct arena *arena,
                             struct mail_text *text)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return strerror(errno);
    char *content = arena_take(arena, FILE_MOST + 2);
    size_t length = fread(content, 1, FILE_MOST + 1, file);
    bool is_read = !ferror(file);
    fclose(file);
    if (!is_read || length > FILE_MOST)
        return is_read ? "it has more than 20000 bytes" : "it cannot be read";
    length = drop_returns(content, length);
    return parse(content, length, topic, text);
}

static bool read_language(struct mail_texts *texts, const char *directory, const char *language)
{
    bool is_good = true;
    size_t at = texts->count++;
    texts->languages[at] = arena_format(texts->arena, "%s", language);
    for (int i = 0; i < MAIL_OCCASIONS; i++) {
        const char *path =
            arena_format(texts->arena, "%s/%s/%s", directory, language, occasions[i].file);
        const char *wrong = read_file(path, occasions[i].topic, texts->arena, &texts->texts[at][i]);
        if (wrong != NULL)
            log_error("%s: %s", path, wrong);
        is_good = is_good && wrong == NULL;
    }
    return is_good;
}

/* What is called otherwise is none, as what an editor or dpkg has left behind. */
static int is_language(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    for (const char *byte = entry->d_name; *byte != '\0'; byte++)
        if (!isalnum((unsigned char)*byte) && *byte != '-')
            return 0;
    return length <= LANGUAGE_LONGEST;
}

static bool read_languages(struct mail_texts *texts, const char *directory)
{
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_language, alphasort);
    bool is_good = count > 0 && count <= LANGUAGES_MOST;
    if (count < 0)
        log_error("%s: %s", directory, strerror(errno));
    else if (!is_good)
        log_error("%s: has not 1 to %d folders of languages", directory, LANGUAGES_MOST);
    for (int i = 0; i < count; i++) {
        is_good = is_good && read_language(texts, directory, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return is_good;
}

struct mail_texts *mail_texts_read(const char *directory)
{
    struct mail_texts *texts = memory_zeroed(1, sizeof *texts);
    texts->arena = arena_new();
    if (!read_languages(texts, directory))
        mail_texts_free(&texts);
    return texts;
}

void mail_texts_free(struct mail_texts **texts)
{
    if (*texts != NULL)
        arena_free(&(*texts)->arena);
    free(*texts);
    *texts = NULL;
}

const char *const *mail_texts_languages(const struct mail_texts *texts)
{
    return texts->languages;
}

bool mail_texts_have(const struct mail_texts *texts, const char *language)
{
    size_t i = 0;
    while (i < texts->count && strcmp(texts->languages[i], language) != 0)
        i++;
    return i < texts->count;
}

/* Filling -------------------------------------------------------------------------------------- */

static size_t find_language(const struct mail_texts *texts, const char *const languages[static 2])
{
    for (int wanted = 0; wanted < 2; wanted++)
        for (size_t i = 0; i < texts->count && languages[wanted] != NULL; i++)
            if (strcmp(texts->languages[i], languages[wanted]) == 0)
                return i;
    return 0;
}

static void fill(const char *text, const struct mail_values *values, struct buffer *out)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "{");
        buffer_add(out, text, length);
        text += length;
        size_t place = *text == '{' ? place_at(text) : PLACES;
        if (place == PLACES)
            continue;
        const char *const *value =
            (const char *const *)(const void *)((const char *)values + places[place].offset);
        buffer_add_text(out, *value);
        text += strlen(places[place].name);
    }
}

struct mail_text mail_texts_fill(const struct mail_texts *texts, enum mail_occasion occasion,
                                 const char *const languages[static 2],
                                 const struct mail_values *values, struct arena *arena)
{
    struct buffer out = {0};
    const struct mail_text *text = &texts->texts[find_language(texts, languages)][occasion];
    fill(text->body, values, &out);
    const struct mail_text filled = {arena_format(arena, "%s", text->subject),
                                     arena_copy(arena, out.data, out.length)};
    buffer_free(&out);
    return filled;
}
