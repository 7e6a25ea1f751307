-- The diary of a user: blogs by their dates, and albums by the days on which they begin.

ALTER TABLE piece ADD first_taken_at timestamptz;
COMMENT ON COLUMN piece.first_taken_at IS 'Of an album: when the first of its photos that are not hidden was taken; NULL if no photo says so.';
CALL view_pieces();
CREATE INDEX photo_taken ON photo (kind, number, taken_at) WHERE taken_at IS NOT NULL AND hidden IS NULL;

CREATE FUNCTION first_taken(of_kind smallint, of_number bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT min(taken_at) FROM mapdiary.photo WHERE kind = of_kind AND number = of_number AND taken_at IS NOT NULL AND hidden IS NULL
$$;
COMMENT ON FUNCTION first_taken IS 'The value of piece.first_taken_at.';

-- A new photo can only make the first moment an earlier one. In all other cases the piece is locked before photos are read, because
-- another transaction may be changing them.
CREATE OR REPLACE FUNCTION touch_piece() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE piece p SET updated_at = now(), first_taken_at = least(p.first_taken_at, c.first)
            FROM (SELECT kind, number, min(taken_at) FILTER (WHERE hidden IS NULL) AS first FROM changed GROUP BY kind, number) c
            WHERE p.kind = c.kind AND p.number = c.number;
        RETURN NULL;
    END IF;
    PERFORM FROM piece WHERE (kind, number) IN (SELECT kind, number FROM changed) FOR NO KEY UPDATE;
    UPDATE piece SET updated_at = now(), first_taken_at = first_taken(kind, number)
        WHERE (kind, number) IN (SELECT kind, number FROM changed);
    RETURN NULL;
END $$;

-- Nobody has changed these albums now.
ALTER TABLE album DISABLE TRIGGER USER;
UPDATE album SET first_taken_at = first_taken(kind, number)
    WHERE EXISTS (SELECT FROM photo p WHERE p.kind = album.kind AND p.number = album.number AND p.taken_at IS NOT NULL);
ALTER TABLE album ENABLE TRIGGER USER;

-- A list for others reads no album that its reader does not see. An album without a date is shown as 0 or 1. A boolean in the place
-- of blog_shown() would be taken apart into its conditions, and would find no index.
CREATE INDEX album_diary ON album (owner_id, blog_shown(visibility, hidden, public_day, post_date),
                                   coalesce(first_taken_at, created_at), number);

-- Each branch is a stretch of an index, so no piece is read that the viewer does not see.
CREATE FUNCTION blogs_of_diary(viewer bigint, author bigint, shown smallint, first_day date, last_day date, before_day date,
                               before_id bigint, most bigint)
RETURNS TABLE (kind smallint, id bigint, day date, began timestamptz) LANGUAGE sql STABLE AS $$
    SELECT kind, number, post_date, NULL::timestamptz FROM mapdiary.visible_piece(viewer)
        WHERE kind = 2 AND owner_id = author AND mapdiary.blog_shown(visibility, hidden, public_day, post_date) = shown
        AND post_date BETWEEN first_day AND last_day AND (post_date, number) < (before_day, before_id)
        ORDER BY post_date DESC, number DESC LIMIT most
$$;
COMMENT ON FUNCTION blogs_of_diary IS 'Blogs of an author that are shown so (blog_shown()), the latest first, before a day and a blog.';
CREATE FUNCTION albums_of_diary(viewer bigint, author bigint, shown smallint, first_day date, last_day date,
                                before_moment timestamptz, before_id bigint, most bigint)
RETURNS TABLE (kind smallint, id bigint, day date, began timestamptz) LANGUAGE sql STABLE AS $$
    SELECT kind, number, coalesce(first_taken_at, created_at)::date, coalesce(first_taken_at, created_at)
        FROM mapdiary.visible_piece(viewer)
        WHERE kind = 0 AND owner_id = author AND mapdiary.blog_shown(visibility, hidden, public_day, post_date) = shown
        AND coalesce(first_taken_at, created_at) >= first_day AND coalesce(first_taken_at, created_at) < last_day + 1
        AND (coalesce(first_taken_at, created_at), number) < (before_moment, before_id)
        ORDER BY coalesce(first_taken_at, created_at) DESC, number DESC LIMIT most
$$;
COMMENT ON FUNCTION albums_of_diary IS 'Albums of an author that are shown so (blog_shown()), the latest first, before a moment and an album.';

-- A blog of a day stands before the albums of this day. So albums behind a blog may be of the same day, and blogs behind an album
-- are of an earlier one.
CREATE FUNCTION diary(viewer bigint, author bigint, first_day date, last_day date, before_day date, before_kind integer,
                      before_id bigint, before_microseconds bigint, most bigint)
RETURNS TABLE (kind smallint, id bigint, day date, began timestamptz) LANGUAGE plpgsql STABLE SET search_path = mapdiary AS $$
DECLARE
    moment CONSTANT timestamptz := CASE WHEN before_kind = 2 THEN before_day + 1 ELSE timestamptz 'epoch'
        + before_microseconds / 1000000 * interval '1 second' + before_microseconds % 1000000 * interval '1 microsecond' END;
    blog_id CONSTANT bigint := CASE WHEN before_kind = 2 THEN before_id ELSE 0 END;
    album_id CONSTANT bigint := CASE WHEN before_kind = 2 THEN 0 ELSE before_id END;
    is_own CONSTANT boolean := coalesce(viewer = author, false);
BEGIN
    RETURN QUERY
        SELECT * FROM (
            SELECT * FROM blogs_of_diary(viewer, author, 1::smallint, first_day, CASE WHEN is_own THEN last_day
                                         ELSE least(last_day, current_date) END, before_day, blog_id, most)
            UNION ALL SELECT * FROM blogs_of_diary(viewer, author, 2::smallint, first_day, last_day, before_day, blog_id, most)
            UNION ALL SELECT * FROM blogs_of_diary(viewer, author, 0::smallint, first_day, last_day, before_day, blog_id, most)
                WHERE is_own
            UNION ALL SELECT * FROM albums_of_diary(viewer, author, 1::smallint, first_day, last_day, moment, album_id, most)
            UNION ALL SELECT * FROM albums_of_diary(viewer, author, 0::smallint, first_day, last_day, moment, album_id, most)
                WHERE is_own) d
        ORDER BY d.day DESC, d.kind DESC, d.began DESC, d.id DESC LIMIT most;
END $$;
COMMENT ON FUNCTION diary IS
    'Blogs of an author by their dates, and albums by the days on which they begin, the latest first, behind a position.';

CALL show_pieces();
