-- Schemas: the Data API exposes `public`; `private` holds what only our own functions and the
-- server reach.

create extension if not exists pg_trgm with schema extensions;
create schema private;
grant usage on schema private to anon, authenticated, service_role;
-- Parts of tables, by time. Nobody reaches them but by the table.
create schema partitions;

-- The platform grants everything in public to the API roles by default, TRUNCATE included, which
-- row-level security does not stop. Here a table or function is out of reach until it is granted by
-- name.
alter default privileges revoke execute on functions from public;
alter default privileges in schema public revoke all on tables
  from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences
  from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions
  from anon, authenticated, service_role;
