#include "media/publication.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "media/folder.h"

#define PHOTOS "photos"

enum { PIECE_SIZE = sizeof PHOTOS "/a" + TEXT_INTEGER_SIZE, TRIES = 100 };

static const char letters[] = {
    [PUBLICATION_ALBUM] = 'a', [PUBLICATION_POI] = 'p', [PUBLICATION_USER] = 'u'};

static const char *const parts[] = {
    [PUBLICATION_LARGE] = "large", [PUBLICATION_SMALL] = "small", [PUBLICATION_ICON] = "icon"};

static const char *const formats[PICTURE_FORMATS] = {
    [PICTURE_JPEG] = "jpg", [PICTURE_WEBP] = "webp"};

/* Addresses ----------------------------------------------------------------------------------- */

static void add_piece(enum publication_owner owner, int64_t id, char path[static PIECE_SIZE])
{
    snprintf(path, PIECE_SIZE, PHOTOS "/%c%lld", letters[owner], (long long)id);
}

void publication_address(const struct publication *publication, char *path)
{
    char piece[PIECE_SIZE];
    add_piece(publication->owner, publication->id, piece);
    snprintf(path, PUBLICATION_ADDRESS_SIZE, "/%s/%.*s/%s.%s", piece, PUBLICATION_NAME_DIGITS,
             publication->name, parts[publication->part], formats[publication->format]);
}

void publication_folder(enum publication_owner owner, int64_t id, const char *name, char *path)
{
    snprintf(path, PUBLICATION_ADDRESS_SIZE, "%c%lld/%.*s", letters[owner], (long long)id,
             PUBLICATION_NAME_DIGITS, name);
}

/* Each of these answers the end of what it reads, or NULL. */

static const char *read_owner(const char *at, enum publication_owner *owner)
{
    for (size_t i = 0; i < sizeof letters; i++)
        if (*at == letters[i]) {
            *owner = (enum publication_owner)i;
            return at + 1;
        }
    return NULL;
}

/* As it is written: without leading zeros. */
static const char *read_id(const char *at, int64_t *id)
{
    char digits[TEXT_INTEGER_SIZE] = "";
    size_t length = strspn(at, "0123456789");
    if (*at == '0' || length == 0 || length >= sizeof digits)
        return NULL;
    memcpy(digits, at, length);
    return text_to_integer(digits, id) ? at + length : NULL;
}

static const char *read_name(const char *at, const char **name)
{
    *name = at;
    return strspn(at, "0123456789abcdef") == PUBLICATION_NAME_DIGITS ? at + PUBLICATION_NAME_DIGITS
                                                                     : NULL;
}

static const char *read_slash(const char *at)
{
    return at != NULL && *at == '/' ? at + 1 : NULL;
}

/* What it says is read, and has to be what it would be written as. */
static bool read_file(const char *at, struct publication *publication)
{
    char file[sizeof "large.webp"];
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (size_t format = 0; format < PICTURE_FORMATS; format++) {
            snprintf(file, sizeof file, "%s.%s", parts[part], formats[format]);
            if (strcmp(at, file) != 0)
                continue;
            publication->part = (enum publication_part)part;
            publication->format = (enum picture_format)format;
            return (publication->owner == PUBLICATION_USER) == (part == PUBLICATION_ICON);
        }
    return false;
}

bool publication_parse(const char *path, struct publication *publication)
{
    const char *at = strncmp(path, "/" PHOTOS "/", strlen("/" PHOTOS "/")) == 0
                         ? path + strlen("/" PHOTOS)
                         : path;
    at = read_slash(at);
    at = at != NULL ? read_owner(at, &publication->owner) : NULL;
    at = at != NULL ? read_id(at, &publication->id) : NULL;
    at = read_slash(at);
    at = at != NULL ? read_name(at, &publication->name) : NULL;
    at = read_slash(at);
    return at != NULL && read_file(at, publication);
}

/* Link ---------------------------------------------------------------------------------------- */

/* All folders of a path. Whoever withdraws one takes it away again: then the link finds none. */
static bool make_folders(const struct files *files, const char *path)
{
    char folder[PUBLICATION_ADDRESS_SIZE];
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (!folder_make(files->public, folder, FOLDER_PASSED) && errno != ENOENT)
            return false;
    }
    return true;
}

static bool is_linked(const struct files *files, const char *picture, const char *path)
{
    struct stat one, other;
    return fstatat(files->root, picture, &one, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstatat(files->public, path, &other, AT_SYMLINK_NOFOLLOW) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* By way of another name, so that there is one of the two at any time. */
static bool replace(const struct files *files, const char *picture, const char *path)
{
    char name[FOLDER_RANDOM_SIZE];
    folder_random(name);
    if (linkat(files->root, picture, files->gone, name, 0) != 0)
        return false;
    bool is_replaced = renameat(files->gone, name, files->public, path) == 0;
    int error = errno;
    unlinkat(files->gone, name, 0); /* rename(2) leaves it where both are one file */
    errno = error;
    return is_replaced;
}

static bool try_link(const struct files *files, const char *picture, const char *path)
{
    if (linkat(files->root, picture, files->public, path, 0) == 0)
        return true;
    return errno == EEXIST && (is_linked(files, picture, path) || replace(files, picture, path));
}

/* It need not be on the disk: what a crash takes of it, the service is asked for. A file of ext4
 * has 65,000 links at most, and equal pictures are one file. */
enum status publication_link(const struct files *files, const struct publication *publication,
                             const unsigned char *digest)
{
    char address[PUBLICATION_ADDRESS_SIZE], picture[FILES_PATH_SIZE];
    struct files_entry entry;
    publication_address(publication, address);
    files_path(digest, picture);
    for (int i = 0; i < TRIES; i++) {
        if (try_link(files, picture, address + 1))
            return STATUS_OK;
        if (errno == EMLINK)
            return STATUS_CONFLICT;
        if (errno != ENOENT)
            break;
        enum status status = files_head(files, FILES_PICTURES, digest, &entry);
        if (status != STATUS_OK)
            return status == STATUS_NOT_FOUND ? folder_fail(files, picture) : status;
        if (!make_folders(files, address + 1))
            break;
    }
    return folder_fail(files, address);
}

/* Withdraw ------------------------------------------------------------------------------------ */

/* The folder that a name is in, or the next above it that is there. */
static int open_above(const struct files *files, char *path)
{
    int folder = -1;
    errno = ENOENT;
    while (folder < 0 && errno == ENOENT && strrchr(path, '/') != NULL) {
        *strrchr(path, '/') = '\0';
        folder = folder_open(files->public, path);
    }
    return folder < 0 && errno == ENOENT ? folder_open(files->public, ".") : folder;
}

/*
 * The order that this stands in: the name goes, the folder that it was in is written to the disk,
 * and only then the caller commits. So whatever stops, and be it the power, no row says private
 * while the name is still there, or comes back with the folder. What is gone already may not be on
 * the disk yet, as whoever took it may have died before: it is written all the same.
 */
static bool take_away(const struct files *files, const char *path, const char *name)
{
    char parent[PUBLICATION_ADDRESS_SIZE];
    if (renameat(files->public, path, files->gone, name) != 0 && errno != ENOENT)
        return false;
    snprintf(parent, sizeof parent, "%s", path);
    int folder = open_above(files, parent);
    if (folder < 0)
        return false;
    bool is_written = fsync(folder) == 0;
    folder_close(folder);
    return is_written;
}

enum status publication_withdraw(const struct files *files, enum publication_owner owner,
                                 int64_t id, const char *name)
{
    char piece[PIECE_SIZE], path[PUBLICATION_ADDRESS_SIZE], gone[FOLDER_RANDOM_SIZE];
    add_piece(owner, id, piece);
    snprintf(path, sizeof path, "%s%s%.*s", piece, name != NULL ? "/" : "", PUBLICATION_NAME_DIGITS,
             name != NULL ? name : "");
    folder_random(gone);
    if (!take_away(files, path, gone))
        return folder_fail(files, path);
    folder_remove(files->gone, gone);
    return STATUS_OK;
}

/* List ---------------------------------------------------------------------------------------- */

struct walk {
    const struct files *files;
    publication_function *function;
    void *context;
    int folder; /* of all pieces */
};

static void report_stranger(const struct walk *walk, const char *piece, const char *name)
{
    log_warning("photo_directory %s: public/" PHOTOS "/%s%s%s is no photo", walk->files->directory,
                piece, *name != '\0' ? "/" : "", name);
}

/* What has gone since has no names. */
static enum status find_names(const struct files *files, int folder, char ***names, size_t *count)
{
    *count = 0;
    *names = folder >= 0 ? folder_names(folder, count) : NULL;
    return *names != NULL || errno == ENOENT ? STATUS_OK : folder_fail(files, "public");
}

static enum status list_names(const struct walk *walk, const char *piece,
                              enum publication_owner owner, int64_t id)
{
    size_t count;
    char **names;
    const char *start, *end;
    int folder = folder_open(walk->folder, piece);
    if (folder < 0 && errno == ENOTDIR) {
        report_stranger(walk, piece, "");
        return STATUS_OK;
    }
    enum status status = find_names(walk->files, folder, &names, &count);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if ((end = read_name(names[i], &start)) != NULL && *end == '\0')
            status = walk->function(walk->context, owner, id, names[i]);
        else
            report_stranger(walk, piece, names[i]);
    folder_free_names(names, count);
    folder_close(folder);
    return status;
}

static enum status list_piece(const struct walk *walk, const char *piece)
{
    enum publication_owner owner;
    int64_t id;
    const char *end = read_owner(piece, &owner);
    end = end != NULL ? read_id(end, &id) : NULL;
    if (end != NULL && *end == '\0')
        return list_names(walk, piece, owner, id);
    report_stranger(walk, piece, "");
    return STATUS_OK;
}

enum status publication_list(const struct files *files, publication_function *function,
                             void *context)
{
    const struct walk walk = {files, function, context, folder_open(files->public, PHOTOS)};
    size_t count;
    char **pieces;
    enum status status = find_names(files, walk.folder, &pieces, &count);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = list_piece(&walk, pieces[i]);
    folder_free_names(pieces, count);
    folder_close(walk.folder);
    return status;
}
