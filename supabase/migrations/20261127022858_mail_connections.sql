alter table public.connections drop constraint connections_kind_check;
alter table public.connections add constraint connections_kind_check
  check (kind in ('https', 's3', 'sftp', 'mail'));
alter table public.connections add column allowed_senders text[] not null default '{}'
  check (cardinality(allowed_senders) <= 50);
create index connections_by_mail_address on public.connections (address)
where kind = 'mail' and deleted_at is null;
alter table public.connection_files
  add column sender text check (length(sender) <= 320), add column sender_checks jsonb;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.facet_has_none(text);
CREATE OR REPLACE FUNCTION private.exception_facets()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['breach_risk'::text, 'status'::text, 'assigned_to'::text, 'reconciliation_id'::text, 'reason_code'::text, 'severity'::text, 'currency'::text];
CREATE OR REPLACE FUNCTION private.facets_with_none()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['assigned_to'::text, 'reconciliation_id'::text, 'currency'::text];
CREATE OR REPLACE FUNCTION private.facets_by_deadline()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['assigned_to'::text, 'reconciliation_id'::text, 'reason_code'::text, 'severity'::text];
CREATE OR REPLACE FUNCTION private.exception_condition(filter text, input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  -- The previous release sends a single value as a string.
  wanted text[] := case jsonb_typeof(input -> filter) when 'string' then array[input ->> filter]
    else private.text_array(input -> filter) end;
begin
  if cardinality(wanted) = 0 then
    return null;
  elsif filter = 'breach_risk' then
    return '(' || array_to_string(private.risk_ranges(wanted, as_of), ' or ') || ')';
  elsif filter = 'severity' then
    return private.one_of('e.severity_rank',
      array(select private.severity_rank(s)::text from unnest(wanted) s));
  elsif filter = 'assigned_to' then
    wanted := array_replace(wanted, 'me', private.actor());
  end if;
  return case
    when filter <> all (private.facets_with_none()) then private.one_of('e.' || filter, wanted)
    when wanted = '{none}' then format('e.%I is null', filter)
    when 'none' = any (wanted) then format('(e.%I is null or %s)', filter,
      private.one_of('e.' || filter, array_remove(wanted, 'none')))
    else private.one_of('e.' || filter, wanted)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.stretches_of(input jsonb, as_of timestamp with time zone)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  risks constant text[] := private.risk_ranges(private.text_array(input -> 'breach_risk'), as_of);
  filter text;
begin
  if input ->> 'sort_by' in ('due_at', 'breach_risk') then
    foreach filter in array private.facets_by_deadline() loop
      if cardinality(private.text_array(input -> filter)) > 1 then
        return array(
          select private.exception_condition(filter,
            jsonb_build_object(filter, jsonb_build_array(v)), as_of)
          from (
            select distinct case when filter = 'assigned_to' and v = 'me' then private.actor()
              else v end
            from unnest(private.text_array(input -> filter)) v) d (v));
      end if;
    end loop;
    if cardinality(risks) > 1 then
      return risks;
    end if;
  end if;
  return array['true'];
end $function$;
CREATE OR REPLACE FUNCTION private.value_of_facet()
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select format('case f.facet %s end', string_agg(format('when %L then %s', f,
      case when f = any (private.facets_with_none()) then format('coalesce(g.%I, %L)', f, 'none')
        else format('g.%I', f) end), ' '))
    from unnest(private.exception_facets()) f
  );
end $function$;
CREATE OR REPLACE FUNCTION private.connection_json(c public.connections)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', c.id, 'source_id', (
      select s.id from public.sources s
      where s.tenant_id = c.tenant_id and s.source_no = c.source_no),
    'kind', c.kind, 'address', c.address, 'auth', c.auth, 'user_name', c.user_name,
    'region', c.region, 'file_glob', c.file_glob,
    'allowed_senders', to_jsonb(c.allowed_senders), 'schedule', c.schedule,
    'afterwards', c.afterwards, 'move_to', c.move_to, 'stable_seconds', c.stable_seconds,
    'waits_for_marker', c.waits_for_marker, 'assigned_to', c.assigned_to,
    'host_key', c.host_key, 'status', c.status,
    'next_look_at', private.iso(c.next_look_at), 'last_look_at', private.iso(c.last_look_at),
    'last_outcome', c.last_outcome, 'last_error', c.last_error,
    'failing_since', private.iso(c.failing_since),
    'created_at', private.iso(c.created_at), 'created_by', c.created_by,
    'updated_at', private.iso(c.updated_at));
end $function$;
CREATE OR REPLACE FUNCTION private.connection_version(c public.connections)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(
    c.address, c.auth, c.user_name, c.region, c.file_glob, c.allowed_senders, c.schedule,
    c.afterwards, c.move_to, c.stable_seconds, c.waits_for_marker, c.assigned_to, c.host_key,
    c.status, private.iso(c.credential_changed_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.connection_file_json(f public.connection_files)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', f.id, 'path', f.path, 'bytes', f.bytes, 'modified_at', private.iso(f.modified_at),
    'sha256', f.sha256, 'sender', f.sender, 'sender_checks', f.sender_checks,
    'outcome', f.outcome, 'import_id', f.import_id,
    'line_count', (
      select i.accepted_count from public.imports i
      where i.tenant_id = f.tenant_id and i.id = f.import_id and i.status = 'done'),
    'error', f.error, 'created_at', private.iso(f.created_at),
    'tried_at', private.iso(f.tried_at), 'taken_at', private.iso(f.taken_at));
end $function$;
CREATE OR REPLACE FUNCTION private.plan_connection(c public.connections)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  clock constant jsonb := private.clock_of_connection(c);
  zone constant text := clock ->> 'zone';
  open_days constant jsonb := nullif(clock -> 'open_days', 'null');
  is_planned constant boolean := c.schedule is not null and c.deleted_at is null;
begin
  update public.connections x set
    next_look_at = case when is_planned and c.status = 'active' and c.kind <> 'mail' then
      private.next_look(c.schedule, zone, open_days, now(), '0', false) end,
    expected_at = case when is_planned and c.status <> 'paused' then
      private.next_expected(c.schedule, zone, open_days, now(), now()) end
  where x.tenant_id = c.tenant_id and x.id = c.id
  returning * into c;
  return c;
end $function$;
CREATE OR REPLACE FUNCTION private.require_connection(c public.connections)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  fitting constant text[] := case c.kind
    when 'https' then '{none,bearer,signed_query,password}'::text[]
    when 's3' then '{access_key}' when 'mail' then '{none}' else '{password,private_key}' end;
begin
  if (c.kind = 'mail') <> (cardinality(c.allowed_senders) > 0) then
    perform private.refuse_field('allowed_senders', 'Give at least one with mail, and only then.');
  elsif c.kind <> 'mail' and (c.kind = 'sftp') <> starts_with(c.address, 'sftp:') then
    perform private.refuse_field('address', case c.kind when 'sftp' then
      'Give an address of sftp, such as sftp://sftp.bank.example/outgoing.' else
      'Give an https address.' end);
  elsif c.auth <> all (fitting) then
    perform private.refuse_field('auth', format('Of %s, auth is %s.', c.kind,
      array_to_string(fitting, ', ')));
  elsif c.auth in ('password', 'private_key', 'access_key') and c.user_name is null then
    perform private.refuse_field('user_name', case c.kind when 's3' then
      'Give the ID of the access key.' else 'Give the name to sign in by.' end);
  elsif c.auth = 'signed_query' and strpos(c.address, '?') > 0 then
    perform private.refuse_field('address',
      'Leave the query out: it is a secret. Send it as the credential.');
  elsif c.kind = 's3' and c.region is null then
    perform private.refuse_field('region', 'Give the region of the bucket.');
  elsif c.kind in ('https', 'mail') and c.afterwards <> 'leave' then
    perform private.refuse_field('afterwards', format('With %s, it can only be leave.', c.kind));
  elsif (c.afterwards = 'move') <> (c.move_to is not null) then
    perform private.refuse_field('move_to', 'Give it with afterwards: move, and only then.');
  elsif c.host_key is not null and c.kind <> 'sftp' then
    perform private.refuse_field('host_key', 'Only sftp has a host key.');
  elsif c.schedule ->> 'calendar_id' is not null and private.current_calendar_no(c.tenant_id,
    c.schedule ->> 'calendar_id') is null then
    perform private.refuse_field('schedule.calendar_id', 'There is no such calendar.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.create_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_connection');
  defaults constant jsonb := '{"file_glob": "*", "afterwards": "leave", "stable_seconds": 10,
    "waits_for_marker": false, "allowed_senders": []}';
  s public.sources;
  c public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  s := private.find_source(input ->> 'source_id');
  c := jsonb_populate_record(null::public.connections, defaults || input || jsonb_build_object(
    'tenant_id', s.tenant_id, 'source_no', s.source_no));
  perform private.require_connection(c);
  insert into public.connections (source_no, kind, address, auth, user_name, region, file_glob,
    allowed_senders, schedule, afterwards, move_to, stable_seconds, waits_for_marker, assigned_to,
    host_key)
  values (c.source_no, c.kind, c.address, c.auth, c.user_name, c.region, c.file_glob,
    c.allowed_senders, nullif(c.schedule, 'null'), c.afterwards, c.move_to, c.stable_seconds,
    c.waits_for_marker, c.assigned_to, c.host_key)
  on conflict do nothing
  returning * into c;
  if not found then
    perform private.refuse_conflict('source_connected',
      'The source has a connection. Change it, or delete it first.');
  end if;
  perform private.store_connection_credential(null, c, input);
  perform private.plan_connection(c);
  c := private.find_connection(c.id);
  perform private.record_security_event('connection.created', c.id, null,
    private.connection_facts(c));
  return private.finish_request(request, private.versioned_connection_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.update_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_connection');
  patch constant jsonb := input -> 'patch';
  before public.connections;
  c public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_connection(input ->> 'id');
  perform private.require_version(private.connection_version(before), request -> 'versions');
  c := jsonb_populate_record(before, patch);
  c.schedule := nullif(c.schedule, 'null');
  if patch ->> 'afterwards' in ('leave', 'delete') and not patch ? 'move_to' then
    c.move_to := null;
  end if;
  if before.status = 'stopped' and patch ? 'host_key' and not patch ? 'status' then
    c.status := 'active';
  end if;
  if c.kind = 'mail' and c.address <> before.address then
    perform private.refuse_field('address', 'The address of a mailbox stays as it is.');
  end if;
  perform private.require_connection(c);
  if substring(c.address from '^[a-z0-9]+://[^/?#]+')
    <> substring(before.address from '^[a-z0-9]+://[^/?#]+') and not patch ? 'host_key' then
    c.host_key := null;
  end if;
  c := private.write_connection(before, c, patch);
  return private.finish_request(request, private.versioned_connection_json(c));
end $function$;
CREATE OR REPLACE FUNCTION private.write_connection(before public.connections, c public.connections, patch jsonb)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  changes jsonb;
begin
  update public.connections x set
    address = c.address, auth = c.auth, user_name = c.user_name, region = c.region,
    file_glob = c.file_glob, allowed_senders = c.allowed_senders, schedule = c.schedule,
    afterwards = c.afterwards, move_to = c.move_to, stable_seconds = c.stable_seconds,
    waits_for_marker = c.waits_for_marker, assigned_to = c.assigned_to, host_key = c.host_key,
    status = c.status
  where x.tenant_id = c.tenant_id and x.id = c.id;
  perform private.store_connection_credential(before, c, patch);
  select coalesce(jsonb_object_agg(n.key, jsonb_build_object('from', o.value, 'to', n.value)), '{}')
  into changes
  from jsonb_each(private.connection_facts(c)) n
  join jsonb_each(private.connection_facts(before)) o on o.key = n.key
  where o.value is distinct from n.value;
  if patch ? 'sealed_credential' then
    changes := changes || '{"credential": {"from": "stored", "to": "replaced"}}';
  end if;
  if changes = '{}' then
    return private.find_connection(c.id);
  end if;
  update public.connections x set updated_at = now()
  where x.tenant_id = c.tenant_id and x.id = c.id;
  if changes ?| '{schedule,status}' then
    perform private.plan_connection(c);
  end if;
  perform private.record_security_event(case when changes ? 'host_key'
    then 'connection.host_key_changed' else 'connection.updated' end, c.id, null,
    jsonb_build_object('name', private.connection_facts(c) -> 'name', 'changes', changes));
  return private.find_connection(c.id);
end $function$;
CREATE OR REPLACE FUNCTION public.fetch_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'fetch_connection');
  c public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  c := private.lock_connection(input ->> 'id');
  if c.status = 'stopped' then
    perform private.refuse_conflict('host_key_changed',
      'The server showed another host key. Check it with the bank, then set host_key.');
  end if;
  if c.kind = 'mail' then
    perform private.refuse_conflict('not_fetched',
      'Mail comes by itself: ask the sender to send the file to the address.');
  end if;
  perform private.queue_look(c, true);
  perform private.record_security_event('connection.fetch_requested', c.id, null,
    jsonb_build_object('name', private.connection_facts(c) -> 'name'));
  return private.finish_request(request, private.connection_json(c));
end $function$;
CREATE OR REPLACE FUNCTION private.find_inbox(address text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('tenant_id', c.tenant_id, 'connection_id', c.id,
      'allowed_senders', to_jsonb(c.allowed_senders))
    from public.connections c
    where c.address = $1 and c.kind = 'mail' and c.status = 'active' and c.deleted_at is null);
end $function$;
CREATE OR REPLACE FUNCTION private.begin_file(tenant text, connection text, lease text, file jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections := private.require_lease(tenant, connection, lease);
  begun text;
begin
  delete from public.connection_files x
  where x.tenant_id = tenant and x.connection_id = c.id and x.outcome in ('failed', 'fetching')
    and x.path = file ->> 'path' and x.bytes is not distinct from (file ->> 'bytes')::bigint
    and x.modified_at is not distinct from (file ->> 'modified_at')::timestamptz;
  insert into public.connection_files (tenant_id, connection_id, source_no, path, bytes,
    modified_at, sender, sender_checks)
  values (tenant, c.id, c.source_no, file ->> 'path', (file ->> 'bytes')::bigint,
    (file ->> 'modified_at')::timestamptz, file ->> 'sender', file -> 'checks')
  returning id into begun;
  return begun;
end $function$;
grant execute on function private.facets_by_deadline() to authenticated;
grant execute on function private.facets_with_none() to authenticated;
grant execute on function private.find_inbox(text) to service_role;
