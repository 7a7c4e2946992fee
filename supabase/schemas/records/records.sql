-- Records: the tenant's own JSON objects under the names of the generic surfaces. They are
-- searchable, deleted softly, and purged later. A surface is declared in lib/records/surfaces; the
-- database knows it by its permissions, read:<surface> and so on.

-- Lower case, with one full stop for everything between the letters of one word: "Stripe_Payouts"
-- becomes "stripe.payouts".
create function private.record_words(content text) returns text
language sql immutable set search_path = ''
return regexp_replace(
  translate(lower(content), '!"#$%&''()*+,-/:;<=>?@[\]^_`{|}~', repeat('.', 31)),
  '\.{2,}', '.', 'g');

-- Words are stored with a mark of their tenant and surface, so that a prefix search never reads
-- another's words. Two surfaces with the same mark would only slow each other down: rows name their
-- tenant and surface.
create function private.record_mark(tenant_id text, surface text) returns text
language sql immutable set search_path = ''
return left(md5(tenant_id || '/' || surface), 8);

-- The words of every text and number in a record, at any depth. "stripe.payouts.de" also gives
-- "payouts.de" and "de", so that the beginning of each part finds it. Everything is bounded: parts
-- of more than 60 characters, words of more than 100 parts and records of more than 10,000 parts or
-- 256 KiB of them are found by the part that is stored. Beyond 1 MiB a tsvector reads its own words
-- wrongly.
create function private.record_search(tenant_id text, surface text, data jsonb) returns tsvector
language sql immutable set search_path = ''
return (
  select coalesce(array_to_tsvector(array_agg(distinct kept.lexeme)), '')
  from (
    select found.lexeme, sum(octet_length(found.lexeme)) over (rows unbounded preceding) as bytes
    from (
      select private.record_mark($1, $2)
        || left(array_to_string(word.parts[part_no:part_no + 19], '.'), 60) as lexeme
      from jsonb_path_query(data - '{tenantId,idempotencyKey}'::text[], 'strict $.**') value
      cross join regexp_split_to_table(private.record_words(value #>> '{}'), '\s+') token
      cross join lateral (select (string_to_array(btrim(token, '.'), '.'))[1:100] as parts) word
      cross join generate_subscripts(word.parts, 1) part_no
      where jsonb_typeof(value) in ('string', 'number') and btrim(token, '.') <> ''
      limit 10000
    ) found
  ) kept
  where kept.bytes <= 262144
);

-- Each word of the search is the beginning of a part of a word of the record.
create function private.record_query(tenant_id text, surface text, search text) returns tsquery
language sql immutable set search_path = ''
return coalesce((
  select string_agg(
    format('''%s%s'':*', private.record_mark($1, $2), left(btrim(token, '.'), 60)), ' & '
  )
  from regexp_split_to_table(private.record_words(search), '\s+') token
  where btrim(token, '.') <> ''
), '')::tsquery;

create table public.records (
  id text not null default private.new_id('rec'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  surface text not null check (surface ~ '^[a-z][a-z0-9-]{0,62}$'),
  data jsonb not null,
  -- Grows with every change; it is the ETag.
  version bigint not null default 1,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  operation text generated always as (data ->> 'operation') stored check (length(operation) <= 200),
  published boolean not null generated always as (
    coalesce(data -> 'published' = 'true', false)) stored,
  search tsvector not null generated always as (
    private.record_search(tenant_id, surface, data)) stored,
  primary key (tenant_id, id),
  -- The server's own fields are columns and cannot be written in data.
  check (jsonb_typeof(data) = 'object'
    and not data ?| '{id,tenant_id,created_at,created_by,updated_at,soft_delete,deleted_at,purge_at}')
);
create index records_by_surface on public.records (tenant_id, surface, id desc)
where deleted_at is null;
create index records_deleted on public.records (tenant_id, surface, id desc)
where deleted_at is not null;
create index records_published on public.records (tenant_id, surface, id desc)
where published and deleted_at is null;
create index records_by_operation on public.records (tenant_id, surface, operation, id desc)
where deleted_at is null;
create index records_by_update on public.records (tenant_id, surface, updated_at)
where deleted_at is null;
create index records_by_deletion on public.records (deleted_at) where deleted_at is not null;
create index records_by_words on public.records using gin (search);

-- 30 days, in hours: a day may have 23 hours if a session's zone is not UTC.
create function private.record_retention() returns interval
language sql immutable set search_path = ''
return interval '720 hours';

create function private.record_purge_at(deleted_at timestamptz) returns timestamptz
language plpgsql immutable set search_path = '' as $$
begin
  return deleted_at + private.record_retention();
end $$;

-- Deleted, but still restorable: the content of the bin. After that time a record is gone, whether
-- or not it was purged.
create function private.is_restorable(deleted_at timestamptz) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return private.record_purge_at(deleted_at) > now();
end $$;

create function private.guard_record_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.version := old.version + 1;
  new.updated_at := now();
  return new;
end $$;
create trigger guard_update before update on public.records
  for each row execute function private.guard_record_update();

-- No row is purged early, for any role and any filter, except by the reset of a sandbox.
create function private.guard_record_purge() returns trigger
language plpgsql set search_path = '' as $$
begin
  if (old.deleted_at is null or private.record_purge_at(old.deleted_at) > now())
    and not private.is_being_reset(old.tenant_id) then
    raise exception 'Record % may not be purged: it was not deleted 30 days ago.', old.id;
  end if;
  return old;
end $$;
create trigger guard_purge before delete on public.records
  for each row execute function private.guard_record_purge();

create trigger count_new after insert on public.records referencing new table as changed
  for each statement execute function private.count_rows('records', '1');
create trigger count_gone after delete on public.records referencing old table as changed
  for each statement execute function private.count_rows('records', '-1');

-- Writers of a surface see what they write. Deleted rows are visible with the permission to
-- restore. The publishable key sees published records of the public surfaces.
alter table public.records enable row level security;
grant select on public.records to anon, authenticated, service_role;
create policy records_read on public.records for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and surface = any ((select private.permitted('read', 'write'))::text[])
    and (deleted_at is null or private.is_restorable(deleted_at)
    and surface = any ((select private.permitted('restore'))::text[])));
create policy records_read_published on public.records for select to anon
  using (tenant_id = (select private.tenant_id())
    and (select private.principal_type()) = 'publishable_key'
    and surface = any ((select private.permitted('read'))::text[]) and published
    and deleted_at is null);

grant execute on function
  private.record_retention(), private.record_purge_at(timestamptz),
  private.is_restorable(timestamptz)
to anon, authenticated;

-- Deletes records that were deleted 30 days ago, at most `batch` at a time; skips those that are
-- being restored. Returns how many.
create function private.purge_records(batch integer default 1000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  purged integer;
begin
  delete from public.records using (
    select expired.tenant_id, expired.id
    from public.records expired
    where expired.deleted_at <= now() - private.record_retention()
    order by expired.deleted_at limit batch for update skip locked
  ) old
  where records.tenant_id = old.tenant_id and records.id = old.id;
  get diagnostics purged = row_count;
  return purged;
end $$;
grant execute on function private.purge_records(integer) to service_role;
