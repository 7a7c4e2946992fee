-- Distributes Tieout's schema over the workers of a Citus cluster. To be run once, on the
-- coordinator, as the schema's owner, after the migrations and before the first tenant exists:
--   psql "$DATABASE_URL" --single-transaction --file ops/citus/distribute.sql
-- Never run on a Citus cluster: distribute.test.ts runs it against stubs that hold Citus's rules.
-- What else has to change first is in docs/growth.md.

-- A foreign key between a reference table and a distributed one, or one that leaves out the column
-- of distribution, isn't supported. Their functions check the same.
alter table public.security_events drop constraint security_events_tenant_id_fkey;
alter table private.api_key_secrets drop constraint api_key_secrets_tenant_id_api_key_id_fkey;
alter table private.invitation_tokens
  drop constraint invitation_tokens_tenant_id_invitation_id_fkey;

-- Workers draw numbers of type bigint alone from a sequence of the coordinator.
do $$
declare
  x record;
begin
  for x in
    select a.attrelid::regclass as of_table, a.attname
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
      and a.attidentity <> '' and a.atttypid = 'integer'::regtype
  loop
    execute format('alter table %s alter column %I type bigint', x.of_table, x.attname);
  end loop;
end $$;

-- Small tables that every node reads, and those by which a tenant is found.
select create_reference_table(t)
from unnest(array[
  'private.permissions', 'private.operations', 'private.event_kinds', 'private.quotas',
  'private.api_key_secrets', 'private.invitation_tokens'
]::regclass[]) t;

-- What stays on the coordinator: people's accounts and sessions, which are no tenant's, and what
-- processes report of themselves. `auth` and `graphile_worker` stay there whole.
--   private.account_index, private.heartbeats, private.password_resets, private.sessions,
--   private.usage_batches

select create_distributed_table('public.tenants', 'id');

-- Every other table, after those that its foreign keys name: by tenant, or by the chain of a
-- tenant's security events, in the shard of its tenant.
do $$
declare
  local constant regclass[] := array[
    'private.account_index', 'private.heartbeats', 'private.password_resets', 'private.sessions',
    'private.usage_batches'
  ];
  x record;
  is_done boolean := false;
begin
  while not is_done loop
    is_done := true;
    for x in
      select c.oid::regclass as of_table, min(a.attname) as by_column
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = any ('{chain,tenant_id}')
      where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
        and c.relkind in ('r', 'p') and not c.relispartition and c.oid <> all (local)
        and c.oid not in (select p.logicalrelid from pg_dist_partition p)
        and not exists (
          select from pg_constraint f
          where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid
            and f.confrelid not in (select p.logicalrelid from pg_dist_partition p)
        )
      group by c.oid
    loop
      perform create_distributed_table(x.of_table, x.by_column::text,
        colocate_with => 'public.tenants');
      is_done := false;
    end loop;
  end loop;
end $$;

-- Functions go to every node. One whose first argument is a tenant runs in the shard of that
-- tenant; a verb of the API finds its tenant in the caller's claims, so that a call of it is routed
-- by its wrapper below.
do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as name, p.proargnames[1] in ('tenant', 'tenant_id')
      and p.proargtypes[0] = 'text'::regtype
      and has_function_privilege('service_role', p.oid, 'execute') as is_of_tenant
    from pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
    order by p.oid
  loop
    if f.is_of_tenant then
      perform create_distributed_function(f.name, '$1', colocate_with => 'public.tenants');
    else
      perform create_distributed_function(f.name);
    end if;
  end loop;
end $$;

-- Calls a verb of the API where its tenant is. Settings of the caller's session don't reach a
-- worker, so that its claims come as an argument.
create function private.call_on_shard(tenant text, verb text, claims jsonb, input jsonb,
  request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
begin
  if claims ->> 'tenant_id' is distinct from tenant then
    raise exception 'The claims are of another tenant.' using errcode = 'insufficient_privilege';
  end if;
  perform set_config('request.jwt.claims', claims::text, true);
  execute format('select to_jsonb(public.%I(input => $1, request => $2))', verb)
  into answer using input, request;
  return answer;
end $$;
select create_distributed_function(
  'private.call_on_shard(text, text, jsonb, jsonb, jsonb)', '$1', colocate_with => 'public.tenants');
