-- The visibility of pieces, and the views by which requests reach them. Requests run as the role mapdiary_visitor, which
-- cannot read the tables of pieces.

CREATE FUNCTION become_visitor() RETURNS text LANGUAGE sql AS $$ SELECT set_config('role', 'mapdiary_visitor', false) $$;
COMMENT ON FUNCTION become_visitor IS 'Makes a connection of the service serve requests.';

-- The visibility of pieces -------------------------------------------------------------------------------------------

-- The viewer is a user, or NULL, which is nobody in particular. The functions are inlined, so an index serves what is asked
-- for. The test for everybody is the first, because the viewer may be a subquery, which then does not run.
CREATE FUNCTION may_see_piece(owner bigint, visibility visibility, public_day date, hidden hiding, viewer bigint)
RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT (visibility = ''public'' AND hidden IS NULL AND public_day <= current_date) OR coalesce(owner = viewer, false)';
COMMENT ON FUNCTION may_see_piece IS 'Whether the viewer may see a piece.';
CREATE FUNCTION may_see_photo(owner bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR coalesce(owner = viewer, false)';
COMMENT ON FUNCTION may_see_photo IS 'Of a piece that the viewer may see: whether the viewer sees a photo of it.';
CREATE FUNCTION may_see_comment(writer bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR (hidden = ''held'' AND coalesce(writer = viewer, false))';
COMMENT ON FUNCTION may_see_comment IS 'Of a piece that the viewer may see: whether the viewer sees a comment on it.';
CREATE FUNCTION may_list_comment(writer bigint, hidden hiding, viewer bigint) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT hidden IS NULL OR coalesce(writer = viewer, false)';
COMMENT ON FUNCTION may_list_comment IS 'Whether a list of the own comments has a comment.';

-- Requests read pieces by visible_piece(), and write albums and blogs by own_album and own_blog. Of these views a request can read
-- the key and a few columns that statements compare. visible_piece() is inlined, so an index of the table serves a query. A
-- request cannot name the view behind visible_piece().
--
-- This is a procedure, because a new column of pieces, or another table in the place of a partition, needs new views.
-- show_pieces() calls it.
CREATE PROCEDURE view_pieces() LANGUAGE plpgsql SET search_path = mapdiary SET client_min_messages = warning AS $$
BEGIN
    CREATE OR REPLACE VIEW mapdiary_closed.piece AS SELECT * FROM piece;
    CREATE OR REPLACE FUNCTION visible_piece(viewer bigint) RETURNS SETOF mapdiary_closed.piece LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT * FROM mapdiary_closed.piece WHERE may_see_piece(owner_id, visibility, public_day, hidden, viewer);
    END;
    CREATE OR REPLACE VIEW own_album AS
        SELECT number, owner_id, title, slot, lat, lng, version, visibility, cover_photo_id, updated_at FROM album;
    CREATE OR REPLACE VIEW own_blog AS
        SELECT number, owner_id, slot, lat, lng, title, content, post_date, public_day, weather, reply_number, zoom_level, map_type,
               user_category, version, visibility FROM blog;
END $$;
CALL view_pieces();
COMMENT ON FUNCTION visible_piece IS 'The pieces that the viewer may see.';
COMMENT ON VIEW own_album IS 'Albums, for requests that write.';
COMMENT ON VIEW own_blog IS 'Blogs, for requests that write.';
COMMENT ON VIEW mapdiary_closed.piece IS 'Pieces, for visible_piece().';

-- A statement that has this as a subquery prepares that even for blogs that are no reply.
CREATE FUNCTION unseen_reply(quoted bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
    RETURN CASE WHEN NOT EXISTS (SELECT FROM visible_piece(viewer) WHERE kind = 2 AND number = quoted) THEN quoted END;
END $$;
COMMENT ON FUNCTION unseen_reply IS
    'The quoted blog, if the viewer does not see it. An update without a reply keeps it, as its author cannot name it.';

-- Locks --------------------------------------------------------------------------------------------------------------

CREATE FUNCTION lock_piece(of_kind integer, id bigint, viewer bigint, OUT owner bigint, OUT version integer) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    SELECT p.owner_id, p.version INTO owner, version FROM piece p WHERE kind = of_kind AND number = id
        AND may_see_piece(owner_id, visibility, public_day, hidden, viewer) FOR NO KEY UPDATE;
END $$;
COMMENT ON FUNCTION lock_piece IS 'Locks a piece for a change, and answers its owner and version; NULL if the viewer may not see it.';
CREATE FUNCTION pin_piece(of_kind integer, id bigint, viewer bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    RETURN owner_id FROM piece WHERE kind = of_kind AND number = id
        AND may_see_piece(owner_id, visibility, public_day, hidden, viewer) FOR KEY SHARE;
END $$;
COMMENT ON FUNCTION pin_piece IS 'Locks a piece against deletion, and answers its owner; NULL if the viewer may not see it.';
CREATE FUNCTION pin_public_piece(of_kind integer, id bigint) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    PERFORM FROM piece WHERE kind = of_kind AND number = id
        AND may_see_piece(owner_id, visibility, public_day, hidden, NULL) FOR SHARE SKIP LOCKED;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION pin_public_piece IS
    'Locks a piece against changes if everybody may see it; false if not, and at once if it is being changed.';

-- Comments -----------------------------------------------------------------------------------------------------------

-- Locks a comment. The writer and the owner of the piece are NULL if the viewer may not see it.
CREATE FUNCTION lock_comment(id bigint, viewer bigint, OUT writer bigint, OUT owner bigint) LANGUAGE plpgsql
SET search_path = mapdiary, pg_temp AS $$
BEGIN
    SELECT c.commenter_id, p.owner_id INTO writer, owner FROM comment c JOIN visible_piece(viewer) p USING (kind, number)
        WHERE c.comment_id = id AND may_list_comment(c.commenter_id, c.hidden, viewer) FOR UPDATE OF c;
END $$;

CREATE FUNCTION withdraw_comment(id bigint, viewer bigint) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    locked record := lock_comment(id, viewer);
BEGIN
    DELETE FROM comment WHERE comment_id = id AND viewer IN (locked.writer, locked.owner);
    RETURN viewer IN (locked.writer, locked.owner);
END $$;
COMMENT ON FUNCTION withdraw_comment IS
    'Deletes a comment for its writer or the owner of the piece; false for another viewer, NULL if the viewer sees no such comment.';
-- The clock that an imported comment has its time from may have been ahead.
CREATE FUNCTION answer_comment(id bigint, viewer bigint, answer text) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
DECLARE
    locked record := lock_comment(id, viewer);
BEGIN
    UPDATE comment SET reply = answer, replied_at = CASE WHEN answer IS NOT NULL THEN greatest(now(), created_at) END
        WHERE comment_id = id AND locked.owner = viewer;
    RETURN locked.owner = viewer;
END $$;
COMMENT ON FUNCTION answer_comment IS
    'Replies to a comment, or deletes the reply, for the owner of the piece; false for another viewer, NULL as withdraw_comment().';
