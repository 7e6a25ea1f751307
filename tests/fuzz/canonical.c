/*
 * The canonical string of a signed request. It reads back as the parameters; only what must be
 * escaped is; and names ascend: there is one such string for each set of parameters.
 */
#include <string.h>

#include "auth/signature.h"
#include "fuzz.h"
#include "http/form.h"

static const char unreserved[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

static const char *require_escape(const char *at)
{
    static const char digits[] = "0123456789ABCDEF";
    REQUIRE(at[1] != '\0' && at[2] != '\0');
    const char *high = strchr(digits, at[1]), *low = strchr(digits, at[2]);
    REQUIRE(high != NULL && low != NULL);
    int byte = (int)((high - digits) << 4 | (low - digits));
    REQUIRE(byte != 0 && strchr(unreserved, byte) == NULL);
    return at + 3;
}

static void require_alphabet(const char *canonical)
{
    while (*canonical != '\0')
        if (*canonical == '%') {
            canonical = require_escape(canonical);
        } else {
            REQUIRE(strchr(unreserved, *canonical) != NULL || *canonical == '=' ||
                    *canonical == '&');
            canonical++;
        }
}

/* The bytes of encoded names, pair by pair. */
static void require_ascending(const char *canonical)
{
    for (const char *next; (next = strchr(canonical, '&')) != NULL; canonical = next + 1) {
        size_t length = strcspn(canonical, "="), next_length = strcspn(next + 1, "=");
        size_t common = length < next_length ? length : next_length;
        int order = memcmp(canonical, next + 1, common);
        REQUIRE(order < 0 || (order == 0 && length < next_length));
    }
}

static void require_same(const struct form *form, const struct form *read)
{
    size_t signatures = form_find(form, "sig") != NULL;
    REQUIRE(read->count + signatures == form->count);
    for (size_t i = 0; i < read->count; i++) {
        const char *value = form_find(form, read->parameters[i].name);
        REQUIRE(value != NULL && strcmp(value, read->parameters[i].value) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct form form = {0}, read = {0};
    form_decode(&form, (const char *)data, size, arena);
    if (form.status == STATUS_OK) {
        const char *canonical =
            signature_canonical(form.parameters, form.count, signature_left_out, arena);
        require_alphabet(canonical);
        require_ascending(canonical);
        form_decode(&read, canonical, strlen(canonical), arena);
        REQUIRE(read.status == STATUS_OK);
        require_same(&form, &read);
    }
    arena_free(&arena);
    return 0;
}
