-- Events, deliveries and attempts in partitions. What is there becomes the first of each; nothing of it is rewritten. Under the locks of the
-- tables each is read once, and one index of deliveries and one of attempts is built: some 5 seconds per million of each (0.6 s for 100,000). With tens of millions,
-- build these two before, by the same names: create index concurrently webhook_deliveries_by_event on public.webhook_deliveries (tenant_id, event_id)
-- and create unique index concurrently webhook_attempts_by_number on public.webhook_attempts (tenant_id, delivery_id, number).

-- Of the rows' types, made again below.
drop function private.delivery_json(public.webhook_deliveries);
drop function private.delivery_status(public.webhook_deliveries);
drop function private.attempt_json(public.webhook_attempts);
drop function private.find_delivery(text, text);
drop function private.last_failure(public.webhooks);
-- contracts: the function that wrote the request log called it, which is replaced with this migration
drop function private.open_request_log_day(date);

lock table public.events, public.webhook_deliveries, public.webhook_attempts in access exclusive mode;

drop policy events_read on public.events;
drop policy webhook_deliveries_read on public.webhook_deliveries;
drop policy webhook_attempts_read on public.webhook_attempts;
drop trigger fan_out on public.events;
drop trigger keep_alerts on public.events;
-- contracts: of what becomes a partition; the tables are granted again below
revoke all on public.events, public.webhook_deliveries, public.webhook_attempts from authenticated, service_role;

create table private.event_once (
  tenant_id text not null,
  type text not null,
  once_key text not null,
  at timestamptz(3) not null default now(),
  primary key (tenant_id, type, once_key)
);
create index event_once_by_age on private.event_once using brin (at);
insert into private.event_once (tenant_id, type, once_key, at)
select tenant_id, type, once_key, at from public.events where once_key is not null order by at;

alter table public.webhook_attempts drop constraint webhook_attempts_tenant_id_delivery_id_fkey;
alter table public.webhook_deliveries drop constraint webhook_deliveries_tenant_id_event_id_fkey;
alter table public.events drop constraint events_tenant_id_type_once_key_key;
drop index public.events_by_age, public.webhook_deliveries_by_age;
create index if not exists webhook_deliveries_by_event on public.webhook_deliveries (tenant_id, event_id);
alter table public.webhook_deliveries drop constraint webhook_deliveries_tenant_id_event_id_webhook_id_key;
create unique index if not exists webhook_attempts_by_number on public.webhook_attempts (tenant_id, delivery_id, number);
alter table public.webhook_attempts
  drop constraint webhook_attempts_pkey, drop constraint webhook_attempts_tenant_id_delivery_id_number_key,
  add constraint webhook_attempts_pkey primary key using index webhook_attempts_by_number;

-- contracts: in the same transaction there is a table of each name again, with the same columns
alter table public.events rename to events_first;
-- contracts: as above
alter table public.webhook_deliveries rename to webhook_deliveries_first;
-- contracts: as above
alter table public.webhook_attempts rename to webhook_attempts_first;
alter table public.events_first set schema partitions;
alter table public.webhook_deliveries_first set schema partitions;
alter table public.webhook_attempts_first set schema partitions;
-- The new table has the sequence of this name, and goes on where this one ends.
create temporary table tieout_last_attempt on commit drop as select nextval('partitions.webhook_attempts_id_seq') as id;
alter table partitions.webhook_attempts_first alter column id drop identity;

create table public.events (
  id text not null default private.new_id('evt'),
  tenant_id text not null references public.tenants (id),
  type text not null check (type ~ '^[a-z_]+(\.[a-z_]+)+$'),
  at timestamptz(3) not null default date_trunc('milliseconds', now()),
  data jsonb not null,
  once_key text,
  request_id text default nullif(current_setting('tieout.request_id', true), ''),
  test_of text,
  primary key (tenant_id, id)
) partition by range (id);
create index events_by_request on public.events (tenant_id, request_id) where request_id is not null;

create table public.webhook_deliveries (
  id text not null,
  tenant_id text not null,
  webhook_id text not null,
  event_id text not null,
  type text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  failure_kind text check (failure_kind in ('retries_exhausted', 'webhook_disabled')),
  cause text not null default 'event' check (cause in ('event', 'retry', 'resend', 'recover')),
  attempt_count integer not null default 0,
  failure_count integer not null default 0,
  next_attempt_at timestamptz,
  lease bigint,
  created_at timestamptz(3) not null default now(),
  delivered_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (lease is null or status = 'pending'),
  check ((status = 'failed') = (failure_kind is not null))
) partition by range (id);
create index webhook_deliveries_by_event on public.webhook_deliveries (tenant_id, event_id);
create index webhook_deliveries_by_webhook on public.webhook_deliveries (tenant_id, webhook_id, id desc);
create index webhook_deliveries_due on public.webhook_deliveries (webhook_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_missed on public.webhook_deliveries (webhook_id, id desc) where status = 'failed';
create index webhook_deliveries_leased on public.webhook_deliveries (lease) where lease is not null;
create index webhook_deliveries_under_way on public.webhook_deliveries (tenant_id, webhook_id) include (next_attempt_at) where lease is not null;

create table public.webhook_attempts (
  id bigint generated by default as identity,
  tenant_id text not null,
  delivery_id text not null,
  number integer not null,
  cause text not null check (cause in ('event', 'retry', 'resend', 'recover')),
  status text not null default 'in_flight' check (status in ('in_flight', 'succeeded', 'failed', 'interrupted')),
  failure_kind text check (failure_kind in (
    'signature_failed', 'stale_secret', 'timeout', 'connection_failed', 'blocked_address', 'http_error')),
  started_at timestamptz(3) not null default now(),
  duration_ms integer,
  status_code integer,
  detail text,
  response_headers jsonb,
  response_body text,
  response_truncated boolean,
  primary key (tenant_id, delivery_id, number),
  check ((status = 'failed') = (failure_kind is not null))
) partition by range (delivery_id);
select setval('public.webhook_attempts_id_seq', id) from tieout_last_attempt;

-- An ID that the database did not make may be of no time: it goes where it sorts.
do $$
declare
  ends constant timestamptz := date_bin('10 days', now() + interval '1 day', '2024-01-01 00:00:00+00') + interval '10 days';
  one record;
  bound text;
  columns text;
begin
  for one in select * from (values ('events', 'id', 'evt_'), ('webhook_deliveries', 'id', 'dlv_'), ('webhook_attempts', 'delivery_id', 'dlv_')) t (name, key, prefix) loop
    bound := one.prefix || lpad(to_hex((extract(epoch from ends) * 1000)::bigint), 12, '0');
    execute format('create table partitions.%I partition of public.%I for values from (%L) to (maxvalue)',
      one.name || to_char(ends at time zone 'UTC', '_YYYYMMDD'), one.name, bound);
    execute format('alter table partitions.%I enable row level security', one.name || to_char(ends at time zone 'UTC', '_YYYYMMDD'));
    begin
      execute format('alter table public.%I attach partition partitions.%I for values from (minvalue) to (%L)', one.name, one.name || '_first', bound);
    exception when check_violation then
      select string_agg(quote_ident(attname), ', ' order by attnum) into columns
      from pg_catalog.pg_attribute where attrelid = format('public.%I', one.name)::regclass and attnum > 0 and not attisdropped;
      execute format('with moved as (delete from partitions.%I where %I >= %L returning %s) insert into public.%I (%4$s) select %4$s from moved',
        one.name || '_first', one.key, bound, columns, one.name);
      execute format('alter table public.%I attach partition partitions.%I for values from (minvalue) to (%L)', one.name, one.name || '_first', bound);
    end;
  end loop;
  -- The request log had days made for it as they came. Its last partition has no end from now on.
  select coalesce(max(to_date(right(c.relname, 8), 'YYYYMMDD')) + 1, null) as begins into one
  from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid where i.inhparent = 'public.request_log'::regclass;
  columns := coalesce('request_log_' || to_char(one.begins, 'YYYYMMDD'), 'request_log_first');
  execute format('create table partitions.%I partition of public.request_log for values from (%s) to (maxvalue)',
    columns, coalesce(quote_literal(one.begins || ' 00:00:00+00'), 'minvalue'));
  execute format('alter table partitions.%I enable row level security', columns);
  -- Sessions that are open have compiled them with the types of the tables that were.
  for one in
    select p.oid::regprocedure as signature from pg_catalog.pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and p.prosrc ~ 'public\.(events|webhook_deliveries|webhook_attempts)\M'
  loop
    execute format('alter function %s cost 100', one.signature);
  end loop;
end $$;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

alter table private.event_once enable row level security; alter table private.event_once no force row level security;
alter table public.events enable row level security; alter table public.events no force row level security;
alter table public.webhook_attempts enable row level security; alter table public.webhook_attempts no force row level security;
alter table public.webhook_deliveries enable row level security; alter table public.webhook_deliveries no force row level security;
CREATE OR REPLACE FUNCTION private.partitioned()
 RETURNS TABLE(parent text, prefix text, span interval, kept interval, unless text, goes_after text)
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return query values
    ('request_log', null, interval '1 day', interval '14 days', 'false', null),
    ('webhook_deliveries', 'dlv', interval '10 days', interval '30 days', 'status = ''pending''', null),
    ('webhook_attempts', 'dlv', interval '10 days', interval '30 days', 'false', 'webhook_deliveries'),
    ('events', 'evt', interval '10 days', interval '30 days', 'false', 'webhook_deliveries');
end $function$;
CREATE OR REPLACE FUNCTION private.partition_bound(prefix text, at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when at = '-infinity' then 'minvalue'
    when at = 'infinity' then 'maxvalue'
    when prefix is null then quote_literal(at)
    else quote_literal(prefix || '_' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'))
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.partition_moment(bound text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when bound = 'MINVALUE' then '-infinity'
    when bound = 'MAXVALUE' then 'infinity'
    when bound ~ '^''[a-z]+_' then to_timestamp(('x' || substr(bound, strpos(bound, '_') + 1, 12))::bit(48)::bigint / 1000.0)
    else trim(bound, '''')::timestamptz
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.partitions_of(parent text)
 RETURNS TABLE(name text, begins timestamp with time zone, ends timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select c.relname::text, private.partition_moment(b.bounds[1]), private.partition_moment(b.bounds[2])
  from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
  cross join lateral regexp_match(pg_catalog.pg_get_expr(c.relpartbound, c.oid), '^FOR VALUES FROM \((.*)\) TO \((.*)\)$') b (bounds)
  where i.inhparent = to_regclass('public.' || quote_ident($1));
end $function$;
CREATE OR REPLACE FUNCTION private.extend_partitions(parent text, prefix text, span interval, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  ending record;
  next_begins timestamptz;
  next_name text;
  bound text;
  columns text;
begin
  select * into ending from private.partitions_of(parent) p where p.ends = 'infinity';
  if ending.begins > at + interval '1 day' then
    return false;
  end if;
  next_begins := date_bin(span, greatest(at + interval '1 day', ending.begins), '2024-01-01 00:00:00+00') + span;
  bound := private.partition_bound(prefix, next_begins);
  next_name := parent || '_' || to_char(next_begins at time zone 'UTC', 'YYYYMMDD');
  execute format('create table partitions.%I (like public.%I including all excluding identity)', next_name, parent);
  execute format('alter table partitions.%I enable row level security', next_name);
  execute format('alter table public.%I detach partition partitions.%I', parent, ending.name);
  select string_agg(quote_ident(a.attname), ', ') into columns
  from pg_catalog.pg_attribute a where a.attrelid = to_regclass('public.' || quote_ident(parent)) and a.attnum > 0 and not a.attisdropped;
  execute format('with ahead as (delete from partitions.%I where %s >= %s returning %s) insert into partitions.%I (%4$s) select %4$s from ahead',
    ending.name, substring(pg_catalog.pg_get_partkeydef(to_regclass('public.' || quote_ident(parent))) from '\((.*)\)'), bound, columns, next_name);
  execute format('alter table public.%I attach partition partitions.%I for values from (%s) to (%s)',
    parent, ending.name, private.partition_bound(prefix, ending.begins), bound);
  execute format('alter table public.%I attach partition partitions.%I for values from (%s) to (maxvalue)', parent, next_name, bound);
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.roll_partitions(at timestamp with time zone DEFAULT now())
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '500ms'
AS $function$
declare
  divided record;
  past record;
  is_needed boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('roll_partitions', 0));
  for divided in select * from private.partitioned() loop
    if private.extend_partitions(divided.parent, divided.prefix, divided.span, at) then
      return 1;
    end if;
  end loop;
  for past in
    select t.parent, t.unless, p.name from private.partitioned() t cross join lateral private.partitions_of(t.parent) p
    where p.ends <= at - t.kept and not exists (select from private.partitions_of(t.goes_after) g where g.begins < p.ends)
    order by p.ends, t.parent
  loop
    execute format('lock table only public.%I in access exclusive mode', past.parent);
    execute format('select exists (select from partitions.%I where %s)', past.name, past.unless) into is_needed;
    if not is_needed then
      execute format('drop table partitions.%I', past.name);
      return 1;
    end if;
  end loop;
  return 0;
end $function$;
CREATE OR REPLACE FUNCTION private.announce_crossings(tenants text[], ids text[], boundaries integer[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with crossed as (
    select e, e.id as exception_id, e.tenant_id, c.boundary, c.due_at
    from unnest(tenants, ids, boundaries, due_ats) as c (tenant_id, exception_id, boundary, due_at)
    join public.exceptions e on e.tenant_id = c.tenant_id and e.id = c.exception_id
  ), announced as materialized (
    select b.tenant_id, b.boundary, lead(b.boundary) over (partition by b.tenant_id order by b.boundary desc) as next_boundary
    from private.sla_boundaries(array(select distinct tenant_id from crossed)) b where b.announced
  ), crossing as materialized (
    select c.*, a.next_boundary, concat_ws(':', c.exception_id, private.iso(c.due_at), c.boundary) as once_key
    from crossed c left join announced a on a.tenant_id = c.tenant_id and a.boundary = c.boundary
  ), reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select x.tenant_id, case when x.boundary = 0 then 'exception.sla.breached' else 'exception.sla.at_risk' end,
      jsonb_build_object('exception', private.exception_json(x.e), 'due_at', private.iso(x.due_at))
        || case when x.boundary = 0 then '{}'::jsonb
          else jsonb_build_object('threshold_minutes', x.boundary, 'threshold_kind', 'wall_clock', 'next_threshold_minutes', x.next_boundary) end,
      x.once_key
    from crossing x
    order by x.due_at - make_interval(mins => x.boundary)
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select r.tenant_id, r.data #>> '{exception,id}', now(), 'crossed', (r.data ->> 'due_at')::timestamptz,
    coalesce((r.data -> 'threshold_minutes')::integer, 0),
    -- Looked up, not joined: a kept plan takes the batch for a handful, and would compare each row with every other.
    (select e.calendar_no from public.exceptions e where e.tenant_id = r.tenant_id and e.id = r.data #>> '{exception,id}'),
    'system', null, null, null
  from reported r;
end $function$;
CREATE OR REPLACE FUNCTION private.announce_business_warnings(tenants text[], ids text[], minutes integer[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select e.tenant_id, 'exception.sla.at_risk', jsonb_build_object(
        'exception', private.exception_json(e), 'due_at', private.iso(w.due_at), 'threshold_minutes', w.minutes, 'threshold_kind', 'business',
        'next_threshold_minutes', (select max(t) from unnest(p.at_risk_business_thresholds || 0) t where t < w.minutes)),
      concat_ws(':', e.id, private.iso(w.due_at), w.minutes, 'business')
    from unnest(tenants, ids, minutes, due_ats) as w (tenant_id, exception_id, minutes, due_at)
    join public.exceptions e on e.tenant_id = w.tenant_id and e.id = w.exception_id
    join public.sla_policies p on p.tenant_id = w.tenant_id and w.minutes = any (p.at_risk_business_thresholds)
    order by w.minutes desc
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, in_business_time, calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select r.tenant_id, e.id, now(), 'crossed', (r.data ->> 'due_at')::timestamptz, (r.data -> 'threshold_minutes')::integer, true, e.calendar_no,
    'system', null, null, null
  from reported r join public.exceptions e on e.tenant_id = r.tenant_id and e.id = r.data #>> '{exception,id}'
  order by (r.data -> 'threshold_minutes')::integer desc;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_event_once()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.event_once (tenant_id, type, once_key) values (new.tenant_id, new.type, new.once_key) on conflict do nothing;
  return case when found then new end;
end $function$;
CREATE OR REPLACE FUNCTION private.emit(tenant_id text, type text, data jsonb, once_key text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.events (tenant_id, type, data, once_key) values ($1, $2, $3, $4);
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_id(event_id text, webhook_id text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return 'dlv_' || substr(event_id, 5, 12) || left(encode(sha256(convert_to(event_id || webhook_id, 'UTF8')), 'hex'), 20);
end $function$;
CREATE OR REPLACE FUNCTION private.fan_out_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  awaiting record;
begin
  for awaiting in
    with fanned_out as (
      insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status, failure_kind, next_attempt_at)
      select private.delivery_id(e.id, w.id), e.tenant_id, w.id, e.id, e.type,
        case w.status when 'active' then 'pending' else 'failed' end,
        case w.status when 'disabled' then 'webhook_disabled' end,
        case w.status when 'active' then now() end
      from emitted e join public.webhooks w on w.tenant_id = e.tenant_id
      where w.deleted_at is null and case
        when e.test_of is not null then w.id = e.test_of
        when e.type = 'webhook.test' then w.id = e.data ->> 'id'
        when e.type in ('webhook.failing', 'webhook.disabled') then e.type = any (w.events) and w.id <> e.data ->> 'id'
        else e.type = any (w.events)
      end
      returning webhook_id, status
    )
    select distinct webhook_id from fanned_out where status = 'pending' order by webhook_id
  loop
    perform private.wake_webhook(awaiting.webhook_id);
  end loop;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.last_failure(w public.webhooks)
 RETURNS public.webhook_attempts
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  failed public.webhook_attempts;
begin
  select a.* into failed
  from (
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.attempt_count > 0 order by d.id desc limit 50
  ) recent
  join public.webhook_attempts a on a.tenant_id = w.tenant_id and a.delivery_id = recent.id and a.status = 'failed'
  order by a.id desc limit 1;
  return failed;
end $function$;
CREATE OR REPLACE FUNCTION private.warn_of_failing_webhook(w public.webhooks, detail text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  days_left constant integer := case when private.webhook_disable_at(w.failing_since) <= now() + interval '1 day' then 1 else 2 end;
  warning constant text := format('%s:%s:%s', w.id, private.iso(w.failing_since), days_left);
  facts constant jsonb := jsonb_build_object('url', w.url, 'failing_since', private.iso(w.failing_since),
    'disable_at', private.iso(private.webhook_disable_at(w.failing_since)));
begin
  if w.status <> 'active' or exists (
    select from private.event_once o where o.tenant_id = w.tenant_id and o.type = 'webhook.failing' and o.once_key = warning
  ) then
    return;
  end if;
  perform private.write_security_event(private.new_id('sev'), w.tenant_id, 'webhook.failing', w.id, detail, facts);
  perform private.emit(w.tenant_id, 'webhook.failing', facts || jsonb_build_object('id', w.id, 'detail', detail), warning);
end $function$;
CREATE OR REPLACE FUNCTION private.webhook_json(w public.webhooks)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  last_day constant jsonb := private.webhook_health(w, interval '24 hours');
begin
  return jsonb_build_object(
    'id', w.id, 'url', w.url, 'description', w.description, 'events', w.events, 'status', w.status,
    'disabled_at', private.iso(w.disabled_at), 'disabled_by', w.disabled_by, 'disabled_reason', w.disabled_reason,
    'disabled_detail', w.disabled_detail,
    'health', case
      when w.status = 'disabled' then 'disabled'
      when w.failing_since is not null then 'failing'
      when last_day -> 'success_rate' = 'null' then 'idle'
      when (last_day ->> 'success_rate')::numeric < 0.95 then 'degraded'
      else 'healthy'
    end,
    'last_24h', last_day, 'last_7d', private.webhook_health(w, interval '7 days'),
    'failing_since', private.iso(w.failing_since),
    'disable_at', case when w.status = 'active' then private.iso(private.webhook_disable_at(w.failing_since)) end,
    'last_success_at', private.iso(w.last_success_at), 'last_failure_at', private.iso(w.last_failure_at),
    'last_failure_kind', case when w.failing_since is not null then (private.last_failure(w)).failure_kind end,
    'next_attempt_at', (
      select private.iso(d.next_attempt_at) from public.webhook_deliveries d
      where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.status = 'pending' and d.lease is null order by d.next_attempt_at limit 1
    ),
    'missed_since', (
      select private.iso(d.created_at) from public.webhook_deliveries d
      where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.status = 'failed' and d.created_at > now() - interval '30 days'
      order by d.id limit 1
    ),
    'secret_changed_at', private.iso(w.secret_changed_at),
    'previous_secret_expires_at', case when w.previous_secret_expires_at > now() then private.iso(w.previous_secret_expires_at) end,
    'created_at', private.iso(w.created_at), 'created_by', w.created_by, 'updated_at', private.iso(w.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.test_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'test_webhook');
  w public.webhooks;
  d public.webhook_deliveries;
  event text;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(w);
  if input ->> 'type' <> 'webhook.test' then
    perform private.require_readable_events(array[input ->> 'type']);
  end if;
  event := private.emit_test(w.id, input ->> 'type', coalesce(nullif(input -> 'data', 'null'),
    jsonb_build_object('id', w.id, 'message', 'It works.', 'sent_by', private.actor())));
  select * into d from public.webhook_deliveries x where x.tenant_id = w.tenant_id and x.id = private.delivery_id(event, w.id);
  return private.answer(request, private.delivery_json(d));
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_status(d public.webhook_deliveries)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when d.status <> 'pending' then d.status
    when d.lease is not null and d.next_attempt_at > now() then 'sending'
    when d.attempt_count > 0 then 'retrying'
    else 'pending'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.attempt_json(a public.webhook_attempts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'number', a.number, 'cause', a.cause, 'status', a.status, 'failure_kind', a.failure_kind, 'detail', a.detail,
    'started_at', private.iso(a.started_at), 'duration_ms', a.duration_ms, 'status_code', a.status_code
  );
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_json(d public.webhook_deliveries, last_attempt public.webhook_attempts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  wire_status constant text := private.delivery_status(d);
begin
  return jsonb_build_object(
    'id', d.id, 'webhook_id', d.webhook_id, 'event_id', d.event_id, 'type', d.type,
    'status', wire_status, 'failure_kind', d.failure_kind,
    'reason', case
      when wire_status = 'retrying' then last_attempt.detail
      when d.failure_kind = 'retries_exhausted' then concat_ws(' ', format('All %s attempts failed.', d.attempt_count), last_attempt.detail)
      when d.failure_kind = 'webhook_disabled' then concat_ws(' ', 'The webhook was disabled.', last_attempt.detail)
    end,
    'attempt_count', d.attempt_count,
    'next_attempt_at', case when wire_status in ('pending', 'retrying') then private.iso(d.next_attempt_at) end,
    'created_at', private.iso(d.created_at), 'delivered_at', private.iso(d.delivered_at),
    'last_attempt', case when last_attempt.id is not null then private.attempt_json(last_attempt) end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_json(d public.webhook_deliveries)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  last_attempt public.webhook_attempts;
begin
  select * into last_attempt from public.webhook_attempts a
  where a.tenant_id = d.tenant_id and a.delivery_id = d.id order by a.number desc limit 1;
  return private.delivery_json(d, last_attempt);
end $function$;
CREATE OR REPLACE FUNCTION private.find_delivery(webhook_id text, id text)
 RETURNS public.webhook_deliveries
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  d public.webhook_deliveries;
begin
  select * into d from public.webhook_deliveries x where x.tenant_id = private.tenant_id() and x.id = $2 and x.webhook_id = $1
    and x.created_at > now() - interval '30 days';
  if not found then
    perform private.refuse_missing('delivery');
  end if;
  return d;
end $function$;
CREATE OR REPLACE FUNCTION private.deliveries_page(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted constant text := input ->> 'status';
  items jsonb;
begin
  execute format($q$
    select jsonb_agg(private.delivery_json(p.d, a.a) order by (p.d).id desc)
    from (select d from public.webhook_deliveries d where %s order by d.id desc limit $1 + 1) p
    left join lateral (
      select a from public.webhook_attempts a
      where a.tenant_id = (p.d).tenant_id and a.delivery_id = (p.d).id order by a.number desc limit 1
    ) a on true
  $q$, concat_ws(' and ',
    format('d.tenant_id = %L', private.tenant_id()),
    (
      select string_agg(format('d.%I = %L', name, input ->> name), ' and ')
      from unnest('{webhook_id,type,event_id}'::text[]) name where input ->> name is not null
    ),
    case when input -> 'after' ->> 0 is not null then format('d.id < %L', input -> 'after' ->> 0) end,
    case when wanted in ('delivered', 'failed') then format('d.status = %L', wanted)
      when wanted is not null then format('d.status = ''pending'' and private.delivery_status(d) = %L', wanted) end,
    case when input ->> 'request_id' is not null then
      format('d.event_id in (select e.id from public.events e where e.tenant_id = %L and e.request_id = %L)', private.tenant_id(), input ->> 'request_id') end,
    case when input ->> 'since' is not null then format('d.created_at >= %L::timestamptz', input ->> 'since') end,
    case when input ->> 'until' is not null then format('d.created_at < %L::timestamptz', input ->> 'until') end
  )) into items using page_size;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION private.interrupt_lapsed_attempts(webhook_ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  lapsed record;
begin
  for lapsed in
    select d.tenant_id, d.id, d.lease from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at <= now() and d.webhook_id = any (webhook_ids)
      and d.tenant_id = coalesce(private.tenant_id(), d.tenant_id)
  loop
    update public.webhook_attempts a set status = 'interrupted', duration_ms = extract(epoch from now() - a.started_at) * 1000,
      detail = 'The worker that made this attempt stopped responding.'
    where a.tenant_id = lapsed.tenant_id and a.delivery_id = lapsed.id and a.id = lapsed.lease and a.status = 'in_flight';
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION public.recover_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'recover_webhook');
  since constant timestamptz := (input ->> 'since')::timestamptz;
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  oldest constant timestamptz := greatest(since, now() - interval '30 days');
  w public.webhooks;
  missed text[];
  recovered bigint;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  if not dry_run then
    perform private.require_active_webhook(w);
  end if;
  missed := array(
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.created_at >= oldest and d.status = 'failed'
    union all
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.created_at >= oldest and d.status = 'pending'
      and private.delivery_status(d) = 'retrying'
  );
  recovered := case when dry_run then cardinality(missed) else private.requeue_deliveries(w.id, missed, 'recover') end;
  if not dry_run and recovered > 0 then
    perform private.record_security_event('webhook.recovered', w.id, null,
      jsonb_build_object('since', private.iso(since), 'count', recovered));
  end if;
  return private.answer(request, jsonb_build_object('since', private.iso(since), 'dry_run', dry_run, 'count', recovered));
end $function$;
CREATE OR REPLACE FUNCTION private.claim_webhook_deliveries(webhook_ids text[], room integer)
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint, type text, request_id text)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  inactive text[];
  chosen record;
begin
  -- One claim at a time: the caps hold over all workers.
  perform pg_advisory_xact_lock(hashtextextended('tieout.claim_webhook_deliveries', 0));

  perform private.interrupt_lapsed_attempts(webhook_ids);
  inactive := array(select w.id from public.webhooks w where w.id = any (webhook_ids) and (w.status <> 'active' or w.deleted_at is not null));
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries d set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where d.webhook_id = any (inactive) and d.status = 'pending' and d.next_attempt_at <= now();
  end if;

  with asked as (
    select w.id, w.tenant_id, w.url, case when w.failing_since is null then 20 else 2 end as cap
    from public.webhooks w
    where w.id = any (webhook_ids) and w.status = 'active' and w.deleted_at is null
  ), busy as (
    select d.tenant_id, d.webhook_id, count(*) as deliveries from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at > now() and d.tenant_id in (select tenant_id from asked)
    group by 1, 2
  ), due as (
    select a.tenant_id, a.id as webhook_id, a.url, d.id, d.event_id, d.next_attempt_at,
      coalesce(b.deliveries, 0) + row_number() over (partition by a.id order by d.next_attempt_at) as place
    from asked a
    left join busy b on b.webhook_id = a.id
    cross join lateral (
      select x.id, x.event_id, x.next_attempt_at from public.webhook_deliveries x
      where x.webhook_id = a.id and x.status = 'pending' and x.next_attempt_at <= now()
      order by x.next_attempt_at limit greatest(0, a.cap - coalesce(b.deliveries, 0))
      for no key update skip locked
    ) d
  ), ranked as (
    select *, coalesce((select sum(b.deliveries - 1) from busy b where b.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place, next_attempt_at, id) as beyond_the_first
    from due
  ), first as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit room
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.id) as ids, array_agg(f.url) as urls, array_agg(f.place) as places
  into chosen from first f;
  if chosen.ids is null then
    return;
  end if;

  return query
  with leased as (
    update public.webhook_deliveries d set
      lease = nextval('public.webhook_attempts_id_seq'), next_attempt_at = now() + interval '23 seconds', attempt_count = d.attempt_count + 1
    from unnest(chosen.tenants, chosen.ids, chosen.urls, chosen.places) as c (tenant_id, id, url, place)
    where d.tenant_id = c.tenant_id and d.id = c.id
    returning d.id, d.tenant_id, d.webhook_id, d.event_id, d.lease, d.attempt_count, d.cause, c.url, c.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select l.lease, l.tenant_id, l.id, l.attempt_count, l.cause from leased l
  )
  select l.lease, l.id, l.webhook_id, l.tenant_id, l.event_id, l.url,
    format('{"type":%s,"timestamp":%s,%s"data":%s}', to_json(e.type), to_json(private.iso(e.at)),
      case when e.test_of is not null then '"test":true,' end, e.data),
    (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', s.sealed) order by s.created_at desc)
      from private.webhook_secrets s
      where s.tenant_id = l.tenant_id and s.webhook_id = l.webhook_id and (s.expires_at is null or s.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint, e.type, e.request_id
  from leased l join public.events e on e.tenant_id = l.tenant_id and e.id = l.event_id
  order by l.place;
end $function$;
CREATE OR REPLACE FUNCTION private.settle_webhook_attempts(results jsonb)
 RETURNS TABLE(webhook_id text, retry_in_ms double precision, waiting_attempts bigint[])
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  touched text[];
  locked text[];
  verdicts jsonb;
  verdict record;
  w public.webhooks;
begin
  touched := array(
    select distinct d.webhook_id from jsonb_to_recordset(results) as r (attempt_id bigint)
    join public.webhook_deliveries d on d.lease = r.attempt_id
  );
  -- Webhook before delivery, as everyone else locks them.
  locked := array(select x.id from public.webhooks x where x.id = any (touched) for no key update skip locked);

  with given as (
    select * from jsonb_to_recordset(results) as r (
      attempt_id bigint, status_code integer, failure_kind text, detail text, interrupted boolean, pause_seconds integer, duration_ms integer,
      retry_after_seconds integer, response_headers jsonb, response_body text, response_truncated boolean
    )
  ), held as (
    select d.id, d.webhook_id, d.tenant_id, d.failure_count, d.attempt_count, g.*,
      x.status = 'active' and x.deleted_at is null as active,
      -- The last change of secrets that a receiver could have slept through: a new one came, or the old one ceased to sign.
      greatest(x.secret_changed_at, case when x.previous_secret_expires_at <= now() then x.previous_secret_expires_at end) as secret_changed_at,
      x.last_success_at
    from given g
    join public.webhook_deliveries d on d.lease = g.attempt_id
    join public.webhooks x on x.tenant_id = d.tenant_id and x.id = d.webhook_id
    where d.webhook_id = any (locked)
    for no key update of d
  ), judged as (
    select h.*,
      case when h.interrupted then 'interrupted' when h.status_code between 200 and 299 then 'succeeded' else 'failed' end as outcome,
      case
        when h.interrupted or h.status_code between 200 and 299 then null
        when h.status_code in (401, 403) then
          case when h.secret_changed_at is not null and (h.last_success_at is null or h.last_success_at < h.secret_changed_at)
            then 'stale_secret' else 'signature_failed' end
        else coalesce(h.failure_kind, 'http_error')
      end as kind,
      case
        when h.interrupted then make_interval(secs => coalesce(h.pause_seconds, 0))
        when h.status_code between 200 and 299 or h.status_code = 410 or not h.active or h.failure_count >= 7 then null
        else coalesce(private.retry_after_pause(h.retry_after_seconds), private.retry_pause(h.failure_count + 1))
      end as pause
    from held h
  ), attempts as (
    update public.webhook_attempts a set
      status = j.outcome, failure_kind = j.kind, duration_ms = j.duration_ms, status_code = j.status_code,
      detail = case j.kind
        when 'stale_secret' then format('The receiver responded with %s after the secret was changed at %s. It seems to verify with the old one.',
          j.status_code, private.iso(j.secret_changed_at))
        when 'signature_failed' then format('The receiver responded with %s: it did not accept the signature.', j.status_code)
        else j.detail
      end,
      response_headers = j.response_headers, response_body = j.response_body,
      response_truncated = j.response_truncated
    from judged j where a.tenant_id = j.tenant_id and a.delivery_id = j.id and a.id = j.attempt_id
  ), deliveries as (
    update public.webhook_deliveries d set
      lease = null,
      status = case when j.outcome = 'succeeded' then 'delivered' when j.pause is null then 'failed' else 'pending' end,
      failure_kind = case when j.outcome = 'failed' and j.pause is null then
        case when j.active and j.status_code is distinct from 410 then 'retries_exhausted' else 'webhook_disabled' end end,
      failure_count = case j.outcome when 'failed' then d.failure_count + 1 else d.failure_count end,
      cause = case j.outcome when 'failed' then 'retry' else d.cause end,
      next_attempt_at = now() + j.pause,
      delivered_at = case j.outcome when 'succeeded' then now() else d.delivered_at end
    from judged j where d.tenant_id = j.tenant_id and d.id = j.id
  ), answer_times as (
    insert into public.webhook_answer_times as t (webhook_id, tenant_id, hour, succeeded, bucket, attempts)
    select j.webhook_id, j.tenant_id, date_trunc('hour', now(), 'UTC'), j.outcome = 'succeeded',
      case when j.status_code is null then -1 else floor(ln(greatest(j.duration_ms, 1)) / ln(1.1)) end, count(*)
    from judged j where j.outcome <> 'interrupted'
    group by 1, 2, 3, 4, 5 order by 2, 1, 3, 4, 5
    on conflict (tenant_id, webhook_id, hour, succeeded, bucket) do update set attempts = t.attempts + excluded.attempts
  )
  select jsonb_agg(jsonb_build_object(
    'webhook_id', j.webhook_id, 'outcome', j.outcome, 'gone', j.active and j.status_code = 410, 'detail', j.detail,
    'retry_in_ms', extract(epoch from j.pause) * 1000
  )) into verdicts from judged j;

  for verdict in
    select v.webhook_id, bool_or(v.outcome = 'succeeded') as succeeded, bool_or(v.outcome = 'failed') as failed, bool_or(v.gone) as gone,
      max(v.detail) filter (where v.outcome = 'failed') as detail
    from jsonb_to_recordset(verdicts) as v (webhook_id text, outcome text, gone boolean, detail text)
    where v.outcome <> 'interrupted'
    group by 1 order by 1
  loop
    update public.webhooks x set
      last_success_at = case when verdict.succeeded then now() else x.last_success_at end,
      last_failure_at = case when verdict.failed then now() else x.last_failure_at end,
      failing_since = case when verdict.succeeded then null else coalesce(x.failing_since, now()) end
    where x.id = verdict.webhook_id
    returning * into w;
    if verdict.gone then
      perform private.disable_webhook(w.id, 'gone', 'The receiver responded with 410 Gone: it wants no more events.');
    elsif private.webhook_disable_at(w.failing_since) <= now() then
      perform private.disable_webhook(w.id, 'failing', concat_ws(' ',
        format('Every attempt has failed since %s, for 5 days.', private.iso(w.failing_since)), 'The last one: ' || verdict.detail));
    elsif private.webhook_disable_at(w.failing_since) <= now() + interval '2 days' then
      perform private.warn_of_failing_webhook(w, verdict.detail);
    end if;
  end loop;

  return query
  select v.webhook_id, min(v.retry_in_ms), null::bigint[]
  from jsonb_to_recordset(verdicts) as v (webhook_id text, retry_in_ms double precision) group by 1
  union all
  select d.webhook_id, null, array_agg(r.attempt_id)
  from jsonb_to_recordset(results) as r (attempt_id bigint)
  join public.webhook_deliveries d on d.lease = r.attempt_id
  where d.webhook_id <> all (locked) group by 1;
end $function$;
CREATE OR REPLACE FUNCTION private.purge_webhook_deliveries(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  keys integer;
begin
  delete from private.event_once o using (
    select x.tenant_id, x.type, x.once_key from private.event_once x where x.at < now() - interval '30 days' limit batch
  ) old
  where o.tenant_id = old.tenant_id and o.type = old.type and o.once_key = old.once_key;
  get diagnostics keys = row_count;
  delete from public.webhooks w where w.deleted_at < now() - interval '30 days'
    and not exists (select from public.webhook_deliveries d where d.tenant_id = w.tenant_id and d.webhook_id = w.id);
  delete from private.webhook_secrets s where s.expires_at < now();
  delete from public.webhook_answer_times t where t.hour < now() - interval '8 days';
  return keys;
end $function$;
CREATE OR REPLACE FUNCTION private.record_requests(batch uuid, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  written integer;
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return 0;
  end if;
  insert into public.request_log (id, tenant_id, at, operation, method, path, query, resource, status, error_code, duration_ms, credential,
    actor, api_key_id, address, request, response, refused)
  select r.id, t.id, now() - make_interval(secs => r.age_ms / 1000.0), r.operation, r.method, r.path, r.query, r.resource, r.status,
    r.error_code, r.duration_ms, r.credential, r.actor, coalesce(r.api_key_id, s.api_key_id), r.address, r.request, r.response,
    coalesce(r.refused, false)
  from jsonb_to_recordset(rows) as r (
    id text, tenant_id text, key_id text, age_ms bigint, operation text, method text, path text, query text, resource text, status smallint,
    error_code text, duration_ms integer, credential text, actor text, api_key_id text, address inet, request jsonb, response jsonb,
    refused boolean
  )
  left join private.api_key_secrets s on r.tenant_id is null and s.key_id = r.key_id
  join public.tenants t on t.id = coalesce(r.tenant_id, s.tenant_id);
  get diagnostics written = row_count;
  return written;
end $function$;
CREATE OR REPLACE FUNCTION private.roll_request_log()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.roll_partitions();
end $function$;
CREATE TRIGGER fan_out AFTER INSERT ON public.events REFERENCING NEW TABLE AS emitted FOR EACH STATEMENT EXECUTE FUNCTION private.fan_out_events();
CREATE TRIGGER keep_alerts AFTER INSERT ON public.events REFERENCING NEW TABLE AS emitted FOR EACH STATEMENT EXECUTE FUNCTION private.keep_alert_events();
CREATE TRIGGER once BEFORE INSERT ON public.events FOR EACH ROW WHEN ((new.once_key IS NOT NULL)) EXECUTE FUNCTION private.keep_event_once();
create policy events_read on public.events as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:webhooks'::text]) AS may) AND (at > (now() - '30 days'::interval)) AND (type = ANY (( SELECT private.readable_events() AS readable_events)::text[]))));
create policy webhook_attempts_read on public.webhook_attempts as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:webhooks'::text, 'write:webhooks'::text]) AS may)));
create policy webhook_deliveries_read on public.webhook_deliveries as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (created_at > (now() - '30 days'::interval)) AND ( SELECT private.may(VARIADIC ARRAY['read:webhooks'::text, 'write:webhooks'::text]) AS may)));
grant execute on function private.attempt_json(public.webhook_attempts) to authenticated;
grant execute on function private.delivery_json(public.webhook_deliveries) to authenticated;
grant execute on function private.delivery_json(public.webhook_deliveries,public.webhook_attempts) to authenticated;
grant execute on function private.delivery_status(public.webhook_deliveries) to authenticated;
grant execute on function private.find_delivery(text,text) to authenticated;
grant execute on function private.last_failure(public.webhooks) to authenticated;
grant execute on function private.roll_partitions(timestamp with time zone) to service_role;
grant select on public.events to authenticated;
grant select on public.events to service_role;
grant select on public.webhook_attempts to authenticated;
grant select on public.webhook_attempts to service_role;
grant select on public.webhook_deliveries to authenticated;
grant select on public.webhook_deliveries to service_role;
