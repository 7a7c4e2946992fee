-- Reconciliations over the wire. Open exceptions are counted at each call: a stored count can be
-- wrong.

create function private.reconciliation_json(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', r.id, 'name', r.name, 'status', r.status, 'period_start', r.period_start, 'period_end',
    r.period_end,
    'left_source', r.left_source, 'right_source', r.right_source, 'left_source_id',
    r.left_source_id, 'right_source_id', r.right_source_id,
    'auto_run', r.auto_run, 'preparing', private.is_preparing(r.tenant_id, r.pair_no),
    'matched_count', case when r.pair_no is null then r.matched_count else coalesce((
      select matched_count.lines
      from private.matched_counts matched_count
      where matched_count.tenant_id = r.tenant_id and matched_count.reconciliation_id = r.id),
        0) end,
    'unmatched_count',
    case when r.pair_no is null then r.unmatched_count when r.closed_at is not null then (
      select count(*)
      from public.carried_lines carried_line
      where carried_line.tenant_id = r.tenant_id and carried_line.reconciliation_id = r.id)
    else (
      select count(*)
      from private.open_lines open_line
      where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
        and open_line.value_date <= r.period_end) end,
    'excluded_count',
    (select count(*) from public.exclusions exclusion
      where exclusion.tenant_id = r.tenant_id and exclusion.reconciliation_id = r.id),
    'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
    'sign_off', case when r.pair_no is not null then private.sign_off_json(r) end,
    'closing', private.is_closing(r.tenant_id, r.pair_no, r.id), 'closing_failure', (
      select closing_request.failure
      from private.closing_requests closing_request
      where closing_request.tenant_id = r.tenant_id and closing_request.reconciliation_id = r.id
        and r.status <> 'archived'),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = r.tenant_id and exception.reconciliation_id = r.id
        and exception.status in ('open', 'in_review')
    ),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at',
    private.iso(r.updated_at)
  );
end $$;

-- Covers only what people set: no clocks, no counters, nothing that other work adds.
create function private.reconciliation_version(r public.reconciliations) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    r.name, r.status, r.period_start, r.period_end, r.left_source, r.right_source, r.matched_count,
    r.unmatched_count, r.left_source_id,
    r.right_source_id, r.auto_run, r.closed_at
  ));
end $$;

-- input: the columns; with left_source_id and right_source_id it compares the lines of these
-- sources, and is prepared first if they have many. Refuses: invalid_request, conflict. Records:
-- reconciliation.created.
create function private.create_reconciliation(input jsonb) returns public.reconciliations
language plpgsql volatile set search_path = '' as $$
declare
  pair integer;
  is_open boolean;
  created public.reconciliations;
begin
  if input ->> 'left_source_id' is not null then
    if input ? 'matched_count' or input ? 'unmatched_count' then
      perform private.refuse_conflict('counts_computed',
        'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select opened.pair_no, opened.is_open into pair, is_open
    from private.open_pair(input ->> 'left_source_id', input ->> 'right_source_id') opened;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source,
    right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date,
    (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source',
      (select source.name from public.sources source
        where source.tenant_id = private.tenant_id() and source.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source',
      (select source.name from public.sources source
        where source.tenant_id = private.tenant_id() and source.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0),
    coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id',
    coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  perform private.record_security_event('reconciliation.created', created.id, null,
    jsonb_build_object('name', created.name, 'period_start', created.period_start,
      'period_end', created.period_end, 'left_source_id', created.left_source_id,
      'right_source_id', created.right_source_id));
  if pair is not null then
    perform private.carry_from_closed(created);
  end if;
  if is_open then
    perform private.request_runs(private.tenant_id(), pair);
  elsif pair is not null then
    perform private.queue_preparing(private.tenant_id(), pair, interval '0');
  end if;
  return created;
end $$;

-- input and refusals: as private.create_reconciliation.
create function public.create_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_reconciliation');
  created public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  created := private.create_reconciliation(input);
  return private.finish_request(request,
    private.reconciliation_json(created)
      || jsonb_build_object('version', private.reconciliation_version(created)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_reconciliation');
  select * into r
  from public.reconciliations x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  return private.reconciliation_json(r)
    || jsonb_build_object('version', private.reconciliation_version(r));
end $$;

-- input: { id, patch }, a merge patch of the writable columns. Refuses: not_found,
-- precondition_failed, invalid_transition, invalid_request, conflict.
create function public.update_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_reconciliation');
  before public.reconciliations;
  after public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.lock_pair_of(input ->> 'id');
  select * into before
  from public.reconciliations x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations x set
      name = after.name, status = after.status, period_start = after.period_start,
      period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count,
      auto_run = after.auto_run
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.finish_request(request,
    private.reconciliation_json(after)
      || jsonb_build_object('version', private.reconciliation_version(after)));
end $$;

-- Newest first. input: { limit, after: [id] | null, status, period_from, period_to, left_source_id,
-- right_source_id }: periods that overlap the span.
create function public.list_reconciliations(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_reconciliations');
  select jsonb_agg(private.reconciliation_json(r) order by r.id desc) into items
  from (
    select * from public.reconciliations x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'left_source_id' is null or x.left_source_id = input ->> 'left_source_id')
      and (input ->> 'right_source_id' is null or x.right_source_id = input ->> 'right_source_id')
      and (input ->> 'period_from' is null or x.period_end >= (input ->> 'period_from')::date)
      and (input ->> 'period_to' is null or x.period_start <= (input ->> 'period_to')::date)
    order by x.id desc
    limit page_size + 1
  ) r;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function
  private.reconciliation_json(public.reconciliations),
  private.reconciliation_version(public.reconciliations)
to authenticated;
