drop index public.exceptions_by_assignee;
create index exceptions_by_assignee on public.exceptions (tenant_id, assigned_to, due_at, id) where status in ('open', 'in_review');

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.stretches_after(ranked_by text, after jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  later constant text := format('%L::timestamptz, %L', after ->> 1, after ->> 2);
begin
  return case
    when jsonb_typeof(after) is distinct from 'array' then array['true']
    when ranked_by is null then array[format('(e.due_at, e.id) > (%s)', later)]
    when ranked_by = 'e.severity_rank' then array[format('(e.severity_rank, e.due_at, e.id) > (%L::smallint, %s)', after ->> 0, later)]
    when after ->> 0 = '1' then array[format('e.assigned_to is null and (e.due_at, e.id) > (%s)', later)]
    else array[format('(e.assigned_to, e.due_at, e.id) > (%L, %s)', substr(after ->> 0, 2), later), 'e.assigned_to is null']
  end;
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  ranked_by constant text := case input ->> 'sort_by' when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to' end;
  sort_key constant text := concat_ws(', ', ranked_by, 'e.due_at', 'e.id');
  -- As a cursor says it: nobody comes last.
  rank constant text := case input ->> 'sort_by'
    when 'severity' then 'e.severity_rank::text' when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$ else $q$''::text$q$
  end;
  risk constant text := input ->> 'breach_risk';
  -- minutes_to_breach is rounded up, so what is below 60 has at most 59 minutes left.
  high constant interval := make_interval(mins => private.high_risk_below() - 1);
  medium constant interval := make_interval(mins => private.medium_risk_up_to());
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  stretches text[];
  few text[];
  items jsonb;
begin
  perform private.enter(request, 'list_sla_exceptions');
  if input ->> 'within_minutes' is not null then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
  end if;
  if input ->> 'severity' is not null then
    conditions := conditions || format(' and e.severity_rank = %s', private.severity_rank(input ->> 'severity'));
  end if;
  if input ->> 'assigned_to' is not null then
    conditions := conditions || format(' and e.assigned_to = %L', input ->> 'assigned_to');
  end if;
  if input ->> 'status' is not null then
    conditions := conditions || format(' and e.status = %L', input ->> 'status');
  end if;
  if input ->> 'q' is not null then
    few := private.few_with_words(input ->> 'q');
    conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($3)' end;
    perform set_config('enable_sort', (few is not null)::text, true);
  end if;
  if risk <> 'breached' then
    conditions := conditions || format(' and e.due_at > %L::timestamptz',
      as_of + case risk when 'medium' then high when 'low' then medium else interval '0' end);
  end if;
  if risk <> 'low' then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + case risk when 'breached' then interval '0' when 'high' then high else medium end);
  end if;
  stretches := private.stretches_after(ranked_by, input -> 'after');
  execute (
    select format($q$
      select jsonb_agg(private.exception_json(p.e, $1) || jsonb_build_object('rank', p.rank) order by p.rank, (p.e).due_at, (p.e).id)
      from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $2 + 1) p
    $q$, string_agg(format('(select e, %s as rank from public.exceptions e where %s and %s order by %s limit $2 + 1)', rank, conditions, s, sort_key),
      ' union all '))
    from unnest(stretches) s
  )
  into items using as_of, page_size, few;
  -- The rank is for the cursor; the contract leaves it out.
  return private.page(items, page_size, 'rank', 'due_at', 'id')
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
grant execute on function private.stretches_after(text,jsonb) to authenticated;
