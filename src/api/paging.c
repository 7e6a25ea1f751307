#include "api/paging.h"

#include <string.h>

#include "auth/signature.h"
#include "base/crypto.h"
#include "store/page_key.h"

enum { TAG_SIZE = 16, TEXT_SIZE = TAG_SIZE + sizeof(struct paging_position) };

int64_t paging_from_real(double real)
{
    int64_t number;
    memcpy(&number, &real, sizeof number);
    return number;
}

double paging_to_real(int64_t number)
{
    double real;
    memcpy(&real, &number, sizeof real);
    return real;
}

static void write_integer(unsigned char *bytes, int64_t integer)
{
    for (int i = 7; i >= 0; i--, integer = (int64_t)((uint64_t)integer >> 8))
        bytes[i] = (unsigned char)integer;
}

static int64_t read_integer(const unsigned char *bytes)
{
    uint64_t integer = 0;
    for (int i = 0; i < 8; i++)
        integer = integer << 8 | bytes[i];
    return (int64_t)integer;
}

static bool is_among(const struct param_spec *specs, const char *name)
{
    bool is = false;
    for (const struct param_spec *spec = specs; spec->name != NULL && !is; spec++) {
        const struct param_spec *parts = param_parts(spec);
        is = parts != NULL ? is_among(parts, name) : strcmp(spec->name, name) == 0;
    }
    return is;
}

/* What may not differ: the operation, and the parameters that it takes, but for the page's own. */
static bool orders(const struct call *call, const char *name)
{
    if (strcmp(name, "limit") == 0 || strcmp(name, "after") == 0)
        return false;
    return strcmp(name, "func") == 0 || is_among(call->operation->params, name);
}

const char *paging_list(const struct call *call)
{
    static const char *const left_out[] = {NULL};
    struct pair pairs[FORM_PARAMETERS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < call->form->count; i++)
        if (orders(call, call->form->parameters[i].name))
            pairs[count++] = call->form->parameters[i];
    return signature_canonical(pairs, count, left_out, call->arena);
}

/* Of the position that follows it, and the list. */
static void write_tag(const struct call *call, unsigned char bytes[static TEXT_SIZE])
{
    char position[2 * sizeof(struct paging_position) + 1];
    unsigned char mac[CRYPTO_MAC_SIZE];
    const char *key = call->page_key->text;
    crypto_to_hex(bytes + TAG_SIZE, sizeof(struct paging_position), position);
    const char *all = arena_format(call->arena, "%s %s", position, paging_list(call));
    crypto_mac(key, strlen(key), all, strlen(all), mac);
    memcpy(bytes, mac, TAG_SIZE);
}

const char *paging_next(const struct call *call, const struct paging_position *position)
{
    unsigned char bytes[TEXT_SIZE];
    char *text = arena_take(call->arena, 2 * TEXT_SIZE + 1);
    write_integer(bytes + TAG_SIZE, position->first);
    write_integer(bytes + TAG_SIZE + 8, position->second);
    write_integer(bytes + TAG_SIZE + 16, position->third);
    write_integer(bytes + TAG_SIZE + 24, position->fourth);
    write_tag(call, bytes);
    crypto_to_hex(bytes, sizeof bytes, text);
    return text;
}

static enum status read_key(const struct call *call)
{
    if (*call->page_key->text != '\0')
        return STATUS_OK;
    struct db_batch *batch = db_batch_beside(call->batch);
    enum status status = page_key_read(batch, call->page_key);
    db_batch_reset(batch);
    return status;
}

/* False where this call has not given the text. */
static bool read_position(const struct call *call, const char *text,
                          struct paging_position *position)
{
    unsigned char bytes[TEXT_SIZE], expected[TEXT_SIZE];
    if (!crypto_from_hex(text, bytes, sizeof bytes))
        return false;
    memcpy(expected, bytes, sizeof expected);
    write_tag(call, expected);
    position->first = read_integer(bytes + TAG_SIZE);
    position->second = read_integer(bytes + TAG_SIZE + 8);
    position->third = read_integer(bytes + TAG_SIZE + 16);
    position->fourth = read_integer(bytes + TAG_SIZE + 24);
    return crypto_is_equal(expected, bytes, TAG_SIZE);
}

enum status paging_begin(struct call *call, const struct paging *paging,
                         struct paging_position *position)
{
    enum status status = read_key(call);
    if (status != STATUS_OK || paging->after == NULL)
        return status;
    call->refused = "after";
    return read_position(call, paging->after, position) ? STATUS_OK : STATUS_PARAMETER_INVALID;
}
