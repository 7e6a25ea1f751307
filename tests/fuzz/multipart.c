/*
 * Bodies of multipart/form-data. The first byte says where they are cut, the first line what
 * Content-Type has after the media type; the rest is the body. It means the same in one piece and
 * in many; what is taken is text, or a file of the right digest; and no file stays open.
 */
#include "http/multipart_form.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/crypto.h"
#include "base/text.h"
#include "fuzz.h"

enum { FILE_MOST = 3000 };

static int new_file(const void *context)
{
    int file = memfd_create("file", MFD_CLOEXEC);
    (void)context;
    REQUIRE(file >= 0);
    return file;
}

static const struct upload_place files = {new_file, NULL, FILE_MOST};

/* Pieces of 1 to 256 bytes, that a seed of 0 makes one. */
static size_t next_length(uint32_t *seed, size_t left)
{
    if (*seed == 0)
        return left;
    *seed = *seed * 1664525 + 1013904223;
    size_t length = (*seed >> 24) % (*seed >> 16 & 1 ? 256 : 4) + 1;
    *seed |= 1;
    return length < left ? length : left;
}

static enum status take(struct multipart *multipart, const char *body, size_t length, uint32_t seed)
{
    enum status status = STATUS_OK;
    for (size_t at = 0, part; at < length && status == STATUS_OK; at += part) {
        part = next_length(&seed, length - at);
        /* Of its exact size, so that reading beyond its end is seen. */
        char *piece = malloc(part);
        REQUIRE(piece != NULL);
        memcpy(piece, body + at, part);
        status = multipart_take(multipart, piece, part);
        free(piece);
    }
    return status == STATUS_OK ? multipart_end(multipart) : status;
}

static enum status read_body(struct form *form, const char *parameters, const char *body,
                             size_t length, uint32_t seed, const struct body_means *means)
{
    static struct multipart multipart;
    static struct multipart_form reading;
    multipart_form_begin(&reading, form, means);
    enum status status = multipart_begin(&multipart, parameters, &multipart_form_taker, &reading);
    if (status == STATUS_OK)
        status = take(&multipart, body, length, seed);
    multipart_form_end(&reading);
    return status;
}

static void require_file(const struct upload *upload)
{
    static unsigned char content[FILE_MOST];
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct crypto_sha256 hash;
    REQUIRE(upload->length <= FILE_MOST);
    REQUIRE(lseek(upload->descriptor, 0, SEEK_END) == upload->length);
    REQUIRE(pread(upload->descriptor, content, FILE_MOST, 0) == upload->length);
    crypto_sha256_begin(&hash);
    crypto_sha256_add(&hash, content, (size_t)upload->length);
    crypto_sha256_end(&hash, digest);
    REQUIRE(memcmp(digest, upload->digest, sizeof digest) == 0);
}

static void require_right(const struct form *form)
{
    REQUIRE(form->count <= FORM_PARAMETERS_MOST);
    for (size_t i = 0; i < form->count; i++) {
        const char *name = form->parameters[i].name, *value = form->parameters[i].value;
        REQUIRE(*name != '\0' && text_is_valid(name, strlen(name)));
        REQUIRE(text_is_valid(value, strlen(value)));
        REQUIRE(form_find(form, name) == value);
        if (form->uploads[i] != NULL)
            require_file(form->uploads[i]);
    }
}

static void require_same(const struct form *one, const struct form *other)
{
    REQUIRE(one->status == other->status && one->count == other->count);
    for (size_t i = 0; i < one->count; i++) {
        REQUIRE(strcmp(one->parameters[i].name, other->parameters[i].name) == 0);
        REQUIRE(strcmp(one->parameters[i].value, other->parameters[i].value) == 0);
        REQUIRE((one->uploads[i] == NULL) == (other->uploads[i] == NULL));
    }
}

static void require_one_meaning(const char *parameters, const char *body, size_t length,
                                uint32_t seed)
{
    struct arena *arena = arena_new();
    struct buffer texts = {0};
    const struct body_means means = {arena, &texts, &files};
    struct form whole = {0}, cut = {0};
    enum status status = read_body(&whole, parameters, body, length, 0, &means);
    REQUIRE(read_body(&cut, parameters, body, length, seed, &means) == status);
    REQUIRE(status == STATUS_OK || status == STATUS_MALFORMED_REQUEST ||
            status == STATUS_PARAMETER_DUPLICATE || status == STATUS_REQUEST_TOO_LARGE ||
            status == STATUS_PHOTO_TOO_LARGE);
    require_right(&whole);
    require_same(&whole, &cut);
    form_close(&whole);
    form_close(&cut);
    buffer_free(&texts);
    arena_free(&arena);
}

static int count_descriptors(void)
{
    int count = 0;
    for (int descriptor = 0; descriptor < 2 * FORM_PARAMETERS_MOST + 64; descriptor++)
        count += fcntl(descriptor, F_GETFD) >= 0;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = size > 0 ? memchr(data + 1, '\n', size - 1) : NULL;
    if (line == NULL)
        return 0;
    int before = count_descriptors();
    struct buffer parameters = {0};
    buffer_add(&parameters, data + 1, (size_t)(line - data - 1));
    buffer_add(&parameters, "", 1);
    size_t length = size - (size_t)(line + 1 - data);
    require_one_meaning(parameters.data, (const char *)line + 1, length, (uint32_t)data[0] + 1);
    buffer_free(&parameters);
    REQUIRE(count_descriptors() == before);
    return 0;
}
