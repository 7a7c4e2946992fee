-- Exception search: both lists take words to look for. A search reads the tenant's exceptions in the list's own order until its page
-- is full; an index of words would cost every write what few searches gain.

-- What each word of `q` is compared with, none where there is nothing to look for.
create function private.word_patterns(q text) returns text[]
language sql immutable set search_path = ''
return coalesce((
  select array_agg('%' || replace(replace(replace(word, '\', '\\'), '%', '\%'), '_', '\_') || '%')
  from regexp_split_to_table(lower(q), '\s+') word where word <> ''
), '{}');

grant execute on function private.word_patterns(text) to authenticated;

create or replace function public.list_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size integer := (input ->> 'limit')::integer;
  words constant text[] := private.word_patterns(input ->> 'q');
  page jsonb;
  ids text[];
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:exceptions}');
  select jsonb_agg(private.exception_json(e) order by e.id desc), array_agg(e.id order by e.id desc)
  into page, ids
  from (
    select * from public.exceptions x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'severity' is null or x.severity = input ->> 'severity')
      and (input ->> 'assigned_to' is null or x.assigned_to = input ->> 'assigned_to')
      and (input ->> 'reconciliation_id' is null or x.reconciliation_id = input ->> 'reconciliation_id')
      and (words = '{}' or lower(concat_ws(' ', x.title, x.reason_code, x.id)) like all (words))
    order by x.id desc
    limit page_size + 1
  ) e;
  return private.page(page, page_size, case when cardinality(ids) > page_size then jsonb_build_array(ids[page_size]) end);
end $$;

-- input: { sort_by, limit, after: [rank, due_at, id] | null, within_minutes, severity, assigned_to, status, breach_risk, q }.
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
  if input ->> 'q' is not null then
    conditions := conditions || format($q$ and lower(concat_ws(' ', e.title, e.reason_code, e.id)) like all (%L::text[])$q$,
      private.word_patterns(input ->> 'q'));
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
