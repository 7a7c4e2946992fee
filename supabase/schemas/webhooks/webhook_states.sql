-- A webhook's life: its secrets, disabled by a user or by its receiver's answers, enabled again.

-- The webhook of the caller's tenant. Refuses: not_found.
create function private.find_webhook(id text) returns public.webhooks
language plpgsql stable set search_path = '' as $$
declare
  w public.webhooks;
begin
  select * into w
  from public.webhooks x
  where x.tenant_id = private.tenant_id() and x.id = $1 and x.deleted_at is null;
  if not found then
    perform private.refuse_missing('webhook');
  end if;
  return w;
end $$;

-- The same, locked until the transaction ends.
create function private.lock_webhook(id text) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  select * into w
  from public.webhooks x
  where x.tenant_id = private.tenant_id() and x.id = $1 and x.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_missing('webhook');
  end if;
  return w;
end $$;

-- Refuses: conflict for a disabled webhook.
create function private.require_active_webhook(w public.webhooks) returns void
language plpgsql stable set search_path = '' as $$
begin
  if w.status = 'disabled' then
    perform private.refuse_conflict('webhook_disabled',
      'This webhook is disabled. Enable it first.');
  end if;
end $$;

-- The new secret signs from now on; the others stop when `grace` is over, or earlier where that was
-- decided before.
create function private.store_webhook_secret(webhook_id text, id text, sealed text,
  grace interval default '0') returns void
language plpgsql volatile set search_path = '' as $$
begin
  update private.webhook_secrets secret set expires_at = least(secret.expires_at, now() + grace)
  where secret.tenant_id = private.tenant_id() and secret.webhook_id = $1;
  insert into private.webhook_secrets (id, tenant_id, webhook_id, sealed)
  select $2, webhook.tenant_id, webhook.id, $3
  from public.webhooks webhook
  where webhook.tenant_id = private.tenant_id() and webhook.id = $1;
end $$;

create function private.delete_webhook_secrets(webhook_id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete
  from private.webhook_headers header
  where header.tenant_id = private.tenant_id() and header.webhook_id = $1;
  delete
  from private.webhook_clients client
  where client.tenant_id = private.tenant_id() and client.webhook_id = $1;
  delete
  from private.webhook_secrets secret
  where secret.tenant_id = private.tenant_id() and secret.webhook_id = $1;
end $$;

-- What waits is given up. What is under way just now is settled by its worker. The worker acts for
-- no tenant in particular.
create function private.drop_waiting_deliveries(webhook_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.webhook_deliveries d
  set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null
  where d.webhook_id = $1 and d.tenant_id = coalesce(private.tenant_id(), d.tenant_id)
    and d.status = 'pending' and d.lease is null;
end $$;

create function private.webhook_disable_at(failing_since timestamptz) returns timestamptz
language plpgsql immutable set search_path = '' as $$
begin
  return failing_since + interval '5 days';
end $$;

-- By a user, or by the worker, which acts for no tenant in particular. Records and sends:
-- webhook.disabled.
create function private.disable_webhook(id text, reason text, detail text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  w public.webhooks;
begin
  update public.webhooks x set
    status = 'disabled', disabled_at = now(), disabled_by = private.actor(),
    disabled_reason = reason, disabled_detail = left(detail, 500),
    updated_at = now()
  where x.id = $1 and x.tenant_id = coalesce(private.tenant_id(), x.tenant_id)
    and x.status = 'active' and x.deleted_at is null
  returning * into w;
  if not found then
    return;
  end if;
  perform private.drop_waiting_deliveries(w.id);
  perform private.write_security_event(private.new_id('sev'), w.tenant_id, 'webhook.disabled', w.id,
    detail,
    jsonb_build_object('reason', reason, 'url', w.url));
  perform private.emit(w.tenant_id, 'webhook.disabled', jsonb_build_object(
    'id', w.id, 'url', w.url, 'reason', reason, 'detail', detail,
    'disabled_at', private.iso(w.disabled_at), 'disabled_by', w.disabled_by
  ));
end $$;

-- Records: webhook.enabled, unless it is active.
create function private.enable_webhook(w public.webhooks) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
begin
  if w.status = 'active' then
    return w;
  end if;
  update public.webhooks x set
    status = 'active', disabled_at = null, disabled_by = null, disabled_reason = null,
    disabled_detail = null, failing_since = null,
    updated_at = now()
  where x.tenant_id = w.tenant_id and x.id = w.id
  returning * into w;
  perform private.record_security_event('webhook.enabled', w.id, null,
    jsonb_build_object('url', w.url));
  return w;
end $$;

-- The last failed attempt, among the newest deliveries: while a webhook fails, few are tried at
-- once.
create function private.last_failure(w public.webhooks) returns public.webhook_attempts
language plpgsql stable set search_path = '' as $$
declare
  failed public.webhook_attempts;
begin
  select a.* into failed
  from (
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.attempt_count > 0
      order by d.id desc limit 50
  ) recent
  join public.webhook_attempts a on a.tenant_id = w.tenant_id and a.delivery_id = recent.id
    and a.status = 'failed'
  order by a.id desc limit 1;
  return failed;
end $$;

-- Two days before it is disabled, and one day before: once for each. Records and sends:
-- webhook.failing.
create function private.warn_of_failing_webhook(w public.webhooks, detail text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  days_left constant integer := case
    when private.webhook_disable_at(w.failing_since) <= now() + interval '1 day' then 1 else 2 end;
  warning constant text := format('%s:%s:%s', w.id, private.iso(w.failing_since), days_left);
  facts constant jsonb := jsonb_build_object('url', w.url, 'failing_since',
    private.iso(w.failing_since),
    'disable_at', private.iso(private.webhook_disable_at(w.failing_since)));
begin
  if w.status <> 'active' or exists (
    select
    from private.event_once o
    where o.tenant_id = w.tenant_id and o.type = 'webhook.failing' and o.once_key = warning
  ) then
    return;
  end if;
  perform private.write_security_event(private.new_id('sev'), w.tenant_id, 'webhook.failing', w.id,
    detail, facts);
  perform private.emit(w.tenant_id, 'webhook.failing',
    facts || jsonb_build_object('id', w.id, 'detail', detail), warning);
end $$;

-- Warnings come with time, not with the next attempt: a webhook that has little to send would be
-- disabled unwarned.
create function private.warn_of_failing_webhooks() returns void
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  for w in
    select * from public.webhooks x
    where x.status = 'active' and x.deleted_at is null
      and private.webhook_disable_at(x.failing_since) <= now() + interval '2 days'
    order by x.tenant_id, x.id for no key update skip locked
  loop
    perform private.warn_of_failing_webhook(w, (private.last_failure(w)).detail);
  end loop;
end $$;
grant execute on function private.warn_of_failing_webhooks() to service_role;

grant execute on function
  private.find_webhook(text), private.webhook_disable_at(timestamptz),
  private.last_failure(public.webhooks)
to authenticated;
