-- The server before the schema is there: its roles, the database, the room for connections. store/cluster.h has the
-- names of roles and database as well.

-- name: cluster_look(database) admin
SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
       EXISTS (SELECT FROM pg_roles WHERE rolname = 'mapdiary_owner'),
       EXISTS (SELECT FROM pg_roles WHERE rolname = 'mapdiary'),
       EXISTS (SELECT
                 FROM pg_auth_members
                WHERE roleid = to_regrole('mapdiary_visitor') AND member = to_regrole('mapdiary')),
       EXISTS (SELECT FROM pg_roles WHERE rolname = 'mapdiary_mail'),
       EXISTS (SELECT FROM pg_database WHERE datname = :database::text),
       EXISTS (SELECT
                 FROM pg_database
                WHERE datname = :database AND encoding = 6
                  AND datdba = (SELECT oid FROM pg_roles WHERE rolname = 'mapdiary_owner'));

-- Without the schema, its name is NULL, and so is every privilege on it.
-- name: cluster_session admin
SELECT current_user::text, current_setting('server_version'),
       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
       to_regnamespace('mapdiary') IS NOT NULL,
       coalesce(has_schema_privilege(to_regnamespace('mapdiary'), 'CREATE'), false),
       coalesce(pg_has_role(to_regrole('mapdiary_visitor'), 'MEMBER'), false),
       clock_timestamp();

-- Everybody may see the user of a session; processes of the server itself have none.
-- name: cluster_room admin
SELECT least(current_setting('max_connections')::bigint
             - current_setting('superuser_reserved_connections')::bigint
             - coalesce(current_setting('reserved_connections', true)::bigint, 0),
             (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = session_user),
             (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())),
       (SELECT count(*)
          FROM pg_stat_activity
         WHERE usesysid IS NOT NULL AND datid IS NOT NULL
           AND (usename <> session_user OR client_addr IS DISTINCT FROM inet_client_addr()));

-- name: cluster_timezone(part) admin
SELECT name
  FROM pg_timezone_names
 WHERE strpos(lower(name), replace(lower(:part), ' ', '_')) > 0 AND strpos(name, '/') > 0
 ORDER BY length(name), name
 LIMIT 1;

-- name: cluster_schema_owner admin
SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'mapdiary';
