/* Words that hold a text back: of any list and any text, the letters have their place, and what is
 * found is a line of the list that the line itself has. The first NUL parts list and text. */
#include "words/list.h"

#include <string.h>

#include "base/text.h"
#include "fuzz.h"

/* More than the arena takes for them, a sanitizer sees. */
static const char *search(struct arena *arena, const struct word_list *list, const char *text,
                          bool is_html)
{
    struct letters letters = letters_read(arena, text, is_html);
    REQUIRE(letters.count <= 4 * strlen(text));
    return list != NULL ? word_list_find(list, &letters) : NULL;
}

static void search_in(struct arena *arena, const struct word_list *list, const char *text)
{
    for (int is_html = 0; is_html < 2; is_html++) {
        const char *line = search(arena, list, text, is_html);
        REQUIRE(line == NULL || search(arena, list, line, false) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    const char *lines = arena_copy(arena, data, size);
    size_t length = strlen(lines);
    const char *text = length < size ? lines + length + 1 : "";
    if (text_is_valid(lines, length) && text_is_valid(text, strlen(text)))
        search_in(arena, word_list_read(arena, lines), text);
    arena_free(&arena);
    return 0;
}
