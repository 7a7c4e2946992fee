-- Values: the form in which times, identifiers, lists and changes leave the database.

-- ISO 8601 UTC with milliseconds: the only form in which a time leaves the database.
create function private.iso(moment timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end $$;

-- A typed identifier that sorts by time: 48 bits of milliseconds, then 74 random bits.
create function private.new_id(prefix text) returns text
language plpgsql volatile set search_path = '' as $$
begin
  return prefix || '_'
    || lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 13);
end $$;

-- How IDs that are made at a moment begin, after their prefix.
create function private.id_time(at timestamptz) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return lpad(to_hex(greatest((extract(epoch from at) * 1000)::bigint, 0)), 12, '0');
end $$;

-- The texts of a JSON array; an empty array for anything else.
create function private.text_array(value jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return case when jsonb_typeof(value) = 'array' then array(select jsonb_array_elements_text(value))
    else '{}' end;
end $$;

-- JSON merge patch (RFC 7396) in one pass: field by field it would copy the whole object each time,
-- which takes seconds for a patch of thousands of fields.
create function private.merge_patch(target jsonb, patch jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  base constant jsonb := case when jsonb_typeof(target) = 'object' then target else '{}' end;
begin
  if jsonb_typeof(patch) <> 'object' then
    return patch;
  end if;
  return (
    select coalesce(jsonb_object_agg(merged.key, merged.value), '{}')
    from (
      select target_field.key, target_field.value from jsonb_each(base) target_field
      where not patch ? target_field.key
      union all
      select patch_field.key,
        case when jsonb_typeof(patch_field.value) = 'object'
          then private.merge_patch(base -> patch_field.key, patch_field.value)
          else patch_field.value end
      from jsonb_each(patch) patch_field where patch_field.value <> 'null'
    ) merged
  );
end $$;

-- What changed between two objects: { field: { from, to } }, or null if nothing did. A field that
-- only `before` has is no change.
create function private.changes(before jsonb, after jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select jsonb_object_agg(key, jsonb_build_object('from', before -> key, 'to', value))
    from jsonb_each(after) where value is distinct from coalesce(before -> key, 'null')
  );
end $$;

-- The version of a state that has no counter: 52 bits of its digest, which a JSON number holds.
create function private.version_of(state jsonb) returns bigint
language plpgsql immutable set search_path = '' as $$
begin
  return ('x' || left(encode(sha256(convert_to(state::text, 'UTF8')), 'hex'), 13))::bit(52)::bigint;
end $$;

-- The `like` patterns of the words of a search; empty if there is nothing to search for.
create function private.word_patterns(search text) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce((
    select array_agg('%' || replace(replace(replace(word, '\', '\\'), '%', '\%'), '_', '\_') || '%')
    from regexp_split_to_table(lower(search), '\s+') word where word <> ''
  ), '{}');
end $$;

-- A keyset page from up to `page_size` + 1 items: { items, next }. `next` holds these fields of the
-- page's last item as texts, or is null on the last page; the next call passes it as input.after.
create function private.page(items jsonb, page_size integer, variadic key text[]) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if coalesce(jsonb_array_length(items), 0) <= page_size then
    return jsonb_build_object('items', coalesce(items, '[]'), 'next', null);
  end if;
  return jsonb_build_object('items', items - page_size, 'next', (
    select jsonb_agg(items -> (page_size - 1) ->> k.field order by k.place)
    from unnest(key) with ordinality as k (field, place)
  ));
end $$;

-- How many rows of a list a call looks at, at most, by the pages of 8 kB that each costs. A filter
-- that few rows match then costs a page with fewer items, or none, and a cursor to go on from.
create function private.max_looked_at(pages_per_row numeric) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return 2000 / pages_per_row;
end $$;

-- The page of a list that looked at rows up to the one with this key, in the form of `next`; null
-- if it looked at all of them.
create function private.page_up_to(looked_at text[], items jsonb, page_size integer,
  variadic key text[]) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  page constant jsonb := private.page(items, page_size, variadic key);
begin
  return case when jsonb_typeof(page -> 'next') = 'null' and looked_at is not null
    then page || jsonb_build_object('next', looked_at) else page end;
end $$;

grant execute on function private.iso(timestamptz) to anon, authenticated, service_role;
grant execute on function
  private.text_array(jsonb), private.changes(jsonb, jsonb), private.version_of(jsonb),
  private.word_patterns(text), private.id_time(timestamptz)
to authenticated;
grant execute on function private.page(jsonb, integer, text[]) to anon, authenticated;
grant execute on function private.max_looked_at(numeric),
  private.page_up_to(text[], jsonb, integer, text[]) to authenticated;
