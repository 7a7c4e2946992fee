-- unsent alerts

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.open_alert_bundle(tenant_id text, bundle_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b private.alert_bundles;
  addressed jsonb;
  total bigint;
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
  select count(*) into total from private.lasting_alerts(b);
  if addressed is null or total = 0 then
    -- The channel's last message stays what it was: none was sent.
    update private.alert_bundles x set settled_at = now() where x.tenant_id = $1 and x.id = $2;
    return null;
  end if;
  return addressed || jsonb_build_object(
    'tenant_name', (select t.name from public.tenants t where t.id = $1), 'kind', b.kind, 'count', total, 'recipient', b.recipient,
    'items', (select jsonb_agg(private.alert_line(a)) from (select * from private.lasting_alerts(b) limit 10) a)
  );
end $function$;
