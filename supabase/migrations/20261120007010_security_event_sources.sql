-- Where security events come from: every opened request that has something to tell, and what never reached a function.

-- As before, and: an export { format, query } and a dry run (its input) are told of, and a service-role call leaves one row for all of its steps
-- (`continues`: a later step of a request that was opened already).
create or replace function private.enter(request jsonb, roles text[], scopes text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform set_config('tieout.operation', coalesce(request ->> 'operation', ''), true),
    set_config('tieout.request_id', coalesce(request ->> 'request_id', ''), true),
    set_config('tieout.address', coalesce(request ->> 'address', ''), true);
  if not exists (select from public.tenants where id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden', 'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  if roles is not null and not private.allows(roles, scopes) then
    perform private.refuse('role_required', 'This credential may not call this operation.');
  end if;
  if coalesce((request ->> 'continues')::boolean, false) then
    return;
  end if;
  if private.principal_type() = 'service_role' then
    perform private.record_service_call(left(request ->> 'audit_reason', 1000));
  end if;
  if jsonb_typeof(request -> 'export') = 'object' then
    perform private.record_security_event('data.exported', null, null, request -> 'export');
  elsif jsonb_typeof(request -> 'dry_run') = 'object' then
    perform private.record_security_event('dry_run.done', request -> 'dry_run' ->> 'id', null, request -> 'dry_run');
  end if;
end $$;

create function private.record_service_call(reason text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  call_id constant text := private.new_id('sev');
begin
  insert into public.security_events (id, tenant_id, type, actor, operation, address, request_id, reason)
  values (
    call_id, private.tenant_id(), 'service_role.call', private.actor(), nullif(current_setting('tieout.operation', true), ''),
    nullif(current_setting('tieout.address', true), '')::inet, nullif(current_setting('tieout.request_id', true), ''), reason
  );
  perform set_config('tieout.call_event', call_id, true);
end $$;

-- Each batch of an import is a change of its own.
create or replace function public.import_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  refused jsonb;
  accepted integer;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  select jsonb_agg(jsonb_build_object('line', r ->> 'line', 'path', 'reconciliation_id', 'message', 'There is no such reconciliation.')) into refused
  from jsonb_array_elements(input -> 'rows') r
  where r ->> 'reconciliation_id' is not null and not exists (
    select from public.reconciliations c where c.id = r ->> 'reconciliation_id' and c.tenant_id = private.tenant_id()
  );
  select count(*) into accepted from private.insert_exceptions(case when refused is null then input -> 'rows' else (
    select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(input -> 'rows') r
    where not exists (select from jsonb_array_elements(refused) f where f ->> 'line' = r ->> 'line')
  ) end);
  if not (private.principal_type() = 'service_role' and coalesce((request ->> 'continues')::boolean, false)) then
    perform private.record_security_event('exceptions.imported', null, null,
      jsonb_build_object('accepted', accepted, 'refused', jsonb_array_length(coalesce(refused, '[]'))));
  end if;
  return private.remember(request, jsonb_build_object('accepted', accepted, 'refused', coalesce(refused, '[]')));
end $$;

-- What happened many times within a minute: told of once at its first time, and once more, with the number, after the minute.
create table private.security_event_counts (
  chain text not null,
  bucket text not null,
  minute timestamptz not null,
  count bigint not null,
  first jsonb not null,
  operations text[] not null,
  targets text[] not null,
  addresses text[] not null,
  primary key (chain, bucket, minute)
);
create index security_event_counts_by_age on private.security_event_counts (minute);
alter table private.security_event_counts enable row level security;

create function private.some_of(left_side text[], right_side text[]) returns text[]
language sql immutable set search_path = ''
return array(select distinct v from unnest(left_side || right_side) v where v is not null order by v limit 10);

create function private.append_security_event(event jsonb) returns void
language sql volatile security definer set search_path = '' as $$
  insert into public.security_events
    (tenant_id, type, actor, credential, home_tenant_id, cross_tenant, operation, target, address, request_id, reason, details)
  values (
    event ->> 'tenant_id', event ->> 'type', event ->> 'actor', event ->> 'credential', event ->> 'home_tenant_id',
    coalesce((event ->> 'cross_tenant')::boolean, false), event ->> 'operation', event ->> 'target', (event ->> 'address')::inet,
    event ->> 'request_id', event ->> 'reason', coalesce(nullif(event -> 'details', 'null'), '{}')
  );
$$;

-- The tenants of a member of Supabase Auth, by the address they sign in with.
create function private.tenants_of_email(email text) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  tenants jsonb;
begin
  select u.raw_app_meta_data -> 'tenants' into tenants from auth.users u where lower(u.email) = lower($1);
  return case jsonb_typeof(tenants)
    when 'object' then array(select jsonb_object_keys(tenants))
    when 'array' then array(select t #>> '{}' from jsonb_array_elements(tenants) t where jsonb_typeof(t) = 'string')
    else '{}'
  end;
end $$;

-- What the server saw before, after or without a function of the database: refusals, sign-ins, calls that failed.
-- events: [{ tenant_id, email, type, actor, credential, home_tenant_id, cross_tenant, operation, target, address, request_id,
-- reason, details, bucket, count }]. A tenant that does not exist has no trail: `elsewhere` says whether the event belongs to no
-- tenant then, or to nobody. `email` names the tenants of a member instead. With a bucket it is counted, else written.
create function private.record_security_events(events jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  event jsonb;
  is_first boolean;
begin
  for event in
    select e.value || jsonb_build_object('tenant_id', known.tenant_id)
    from jsonb_array_elements(events) e
    cross join lateral (
      select case when e.value ->> 'email' is null then array[e.value ->> 'tenant_id'] else private.tenants_of_email(e.value ->> 'email') end as ids
    ) named
    left join public.tenants t on t.id = any (named.ids)
    cross join lateral (select t.id as tenant_id) known
    where t.id is not null or coalesce((e.value ->> 'elsewhere')::boolean, false)
    order by known.tenant_id
  loop
    if event ->> 'bucket' is null then
      perform private.append_security_event(event);
      continue;
    end if;
    insert into private.security_event_counts as c (chain, bucket, minute, count, first, operations, targets, addresses)
    values (
      coalesce(event ->> 'tenant_id', '*'), event ->> 'bucket', date_trunc('minute', clock_timestamp()), (event ->> 'count')::bigint,
      event - '{request_id,bucket,count,email,elsewhere}'::text[],
      private.some_of('{}', array[event ->> 'operation']), private.some_of('{}', array[event ->> 'target']),
      private.some_of('{}', array[event ->> 'address'])
    )
    on conflict (chain, bucket, minute) do update set
      count = c.count + excluded.count, operations = private.some_of(c.operations, excluded.operations),
      targets = private.some_of(c.targets, excluded.targets), addresses = private.some_of(c.addresses, excluded.addresses)
    returning c.count = (event ->> 'count')::bigint into is_first;
    if is_first then
      perform private.append_security_event(event);
    end if;
  end loop;
end $$;

-- Tells of the minutes that are over; by the worker. In the order of chains, as two that took them crosswise would wait for each other.
create function private.tell_security_event_counts() returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  told integer := 0;
  c private.security_event_counts;
begin
  for c in
    with over as (
      delete from private.security_event_counts x where x.minute < date_trunc('minute', clock_timestamp() - interval '5 seconds') returning x.*
    )
    select * from over order by chain, minute, bucket
  loop
    if c.count > 1 then
      perform private.append_security_event(c.first || jsonb_build_object(
        'operation', case when cardinality(c.operations) = 1 then c.operations[1] end,
        'target', case when cardinality(c.targets) = 1 then c.targets[1] end,
        'address', case when cardinality(c.addresses) = 1 then c.addresses[1] end,
        'details', coalesce(nullif(c.first -> 'details', 'null'), '{}') || jsonb_build_object(
          'count', c.count - 1, 'minute', private.iso(c.minute), 'operations', c.operations, 'targets', c.targets, 'addresses', c.addresses
        )
      ));
      told := told + 1;
    end if;
  end loop;
  return told;
end $$;

create function public.record_security_events(events jsonb) returns void
language sql volatile set search_path = ''
begin atomic
  select private.record_security_events($1);
end;

grant execute on function private.record_security_events(jsonb), public.record_security_events(jsonb) to service_role;
