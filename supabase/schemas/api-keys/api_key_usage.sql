-- API key usage, counted by the web processes and written once a second. No call waits for it.

create table public.api_key_totals (
  api_key_id text not null,
  tenant_id text not null,
  request_count bigint not null,
  last_used_at timestamptz(3) not null,
  last_used_ip inet,
  primary key (tenant_id, api_key_id),
  foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade
);

-- Outcome: accepted, accepted_in_grace, or the reason of a refusal. Hours are kept for 8 days, days
-- for 91.
create table public.api_key_usage_hourly (
  api_key_id text not null,
  tenant_id text not null,
  hour timestamptz not null,
  operation text not null,
  address inet not null,
  outcome text not null,
  calls bigint not null,
  last_seen_at timestamptz(3) not null,
  primary key (tenant_id, api_key_id, hour, operation, address, outcome),
  foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade
);
create index api_key_usage_hourly_by_age on public.api_key_usage_hourly (hour);

create table public.api_key_usage_daily (
  api_key_id text not null,
  tenant_id text not null,
  day date not null,
  operation text not null,
  outcome text not null,
  calls bigint not null,
  primary key (tenant_id, api_key_id, day, operation, outcome),
  foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade
);
create index api_key_usage_daily_by_age on public.api_key_usage_daily (day);

alter table public.api_key_totals enable row level security;
alter table public.api_key_usage_hourly enable row level security;
alter table public.api_key_usage_daily enable row level security;
grant
  select
    on public.api_key_totals, public.api_key_usage_hourly,
      public.api_key_usage_daily to authenticated, service_role;
create policy api_key_totals_read on public.api_key_totals for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:api-keys')));
create policy api_key_usage_hourly_read on public.api_key_usage_hourly for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:api-keys')));
create policy api_key_usage_daily_read on public.api_key_usage_daily for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:api-keys')));

-- A batch is counted once, however often it is sent. A server's batch holds the calls of several
-- tenants.
create table private.usage_batches (
  id uuid primary key,
  at timestamptz(3) not null default now()
);
create index usage_batches_by_age on private.usage_batches (at);
alter table private.usage_batches enable row level security;

-- rows: [{ api_key_id, tenant_id, operation, address, outcome, calls, age_ms }], one per
-- combination. Sorted, so that every process takes locks in the same order.
create function private.record_api_key_usage(batch uuid, rows jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return;
  end if;
  with used as materialized (
    select api_key.tenant_id, api_key.id as api_key_id, item.operation, item.address,
      item.outcome, item.calls, now() - make_interval(secs => item.age_ms / 1000.0) as seen_at
    from jsonb_to_recordset(rows)
      as item (api_key_id text, tenant_id text, operation text, address inet, outcome text,
        calls bigint, age_ms bigint)
    join public.api_keys api_key on api_key.tenant_id = item.tenant_id
      and api_key.id = item.api_key_id
  ), hourly as (
    insert into public.api_key_usage_hourly as hour_total (api_key_id, tenant_id, hour, operation,
      address, outcome, calls, last_seen_at)
    select call.api_key_id, call.tenant_id, date_trunc('hour', call.seen_at, 'UTC'), call.operation,
      call.address, call.outcome, sum(call.calls), max(call.seen_at)
    from used call group by 1, 2, 3, 4, 5, 6 order by 2, 1, 3, 4, 5, 6
    on conflict (tenant_id, api_key_id, hour, operation, address, outcome) do update
      set calls = hour_total.calls + excluded.calls,
        last_seen_at = greatest(hour_total.last_seen_at, excluded.last_seen_at)
  ), daily as (
    insert into public.api_key_usage_daily as day_total (api_key_id, tenant_id, day, operation,
      outcome, calls)
    select call.api_key_id, call.tenant_id, (call.seen_at at time zone 'UTC')::date, call.operation,
      call.outcome, sum(call.calls)
    from used call group by 1, 2, 3, 4, 5 order by 2, 1, 3, 4, 5
    on conflict (tenant_id, api_key_id, day, operation, outcome)
      do update set calls = day_total.calls + excluded.calls
  )
  insert into public.api_key_totals as total (api_key_id, tenant_id, request_count, last_used_at,
    last_used_ip)
  select call.api_key_id, call.tenant_id, sum(call.calls), max(call.seen_at),
    (array_agg(call.address order by call.seen_at desc))[1]
  from used call where call.outcome like 'accepted%' group by 1, 2 order by 2, 1
  on conflict (tenant_id, api_key_id) do update set
    request_count = total.request_count + excluded.request_count,
    last_used_ip = case when excluded.last_used_at >= total.last_used_at then excluded.last_used_ip
      else total.last_used_ip end,
    last_used_at = greatest(total.last_used_at, excluded.last_used_at);
end $$;
create function public.record_api_key_usage(batch uuid, rows jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.record_api_key_usage(batch, rows);
end $$;
grant execute
  on function private.record_api_key_usage(uuid, jsonb),
    public.record_api_key_usage(uuid, jsonb) to service_role;

-- Deletes expired usage, at most `batch` rows of each kind. Returns how many.
create function private.purge_api_key_usage(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  hours integer;
  days integer;
begin
  delete from public.api_key_usage_hourly where ctid = any (array(
    select ctid from public.api_key_usage_hourly where hour < now() - interval '8 days' limit batch
  ));
  get diagnostics hours = row_count;
  delete from public.api_key_usage_daily where ctid = any (array(
    select ctid
    from public.api_key_usage_daily
    where day < (now() at time zone 'UTC')::date - 91
    limit batch
  ));
  get diagnostics days = row_count;
  delete from private.usage_batches where at < now() - interval '1 day';
  return hours + days;
end $$;
grant execute on function private.purge_api_key_usage(integer) to service_role;

-- The start of the last 7 days: whole UTC days including today, whether usage is counted by hour,
-- day, address or operation.
create function private.usage_week() returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return date_trunc('day', now(), 'UTC') - make_interval(hours => 6 * 24);
end $$;
grant execute on function private.usage_week() to authenticated;

create function private.usage_by_hour(api_key public.api_keys) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('start', private.iso(hour_total.hour),
      'accepted', hour_total.accepted,
      'refused', hour_total.calls - hour_total.accepted) order by hour_total.hour)
    from (
      select hour_total.hour, sum(hour_total.calls) as calls,
        coalesce(sum(hour_total.calls) filter (where hour_total.outcome like 'accepted%'),
          0) as accepted
      from public.api_key_usage_hourly hour_total
      where hour_total.tenant_id = api_key.tenant_id and hour_total.api_key_id = api_key.id
        and hour_total.hour >= private.usage_week()
      group by 1
    ) hour_total
  ), '[]');
end $$;

create function private.usage_by_day(api_key public.api_keys) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'start', private.iso(day_total.day::timestamp at time zone 'UTC'),
      'accepted', day_total.accepted,
      'refused', day_total.calls - day_total.accepted) order by day_total.day)
    from (
      select day_total.day, sum(day_total.calls) as calls,
        coalesce(sum(day_total.calls) filter (where day_total.outcome like 'accepted%'),
          0) as accepted
      from public.api_key_usage_daily day_total
      where day_total.tenant_id = api_key.tenant_id and day_total.api_key_id = api_key.id
        and day_total.day > (now() at time zone 'UTC')::date - 90
      group by 1
    ) day_total
  ), '[]');
end $$;

-- input: { id }. Returns hours and addresses of private.usage_week, and days and refusals by reason
-- of 90 days. Refuses: not_found.
create function public.get_api_key_usage(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  api_key public.api_keys;
begin
  perform private.begin_request(request, 'get_api_key_usage');
  api_key := private.find_api_key_of_caller(input ->> 'id');
  return jsonb_build_object(
    'as_of', private.iso(now()),
    'hours', private.usage_by_hour(api_key),
    'days', private.usage_by_day(api_key),
    'addresses', coalesce((
      select jsonb_agg(
        jsonb_build_object('address', host(hour_total.address), 'calls', hour_total.calls,
          'in_grace', hour_total.in_grace,
          'last_seen_at', private.iso(hour_total.last_seen))
      order by hour_total.last_seen desc)
      from (
        select hour_total.address, sum(hour_total.calls) as calls,
          coalesce(sum(hour_total.calls) filter (where hour_total.outcome = 'accepted_in_grace'),
            0) as in_grace,
          max(hour_total.last_seen_at) as last_seen
        from public.api_key_usage_hourly hour_total
        where hour_total.tenant_id = api_key.tenant_id and hour_total.api_key_id = api_key.id
          and hour_total.hour >= private.usage_week()
          and hour_total.outcome like 'accepted%'
        group by 1 order by max(hour_total.last_seen_at) desc limit 100
      ) hour_total
    ), '[]'),
    'refusals', coalesce((
      select jsonb_object_agg(day_total.outcome, day_total.calls)
      from (
        select day_total.outcome, sum(day_total.calls) as calls
        from public.api_key_usage_daily day_total
        where day_total.tenant_id = api_key.tenant_id and day_total.api_key_id = api_key.id
          and day_total.day > (now() at time zone 'UTC')::date - 90
          and day_total.outcome not like 'accepted%'
        group by 1
      ) day_total
    ), '{}')
  );
end $$;
grant execute on function
  private.usage_by_hour(public.api_keys), private.usage_by_day(public.api_keys)
to authenticated;

-- input: { id, … }; the rest is for the security event of a dry run. Returns the accepted calls of
-- private.usage_week by operation, address and hour, which a proposed change is tested against, and
-- the webhooks that the key registered. Refuses: not_found.
create function public.estimate_api_key_impact(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'estimate_api_key_impact');
  api_key public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  api_key := private.find_api_key_of_caller(input ->> 'id');
  return private.finish_request(request, jsonb_build_object(
    'since', private.iso(private.usage_week()),
    'calls', coalesce((
      select jsonb_agg(jsonb_build_object(
        'operation', hour_total.operation, 'address', host(hour_total.address),
        'hour', private.iso(hour_total.hour),
        'calls', hour_total.calls, 'last_seen_at', private.iso(hour_total.last_seen_at)
      ))
      from public.api_key_usage_hourly hour_total
      where hour_total.tenant_id = api_key.tenant_id and hour_total.api_key_id = api_key.id
        and hour_total.hour >= private.usage_week()
        and hour_total.outcome like 'accepted%'
    ), '[]'),
    'webhooks', coalesce((
      select jsonb_agg(jsonb_build_object('id', webhook.id, 'url', webhook.url) order by webhook.id)
      from public.webhooks webhook
        where webhook.tenant_id = api_key.tenant_id
          and webhook.id = any (private.webhooks_of_api_key(api_key))
    ), '[]')
  ));
end $$;
