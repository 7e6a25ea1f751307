-- The migrations that the database has.

-- name: migration_list admin
SELECT number, name, checksum, applied_at FROM migration ORDER BY number;
