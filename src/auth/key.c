#include "auth/key.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

/* The file: hexadecimal digits and a line feed. */
enum { FILE_DIGITS = 2 * MASTER_KEY_SIZE, FILE_SIZE = FILE_DIGITS + 1 };

static enum status fail(const char *path, const char *why)
{
    log_error("%s: %s", path, why);
    return STATUS_INTERNAL;
}

static bool give_to_owner_of_folder(const char *path, int descriptor)
{
    char copy[4096];
    struct stat folder;
    snprintf(copy, sizeof copy, "%s", path);
    return geteuid() != 0 || (stat(dirname(copy), &folder) == 0 &&
                              fchown(descriptor, folder.st_uid, folder.st_gid) == 0);
}

static bool write_new(const char *path, int descriptor)
{
    unsigned char bytes[MASTER_KEY_SIZE];
    char line[FILE_SIZE + 1];
    crypto_random(bytes, sizeof bytes);
    crypto_to_hex(bytes, sizeof bytes, line);
    line[FILE_DIGITS] = '\n';
    bool good = write(descriptor, line, FILE_SIZE) == FILE_SIZE &&
                give_to_owner_of_folder(path, descriptor) && fsync(descriptor) == 0;
    explicit_bzero(bytes, sizeof bytes);
    explicit_bzero(line, sizeof line);
    return good;
}

enum status master_key_create(const char *path)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0 && errno == EEXIST)
        return STATUS_CONFLICT;
    if (descriptor < 0)
        return fail(path, strerror(errno));
    bool good = write_new(path, descriptor);
    int error = errno;
    close(descriptor);
    if (good)
        return STATUS_OK;
    unlink(path);
    return fail(path, strerror(error));
}

/* Why the open file cannot be the master key, or NULL. */
static const char *refuse(int descriptor, struct master_key *master)
{
    struct stat file;
    char text[FILE_SIZE + 1] = {0};
    if (fstat(descriptor, &file) != 0)
        return strerror(errno);
    if (!S_ISREG(file.st_mode))
        return "not a file";
    if ((file.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return "others than its owner may use this secret; its mode must be 0600";
    ssize_t length = read(descriptor, text, sizeof text);
    bool sized = length == FILE_DIGITS || (length == FILE_SIZE && text[FILE_DIGITS] == '\n');
    if (sized)
        text[FILE_DIGITS] = '\0';
    master->is_read = sized && crypto_from_hex(text, master->bytes, sizeof master->bytes);
    explicit_bzero(text, sizeof text);
    return master->is_read ? NULL : "not a master key as mapdiaryctl key init makes it";
}

enum status master_key_read(const char *path, struct master_key *master)
{
    *master = (struct master_key){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 && errno == ENOENT)
        return STATUS_KEY_UNKNOWN;
    if (descriptor < 0)
        return fail(path, strerror(errno));
    const char *why = refuse(descriptor, master);
    close(descriptor);
    return why == NULL ? STATUS_OK : fail(path, why);
}

enum status master_key_check(const struct config *config)
{
    struct master_key master;
    if (config->signatures == SIGNATURES_IGNORE)
        return STATUS_OK;
    enum status status = master_key_read(config->master_key_file, &master);
    explicit_bzero(&master, sizeof master);
    if (status != STATUS_KEY_UNKNOWN)
        return status;
    if (config->signatures == SIGNATURES_REQUIRE)
        return fail(config->master_key_file,
                    "not there, so nobody can sign; mapdiaryctl key init makes it");
    return STATUS_OK;
}

struct key_secret key_secret_of(const struct master_key *master,
                                const unsigned char id[KEY_ID_SIZE])
{
    struct key_secret secret = {0};
    char label[64] = "application key ";
    unsigned char mac[CRYPTO_MAC_SIZE];
    crypto_to_hex(id, KEY_ID_SIZE, label + strlen(label));
    crypto_mac(master->bytes, sizeof master->bytes, label, strlen(label), mac);
    crypto_to_hex(mac, sizeof mac, secret.digits);
    explicit_bzero(mac, sizeof mac);
    return secret;
}
