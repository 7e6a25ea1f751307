#include "model/subject.h"

#include <stddef.h>

const char *const subject_names[SUBJECT_COUNT + 1] = {"album", "poi", "blog", NULL};

const char *const subject_kinds[SUBJECT_COUNT + 1] = {"album", "POI", "blog", NULL};

enum status subject_absent(enum subject subject)
{
    static const enum status absent[SUBJECT_COUNT] = {STATUS_ALBUM_NOT_FOUND, STATUS_POI_NOT_FOUND,
                                                      STATUS_BLOG_NOT_FOUND};
    return absent[subject];
}

struct piece_name piece_named(const int64_t ids[SUBJECT_COUNT])
{
    enum subject subject = SUBJECT_ALBUM;
    while (subject < SUBJECT_BLOG && ids[subject] == 0)
        subject++;
    return (struct piece_name){subject, ids[subject]};
}
