-- The sources of security events: opened requests with something to report, and calls that never
-- reached a function.

-- What a target is called now; null for one that has no name.
create function private.target_name(tenant text, target text) returns text
language plpgsql stable security definer set search_path = '' as $$
begin
  return left(case left(target, 4)
    when 'key_' then (
      select api_key.name from public.api_keys api_key
      where api_key.tenant_id = tenant and api_key.id = target)
    when 'whk_' then (
      select webhook.url from public.webhooks webhook
      where webhook.tenant_id = tenant and webhook.id = target)
    when 'rcn_' then (
      select period.name from public.reconciliations period
      where period.tenant_id = tenant and period.id = target)
    when 'src_' then (
      select source.name from public.sources source
      where source.tenant_id = tenant and source.id = target)
    when 'exc_' then (
      select exception.title from public.exceptions exception
      where exception.tenant_id = tenant and exception.id = target)
    when 'cal_' then (
      select calendar.name from public.calendars calendar
      where calendar.tenant_id = tenant and calendar.id = target)
    when 'ach_' then (
      select channel.name from public.alert_channels channel
      where channel.tenant_id = tenant and channel.id = target)
    when 'viw_' then (
      select saved_view.name from public.views saved_view
      where saved_view.tenant_id = tenant and saved_view.id = target)
    when 'lin_' then (
      select coalesce(line.reference, line.counterparty, line.description) from public.lines line
      where line.tenant_id = tenant and line.id = private.line_id(target))
  end, 200);
end $$;

-- Adds the names by which an event can be read and searched after its target is renamed or deleted:
-- target_name if the details have none, and reconciliation_name of the period that they mention.
create function private.names_of_event(tenant text, target text, details jsonb) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  period constant text := details ->> 'reconciliation_id';
  is_named constant boolean := exists (
    select from unnest('{name,file_name,url}'::text[]) field
    where jsonb_typeof(details -> field) = 'string'
  );
begin
  return jsonb_strip_nulls(jsonb_build_object(
    'target_name', case when not is_named then private.target_name(tenant, target) end,
    'reconciliation_name', case when period is distinct from target
      then private.target_name(tenant, period) end));
end $$;

-- The only function that inserts events of requests and of the worker. Actor, address and request
-- come from the token and from `private.begin_request`.
create function private.write_security_event(id text, tenant_id text, type text, target text,
  reason text, details jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into public.security_events
    (id, tenant_id, type, actor, actor_issuer, actor_subject, operation, target, address,
      request_id, reason, details)
  values (
    $1, $2, $3, private.actor(), private.actor_issuer(), private.actor_subject(),
    nullif(current_setting('app.operation', true), ''), $4,
    nullif(current_setting('app.address', true), '')::inet,
    nullif(current_setting('app.request_id', true), ''), $5,
    $6 || private.names_of_event($2, $4, $6)
  );
end $$;

-- The same for the caller's own tenant: all that a function may record.
create function private.record_security_event(type text, target text default null,
  reason text default null, details jsonb default '{}')
returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.write_security_event(private.new_id('sev'), private.tenant_id(), $1, $2, $3, $4);
end $$;

create function private.record_service_call(reason text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  call_id constant text := private.new_id('sev');
begin
  perform private.write_security_event(call_id, private.tenant_id(), 'service_role.call', null,
    reason, '{}');
  perform set_config('app.call_event', call_id, true);
end $$;

-- An event as the server or the operator describes it, outside of a request to the database.
create function private.append_security_event(event jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into public.security_events
    (tenant_id, type, actor, actor_issuer, actor_subject, credential, home_tenant_id, cross_tenant,
      operation, target, address, request_id,
      reason, details)
  values (
    event ->> 'tenant_id', event ->> 'type', event ->> 'actor', event ->> 'actor_issuer',
    event ->> 'actor_subject',
    event ->> 'credential', event ->> 'home_tenant_id',
    coalesce((event ->> 'cross_tenant')::boolean, false), event ->> 'operation', event ->> 'target',
    (event ->> 'address')::inet,
    event ->> 'request_id', event ->> 'reason', coalesce(nullif(event -> 'details', 'null'), '{}')
  );
end $$;

-- Events that repeat within a minute: reported once at their first time, and once more, with the
-- number, after the minute.
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

-- At most ten of both sides, sorted, each once.
create function private.merge_top_ten(left_side text[], right_side text[]) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(select distinct value from unnest(left_side || right_side) value
    where value is not null
    order by value limit 10);
end $$;

-- The tenants of a member of Supabase Auth, by their sign-in address.
create function private.tenants_of_email(email text) returns text[]
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.tenants_of_claims((private.find_account($1)).raw_app_meta_data);
end $$;

-- Records what the server saw outside of database functions: refusals, sign-ins, failed calls.
-- events: [{ tenant_id, email, type, actor, actor_issuer, actor_subject, credential,
-- home_tenant_id, cross_tenant, operation, target, address, request_id, reason, details, bucket,
-- count, elsewhere }]. A tenant that does not exist has no trail: `elsewhere` says whether the
-- event then belongs to no tenant, or is dropped. `email` names the tenants of a member instead.
-- With a bucket it is counted.
create function private.record_security_events(events jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  event jsonb;
  is_first boolean;
begin
  for event in
    select event.value || jsonb_build_object('tenant_id', known.tenant_id)
    from jsonb_array_elements(events) event
    cross join lateral (
      select case when event.value ->> 'email' is null then array[event.value ->> 'tenant_id']
        else private.tenants_of_email(event.value ->> 'email') end as ids
    ) named
    left join public.tenants tenant on tenant.id = any (named.ids)
    cross join lateral (select tenant.id as tenant_id) known
    where tenant.id is not null or coalesce((event.value ->> 'elsewhere')::boolean, false)
    order by known.tenant_id
  loop
    if event ->> 'bucket' is null then
      perform private.append_security_event(event);
      continue;
    end if;
    insert into private.security_event_counts as event_count (chain, bucket, minute, count, first,
      operations,
      targets, addresses)
    values (
      coalesce(event ->> 'tenant_id', '*'), event ->> 'bucket',
      date_trunc('minute', clock_timestamp()), (event ->> 'count')::bigint,
      event - '{request_id,bucket,count,email,elsewhere}'::text[],
      private.merge_top_ten('{}', array[event ->> 'operation']),
      private.merge_top_ten('{}', array[event ->> 'target']),
      private.merge_top_ten('{}', array[event ->> 'address'])
    )
    on conflict (chain, bucket, minute) do update set
      count = event_count.count + excluded.count,
      operations = private.merge_top_ten(event_count.operations, excluded.operations),
      targets = private.merge_top_ten(event_count.targets, excluded.targets),
      addresses = private.merge_top_ten(event_count.addresses, excluded.addresses)
    returning event_count.count = (event ->> 'count')::bigint into is_first;
    if is_first then
      perform private.append_security_event(event);
    end if;
  end loop;
end $$;

create function public.record_security_events(events jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.record_security_events(events);
end $$;
grant execute
  on function private.record_security_events(jsonb),
    public.record_security_events(jsonb) to service_role;

-- Reports the minutes that are over; called by the worker. Ordered by chain: two calls that lock
-- chains in opposite orders would deadlock. Returns how many it wrote.
create function private.report_security_event_counts() returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  reported integer := 0;
  counted private.security_event_counts;
begin
  for counted in
    with over as (
      delete
      from private.security_event_counts event_count
      where event_count.minute < date_trunc('minute', clock_timestamp() - interval '5 seconds')
      returning event_count.*
    )
    select * from over order by chain, minute, bucket
  loop
    if counted.count > 1 then
      perform private.append_security_event(counted.first || jsonb_build_object(
        'operation', case when cardinality(counted.operations) = 1 then counted.operations[1] end,
        'target', case when cardinality(counted.targets) = 1 then counted.targets[1] end,
        'address', case when cardinality(counted.addresses) = 1 then counted.addresses[1] end,
        'details', coalesce(nullif(counted.first -> 'details', 'null'), '{}') || jsonb_build_object(
          'count', counted.count - 1, 'minute', private.iso(counted.minute),
          'operations', counted.operations,
          'targets', counted.targets, 'addresses', counted.addresses
        )
      ));
      reported := reported + 1;
    end if;
  end loop;
  return reported;
end $$;
