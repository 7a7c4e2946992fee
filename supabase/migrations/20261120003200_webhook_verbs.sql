-- Webhooks over the wire: register, change, rotate the secret, test, enable, and ask the log why something did not arrive.

create function private.webhook_disable_at(failing_since timestamptz) returns timestamptz
language sql immutable set search_path = ''
return failing_since + interval '5 days';

-- Attempts of the last hours, counted by bucket. Answer times are the middle of their bucket: within 5 %.
create function private.webhook_health(webhook_id text, span interval) returns jsonb
language sql stable set search_path = '' as $$
  with counted as (
    select t.succeeded, t.bucket, t.attempts from public.webhook_answer_times t
    where t.webhook_id = $1 and t.hour > now() - span
  ), answered as (
    select bucket, sum(attempts) as attempts, sum(sum(attempts)) over (order by bucket) as up_to, sum(sum(attempts)) over () as total
    from counted where bucket >= 0 group by bucket
  )
  select jsonb_build_object(
    'attempts', coalesce(sum(attempts), 0),
    'failures', coalesce(sum(attempts) filter (where not succeeded), 0),
    'success_rate', round(coalesce(sum(attempts) filter (where succeeded), 0) / nullif(sum(attempts), 0), 4),
    'p50_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.5),
    'p95_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.95)
  )
  from counted;
$$;

create function private.webhook_json(w public.webhooks) returns jsonb
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

create function private.find_webhook(id text) returns public.webhooks
language plpgsql stable set search_path = '' as $$
declare
  w public.webhooks;
begin
  select * into w from public.webhooks x where x.id = $1 and x.tenant_id = private.tenant_id() and x.deleted_at is null;
  if not found then
    perform private.refuse('not_found', 'There is no such webhook.');
  end if;
  return w;
end $$;

create function private.lock_webhook(id text) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  select * into w from public.webhooks x where x.id = $1 and x.tenant_id = private.tenant_id() and x.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse('not_found', 'There is no such webhook.');
  end if;
  return w;
end $$;

create function private.require_active_webhook(w public.webhooks) returns void
language plpgsql stable set search_path = '' as $$
begin
  if w.status = 'disabled' then
    perform private.refuse('conflict', 'This webhook is disabled, and nothing is sent to it. Enable it first.');
  end if;
end $$;

-- The new secret signs from now on; the others stop when `grace` is over, or earlier where that was decided before.
create function private.keep_webhook_secret(webhook_id text, id text, sealed text, grace interval default '0') returns void
language sql volatile security definer set search_path = '' as $$
  update private.webhook_secrets s set expires_at = least(s.expires_at, now() + grace)
  where s.webhook_id = $1 and s.tenant_id = private.tenant_id();
  insert into private.webhook_secrets (id, tenant_id, webhook_id, sealed)
  select $2, w.tenant_id, w.id, $3 from public.webhooks w where w.id = $1 and w.tenant_id = private.tenant_id();
$$;

create function private.forget_webhook_secrets(webhook_id text) returns void
language sql volatile security definer set search_path = '' as $$
  delete from private.webhook_secrets s where s.webhook_id = $1 and s.tenant_id = private.tenant_id();
$$;

-- What waits is given up. What is on its way just now is settled by its worker.
create function private.drop_waiting_deliveries(webhook_id text) returns void
language sql volatile security definer set search_path = '' as $$
  update public.webhook_deliveries d set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null
  where d.webhook_id = $1 and d.tenant_id = coalesce(private.tenant_id(), d.tenant_id) and d.status = 'pending' and d.lease is null;
$$;

-- By a user, or by the worker, which acts for no tenant in particular.
create function private.disable_webhook(id text, reason text, detail text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  w public.webhooks;
begin
  update public.webhooks x set
    status = 'disabled', disabled_at = now(), disabled_by = private.actor(), disabled_reason = reason, disabled_detail = left(detail, 500),
    updated_at = now()
  where x.id = $1 and x.tenant_id = coalesce(private.tenant_id(), x.tenant_id) and x.status = 'active' and x.deleted_at is null
  returning * into w;
  if not found then
    return;
  end if;
  perform private.drop_waiting_deliveries(w.id);
  insert into public.security_events (tenant_id, type, actor, operation, target, address, request_id, reason, details)
  values (
    w.tenant_id, 'webhook.disabled', private.actor(), nullif(current_setting('tieout.operation', true), ''), w.id,
    nullif(current_setting('tieout.address', true), '')::inet, nullif(current_setting('tieout.request_id', true), ''), detail,
    jsonb_build_object('reason', reason, 'url', w.url)
  );
  perform private.emit(w.tenant_id, 'webhook.disabled', jsonb_build_object(
    'id', w.id, 'url', w.url, 'reason', reason, 'detail', detail,
    'disabled_at', private.iso(w.disabled_at), 'disabled_by', w.disabled_by
  ));
end $$;

create function private.enable_webhook(w public.webhooks) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
begin
  if w.status = 'active' then
    return w;
  end if;
  update public.webhooks x set
    status = 'active', disabled_at = null, disabled_by = null, disabled_reason = null, disabled_detail = null, failing_since = null,
    updated_at = now()
  where x.id = w.id and x.tenant_id = w.tenant_id
  returning * into w;
  perform private.record_security_event('webhook.enabled', w.id, null, jsonb_build_object('url', w.url));
  return w;
end $$;

-- input: { url, description, events, secret_id, sealed_secret }.
create function public.create_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  if (select count(*) >= 250 from public.webhooks x where x.tenant_id = private.tenant_id() and x.deleted_at is null) then
    perform private.refuse('conflict', 'A tenant may have at most 250 webhooks. Delete one first.');
  end if;
  insert into public.webhooks (url, description, events)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'))
  returning * into w;
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', w.id, null, jsonb_build_object('url', w.url, 'events', w.events));
  return private.remember(request, private.webhook_json(w));
end $$;

create function public.get_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, '{tenant_admin}', '{read:webhooks}');
  return private.webhook_json(private.find_webhook(input ->> 'id'));
end $$;

-- Newest first. input: { limit, after: [id] | null, status }.
create function public.list_webhooks(input jsonb, request jsonb) returns jsonb
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
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end);
end $$;

-- input: { id, patch: { url, description, events, status, reason } }. A new address starts with a clean record.
create function public.update_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  before := private.lock_webhook(input ->> 'id');
  w := before;
  if patch ? 'url' then
    w.url := patch ->> 'url';
  end if;
  if patch ? 'description' then
    w.description := patch ->> 'description';
  end if;
  if patch ? 'events' then
    w.events := private.text_array(patch -> 'events');
  end if;
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.id = before.id and x.tenant_id = before.tenant_id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select jsonb_object_agg(field, jsonb_build_object('from', old_value, 'to', new_value))
      from (values
        ('url', to_jsonb(before.url), to_jsonb(w.url)),
        ('description', to_jsonb(before.description), to_jsonb(w.description)),
        ('events', to_jsonb(before.events), to_jsonb(w.events))
      ) as change (field, old_value, new_value)
      where new_value is distinct from old_value
    ));
  end if;
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return jsonb_build_object('replayed', false, 'body', private.webhook_json(w));
end $$;

-- Its secrets go at once, its log with the 30 days.
create function public.delete_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  w := private.lock_webhook(input ->> 'id');
  perform private.drop_waiting_deliveries(w.id), private.forget_webhook_secrets(w.id);
  update public.webhooks x set deleted_at = now(), updated_at = now() where x.id = w.id and x.tenant_id = w.tenant_id;
  perform private.record_security_event('webhook.deleted', w.id, null, jsonb_build_object('url', w.url));
  return jsonb_build_object('replayed', false, 'body', jsonb_build_object('id', w.id, 'deleted', true));
end $$;

-- input: { id, grace_period_seconds, secret_id, sealed_secret }.
create function public.rotate_webhook_secret(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  grace constant interval := make_interval(secs => (input ->> 'grace_period_seconds')::integer);
  answer jsonb;
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret', grace);
  update public.webhooks x set secret_changed_at = now(), previous_secret_expires_at = now() + grace, updated_at = now()
  where x.id = w.id and x.tenant_id = w.tenant_id
  returning * into w;
  perform private.record_security_event('webhook.secret_rotated', w.id, null,
    jsonb_build_object('previous_secret_expires_at', private.iso(w.previous_secret_expires_at)));
  return private.remember(request, private.webhook_json(w));
end $$;

create function public.enable_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  return private.remember(request, private.webhook_json(private.enable_webhook(private.lock_webhook(input ->> 'id'))));
end $$;

-- On the wire `pending` is told apart: not tried yet, on its way just now, waiting for its next try.
create function private.delivery_status(d public.webhook_deliveries) returns text
language sql stable set search_path = ''
return case
  when d.status <> 'pending' then d.status
  when d.lease is not null and d.next_attempt_at > now() then 'sending'
  when d.attempt_count > 0 then 'retrying'
  else 'pending'
end;

create function private.attempt_json(a public.webhook_attempts) returns jsonb
language sql stable set search_path = ''
return jsonb_build_object(
  'number', a.number, 'cause', a.cause, 'status', a.status, 'failure_kind', a.failure_kind, 'detail', a.detail,
  'started_at', private.iso(a.started_at), 'duration_ms', a.duration_ms, 'status_code', a.status_code
);

create function private.delivery_json(d public.webhook_deliveries) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  wire_status constant text := private.delivery_status(d);
  last_attempt public.webhook_attempts;
begin
  select * into last_attempt from public.webhook_attempts a where a.delivery_id = d.id order by a.number desc limit 1;
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
end $$;

create function private.find_delivery(webhook_id text, id text) returns public.webhook_deliveries
language plpgsql stable set search_path = '' as $$
declare
  d public.webhook_deliveries;
begin
  select * into d from public.webhook_deliveries x where x.id = $2 and x.webhook_id = $1 and x.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such delivery.');
  end if;
  return d;
end $$;

-- Newest first. input: { id, limit, after: [id] | null, status, type, event_id, since, until }.
create function public.list_webhook_deliveries(input jsonb, request jsonb) returns jsonb
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
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end);
end $$;

-- input: { id, delivery_id }.
create function public.get_webhook_delivery(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  d public.webhook_deliveries;
begin
  perform private.enter(request, '{tenant_admin}', '{read:webhooks}');
  perform private.find_webhook(input ->> 'id');
  d := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  return private.delivery_json(d) || jsonb_build_object(
    'payload', (
      select jsonb_build_object('type', e.type, 'timestamp', private.iso(e.at), 'data', e.data) from public.events e where e.id = d.event_id
    ),
    'attempts', coalesce((
      select jsonb_agg(private.attempt_json(a) || jsonb_build_object(
        'response', case when a.status_code is not null then jsonb_build_object(
          'headers', coalesce(a.response_headers, '{}'), 'body', coalesce(a.response_body, ''), 'truncated', coalesce(a.response_truncated, false)
        ) end
      ) order by a.number)
      from public.webhook_attempts a where a.delivery_id = d.id
    ), '[]')
  );
end $$;

-- Attempts whose lease is over: nobody will tell of them any more.
create function private.interrupt_lapsed_attempts(webhook_ids text[]) returns void
language sql volatile security definer set search_path = '' as $$
  update public.webhook_attempts a set status = 'interrupted', duration_ms = extract(epoch from now() - a.started_at) * 1000,
    detail = 'The worker that made this attempt fell silent.'
  from public.webhook_deliveries d
  where a.id = d.lease and a.status = 'in_flight' and d.next_attempt_at <= now()
    and d.webhook_id = any (webhook_ids) and d.tenant_id = coalesce(private.tenant_id(), d.tenant_id);
$$;

-- Sends again what the caller may see, from the start of the schedule; answers how many. What is on its way is left alone.
create function private.requeue_deliveries(webhook_id text, ids text[], cause text) returns bigint
language plpgsql volatile security definer set search_path = '' as $$
declare
  requeued bigint;
begin
  perform private.interrupt_lapsed_attempts(array[$1]);
  update public.webhook_deliveries d set
    status = 'pending', failure_kind = null, failure_count = 0, cause = $3, next_attempt_at = now(), lease = null
  where d.id = any (ids) and d.webhook_id = $1 and d.tenant_id = private.tenant_id()
    and (d.lease is null or d.next_attempt_at <= now());
  get diagnostics requeued = row_count;
  if requeued > 0 then
    perform private.wake_webhook($1);
  end if;
  return requeued;
end $$;

-- input: { id, delivery_id }.
create function public.resend_webhook_delivery(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  d public.webhook_deliveries;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform private.require_active_webhook(private.lock_webhook(input ->> 'id'));
  d := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  if private.requeue_deliveries(d.webhook_id, array[d.id], 'resend') = 0 then
    perform private.refuse('conflict', 'This delivery is being sent just now. Wait for its answer.');
  end if;
  return private.remember(request, private.delivery_json(private.find_delivery(d.webhook_id, d.id)));
end $$;

-- input: { id, since, dry_run }. Missed is what failed, or failed so far and waits for another try.
create function public.recover_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  since constant timestamptz := (input ->> 'since')::timestamptz;
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  answer jsonb;
  w public.webhooks;
  missed text[];
  recovered bigint;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  w := private.lock_webhook(input ->> 'id');
  if not dry_run then
    perform private.require_active_webhook(w);
  end if;
  missed := array(
    select d.id from public.webhook_deliveries d
    where d.webhook_id = w.id and d.tenant_id = w.tenant_id and d.created_at >= since and d.status = 'failed'
    union all
    select d.id from public.webhook_deliveries d
    where d.webhook_id = w.id and d.tenant_id = w.tenant_id and d.created_at >= since and d.status = 'pending'
      and private.delivery_status(d) = 'retrying'
  );
  recovered := case when dry_run then cardinality(missed) else private.requeue_deliveries(w.id, missed, 'recover') end;
  if not dry_run and recovered > 0 then
    perform private.record_security_event('webhook.recovered', w.id, null,
      jsonb_build_object('since', private.iso(since), 'count', recovered));
  end if;
  return private.remember(request, jsonb_build_object('since', private.iso(since), 'dry_run', dry_run, 'count', recovered));
end $$;

create function public.test_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  w public.webhooks;
  d public.webhook_deliveries;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(w);
  perform private.emit_own('webhook.test',
    jsonb_build_object('id', w.id, 'message', 'It works.', 'sent_by', private.actor()));
  -- The webhook is locked: no other test of it can be the newest.
  select * into d from public.webhook_deliveries x
  where x.tenant_id = w.tenant_id and x.webhook_id = w.id and x.type = 'webhook.test' order by x.id desc limit 1;
  return private.remember(request, private.delivery_json(d));
end $$;

grant execute on function
  private.webhook_disable_at(timestamptz), private.webhook_health(text, interval), private.webhook_json(public.webhooks),
  private.find_webhook(text), private.lock_webhook(text), private.require_active_webhook(public.webhooks),
  private.keep_webhook_secret(text, text, text, interval), private.forget_webhook_secrets(text), private.drop_waiting_deliveries(text),
  private.disable_webhook(text, text, text), private.enable_webhook(public.webhooks),
  private.delivery_status(public.webhook_deliveries), private.attempt_json(public.webhook_attempts),
  private.delivery_json(public.webhook_deliveries), private.find_delivery(text, text),
  private.requeue_deliveries(text, text[], text),
  public.create_webhook(jsonb, jsonb), public.get_webhook(jsonb, jsonb), public.list_webhooks(jsonb, jsonb),
  public.update_webhook(jsonb, jsonb), public.delete_webhook(jsonb, jsonb), public.rotate_webhook_secret(jsonb, jsonb),
  public.enable_webhook(jsonb, jsonb), public.list_webhook_deliveries(jsonb, jsonb), public.get_webhook_delivery(jsonb, jsonb),
  public.resend_webhook_delivery(jsonb, jsonb), public.recover_webhook(jsonb, jsonb), public.test_webhook(jsonb, jsonb)
to authenticated;
