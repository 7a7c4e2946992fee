-- Filters: which events a webhook receives, by their content. A filter ignores events that lack the
-- field it tests: a severity filter lets every event about a run pass.

-- filters: { severity: [], assigned_to: [], reconciliation_ids: [], source_ids: [], amount: {
-- currency, from_minor } }. `data` is the event's.
create function private.passes_filters(tenant text, filters jsonb, data jsonb) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  about constant jsonb := data -> 'exception';
  money constant jsonb := coalesce(about, data -> 'match');
  amount constant jsonb := filters -> 'amount';
  -- Null where the event is about no period; empty where an exception names none.
  periods constant text[] := case
    when data ? 'reconciliation_ids' then private.text_array(data -> 'reconciliation_ids')
    when data ? 'reconciliation' then array[data -> 'reconciliation' ->> 'id']
    when data ?| '{exception,run,match}' then array_remove(array[coalesce(about, data -> 'run',
      data -> 'match') ->> 'reconciliation_id'], null)
  end;
begin
  return not coalesce(
    filters ? 'severity' and about is not null
    and not filters -> 'severity' ? (about ->> 'severity')
    or filters ? 'assigned_to' and about is not null
    and not filters -> 'assigned_to' ? coalesce(about ->> 'assigned_to', '')
    or amount is not null and money is not null
    and (money ->> 'currency' is distinct from amount ->> 'currency'
      or abs((money ->> 'amount_minor')::numeric) < (amount ->> 'from_minor')::numeric)
    or filters ? 'reconciliation_ids' and periods is not null
    and not filters -> 'reconciliation_ids' ?| periods
    or filters ? 'source_ids' and data ? 'import'
    and not filters -> 'source_ids' ? (data -> 'import' ->> 'source_id')
    or filters ? 'source_ids' and periods is not null
    and not exists (
      select from public.reconciliations period
      where period.tenant_id = tenant and period.id = any (periods)
        and filters -> 'source_ids' ?| array[period.left_source_id, period.right_source_id]
    ), false);
end $$;

-- Refuses: invalid_request for a source or reconciliation that isn't the tenant's.
create function private.require_filters(filters jsonb) returns void
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  missing text;
begin
  select named into missing
  from unnest(private.text_array(filters -> 'source_ids')) named
  where not exists (select from public.sources source where source.tenant_id = tenant
    and source.id = named);
  if found then
    perform private.refuse_field('filters.source_ids', format('There is no source %s.', missing));
  end if;
  select named into missing
  from unnest(private.text_array(filters -> 'reconciliation_ids')) named
  where not exists (select from public.reconciliations period
    where period.tenant_id = tenant and period.id = named);
  if found then
    perform private.refuse_field('filters.reconciliation_ids',
      format('There is no reconciliation %s.', missing));
  end if;
end $$;

-- Which events of the last 7 days a webhook would have received, among the newest 20,000. input: {
-- events, filters }. Refuses: as creating a webhook does.
create function public.preview_webhook_filters(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' set statement_timeout = '4s' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'preview_webhook_filters');
  tenant constant text := private.tenant_id();
  kinds constant text[] := private.text_array(input -> 'events');
  since constant timestamptz := now() - interval '7 days';
  looked_at constant integer := 20000;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(kinds);
  perform private.require_filters(input -> 'filters');
  return private.finish_request(request, (
    with newest as (
      select event.type, private.passes_filters(tenant, input -> 'filters', event.data) as passes
      from public.events event
      where event.tenant_id = tenant and event.at >= since and event.type = any (kinds)
        and event.test_of is null
        and event.id >= 'evt_' || lpad(to_hex((extract(epoch from since) * 1000)::bigint), 12, '0')
      order by event.id desc limit looked_at
    ), by_type as (
      select newest.type, count(*) as total, count(*) filter (where newest.passes) as matched
      from newest group by newest.type
    )
    select jsonb_build_object(
      'since', private.iso(since), 'as_of', private.iso(now()),
      'total_count', coalesce(sum(by_type.total), 0),
      'matched_count', coalesce(sum(by_type.matched), 0),
      'by_type', coalesce(jsonb_agg(jsonb_build_object('type', by_type.type,
        'total_count', by_type.total,
        'matched_count', by_type.matched) order by by_type.type), '[]'),
      'complete', coalesce(sum(by_type.total), 0) < looked_at
    )
    from by_type
  ));
end $$;
