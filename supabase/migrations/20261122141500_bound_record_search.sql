create or replace function private.record_search(tenant_id text, surface text, data jsonb) returns tsvector
language sql immutable set search_path = ''
return (
  select coalesce(array_to_tsvector(array_agg(distinct kept.lexeme)), '')
  from (
    select found.lexeme, sum(octet_length(found.lexeme)) over (rows unbounded preceding) as bytes
    from (
      select private.record_mark($1, $2) || left(array_to_string(word.parts[i:i + 19], '.'), 60) as lexeme
      from jsonb_path_query(data - '{tenantId,idempotencyKey}'::text[], 'strict $.**') value
      cross join regexp_split_to_table(private.record_words(value #>> '{}'), '\s+') token
      cross join lateral (select (string_to_array(btrim(token, '.'), '.'))[1:100] as parts) word
      cross join generate_subscripts(word.parts, 1) i
      where jsonb_typeof(value) in ('string', 'number') and btrim(token, '.') <> ''
      limit 10000
    ) found
  ) kept
  where kept.bytes <= 262144
);

-- What is stored with more than 1,000 words may be broken, and is made anew. The record stays the version it was.
alter table public.records disable trigger guard_update;
update public.records set data = data where length(search) > 1000;
alter table public.records enable trigger guard_update;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

