#include "base/quantity.h"

#include <string.h>

#include "base/text.h"

const struct quantity_unit quantity_durations[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}, {NULL, 0},
};

const struct quantity_unit quantity_sizes[] = {
    {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1LL << 40}, {NULL, 0},
};

bool quantity_read(const struct quantity_unit *unit, const char *text, int64_t *value)
{
    size_t digits = strspn(text, "0123456789");
    const char *name = text + digits + strspn(text + digits, " ");
    char number[20];
    int64_t count = 0;
    if (digits == 0 || digits >= sizeof number - 1)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!text_to_integer(number, &count))
        return false;
    *value = 0;
    if (count == 0 && *name == '\0')
        return true;
    while (unit->name != NULL && strcmp(name, unit->name) != 0)
        unit++;
    return unit->name != NULL && !__builtin_mul_overflow(count, unit->factor, value);
}

void quantity_print(const struct quantity_unit *units, int64_t value, struct buffer *out)
{
    const struct quantity_unit *unit = units;
    for (const struct quantity_unit *next = units; value != 0 && next->name != NULL; next++)
        if (value % next->factor == 0)
            unit = next;
    buffer_add_format(out, "%lld%s", (long long)(value / unit->factor), unit->name);
}
