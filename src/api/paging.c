#include "api/paging.h"

#include <string.h>

#include "auth/signature.h"
#include "base/crypto.h"
#include "store/page_key.h"

enum { TAG_SIZE = 16, BYTES_MOST = TAG_SIZE + PAGING_POSITION_MOST };

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
    return signature_canonical(pairs, count, left_out, call->service->arena);
}

/* The first bytes are the MAC of the position, which is behind it, and the list. */
static void write_tag(const struct call *call, unsigned char *bytes, size_t size)
{
    char position[2 * PAGING_POSITION_MOST + 1];
    unsigned char mac[CRYPTO_MAC_SIZE];
    const char *key = call->service->page_key.text;
    crypto_to_hex(bytes + TAG_SIZE, size, position);
    const char *all = arena_format(call->service->arena, "%s %s", position, paging_list(call));
    crypto_mac(key, strlen(key), all, strlen(all), mac);
    memcpy(bytes, mac, TAG_SIZE);
}

const char *paging_next(const struct call *call, const void *position, size_t size)
{
    unsigned char bytes[BYTES_MOST];
    char *text = arena_take(call->service->arena, 2 * BYTES_MOST + 1);
    memcpy(bytes + TAG_SIZE, position, size);
    write_tag(call, bytes, size);
    crypto_to_hex(bytes, TAG_SIZE + size, text);
    return text;
}

static enum status read_key(const struct call *call)
{
    if (*call->service->page_key.text != '\0')
        return STATUS_OK;
    struct db_batch *batch = db_batch_beside(call->batch);
    enum status status = page_key_read(batch, &call->service->page_key);
    db_batch_reset(batch);
    return status;
}

/* False where this call has not given the text. */
static bool read_position(const struct call *call, const char *text, void *position, size_t size)
{
    unsigned char bytes[BYTES_MOST], expected[BYTES_MOST];
    if (!crypto_from_hex(text, bytes, TAG_SIZE + size))
        return false;
    memcpy(expected, bytes, TAG_SIZE + size);
    write_tag(call, expected, size);
    memcpy(position, bytes + TAG_SIZE, size);
    return crypto_is_equal(expected, bytes, TAG_SIZE);
}

enum status paging_begin(struct call *call, const struct paging *paging, void *position,
                         size_t size)
{
    enum status status = read_key(call);
    if (status != STATUS_OK || paging->after == NULL)
        return status;
    call->refused = "after";
    return read_position(call, paging->after, position, size) ? STATUS_OK
                                                              : STATUS_PARAMETER_INVALID;
}
