-- Advertisements.

-- One that runs at the place; the turn is a number that chooses among several.
-- name: advertisement_find(lat, lng, turn) service
SELECT id, title, text, image, address, lat, lng
  FROM advertisement_at(:lat::float8, :lng::float8, :turn::float8);

-- name: advertisement_check(advertisement_id) service
SELECT runs FROM advertisement_runs(:advertisement_id) AS runs WHERE runs;

-- name: advertisement_insert(title, text, image, address, lat, lng, radius, weight, first_day, last_day) writes admin
INSERT INTO advertisement (title, text, image, address, lat, lng, radius, weight, first_day, last_day)
VALUES (:title, :text, :image, :address, :lat, :lng, :radius, :weight,
        coalesce(:first_day::date, current_date), :last_day)
RETURNING advertisement_id;

-- All sums of advertisement a.
\set shown '(SELECT coalesce(sum(shown), 0)::bigint FROM advertisement_day d WHERE d.advertisement_id = a.advertisement_id)'
\set clicked '(SELECT coalesce(sum(clicked), 0)::bigint FROM advertisement_day d WHERE d.advertisement_id = a.advertisement_id)'

-- Where running is 1, only those that run today.
-- name: advertisement_list(running, after, most) admin
SELECT advertisement_id, title, lat::text, lng::text, radius, weight, first_day, last_day,
       (runs_today(a)), :shown, :clicked
  FROM advertisement a
 WHERE (:running::integer = 0 OR (runs_today(a))) AND advertisement_id > :after::bigint
 ORDER BY advertisement_id
 LIMIT :most::bigint;

-- name: advertisement_show(advertisement_id) admin
SELECT advertisement_id, title, text, image, address, lat::text, lng::text, radius, weight, first_day, last_day,
       created_at, ended_at, (runs_today(a)), :shown, :clicked
  FROM advertisement a
 WHERE advertisement_id = :advertisement_id;

-- name: advertisement_counts(advertisement_id) admin
SELECT day, advertisement_id, shown, clicked
  FROM advertisement_day
 WHERE (:advertisement_id::bigint IS NULL OR advertisement_id = :advertisement_id)
 ORDER BY day, advertisement_id;

-- name: advertisement_end(advertisement_id) writes admin
UPDATE advertisement
   SET ended_at = coalesce(ended_at, now())
 WHERE advertisement_id = :advertisement_id
RETURNING true;

-- The indexer writes the counts.
-- table: advertisement_counting

-- name: advertisement_count(advertisement_id, shown_now, clicked_now) writes service
SELECT count_advertisement(:advertisement_id, :shown_now, :clicked_now) IS NULL;
