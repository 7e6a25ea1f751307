#include "media/decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "media/decoder_protocol.h"
#include "unit.h"

/* One black pixel. */
static const unsigned char gif[] = {
    'G', 'I', 'F', '8', '9', 'a', 1, 0, 1, 0, 0x80, 0, 0, 0,    0, 0, 0,   0,
    0,   ',', 0,   0,   0,   0,   1, 0, 1, 0, 0,    2, 2, 0x44, 1, 0, ';',
};

enum { CLIENT, SERVER };

static int channel[2];
static pid_t server;

static int make(void **state)
{
    (void)state;
    server = 0;
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel);
}

static int drop(void **state)
{
    (void)state;
    close(channel[CLIENT]);
    if (channel[SERVER] >= 0)
        close(channel[SERVER]);
    if (server != 0)
        assert_int_equal(waitpid(server, NULL, 0), server);
    return 0;
}

/* The program, from the folder that it was built in. */
static void start_decoder(void)
{
    server = fork();
    if (server == 0) {
        dup2(channel[SERVER], STDIN_FILENO);
        execl("./mapdiary-decoder", "mapdiary-decoder", "3", (char *)NULL);
        _exit(127);
    }
    close(channel[SERVER]);
    channel[SERVER] = -1;
}

static int file_of(const void *bytes, size_t length)
{
    int descriptor = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(write(descriptor, bytes, length), length);
    return descriptor;
}

static struct decoder_job job_of(enum picture_kind kind, const void *bytes, size_t length)
{
    return (struct decoder_job){.kind = kind,
                                .input = file_of(bytes, length),
                                .large = file_of("", 0),
                                .small = kind == PICTURE_ICON ? -1 : file_of("", 0)};
}

static void close_job(const struct decoder_job *job)
{
    close(job->input);
    close(job->large);
    if (job->small >= 0)
        close(job->small);
}

/* Without its log. */
static enum status run(enum picture_kind kind, const void *bytes, size_t length,
                       struct picture *picture)
{
    const struct decoder_job job = job_of(kind, bytes, length);
    unit_log_begin();
    enum status status = decoder_run(channel[CLIENT], &job, picture);
    free(unit_log_end());
    close_job(&job);
    return status;
}

static off_t length_of(int descriptor)
{
    return lseek(descriptor, 0, SEEK_END);
}

/* The program ---------------------------------------------------------------------------------- */

static void pictures_are_made(void **state)
{
    struct picture picture;
    (void)state;
    start_decoder();
    const struct decoder_job photo = job_of(PICTURE_PHOTO, gif, sizeof gif);
    assert_int_equal(decoder_run(channel[CLIENT], &photo, &picture), STATUS_OK);
    assert_int_equal(picture.format, PICTURE_JPEG);
    assert_int_equal(picture.width, 1);
    assert_int_equal(picture.height, 1);
    assert_false(picture.note.has_place || picture.note.has_time || picture.note.has_offset);
    assert_true(length_of(photo.large) > 100 && length_of(photo.small) > 100);
    close_job(&photo);
    assert_int_equal(run(PICTURE_ICON, gif, sizeof gif, &picture), STATUS_OK);
    assert_int_equal(picture.width, PICTURE_ICON_SIDE);
    assert_int_equal(run(PICTURE_PHOTO, gif, sizeof gif - 1, &picture), STATUS_PHOTO_NOT_READABLE);
    assert_int_equal(run(PICTURE_PHOTO, "", 0, &picture), STATUS_PHOTO_NOT_READABLE);
}

static void where_the_decoder_is_gone(void **state)
{
    struct picture picture;
    (void)state;
    start_decoder();
    kill(server, SIGKILL);
    assert_int_equal(run(PICTURE_PHOTO, gif, sizeof gif, &picture), STATUS_UNAVAILABLE);
    waitpid(server, NULL, 0);
    server = 0;
    assert_int_equal(run(PICTURE_PHOTO, gif, sizeof gif, &picture), STATUS_UNAVAILABLE);
}

/* What it must not be believed ----------------------------------------------------------------- */

/* Answers one job with what it is told to. */
static void serve_once(const void *reply, size_t length)
{
    struct decoder_request request;
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(DECODER_DESCRIPTORS * sizeof(int))];
    } control;
    struct iovec content = {.iov_base = &request, .iov_len = sizeof request};
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    int descriptors[DECODER_DESCRIPTORS];
    if (recvmsg(channel[SERVER], &message, 0) != sizeof request)
        _exit(1);
    memcpy(descriptors, CMSG_DATA(&control.header), sizeof descriptors);
    if (length > 0)
        (void)!send(descriptors[DECODER_REPLY], reply, length, 0);
    _exit(0);
}

static enum status answered(const void *reply, size_t length, struct picture *picture)
{
    pid_t pid = fork();
    if (pid == 0)
        serve_once(reply, length);
    enum status status = run(PICTURE_PHOTO, gif, sizeof gif, picture);
    waitpid(pid, NULL, 0);
    return status;
}

static const struct decoder_reply good = {.outcome = DECODER_MADE,
                                          .format = PICTURE_WEBP,
                                          .width = 2048,
                                          .height = 1,
                                          .has = 7,
                                          .offset = -3600,
                                          .lat = -90,
                                          .lng = 180,
                                          .time = "2024-02-29 23:59:59"};

static void answers_are_checked(void **state)
{
    struct decoder_reply bad[8];
    struct picture picture;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++)
        bad[i] = good;
    bad[0].outcome = DECODER_OUTCOMES;
    bad[1].outcome = UINT32_MAX;
    bad[2].format = PICTURE_FORMATS;
    bad[3].width = 0;
    bad[4].width = -1;
    bad[5].height = PICTURE_LARGE + 1;
    bad[6].height = INT32_MIN;
    bad[7].format = UINT32_MAX;
    for (size_t i = 0; i < COUNT(bad); i++)
        expect_integer("an answer", answered(&bad[i], sizeof bad[i], &picture), STATUS_UNAVAILABLE);
    for (size_t length = 0; length < sizeof good; length += 20)
        expect_integer("a part", answered(&good, length, &picture), STATUS_UNAVAILABLE);
    assert_int_equal(answered(&good, sizeof good, &picture), STATUS_OK);
    assert_int_equal(picture.format, PICTURE_WEBP);
    assert_true(picture.note.has_place && picture.note.has_time && picture.note.has_offset);
    assert_string_equal(picture.note.time, "2024-02-29 23:59:59");
}

/* What the camera noted ------------------------------------------------------------------------ */

static const struct {
    const char *time;
    bool is_time;
} times[] = {
    {"2026-11-22 08:15:12", true},
    {"0001-01-01 00:00:00", true},
    {"2024-02-29 23:59:59", true},
    {"2023-02-29 00:00:00", false},
    {"2026-11-31 00:00:00", false},
    {"0000-01-01 00:00:00", false},
    {"2026-11-22 24:00:00", false},
    {"2026-11-22 00:60:00", false},
    {"2026-11-22 00:00:60", false},
    {"2026-11-22T08:15:12", false},
    {"2026-11-22 08:15", false},
    {"2026-11-22 08:15:1x", false},
    {"", false},
};

static void times_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(times); i++) {
        struct camera_note note = {.has_time = true};
        memcpy(note.time, times[i].time, strlen(times[i].time) + 1);
        camera_note_check(&note);
        expect_integer(times[i].time, note.has_time, times[i].is_time);
    }
    struct camera_note endless = {.has_time = true};
    memcpy(endless.time, "2026-11-22 08:15:123", sizeof endless.time);
    camera_note_check(&endless);
    assert_false(endless.has_time);
}

static const struct {
    const char *name;
    double lat, lng;
    bool is_place;
} places[] = {
    {"here", 25.033, 121.5654, true},     {"pole", -90, -180, true},
    {"north", 90.0001, 0, false},         {"east", 0, 180.0001, false},
    {"west", 0, -180.0001, false},        {"no number", (double)NAN, 0, false},
    {"nor", 0, (double)NAN, false},       {"endless", (double)INFINITY, 0, false},
    {"far", 0, -(double)INFINITY, false},
};

static void places_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        struct camera_note note = {.has_place = true, .lat = places[i].lat, .lng = places[i].lng};
        camera_note_check(&note);
        expect_integer(places[i].name, note.has_place, places[i].is_place);
    }
}

static void offsets_are_checked(void **state)
{
    static const struct {
        int offset;
        bool is_offset;
    } offsets[] = {{0, true},      {50400, true},      {-50400, true},
                   {50401, false}, {INT32_MAX, false}, {-INT32_MAX, false}};
    (void)state;
    for (size_t i = 0; i < COUNT(offsets); i++) {
        struct camera_note note = {.has_offset = true, .offset = offsets[i].offset};
        camera_note_check(&note);
        expect_integer("offset", note.has_offset, offsets[i].is_offset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pictures_are_made, make, drop),
        cmocka_unit_test_setup_teardown(where_the_decoder_is_gone, make, drop),
        cmocka_unit_test_setup_teardown(answers_are_checked, make, drop),
        cmocka_unit_test(times_are_checked),
        cmocka_unit_test(places_are_checked),
        cmocka_unit_test(offsets_are_checked),
    };
    return RUN_TESTS(tests);
}
