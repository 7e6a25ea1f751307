/*
 * The addresses of photos and icons, in SQL: of what was uploaded, those of its files, else the
 * ones that they were given.
 */
#ifndef MAPDIARY_STORE_ADDRESSES_H
#define MAPDIARY_STORE_ADDRESSES_H

/* Of a photo: of its "large" or "small" picture. */
#define PHOTO_ADDRESS(alias, part)                                                  \
    "photo_address(" alias ".album_id, " alias ".poi_id, " alias ".address, " alias \
    ".name, " alias ".format, '" part "')"

/* Of the icon of a user. */
#define ICON_ADDRESS(alias) \
    "icon_address(" alias ".user_id, " alias ".icon, " alias ".icon_name, " alias ".icon_format)"

#endif
