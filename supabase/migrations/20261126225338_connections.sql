-- connections

-- From here on written by `npm run migration`, anew each time. Above is by hand.

create table public.connections (
  id text not null default private.new_id('con'::text),
  tenant_id text not null default private.tenant_id(),
  source_no integer not null,
  kind text not null,
  address text not null,
  auth text not null,
  user_name text,
  region text,
  file_glob text not null default '*'::text,
  schedule jsonb,
  afterwards text not null default 'leave'::text,
  move_to text,
  stable_seconds smallint not null default 10,
  waits_for_marker boolean not null default false,
  assigned_to text,
  host_key text,
  status text not null default 'active'::text,
  credential_changed_at timestamp(3) with time zone,
  next_look_at timestamp(3) with time zone,
  last_look_at timestamp(3) with time zone,
  last_outcome text,
  last_error text,
  failing_since timestamp(3) with time zone,
  failure_count integer not null default 0,
  alerted_at timestamp(3) with time zone,
  expected_at timestamp(3) with time zone,
  lease text,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone
);
create table private.connection_credentials (
  id text not null,
  tenant_id text not null,
  connection_id text not null,
  sealed text not null
);
create table public.connection_files (
  id text not null default private.new_id('cfl'::text),
  tenant_id text not null default private.tenant_id(),
  connection_id text not null,
  source_no integer not null,
  path text not null,
  bytes bigint,
  modified_at timestamp(3) with time zone,
  sha256 text,
  outcome text not null default 'fetching'::text,
  import_id text,
  error text,
  created_at timestamp(3) with time zone not null default now(),
  tried_at timestamp(3) with time zone not null default now(),
  taken_at timestamp(3) with time zone
);
create table private.missing_files (
  tenant_id text not null,
  connection_id text not null,
  day date not null,
  exception_id text not null
);
alter table private.connection_credentials add constraint connection_credentials_pkey PRIMARY KEY (tenant_id, connection_id);
alter table private.missing_files add constraint missing_files_pkey PRIMARY KEY (tenant_id, connection_id, day);
alter table public.connection_files add constraint connection_files_pkey PRIMARY KEY (tenant_id, id);
alter table public.connections add constraint connections_pkey PRIMARY KEY (tenant_id, id);
alter table public.connection_files add constraint connection_files_bytes_check CHECK ((bytes >= 0));
alter table public.connection_files add constraint connection_files_error_check CHECK ((length(error) <= 1000));
alter table public.connection_files add constraint connection_files_outcome_check CHECK ((outcome = ANY (ARRAY['fetching'::text, 'importing'::text, 'imported'::text, 'duplicate'::text, 'failed'::text, 'undone'::text])));
alter table public.connection_files add constraint connection_files_path_check CHECK (((length(path) >= 1) AND (length(path) <= 255)));
alter table public.connection_files add constraint connection_files_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text));
alter table public.connections add constraint connections_address_check CHECK (((length(address) >= 1) AND (length(address) <= 2048)));
alter table public.connections add constraint connections_afterwards_check CHECK ((afterwards = ANY (ARRAY['leave'::text, 'move'::text, 'delete'::text])));
alter table public.connections add constraint connections_assigned_to_check CHECK ((assigned_to ~ '^user:[^[:space:]]{1,120}$'::text));
alter table public.connections add constraint connections_auth_check CHECK ((auth = ANY (ARRAY['none'::text, 'bearer'::text, 'signed_query'::text, 'password'::text, 'private_key'::text, 'access_key'::text])));
alter table public.connections add constraint connections_check CHECK (((afterwards = 'move'::text) = (move_to IS NOT NULL)));
alter table public.connections add constraint connections_file_glob_check CHECK (((length(file_glob) >= 1) AND (length(file_glob) <= 200)));
alter table public.connections add constraint connections_host_key_check CHECK (((length(host_key) >= 1) AND (length(host_key) <= 100)));
alter table public.connections add constraint connections_kind_check CHECK ((kind = ANY (ARRAY['https'::text, 's3'::text, 'sftp'::text])));
alter table public.connections add constraint connections_last_error_check CHECK ((length(last_error) <= 1000));
alter table public.connections add constraint connections_last_outcome_check CHECK ((last_outcome = ANY (ARRAY['fetched'::text, 'nothing_new'::text, 'failed'::text])));
alter table public.connections add constraint connections_move_to_check CHECK (((length(move_to) >= 1) AND (length(move_to) <= 100)));
alter table public.connections add constraint connections_region_check CHECK (((length(region) >= 1) AND (length(region) <= 64)));
alter table public.connections add constraint connections_schedule_check CHECK ((jsonb_typeof(schedule) = 'object'::text));
alter table public.connections add constraint connections_stable_seconds_check CHECK (((stable_seconds >= 0) AND (stable_seconds <= 300)));
alter table public.connections add constraint connections_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'stopped'::text])));
alter table public.connections add constraint connections_user_name_check CHECK (((length(user_name) >= 1) AND (length(user_name) <= 200)));
CREATE INDEX connection_files_by_connection ON public.connection_files USING btree (tenant_id, connection_id, id DESC);
CREATE UNIQUE INDEX connection_files_by_import ON public.connection_files USING btree (tenant_id, import_id) WHERE (import_id IS NOT NULL);
CREATE UNIQUE INDEX connection_files_content ON public.connection_files USING btree (tenant_id, source_no, sha256) WHERE (outcome = ANY (ARRAY['importing'::text, 'imported'::text]));
CREATE UNIQUE INDEX connection_files_known ON public.connection_files USING btree (tenant_id, connection_id, path, bytes, modified_at) WHERE (modified_at IS NOT NULL);
CREATE INDEX connections_due ON public.connections USING btree (next_look_at) WHERE (next_look_at IS NOT NULL);
CREATE INDEX connections_expecting ON public.connections USING btree (expected_at) WHERE (expected_at IS NOT NULL);
CREATE UNIQUE INDEX connections_of_source ON public.connections USING btree (tenant_id, source_no) WHERE (deleted_at IS NULL);
alter table private.connection_credentials add constraint connection_credentials_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES public.connections(tenant_id, id);
alter table private.missing_files add constraint missing_files_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES public.connections(tenant_id, id);
alter table public.connection_files add constraint connection_files_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES public.connections(tenant_id, id);
alter table public.connections add constraint connections_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.connections add constraint connections_tenant_id_source_no_fkey FOREIGN KEY (tenant_id, source_no) REFERENCES public.sources(tenant_id, source_no);
alter table private.connection_credentials enable row level security; alter table private.connection_credentials no force row level security;
alter table private.missing_files enable row level security; alter table private.missing_files no force row level security;
alter table public.connection_files enable row level security; alter table public.connection_files no force row level security;
alter table public.connections enable row level security; alter table public.connections no force row level security;
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
    'region', c.region, 'file_glob', c.file_glob, 'schedule', c.schedule,
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
    c.address, c.auth, c.user_name, c.region, c.file_glob, c.schedule, c.afterwards, c.move_to,
    c.stable_seconds, c.waits_for_marker, c.assigned_to, c.host_key, c.status,
    private.iso(c.credential_changed_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.versioned_connection_json(c public.connections)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.connection_json(c)
    || jsonb_build_object('version', private.connection_version(c));
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
    'sha256', f.sha256, 'outcome', f.outcome, 'import_id', f.import_id,
    'line_count', (
      select i.accepted_count from public.imports i
      where i.tenant_id = f.tenant_id and i.id = f.import_id and i.status = 'done'),
    'error', f.error, 'created_at', private.iso(f.created_at),
    'tried_at', private.iso(f.tried_at), 'taken_at', private.iso(f.taken_at));
end $function$;
CREATE OR REPLACE FUNCTION private.find_connection(id text)
 RETURNS public.connections
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  c public.connections;
begin
  select * into c from public.connections x
  where x.tenant_id = private.tenant_id() and x.id = $1 and x.deleted_at is null;
  if not found then
    perform private.refuse_missing('connection');
  end if;
  return c;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_connection(id text)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.connections x
  where x.tenant_id = private.tenant_id() and x.id = $1 for no key update;
  return private.find_connection(id);
end $function$;
CREATE OR REPLACE FUNCTION private.next_business_day(open_days jsonb, since date)
 RETURNS date
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  day date := since;
begin
  -- A calendar may have no open day any more.
  while day < since + 400 loop
    if private.is_business_day(open_days, day) then
      return day;
    end if;
    day := day + 1;
  end loop;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.next_look(schedule jsonb, zone text, open_days jsonb, moment timestamp with time zone, pause interval, is_missing boolean)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  today constant date := (moment at time zone zone)::date;
  opens constant timestamptz := (today + (schedule ->> 'at')::time) at time zone zone;
  closes constant timestamptz := (today + (schedule ->> 'retry_until')::time) at time zone zone;
  ends constant timestamptz := (today + 1)::timestamp at time zone zone;
  later_at constant timestamptz := moment + greatest(pause, interval '15 minutes');
  day date;
begin
  if private.is_business_day(open_days, today) and moment >= opens then
    if moment + pause <= closes then
      return moment + pause;
    elsif is_missing and later_at < ends then
      return later_at;
    end if;
  end if;
  day := private.next_business_day(open_days, case when moment < opens then today
    else today + 1 end);
  return (day + (schedule ->> 'at')::time) at time zone zone;
end $function$;
CREATE OR REPLACE FUNCTION private.next_expected(schedule jsonb, zone text, open_days jsonb, moment timestamp with time zone, since timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  day date := (moment at time zone zone)::date;
  late timestamptz;
begin
  loop
    day := private.next_business_day(open_days, day);
    late := (day + (schedule ->> 'retry_until')::time) at time zone zone;
    exit when day is null or late > moment
      and (day + (schedule ->> 'at')::time) at time zone zone >= since;
    day := day + 1;
  end loop;
  return late;
end $function$;
CREATE OR REPLACE FUNCTION private.clock_of_connection(c public.connections)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('zone', s.time_zone,
      'open_days', private.open_days(c.tenant_id, c.schedule ->> 'calendar_id') -> 'open_days')
    from public.sources s where s.tenant_id = c.tenant_id and s.source_no = c.source_no);
end $function$;
CREATE OR REPLACE FUNCTION private.has_file_of_day(c public.connections, moment timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  zone constant text := private.clock_of_connection(c) ->> 'zone';
begin
  return exists (
    select from public.connection_files f
    where f.tenant_id = c.tenant_id and f.connection_id = c.id
      and f.outcome in ('importing', 'imported')
      and (f.created_at at time zone zone)::date = (moment at time zone zone)::date);
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
    next_look_at = case when is_planned and c.status = 'active' then
      private.next_look(c.schedule, zone, open_days, now(), '0', false) end,
    expected_at = case when is_planned and c.status <> 'paused' then
      private.next_expected(c.schedule, zone, open_days, now(), now()) end
  where x.tenant_id = c.tenant_id and x.id = c.id
  returning * into c;
  return c;
end $function$;
CREATE OR REPLACE FUNCTION private.plan_connections_again()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_table_name = 'calendars' then
    perform private.plan_connection(c) from public.connections c
    where c.tenant_id = new.tenant_id and c.schedule ->> 'calendar_id' = to_jsonb(new) ->> 'id'
      and c.deleted_at is null;
  else
    perform private.plan_connection(c) from public.connections c
    where c.tenant_id = new.tenant_id and c.source_no = (to_jsonb(new) ->> 'source_no')::integer
      and c.deleted_at is null;
  end if;
  return null;
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
    when 's3' then '{access_key}' else '{password,private_key}' end;
begin
  if (c.kind = 'sftp') <> starts_with(c.address, 'sftp:') then
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
  elsif c.kind = 'https' and c.afterwards <> 'leave' then
    perform private.refuse_field('afterwards', 'A file at an https address can only be left.');
  elsif (c.afterwards = 'move') <> (c.move_to is not null) then
    perform private.refuse_field('move_to', 'Give it with afterwards: move, and only then.');
  elsif c.host_key is not null and c.kind <> 'sftp' then
    perform private.refuse_field('host_key', 'Only sftp has a host key.');
  elsif c.schedule ->> 'calendar_id' is not null and private.current_calendar_no(c.tenant_id,
    c.schedule ->> 'calendar_id') is null then
    perform private.refuse_field('schedule.calendar_id', 'There is no such calendar.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.store_connection_credential(before public.connections, c public.connections, input jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  origin constant text := '^[a-z0-9]+://[^/?#]+';
  has_moved constant boolean := before.id is null or (c.auth, c.user_name)
    is distinct from (before.auth, before.user_name)
    or substring(c.address from origin) <> substring(before.address from origin)
    or c.kind = 'https' and c.address <> before.address;
begin
  if input ->> 'sealed_credential' is null and c.auth <> 'none' and has_moved then
    perform private.refuse_field('credential',
      'Send the credential: it is not stored for this address and sign-in.');
  elsif input ->> 'sealed_credential' is not null and c.auth = 'none' then
    perform private.refuse_field('credential', 'With auth none, there is no credential.');
  end if;
  if input ->> 'sealed_credential' is not null or c.auth = 'none' then
    delete from private.connection_credentials x
    where x.tenant_id = c.tenant_id and x.connection_id = c.id;
  end if;
  if input ->> 'sealed_credential' is not null then
    insert into private.connection_credentials (id, tenant_id, connection_id, sealed)
    values (input ->> 'credential_id', c.tenant_id, c.id, input ->> 'sealed_credential');
    update public.connections x set credential_changed_at = now()
    where x.tenant_id = c.tenant_id and x.id = c.id;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.connection_facts(c public.connections)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (private.connection_json(c) 
    - '{id,next_look_at,last_look_at,last_outcome,last_error,failing_since}'::text[]
    - '{created_at,created_by,updated_at}'::text[])
    || jsonb_build_object('name', (select s.name from public.sources s
      where s.tenant_id = c.tenant_id and s.source_no = c.source_no));
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
    "waits_for_marker": false}';
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
    schedule, afterwards, move_to, stable_seconds, waits_for_marker, assigned_to, host_key)
  values (c.source_no, c.kind, c.address, c.auth, c.user_name, c.region, c.file_glob,
    nullif(c.schedule, 'null'), c.afterwards, c.move_to, c.stable_seconds, c.waits_for_marker,
    c.assigned_to, c.host_key)
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
CREATE OR REPLACE FUNCTION public.get_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_connection');
  return private.versioned_connection_json(private.find_connection(input ->> 'id'));
end $function$;
CREATE OR REPLACE FUNCTION public.list_connections(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_connections');
  if input ->> 'source_id' is not null then
    wanted := (private.find_source(input ->> 'source_id')).source_no;
  end if;
  select jsonb_agg(private.connection_json(c) order by c.id desc) into items
  from (
    select * from public.connections x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (wanted is null or x.source_no = wanted)
    order by x.id desc limit page_size + 1
  ) c;
  return private.page(items, page_size, 'id');
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
    file_glob = c.file_glob, schedule = c.schedule, afterwards = c.afterwards,
    move_to = c.move_to, stable_seconds = c.stable_seconds,
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
CREATE OR REPLACE FUNCTION public.delete_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_connection');
  c public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  c := private.lock_connection(input ->> 'id');
  perform private.require_version(private.connection_version(c), request -> 'versions');
  delete from private.connection_credentials x
  where x.tenant_id = c.tenant_id and x.connection_id = c.id;
  update public.connections x
  set deleted_at = now(), next_look_at = null, expected_at = null, lease = null
  where x.tenant_id = c.tenant_id and x.id = c.id;
  perform private.record_security_event('connection.deleted', c.id, null,
    private.connection_facts(c));
  return private.finish_request(request, jsonb_build_object('id', c.id, 'deleted', true));
end $function$;
CREATE OR REPLACE FUNCTION public.open_connection_test(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections;
begin
  perform private.begin_request(request, 'open_connection_test');
  c := private.find_connection(input ->> 'id');
  return private.connection_json(c) || coalesce(private.sealed_credential(c), '{}');
end $function$;
CREATE OR REPLACE FUNCTION public.finish_connection_test(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'finish_connection_test');
begin
  return coalesce(replayed, private.finish_request(request, input -> 'answer'));
end $function$;
CREATE OR REPLACE FUNCTION private.sealed_credential(c public.connections)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('credential_id', x.id, 'sealed', x.sealed)
    from private.connection_credentials x
    where x.tenant_id = c.tenant_id and x.connection_id = c.id);
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
  perform private.queue_look(c, true);
  perform private.record_security_event('connection.fetch_requested', c.id, null,
    jsonb_build_object('name', private.connection_facts(c) -> 'name'));
  return private.finish_request(request, private.connection_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.list_connection_files(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  c public.connections;
  items jsonb;
begin
  perform private.begin_request(request, 'list_connection_files');
  c := private.find_connection(input ->> 'id');
  select jsonb_agg(private.connection_file_json(f) order by f.id desc) into items
  from (
    select * from public.connection_files x
    where x.tenant_id = c.tenant_id and x.connection_id = c.id
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
    order by x.id desc limit page_size + 1
  ) f;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.act_for_tenant(tenant text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform set_config('request.jwt.claims',
    jsonb_build_object('tenant_id', tenant, 'actor', 'system')::text, true);
end $function$;
CREATE OR REPLACE FUNCTION private.queue_look(c public.connections, by_hand boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('fetch_connection',
    private.with_request_id(jsonb_build_object(
      'tenant_id', c.tenant_id, 'connection_id', c.id, 'by_hand', by_hand)),
    queue_name => 'connection:' || c.id, max_attempts => 25,
    job_key => 'connection:' || c.id || case when by_hand then ':by hand' else '' end,
    flags => private.job_flags(c.tenant_id, 'connection'));
end $function$;
CREATE OR REPLACE FUNCTION private.queue_due_looks(batch integer DEFAULT 500)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections;
  queued integer := 0;
begin
  for c in
    select * from public.connections x where x.next_look_at <= now()
    order by x.next_look_at limit batch for no key update skip locked
  loop
    perform private.queue_look(c, false);
    -- The look plans the next one. A look that is lost is queued again.
    update public.connections x set next_look_at = now() + interval '1 hour'
    where x.tenant_id = c.tenant_id and x.id = c.id;
    queued := queued + 1;
  end loop;
  return queued;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_look(tenant text, connection text, by_hand boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections;
begin
  perform private.act_for_tenant(tenant);
  update public.connections x set lease = private.new_id('lck')
  where x.tenant_id = tenant and x.id = connection and x.deleted_at is null
    and (x.status = 'active' or by_hand and x.status = 'paused')
  returning * into c;
  if not found then
    return null;
  end if;
  -- What an earlier look began and did not finish.
  delete from public.imports i using public.connection_files f
  where f.tenant_id = tenant and f.connection_id = c.id and f.outcome = 'fetching'
    and i.tenant_id = tenant and i.id = f.import_id and i.status = 'receiving';
  delete from public.connection_files f
  where f.tenant_id = tenant and f.connection_id = c.id and f.outcome = 'fetching';
  return private.connection_json(c) || coalesce(private.sealed_credential(c), '{}')
    || jsonb_build_object('lease', c.lease, 'source', (
      select jsonb_build_object('currency', s.currency, 'time_zone', s.time_zone,
        'mapping', s.mapping)
      from public.sources s where s.tenant_id = tenant and s.source_no = c.source_no));
end $function$;
CREATE OR REPLACE FUNCTION private.require_lease(tenant text, connection text, lease text)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into c from public.connections x
  where x.tenant_id = tenant and x.id = connection and x.lease = $3 and x.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_conflict('state_changed',
      'Another look at this connection has taken over, or it was deleted.');
  end if;
  return c;
end $function$;
CREATE OR REPLACE FUNCTION private.check_host_key(tenant text, connection text, lease text, shown text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections := private.require_lease(tenant, connection, lease);
begin
  if c.host_key = shown then
    return true;
  end if;
  perform private.record_security_event('connection.host_key_changed', c.id, null,
    jsonb_build_object('name', private.connection_facts(c) -> 'name', 'changes',
      jsonb_build_object('host_key', jsonb_build_object('from', c.host_key, 'to', shown))));
  update public.connections x set
    host_key = coalesce(x.host_key, shown),
    status = case when x.host_key is null then x.status else 'stopped' end
  where x.tenant_id = tenant and x.id = c.id;
  return c.host_key is null;
end $function$;
CREATE OR REPLACE FUNCTION private.known_files(tenant text, connection text, files jsonb, by_hand boolean)
 RETURNS TABLE(place bigint, state text, file_id text, error text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
  select g.place, case
      when f.id is null or f.outcome = 'failed' and (by_hand or f.tried_at < s.updated_at)
        then 'new'
      when f.outcome = 'failed' then 'failed'
      when f.outcome in ('imported', 'duplicate') and f.taken_at is null then 'done'
      else 'known' end, f.id, f.error
  from jsonb_array_elements(files) with ordinality g (file, place)
  join public.connections c on c.tenant_id = tenant and c.id = connection
  join public.sources s on s.tenant_id = tenant and s.source_no = c.source_no
  left join public.connection_files f on f.tenant_id = tenant and f.connection_id = connection
    and f.path = g.file ->> 'path' and f.bytes = (g.file ->> 'bytes')::bigint
    and f.modified_at = (g.file ->> 'modified_at')::timestamptz
  order by g.place;
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
    modified_at)
  values (tenant, c.id, c.source_no, file ->> 'path', (file ->> 'bytes')::bigint,
    (file ->> 'modified_at')::timestamptz)
  returning id into begun;
  return begun;
end $function$;
CREATE OR REPLACE FUNCTION private.open_file_import(tenant text, connection text, lease text, file text, format text, file_name text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections := private.require_lease(tenant, connection, lease);
  opened text;
begin
  perform private.require_room(1, 0, null);
  insert into public.imports (source_no, format, file_name)
  values (c.source_no, format, left(open_file_import.file_name, 255))
  returning id into opened;
  update public.connection_files f set import_id = opened
  where f.tenant_id = tenant and f.id = file and f.outcome = 'fetching';
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_file_part(tenant text, import text, seq integer, bytes bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.imports i set bytes_read = i.bytes_read + octet_length(bytes)
  where i.tenant_id = tenant and i.id = import and i.status = 'receiving';
  if not found then
    perform private.refuse_conflict('state_changed', 'Another look has taken over.');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes)
  values (tenant, import, seq, bytes);
end $function$;
CREATE OR REPLACE FUNCTION private.finish_file(tenant text, connection text, lease text, file text, whole jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections := private.require_lease(tenant, connection, lease);
  f public.connection_files;
begin
  select * into strict f from public.connection_files x
  where x.tenant_id = tenant and x.id = file and x.outcome = 'fetching';
  -- Two connections of a source finish the same content one after the other.
  perform from public.sources s
  where s.tenant_id = tenant and s.source_no = c.source_no for no key update;
  if exists (
    select from public.connection_files x
    where x.tenant_id = tenant and x.source_no = c.source_no
      and x.sha256 = whole ->> 'sha256' and x.outcome in ('importing', 'imported')
  ) then
    delete from public.imports i
    where i.tenant_id = tenant and i.id = f.import_id and i.status = 'receiving';
    -- Without a size and a time, each look reads the file again.
    if (f.modified_at is null or f.bytes is null) and exists (
      select from public.connection_files x where x.tenant_id = tenant
        and x.connection_id = c.id and x.path = f.path and x.sha256 = whole ->> 'sha256'
    ) then
      delete from public.connection_files x where x.tenant_id = tenant and x.id = f.id;
      return 'known';
    end if;
    update public.connection_files x
    set outcome = 'duplicate', sha256 = whole ->> 'sha256', import_id = null
    where x.tenant_id = tenant and x.id = f.id;
    return 'duplicate';
  end if;
  update public.connection_files x set outcome = 'importing', sha256 = whole ->> 'sha256'
  where x.tenant_id = tenant and x.id = f.id;
  perform private.queue_import(f.import_id, nullif(whole -> 'mapping', 'null'),
    (whole ->> 'bytes')::bigint, whole ->> 'sha256');
  return 'importing';
end $function$;
CREATE OR REPLACE FUNCTION private.fail_file(tenant text, connection text, lease text, file text, error text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_lease(tenant, connection, lease);
  delete from public.imports i using public.connection_files f
  where f.tenant_id = tenant and f.id = file and i.tenant_id = tenant and i.id = f.import_id
    and i.status = 'receiving';
  update public.connection_files f
  set outcome = 'failed', error = left(fail_file.error, 1000), import_id = null, tried_at = now()
  where f.tenant_id = tenant and f.id = file and f.outcome = 'fetching';
end $function$;
CREATE OR REPLACE FUNCTION private.file_taken(tenant text, connection text, lease text, file text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_lease(tenant, connection, lease);
  update public.connection_files f set taken_at = now()
  where f.tenant_id = tenant and f.id = file;
end $function$;
CREATE OR REPLACE FUNCTION private.pause_after_failures(failures integer)
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN LEAST('00:15:00'::interval, ('00:01:00'::interval * ((2)::double precision ^ (LEAST((failures - 1), 10))::double precision)));
CREATE OR REPLACE FUNCTION private.note_failure(c public.connections, error text, at_once boolean)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.connections x set
    last_outcome = 'failed', last_error = left(note_failure.error, 1000),
    failing_since = coalesce(x.failing_since, now()), failure_count = x.failure_count + 1
  where x.tenant_id = c.tenant_id and x.id = c.id
  returning * into c;
  if c.alerted_at is null and (at_once or c.failure_count >= 3) then
    update public.connections x set alerted_at = now()
    where x.tenant_id = c.tenant_id and x.id = c.id
    returning * into c;
    perform private.emit(c.tenant_id, 'connection.failing',
      jsonb_build_object('connection', private.connection_json(c)));
  end if;
  return c;
end $function$;
CREATE OR REPLACE FUNCTION private.end_look(tenant text, connection text, lease text, result jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections := private.require_lease(tenant, connection, lease);
  clock constant jsonb := private.clock_of_connection(c);
  pause interval := interval '5 minutes';
begin
  if result ->> 'error' is not null then
    c := private.note_failure(c, result ->> 'error',
      coalesce((result ->> 'needs_person')::boolean, false));
    pause := private.pause_after_failures(c.failure_count);
  else
    update public.connections x set
      last_outcome = case when (result ->> 'found')::integer > 0 then 'fetched'
        else 'nothing_new' end,
      last_error = null, failing_since = null, failure_count = 0, alerted_at = null
    where x.tenant_id = tenant and x.id = c.id;
  end if;
  update public.connections x set lease = null, last_look_at = now(),
    next_look_at = case when x.schedule is not null and x.status = 'active' then
      private.next_look(x.schedule, clock ->> 'zone', nullif(clock -> 'open_days', 'null'), now(),
        pause, not private.has_file_of_day(c, now())) end
  where x.tenant_id = tenant and x.id = c.id;
end $function$;
CREATE OR REPLACE FUNCTION private.open_missing_files(batch integer DEFAULT 200)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections;
  looked_at integer := 0;
begin
  for c in
    select * from public.connections x where x.expected_at <= now()
    order by x.expected_at limit batch for no key update skip locked
  loop
    if not private.has_file_of_day(c, c.expected_at) then
      perform private.open_missing_file(c);
    end if;
    perform private.expect_next_file(c);
    looked_at := looked_at + 1;
  end loop;
  return looked_at;
end $function$;
CREATE OR REPLACE FUNCTION private.expect_next_file(c public.connections)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  clock constant jsonb := private.clock_of_connection(c);
begin
  update public.connections x set expected_at = private.next_expected(c.schedule,
    clock ->> 'zone', nullif(clock -> 'open_days', 'null'), c.expected_at, '-infinity')
  where x.tenant_id = c.tenant_id and x.id = c.id;
end $function$;
CREATE OR REPLACE FUNCTION private.open_missing_file(c public.connections)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  late_day date;
  opened text;
begin
  select * into strict s from public.sources x
  where x.tenant_id = c.tenant_id and x.source_no = c.source_no;
  late_day := (c.expected_at at time zone s.time_zone)::date;
  if exists (select from private.missing_files m
    where m.tenant_id = c.tenant_id and m.connection_id = c.id and m.day = late_day)
  then
    return;
  end if;
  select e.id into strict opened from private.change_exceptions('create', array[
    jsonb_build_object('tenant_id', c.tenant_id, 'severity', 'high',
      'title', format('No file for %s by %s, %s', left(s.name, 150),
        c.schedule ->> 'retry_until', to_char(late_day, 'DD Mon YYYY')),
      'assigned_to', c.assigned_to, 'reason_code', 'file_missing',
      'details', jsonb_strip_nulls(jsonb_build_object('connection_id', c.id, 'source_id', s.id,
        'day', late_day, 'expected_by', private.iso(c.expected_at), 'last_error', c.last_error)))]) e;
  insert into private.missing_files (tenant_id, connection_id, day, exception_id)
  values (c.tenant_id, c.id, late_day, opened);
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_missing_file(f public.connection_files)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  zone constant text := (select s.time_zone from public.sources s
    where s.tenant_id = f.tenant_id and s.source_no = f.source_no);
  today constant date := (f.created_at at time zone zone)::date;
  open_days constant jsonb := (select private.open_days(c.tenant_id, c.schedule ->> 'calendar_id')
    -> 'open_days' from public.connections c
    where c.tenant_id = f.tenant_id and c.id = f.connection_id);
  settles text;
  missed date;
begin
  select m.exception_id, m.day into settles, missed
  from private.missing_files m
  join public.exceptions e on e.tenant_id = m.tenant_id and e.id = m.exception_id
  where m.tenant_id = f.tenant_id and m.connection_id = f.connection_id
    and e.status in ('open', 'in_review') and m.day <= today
  order by m.day desc limit 1;
  -- The first file of a business day is that day's own.
  if settles is null or missed < today
    and private.is_business_day(nullif(open_days, 'null'), today) and not exists (
      select from public.connection_files x
      where x.tenant_id = f.tenant_id and x.connection_id = f.connection_id and x.id <> f.id
        and x.outcome in ('importing', 'imported')
        and (x.created_at at time zone zone)::date = today)
  then
    return;
  end if;
  perform private.change_exceptions('edit', array[jsonb_build_object('tenant_id', f.tenant_id,
    'id', settles, 'status', 'resolved',
    'resolution', format('The file %s arrived and was imported.', f.path))]);
end $function$;
CREATE OR REPLACE FUNCTION private.settle_connection_file()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  f public.connection_files;
  c public.connections;
  is_unreadable constant boolean := new.status = 'done' and new.refused_count > 0
    and new.accepted_count + new.duplicate_count = 0;
begin
  update public.connection_files x set
    outcome = case when is_unreadable or new.status = 'failed' then 'failed'
      when new.status = 'done' then 'imported' else 'undone' end,
    error = case when is_unreadable then format(
      'None of its %s lines could be read, such as line %s: %s', new.refused_count,
      new.refusals #>> '{0,line}', new.refusals #>> '{0,message}') else new.failure end,
    tried_at = now()
  where x.tenant_id = new.tenant_id and x.import_id = new.id
    and x.outcome in ('importing', 'imported')
  returning * into f;
  if not found then
    return null;
  end if;
  select * into c from public.connections x
  where x.tenant_id = f.tenant_id and x.id = f.connection_id;
  if f.outcome = 'failed' then
    perform private.note_failure(c, format('%s: %s', f.path, f.error), true);
  elsif f.outcome = 'imported' then
    perform private.resolve_missing_file(f);
    if c.afterwards <> 'leave' and c.deleted_at is null then
      perform private.queue_look(c, true);
    end if;
  end if;
  return null;
end $function$;
CREATE TRIGGER plan_connections AFTER UPDATE OF version ON public.calendars FOR EACH ROW WHEN ((old.version <> new.version)) EXECUTE FUNCTION private.plan_connections_again();
CREATE TRIGGER plan_connections AFTER UPDATE OF time_zone ON public.sources FOR EACH ROW WHEN ((old.time_zone <> new.time_zone)) EXECUTE FUNCTION private.plan_connections_again();
CREATE TRIGGER settle_connection_file AFTER UPDATE OF status ON public.imports FOR EACH ROW WHEN (((new.status = ANY (ARRAY['done'::text, 'failed'::text, 'undone'::text])) AND (old.status <> new.status))) EXECUTE FUNCTION private.settle_connection_file();
create policy connection_files_read on public.connection_files as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy connections_read on public.connections as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
grant execute on function private.begin_file(text,text,text,jsonb) to service_role;
grant execute on function private.begin_look(text,text,boolean) to service_role;
grant execute on function private.check_host_key(text,text,text,text) to service_role;
grant execute on function private.connection_file_json(public.connection_files) to authenticated;
grant execute on function private.connection_json(public.connections) to authenticated;
grant execute on function private.connection_version(public.connections) to authenticated;
grant execute on function private.end_look(text,text,text,jsonb) to service_role;
grant execute on function private.fail_file(text,text,text,text,text) to service_role;
grant execute on function private.file_taken(text,text,text,text) to service_role;
grant execute on function private.find_connection(text) to authenticated;
grant execute on function private.finish_file(text,text,text,text,jsonb) to service_role;
grant execute on function private.keep_file_part(text,text,integer,bytea) to service_role;
grant execute on function private.known_files(text,text,jsonb,boolean) to service_role;
grant execute on function private.open_file_import(text,text,text,text,text,text) to service_role;
grant execute on function private.open_missing_files(integer) to service_role;
grant execute on function private.queue_due_looks(integer) to service_role;
grant execute on function private.versioned_connection_json(public.connections) to authenticated;
grant execute on function public.create_connection(jsonb,jsonb) to authenticated;
grant execute on function public.delete_connection(jsonb,jsonb) to authenticated;
grant execute on function public.fetch_connection(jsonb,jsonb) to authenticated;
grant execute on function public.finish_connection_test(jsonb,jsonb) to authenticated;
grant execute on function public.get_connection(jsonb,jsonb) to authenticated;
grant execute on function public.list_connection_files(jsonb,jsonb) to authenticated;
grant execute on function public.list_connections(jsonb,jsonb) to authenticated;
grant execute on function public.open_connection_test(jsonb,jsonb) to authenticated;
grant execute on function public.update_connection(jsonb,jsonb) to authenticated;
grant select on public.connection_files to authenticated;
grant select on public.connection_files to service_role;
grant select on public.connections to authenticated;
grant select on public.connections to service_role;
insert into private.permissions select ('(write:connections,"{user,api_key,service_role}",{tenant_admin},write:reconciliations)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.operations select ('(create_connection,createConnection,write:connections)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(delete_connection,deleteConnection,write:connections)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(fetch_connection,fetchConnection,write:connections)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(finish_connection_test,testConnection,write:connections)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_connection,getConnection,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_connection_files,listConnectionFiles,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_connections,listConnections,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(open_connection_test,testConnection,write:connections)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(update_connection,updateConnection,write:connections)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.event_kinds select ('(connection.failing,read:reconciliations)'::private.event_kinds).* on conflict (kind) do update set permission = excluded.permission;
