-- Lines: one amount on one day, written once. The open amount of a line is in private.open_lines,
-- per pair.

create table public.lines (
  -- No foreign keys: they would be checked for each of a million lines. Only
  -- private.insert_staged_lines inserts.
  tenant_id text not null,
  -- 128 bits of SHA-256 over source and external_id, or over source, content and the number among
  -- equal lines of its file or call, so that a line sent again has the same ID. On the wire: lin_
  -- and its 32 hexadecimal digits.
  id uuid not null,
  -- Order of arrival, and the key of narrow tables; never leaves the database.
  line_no bigint not null generated always as identity,
  source_no integer not null,
  -- The line of the imported file; null for lines from POST …/lines.
  file_line integer,
  import_id text,
  external_id text,
  amount_minor bigint not null check (amount_minor between -9007199254740991 and 9007199254740991),
  -- What was withheld from the amount: amount − fee was paid out. Negative: a refund.
  fee_minor bigint check (
    fee_minor between -9007199254740991 and 9007199254740991
      and amount_minor - fee_minor between -9007199254740991 and 9007199254740991),
  currency text not null,
  value_date date not null,
  booked_date date,
  reference text,
  counterparty text,
  description text,
  group_key text,
  details jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, line_no)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
-- Includes what lists filter by, so that lines that don't match are skipped without being read, in
-- pages that were vacuumed since.
create index lines_by_source on public.lines (tenant_id, source_no, value_date, line_no)
  include (currency, amount_minor);
create index lines_with_fee on public.lines (tenant_id, fee_minor) where fee_minor <> 0;

alter table public.lines enable row level security;
grant select on public.lines to authenticated, service_role;
create policy lines_read on public.lines for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

-- The number of lines that are processed while a caller waits; a matcher processes more.
create function private.max_lines_in_request() returns integer
language sql immutable set search_path = ''
return 20000;

-- Converts a line's ID to its form on the wire, and back; null for another form.
create function private.line_id_text(id uuid) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return 'lin_' || replace(id::text, '-', '');
end $$;

create function private.line_id(id text) returns uuid
language plpgsql immutable set search_path = '' as $$
begin
  return case when id ~ '^lin_[0-9a-f]{32}$' then substr(id, 5)::uuid end;
end $$;

-- The number of one of the caller's lines, null for none. Written as a range ordered by ID, which
-- only the index by ID serves: with statistics of other tenants, equality makes each of the
-- tenant's indexes look equally short, and another one would read all of its lines.
create function private.line_no_of(id text) returns bigint
language plpgsql stable set search_path = '' set enable_sort = off as $$
declare
  sought constant uuid := private.line_id($1);
begin
  return (select line.line_no from public.lines line
    where line.tenant_id = private.tenant_id() and line.id >= sought and line.id <= sought
    order by line.id
    limit 1);
end $$;

-- The fee of a line of which a pair counts this amount, which may be negated; 0 if the line has no
-- fee, if the amount is only a part (the fee went with the rest), and if nothing of its sign would
-- be left.
create function private.fee_of_whole(line public.lines, minor bigint) returns bigint
language plpgsql immutable set search_path = '' as $$
begin
  return case
    when line.fee_minor is null
      or sign(line.amount_minor - line.fee_minor) <> sign(line.amount_minor) then 0
    when minor = line.amount_minor then line.fee_minor when minor = -line.amount_minor
      then -line.fee_minor
    else 0
  end;
end $$;

grant execute
  on function private.line_id_text(uuid), private.line_id(text), private.line_no_of(text),
    private.fee_of_whole(public.lines, bigint)
to authenticated;
grant execute on function private.fee_of_whole(public.lines, bigint) to service_role;
