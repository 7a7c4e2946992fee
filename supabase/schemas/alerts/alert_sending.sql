-- Sending alerts. The worker collects events once a minute, so that many events become one message,
-- and sends each message in its own job, which is retried until it succeeds.

-- Null for a channel, which is not an account.
create function private.account_of_recipient(recipient text) returns uuid
language plpgsql immutable set search_path = '' as $$
begin
  return case when recipient like 'account:%' then substr(recipient, length('account:') + 1)::uuid
    end;
end $$;

-- Takes up to `batch` events. Planned at every call: a plan cached while the table was empty would
-- compare each event with every other.
create function private.take_alert_events(batch integer) returns setof private.alert_events
language plpgsql volatile set search_path = '' set plan_cache_mode = force_custom_plan as $$
begin
  return query
  delete from private.alert_events alert_event
  where (alert_event.tenant_id, alert_event.event_id) in (
    select oldest.tenant_id, oldest.event_id from private.alert_events oldest limit batch
      for update skip locked
  ) returning alert_event.*;
end $$;

-- Gathers the alerts that wait, at most once in 50 seconds for a recipient and kind, and has them
-- sent.
create function private.bundle_alerts() returns void
language plpgsql volatile set search_path = '' as $$
declare
  bundle record;
begin
  for bundle in
    with waiting as (
      select distinct alert.tenant_id, alert.recipient, alert.kind
      from private.alerts alert
      where alert.bundle_id is null
    ), bundled as (
      insert into private.alert_bundles (tenant_id, recipient, kind)
      select waits.tenant_id, waits.recipient, waits.kind from waiting waits
      where not exists (
        select from private.alert_bundles recent
        where recent.tenant_id = waits.tenant_id and recent.recipient = waits.recipient
          and recent.kind = waits.kind and recent.created_at > now() - interval '50 seconds'
      )
      returning *
    ), filled as (
      update private.alerts alert set bundle_id = filling.id from bundled filling
      where alert.tenant_id = filling.tenant_id and alert.recipient = filling.recipient
        and alert.kind = filling.kind and alert.bundle_id is null
    )
    select * from bundled
  loop
    perform graphile_worker.add_job('send_alerts',
      json_build_object('tenant_id', bundle.tenant_id, 'bundle_id', bundle.id), max_attempts => 15);
  end loop;
end $$;

-- The members of a tenant who can be alerted, each with their settings or the defaults. No mail
-- leaves a sandbox.
create function private.people_with_alerts(tenant text)
returns table (tenant_id text, id uuid, reference text, is_admin boolean, breached text,
  at_risk text, assigned boolean, mentioned boolean, webhook_failing boolean,
  api_key_expiring boolean, connection_failing boolean)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select tenant, account.id, 'user:' || private.account_name(account.email, account.id),
    recipient.roles ? 'tenant_admin',
    coalesce(settings.exception_breached, 'mine'), coalesce(settings.exception_at_risk, 'off'),
    coalesce(settings.assigned, true), coalesce(settings.mentioned, true),
    coalesce(settings.webhook_failing, true),
    coalesce(settings.api_key_expiring, true), coalesce(settings.connection_failing, true)
  from private.accounts_of(tenant) account
  cross join lateral (
    select private.roles_of_account(account.raw_app_meta_data, tenant) as roles) recipient
  left join public.notification_settings settings on settings.tenant_id = tenant
    and settings.subject = account.id::text
    and settings.is_account
  where not private.is_sandbox(tenant)
    and account.email is not null
    and (account.banned_until is null or account.banned_until <= now())
    and recipient.roles ?| private.roles();
end $$;

-- Finds the recipients of what happened and bundles their alerts: at most one message a minute per
-- recipient and kind. Returns the number of events it looked at.
create function private.collect_alerts(batch integer default 5000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  looked_at integer;
begin
  -- Two concurrent calls would each create a bundle of the same alerts.
  perform pg_advisory_xact_lock(hashtextextended('gather_alerts', 0));
  with taken as materialized (
    select * from private.take_alert_events(batch)
  ), happened as materialized (
    select item.tenant_id, event.id as event_id, item.actor,
      private.alert_kind(event.type, event.data) as kind, event.data,
      coalesce(event.data #>> '{exception,id}', event.data #>> '{connection,source_id}',
        event.data ->> 'id') as subject
    from taken item join public.events event on event.tenant_id = item.tenant_id
      and event.id = item.event_id
  ), person as materialized (
    select account.*
    from (select distinct news.tenant_id from happened news) told_tenant
    cross join lateral private.people_with_alerts(told_tenant.tenant_id) account
  ), mailed as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select news.tenant_id, 'account:' || reader.id, news.kind, news.event_id, news.subject
    from happened news join person reader on reader.tenant_id = news.tenant_id
    where case news.kind
      when 'exception_breached' then reader.breached = 'all'
      or (reader.breached = 'mine' and reader.reference = news.data #>> '{exception,assigned_to}')
      when 'exception_at_risk' then reader.at_risk = 'all'
      or (reader.at_risk = 'mine' and reader.reference = news.data #>> '{exception,assigned_to}')
      when 'assigned' then reader.assigned
      and reader.reference = news.data #>> '{exception,assigned_to}'
      and reader.reference <> news.actor
      when 'mentioned' then reader.mentioned and private.mentions(news.data) ? reader.reference
      and reader.reference <> news.actor
      when 'webhook_failing' then reader.webhook_failing and reader.is_admin
      when 'api_key_expiring' then reader.api_key_expiring and reader.is_admin
      when 'connection_failing' then reader.connection_failing and reader.is_admin
    end
    on conflict do nothing
  ), posted as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select news.tenant_id, channel.id, news.kind, news.event_id, news.subject
    from happened news
      join public.alert_channels channel on channel.tenant_id = news.tenant_id
        and channel.deleted_at is null and news.kind = any (channel.kinds)
    on conflict do nothing
  )
  select count(*) into looked_at from taken;
  perform private.bundle_alerts();
  return looked_at;
end $$;

-- The alerts of a bundle that still hold. An exception that was resolved, or a webhook that works
-- again, is left out.
create function private.alerts_still_valid(
  bundle private.alert_bundles) returns setof private.alerts
language plpgsql stable security definer set search_path = '' as $$
begin
  return query
  select alert.* from private.alerts alert
  where alert.tenant_id = bundle.tenant_id and alert.bundle_id = bundle.id and case alert.kind
    when 'exception_breached' then exists (select from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject
        and exception.status in ('open', 'in_review') and exception.due_at <= now())
    when 'exception_at_risk' then exists (select from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject
        and exception.status in ('open', 'in_review')
        and exception.due_at > now() and exception.paused_at is null)
    when 'assigned' then exists (select from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject
        and exception.status in ('open', 'in_review')
        and (alert.recipient not like 'account:%' or exception.assigned_to = (
        select 'user:' || private.account_name(account.email, account.id)
        from auth.users account
        where account.id = private.account_of_recipient(alert.recipient))))
    when 'webhook_failing' then exists (select from public.webhooks webhook
      where webhook.tenant_id = alert.tenant_id and webhook.id = alert.subject
        and webhook.deleted_at is null
        and (webhook.status = 'disabled' or webhook.failing_since is not null))
    when 'api_key_expiring' then exists (select from public.api_keys api_key
      where api_key.tenant_id = alert.tenant_id and api_key.id = alert.subject
        and api_key.revoked_at is null
        and api_key.rotated_to is null and api_key.expires_at > now())
    when 'connection_failing' then exists (select from public.connections connection
      join public.sources source on source.tenant_id = connection.tenant_id
        and source.source_no = connection.source_no
      where source.tenant_id = alert.tenant_id and source.id = alert.subject
        and connection.deleted_at is null and connection.failing_since is not null)
    else true
  end
  order by alert.event_id;
end $$;

-- The text of an alert: { id, title, detail }.
create function private.alert_line(alert private.alerts) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return case
    when alert.kind = 'webhook_failing' then (
      select jsonb_build_object('id', webhook.id, 'title',
        regexp_replace(webhook.url, '[?#].*$', ''), 'detail',
        case webhook.status when 'disabled' then 'Disabled'
          else 'Failing since ' || private.iso(webhook.failing_since) end)
      from public.webhooks webhook where webhook.tenant_id = alert.tenant_id
        and webhook.id = alert.subject)
    when alert.kind = 'api_key_expiring' then (
      select jsonb_build_object('id', api_key.id, 'title', api_key.name,
        'detail', 'Expires ' || private.iso(api_key.expires_at))
      from public.api_keys api_key where api_key.tenant_id = alert.tenant_id
        and api_key.id = alert.subject)
    when alert.kind = 'connection_failing' then (
      select jsonb_build_object('id', source.id, 'title', source.name,
        'detail', left(connection.last_error, 300))
      from public.sources source
      join public.connections connection on connection.tenant_id = source.tenant_id
        and connection.source_no = source.source_no and connection.deleted_at is null
      where source.tenant_id = alert.tenant_id and source.id = alert.subject)
    else (
      select jsonb_build_object('id', exception.id, 'title', exception.title,
        'detail', initcap(exception.severity) || ', '
          || case when exception.paused_at is not null then 'paused'
            else 'due ' || private.iso(exception.due_at)
            end
        || coalesce(', assigned to ' || substr(exception.assigned_to, 6), ', unassigned'))
      from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject)
  end;
end $$;

-- What the worker sends for a bundle: { tenant_name, kind, count, items, email | url_id, sealed }.
-- Returns null, and settles the bundle, if it was sent already, if no alert of it still holds, or
-- if it has no recipient left.
create function private.open_alert_bundle(tenant_id text, bundle_id text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  bundle private.alert_bundles;
  addressed jsonb;
  lasting jsonb;
begin
  select * into bundle
  from private.alert_bundles
  where alert_bundles.tenant_id = $1 and alert_bundles.id = $2 for no key update;
  if not found or bundle.settled_at is not null then
    return null;
  end if;
  if bundle.recipient like 'account:%' then
    select jsonb_build_object('email', account.email) into addressed from auth.users account
    where account.id = private.account_of_recipient(bundle.recipient) and account.deleted_at is null
      and not private.is_sandbox($1)
      and (account.banned_until is null or account.banned_until <= now())
      and private.roles_of_account(account.raw_app_meta_data, $1) ?| private.roles();
  else
    select jsonb_build_object('url_id', channel_url.url_id, 'sealed', channel_url.sealed)
      into addressed
    from public.alert_channels channel
      join private.alert_channel_urls channel_url on channel_url.tenant_id = channel.tenant_id
        and channel_url.channel_id = channel.id
    where channel.tenant_id = $1 and channel.id = bundle.recipient and channel.deleted_at is null;
  end if;
  select jsonb_build_object('count', count(*), 'items',
    jsonb_agg(private.alert_line(numbered.alert)
      order by numbered.nth) filter (where numbered.nth <= 10)) into lasting
  from (select kept as alert, row_number() over (order by kept.event_id) as nth
    from private.alerts_still_valid(bundle) kept) numbered;
  if addressed is null or (lasting -> 'count')::integer = 0 then
    -- Nothing was sent, so the channel's last message stays as it was.
    update private.alert_bundles set settled_at = now()
    where alert_bundles.tenant_id = $1 and alert_bundles.id = $2;
    return null;
  end if;
  return addressed || lasting || jsonb_build_object(
    'tenant_name', (select tenant.name from public.tenants tenant where tenant.id = $1),
    'kind', bundle.kind, 'recipient', bundle.recipient
  );
end $$;

-- Settles a bundle that was sent or will not be sent. After a failure the bundle stays, to be
-- retried.
create function private.settle_alert_bundle(tenant_id text, bundle_id text,
  failure text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  bundle private.alert_bundles;
begin
  update private.alert_bundles
  set settled_at = case when failure is null then now() end
  where alert_bundles.tenant_id = $1 and alert_bundles.id = $2
  returning * into bundle;
  perform private.settle_channel_message($1, bundle.recipient, failure);
end $$;

-- Deletes alerts older than 30 days, at most `batch` rows of each table. Returns the larger count:
-- less than `batch` means that none are left.
create function private.purge_alerts(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  bundles integer;
  deleted integer;
begin
  delete from private.alert_bundles where ctid = any (array(
    select ctid
    from private.alert_bundles
    where created_at < now() - interval '30 days'
    limit batch));
  get diagnostics bundles = row_count;
  delete from private.alerts where ctid = any (array(
    select ctid from private.alerts where created_at < now() - interval '30 days' limit batch));
  get diagnostics deleted = row_count;
  return greatest(bundles, deleted);
end $$;

grant execute
  on function private.collect_alerts(integer), private.open_alert_bundle(text, text),
    private.settle_alert_bundle(text, text, text),
  private.purge_alerts(integer) to service_role;
