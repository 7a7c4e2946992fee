-- Many exceptions at once: a bulk change, all or nothing, and an import, line by line.

-- The open exceptions of the caller's tenant that match a filter, ordered by ID.
create function private.matching_exceptions(filters jsonb, after text, max_count integer)
returns text[]
language plpgsql stable set search_path = '' as $$
declare
  ids text[];
begin
  execute format(
    $q$select array(select e.id from public.exceptions e
      where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
    and e.id > %L and %s order by e.id limit %s)$q$, coalesce(after, ''),
      private.filter_conditions(filters, now()), max_count) into ids;
  return ids;
end $$;

-- What a bulk change by filter skips: refused as { path: ids.<place>, message }.
create function private.skipped_exceptions(ids text[], refused jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('id', exception.id, 'title', exception.title,
      'message', refusal ->> 'message')
    order by exception.id)
    from jsonb_array_elements(refused) refusal
    join public.exceptions exception on exception.tenant_id = private.tenant_id()
      and exception.id = ids[substr(refusal ->> 'path', 5)::integer + 1]
  );
end $$;
create function private.not_skipped(ids text[], refused jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select item.id from unnest(ids) with ordinality as item (id, place)
    where not exists (select from jsonb_array_elements(refused) refusal
      where refusal ->> 'path' = 'ids.' || (item.place - 1))
      order by item.place);
end $$;

-- These exceptions of the caller's tenant on the wire, in this order.
create function private.exceptions_json(ids text[]) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(private.exception_json(exception) order by item.place), '[]')
    from unnest(ids) with ordinality as item (id, place)
    join public.exceptions exception on exception.tenant_id = private.tenant_id()
      and exception.id = item.id
  );
end $$;

-- Refuses: conflict if the number of exceptions that match the filter of a bulk change differs from
-- expected_count. Later batches are not counted, since the exceptions of earlier ones no longer
-- match.
create function private.require_expected_count(input jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  matching bigint;
begin
  if jsonb_typeof(input -> 'after') is not distinct from 'array' then
    return;
  end if;
  matching := private.count_of_view(input -> 'filter');
  if matching <> (input ->> 'expected_count')::bigint then
    perform private.refuse_conflict('count_changed', format(
      '%s match now, not %s. Check them and send the new expected_count. Nothing was changed.',
      matching, input ->> 'expected_count'));
  end if;
end $$;

-- Why some of these exceptions, which are locked, cannot move to a status: [{ path: ids.<place>,
-- message }], or null if all can.
create function private.faults_of_move(ids text[], status text) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (item.place - 1),
      'message', format('An exception cannot move from %s to %s.', exception.status,
        faults_of_move.status)) order by item.place)
    from unnest(ids) with ordinality as item (id, place)
    join public.exceptions exception on exception.tenant_id = private.tenant_id()
      and exception.id = item.id
    where not private.exception_may_move(exception.status, faults_of_move.status)
  );
end $$;

-- The same for exceptions that are to be paused, or resumed if `pause` is null. Ends elapsed pauses
-- first.
create function private.faults_of_pause(ids text[], pause jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  policy public.sla_policies;
begin
  perform private.change_exceptions_for_caller('resume', array(
    select jsonb_build_object('id', exception.id)
    from public.exceptions exception
    where exception.tenant_id = tenant and exception.id = any (ids)
      and exception.paused_until <= now()
  ));
  select * into policy from public.sla_policies where sla_policies.tenant_id = tenant;
  perform private.require_pause_end((pause ->> 'until')::timestamptz, policy);
  return (
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (item.place - 1),
      'message', checked.fault)
      order by item.place)
    from unnest(ids) with ordinality as item (id, place)
    join public.exceptions exception on exception.tenant_id = tenant and exception.id = item.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(exception, policy)
        when exception.paused_at is null then 'It is not paused.' end
    ) checked (fault)
    where checked.fault is not null
  );
end $$;

-- Refuses: not_found, with the place of each ID that the caller's tenant does not have.
create function private.require_exceptions(ids text[]) returns void
language plpgsql stable set search_path = '' as $$
declare
  refused jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (item.place - 1), 'message', 'There is no such exception.')
    order by item.place) into refused
  from unnest(ids) with ordinality as item (id, place)
  where not exists (
    select from public.exceptions exception where exception.tenant_id = private.tenant_id()
      and exception.id = item.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.',
      refused);
  end if;
end $$;

-- Refuses: invalid_transition or conflict, with the place of each refused exception in ids.
create function private.refuse_bulk(action text, refused jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if action = 'edit' then
    perform private.refuse('invalid_transition',
      'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  perform private.refuse_conflict(case action when 'pause' then 'cannot_pause'
    else 'not_paused' end,
    format('Some of these exceptions cannot be %s. Nothing was changed.',
      case action when 'pause' then 'paused' else 'resumed' end), refused);
end $$;

-- input: { ids, and one of patch, pause: { reason, until }, resume: true }, at most 500: all of
-- them or none. Instead of ids { filter, expected_count, after: [id] | null }: the next 500 that
-- match; those that can't be changed are skipped and named, and the others are
-- also returned as they were. Refuses: not_found, invalid_transition
-- and conflict with the place of each in ids; invalid_request; conflict if another number than
-- expected_count matches. Records: exceptions.bulk_updated.
create function public.update_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_exceptions');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  action constant text := case when pause is not null then 'pause' when input ? 'resume'
    then 'resume'
    else 'edit' end;
  columns constant jsonb := case when pause is null then patch else
    jsonb_build_object('paused_until', pause -> 'until', 'pause_reason', pause -> 'reason') end;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  refused jsonb;
  skipped jsonb;
  previous jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  if by_filter then
    perform private.require_expected_count(input);
    ids := private.matching_exceptions(input -> 'filter', input -> 'after' ->> 0, batch + 1);
    if cardinality(ids) > batch then
      ids := ids[:batch];
      next_id := ids[batch];
    end if;
  end if;
  perform private.lock_exceptions(ids);
  perform private.require_exceptions(ids);
  refused := case when action <> 'edit' then private.faults_of_pause(ids, pause)
    when patch ? 'status' then private.faults_of_move(ids, patch ->> 'status') end;
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null then
    perform private.refuse_bulk(action, refused);
  end if;
  previous := case when by_filter then private.exceptions_json(ids) else '[]' end;
  perform private.change_exceptions_for_caller(action,
    array(select columns || jsonb_build_object('id', item.id) from unnest(ids) item (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null,
    jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.finish_request(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', coalesce(skipped, '[]'),
    'next', case when next_id is not null then jsonb_build_array(next_id) end,
    'items', private.exceptions_json(ids), 'previous', previous
  ));
end $$;

-- input: { rows: [{ line, …columns }] }. Rows that name an unknown reconciliation are refused by
-- line, the others are created. Each batch of an import is a separate change. Records:
-- exceptions.imported.
create function public.import_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'import_exceptions');
  refused jsonb;
  accepted integer;
begin
  if replayed is not null then
    return replayed;
  end if;
  select jsonb_agg(
    jsonb_build_object('line', row ->> 'line', 'path', 'reconciliation_id',
      'message', 'There is no such reconciliation.')) into refused
  from jsonb_array_elements(input -> 'rows') row
  where row ->> 'reconciliation_id' is not null and not exists (
    select
    from public.reconciliations period
    where period.tenant_id = private.tenant_id() and period.id = row ->> 'reconciliation_id'
  );
  select count(*) into accepted
  from private.insert_exceptions(case when refused is null then input -> 'rows' else (
    select coalesce(jsonb_agg(row), '[]') from jsonb_array_elements(input -> 'rows') row
    where not exists (select from jsonb_array_elements(refused) fault
      where fault ->> 'line' = row ->> 'line')
  ) end);
  if not (private.principal_type() = 'service_role'
    and coalesce((request ->> 'continues')::boolean, false)) then
    perform private.record_security_event('exceptions.imported', null, null,
      jsonb_build_object('accepted', accepted, 'refused',
        jsonb_array_length(coalesce(refused, '[]'))));
  end if;
  return private.finish_request(request,
    jsonb_build_object('accepted', accepted, 'refused', coalesce(refused, '[]')));
end $$;
