-- Search whose cost is its own tenant's: words are kept with a mark of their tenant and surface, so that a prefix never
-- runs over another's words. And policies that decide once a statement, not once a row.

drop index public.records_by_words;
alter table public.records drop column search;
drop function private.record_query(text), private.record_search(jsonb), private.record_words(text);

-- Lower case, and one full stop for all that stands between letters of one word: "Stripe_Payouts" is "stripe.payouts".
create function private.record_words(content text) returns text
language sql immutable set search_path = ''
return regexp_replace(translate(lower(content), '!"#$%&''()*+,-/:;<=>?@[\]^_`{|}~', repeat('.', 31)), '\.{2,}', '.', 'g');

-- Two surfaces with one mark would slow each other down, no more: the rows say whose they are.
create function private.record_mark(tenant_id text, surface text) returns text
language sql immutable set search_path = ''
return left(md5(tenant_id || '/' || surface), 8);

-- Of "stripe.payouts.de" also "payouts.de" and "de", so that the beginning of each part finds it. Bounded in every way: a
-- part of more than 60 characters, a word of more than 100 parts and a record of more than 10,000 are found by what is kept.
create function private.record_search(tenant_id text, surface text, data jsonb) returns tsvector
language sql immutable set search_path = ''
return (
  select coalesce(array_to_tsvector(array_agg(distinct found.lexeme)), '')
  from (
    select private.record_mark($1, $2) || left(array_to_string(word.parts[i:i + 19], '.'), 60) as lexeme
    from jsonb_path_query(data - '{tenantId,idempotencyKey}'::text[], 'strict $.**') value
    cross join regexp_split_to_table(private.record_words(value #>> '{}'), '\s+') token
    cross join lateral (select (string_to_array(btrim(token, '.'), '.'))[1:100] as parts) word
    cross join generate_subscripts(word.parts, 1) i
    where jsonb_typeof(value) in ('string', 'number') and btrim(token, '.') <> ''
    limit 10000
  ) found
);

-- Each word of `q` begins a part of a word of the record.
create function private.record_query(tenant_id text, surface text, q text) returns tsquery
language sql immutable set search_path = ''
return coalesce((
  select string_agg(
    format('''%s%s'':*', private.record_mark($1, $2), left(btrim(token, '.'), 60)), ' & '
  )
  from regexp_split_to_table(private.record_words(q), '\s+') token
  where btrim(token, '.') <> ''
), '')::tsquery;

grant execute on function
  private.record_words(text), private.record_mark(text, text), private.record_search(text, text, jsonb),
  private.record_query(text, text, text)
to anon, authenticated;

alter table public.records
  add column search tsvector not null generated always as (private.record_search(tenant_id, surface, data)) stored;
create index records_by_words on public.records using gin (search);

-- The surfaces that an API key's scopes name.
create function private.scoped_surfaces(actions text[]) returns text[]
language sql stable set search_path = ''
return case when private.principal_type() = 'api_key' then array(
  select split_part(scope, ':', 2) from jsonb_array_elements_text(auth.jwt() -> 'scopes') scope where split_part(scope, ':', 1) = any (actions)
) else '{}' end;
grant execute on function private.scoped_surfaces(text[]) to authenticated;

-- Who writes sees the rows that it writes; what it may be answered is the functions' to say.
alter policy records_read on public.records
  using (tenant_id = (select private.tenant_id())
    and ((select private.allows('{tenant_admin,tenant_analyst,tenant_lead}', '{}')) or surface = any ((select private.scoped_surfaces('{read,write}'))::text[]))
    and (deleted_at is null or (select private.allows('{tenant_admin}', '{}'))));
alter policy records_insert on public.records
  with check (tenant_id = (select private.tenant_id()) and deleted_at is null
    and ((select private.allows('{tenant_admin,tenant_lead}', '{}')) or surface = any ((select private.scoped_surfaces('{write}'))::text[])));
alter policy records_update on public.records
  using (tenant_id = (select private.tenant_id()) and deleted_at is null
    and ((select private.allows('{tenant_admin,tenant_lead}', '{}')) or surface = any ((select private.scoped_surfaces('{write}'))::text[])))
  with check (tenant_id = (select private.tenant_id()));

create or replace function private.bin_record(id text) returns public.records
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.records;
begin
  update public.records x set deleted_at = now()
  where x.id = $1 and x.tenant_id = private.tenant_id() and x.deleted_at is null
    and private.allows('{tenant_admin,tenant_lead}', array['write:' || x.surface])
  returning * into r;
  return r;
end $$;
drop function private.may_read_records(text), private.may_write_records(text);

-- In plpgsql, whose expressions are planned once: a page has 250 of them.
create or replace function private.record_json(r public.records) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  deletion jsonb := '{"soft_delete": false, "deleted_at": null, "purge_at": null}';
begin
  if r.deleted_at is not null then
    deletion := jsonb_build_object('soft_delete', true, 'deleted_at', private.iso(r.deleted_at),
      'purge_at', private.iso(private.record_purge_at(r.deleted_at)));
  end if;
  return jsonb_build_object('version', r.version, 'record', r.data || deletion || jsonb_build_object(
    'id', r.id, 'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at', private.iso(r.updated_at)
  ));
end $$;

-- The newest identifiers out of several sources, each of which has an index in their order.
create function private.newest_records(sources text[], filters text, page_size integer) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  scans text;
  ids text[];
begin
  select string_agg(format('(select r.id from (%s) r where %s order by r.id desc limit %s)', source, filters, page_size), ' union all ')
  into scans from unnest(sources) source;
  execute format('select array_agg(f.id order by f.id desc) from (select s.id from (%s) s order by s.id desc limit %s) f', scans, page_size)
  into ids;
  return coalesce(ids, '{}');
end $$;

create or replace function private.find_records(input jsonb) returns text[]
language plpgsql stable security definer set search_path = '' as $$
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
    when 'true' then array[own || ' and r.deleted_at is null', own || ' and r.deleted_at is not null']
    when 'only' then array[own || ' and r.deleted_at is not null']
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
end $$;
