alter table public.events add column position bigint, add column subject text; create index events_by_position on public.events (tenant_id, position); create index events_by_subject on public.events (tenant_id, subject, position); create sequence private.event_positions;

alter table public.webhooks add column header_names text[] not null default '{}' constraint webhooks_header_names_check check (cardinality(header_names) <= 10), add column headers_changed_at timestamptz(3), add column filters jsonb not null default '{}' constraint webhooks_filters_check check (length(filters::text) <= 8000), add column max_per_minute integer constraint webhooks_max_per_minute_check check (max_per_minute between 1 and 6000);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop policy events_read on public.events;
drop function private.claim_webhook_deliveries(text[],integer);
create table private.webhook_headers (
  id text not null,
  tenant_id text not null,
  webhook_id text not null,
  name text not null,
  sealed text not null
);
create table private.webhook_rates (
  tenant_id text not null,
  webhook_id text not null,
  minute timestamp with time zone not null,
  attempts integer not null
);
alter table private.webhook_headers add constraint webhook_headers_pkey PRIMARY KEY (tenant_id, id);
alter table private.webhook_rates add constraint webhook_rates_pkey PRIMARY KEY (tenant_id, webhook_id);
CREATE UNIQUE INDEX webhook_headers_by_name ON private.webhook_headers USING btree (tenant_id, webhook_id, lower(name));
alter table private.webhook_headers add constraint webhook_headers_tenant_id_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES public.webhooks(tenant_id, id) ON DELETE CASCADE;
alter table private.webhook_rates add constraint webhook_rates_tenant_id_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES public.webhooks(tenant_id, id) ON DELETE CASCADE;
alter table private.webhook_headers enable row level security; alter table private.webhook_headers no force row level security;
alter table private.webhook_rates enable row level security; alter table private.webhook_rates no force row level security;
CREATE OR REPLACE FUNCTION private.require_readable_events(kinds text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  unreadable constant text := (select min(k) from unnest(kinds) k
    where k <> all (private.readable_events()));
  scope constant text := (
    select p.scope
    from private.event_kinds k
    join private.permissions p on p.permission = k.permission
    where k.kind = unreadable
  );
begin
  if unreadable is null then
    return;
  elsif private.principal_type() = 'api_key' and scope is not null then
    perform private.refuse('scope_required',
      format('To be sent %s, an API key needs the scope %s.', unreadable, scope));
  end if;
  perform private.refuse('role_required',
    format(
      'This credential may not read what %s carries. Leave it out, or ask a tenant admin to register for it.',
      unreadable));
end $function$;
CREATE OR REPLACE FUNCTION private.event_lock(tenant text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ((hashtextextended(('tieout.events '::text || tenant), (0)::bigint) & (1023)::bigint))::integer;
CREATE OR REPLACE FUNCTION private.event_subject(data jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(
    data -> 'exception' ->> 'id', data -> 'run' ->> 'id', data -> 'match' ->> 'id',
    data -> 'reconciliation' ->> 'id', data -> 'import' ->> 'id',
    data -> 'reconciliation_ids' ->> 0, data ->> 'id'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.place_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  mark bigint := nullif(current_setting('tieout.event_mark', true), '');
begin
  if mark is null then
    mark := nextval('private.event_positions');
    perform set_config('tieout.event_mark', mark::text, true);
  end if;
  perform pg_advisory_xact_lock_shared(private.event_lock(new.tenant_id),
    (mark & 2147483647)::integer);
  new.position := nextval('private.event_positions');
  new.subject := private.event_subject(new.data);
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_event_position(tenant text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  issued constant bigint := (select s.last_value from private.event_positions s);
  half constant bigint := 1073741824;
  lowest_mark bigint;
begin
  -- From the last 31 bits, the number that is nearest to `issued`.
  select min(issued + ((l.objid::bigint - (issued & 2147483647) + 3 * half) % (2 * half)) - half)
  into lowest_mark
  from pg_catalog.pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.database = (select d.oid from pg_catalog.pg_database d
      where d.datname = current_database())
    and l.classid::bigint = private.event_lock(tenant);
  return least(issued, lowest_mark);
end $function$;
CREATE OR REPLACE FUNCTION private.event_position_before(since timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  first_id constant text := 'evt_' || lpad(to_hex(
    (extract(epoch from since - interval '1 second') * 1000)::bigint), 12, '0');
begin
  return (
    select min(e.position) - 1
    from (
      select x.position from public.events x
      where x.tenant_id = private.tenant_id() and x.id >= first_id and x.position is not null
      order by x.id limit 100
    ) e
  );
end $function$;
CREATE OR REPLACE FUNCTION private.event_json(e public.events)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', e.id, 'type', e.type, 'timestamp', private.iso(e.at), 'data',
    e.data, 'subject', e.subject)
    || case when e.test_of is null then '{}'::jsonb else '{"test": true}' end;
end $function$;
CREATE OR REPLACE FUNCTION private.require_any_event()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.principal_type() = 'api_key' and cardinality(private.readable_events()) = 0 then
    perform private.refuse('scope_required',
      'To read events, an API key needs the scope of what they carry, such as read:exceptions.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.event_window_end(tenant text, start bigint, settled bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select e.position from public.events e
    where e.tenant_id = $1 and e.position > $2 and e.position <= $3
    order by e.position offset 999 limit 1
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_events(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  oldest constant timestamptz := now() - interval '30 days';
  earliest constant timestamptz := greatest((input ->> 'since')::timestamptz, oldest);
  wanted_subject constant text := input ->> 'subject';
  wanted_types text[] := private.text_array(input -> 'types');
  settled bigint;
  start bigint;
  upto bigint;
  found record;
begin
  perform private.begin_request(request, 'list_events');
  perform private.require_any_event();
  perform private.require_readable_events(wanted_types);
  if (input ->> 'seen_at')::timestamptz < oldest then
    perform private.refuse_field('cursor',
      'This cursor is older than 30 days, and events after it may be gone. Start again with since.');
  end if;
  if cardinality(wanted_types) = 0 then
    wanted_types := private.readable_events();
  end if;
  settled := private.settled_event_position(tenant);
  start := least(settled, coalesce((input ->> 'after')::bigint,
    private.event_position_before(earliest), settled));
  if wanted_subject is null then
    upto := private.event_window_end(tenant, start, settled);
  end if;
  upto := coalesce(upto, settled);
  select jsonb_agg(private.event_json(p.e) order by p.place) filter (where p.place <= page_size)
    as items,
    max((p.e).position) filter (where p.place = page_size and p.is_cut) as last_position
  into found
  from (
    select m.e, row_number() over (order by (m.e).position) as place,
      count(*) over () > page_size as is_cut
    from (
      select e from public.events e
      where e.tenant_id = tenant and e.position > start and e.position <= upto
        and e.at >= earliest and e.type = any (wanted_types)
        and (wanted_subject is null or e.subject = wanted_subject)
        and (e.test_of is null or (input ->> 'test')::boolean)
      order by e.position limit page_size + 1
    ) m
  ) p;
  upto := coalesce(found.last_position, upto);
  return jsonb_build_object('items', coalesce(found.items, '[]'), 'position', upto::text,
    'has_more', upto < settled, 'as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION public.get_event(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.events;
begin
  perform private.begin_request(request, 'get_event');
  select * into e
  from public.events x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id'
    and x.at > now() - interval '30 days' and x.type = any (private.readable_events());
  if not found then
    perform private.refuse_missing('event');
  end if;
  return private.event_json(e);
end $function$;
CREATE OR REPLACE FUNCTION public.create_test_event(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_test_event');
  made text;
  e public.events;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(array[input ->> 'type']);
  made := private.emit_test('reading', input ->> 'type', input -> 'data');
  select * into e from public.events x where x.tenant_id = private.tenant_id() and x.id = made;
  return private.finish_request(request, private.event_json(e));
end $function$;
CREATE OR REPLACE FUNCTION private.passes_filters(tenant text, filters jsonb, data jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  about constant jsonb := data -> 'exception';
  money constant jsonb := coalesce(about, data -> 'match');
  amount constant jsonb := filters -> 'amount';
  -- Null where the event is about no period; empty where an exception names none.
  periods constant text[] := case
    when data ? 'reconciliation_ids' then private.text_array(data -> 'reconciliation_ids')
    when data ? 'reconciliation' then array[data -> 'reconciliation' ->> 'id']
    when data ?| '{exception,run,match}' then array_remove(array[coalesce(about, data -> 'run',
      data -> 'match') ->> 'reconciliation_id'], null)
  end;
begin
  return not coalesce(
    filters ? 'severity' and about is not null
    and not filters -> 'severity' ? (about ->> 'severity')
    or filters ? 'assigned_to' and about is not null
    and not filters -> 'assigned_to' ? coalesce(about ->> 'assigned_to', '')
    or amount is not null and money is not null
    and (money ->> 'currency' is distinct from amount ->> 'currency'
      or abs((money ->> 'amount_minor')::numeric) < (amount ->> 'from_minor')::numeric)
    or filters ? 'reconciliation_ids' and periods is not null
    and not filters -> 'reconciliation_ids' ?| periods
    or filters ? 'source_ids' and data ? 'import'
    and not filters -> 'source_ids' ? (data -> 'import' ->> 'source_id')
    or filters ? 'source_ids' and periods is not null
    and not exists (
      select from public.reconciliations r
      where r.tenant_id = tenant and r.id = any (periods)
        and filters -> 'source_ids' ?| array[r.left_source_id, r.right_source_id]
    ), false);
end $function$;
CREATE OR REPLACE FUNCTION private.require_filters(filters jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  missing text;
begin
  select named into missing
  from unnest(private.text_array(filters -> 'source_ids')) named
  where not exists (select from public.sources s where s.tenant_id = tenant and s.id = named);
  if found then
    perform private.refuse_field('filters.source_ids', format('There is no source %s.', missing));
  end if;
  select named into missing
  from unnest(private.text_array(filters -> 'reconciliation_ids')) named
  where not exists (select from public.reconciliations r
    where r.tenant_id = tenant and r.id = named);
  if found then
    perform private.refuse_field('filters.reconciliation_ids',
      format('There is no reconciliation %s.', missing));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.preview_webhook_filters(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'preview_webhook_filters');
  tenant constant text := private.tenant_id();
  kinds constant text[] := private.text_array(input -> 'events');
  since constant timestamptz := now() - interval '7 days';
  looked_at constant integer := 20000;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(kinds);
  perform private.require_filters(input -> 'filters');
  return private.finish_request(request, (
    with newest as (
      select e.type, private.passes_filters(tenant, input -> 'filters', e.data) as passes
      from public.events e
      where e.tenant_id = tenant and e.at >= since and e.type = any (kinds) and e.test_of is null
        and e.id >= 'evt_' || lpad(to_hex((extract(epoch from since) * 1000)::bigint), 12, '0')
      order by e.id desc limit looked_at
    ), by_type as (
      select n.type, count(*) as total, count(*) filter (where n.passes) as matched
      from newest n group by n.type
    )
    select jsonb_build_object(
      'since', private.iso(since), 'as_of', private.iso(now()),
      'total_count', coalesce(sum(b.total), 0), 'matched_count', coalesce(sum(b.matched), 0),
      'by_type', coalesce(jsonb_agg(jsonb_build_object('type', b.type, 'total_count', b.total,
        'matched_count', b.matched) order by b.type), '[]'),
      'complete', coalesce(sum(b.total), 0) < looked_at
    )
    from by_type b
  ));
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
      insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status,
        failure_kind, next_attempt_at)
      select private.delivery_id(e.id, w.id), e.tenant_id, w.id, e.id, e.type,
        case w.status when 'active' then 'pending' else 'failed' end,
        case w.status when 'disabled' then 'webhook_disabled' end,
        case w.status when 'active' then now() end
      from emitted e join public.webhooks w on w.tenant_id = e.tenant_id
      where w.deleted_at is null and case
        when e.test_of is not null then w.id = e.test_of
        when e.type = 'webhook.test' then w.id = e.data ->> 'id'
        when e.type in ('webhook.failing', 'webhook.disabled') then e.type = any (w.events)
        and w.id <> e.data ->> 'id'
        else e.type = any (w.events)
        and (w.filters = '{}' or private.passes_filters(w.tenant_id, w.filters, e.data))
      end
      returning webhook_id, status
    )
    select distinct webhook_id from fanned_out where status = 'pending' order by webhook_id
  loop
    perform private.notify_webhook_worker(awaiting.webhook_id);
  end loop;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_webhook_secrets(webhook_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete
  from private.webhook_headers h
  where h.tenant_id = private.tenant_id() and h.webhook_id = $1;
  delete
  from private.webhook_secrets s
  where s.tenant_id = private.tenant_id() and s.webhook_id = $1;
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
    'id', w.id, 'url', w.url, 'description', w.description, 'events', w.events,
    'filters', w.filters, 'header_names', w.header_names, 'max_per_minute', w.max_per_minute,
    'status', w.status,
    'disabled_at', private.iso(w.disabled_at), 'disabled_by', w.disabled_by, 'disabled_reason',
    w.disabled_reason,
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
    'disable_at',
    case when w.status = 'active' then private.iso(private.webhook_disable_at(w.failing_since)) end,
    'last_success_at', private.iso(w.last_success_at), 'last_failure_at',
    private.iso(w.last_failure_at),
    'last_failure_kind',
    case when w.failing_since is not null then (private.last_failure(w)).failure_kind end,
    'next_attempt_at', (
      select private.iso(d.next_attempt_at) from public.webhook_deliveries d
      where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.status = 'pending'
        and d.lease is null
        order by d.next_attempt_at limit 1
    ),
    'missed_since', (
      select private.iso(d.created_at) from public.webhook_deliveries d
      where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.status = 'failed'
        and d.created_at > now() - interval '30 days'
      order by d.id limit 1
    ),
    'secret_changed_at', private.iso(w.secret_changed_at),
    'previous_secret_expires_at',
    case when w.previous_secret_expires_at > now() then private.iso(w.previous_secret_expires_at)
      end,
    'created_at', private.iso(w.created_at), 'created_by', w.created_by, 'updated_at',
    private.iso(w.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.webhook_version(w public.webhooks)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(
    w.url, w.description, w.events, w.status, private.iso(w.disabled_at),
    private.iso(w.secret_changed_at), private.iso(w.deleted_at), w.filters, w.max_per_minute,
    private.iso(w.headers_changed_at)
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_headers(w public.webhooks, headers jsonb, has_moved boolean DEFAULT false)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  unknown text;
begin
  select g.name into unknown
  from jsonb_to_recordset(headers) as g (name text, sealed_secret text)
  where g.sealed_secret is null and (has_moved or not exists (
    select from private.webhook_headers h
    where h.tenant_id = w.tenant_id and h.webhook_id = w.id and lower(h.name) = lower(g.name)));
  if found then
    perform private.refuse_field('headers', format(case
      when has_moved then 'Send the value of %s again: it would go to another address.'
      else 'Send a value for %s.' end, unknown));
  end if;
  delete from private.webhook_headers h
  where h.tenant_id = w.tenant_id and h.webhook_id = w.id and not exists (
    select from jsonb_to_recordset(headers) as g (name text, sealed_secret text)
    where lower(g.name) = lower(h.name) and g.sealed_secret is null);
  insert into private.webhook_headers (id, tenant_id, webhook_id, name, sealed)
  select g.secret_id, w.tenant_id, w.id, g.name, g.sealed_secret
  from jsonb_to_recordset(headers) as g (name text, secret_id text, sealed_secret text)
  where g.sealed_secret is not null;
  update public.webhooks x set
    header_names = array(select g ->> 'name' from jsonb_array_elements(headers) g),
    headers_changed_at = now(), updated_at = now()
  where x.tenant_id = w.tenant_id and x.id = w.id
  returning * into w;
  return w;
end $function$;
CREATE OR REPLACE FUNCTION public.create_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_webhook');
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(private.text_array(input -> 'events'));
  perform private.require_filters(input -> 'filters');
  perform private.require_quota('webhooks');
  insert into public.webhooks (url, description, events, filters, max_per_minute)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'),
    coalesce(input -> 'filters', '{}'), (input ->> 'max_per_minute')::integer)
  returning * into w;
  if jsonb_typeof(input -> 'headers') = 'array' then
    w := private.store_webhook_headers(w, input -> 'headers');
  end if;
  perform private.store_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', w.id, null,
    jsonb_build_object('url', w.url, 'events', w.events));
  return private.finish_request(request,
    private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w))
      || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.update_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events,filters,max_per_minute}';
  origin constant text := '^https?://[^/?#]+';
  has_moved boolean;
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := jsonb_populate_record(before,
    (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  if w.url <> before.url or w.events <> before.events then
    perform private.require_readable_events(w.events);
  end if;
  if w.url <> before.url then
    perform private.require_readable_events(private.unreadable_sent(w.id));
  end if;
  if w.filters <> before.filters then
    perform private.require_filters(w.filters);
  end if;
  has_moved := substring(w.url from origin) <> substring(before.url from origin);
  if has_moved and cardinality(before.header_names) > 0 and not patch ? 'headers' then
    perform private.refuse_field('headers',
      'Send the headers with their values again: they would go to another address.');
  end if;
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events, filters = w.filters,
      max_per_minute = w.max_per_minute,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select private.changes(jsonb_object_agg(field, to_jsonb(before) -> field),
        jsonb_object_agg(field, to_jsonb(w) -> field))
      from unnest(fields) field
    ));
  end if;
  if patch ? 'headers' then
    w := private.store_webhook_headers(w, patch -> 'headers', has_moved);
    perform private.record_security_event('webhook.updated', w.id, null, jsonb_build_object(
      'headers', jsonb_build_object('from', before.header_names, 'to', w.header_names)));
  end if;
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return private.finish_request(request,
    private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $function$;
CREATE OR REPLACE FUNCTION private.claim_webhook_deliveries(webhook_ids text[], room integer)
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint, type text, request_id text, headers jsonb)
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
  inactive := array(select w.id from public.webhooks w
    where w.id = any (webhook_ids) and (w.status <> 'active' or w.deleted_at is not null));
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries d
    set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where d.webhook_id = any (inactive) and d.status = 'pending' and d.next_attempt_at <= now();
  end if;

  with asked as (
    select w.id, w.tenant_id, w.url, case when w.failing_since is null then 20 else 2 end as cap,
      -- Null without a limit, which least() ignores.
      case when w.max_per_minute is not null then
        greatest(0, w.max_per_minute - coalesce(r.attempts, 0)) end as left_this_minute
    from public.webhooks w
    left join private.webhook_rates r on r.tenant_id = w.tenant_id and r.webhook_id = w.id
      and r.minute = date_trunc('minute', now())
    where w.id = any (webhook_ids) and w.status = 'active' and w.deleted_at is null
  ), busy as (
    select d.tenant_id, d.webhook_id, count(*) as deliveries from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at > now()
      and d.tenant_id in (select tenant_id from asked)
    group by 1, 2
  ), due as (
    select a.tenant_id, a.id as webhook_id, a.url, d.id, d.event_id, d.next_attempt_at,
      coalesce(b.deliveries, 0)
        + row_number() over (partition by a.id order by d.next_attempt_at) as place
    from asked a
    left join busy b on b.webhook_id = a.id
    cross join lateral (
      select x.id, x.event_id, x.next_attempt_at from public.webhook_deliveries x
      where x.webhook_id = a.id and x.status = 'pending' and x.next_attempt_at <= now()
      order by x.next_attempt_at
      limit least(a.left_this_minute, greatest(0, a.cap - coalesce(b.deliveries, 0)))
      for no key update skip locked
    ) d
  ), ranked as (
    select *,
      coalesce((select sum(b.deliveries - 1) from busy b where b.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place,
        next_attempt_at, id) as beyond_the_first
    from due
  ), first as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit room
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.id) as ids, array_agg(f.url) as urls,
    array_agg(f.place) as places, array_agg(f.webhook_id) as webhook_ids
  into chosen from first f;
  if chosen.ids is null then
    return;
  end if;

  insert into private.webhook_rates as r (tenant_id, webhook_id, minute, attempts)
  select w.tenant_id, w.id, date_trunc('minute', now()), count(*)
  from unnest(chosen.tenants, chosen.webhook_ids) as c (tenant_id, webhook_id)
  join public.webhooks w on w.tenant_id = c.tenant_id and w.id = c.webhook_id
    and w.max_per_minute is not null
  group by w.tenant_id, w.id
  on conflict (tenant_id, webhook_id) do update set
    attempts = excluded.attempts + case when r.minute = excluded.minute then r.attempts else 0 end,
    minute = excluded.minute;

  return query
  with leased as (
    update public.webhook_deliveries d set
      lease = nextval('public.webhook_attempts_id_seq'),
      next_attempt_at = now() + interval '23 seconds', attempt_count = d.attempt_count + 1
    from unnest(chosen.tenants, chosen.ids, chosen.urls, chosen.places) as c (tenant_id, id, url,
      place)
    where d.tenant_id = c.tenant_id and d.id = c.id
    returning d.id, d.tenant_id, d.webhook_id, d.event_id, d.lease, d.attempt_count, d.cause, c.url,
      c.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select l.lease, l.tenant_id, l.id, l.attempt_count, l.cause from leased l
  )
  select l.lease, l.id, l.webhook_id, l.tenant_id, l.event_id, l.url,
    format('{"type":%s,"timestamp":%s,%s"data":%s}', to_json(e.type), to_json(private.iso(e.at)),
      case when e.test_of is not null then '"test":true,' end, e.data),
    (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', s.sealed)
      order by s.created_at desc)
      from private.webhook_secrets s
      where s.tenant_id = l.tenant_id and s.webhook_id = l.webhook_id
        and (s.expires_at is null or s.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint, e.type, e.request_id,
    (
      select jsonb_agg(jsonb_build_object('name', h.name, 'id', h.id, 'sealed', h.sealed))
      from private.webhook_headers h
      where h.tenant_id = l.tenant_id and h.webhook_id = l.webhook_id
    )
  from leased l join public.events e on e.tenant_id = l.tenant_id and e.id = l.event_id
  order by l.place;
end $function$;
CREATE OR REPLACE FUNCTION private.service_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'worker_silence_seconds',
    (select extract(epoch from now() - max(beat_at)) from private.heartbeats where kind = 'worker'),
    -- One that fell silent is buried, so that its silence can't be told: none is left.
    'working', (
      select jsonb_build_object('worker', count(*) filter (where kind = 'worker'), 'matcher',
        count(*) filter (where kind = 'matcher'))
      from private.heartbeats where beat_at > now() - interval '15 seconds'
    ),
    'sla_clock_lag_seconds', (
      select greatest(0, coalesce(extract(epoch from now() - least(
        (select min(next_at) from private.exception_clocks where next_at is not null),
        (select min(w.at) from private.business_warnings w where w.at < 'infinity')
      )), 0))
    ),
    'webhooks', (
      select jsonb_build_object(
        'active', count(*) filter (where status = 'active'),
        'disabled', count(*) filter (where status = 'disabled'),
        'given_up',
        count(*) filter (where disabled_reason <> 'manual'
          and disabled_at > now() - interval '1 day')
      )
      from public.webhooks where deleted_at is null
    ),
    'deliveries', (
      select jsonb_build_object(
        'pending', count(*),
        'due', count(*) filter (where next_attempt_at <= now()),
        -- A delivery that waits for its webhook's limit isn't late.
        'lag_seconds', greatest(0, coalesce(extract(epoch from now() - min(d.next_attempt_at)
          filter (where not exists (select from public.webhooks w
            where w.tenant_id = d.tenant_id and w.id = d.webhook_id
              and w.max_per_minute is not null))), 0))
      )
      from public.webhook_deliveries d where d.status = 'pending'
    ),
    'jobs', (
      select jsonb_build_object(
        'ready',
        count(*) filter (where attempts < max_attempts and run_at <= now() and locked_at is null),
        'running', count(*) filter (where locked_at is not null),
        'failed', count(*) filter (where attempts >= max_attempts),
        'oldest_seconds',
        coalesce(
          extract(epoch from now()
            - min(run_at) filter (where attempts < max_attempts and run_at <= now()
              and locked_at is null)),
          0),
        -- A worker that falls silent is buried after 20 seconds, and its jobs are freed.
        'locked_by_the_dead', count(*) filter (where locked_at < now() - interval '1 minute'
          and locked_by not in (select pool from private.heartbeats
            where beat_at > now() - interval '1 minute'))
      )
      from graphile_worker.jobs
    ),
    -- By task, how long ago its schedule gave it to the workers.
    'scheduled', (
      select coalesce(
        jsonb_object_agg(identifier,
          extract(epoch from now() - coalesce(last_execution, known_since))),
        '{}')
      from graphile_worker._private_known_crontabs
    ),
    -- Of what the signer did not get to yet, the oldest.
    'unsigned_seconds', (
      select coalesce(extract(epoch from now() - min(e.at)), 0)
      from private.unsigned_security_event_chains() u
      join public.security_events e on e.chain = u.chain
        and e.seq = coalesce((u.signed ->> 'seq')::bigint, 0) + 1
    ),
    'database', jsonb_build_object(
      'bytes', pg_database_size(current_database()),
      'connections', (select sum(numbackends) from pg_stat_database),
      'connections_max',
      current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int,
      'migrating', exists (
        select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
          and (classid::bigint << 32 | objid::bigint) = hashtext('tieout migrations')::bigint
      )
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.may_call(operation text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return operation is null or exists (
    select from private.operations o
    where o.operation = $1 and private.may(o.permission)
      and o.permission !~ ':(views|sessions|notifications)$'
      and (o.operation not in ('getWebhookDelivery', 'getEvent', 'listEvents')
      or not exists (select from private.event_kinds k
        where k.kind <> all (private.readable_events())))
  );
end $function$;
CREATE TRIGGER place BEFORE INSERT ON public.events FOR EACH ROW EXECUTE FUNCTION private.place_event();
create policy events_read on public.events as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (at > (now() - '30 days'::interval)) AND (type = ANY (( SELECT private.readable_events() AS readable_events)::text[]))));
grant execute on function private.claim_webhook_deliveries(text[],integer) to service_role;
grant execute on function private.event_json(public.events) to authenticated;
grant execute on function private.event_position_before(timestamp with time zone) to authenticated;
grant execute on function private.event_window_end(text,bigint,bigint) to authenticated;
grant execute on function private.require_any_event() to authenticated;
grant execute on function private.require_readable_events(text[]) to authenticated;
grant execute on function private.settled_event_position(text) to authenticated;
grant execute on function public.create_test_event(jsonb,jsonb) to authenticated;
grant execute on function public.get_event(jsonb,jsonb) to authenticated;
grant execute on function public.list_events(jsonb,jsonb) to authenticated;
grant execute on function public.preview_webhook_filters(jsonb,jsonb) to authenticated;
insert into private.permissions select ('(read:events,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:security-events,"{user,api_key,service_role}","{tenant_admin,tenant_auditor}",read:security-events)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.operations select ('(create_test_event,createTestEvent,write:webhooks)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_event,getEvent,read:events)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_events,listEvents,read:events)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(preview_webhook_filters,previewWebhookFilters,read:webhooks)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
