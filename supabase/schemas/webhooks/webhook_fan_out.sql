-- Fan-out: an event and its deliveries commit together, however many events a statement has, and
-- notify the sender.

-- Uses a notification instead of a job: a job would add three writes to each delivery and repeat
-- what webhook_deliveries already says.
create function private.notify_webhook_worker(webhook_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.notify('deliveries', webhook_id);
end $$;

-- Begins with the event's time, and depends on event and webhook alone: delivering an event to a
-- webhook a second time violates the primary key.
create function private.delivery_id(event_id text, webhook_id text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return 'dlv_' || substr(event_id, 5, 12)
    || left(encode(sha256(convert_to(event_id || webhook_id, 'UTF8')), 'hex'), 20);
end $$;

-- Creates the deliveries of new events. A test event goes only to the webhook under test; an event
-- about a webhook is not sent to that webhook. Deliveries to a disabled webhook are recorded as
-- failed, so that they can be recovered.
create function private.fan_out_events() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  awaiting record;
begin
  for awaiting in
    with fanned_out as (
      insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status,
        failure_kind, next_attempt_at)
      select private.delivery_id(event.id, webhook.id), event.tenant_id, webhook.id, event.id,
        event.type,
        case webhook.status when 'active' then 'pending' else 'failed' end,
        case webhook.status when 'disabled' then 'webhook_disabled' end,
        case webhook.status when 'active' then now() end
      from emitted event join public.webhooks webhook on webhook.tenant_id = event.tenant_id
      where webhook.deleted_at is null and case
        when event.test_of is not null then webhook.id = event.test_of
        when event.type = 'webhook.test' then webhook.id = event.data ->> 'id'
        when event.type in ('webhook.failing', 'webhook.disabled')
          then event.type = any (webhook.events)
        and webhook.id <> event.data ->> 'id'
        else event.type = any (webhook.events)
        and (webhook.filters = '{}'
        or private.passes_filters(webhook.tenant_id, webhook.filters, event.data))
      end
      returning webhook_id, status
    )
    select distinct webhook_id from fanned_out where status = 'pending' order by webhook_id
  loop
    perform private.notify_webhook_worker(awaiting.webhook_id);
  end loop;
  return null;
end $$;
create trigger fan_out after insert on public.events referencing new table as emitted
  for each statement execute function private.fan_out_events();
