-- Covers of the sample content's albums, and when its albums and points of interest were changed last. For psql, as the
-- service's own role, once the photos of photos.tsv are uploaded.

\set ON_ERROR_STOP on
BEGIN;
SET LOCAL search_path = mapdiary;
SET LOCAL timezone = 'UTC';

-- A cover is chosen by the owner; three albums have none yet. The last change lies some days back, each on its own day.
UPDATE album
   SET cover_photo_id = (SELECT photo_id FROM photo
                          WHERE photo.kind = 0 AND photo.number = album.number ORDER BY position DESC LIMIT 1)
 WHERE title NOT IN ('畢業典禮', '桜 · 櫻花 · sakura');
UPDATE album SET updated_at = date_trunc('minute', now()) - make_interval(days => (number * 11 % 60)::integer);
UPDATE poi SET updated_at = date_trunc('minute', now()) - interval '5 days' WHERE number IN (SELECT number FROM photo WHERE kind = 1);

COMMIT;
