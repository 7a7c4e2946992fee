-- one rule each

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION public.list_outstanding_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  items jsonb;
begin
  perform private.enter(request, 'list_outstanding_lines');
  r := private.find_period(input ->> 'id');
  select jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.value_date, x.line_no) into items
  from (
    select o.line_no, o.side, o.open_minor, o.value_date
    from private.outstanding_of(r) o
    where input -> 'after' ->> 0 is null or (o.value_date, o.line_no) > ((input -> 'after' ->> 0)::date, coalesce(private.line_no_of(input -> 'after' ->> 1), 0))
    order by o.value_date, o.line_no limit page_size + 1
  ) x;
  return private.page(items, page_size, 'value_date', 'line_id');
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
  where x.tenant_id = private.tenant_id() and x.subject = auth.jwt() ->> 'sub' and x.is_account = $1;
  settings := jsonb_build_object(
    'exception_breached', coalesce(s.exception_breached, 'mine'), 'exception_at_risk', coalesce(s.exception_at_risk, 'off'),
    'assigned', coalesce(s.assigned, true), 'mentioned', coalesce(s.mentioned, true),
    'webhook_failing', coalesce(s.webhook_failing, true), 'api_key_expiring', coalesce(s.api_key_expiring, true)
  );
  return settings || jsonb_build_object('email', case when $1 then private.own_address() end, 'version', private.version_of(settings));
end $function$;
CREATE OR REPLACE FUNCTION public.get_notification_settings(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'get_notification_settings');
  return private.notification_settings_json(coalesce((input ->> 'is_account')::boolean, false));
end $function$;
CREATE OR REPLACE FUNCTION public.put_notification_settings(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'put_notification_settings');
  given constant jsonb := input -> 'settings';
  is_account constant boolean := coalesce((input ->> 'is_account')::boolean, false);
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_version((private.notification_settings_json(is_account) ->> 'version')::bigint, request -> 'versions');
  insert into public.notification_settings as s (is_account, exception_breached, exception_at_risk, assigned, mentioned, webhook_failing, api_key_expiring)
  values (is_account, given ->> 'exception_breached', given ->> 'exception_at_risk', (given ->> 'assigned')::boolean, (given ->> 'mentioned')::boolean,
    (given ->> 'webhook_failing')::boolean, (given ->> 'api_key_expiring')::boolean)
  on conflict on constraint notification_settings_pkey do update set exception_breached = excluded.exception_breached, exception_at_risk = excluded.exception_at_risk,
    assigned = excluded.assigned, mentioned = excluded.mentioned, webhook_failing = excluded.webhook_failing,
    api_key_expiring = excluded.api_key_expiring;
  return private.answer(request, private.notification_settings_json(is_account));
end $function$;
CREATE OR REPLACE FUNCTION private.settle_channel_message(tenant_id text, channel_id text, failure text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.alert_channels c set
    last_sent_at = case when failure is null then now() else c.last_sent_at end,
    last_failure_at = case when failure is null then null else now() end, last_failure = left(failure, 500)
  where c.tenant_id = $1 and c.id = $2;
end $function$;
CREATE OR REPLACE FUNCTION private.settle_test_alert(tenant_id text, channel_id text, failure text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.settle_channel_message($1, $2, $3);
end $function$;
CREATE OR REPLACE FUNCTION private.open_alert_bundle(tenant_id text, bundle_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b private.alert_bundles;
  addressed jsonb;
  lasting jsonb;
begin
  select * into b from private.alert_bundles x where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or b.settled_at is not null then
    return null;
  end if;
  if b.recipient like 'account:%' then
    select jsonb_build_object('email', u.email) into addressed from auth.users u
    where 'account:' || u.id = b.recipient and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, $1) ?| private.roles();
  else
    select jsonb_build_object('url_id', x.url_id, 'sealed', x.sealed) into addressed
    from public.alert_channels c join private.alert_channel_urls x on x.tenant_id = c.tenant_id and x.channel_id = c.id
    where c.tenant_id = $1 and c.id = b.recipient and c.deleted_at is null;
  end if;
  select jsonb_build_object('count', count(*), 'items', jsonb_agg(private.alert_line(a.alert) order by a.nth) filter (where a.nth <= 10)) into lasting
  from (select l as alert, row_number() over (order by l.event_id) as nth from private.lasting_alerts(b) l) a;
  if addressed is null or (lasting -> 'count')::integer = 0 then
    -- The channel's last message stays what it was: none was sent.
    update private.alert_bundles x set settled_at = now() where x.tenant_id = $1 and x.id = $2;
    return null;
  end if;
  return addressed || lasting || jsonb_build_object(
    'tenant_name', (select t.name from public.tenants t where t.id = $1), 'kind', b.kind, 'recipient', b.recipient
  );
end $function$;
CREATE OR REPLACE FUNCTION private.settle_alert_bundle(tenant_id text, bundle_id text, failure text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b private.alert_bundles;
begin
  update private.alert_bundles x set settled_at = case when failure is null then now() end where x.tenant_id = $1 and x.id = $2 returning * into b;
  perform private.settle_channel_message($1, b.recipient, failure);
end $function$;
CREATE OR REPLACE FUNCTION private.purge_alerts(batch integer DEFAULT 10000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  bundles integer;
  deleted integer;
begin
  delete from private.alert_bundles where ctid = any (array(
    select ctid from private.alert_bundles where created_at < now() - interval '30 days' limit batch));
  get diagnostics bundles = row_count;
  delete from private.alerts where ctid = any (array(
    select ctid from private.alerts where created_at < now() - interval '30 days' limit batch));
  get diagnostics deleted = row_count;
  return greatest(bundles, deleted);
end $function$;
