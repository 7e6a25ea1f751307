#include "store/piece.h"

struct piece piece_read(struct db_row *row)
{
    struct piece piece = {.category = db_read_integer(row)};
    piece.place.lat = db_read_text(row);
    piece.place.lng = db_read_text(row);
    piece.owner_name = db_read_text(row);
    piece.owner_icon = db_read_text(row);
    piece.updated = db_read_date(row);
    piece.score = db_read_integer(row);
    return piece;
}

enum status piece_ownership(const struct db_rows *locked, int64_t asker, enum status absent)
{
    if (db_rows_count(locked) == 0)
        return absent;
    struct db_row row = db_row(locked, 0);
    int64_t owner = db_read_integer(&row);
    bool hidden = db_read_boolean(&row);
    if (owner == asker)
        return STATUS_OK;
    return hidden ? absent : STATUS_NOT_OWNER;
}
