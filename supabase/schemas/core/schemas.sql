-- Schemas: the Data API exposes `public`; only our own functions and the server reach `private`.

create extension if not exists pg_trgm with schema extensions;
create schema private;
grant usage on schema private to anon, authenticated, service_role;
-- Partitions of tables by time, which are reached only through their table.
create schema partitions;

-- By default the platform grants everything in public to the API roles, including TRUNCATE, which
-- row-level security does not stop. Here a table or function is unreachable until it is granted by
-- name.
alter default privileges revoke execute on functions from public;
alter default privileges in schema public revoke all on tables
  from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences
  from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions
  from anon, authenticated, service_role;
