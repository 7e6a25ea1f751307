#include "model/subject.h"

#include <stddef.h>

const char *const subject_names[SUBJECT_COUNT + 1] = {"album", "poi", "blog", NULL};

enum status subject_absent(enum subject subject)
{
    static const enum status absent[SUBJECT_COUNT] = {STATUS_ALBUM_NOT_FOUND, STATUS_POI_NOT_FOUND,
                                                      STATUS_BLOG_NOT_FOUND};
    return absent[subject];
}
