-- Connections: servers and mailboxes that a source's files are fetched from automatically, and the
-- history of the files found there. A credential is sealed with a key that the database does not
-- know.

create table public.connections (
  id text not null default private.new_id('con'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  source_no integer not null,
  kind text not null check (kind in ('https', 's3', 'sftp', 'mail')),
  -- https: the file; s3: endpoint, bucket and prefix; sftp: host and folder; mail: its own
  -- address.
  address text not null check (length(address) between 1 and 2048),
  auth text not null check (
    auth in ('none', 'bearer', 'signed_query', 'password', 'private_key', 'access_key')),
  -- The ID of the access key, with s3.
  user_name text check (length(user_name) between 1 and 200),
  region text check (length(region) between 1 and 64),
  file_glob text not null default '*' check (length(file_glob) between 1 and 200),
  -- With mail: addresses, and domains that begin with @.
  allowed_senders text[] not null default '{}' check (cardinality(allowed_senders) <= 50),
  -- { calendar_id, at, retry_until }, in the time zone of the source. Null: only by hand.
  schedule jsonb check (jsonb_typeof(schedule) = 'object'),
  afterwards text not null default 'leave' check (afterwards in ('leave', 'move', 'delete')),
  move_to text check (length(move_to) between 1 and 100),
  -- How long the size and time of a file must stay the same before it is fetched.
  stable_seconds smallint not null default 10 check (stable_seconds between 0 and 300),
  -- Whether a file is fetched only after an empty one with its name and .done exists.
  waits_for_marker boolean not null default false,
  -- Who gets the exception about a file that is missing.
  assigned_to text check (assigned_to ~ '^user:[^[:space:]]{1,120}$'),
  -- The key that the SSH server showed first, as SHA256:…
  host_key text check (length(host_key) between 1 and 100),
  status text not null default 'active' check (status in ('active', 'paused', 'stopped')),
  credential_changed_at timestamptz(3),
  next_look_at timestamptz(3),
  last_look_at timestamptz(3),
  last_outcome text check (last_outcome in ('fetched', 'nothing_new', 'failed')),
  last_error text check (length(last_error) <= 1000),
  failing_since timestamptz(3),
  failure_count integer not null default 0,
  -- The failure was reported.
  alerted_at timestamptz(3),
  -- When the file of the next business day is late.
  expected_at timestamptz(3),
  -- Identifies the fetch that is under way; a later fetch takes over.
  lease text,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, source_no) references public.sources (tenant_id, source_no),
  check ((afterwards = 'move') = (move_to is not null))
);
create unique index connections_of_source on public.connections (tenant_id, source_no)
where deleted_at is null;
create index connections_by_mail_address on public.connections (address)
where kind = 'mail' and deleted_at is null;
create index connections_due on public.connections (next_look_at)
where next_look_at is not null;
create index connections_expecting on public.connections (expected_at)
where expected_at is not null;

create table private.connection_credentials (
  id text not null,
  tenant_id text not null,
  connection_id text not null,
  sealed text not null,
  primary key (tenant_id, connection_id),
  foreign key (tenant_id, connection_id) references public.connections (tenant_id, id)
);
alter table private.connection_credentials enable row level security;

-- One row per version of a file. A version is identified by path, size and time.
create table public.connection_files (
  id text not null default private.new_id('cfl'),
  tenant_id text not null default private.tenant_id(),
  connection_id text not null,
  source_no integer not null,
  path text not null check (length(path) between 1 and 255),
  -- Null if the server doesn't give them.
  bytes bigint check (bytes >= 0),
  modified_at timestamptz(3),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  outcome text not null default 'fetching' check (
    outcome in ('fetching', 'importing', 'imported', 'duplicate', 'failed', 'undone')),
  -- Set if the file came by mail: From, and { dkim, spf, dmarc }.
  sender text check (length(sender) <= 320),
  sender_checks jsonb,
  import_id text,
  error text check (length(error) <= 1000),
  created_at timestamptz(3) not null default now(),
  -- When it was last tried.
  tried_at timestamptz(3) not null default now(),
  -- When it was moved or deleted.
  taken_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, connection_id) references public.connections (tenant_id, id)
);
create unique index connection_files_known
  on public.connection_files (tenant_id, connection_id, path, bytes, modified_at)
  where modified_at is not null;
-- A source imports the same content only once, whatever its file is called.
create unique index connection_files_content
  on public.connection_files (tenant_id, source_no, sha256)
  where outcome in ('importing', 'imported');
create index connection_files_by_connection
  on public.connection_files (tenant_id, connection_id, id desc);
create unique index connection_files_by_import
  on public.connection_files (tenant_id, import_id) where import_id is not null;

alter table public.connections enable row level security;
alter table public.connection_files enable row level security;
grant select on public.connections, public.connection_files to authenticated, service_role;
create policy connections_read on public.connections for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy connection_files_read on public.connection_files for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

create function private.connection_json(connection public.connections) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', connection.id, 'source_id', (
      select source.id from public.sources source
      where source.tenant_id = connection.tenant_id and source.source_no = connection.source_no),
    'kind', connection.kind, 'address', connection.address, 'auth', connection.auth,
    'user_name', connection.user_name,
    'region', connection.region, 'file_glob', connection.file_glob,
    'allowed_senders', to_jsonb(connection.allowed_senders), 'schedule', connection.schedule,
    'afterwards', connection.afterwards, 'move_to', connection.move_to,
    'stable_seconds', connection.stable_seconds,
    'waits_for_marker', connection.waits_for_marker, 'assigned_to', connection.assigned_to,
    'host_key', connection.host_key, 'status', connection.status,
    'next_look_at', private.iso(connection.next_look_at),
    'last_look_at', private.iso(connection.last_look_at),
    'last_outcome', connection.last_outcome, 'last_error', connection.last_error,
    'failing_since', private.iso(connection.failing_since),
    'created_at', private.iso(connection.created_at), 'created_by', connection.created_by,
    'updated_at', private.iso(connection.updated_at));
end $$;

-- Covers only what people set: no clocks, no counters, nothing that other work adds.
create function private.connection_version(connection public.connections) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    connection.address, connection.auth, connection.user_name, connection.region,
    connection.file_glob, connection.allowed_senders, connection.schedule,
    connection.afterwards, connection.move_to, connection.stable_seconds,
    connection.waits_for_marker, connection.assigned_to, connection.host_key,
    connection.status, private.iso(connection.credential_changed_at)));
end $$;

create function private.versioned_connection_json(connection public.connections) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.connection_json(connection)
    || jsonb_build_object('version', private.connection_version(connection));
end $$;

create function private.connection_file_json(file public.connection_files) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', file.id, 'path', file.path, 'bytes', file.bytes,
    'modified_at', private.iso(file.modified_at),
    'sha256', file.sha256, 'sender', file.sender, 'sender_checks', file.sender_checks,
    'outcome', file.outcome, 'import_id', file.import_id,
    'line_count', (
      select import.accepted_count from public.imports import
      where import.tenant_id = file.tenant_id and import.id = file.import_id
        and import.status = 'done'),
    'error', file.error, 'created_at', private.iso(file.created_at),
    'tried_at', private.iso(file.tried_at), 'taken_at', private.iso(file.taken_at));
end $$;

-- A connection of the caller's tenant. Refuses: not_found.
create function private.find_connection(id text) returns public.connections
language plpgsql stable set search_path = '' as $$
declare
  connection public.connections;
begin
  select * into connection from public.connections
  where connections.tenant_id = private.tenant_id() and connections.id = $1
    and connections.deleted_at is null;
  if not found then
    perform private.refuse_missing('connection');
  end if;
  return connection;
end $$;

-- The same, locked until the transaction ends.
create function private.lock_connection(id text) returns public.connections
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.connections connection
  where connection.tenant_id = private.tenant_id() and connection.id = $1 for no key update;
  return private.find_connection(id);
end $$;

grant execute on function
  private.connection_json(public.connections), private.connection_version(public.connections),
  private.versioned_connection_json(public.connections),
  private.connection_file_json(public.connection_files), private.find_connection(text)
to authenticated;
