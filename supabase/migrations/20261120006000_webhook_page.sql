-- What the page of webhooks asks beyond a receiver's own client: the database's time, and why a receiver fails.

-- Of the last attempt, where all of them fail. The newest deliveries tell: while a webhook fails, few are tried at once.
create function private.webhook_failure_kind(w public.webhooks) returns text
language sql stable set search_path = '' as $$
  select a.failure_kind
  from (
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.attempt_count > 0 order by d.id desc limit 50
  ) recent
  join public.webhook_attempts a on a.delivery_id = recent.id and a.status = 'failed'
  where w.failing_since is not null
  order by a.id desc limit 1;
$$;

create or replace function private.webhook_json(w public.webhooks) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  last_day constant jsonb := private.webhook_health(w.id, interval '24 hours');
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
    'last_24h', last_day, 'last_7d', private.webhook_health(w.id, interval '7 days'),
    'failing_since', private.iso(w.failing_since),
    'disable_at', case when w.status = 'active' then private.iso(private.webhook_disable_at(w.failing_since)) end,
    'last_success_at', private.iso(w.last_success_at), 'last_failure_at', private.iso(w.last_failure_at),
    'last_failure_kind', private.webhook_failure_kind(w),
    'next_attempt_at', (
      select private.iso(d.next_attempt_at) from public.webhook_deliveries d
      where d.webhook_id = w.id and d.status = 'pending' and d.lease is null order by d.next_attempt_at limit 1
    ),
    'missed_since', (
      select private.iso(d.created_at) from public.webhook_deliveries d
      where d.webhook_id = w.id and d.status = 'failed' order by d.id limit 1
    ),
    'secret_changed_at', private.iso(w.secret_changed_at),
    'previous_secret_expires_at', case when w.previous_secret_expires_at > now() then private.iso(w.previous_secret_expires_at) end,
    'created_at', private.iso(w.created_at), 'created_by', w.created_by, 'updated_at', private.iso(w.updated_at)
  );
end $$;

create or replace function public.list_webhooks(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{read:webhooks}');
  select jsonb_agg(private.webhook_json(w) order by w.id desc) into page
  from (
    select * from public.webhooks x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
    order by x.id desc
    limit page_size + 1
  ) w;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end)
    || jsonb_build_object('as_of', private.iso(now()));
end $$;

-- Newest first. input: { id, limit, after: [id] | null, status, type, event_id, since, until }.
create or replace function public.list_webhook_deliveries(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted constant text := input ->> 'status';
  conditions text;
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{read:webhooks}');
  perform private.find_webhook(input ->> 'id');
  conditions := format('d.tenant_id = private.tenant_id() and d.webhook_id = %L', input ->> 'id');
  if input -> 'after' ->> 0 is not null then
    conditions := conditions || format(' and d.id < %L', input -> 'after' ->> 0);
  end if;
  if wanted in ('delivered', 'failed') then
    conditions := conditions || format(' and d.status = %L', wanted);
  elsif wanted is not null then
    conditions := conditions || format(' and d.status = ''pending'' and private.delivery_status(d) = %L', wanted);
  end if;
  if input ->> 'type' is not null then
    conditions := conditions || format(' and d.type = %L', input ->> 'type');
  end if;
  if input ->> 'event_id' is not null then
    conditions := conditions || format(' and d.event_id = %L', input ->> 'event_id');
  end if;
  if input ->> 'since' is not null then
    conditions := conditions || format(' and d.created_at >= %L::timestamptz', input ->> 'since');
  end if;
  if input ->> 'until' is not null then
    conditions := conditions || format(' and d.created_at < %L::timestamptz', input ->> 'until');
  end if;
  execute format($q$
    select jsonb_agg(private.delivery_json(p.d) order by (p.d).id desc)
    from (select d from public.webhook_deliveries d where %s order by d.id desc limit $1 + 1) p
  $q$, conditions) into page using page_size;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end)
    || jsonb_build_object('as_of', private.iso(now()));
end $$;

grant execute on function private.webhook_failure_kind(public.webhooks) to authenticated;
