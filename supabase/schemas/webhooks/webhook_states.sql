-- States of a webhook: storing its secrets, disabling it (by a user or after failures), enabling it
-- again.

-- The webhook of the caller's tenant. Refuses: not_found.
create function private.find_webhook(id text) returns public.webhooks
language plpgsql stable set search_path = '' as $$
declare
  webhook public.webhooks;
begin
  select * into webhook
  from public.webhooks
  where webhooks.tenant_id = private.tenant_id() and webhooks.id = $1
    and webhooks.deleted_at is null;
  if not found then
    perform private.refuse_missing('webhook');
  end if;
  return webhook;
end $$;

-- The same, locked until the transaction ends.
create function private.lock_webhook(id text) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
declare
  webhook public.webhooks;
begin
  select * into webhook
  from public.webhooks
  where webhooks.tenant_id = private.tenant_id() and webhooks.id = $1
    and webhooks.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_missing('webhook');
  end if;
  return webhook;
end $$;

-- Refuses: conflict for a disabled webhook.
create function private.require_active_webhook(webhook public.webhooks) returns void
language plpgsql stable set search_path = '' as $$
begin
  if webhook.status = 'disabled' then
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

-- Fails the deliveries that wait. One that is being sent is settled by its worker. The worker calls
-- this without a tenant.
create function private.drop_waiting_deliveries(webhook_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.webhook_deliveries delivery
  set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null
  where delivery.webhook_id = $1
    and delivery.tenant_id = coalesce(private.tenant_id(), delivery.tenant_id)
    and delivery.status = 'pending' and delivery.lease is null;
end $$;

create function private.webhook_disable_at(failing_since timestamptz) returns timestamptz
language plpgsql immutable set search_path = '' as $$
begin
  return failing_since + interval '5 days';
end $$;

-- Called for a user, or by the worker for any tenant. Records and sends: webhook.disabled.
create function private.disable_webhook(id text, reason text, detail text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  webhook public.webhooks;
begin
  update public.webhooks set
    status = 'disabled', disabled_at = now(), disabled_by = private.actor(),
    disabled_reason = reason, disabled_detail = left(detail, 500),
    updated_at = now()
  where webhooks.id = $1 and webhooks.tenant_id = coalesce(private.tenant_id(), webhooks.tenant_id)
    and webhooks.status = 'active' and webhooks.deleted_at is null
  returning * into webhook;
  if not found then
    return;
  end if;
  perform private.drop_waiting_deliveries(webhook.id);
  perform private.write_security_event(private.new_id('sev'), webhook.tenant_id, 'webhook.disabled',
    webhook.id,
    detail,
    jsonb_build_object('reason', reason, 'url', webhook.url));
  perform private.emit(webhook.tenant_id, 'webhook.disabled', jsonb_build_object(
    'id', webhook.id, 'url', webhook.url, 'reason', reason, 'detail', detail,
    'disabled_at', private.iso(webhook.disabled_at), 'disabled_by', webhook.disabled_by
  ));
end $$;

-- Records: webhook.enabled, unless it is active.
create function private.enable_webhook(webhook public.webhooks) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
begin
  if webhook.status = 'active' then
    return webhook;
  end if;
  update public.webhooks set
    status = 'active', disabled_at = null, disabled_by = null, disabled_reason = null,
    disabled_detail = null, failing_since = null,
    updated_at = now()
  where webhooks.tenant_id = webhook.tenant_id and webhooks.id = webhook.id
  returning * into webhook;
  perform private.record_security_event('webhook.enabled', webhook.id, null,
    jsonb_build_object('url', webhook.url));
  return webhook;
end $$;

-- The last failed attempt, searched among the newest deliveries: while a webhook fails, only a few
-- are tried at once.
create function private.last_failure(webhook public.webhooks) returns public.webhook_attempts
language plpgsql stable set search_path = '' as $$
declare
  failed public.webhook_attempts;
begin
  select attempt.* into failed
  from (
    select delivery.id from public.webhook_deliveries delivery
    where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id
      and delivery.attempt_count > 0
      order by delivery.id desc limit 50
  ) recent
  join public.webhook_attempts attempt on attempt.tenant_id = webhook.tenant_id
    and attempt.delivery_id = recent.id
    and attempt.status = 'failed'
  order by attempt.id desc limit 1;
  return failed;
end $$;

-- Two days before it is disabled, and one day before: once for each. Records and sends:
-- webhook.failing.
create function private.warn_of_failing_webhook(webhook public.webhooks, detail text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  days_left constant integer := case
    when private.webhook_disable_at(webhook.failing_since) <= now() + interval '1 day' then 1
      else 2 end;
  warning constant text := format('%s:%s:%s', webhook.id, private.iso(webhook.failing_since),
    days_left);
  facts constant jsonb := jsonb_build_object('url', webhook.url, 'failing_since',
    private.iso(webhook.failing_since),
    'disable_at', private.iso(private.webhook_disable_at(webhook.failing_since)));
begin
  if webhook.status <> 'active' or exists (
    select
    from private.event_once once
    where once.tenant_id = webhook.tenant_id and once.type = 'webhook.failing'
      and once.once_key = warning
  ) then
    return;
  end if;
  perform private.write_security_event(private.new_id('sev'), webhook.tenant_id, 'webhook.failing',
    webhook.id,
    detail, facts);
  perform private.emit(webhook.tenant_id, 'webhook.failing',
    facts || jsonb_build_object('id', webhook.id, 'detail', detail), warning);
end $$;

-- Warns by time, not at the next attempt: a webhook that seldom has events would otherwise be
-- disabled without a warning.
create function private.warn_of_failing_webhooks() returns void
language plpgsql volatile set search_path = '' as $$
declare
  webhook public.webhooks;
begin
  for webhook in
    select * from public.webhooks
    where webhooks.status = 'active' and webhooks.deleted_at is null
      and private.webhook_disable_at(webhooks.failing_since) <= now() + interval '2 days'
    order by webhooks.tenant_id, webhooks.id for no key update skip locked
  loop
    perform private.warn_of_failing_webhook(webhook, (private.last_failure(webhook)).detail);
  end loop;
end $$;
grant execute on function private.warn_of_failing_webhooks() to service_role;

grant execute on function
  private.find_webhook(text), private.webhook_disable_at(timestamptz),
  private.last_failure(public.webhooks)
to authenticated;
