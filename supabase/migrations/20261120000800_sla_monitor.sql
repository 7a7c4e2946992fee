-- SLA monitor: open exceptions by nearness to breach, and the summary of all of them.

-- input: { sort_by, limit, after: [rank, due_at, id] | null, within_minutes, severity, assigned_to, status, breach_risk }.
-- The risk falls as the deadline recedes, so sorting by breach_risk is sorting by due_at.
create function public.list_sla_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  rank_expression constant text := case input ->> 'sort_by'
    when 'severity' then $q$(case e.severity when 'critical' then '0' when 'high' then '1' when 'medium' then '2' else '3' end)$q$
    when 'assigned_to' then $q$(case when e.assigned_to is null then '1' else '0' || e.assigned_to end)$q$
  end;
  -- Without a rank the order is that of the index exceptions_by_deadline.
  sort_key constant text := concat_ws(', ', rank_expression, 'e.due_at', 'e.id');
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  risk constant text := input ->> 'breach_risk';
  page jsonb;
  last jsonb;
  summary jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  if input ->> 'within_minutes' is not null then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz', as_of + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
  end if;
  if input ->> 'severity' is not null then
    conditions := conditions || format(' and e.severity = %L', input ->> 'severity');
  end if;
  if input ->> 'assigned_to' is not null then
    conditions := conditions || format(' and e.assigned_to = %L', input ->> 'assigned_to');
  end if;
  if input ->> 'status' is not null then
    conditions := conditions || format(' and e.status = %L', input ->> 'status');
  end if;
  -- at_risk is high and medium.
  if risk in ('high', 'medium', 'at_risk', 'low') then
    conditions := conditions || format(' and e.due_at > %L::timestamptz',
      as_of + case when risk in ('high', 'at_risk') then interval '0' when risk = 'medium' then interval '59 minutes' else interval '240 minutes' end);
  end if;
  if risk in ('breached', 'high', 'medium', 'at_risk') then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + case risk when 'breached' then interval '0' when 'high' then interval '59 minutes' else interval '240 minutes' end);
  end if;
  if jsonb_typeof(input -> 'after') = 'array' then
    conditions := conditions || format(' and (%s) > (%s%L::timestamptz, %L)', sort_key,
      case when rank_expression is not null then quote_literal(input -> 'after' ->> 0) || ', ' else '' end,
      input -> 'after' ->> 1, input -> 'after' ->> 2);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(p.e, $1) order by p.rank, (p.e).due_at, (p.e).id),
      jsonb_agg(jsonb_build_array(p.rank, private.iso((p.e).due_at), (p.e).id) order by p.rank, (p.e).due_at, (p.e).id) -> ($2 - 1)
    from (select e, %1$s as rank from public.exceptions e where %2$s order by %3$s limit $2 + 1) p
  $q$, coalesce(rank_expression, $q$''::text$q$), conditions, sort_key)
  into page, last using as_of, page_size;

  select jsonb_build_object(
    'breached_count', count(*) filter (where due_at <= as_of),
    'at_risk_count', count(*) filter (where due_at > as_of and due_at <= as_of + interval '240 minutes'),
    'on_track_count', count(*) filter (where due_at > as_of + interval '240 minutes'),
    'total_open', count(*)
  ) into summary
  from public.exceptions where tenant_id = private.tenant_id() and status in ('open', 'in_review');

  return private.page(page, page_size, case when jsonb_array_length(coalesce(page, '[]')) > page_size then last end)
    || jsonb_build_object('summary', summary, 'as_of', private.iso(as_of));
end $$;

grant execute on function public.list_sla_exceptions(jsonb, jsonb) to authenticated;
