-- The role as which a worker serves requests. This statement comes first in the registry.

-- name: shown_become_visitor service opening
SELECT become_visitor();
