-- Covers of the sample content's albums, and when its albums and points of interest were changed last. For psql, as the
-- service's own role, once the photos of sample-photos.tsv are uploaded.

\set ON_ERROR_STOP on
BEGIN;
SET LOCAL search_path = mapdiary;
SET LOCAL timezone = 'UTC';

-- A cover is chosen by the owner; three albums have none yet. The last change lies some days back, each on its own day.
UPDATE album
   SET cover_photo_id = (SELECT photo_id FROM photo
                          WHERE photo.album_id = album.album_id ORDER BY position DESC LIMIT 1)
 WHERE title NOT IN ('畢業典禮', '桜 · 櫻花 · sakura');
UPDATE album SET updated_at = date_trunc('minute', now()) - make_interval(days => (album_id * 11 % 60)::integer);
UPDATE poi SET updated_at = date_trunc('minute', now()) - interval '5 days' WHERE poi_id IN (SELECT poi_id FROM photo);

COMMIT;
