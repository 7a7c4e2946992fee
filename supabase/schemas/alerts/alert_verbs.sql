-- Notification settings and alert channels: what people and tenants choose to receive.

-- The address of the caller's own account, if Supabase Auth has verified it.
create function private.address_of_caller() returns text
language plpgsql stable security definer set search_path = '' as $$
begin
  if private.principal_type() <> 'user'
    or auth.jwt() ->> 'sub' !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return null;
  end if;
  return (select account.email from auth.users account
    where account.id = (auth.jwt() ->> 'sub')::uuid);
end $$;

-- The version ignores the address, which belongs to the account.
create function private.notification_settings_json(is_account boolean) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  settings_row public.notification_settings;
  settings jsonb;
begin
  select * into settings_row from public.notification_settings
  where notification_settings.tenant_id = private.tenant_id()
    and notification_settings.subject = auth.jwt() ->> 'sub'
    and notification_settings.is_account = $1;
  settings := jsonb_build_object(
    'exception_breached', coalesce(settings_row.exception_breached, 'mine'),
    'exception_at_risk', coalesce(settings_row.exception_at_risk, 'off'),
    'assigned', coalesce(settings_row.assigned, true),
    'mentioned', coalesce(settings_row.mentioned, true),
    'webhook_failing', coalesce(settings_row.webhook_failing, true),
    'api_key_expiring', coalesce(settings_row.api_key_expiring, true),
    'connection_failing', coalesce(settings_row.connection_failing, true)
  );
  return settings
    || jsonb_build_object('email', case when $1 then private.address_of_caller() end,
      'version', private.version_of(settings));
end $$;

create function private.alert_channel_json(channel public.alert_channels) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', channel.id, 'name', channel.name, 'url_hint', channel.url_hint, 'kinds', channel.kinds,
    'last_sent_at', private.iso(channel.last_sent_at),
    'last_failure_at', private.iso(channel.last_failure_at), 'last_failure', channel.last_failure,
    'created_at', private.iso(channel.created_at),
    'created_by', channel.created_by,
    'version', private.version_of(jsonb_build_array(channel.name, channel.url_hint, channel.kinds,
      channel.deleted_at))
  );
end $$;

-- Locks a channel of the caller's tenant. Refuses: not_found, precondition_failed.
create function private.lock_alert_channel(id text, versions jsonb) returns public.alert_channels
language plpgsql volatile set search_path = '' as $$
declare
  channel public.alert_channels;
begin
  select * into channel
  from public.alert_channels
  where alert_channels.tenant_id = private.tenant_id() and alert_channels.id = $1
    and alert_channels.deleted_at is null for no key update;
  if not found then
    perform private.refuse_missing('alert channel');
  end if;
  perform private.require_version((private.alert_channel_json(channel) ->> 'version')::bigint,
    versions);
  return channel;
end $$;

-- Stores the URL of a channel of the caller's tenant; null deletes it.
create function private.store_alert_channel_url(channel_id text, url_id text,
  sealed text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete
  from private.alert_channel_urls channel_url
  where channel_url.tenant_id = private.tenant_id() and channel_url.channel_id = $1;
  insert into private.alert_channel_urls (tenant_id, channel_id, url_id, sealed)
  select channel.tenant_id, channel.id, $2, $3
  from public.alert_channels channel
  where channel.tenant_id = private.tenant_id() and channel.id = $1 and $3 is not null;
end $$;

grant execute on function
  private.address_of_caller(), private.notification_settings_json(boolean),
  private.alert_channel_json(public.alert_channels)
to authenticated;

-- input: { is_account }.
create function public.get_notification_settings(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_notification_settings');
  return private.notification_settings_json(coalesce((input ->> 'is_account')::boolean, false));
end $$;

-- input: { settings, is_account }. Refuses: precondition_failed.
create function public.put_notification_settings(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'put_notification_settings');
  patch constant jsonb := input -> 'settings';
  is_account constant boolean := coalesce((input ->> 'is_account')::boolean, false);
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_version(
    (private.notification_settings_json(is_account) ->> 'version')::bigint,
    request -> 'versions');
  insert into public.notification_settings as settings (is_account, exception_breached,
    exception_at_risk,
    assigned, mentioned, webhook_failing, api_key_expiring, connection_failing)
  values (is_account, patch ->> 'exception_breached', patch ->> 'exception_at_risk',
    (patch ->> 'assigned')::boolean, (patch ->> 'mentioned')::boolean,
    (patch ->> 'webhook_failing')::boolean, (patch ->> 'api_key_expiring')::boolean,
    (patch ->> 'connection_failing')::boolean)
  on conflict on constraint notification_settings_pkey
    do update set exception_breached = excluded.exception_breached,
    exception_at_risk = excluded.exception_at_risk,
    assigned = excluded.assigned, mentioned = excluded.mentioned,
    webhook_failing = excluded.webhook_failing,
    api_key_expiring = excluded.api_key_expiring,
    connection_failing = excluded.connection_failing;
  return private.finish_request(request, private.notification_settings_json(is_account));
end $$;

-- input: { limit, after: [id] | null }. Newest first.
create function public.list_alert_channels(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_alert_channels');
  select jsonb_agg(private.alert_channel_json(channel) order by channel.id desc) into items
  from (
    select * from public.alert_channels channel
    where channel.tenant_id = private.tenant_id() and channel.deleted_at is null
      and (input -> 'after' ->> 0 is null or channel.id < input -> 'after' ->> 0)
    order by channel.id desc limit page_size + 1
  ) channel;
  return private.page(items, page_size, 'id');
end $$;

-- input: { name, kinds, url_hint, url_id, sealed }. Refuses: conflict beyond 20. Records:
-- alert_channel.created.
create function public.create_alert_channel(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_alert_channel');
  channel public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.serialize_counting('alert_channels');
  if (select count(*) from public.alert_channels
    where alert_channels.tenant_id = private.tenant_id() and alert_channels.deleted_at is null)
      >= 20 then
    perform private.refuse_conflict('quota',
      'A tenant can have 20 alert channels. Delete one first.');
  end if;
  insert into public.alert_channels (name, url_hint, kinds)
  values (input ->> 'name', input ->> 'url_hint', private.text_array(input -> 'kinds'))
  returning * into channel;
  perform private.store_alert_channel_url(channel.id, input ->> 'url_id', input ->> 'sealed');
  perform private.record_security_event('alert_channel.created', channel.id, null,
    jsonb_build_object('name', channel.name, 'url', channel.url_hint, 'kinds', channel.kinds));
  return private.finish_request(request, private.alert_channel_json(channel));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_alert_channel(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  channel public.alert_channels;
begin
  perform private.begin_request(request, 'get_alert_channel');
  select * into channel
  from public.alert_channels
  where alert_channels.tenant_id = private.tenant_id() and alert_channels.id = input ->> 'id'
    and alert_channels.deleted_at is null;
  if not found then
    perform private.refuse_missing('alert channel');
  end if;
  return private.alert_channel_json(channel);
end $$;

-- input: { id, patch: { name, kinds }, and with another URL url_hint, url_id, sealed }. Refuses:
-- not_found, precondition_failed.
-- Records: alert_channel.updated.
create function public.update_alert_channel(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_alert_channel');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  before public.alert_channels;
  channel public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels
  set name = coalesce(patch ->> 'name', alert_channels.name),
    url_hint = coalesce(input ->> 'url_hint', alert_channels.url_hint),
    kinds = case when patch ? 'kinds' then private.text_array(patch -> 'kinds')
      else alert_channels.kinds end,
    last_failure = case when input ? 'sealed' then null else alert_channels.last_failure end,
    last_failure_at = case when input ? 'sealed' then null else alert_channels.last_failure_at end
  where alert_channels.tenant_id = before.tenant_id and alert_channels.id = before.id
  returning * into channel;
  if input ? 'sealed' then
    perform private.store_alert_channel_url(channel.id, input ->> 'url_id', input ->> 'sealed');
  end if;
  perform private.record_security_event('alert_channel.updated', channel.id, null,
    coalesce(private.changes(
    jsonb_build_object('name', before.name, 'url', before.url_hint, 'kinds', before.kinds),
    jsonb_build_object('name', channel.name, 'url', channel.url_hint, 'kinds', channel.kinds)),
      '{}'));
  return private.finish_request(request, private.alert_channel_json(channel));
end $$;

-- input: { id }. Deletes its URL too. Refuses: not_found, precondition_failed. Records:
-- alert_channel.deleted.
create function public.delete_alert_channel(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_alert_channel');
  channel public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  channel := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels
  set deleted_at = now()
  where alert_channels.tenant_id = channel.tenant_id and alert_channels.id = channel.id
  returning * into channel;
  perform private.store_alert_channel_url(channel.id, null, null);
  perform private.record_security_event('alert_channel.deleted', channel.id, null,
    jsonb_build_object('name', channel.name, 'url', channel.url_hint));
  return private.finish_request(request, private.alert_channel_json(channel));
end $$;

-- input: { id }. Refuses: not_found.
create function public.test_alert_channel(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'test_alert_channel');
  channel public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  channel := private.lock_alert_channel(input ->> 'id', null);
  perform graphile_worker.add_job('send_test_alert',
    private.with_request_id(jsonb_build_object('tenant_id', channel.tenant_id,
      'channel_id', channel.id)),
    max_attempts => 1, job_key => 'test-alert:' || channel.tenant_id || ':' || channel.id);
  return private.finish_request(request, private.alert_channel_json(channel));
end $$;

-- What the worker needs to test a channel: { url_id, sealed, name, tenant_name }; null if the
-- channel was deleted.
create function private.alert_channel_url(tenant_id text, channel_id text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object('url_id', channel_url.url_id, 'sealed', channel_url.sealed,
      'name', channel.name, 'tenant_name', tenant.name)
    from public.alert_channels channel
    join private.alert_channel_urls channel_url on channel_url.tenant_id = channel.tenant_id
      and channel_url.channel_id = channel.id
    join public.tenants tenant on tenant.id = channel.tenant_id
    where channel.tenant_id = $1 and channel.id = $2 and channel.deleted_at is null
  );
end $$;

-- Stores the result of a message to a channel.
create function private.settle_channel_message(tenant_id text, channel_id text,
  failure text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.alert_channels channel set
    last_sent_at = case when failure is null then now() else channel.last_sent_at end,
    last_failure_at = case when failure is null then null else now() end,
    last_failure = left(failure, 500)
  where channel.tenant_id = $1 and channel.id = $2;
end $$;

create function private.settle_test_alert(tenant_id text, channel_id text,
  failure text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.settle_channel_message($1, $2, $3);
end $$;
grant execute
  on function private.alert_channel_url(text, text),
    private.settle_test_alert(text, text, text) to service_role;
