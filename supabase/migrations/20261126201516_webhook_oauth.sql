alter table public.webhooks add column oauth jsonb constraint webhooks_oauth_check check (length(oauth::text) <= 4000), add column oauth_changed_at timestamptz(3);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.claim_webhook_deliveries(text[],integer);
create table private.webhook_clients (
  id text not null,
  tenant_id text not null,
  webhook_id text not null,
  sealed text not null
);
alter table private.webhook_clients add constraint webhook_clients_pkey PRIMARY KEY (tenant_id, webhook_id);
alter table private.webhook_clients add constraint webhook_clients_tenant_id_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES public.webhooks(tenant_id, id) ON DELETE CASCADE;
alter table private.webhook_clients enable row level security; alter table private.webhook_clients no force row level security;
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
  from private.webhook_clients c
  where c.tenant_id = private.tenant_id() and c.webhook_id = $1;
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
    'oauth', w.oauth,
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
    private.iso(w.headers_changed_at), private.iso(w.oauth_changed_at)
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_client(w public.webhooks, oauth jsonb, has_moved boolean DEFAULT false)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  origin constant text := '^https?://[^/?#]+';
  settings constant jsonb := nullif(oauth, 'null') - '{secret_id,sealed_secret}'::text[];
begin
  if settings is not null and oauth ->> 'sealed_secret' is null and (has_moved or w.oauth is null
    or substring(w.oauth ->> 'token_url' from origin)
      <> substring(settings ->> 'token_url' from origin)) then
    perform private.refuse_field('oauth.client_secret',
      'Send the client secret: it is not stored for this address.');
  end if;
  if settings is null or oauth ->> 'sealed_secret' is not null then
    delete from private.webhook_clients c
    where c.tenant_id = w.tenant_id and c.webhook_id = w.id;
  end if;
  if oauth ->> 'sealed_secret' is not null then
    insert into private.webhook_clients (id, tenant_id, webhook_id, sealed)
    values (oauth ->> 'secret_id', w.tenant_id, w.id, oauth ->> 'sealed_secret');
  end if;
  update public.webhooks x
  set oauth = settings, oauth_changed_at = now(), updated_at = now()
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
  if jsonb_typeof(input -> 'oauth') = 'object' then
    w := private.store_webhook_client(w, input -> 'oauth');
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
  if has_moved and before.oauth is not null and not patch ? 'oauth' then
    perform private.refuse_field('oauth',
      'Send oauth with its client secret again: the token would go to another address.');
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
  if patch ? 'oauth' then
    w := private.store_webhook_client(w, patch -> 'oauth', has_moved);
    perform private.record_security_event('webhook.updated', w.id, null, jsonb_build_object(
      'oauth', jsonb_build_object('from', before.oauth, 'to', w.oauth)));
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
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint, type text, request_id text, headers jsonb, oauth jsonb)
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
    ),
    (
      select w.oauth || jsonb_build_object('id', c.id, 'sealed', c.sealed)
      from private.webhook_clients c
      join public.webhooks w on w.tenant_id = c.tenant_id and w.id = c.webhook_id
      where c.tenant_id = l.tenant_id and c.webhook_id = l.webhook_id
    )
  from leased l join public.events e on e.tenant_id = l.tenant_id and e.id = l.event_id
  order by l.place;
end $function$;
grant execute on function private.claim_webhook_deliveries(text[],integer) to service_role;
