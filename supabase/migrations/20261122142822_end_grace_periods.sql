-- A grace period ends with the key's own expiry at the latest.
update public.api_keys set grace_expires_at = expires_at where grace_expires_at > expires_at;
alter table public.api_keys add check (grace_expires_at <= expires_at);
create index api_keys_by_grace on public.api_keys (grace_expires_at) where revoked_at is null and grace_expires_at is not null;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop policy records_read on public.records;
CREATE OR REPLACE FUNCTION private.revocation_json(k public.api_keys)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', k.id, 'name', k.name, 'key_id', k.key_id, 'revoked_at', private.iso(k.revoked_at), 'revoked_by', k.revoked_by, 'reason', k.revoke_reason
  );
end $function$;
CREATE OR REPLACE FUNCTION private.end_grace_periods()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  ended integer := 0;
  k public.api_keys;
begin
  for k in
    update public.api_keys a set
      revoked_at = a.grace_expires_at, revoked_by = 'system', revoke_reason = 'The grace period of its rotation elapsed.', updated_at = now()
    where (a.tenant_id, a.id) in (
      select x.tenant_id, x.id from public.api_keys x
      where x.revoked_at is null and x.grace_expires_at <= now() for update skip locked
    )
    returning a.*
  loop
    perform private.write_security_event(private.new_id('sev'), k.tenant_id, 'api_key.revoked', k.id, k.revoke_reason,
      jsonb_build_object('name', k.name));
    perform private.emit(k.tenant_id, 'api_key.revoked', private.revocation_json(k), k.id);
    ended := ended + 1;
  end loop;
  return ended;
end $function$;
CREATE OR REPLACE FUNCTION public.rotate_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'rotate_api_key');
  old public.api_keys;
  successor public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  old := private.lock_usable_api_key(input ->> 'id');
  if old.rotated_to is not null then
    perform private.refuse('conflict', 'This API key has been rotated already. Rotate its successor.');
  end if;
  successor := private.insert_api_key(input || jsonb_build_object(
    'name', old.name, 'description', old.description, 'scopes', old.scopes, 'ip_allowlist', old.ip_allowlist,
    'expires_at', now() + (old.expires_at - old.created_at)
  ), old.id);
  update public.api_keys k set
    rotated_to = successor.id, updated_at = now(),
    grace_expires_at = least(now() + make_interval(secs => (input ->> 'grace_period_seconds')::integer), k.expires_at)
  where k.tenant_id = old.tenant_id and k.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id, 'grace_period_seconds', input -> 'grace_period_seconds'));
  return private.answer(request, private.api_key_json(successor) || jsonb_build_object('version', private.api_key_version(successor))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.revoke_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'revoke_api_key');
  k public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  k := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  if k.revoked_at is null and (k.grace_expires_at is null or k.grace_expires_at > now()) then
    update public.api_keys a set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason', updated_at = now()
    where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
    perform private.record_security_event('api_key.revoked', k.id, input ->> 'reason', jsonb_build_object('name', k.name));
    perform private.emit_own('api_key.revoked', private.revocation_json(k), k.id);
  end if;
  return private.answer(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_api_key');
  -- Usage, which calls and time change: not part of an update.
  use constant text[] := '{as_of,request_count,last_used_at,last_used_ip,operations_used,calls_by_day}';
  patch constant jsonb := input -> 'patch';
  k public.api_keys;
  before jsonb;
  changes jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  k := private.lock_usable_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(k) - use;
  update public.api_keys a set
    name = case when patch ? 'name' then patch ->> 'name' else a.name end,
    description = case when patch ? 'description' then patch ->> 'description' else a.description end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes') else a.scopes end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist') else a.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz else a.expires_at end,
    grace_expires_at = least(a.grace_expires_at, (patch ->> 'expires_at')::timestamptz),
    updated_at = now()
  where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
  changes := private.changes(before, private.api_key_json(k) - use);
  if changes is not null then
    perform private.record_security_event('api_key.updated', k.id, null, changes);
  end if;
  return private.answer(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $function$;
CREATE OR REPLACE FUNCTION private.in_bin(deleted_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.record_purge_at(deleted_at) > now();
end $function$;
CREATE OR REPLACE FUNCTION private.unbin_record(surface text, id text)
 RETURNS public.records
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.records;
begin
  select * into r from public.records x
  where x.tenant_id = private.tenant_id() and x.id = $2 and x.surface = $1 and private.may('restore:' || x.surface)
    and (x.deleted_at is null or private.in_bin(x.deleted_at)) for update;
  if not found then
    perform private.refuse_missing('record');
  end if;
  if r.deleted_at is not null then
    update public.records x set deleted_at = null where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  end if;
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.find_records(input jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer + 1;
  own text := format('select * from public.records r where r.tenant_id = %L and r.surface = %L', private.tenant_id(), input ->> 'surface');
  sources text[];
  filters text := 'true';
  ids text[];
begin
  if input -> 'after' ->> 0 is not null then
    own := own || format(' and r.id < %L', input -> 'after' ->> 0);
  end if;
  sources := case input ->> 'include_deleted'
    when 'true' then array[own || ' and r.deleted_at is null', own || ' and r.deleted_at is not null and private.in_bin(r.deleted_at)']
    when 'only' then array[own || ' and r.deleted_at is not null and private.in_bin(r.deleted_at)']
    else array[own || ' and r.deleted_at is null']
  end;
  if private.principal_type() = 'publishable_key' then
    filters := filters || ' and r.published';
  end if;
  if input ->> 'operation' is not null then
    filters := filters || format(' and r.operation = %L', input ->> 'operation');
  end if;
  if input ->> 'updated_since' is not null then
    filters := filters || format(' and r.updated_at >= %L::timestamptz', input ->> 'updated_since');
  end if;
  if input ->> 'q' is not null then
    filters := filters || format(' and r.search @@ %L::tsquery', private.record_query(private.tenant_id(), input ->> 'surface', input ->> 'q'));
    -- What many records have, the newest have as well: no index of words is as fast as a look at those.
    ids := private.newest_records(array(select source || ' order by r.id desc limit 2000' from unnest(sources) source), filters, page_size);
    if cardinality(ids) = page_size then
      return ids;
    end if;
  end if;
  return private.newest_records(sources, filters, page_size);
end $function$;
create policy records_read on public.records as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (surface = ANY (( SELECT private.permitted(VARIADIC ARRAY['read'::text, 'write'::text]) AS permitted)::text[])) AND ((deleted_at IS NULL) OR (private.in_bin(deleted_at) AND (surface = ANY (( SELECT private.permitted(VARIADIC ARRAY['restore'::text]) AS permitted)::text[]))))));
grant execute on function private.end_grace_periods() to service_role;
grant execute on function private.in_bin(timestamp with time zone) to anon;
grant execute on function private.in_bin(timestamp with time zone) to authenticated;
grant execute on function private.revocation_json(public.api_keys) to authenticated;
