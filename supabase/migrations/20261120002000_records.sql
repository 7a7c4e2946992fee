-- Records: the tenant's own JSON objects under the names of the generic surfaces, searchable, deleted softly, purged later.
-- A surface is declared in lib/records/surfaces; the database knows the name of one only where the public may read it.

create extension if not exists btree_gin with schema extensions;

-- Punctuation parts words, so that "payouts" is found in "stripe.payouts". Other scripts are left as they are.
create function private.record_words(content text) returns text
language sql immutable set search_path = ''
return translate(lower(content), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32));

-- The words of every text and number in a record, however deep.
create function private.record_search(data jsonb) returns tsvector
language sql immutable set search_path = ''
return (
  select to_tsvector('simple'::regconfig, private.record_words(coalesce(string_agg(value #>> '{}', ' '), '')))
  from jsonb_path_query(data - '{tenantId,idempotencyKey}'::text[], 'strict $.**') value
  where jsonb_typeof(value) in ('string', 'number')
);

-- Each word of `q` begins a word of the record; what punctuation joins ("2.4.1") stands together in it as well.
create function private.record_query(q text) returns tsquery
language plpgsql immutable set search_path = '' as $$
declare
  query tsquery;
  phrase tsquery;
  joined text;
  words text[];
begin
  for joined in select token from regexp_split_to_table(q, '\s+') token loop
    words := regexp_split_to_array(btrim(private.record_words(joined)), '\s+');
    continue when words = '{""}';
    phrase := to_tsquery('simple', format('''%s'':*', words[cardinality(words)]));
    for i in reverse cardinality(words) - 1 .. 1 loop
      phrase := tsquery_phrase(to_tsquery('simple', format('''%s''', words[i])), phrase);
    end loop;
    query := case when query is null then phrase else query && phrase end;
  end loop;
  return coalesce(query, '');
end $$;

create table public.records (
  id text primary key default private.new_id('rec'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  surface text not null check (surface ~ '^[a-z][a-z0-9-]{0,62}$'),
  data jsonb not null,
  -- Grows with every change; the ETag.
  version bigint not null default 1,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  operation text generated always as (data ->> 'operation') stored check (length(operation) <= 200),
  published boolean not null generated always as (coalesce(data -> 'published' = 'true', false)) stored,
  search tsvector not null generated always as (private.record_search(data)) stored,
  -- The server's own fields are columns, whoever writes.
  check (jsonb_typeof(data) = 'object'
    and not data ?| '{id,tenant_id,created_at,created_by,updated_at,soft_delete,deleted_at,purge_at}')
);
create index records_by_surface on public.records (tenant_id, surface, id desc) where deleted_at is null;
create index records_deleted on public.records (tenant_id, surface, id desc) where deleted_at is not null;
create index records_published on public.records (tenant_id, surface, id desc) where published and deleted_at is null;
create index records_by_operation on public.records (tenant_id, surface, operation, id desc) where deleted_at is null;
create index records_by_update on public.records (tenant_id, surface, updated_at) where deleted_at is null;
create index records_by_deletion on public.records (deleted_at) where deleted_at is not null;
create index records_by_words on public.records using gin (tenant_id, surface, search);

-- What the publishable key may read: these, where `published` is true.
create function private.is_public_surface(surface text) returns boolean
language sql immutable set search_path = ''
return surface in ('release-notes', 'troubleshooting');

create function private.may_read_records(surface text) returns boolean
language sql stable set search_path = ''
return private.allows('{tenant_admin,tenant_analyst,tenant_lead}', array['read:' || surface]);

create function private.may_write_records(surface text) returns boolean
language sql stable set search_path = ''
return private.allows('{tenant_admin,tenant_lead}', array['write:' || surface]);

-- Purged 30 days after deletion, by the hour: a day may have 23 of them where a session's zone is not UTC.
create function private.record_purge_at(deleted_at timestamptz) returns timestamptz
language sql immutable set search_path = ''
return deleted_at + interval '720 hours';

create function private.guard_record_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.version := old.version + 1;
  new.updated_at := now();
  return new;
end $$;
create trigger guard_update before update on public.records
  for each row execute function private.guard_record_update();

-- Nothing leaves before its time, whoever asks and whatever they filter by.
create function private.guard_record_purge() returns trigger
language plpgsql set search_path = '' as $$
begin
  if old.deleted_at is null or private.record_purge_at(old.deleted_at) > now() then
    raise exception 'Record % may not be purged: it was not deleted 30 days ago.', old.id;
  end if;
  return old;
end $$;
create trigger guard_purge before delete on public.records
  for each row execute function private.guard_record_purge();

alter table public.records enable row level security;
grant select on public.records to anon, authenticated, service_role;
grant insert (surface, data), update (data) on public.records to authenticated;

create policy records_read on public.records for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (private.may_read_records(surface) or private.may_write_records(surface))
    and (deleted_at is null or (select private.allows('{tenant_admin}', '{}'))));
create policy records_read_published on public.records for select to anon
  using (tenant_id = (select private.tenant_id())
    and (select private.principal_type()) = 'publishable_key'
    and private.is_public_surface(surface) and published and deleted_at is null);
create policy records_insert on public.records for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and private.may_write_records(surface) and deleted_at is null);
create policy records_update on public.records for update to authenticated
  using (tenant_id = (select private.tenant_id()) and private.may_write_records(surface) and deleted_at is null)
  with check (tenant_id = (select private.tenant_id()));

grant execute on function
  private.record_words(text), private.record_search(jsonb), private.record_query(text), private.is_public_surface(text),
  private.may_read_records(text), private.may_write_records(text), private.record_purge_at(timestamptz)
to anon, authenticated;

-- Forgets records deleted 30 days ago, at most `batch` at a time; answers how many. One that is being restored is left alone.
create function private.purge_records(batch integer default 1000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  purged integer;
begin
  delete from public.records where id = any (array(
    select r.id from public.records r where r.deleted_at <= now() - interval '720 hours'
    order by r.deleted_at limit batch for update skip locked
  ));
  get diagnostics purged = row_count;
  return purged;
end $$;
grant execute on function private.purge_records(integer) to service_role;
