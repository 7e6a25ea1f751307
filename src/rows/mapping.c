#include "rows/mapping.h"

#include <string.h>

#include "base/text.h"
#include "model/poi.h"

struct rule {
    const char *field; /* "properties.amenity" */
    const char *value; /* NULL: any */
    const char *category;
    struct rule *next;
};

struct mapping {
    struct rule *categories;
    struct rule *names;
    struct rule **last_category, **last_name;
};

static void append(struct rule ***last, struct arena *arena, struct rule rule)
{
    struct rule *kept = arena_take(arena, sizeof *kept);
    *kept = rule;
    **last = kept;
    *last = &kept->next;
}

static bool take_name(struct mapping *mapping, struct arena *arena, const char *tag)
{
    append(&mapping->last_name, arena,
           (struct rule){.field = arena_format(arena, "properties.%s", tag)});
    return true;
}

static bool take_tag(struct mapping *mapping, struct arena *arena, const char *tag,
                     const char *category)
{
    int64_t number = 0;
    size_t length = strcspn(tag, "=");
    if (length == 0 || tag[length] == '\0' || tag[length + 1] == '\0' ||
        !text_to_integer(category, &number) || number < 1 || number > POI_CATEGORIES)
        return false;
    const char *value = tag + length + 1;
    append(&mapping->last_category, arena,
           (struct rule){
               .field = arena_format(arena, "properties.%.*s", (int)length, tag),
               .value = strcmp(value, "*") == 0 ? NULL : arena_copy(arena, value, strlen(value)),
               .category = arena_copy(arena, category, strlen(category)),
           });
    return true;
}

/* The last word is the category, as the value of a tag may have blanks. */
static bool take_line(struct mapping *mapping, struct arena *arena, char *line)
{
    static const char blanks[] = " \t\r\n";
    size_t length = strlen(line);
    while (length > 0 && strchr(blanks, line[length - 1]) != NULL)
        line[--length] = '\0';
    if (*line == '\0' || *line == '#')
        return true;
    char *word = line + length;
    while (word > line && strchr(blanks, word[-1]) == NULL)
        word--;
    char *end = word;
    while (end > line && strchr(blanks, end[-1]) != NULL)
        *--end = '\0';
    return strcmp(line, "name") == 0 ? take_name(mapping, arena, word)
                                     : take_tag(mapping, arena, line, word);
}

enum status mapping_read(const char *path, struct arena *arena, struct mapping **mapping)
{
    struct input input;
    struct buffer line = {0};
    int64_t number = 0;
    struct mapping *read = *mapping = arena_take(arena, sizeof *read);
    *read = (struct mapping){.last_category = &read->categories, .last_name = &read->names};
    enum status status = input_open(&input, path), right = STATUS_OK;
    if (status != STATUS_OK)
        return status;
    while ((status = input_read_line(&input, &line)) == STATUS_OK && line.length > 0) {
        number++;
        if (!take_line(read, arena, line.data))
            right =
                input_complain(&input, number, 1,
                               "not of the form \"key=value CATEGORY\" (1 to 5) or \"name TAG\"");
    }
    if (read->names == NULL)
        (void)take_name(read, arena, "name");
    buffer_free(&line);
    input_close(&input);
    return status != STATUS_OK ? status : right;
}

const struct field *mapping_category(const struct mapping *mapping, const struct row *row,
                                     const char **category)
{
    for (const struct rule *rule = mapping->categories; rule != NULL; rule = rule->next) {
        const struct field *field = row_find(row, rule->field);
        *category = rule->category;
        if (field != NULL && (rule->value == NULL || strcmp(field->text, rule->value) == 0))
            return field;
    }
    return NULL;
}

const struct field *mapping_name(const struct mapping *mapping, const struct row *row)
{
    const struct field *field = NULL;
    for (const struct rule *rule = mapping->names; rule != NULL && field == NULL; rule = rule->next)
        field = row_find(row, rule->field);
    return field;
}
