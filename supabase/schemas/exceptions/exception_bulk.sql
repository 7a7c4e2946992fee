-- Many exceptions at once: a bulk change, all or nothing, and an import, line by line.

-- Open exceptions of the caller's tenant that a filter matches, in the order of their ids.
create function private.matching_exceptions(filters jsonb, after text, most integer) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  ids text[];
begin
  execute format(
    $q$select array(select e.id from public.exceptions e
      where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
    and e.id > %L and %s order by e.id limit %s)$q$, coalesce(after, ''),
      private.filter_conditions(filters, now()), most) into ids;
  return ids;
end $$;

-- What a bulk change by filter leaves as it is: refused as { path: ids.<place>, message }.
create function private.skipped_exceptions(ids text[], refused jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('id', e.id, 'title', e.title, 'message', r ->> 'message')
    order by e.id)
    from jsonb_array_elements(refused) r
    join public.exceptions e on e.tenant_id = private.tenant_id()
      and e.id = ids[substr(r ->> 'path', 5)::integer + 1]
  );
end $$;
create function private.not_skipped(ids text[], refused jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select i.id from unnest(ids) with ordinality as i (id, n)
    where not exists (select from jsonb_array_elements(refused) r
      where r ->> 'path' = 'ids.' || (i.n - 1))
      order by i.n);
end $$;

-- input: { ids, and one of patch, pause: { reason, until }, resume: true }, at most 500: all of
-- them or none. Or in place of ids { filter, expected_count, after: [id] | null }: the next 500
-- that match; those that can't be changed are skipped and named. Refuses: not_found,
-- invalid_transition and conflict with the place of each in ids, invalid_request; conflict where
-- other than expected_count match. Records: exceptions.bulk_updated.
create function public.update_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_exceptions');
  tenant constant text := private.tenant_id();
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  p public.sla_policies;
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  matching bigint;
  refused jsonb;
  skipped jsonb := '[]';
  act text;
  columns jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  if by_filter then
    if jsonb_typeof(input -> 'after') is distinct from 'array' then
      matching := private.count_of_view(input -> 'filter');
      if matching <> (input ->> 'expected_count')::bigint then
        perform private.refuse_conflict('count_changed',
          format(
            '%s match now, not %s. Check them and send the new expected_count. Nothing was changed.',
          matching, input ->> 'expected_count'));
      end if;
    end if;
    ids := private.matching_exceptions(input -> 'filter', input -> 'after' ->> 0, batch + 1);
    if cardinality(ids) > batch then
      ids := ids[:batch];
      next_id := ids[batch];
    end if;
  end if;
  perform private.lock_exceptions(ids);
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.')
  order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.id = i.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.',
      refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('An exception cannot move from %s to %s.', e.status, patch ->> 'status'))
      order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
    join public.exceptions e on e.tenant_id = tenant and e.id = i.id
  where patch ? 'status' and not private.exception_may_move(e.status, patch ->> 'status');
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null then
    perform private.refuse('invalid_transition',
      'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  if pause is not null or input ? 'resume' then
    perform private.change_exceptions_for_caller('resume', array(
      select jsonb_build_object('id', e.id)
      from public.exceptions e
      where e.tenant_id = tenant and e.id = any (ids) and e.paused_until <= now()
    ));
    select * into p from public.sla_policies x where x.tenant_id = tenant;
    perform private.require_pause_end((pause ->> 'until')::timestamptz, p);
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', f.fault)
    order by i.n) into refused
    from unnest(ids) with ordinality as i (id, n)
      join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(e, p)
        when e.paused_at is null then 'It is not paused.' end
    ) f (fault)
    where f.fault is not null;
    if refused is not null and by_filter then
      skipped := private.skipped_exceptions(ids, refused);
      ids := private.not_skipped(ids, refused);
    elsif refused is not null then
      perform private.refuse_conflict(
        case when pause is not null then 'cannot_pause' else 'not_paused' end,
        format('Some of these exceptions cannot be %s. Nothing was changed.',
        case when pause is not null then 'paused' else 'resumed' end), refused);
    end if;
  end if;
  act := case when pause is not null then 'pause' when input ? 'resume' then 'resume' else 'edit'
    end;
  columns := case act
    when 'pause' then jsonb_build_object('paused_until', pause -> 'until', 'pause_reason',
      pause -> 'reason')
    else patch end;
  perform private.change_exceptions_for_caller(act,
    array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null,
    jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.finish_request(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', skipped, 'next',
    case when next_id is not null then jsonb_build_array(next_id) end,
    'items', (
      select coalesce(jsonb_agg(private.exception_json(e) order by i.n), '[]')
      from unnest(ids) with ordinality as i (id, n)
        join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    )
  ));
end $$;

-- input: { rows: [{ line, …columns }] }. Rows that name an unknown reconciliation are refused by
-- line, the others are created. Each batch of an import is a change of its own. Records:
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
    jsonb_build_object('line', r ->> 'line', 'path', 'reconciliation_id', 'message',
      'There is no such reconciliation.')) into refused
  from jsonb_array_elements(input -> 'rows') r
  where r ->> 'reconciliation_id' is not null and not exists (
    select
    from public.reconciliations c
    where c.tenant_id = private.tenant_id() and c.id = r ->> 'reconciliation_id'
  );
  select count(*) into accepted
  from private.insert_exceptions(case when refused is null then input -> 'rows' else (
    select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(input -> 'rows') r
    where not exists (select from jsonb_array_elements(refused) f where f ->> 'line' = r ->> 'line')
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
