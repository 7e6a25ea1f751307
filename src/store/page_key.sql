-- The key that signs positions in lists.

-- name: page_key_read service
SELECT page_key FROM service;
