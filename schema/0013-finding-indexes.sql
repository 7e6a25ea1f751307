-- one by one
--
-- Indexes of the pieces themselves, by which they are found. Each statement is a transaction of its own: the pieces can be
-- written while their indexes are made. What was interrupted is begun anew.

DROP INDEX CONCURRENTLY IF EXISTS mapdiary.album_place;
CREATE INDEX CONCURRENTLY album_place ON mapdiary.album (mapdiary.place_number(lat, lng));
DROP INDEX CONCURRENTLY IF EXISTS mapdiary.poi_place;
CREATE INDEX CONCURRENTLY poi_place ON mapdiary.poi (mapdiary.place_number(lat, lng));
DROP INDEX CONCURRENTLY IF EXISTS mapdiary.blog_place;
CREATE INDEX CONCURRENTLY blog_place ON mapdiary.blog (mapdiary.place_number(lat, lng));
DROP INDEX CONCURRENTLY IF EXISTS mapdiary.blog_newest;
CREATE INDEX CONCURRENTLY blog_newest ON mapdiary.blog (post_date, blog_id);
DROP INDEX CONCURRENTLY IF EXISTS mapdiary.blog_newest_of_type;
CREATE INDEX CONCURRENTLY blog_newest_of_type ON mapdiary.blog (type, post_date, blog_id);
DROP INDEX CONCURRENTLY IF EXISTS mapdiary.blog_newest_of_author;
CREATE INDEX CONCURRENTLY blog_newest_of_author ON mapdiary.blog (author_id, post_date, blog_id);

-- A list of a category looks at each row, as some are hidden: its index need not have the name, and is a third as large.
DROP INDEX CONCURRENTLY IF EXISTS mapdiary.poi_of_category;
CREATE INDEX CONCURRENTLY poi_of_category ON mapdiary.poi (category, poi_id);
DROP INDEX CONCURRENTLY IF EXISTS mapdiary.poi_category;
