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
  delete from private.alert_events q where (q.tenant_id, q.event_id) in (
    select x.tenant_id, x.event_id from private.alert_events x limit batch for update skip locked
  ) returning q.*;
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
      select distinct a.tenant_id, a.recipient, a.kind
      from private.alerts a
      where a.bundle_id is null
    ), bundled as (
      insert into private.alert_bundles (tenant_id, recipient, kind)
      select w.tenant_id, w.recipient, w.kind from waiting w
      where not exists (
        select from private.alert_bundles b
        where b.tenant_id = w.tenant_id and b.recipient = w.recipient and b.kind = w.kind
          and b.created_at > now() - interval '50 seconds'
      )
      returning *
    ), filled as (
      update private.alerts a set bundle_id = b.id from bundled b
      where a.tenant_id = b.tenant_id and a.recipient = b.recipient and a.kind = b.kind
        and a.bundle_id is null
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
  select tenant, u.id, 'user:' || private.account_name(u.email, u.id), r.roles ? 'tenant_admin',
    coalesce(s.exception_breached, 'mine'), coalesce(s.exception_at_risk, 'off'),
    coalesce(s.assigned, true), coalesce(s.mentioned, true), coalesce(s.webhook_failing, true),
    coalesce(s.api_key_expiring, true), coalesce(s.connection_failing, true)
  from private.accounts_of(tenant) u
  cross join lateral (
    select private.roles_of_account(u.raw_app_meta_data, tenant) as roles) r
  left join public.notification_settings s on s.tenant_id = tenant and s.subject = u.id::text
    and s.is_account
  where not private.is_sandbox(tenant)
    and u.email is not null and (u.banned_until is null or u.banned_until <= now())
    and r.roles ?| private.roles();
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
    select t.tenant_id, e.id as event_id, t.actor, private.alert_kind(e.type, e.data) as kind,
      e.data,
      coalesce(e.data #>> '{exception,id}', e.data #>> '{connection,source_id}',
        e.data ->> 'id') as subject
    from taken t join public.events e on e.tenant_id = t.tenant_id and e.id = t.event_id
  ), person as materialized (
    select p.*
    from (select distinct h.tenant_id from happened h) t
    cross join lateral private.people_with_alerts(t.tenant_id) p
  ), mailed as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, 'account:' || p.id, h.kind, h.event_id, h.subject
    from happened h join person p on p.tenant_id = h.tenant_id
    where case h.kind
      when 'exception_breached' then p.breached = 'all'
      or (p.breached = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'exception_at_risk' then p.at_risk = 'all'
      or (p.at_risk = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'assigned' then p.assigned and p.reference = h.data #>> '{exception,assigned_to}'
      and p.reference <> h.actor
      when 'mentioned' then p.mentioned and private.mentions(h.data) ? p.reference
      and p.reference <> h.actor
      when 'webhook_failing' then p.webhook_failing and p.is_admin
      when 'api_key_expiring' then p.api_key_expiring and p.is_admin
      when 'connection_failing' then p.connection_failing and p.is_admin
    end
    on conflict do nothing
  ), posted as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, c.id, h.kind, h.event_id, h.subject
    from happened h
      join public.alert_channels c on c.tenant_id = h.tenant_id and c.deleted_at is null
        and h.kind = any (c.kinds)
    on conflict do nothing
  )
  select count(*) into looked_at from taken;
  perform private.bundle_alerts();
  return looked_at;
end $$;

-- The alerts of a bundle that still hold. An exception that was resolved, or a webhook that works
-- again, is left out.
create function private.lasting_alerts(b private.alert_bundles) returns setof private.alerts
language plpgsql stable security definer set search_path = '' as $$
begin
  return query
  select a.* from private.alerts a
  where a.tenant_id = b.tenant_id and a.bundle_id = b.id and case a.kind
    when 'exception_breached' then exists (select from public.exceptions e
      where e.tenant_id = a.tenant_id and e.id = a.subject and e.status in ('open', 'in_review')
        and e.due_at <= now())
    when 'exception_at_risk' then exists (select from public.exceptions e
      where e.tenant_id = a.tenant_id and e.id = a.subject and e.status in ('open', 'in_review')
        and e.due_at > now() and e.paused_at is null)
    when 'assigned' then exists (select from public.exceptions e
      where e.tenant_id = a.tenant_id and e.id = a.subject and e.status in ('open', 'in_review')
        and (a.recipient not like 'account:%' or e.assigned_to = (
        select 'user:' || private.account_name(u.email, u.id)
        from auth.users u
        where u.id = private.account_of_recipient(a.recipient))))
    when 'webhook_failing' then exists (select from public.webhooks w
      where w.tenant_id = a.tenant_id and w.id = a.subject and w.deleted_at is null
        and (w.status = 'disabled' or w.failing_since is not null))
    when 'api_key_expiring' then exists (select from public.api_keys k
      where k.tenant_id = a.tenant_id and k.id = a.subject and k.revoked_at is null
        and k.rotated_to is null and k.expires_at > now())
    when 'connection_failing' then exists (select from public.connections c
      join public.sources s on s.tenant_id = c.tenant_id and s.source_no = c.source_no
      where s.tenant_id = a.tenant_id and s.id = a.subject and c.deleted_at is null
        and c.failing_since is not null)
    else true
  end
  order by a.event_id;
end $$;

-- The text of an alert: { id, title, detail }.
create function private.alert_line(a private.alerts) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return case
    when a.kind = 'webhook_failing' then (
      select jsonb_build_object('id', w.id, 'title', regexp_replace(w.url, '[?#].*$', ''), 'detail',
        case w.status when 'disabled' then 'Disabled'
          else 'Failing since ' || private.iso(w.failing_since) end)
      from public.webhooks w where w.tenant_id = a.tenant_id and w.id = a.subject)
    when a.kind = 'api_key_expiring' then (
      select jsonb_build_object('id', k.id, 'title', k.name, 'detail',
        'Expires ' || private.iso(k.expires_at))
      from public.api_keys k where k.tenant_id = a.tenant_id and k.id = a.subject)
    when a.kind = 'connection_failing' then (
      select jsonb_build_object('id', s.id, 'title', s.name, 'detail', left(c.last_error, 300))
      from public.sources s
      join public.connections c on c.tenant_id = s.tenant_id and c.source_no = s.source_no
        and c.deleted_at is null
      where s.tenant_id = a.tenant_id and s.id = a.subject)
    else (
      select jsonb_build_object('id', e.id, 'title', e.title, 'detail',
        initcap(e.severity) || ', '
          || case when e.paused_at is not null then 'paused' else 'due ' || private.iso(e.due_at)
            end
        || coalesce(', assigned to ' || substr(e.assigned_to, 6), ', unassigned'))
      from public.exceptions e where e.tenant_id = a.tenant_id and e.id = a.subject)
  end;
end $$;

-- What the worker sends for a bundle: { tenant_name, kind, count, items, email | url_id, sealed }.
-- Returns null, and settles the bundle, if it was sent already, if no alert of it still holds, or
-- if it has no recipient left.
create function private.open_alert_bundle(tenant_id text, bundle_id text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  b private.alert_bundles;
  addressed jsonb;
  lasting jsonb;
begin
  select * into b
  from private.alert_bundles x
  where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or b.settled_at is not null then
    return null;
  end if;
  if b.recipient like 'account:%' then
    select jsonb_build_object('email', u.email) into addressed from auth.users u
    where u.id = private.account_of_recipient(b.recipient) and u.deleted_at is null
      and not private.is_sandbox($1) and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, $1) ?| private.roles();
  else
    select jsonb_build_object('url_id', x.url_id, 'sealed', x.sealed) into addressed
    from public.alert_channels c
      join private.alert_channel_urls x on x.tenant_id = c.tenant_id and x.channel_id = c.id
    where c.tenant_id = $1 and c.id = b.recipient and c.deleted_at is null;
  end if;
  select jsonb_build_object('count', count(*), 'items',
    jsonb_agg(private.alert_line(a.alert) order by a.nth) filter (where a.nth <= 10)) into lasting
  from (select l as alert, row_number() over (order by l.event_id) as nth
    from private.lasting_alerts(b) l) a;
  if addressed is null or (lasting -> 'count')::integer = 0 then
    -- Nothing was sent, so the channel's last message stays as it was.
    update private.alert_bundles x set settled_at = now() where x.tenant_id = $1 and x.id = $2;
    return null;
  end if;
  return addressed || lasting || jsonb_build_object(
    'tenant_name', (select t.name from public.tenants t where t.id = $1), 'kind', b.kind,
    'recipient', b.recipient
  );
end $$;

-- Settles a bundle that was sent or will not be sent. After a failure the bundle stays, to be
-- retried.
create function private.settle_alert_bundle(tenant_id text, bundle_id text,
  failure text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  b private.alert_bundles;
begin
  update private.alert_bundles x
  set settled_at = case when failure is null then now() end
  where x.tenant_id = $1 and x.id = $2
  returning * into b;
  perform private.settle_channel_message($1, b.recipient, failure);
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
