-- SLA list at any size: every order has its index, and the summary is not counted row by row.

alter table public.exceptions
  add column severity_rank smallint not null generated always as (
    case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end
  ) stored;
create index exceptions_by_severity on public.exceptions (tenant_id, severity_rank, due_at, id) where status in ('open', 'in_review');
create index exceptions_by_assignee on public.exceptions (tenant_id, (coalesce('0' || assigned_to, '1')), due_at, id)
  where status in ('open', 'in_review');

create or replace function private.exception_facts(e public.exceptions) returns jsonb
language sql stable set search_path = ''
return (to_jsonb(e) - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank}'::text[])
  || jsonb_build_object('due_at', private.iso(e.due_at));

-- input: { sort_by, limit, after: [rank, due_at, id] | null, within_minutes, severity, assigned_to, status, breach_risk }.
-- The risk falls as the deadline recedes, so sorting by breach_risk is sorting by due_at. at_risk is high and medium.
create or replace function public.list_sla_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  rank_expression constant text := case input ->> 'sort_by'
    when 'severity' then 'e.severity_rank'
    when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
  end;
  sort_key constant text := concat_ws(', ', rank_expression, 'e.due_at', 'e.id');
  risk constant text := input ->> 'breach_risk';
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  page jsonb;
  last jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  if input ->> 'within_minutes' is not null then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
  end if;
  if input ->> 'severity' is not null then
    conditions := conditions || format(' and e.severity_rank = %s',
      array_position('{critical,high,medium,low}', input ->> 'severity') - 1);
  end if;
  if input ->> 'assigned_to' is not null then
    conditions := conditions || format($q$ and coalesce('0' || e.assigned_to, '1') = %L$q$, '0' || (input ->> 'assigned_to'));
  end if;
  if input ->> 'status' is not null then
    conditions := conditions || format(' and e.status = %L', input ->> 'status');
  end if;
  if risk <> 'breached' then
    conditions := conditions || format(' and e.due_at > %L::timestamptz',
      as_of + case risk when 'medium' then interval '59 minutes' when 'low' then interval '240 minutes' else interval '0' end);
  end if;
  if risk <> 'low' then
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
      jsonb_agg(jsonb_build_array(p.rank::text, private.iso((p.e).due_at), (p.e).id) order by p.rank, (p.e).due_at, (p.e).id) -> ($2 - 1)
    from (select e, %1$s as rank from public.exceptions e where %2$s order by %3$s limit $2 + 1) p
  $q$, coalesce(rank_expression, $q$''::text$q$), conditions, sort_key)
  into page, last using as_of, page_size;

  return private.page(page, page_size, case when jsonb_array_length(coalesce(page, '[]')) > page_size then last end)
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $$;
