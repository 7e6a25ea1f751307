#include "words/list.h"

#include <string.h>

/* A step from a node by a letter, in a hash table with open addressing. A node is named by its
 * number, and the first is 1. */
struct step {
    uint32_t from, code, to; /* from 0: a free place */
};

/* Where a word of the list ends. */
struct word {
    const char *line; /* NULL: none ends here */
    bool begins_anywhere, ends_anywhere;
};

enum { ROOT = 1 };

struct word_list {
    struct step *steps;
    size_t mask;        /* the places of the table less one */
    struct word *words; /* of each node */
    uint32_t nodes;     /* the last one */
};

/* Building ------------------------------------------------------------------------------------- */

static struct step *place_of(const struct word_list *list, uint32_t from, uint32_t code)
{
    size_t place =
        (from * UINT64_C(0x9e3779b97f4a7c15) ^ code * UINT64_C(0xc2b2ae3d27d4eb4f)) >> 17;
    for (;; place++) {
        struct step *step = &list->steps[place & list->mask];
        if (step->from == 0 || (step->from == from && step->code == code))
            return step;
    }
}

/* 0: there is none */
static uint32_t step_from(const struct word_list *list, uint32_t from, uint32_t code)
{
    return place_of(list, from, code)->to;
}

static uint32_t make_step(struct word_list *list, uint32_t from, uint32_t code)
{
    struct step *step = place_of(list, from, code);
    if (step->from == 0)
        *step = (struct step){from, code, ++list->nodes};
    return step->to;
}

static struct letters trimmed(struct letters letters)
{
    while (letters.count > 0 && letters.list[letters.count - 1].code == LETTER_BETWEEN)
        letters.count--;
    if (letters.count > 0 && letters.list[0].code == LETTER_BETWEEN)
        letters = (struct letters){letters.list + 1, letters.count - 1};
    return letters;
}

static void add_line(struct word_list *list, struct letters letters, const char *line)
{
    uint32_t node = ROOT;
    letters = trimmed(letters);
    if (letters.count == 0)
        return;
    for (size_t i = 0; i < letters.count; i++)
        node = make_step(list, node, letters.list[i].code);
    list->words[node] =
        (struct word){.line = line,
                      .begins_anywhere = letter_is_east_asian(letters.list[0].code),
                      .ends_anywhere = letter_is_east_asian(letters.list[letters.count - 1].code)};
}

/* A list whose lines have so many letters at most. */
static struct word_list *new_list(struct arena *arena, size_t letters)
{
    struct word_list *list = arena_take(arena, sizeof *list);
    size_t places = 16;
    while (places < 2 * letters)
        places *= 2;
    list->steps = arena_take_array(arena, places, sizeof *list->steps);
    list->mask = places - 1;
    list->words = arena_take_array(arena, letters + ROOT + 1, sizeof *list->words);
    list->nodes = ROOT;
    return list;
}

static const char *copy_line(struct arena *arena, const char *line, size_t length)
{
    static const char blanks[] = " \t\r";
    for (; length > 0 && strchr(blanks, *line) != NULL; line++)
        length--;
    while (length > 0 && strchr(blanks, line[length - 1]) != NULL)
        length--;
    return arena_copy(arena, line, length);
}

struct word_list *word_list_read(struct arena *arena, const char *text)
{
    struct arena *scratch = arena_new();
    struct word_list *list = new_list(arena, letters_read(scratch, text, false).count);
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        const char *line = copy_line(arena, text, length);
        add_line(list, letters_read(scratch, line, false), line);
    }
    arena_free(&scratch);
    return list->nodes > ROOT ? list : NULL;
}

/* Searching ------------------------------------------------------------------------------------ */

static bool is_edge(const struct letters *letters, size_t i)
{
    return letters->list[i].code == LETTER_BETWEEN || letter_is_east_asian(letters->list[i].code);
}

static bool may_begin(const struct word *word, const struct letters *letters, size_t at)
{
    return word->begins_anywhere || at == 0 || letters->list[at].is_apart ||
           is_edge(letters, at - 1);
}

static bool may_end(const struct word *word, const struct letters *letters, size_t at)
{
    if (at == letters->count)
        return true;
    if (word->ends_anywhere)
        return !letter_continues(letters->list[at].code);
    return letters->list[at].is_apart || is_edge(letters, at);
}

/* From the node behind the letters up to "at" on. An invisible character is nothing, or
 * stands between two words. A longer word is found later, so the last one counts. */
static const struct word *follow(const struct word_list *list, const struct letters *letters,
                                 size_t begin, size_t at, uint32_t node)
{
    const struct word *found = NULL;
    for (;; at++) {
        const struct word *word = &list->words[node];
        if (word->line != NULL && may_begin(word, letters, begin) && may_end(word, letters, at))
            found = word;
        if (at == letters->count)
            return found;
        uint32_t apart = letters->list[at].has_gap ? step_from(list, node, LETTER_BETWEEN) : 0;
        const struct word *longer =
            apart != 0 && at > begin ? follow(list, letters, begin, at, apart) : NULL;
        node = step_from(list, node, letters->list[at].code);
        if (node == 0)
            return longer != NULL ? longer : found;
        found = longer != NULL ? longer : found;
    }
}

const char *word_list_find(const struct word_list *list, const struct letters *letters)
{
    for (size_t begin = 0; begin < letters->count; begin++) {
        const struct word *word = follow(list, letters, begin, begin, ROOT);
        if (word != NULL)
            return word->line;
    }
    return NULL;
}
