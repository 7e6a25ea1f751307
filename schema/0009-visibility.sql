-- The visibility of pieces, and the views by which requests reach them. Requests run as the role mapdiary_visitor, which
-- cannot read the tables of pieces.

CREATE FUNCTION become_visitor() RETURNS text LANGUAGE sql AS $$ SELECT set_config('role', 'mapdiary_visitor', false) $$;
COMMENT ON FUNCTION become_visitor IS 'Makes a connection of the service serve requests.';

-- The visibility of pieces -------------------------------------------------------------------------------------------

-- The viewer is a user, or NULL, which is nobody in particular. The functions are inlined, so an index serves what is asked
-- for. The test for everybody is the first, because the viewer may be a subquery, which then does not run.
CREATE FUNCTION may_see_album(owner bigint, visibility visibility, hidden hiding, viewer bigint)
RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT (visibility = ''public'' AND hidden IS NULL) OR coalesce(owner = viewer, false)';
CREATE FUNCTION may_see_poi(owner bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR coalesce(owner = viewer, false)';
CREATE FUNCTION may_see_blog(author bigint, visibility visibility, post_date date, hidden hiding, viewer bigint)
RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT (visibility = ''public'' AND post_date <= current_date AND hidden IS NULL) OR coalesce(author = viewer, false)';

CREATE FUNCTION may_see_photo(owner bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR coalesce(owner = viewer, false)';
COMMENT ON FUNCTION may_see_photo IS 'Of a piece that the viewer may see: whether the viewer sees a photo of it.';
CREATE FUNCTION may_see_comment(writer bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR (hidden = ''held'' AND coalesce(writer = viewer, false))';
COMMENT ON FUNCTION may_see_comment IS 'Of a piece that the viewer may see: whether the viewer sees a comment on it.';
CREATE FUNCTION may_list_comment(writer bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR coalesce(writer = viewer, false)';
COMMENT ON FUNCTION may_list_comment IS 'Whether a list of the own comments has a comment.';

-- visible_album(viewer) and its like are the pieces that the viewer may see. They are inlined, so an index of the table serves
-- a query. A request cannot name the views that they read. Requests write pieces by own_album and own_blog, of whose columns
-- they can only read the key, the owner and the visibility.
--
-- This is a procedure, because a piece whose table has a new column, or is another table, needs new views. show_pieces() calls
-- it.
CREATE PROCEDURE view_pieces() LANGUAGE plpgsql SET search_path = mapdiary SET client_min_messages = warning AS $$
BEGIN
    CREATE OR REPLACE VIEW mapdiary_closed.album AS SELECT * FROM album;
    CREATE OR REPLACE VIEW mapdiary_closed.poi AS SELECT * FROM poi;
    CREATE OR REPLACE VIEW mapdiary_closed.blog AS SELECT * FROM blog;
    CREATE OR REPLACE FUNCTION visible_album(viewer bigint) RETURNS SETOF mapdiary_closed.album LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT * FROM mapdiary_closed.album WHERE may_see_album(owner_id, visibility, hidden, viewer);
    END;
    CREATE OR REPLACE FUNCTION visible_poi(viewer bigint) RETURNS SETOF mapdiary_closed.poi LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT * FROM mapdiary_closed.poi WHERE may_see_poi(owner_id, hidden, viewer);
    END;
    CREATE OR REPLACE FUNCTION visible_blog(viewer bigint) RETURNS SETOF mapdiary_closed.blog LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT * FROM mapdiary_closed.blog WHERE may_see_blog(author_id, visibility, post_date, hidden, viewer);
    END;
    CREATE OR REPLACE VIEW own_album AS
        SELECT album_id, owner_id, title, category, lat, lng, visibility, cover_photo_id, updated_at FROM album;
    CREATE OR REPLACE VIEW own_blog AS
        SELECT blog_id, author_id, type, lat, lng, title, content, post_date, weather, reply_blog_id, zoom_level, map_type,
               user_category, visibility FROM blog;
END $$;
CALL view_pieces();
COMMENT ON FUNCTION visible_album IS 'The albums that the viewer may see.';
COMMENT ON FUNCTION visible_poi IS 'The points of interest that the viewer may see.';
COMMENT ON FUNCTION visible_blog IS 'The blogs that the viewer may see.';
COMMENT ON VIEW own_album IS 'Albums, for requests that write.';
COMMENT ON VIEW own_blog IS 'Blogs, for requests that write.';
COMMENT ON VIEW mapdiary_closed.album IS 'Albums, for visible_album().';
COMMENT ON VIEW mapdiary_closed.poi IS 'Points of interest, for visible_poi().';
COMMENT ON VIEW mapdiary_closed.blog IS 'Blogs, for visible_blog().';

-- Locks --------------------------------------------------------------------------------------------------------------

CREATE FUNCTION hold_album(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN owner_id FROM album WHERE album_id = id AND may_see_album(owner_id, visibility, hidden, viewer) FOR NO KEY UPDATE;
END $$;
COMMENT ON FUNCTION hold_album IS 'Locks an album for a change, and answers its owner; NULL if the viewer may not see it.';
CREATE FUNCTION hold_poi(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN owner_id FROM poi WHERE poi_id = id AND may_see_poi(owner_id, hidden, viewer) FOR NO KEY UPDATE;
END $$;
COMMENT ON FUNCTION hold_poi IS 'As hold_album(), of a point of interest.';
CREATE FUNCTION hold_blog(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN author_id FROM blog
        WHERE blog_id = id AND may_see_blog(author_id, visibility, post_date, hidden, viewer) FOR NO KEY UPDATE;
END $$;
COMMENT ON FUNCTION hold_blog IS 'As hold_album(), of a blog.';
CREATE FUNCTION keep_album(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN owner_id FROM album WHERE album_id = id AND may_see_album(owner_id, visibility, hidden, viewer) FOR KEY SHARE;
END $$;
COMMENT ON FUNCTION keep_album IS 'Locks an album against deletion, and answers its owner; NULL if the viewer may not see it.';
CREATE FUNCTION keep_poi(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN owner_id FROM poi WHERE poi_id = id AND may_see_poi(owner_id, hidden, viewer) FOR KEY SHARE;
END $$;
COMMENT ON FUNCTION keep_poi IS 'As keep_album(), of a point of interest.';
CREATE FUNCTION keep_blog(id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN author_id FROM blog
        WHERE blog_id = id AND may_see_blog(author_id, visibility, post_date, hidden, viewer) FOR KEY SHARE;
END $$;
COMMENT ON FUNCTION keep_blog IS 'As keep_album(), of a blog.';
CREATE FUNCTION keep_album_public(id bigint) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    PERFORM FROM album WHERE album_id = id AND may_see_album(owner_id, visibility, hidden, NULL) FOR SHARE SKIP LOCKED;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION keep_album_public IS
    'Locks an album against changes if everybody may see it; false if not, and at once if it is being changed.';
CREATE FUNCTION keep_poi_public(id bigint) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    PERFORM FROM poi WHERE poi_id = id AND may_see_poi(owner_id, hidden, NULL) FOR SHARE SKIP LOCKED;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION keep_poi_public IS 'As keep_album_public(), of a point of interest.';

-- Comments -----------------------------------------------------------------------------------------------------------

-- Locks a comment. The writer and the owner of the piece are NULL if the viewer may not see it.
CREATE FUNCTION hold_comment(id bigint, viewer bigint, OUT writer bigint, OUT owner bigint) LANGUAGE plpgsql
SET search_path = mapdiary, pg_temp AS $$
BEGIN
    SELECT c.commenter_id, coalesce(a.owner_id, p.owner_id, b.author_id) INTO writer, owner FROM comment c
        LEFT JOIN visible_album(viewer) a USING (album_id)
        LEFT JOIN visible_poi(viewer) p USING (poi_id)
        LEFT JOIN visible_blog(viewer) b USING (blog_id)
        WHERE c.comment_id = id AND num_nonnulls(a.owner_id, p.owner_id, b.author_id) = 1
        AND may_list_comment(c.commenter_id, c.hidden, viewer) FOR UPDATE OF c;
END $$;

CREATE FUNCTION withdraw_comment(id bigint, viewer bigint) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    held record := hold_comment(id, viewer);
BEGIN
    DELETE FROM comment WHERE comment_id = id AND viewer IN (held.writer, held.owner);
    RETURN viewer IN (held.writer, held.owner);
END $$;
COMMENT ON FUNCTION withdraw_comment IS
    'Deletes a comment for its writer or the owner of the piece; false for another viewer, NULL if the viewer sees no such comment.';
-- The clock that an imported comment has its time from may have been ahead.
CREATE FUNCTION answer_comment(id bigint, viewer bigint, answer text) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    held record := hold_comment(id, viewer);
BEGIN
    UPDATE comment SET reply = answer, replied_at = CASE WHEN answer IS NOT NULL THEN greatest(now(), created_at) END
        WHERE comment_id = id AND held.owner = viewer;
    RETURN held.owner = viewer;
END $$;
COMMENT ON FUNCTION answer_comment IS
    'Replies to a comment, or deletes the reply, for the owner of the piece; false for another viewer, NULL as withdraw_comment().';
