-- A text without a character reference is not taken apart at its ampersands: the writing of a blog reads it for the summary.
CREATE OR REPLACE FUNCTION read_references(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF t !~ '&[#a-zA-Z]' THEN
        RETURN t;
    END IF;
    RETURN (WITH part AS MATERIALIZED (
            SELECT n, part, regexp_match(part, '^(?:#([0-9]+)|#[xX]([0-9a-fA-F]+)|([a-zA-Z][a-zA-Z0-9]+))(;?)') AS read
                FROM string_to_table(t, '&') WITH ORDINALITY AS u (part, n)),
        named AS MATERIALIZED (SELECT *, mapdiary.known_reference(read[3], read[4]) AS name FROM part)
        SELECT string_agg(CASE WHEN n = 1 THEN part
                WHEN read[1] IS NOT NULL THEN mapdiary.numbered_character(read[1], 10) || substr(part, 2 + length(read[1] || read[4]))
                WHEN read[2] IS NOT NULL THEN mapdiary.numbered_character(read[2], 16) || substr(part, 3 + length(read[2] || read[4]))
                WHEN name IS NOT NULL THEN (mapdiary.reference_characters() ->> name)
                    || substr(part, 1 + length(name) + (name = read[3])::integer * length(read[4]))
                ELSE '&' || part END, '' ORDER BY n)
            FROM named);
END $$;
