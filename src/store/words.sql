-- Words that statements of several files are made of. psql has them after \i src/store/words.sql.

-- The user who has this session, else NULL. A statement asks for the session only where it matters.
\set reader '(SELECT s.user_id FROM session s WHERE s.user_id = :viewer AND s.token_hash = :token_hash AND s.expires_at > now())'

-- The addresses of the icon of user u, and of the pictures of photo p: of the files of an upload, else as given.
\set icon 'icon_address(u.user_id, u.icon, u.icon_name, u.icon_format)'
\set small 'photo_address(p.kind, p.number, p.address, p.name, p.format, ''small'')'
\set large 'photo_address(p.kind, p.number, p.address, p.name, p.format, ''large'')'

-- Whether a piece has the version that its writer has seen, if the writer says which.
\set is_base '(:base_version::bigint IS NULL OR version = :base_version)'

-- The number of the piece of row c, in the column of its kind.
\set piece_ids 'CASE c.kind WHEN 0 THEN c.number END, CASE c.kind WHEN 1 THEN c.number END, CASE c.kind WHEN 2 THEN c.number END'

-- The words of each kind of pieces. A statement "for" some kinds is made once for each.

-- kind: album
\set kind album \set of_kind 0 \set prefix '''album:'''
\set visibility t.visibility::text \set version t.version \set vote 'NULL::smallint, NULL'
\set address :small

-- kind: poi
\set kind poi \set of_kind 1 \set prefix '''poi:'''
\set visibility NULL::text \set version NULL::integer \set vote 'NULL::smallint, NULL'
\set address :large

-- kind: blog
\set kind blog \set of_kind 2 \set prefix '''blog:'''
\set visibility t.visibility::text \set version t.version
\set vote '(SELECT b.position FROM ballot b WHERE b.blog_id = :id AND b.user_id = reader.id), (SELECT ''true'' FROM vote v WHERE v.blog_id = :id AND v.closed_at IS NOT NULL)'
