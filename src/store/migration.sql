-- The migrations that the database has.

-- name: migration_list admin
SELECT number, name, checksum, applied_at FROM migration ORDER BY number;

-- name: migration_holders() admin
SELECT string_agg(DISTINCT format('%s, process %s, as %s', coalesce(nullif(application_name, ''), 'a program'), pid, usename), '; ')
  FROM pg_locks
  JOIN pg_stat_activity USING (pid)
 WHERE granted AND locktype = 'relation' AND pid <> pg_backend_pid()
   AND relation IN (SELECT oid FROM pg_class WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname ^@ 'mapdiary'));
