#include "decoder/render.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vips/vips.h>
#include <webp/mux.h>

#include "decoder/container.h"
#include "decoder/library.h"
#include "decoder/note.h"
#include "decoder/sandbox.h"
#include "decoder/whole.h"

enum { JPEG_QUALITY = 82, WEBP_QUALITY = 80, OPAQUE = 255 };

/* A picture that is worked on. All of it goes with the process. */
struct work {
    const struct render_job *job;
    unsigned char *bytes; /* as they were sent, and then as the library takes them */
    size_t length;
    bool has_profile; /* of its colours */
    int side;         /* that the larger picture is within, or the icon is cut from */
    struct decoder_reply *reply;
};

struct encoded {
    void *bytes;
    size_t length;
};

/* What was sent -------------------------------------------------------------------------------- */

static bool refuse(const char *why)
{
    vips_error("mapdiary", "%s", why);
    return false;
}

static bool map_input(struct work *work)
{
    const struct render_job *job = work->job;
    if (job->length == 0)
        return refuse("there is nothing in it");
    void *bytes = mmap(NULL, job->length, PROT_READ | PROT_WRITE, MAP_PRIVATE, job->input, 0);
    work->bytes = bytes;
    work->length = job->length;
    return bytes != MAP_FAILED || refuse(strerror(errno));
}

static VipsSource *source_of(const struct work *work)
{
    return vips_source_new_from_memory(work->bytes, work->length);
}

/* By what the bytes are. Loaders of other formats may begin to read before libvips refuses them. */
static VipsImage *open_header(const struct work *work)
{
    VipsSource *source = source_of(work);
    const char *loader = vips_foreign_find_load_source(source);
    bool may_load = loader != NULL && (library_may_load(loader) || refuse(loader));
    return may_load ? vips_image_new_from_source(source, "", NULL) : NULL;
}

static void describe(const struct work *work)
{
    struct decoder_reply *reply = work->reply;
    const struct camera_note note = note_read(work->bytes, work->length);
    reply->has = (note.has_place ? DECODER_HAS_PLACE : 0U) |
                 (note.has_time ? DECODER_HAS_TIME : 0U) |
                 (note.has_offset ? DECODER_HAS_OFFSET : 0U);
    reply->offset = note.offset;
    reply->lat = note.lat;
    reply->lng = note.lng;
    memcpy(reply->time, note.time, sizeof note.time);
}

static int64_t pixels_of(const VipsImage *header)
{
    return (int64_t)vips_image_get_width(header) * vips_image_get_height(header);
}

static bool is_within(const struct work *work, int64_t count, int64_t most, const char *complaint)
{
    if (count <= most)
        return true;
    work->reply->outcome = DECODER_TOO_LARGE;
    return refuse(complaint);
}

/* An icon that is larger than what it is made of is cut out first: what is narrow and high would be
 * enlarged as a whole. */
static int side_of(enum picture_kind kind, const VipsImage *header)
{
    int shorter = VIPS_MIN(vips_image_get_width(header), vips_image_get_height(header));
    return kind == PICTURE_ICON ? VIPS_MIN(PICTURE_ICON_SIDE, shorter) : PICTURE_LARGE;
}

/* Reads what the container is then relieved of. */
static VipsImage *open_input(struct work *work)
{
    describe(work);
    work->length = container_adapt(work->bytes, work->length);
    return open_header(work);
}

/* Looks at all but the pixels. */
static bool examine(struct work *work)
{
    size_t scans;
    const VipsImage *header = map_input(work) ? open_input(work) : NULL;
    if (header == NULL ||
        !is_within(work, pixels_of(header), DECODER_PIXELS_MOST, "too many pixels"))
        return false;
    work->has_profile = vips_image_get_typeof(header, VIPS_META_ICC_NAME) != 0;
    work->side = side_of(work->job->kind, header);
    if (!whole_is(work->bytes, work->length, &scans))
        return refuse("its end is missing");
    return is_within(work, (int64_t)scans, RENDER_SCANS_MOST, "too many scans") &&
           (sandbox_limit_time(pixels_of(header)) || refuse("its time cannot be limited"));
}

/* What is made of it --------------------------------------------------------------------------- */

/* Decoded as it is read from. Truncation is asked for by the loader's own option, as that of
 * vips_thumbnail_source() is not passed on in 8.14. */
static VipsImage *open_reduced(const struct work *work, const char *profile)
{
    VipsInteresting crop =
        work->job->kind == PICTURE_ICON ? VIPS_INTERESTING_CENTRE : VIPS_INTERESTING_NONE;
    VipsImage *reduced = NULL;
    vips_thumbnail_source(source_of(work), &reduced, work->side, "height", work->side, "size",
                          VIPS_SIZE_DOWN, "crop", crop, "export_profile", profile, "option_string",
                          "[fail_on=truncated]", NULL);
    return reduced;
}

/* To sRGB by its own profile, which may be of no use. Without one, asking for sRGB would make
 * colours of the wrong white of what is sRGB. */
static VipsImage *decode(const struct work *work)
{
    VipsImage *reduced = open_reduced(work, work->has_profile ? "srgb" : NULL);
    if (reduced == NULL && work->has_profile)
        reduced = open_reduced(work, NULL);
    return reduced != NULL ? vips_image_copy_memory(reduced) : NULL;
}

static VipsImage *make_large(const struct work *work)
{
    VipsImage *large = decode(work), *icon = NULL;
    if (large == NULL || work->job->kind != PICTURE_ICON || work->side == PICTURE_ICON_SIDE)
        return large;
    vips_thumbnail_image(large, &icon, PICTURE_ICON_SIDE, "height", PICTURE_ICON_SIDE, "size",
                         VIPS_SIZE_FORCE, "no_rotate", TRUE, NULL);
    return icon;
}

/* False where that cannot be said. */
static bool has_transparency(VipsImage *image, bool *has)
{
    VipsImage *alpha;
    double least = OPAQUE;
    *has = false;
    if (!vips_image_hasalpha(image))
        return true;
    if (vips_extract_band(image, &alpha, vips_image_get_bands(image) - 1, NULL) != 0 ||
        vips_min(alpha, &least, NULL) != 0)
        return false;
    *has = least < (double)OPAQUE;
    return true;
}

static VipsImage *without_alpha(VipsImage *image)
{
    VipsImage *opaque;
    if (!vips_image_hasalpha(image))
        return image;
    if (vips_extract_band(image, &opaque, 0, "n", vips_image_get_bands(image) - 1, NULL) != 0)
        return NULL;
    return opaque;
}

static bool encode_jpeg(VipsImage *image, struct encoded *encoded)
{
    return vips_jpegsave_buffer(image, &encoded->bytes, &encoded->length, "Q", JPEG_QUALITY,
                                "strip", TRUE, "interlace", TRUE, "optimize_coding", TRUE,
                                NULL) == 0;
}

/* libvips 8.14 does not strip it. */
static bool strip_webp(const struct encoded *made, struct encoded *stripped)
{
    static const char *const chunks[] = {"EXIF", "XMP ", "ICCP"};
    const WebPData data = {made->bytes, made->length};
    WebPData assembled = {0};
    WebPMux *mux = WebPMuxCreate(&data, 0);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
        (void)WebPMuxDeleteChunk(mux, chunks[i]); /* if there is one */
    bool good = WebPMuxAssemble(mux, &assembled) == WEBP_MUX_OK;
    *stripped = (struct encoded){(void *)(uintptr_t)assembled.bytes, assembled.size};
    return good || refuse("its WebP cannot be stripped");
}

/* Who erased something may have left its colours where nothing of it is seen. */
static VipsImage *without_unseen(VipsImage *image)
{
    VipsImage *alpha, *mask, *seen;
    if (vips_extract_band(image, &alpha, vips_image_get_bands(image) - 1, NULL) != 0 ||
        vips_more_const1(alpha, &mask, 0, NULL) != 0 || /* each bit of a byte, or none */
        vips_andimage(image, mask, &seen, NULL) != 0)
        return NULL;
    return seen;
}

static bool encode_webp(VipsImage *image, struct encoded *encoded)
{
    struct encoded made = {0};
    VipsImage *seen = without_unseen(image);
    return seen != NULL &&
           vips_webpsave_buffer(seen, &made.bytes, &made.length, "Q", WEBP_QUALITY, NULL) == 0 &&
           strip_webp(&made, encoded);
}

static bool write_all(int descriptor, const char *bytes, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t written = pwrite(descriptor, bytes + done, length - done, (off_t)done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return refuse(strerror(errno));
        done += (size_t)written;
    }
    return true;
}

/* That it cannot be written is not the picture's fault. */
static bool save(VipsImage *image, struct decoder_reply *reply, int descriptor)
{
    struct encoded encoded;
    bool good =
        reply->format == PICTURE_WEBP ? encode_webp(image, &encoded) : encode_jpeg(image, &encoded);
    if (!good || write_all(descriptor, encoded.bytes, encoded.length))
        return good;
    reply->outcome = DECODER_NOT_WRITTEN;
    return false;
}

static bool save_small(VipsImage *large, struct decoder_reply *reply, int descriptor)
{
    VipsImage *small;
    return vips_thumbnail_image(large, &small, PICTURE_SMALL, "height", PICTURE_SMALL, "size",
                                VIPS_SIZE_DOWN, "no_rotate", TRUE, NULL) == 0 &&
           save(small, reply, descriptor);
}

static bool make(const struct work *work)
{
    const struct render_job *job = work->job;
    bool is_transparent;
    VipsImage *large = make_large(work);
    if (large == NULL || !has_transparency(large, &is_transparent))
        return false;
    enum picture_format format = is_transparent ? PICTURE_WEBP : PICTURE_JPEG;
    if (!is_transparent && (large = without_alpha(large)) == NULL)
        return false;
    work->reply->format = format;
    work->reply->width = vips_image_get_width(large);
    work->reply->height = vips_image_get_height(large);
    return save(large, work->reply, job->large) &&
           (job->kind == PICTURE_ICON || save_small(large, work->reply, job->small));
}

/* The line that ends there, without blanks behind it; what begins with a blank goes on with the
 * line before. */
static const char *last_line(const char *text, size_t *end)
{
    while (*end > 0 && (text[*end - 1] == '\n' || text[*end - 1] == ' '))
        (*end)--;
    size_t begin = *end;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    if (begin == 0 || text[begin] != ' ')
        return text + begin;
    *end = begin;
    return last_line(text, end);
}

/* What was said last is what it ended with. A library may have said nothing. */
static void complain(char *complaint, size_t size)
{
    const char *said = vips_error_buffer();
    size_t end = strlen(said);
    const char *line = last_line(said, &end);
    int length = (int)(said + end - line);
    if (length > 0)
        snprintf(complaint, size, "%.*s", length, line);
    else
        snprintf(complaint, size, "it cannot be decoded");
}

void render(const struct render_job *job, struct render_result *result)
{
    *result = (struct render_result){.reply.outcome = DECODER_UNREADABLE};
    struct work work = {.job = job, .reply = &result->reply};
    if (examine(&work) && make(&work))
        result->reply.outcome = DECODER_MADE;
    else
        complain(result->complaint, sizeof result->complaint);
}
