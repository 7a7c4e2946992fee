-- Reconciliations over the wire. Open exceptions are counted at each call: a stored count can be
-- wrong.

create function private.reconciliation_json(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', period.id, 'name', period.name, 'status', period.status,
    'period_start', period.period_start,
    'period_end', period.period_end,
    'left_source', period.left_source, 'right_source', period.right_source,
    'left_source_id', period.left_source_id, 'right_source_id', period.right_source_id,
    'auto_run', period.auto_run,
    'preparing', private.is_preparing(period.tenant_id, period.pair_no),
    'matched_count', case when period.pair_no is null then period.matched_count else coalesce((
      select matched_count.lines
      from private.matched_counts matched_count
      where matched_count.tenant_id = period.tenant_id
        and matched_count.reconciliation_id = period.id),
        0) end,
    'unmatched_count',
    case when period.pair_no is null then period.unmatched_count when period.closed_at is not null
      then (
      select count(*)
      from public.carried_lines carried_line
      where carried_line.tenant_id = period.tenant_id
        and carried_line.reconciliation_id = period.id)
    else (
      select count(*)
      from private.open_lines open_line
      where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
        and open_line.value_date <= period.period_end) end,
    'excluded_count', (select count(*) from public.exclusions exclusion
      where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id),
    'closed_at', private.iso(period.closed_at), 'closed_by', period.closed_by,
    'sign_off', case when period.pair_no is not null then private.sign_off_json(period) end,
    'closing', exists (
      select from private.closing_requests closing_request
      where closing_request.tenant_id = period.tenant_id
        and closing_request.reconciliation_id = period.id and closing_request.failure is null
        and period.status <> 'archived'), 'closing_failure', (
      select closing_request.failure
      from private.closing_requests closing_request
      where closing_request.tenant_id = period.tenant_id
        and closing_request.reconciliation_id = period.id
        and period.status <> 'archived'),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = period.tenant_id and exception.reconciliation_id = period.id
        and exception.status in ('open', 'in_review')
    ),
    'created_at', private.iso(period.created_at), 'created_by', period.created_by,
    'updated_at', private.iso(period.updated_at)
  );
end $$;

-- Covers only what people set: no clocks, no counters, nothing that other work adds.
create function private.reconciliation_version(period public.reconciliations) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    period.name, period.status, period.period_start, period.period_end, period.left_source,
    period.right_source, period.matched_count,
    period.unmatched_count, period.left_source_id,
    period.right_source_id, period.auto_run, period.closed_at
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
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_reconciliation');
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = private.tenant_id() and reconciliations.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  return private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period));
end $$;

-- Records a change of a period, and revokes its signatures if a statement shows what changed.
-- Records: reconciliation.updated, reconciliation.signatures_revoked.
create function private.record_reconciliation_change(before public.reconciliations,
  after public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
declare
  changes constant jsonb := (
    select coalesce(jsonb_object_agg(new_field.key,
      jsonb_build_object('from', old_field.value, 'to', new_field.value)), '{}')
    from jsonb_each(to_jsonb(after)) new_field
    join jsonb_each(to_jsonb(before)) old_field on old_field.key = new_field.key
    where old_field.value is distinct from new_field.value
      and new_field.key in ('name', 'status', 'period_start', 'period_end', 'left_source',
        'right_source', 'auto_run')
  );
begin
  if changes = '{}' then
    return;
  end if;
  if changes - '{status,auto_run}'::text[] <> '{}' and after.closed_at is null then
    perform private.revoke_signatures(after.tenant_id, array[after.id], 'The period was changed.');
  end if;
  perform private.record_security_event('reconciliation.updated', after.id, null,
    jsonb_build_object('name', after.name, 'changes', changes));
end $$;

-- input: { id, patch }, a merge patch of the writable columns. Refuses: not_found,
-- precondition_failed, invalid_transition, invalid_request, conflict. Records:
-- reconciliation.updated, reconciliation.signatures_revoked.
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
  from public.reconciliations period
  where period.tenant_id = private.tenant_id() and period.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations period set
      name = after.name, status = after.status, period_start = after.period_start,
      period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count,
      auto_run = after.auto_run
    where period.tenant_id = before.tenant_id and period.id = before.id
    returning * into after;
    perform private.record_reconciliation_change(before, after);
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
  select jsonb_agg(private.reconciliation_json(period) order by period.id desc) into items
  from (
    select * from public.reconciliations period
    where period.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or period.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or period.status = input ->> 'status')
      and (input ->> 'left_source_id' is null or period.left_source_id = input ->> 'left_source_id')
      and (input ->> 'right_source_id' is null
      or period.right_source_id = input ->> 'right_source_id')
      and (input ->> 'period_from' is null or period.period_end >= (input ->> 'period_from')::date)
      and (input ->> 'period_to' is null or period.period_start <= (input ->> 'period_to')::date)
    order by period.id desc
    limit page_size + 1
  ) period;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function
  private.reconciliation_json(public.reconciliations),
  private.reconciliation_version(public.reconciliations)
to authenticated;
