-- Exceptions over the wire, one at a time: create, get, update, list.

-- An exception of the caller's tenant. Refuses: not_found.
create function private.find_exception(id text) returns public.exceptions
language plpgsql stable set search_path = '' as $$
declare
  exception public.exceptions;
begin
  select * into exception from public.exceptions where exceptions.tenant_id = private.tenant_id()
    and exceptions.id = $1;
  if not found then
    perform private.refuse_missing('exception');
  end if;
  return exception;
end $$;

-- Covers what people set and whether it is closed: no clocks, no counters, nothing that other work
-- adds.
create function private.exception_version(exception public.exceptions) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(private.exception_facts(exception) - 'calendar_id'
    || jsonb_build_object('closed_at', private.iso(exception.closed_at)));
end $$;

-- The wire form of one exception, with the version that its entity tag is made of.
create function private.versioned_exception_json(exception public.exceptions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.exception_json(exception)::jsonb
    || jsonb_build_object('version', private.exception_version(exception));
end $$;

-- Refuses: invalid_request if the tenant has no such reconciliation.
create function private.require_reconciliation(id text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if id is not null
    and not exists (select from public.reconciliations period
      where period.tenant_id = private.tenant_id() and period.id = $1) then
    perform private.refuse_field('reconciliation_id', 'There is no such reconciliation.');
  end if;
end $$;

-- rows: [{ title, severity, … }], the columns a caller may set. Refuses: conflict beyond the quota.
create function private.insert_exceptions(rows jsonb) returns setof public.exceptions
language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_quota('exceptions', jsonb_array_length(rows));
  return query select * from private.change_exceptions_for_caller('create', array(
    select row.value - '{calendar_id,calendar_no,paused_until,pause_reason,resolution}'::text[]
    from jsonb_array_elements(rows) row
  ));
end $$;

-- input: the columns. Refuses: invalid_request.
create function public.create_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_exception');
  created public.exceptions;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_reconciliation(input ->> 'reconciliation_id');
  select * into created from private.insert_exceptions(jsonb_build_array(input));
  return private.finish_request(request, private.versioned_exception_json(created));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  exception public.exceptions;
begin
  perform private.begin_request(request, 'get_exception');
  exception := private.find_exception(input ->> 'id');
  return private.versioned_exception_json(exception);
end $$;

-- The columns that a merge patch sets; for details, the result of patching them.
create function private.patched_columns(before public.exceptions, patch jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return case when patch ? 'details'
    then patch
      || jsonb_build_object('details',
        private.merge_patch(before.details, coalesce(nullif(patch -> 'details', 'null'), '{}')))
    else patch end;
end $$;

-- input: { id, patch }, a merge patch of the writable columns. Refuses: not_found,
-- precondition_failed, invalid_transition, invalid_request; conflict for the deadline of a paused
-- exception.
create function public.update_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_exception');
  patch jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  if replayed is not null then
    return replayed;
  end if;
  select * into before from private.lock_exceptions(array[input ->> 'id']);
  if not found then
    perform private.refuse_missing('exception');
  end if;
  perform private.require_version(private.exception_version(before), request -> 'versions');
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  patch := private.patched_columns(before, patch);
  after := jsonb_populate_record(before, patch);
  if after is distinct from before or before.due_from_policy and patch ? 'due_at' then
    select * into after
    from private.change_exceptions_for_caller('edit',
      array[patch || jsonb_build_object('id', before.id)]);
  end if;
  return private.finish_request(request, private.versioned_exception_json(after));
end $$;

-- The SQL condition of a search on an exception e: each word of q is part of the title or the
-- reason_code; a word of exc_ and hexadecimal digits is the start of the ID.
create function private.has_words(search text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  condition text := 'true';
  word text;
begin
  foreach word in array regexp_split_to_array(btrim(lower(search)), '\s+') loop
    condition := condition
      || case
        when word ~ '^exc_[0-9a-f]*$' then format(' and e.id >= %L and e.id < %L', word,
          word || 'g')
      else format(' and lower(e.title || '' '' || coalesce(e.reason_code, '''')) like %L',
        (private.word_patterns(word))[1]) end;
  end loop;
  return condition;
end $$;

-- All conditions of a filter on an exception e, including the search.
create function private.filter_conditions(filters jsonb, as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return private.exception_conditions(filters, as_of)
    || case when filters ->> 'q' is null then '' else ' and ' || private.has_words(filters ->> 'q')
      end;
end $$;

-- The IDs of the tenant's exceptions that a search finds; null if there are more than 5,000: then
-- reading the list in its order fills a page sooner. It runs above row-level security, under which
-- no index of words is used, and returns only IDs of this tenant.
create function private.narrow_by_search(search text) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  max_count constant integer := 5000;
  ids text[];
begin
  execute format(
    'select array(select e.id from public.exceptions e where e.tenant_id = %L and %s limit %s)',
    private.tenant_id(), private.has_words(search), max_count + 1) into ids;
  return case when cardinality(ids) <= max_count then ids end;
end $$;

-- { updated_since, within_minutes, breach_risk }: changed at or after a moment, and near the
-- deadline, which closed exceptions don't have; null without any of them.
create function private.recent_conditions(input jsonb, as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return nullif(concat_ws(' and ',
    'e.updated_at >= ' || quote_literal(input ->> 'updated_since') || '::timestamptz',
    case when input ?| '{within_minutes,breach_risk}' then $q$e.status in ('open', 'in_review')$q$
      || coalesce(' and ' || private.exception_condition('breach_risk', input, as_of), '')
      || case when input ? 'within_minutes' then private.due_within(input, as_of) else '' end end),
    '');
end $$;

-- The condition of the list's order and cursor; null if there is none.
create function private.exceptions_after(input jsonb) returns text
language plpgsql stable set search_path = '' as $$
begin
  if input ->> 'sort_by' = 'closed_at' then
    return 'e.closed_at is not null'
      || case when jsonb_typeof(input -> 'after') = 'array'
        then format(' and (e.closed_at, e.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0,
          input -> 'after' ->> 1)
        else '' end;
  end if;
  return 'e.id < ' || quote_literal(input -> 'after' ->> 0);
end $$;

-- Newest first; with sort_by closed_at only closed ones, last closed first. input: { limit,
-- sort_by, after: [id] or [closed_at, id] | null, q, updated_since, within_minutes, and the filters
-- of exceptions/exception_filters.sql }.
create function public.list_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  by_closing constant boolean := input ->> 'sort_by' = 'closed_at';
  sort_key constant text := case when by_closing then 'e.closed_at desc, e.id desc' else 'e.id desc'
    end;
  conditions text := concat_ws(' and ', 'e.tenant_id = private.tenant_id()',
    private.exception_conditions(input, now()), private.exceptions_after(input));
  recent constant text := private.recent_conditions(input, now());
  max_count constant integer := 20000;
  found_ids text[];
  recent_ids text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_exceptions');
  if input ->> 'q' is not null then
    found_ids := private.narrow_by_search(input ->> 'q');
    conditions := conditions || ' and '
      || case when found_ids is null then private.has_words(input ->> 'q')
        else 'e.id = any ($1)' end;
  end if;
  if recent is not null then
    -- These have their own indexes: in the order of the list, old exceptions that changed come
    -- last.
    execute format('select array(
        select e.id from public.exceptions e
        where e.tenant_id = private.tenant_id() and %s limit %s)',
      recent, max_count + 1) into recent_ids;
    recent_ids := case when cardinality(recent_ids) <= max_count then recent_ids end;
    conditions := conditions || ' and '
      || case when recent_ids is null then recent else 'e.id = any ($2)' end;
  end if;
  if input ->> 'q' is not null or recent is not null then
    -- The planner expects fewer rows than there are, and would sort them.
    perform set_config('enable_sort', (coalesce(found_ids, recent_ids) is not null)::text, true);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(e) order by %s)
    from (select * from public.exceptions e where %s order by %s limit %s) e
  $q$, sort_key, conditions, sort_key, page_size + 1) into items using found_ids, recent_ids;
  return case when by_closing then private.page(items, page_size, 'closed_at', 'id')
    else private.page(items, page_size, 'id') end;
end $$;

grant execute on function
  private.exceptions_after(jsonb),
  private.find_exception(text), private.has_words(text),
  private.filter_conditions(jsonb, timestamptz), private.narrow_by_search(text),
  private.recent_conditions(jsonb, timestamptz), private.exception_version(public.exceptions),
  private.exception_facts(public.exceptions), private.versioned_exception_json(public.exceptions)
to authenticated;
