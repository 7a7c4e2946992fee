alter table public.notification_settings add column connection_failing boolean not null default true;
alter table public.alert_channels
  drop constraint alert_channels_kinds_check,
  drop constraint alert_channels_kinds_check1,
  add constraint alert_channels_kinds_check check (cardinality(kinds) between 1 and 5),
  add constraint alert_channels_kinds_check1 check (kinds <@ array['exception_breached',
    'exception_at_risk', 'webhook_failing', 'api_key_expiring', 'connection_failing']);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.alert_kind(type text, data jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case type
    when 'exception.sla.breached' then 'exception_breached'
    when 'exception.sla.at_risk' then 'exception_at_risk'
    when 'exception.created' then case
    when data #>> '{exception,assigned_to}' is not null then 'assigned' end
    when 'exception.updated' then case
    when data #>> '{changes,assigned_to,to}' is not null then 'assigned' end
    when 'exception.commented' then case
    when jsonb_array_length(private.mentions(data)) > 0 then 'mentioned' end
    when 'webhook.failing' then 'webhook_failing'
    when 'webhook.disabled' then 'webhook_failing'
    when 'api_key.expiring' then 'api_key_expiring'
    when 'connection.failing' then 'connection_failing'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.notification_settings_json(is_account boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  s public.notification_settings;
  settings jsonb;
begin
  select * into s from public.notification_settings x
  where x.tenant_id = private.tenant_id() and x.subject = auth.jwt() ->> 'sub'
    and x.is_account = $1;
  settings := jsonb_build_object(
    'exception_breached', coalesce(s.exception_breached, 'mine'), 'exception_at_risk',
    coalesce(s.exception_at_risk, 'off'),
    'assigned', coalesce(s.assigned, true), 'mentioned', coalesce(s.mentioned, true),
    'webhook_failing', coalesce(s.webhook_failing, true), 'api_key_expiring',
    coalesce(s.api_key_expiring, true),
    'connection_failing', coalesce(s.connection_failing, true)
  );
  return settings
    || jsonb_build_object('email', case when $1 then private.address_of_caller() end, 'version',
      private.version_of(settings));
end $function$;
CREATE OR REPLACE FUNCTION public.put_notification_settings(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'put_notification_settings');
  given constant jsonb := input -> 'settings';
  is_account constant boolean := coalesce((input ->> 'is_account')::boolean, false);
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_version(
    (private.notification_settings_json(is_account) ->> 'version')::bigint,
    request -> 'versions');
  insert into public.notification_settings as s (is_account, exception_breached, exception_at_risk,
    assigned, mentioned, webhook_failing, api_key_expiring, connection_failing)
  values (is_account, given ->> 'exception_breached', given ->> 'exception_at_risk',
    (given ->> 'assigned')::boolean, (given ->> 'mentioned')::boolean,
    (given ->> 'webhook_failing')::boolean, (given ->> 'api_key_expiring')::boolean,
    (given ->> 'connection_failing')::boolean)
  on conflict on constraint notification_settings_pkey
    do update set exception_breached = excluded.exception_breached,
    exception_at_risk = excluded.exception_at_risk,
    assigned = excluded.assigned, mentioned = excluded.mentioned,
    webhook_failing = excluded.webhook_failing,
    api_key_expiring = excluded.api_key_expiring,
    connection_failing = excluded.connection_failing;
  return private.finish_request(request, private.notification_settings_json(is_account));
end $function$;
CREATE OR REPLACE FUNCTION private.collect_alerts(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
    select t.tenant_id, u.id, 'user:' || private.account_name(u.email, u.id) as reference,
      r.roles ? 'tenant_admin' as is_admin,
      coalesce(s.exception_breached, 'mine') as breached,
      coalesce(s.exception_at_risk, 'off') as at_risk,
      coalesce(s.assigned, true) as assigned, coalesce(s.mentioned, true) as mentioned,
      coalesce(s.webhook_failing, true) as webhook_failing,
      coalesce(s.api_key_expiring, true) as api_key_expiring,
      coalesce(s.connection_failing, true) as connection_failing
    from (select distinct h.tenant_id from happened h) t
    cross join lateral private.accounts_of(t.tenant_id) u
    cross join lateral (
      select private.roles_of_account(u.raw_app_meta_data, t.tenant_id) as roles) r
    left join public.notification_settings s on s.tenant_id = t.tenant_id and s.subject = u.id::text
      and s.is_account
    where u.email is not null and (u.banned_until is null or u.banned_until <= now())
      and r.roles ?| private.roles()
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
end $function$;
CREATE OR REPLACE FUNCTION private.lasting_alerts(b private.alert_bundles)
 RETURNS SETOF private.alerts
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.alert_line(a private.alerts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
