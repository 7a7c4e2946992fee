-- Reserved tenant ids: a tenant's pages are at /<id>, where these paths are the application's own.

create or replace function private.create_tenant(id text, name text) returns void
language plpgsql set search_path = '' as $$
begin
  if id !~ '^[a-z0-9][a-z0-9_-]{0,62}$' then
    perform private.refuse('invalid_request', 'An id is 1 to 63 lower-case letters, digits, - and _, and begins with a letter or digit.');
  elsif id in ('api', 'design', 'docs', 'healthz', 'metrics', 'readyz', 'sign-in', 'v1') then
    perform private.refuse('invalid_request', format('The id %s is reserved. Choose another one.', id));
  end if;
  insert into public.tenants (id, name) values ($1, $2);
  insert into public.sla_policies (tenant_id) values ($1);
end $$;
