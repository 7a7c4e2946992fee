-- Imports: files of lines. The body is stored in chunks until it has been read, so that any matcher
-- on any machine can read it.

create table public.imports (
  id text not null default private.new_id('imp'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  source_no integer not null,
  -- receiving: the upload is not complete, and nobody sees the import.
  status text not null default 'receiving' check (
    status in ('receiving', 'queued', 'reading', 'done', 'failed', 'undoing', 'undone')),
  format text not null,
  mapping jsonb,
  file_name text check (length(file_name) between 1 and 255),
  read_count bigint not null default 0,
  accepted_count bigint not null default 0,
  duplicate_count bigint not null default 0,
  refused_count bigint not null default 0,
  -- Entries that are not booked money.
  skipped_count bigint not null default 0,
  -- The first 100: [{ line, field, message }].
  refusals jsonb not null default '[]',
  -- The first 100: [{ line, reason, text }].
  skips jsonb not null default '[]',
  -- [{ code, message }]
  warnings jsonb not null default '[]',
  -- The first 100, in the form of lib/imports/formats/line.ts.
  statements jsonb not null default '[]',
  opening_balance_minor bigint,
  closing_balance_minor bigint,
  balance_holds boolean,
  bytes_read bigint not null default 0,
  bytes_total bigint not null default 0,
  -- Why it failed, in words for the caller.
  failure text,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  finished_at timestamptz(3),
  undone_at timestamptz(3),
  undone_by text,
  -- All of its lines lie between these numbers, with others that arrived at the same time: an index
  -- of lines by import would cost every line.
  first_line_no bigint,
  last_line_no bigint,
  primary key (tenant_id, id),
  foreign key (tenant_id, source_no) references public.sources (tenant_id, source_no)
);
create index imports_by_source on public.imports (tenant_id, source_no, id);
create index imports_at_work on public.imports (tenant_id, status, id)
where status in ('receiving', 'queued', 'reading', 'undoing');

create table private.import_chunks (
  tenant_id text not null,
  import_id text not null,
  seq integer not null check (seq >= 0),
  bytes bytea not null check (octet_length(bytes) between 1 and 1048576),
  primary key (tenant_id, import_id, seq),
  foreign key (tenant_id, import_id) references public.imports (tenant_id, id) on delete cascade
);
alter table private.import_chunks alter column bytes set storage external;

alter table public.imports enable row level security;
alter table private.import_chunks enable row level security;
grant select on public.imports to authenticated, service_role;
create policy imports_read on public.imports for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));
