-- Connections: where a source's files are fetched from, without a person, and the history of what
-- was found there. A credential is sealed with a key that the database does not know.

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
  -- For how long size and time of a file have to stay the same.
  stable_seconds smallint not null default 10 check (stable_seconds between 0 and 300),
  -- Whether a file waits for an empty one of its name and .done.
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
  -- Identifies the look that is under way; a later look takes over.
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

-- One per file and version of it, which is known by its path, size and time.
create table public.connection_files (
  id text not null default private.new_id('cfl'),
  tenant_id text not null default private.tenant_id(),
  connection_id text not null,
  source_no integer not null,
  path text not null check (length(path) between 1 and 255),
  -- Null where the server says neither.
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
-- The same content is imported once for a source, under whatever name.
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

create function private.connection_json(c public.connections) returns jsonb
language plpgsql stable set search_path = '' as $$
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
end $$;

-- Covers only what people set: no clocks, no counters, nothing that other work adds.
create function private.connection_version(c public.connections) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    c.address, c.auth, c.user_name, c.region, c.file_glob, c.allowed_senders, c.schedule,
    c.afterwards, c.move_to, c.stable_seconds, c.waits_for_marker, c.assigned_to, c.host_key,
    c.status, private.iso(c.credential_changed_at)));
end $$;

create function private.versioned_connection_json(c public.connections) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.connection_json(c)
    || jsonb_build_object('version', private.connection_version(c));
end $$;

create function private.connection_file_json(f public.connection_files) returns jsonb
language plpgsql stable set search_path = '' as $$
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
end $$;

-- A connection of the caller's tenant. Refuses: not_found.
create function private.find_connection(id text) returns public.connections
language plpgsql stable set search_path = '' as $$
declare
  c public.connections;
begin
  select * into c from public.connections x
  where x.tenant_id = private.tenant_id() and x.id = $1 and x.deleted_at is null;
  if not found then
    perform private.refuse_missing('connection');
  end if;
  return c;
end $$;

-- The same, locked until the transaction ends.
create function private.lock_connection(id text) returns public.connections
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.connections x
  where x.tenant_id = private.tenant_id() and x.id = $1 for no key update;
  return private.find_connection(id);
end $$;

grant execute on function
  private.connection_json(public.connections), private.connection_version(public.connections),
  private.versioned_connection_json(public.connections),
  private.connection_file_json(public.connection_files), private.find_connection(text)
to authenticated;
