-- exception columns

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.exception_json(e public.exceptions, as_of timestamp with time zone DEFAULT now())
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
  is_paused constant boolean := e.paused_at is not null and coalesce(e.paused_until > as_of, true);
  due_at constant timestamptz := case when e.paused_at is null then e.due_at
    else private.deadline(e, as_of) end;
  -- Rounded up: zero or negative after the deadline (spec 2.2).
  minutes constant bigint := case
    when e.status in ('open', 'in_review') then ceil(extract(epoch from due_at - as_of) / 60) end;
  item private.exception_item;
begin
  item.id := e.id;
  item.title := e.title;
  item.severity := e.severity;
  item.assigned_to := e.assigned_to;
  item.due_at := to_char(due_at at time zone 'UTC', iso);
  item.minutes_to_breach := minutes;
  item.breach_risk := case
    when is_paused then 'low'
    when minutes is null then null
    when minutes <= 0 then 'breached'
    when minutes < private.high_risk_below() then 'high'
    when minutes <= private.medium_risk_up_to() then 'medium'
    else 'low'
  end;
  if minutes is not null and e.calendar_no is not null then
    item.business_minutes_remaining := private.business_minutes_remaining(e, as_of);
  end if;
  item.calendar_id := e.calendar_id;
  if is_paused then
    item.paused_at := private.iso(e.paused_at);
    item.paused_until := private.iso(e.paused_until);
    item.pause_reason := e.pause_reason;
  end if;
  item.status := e.status;
  item.reason_code := e.reason_code;
  item.amount_minor := e.amount_minor;
  item.currency := e.currency;
  item.reconciliation_id := e.reconciliation_id;
  item.line_id := 'lin_' || replace(e.line_id::text, '-', '');
  item.suggested_match_id := 'mat_' || replace(e.suggested_match_id::text, '-', '');
  item.details := e.details;
  item.resolution := e.resolution;
  item.created_at := to_char(e.created_at at time zone 'UTC', iso);
  item.created_by := e.created_by;
  item.updated_at := to_char(e.updated_at at time zone 'UTC', iso);
  item.closed_at := to_char(e.closed_at at time zone 'UTC', iso);
  return row_to_json(item);
end $function$;
CREATE OR REPLACE FUNCTION private.write_exceptions(act text, made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform set_config('tieout.writes_exceptions', 'on', true);
  if act = 'create' then
    perform private.insert_exceptions(made);
  else
    perform private.update_exceptions(made);
  end if;
  perform set_config('tieout.writes_exceptions', '', true);
end $function$;
CREATE OR REPLACE FUNCTION private.change_exceptions_for_caller(act text, changes jsonb[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  settable constant text[] := private.exception_settable();
begin
  return query select * from private.change_exceptions(act, array(
    select jsonb_object_agg(k.key, k.value) || jsonb_build_object('tenant_id', private.tenant_id())
    from unnest(changes) with ordinality c (change, place)
    cross join lateral jsonb_each(c.change) k
    where k.key = any (settable) or k.key = 'id' and act <> 'create'
    group by c.place order by c.place
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.exception_settable()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['title'::text, 'severity'::text, 'assigned_to'::text, 'due_at'::text, 'reason_code'::text, 'amount_minor'::text, 'currency'::text, 'reconciliation_id'::text, 'status'::text, 'details'::text, 'resolution'::text, 'calendar_id'::text, 'calendar_no'::text, 'paused_until'::text, 'pause_reason'::text];
CREATE OR REPLACE FUNCTION private.insert_exceptions(made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.exceptions (
    id, tenant_id, title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no,
    due_open_ms, paused_at, paused_until, pause_reason, paused_by_rule, held_due_at, pause_count,
    paused_ms, status, reason_code, amount_minor, currency, reconciliation_id, details, resolution,
    created_at, created_by, updated_at, closed_at, pair_no, line_no, line_id, suggested_match_id,
    grouped_match_id, resolved_by_matching
  )
  select
    n.id, n.tenant_id, n.title, n.severity, n.assigned_to, n.due_at, n.due_from_policy,
    n.calendar_id, n.calendar_no, n.due_open_ms, n.paused_at, n.paused_until, n.pause_reason,
    n.paused_by_rule, n.held_due_at, n.pause_count, n.paused_ms, n.status, n.reason_code,
    n.amount_minor, n.currency, n.reconciliation_id, n.details, n.resolution, n.created_at,
    n.created_by, n.updated_at, n.closed_at, n.pair_no, n.line_no, n.line_id, n.suggested_match_id,
    n.grouped_match_id, n.resolved_by_matching
  from (select (m.after).* from unnest(made) m) n;
end $function$;
CREATE OR REPLACE FUNCTION private.update_exceptions(made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e
  set
    title = n.title, severity = n.severity, assigned_to = n.assigned_to, due_at = n.due_at,
    due_from_policy = n.due_from_policy, calendar_id = n.calendar_id, calendar_no = n.calendar_no,
    due_open_ms = n.due_open_ms, paused_at = n.paused_at, paused_until = n.paused_until,
    pause_reason = n.pause_reason, paused_by_rule = n.paused_by_rule, held_due_at = n.held_due_at,
    pause_count = n.pause_count, paused_ms = n.paused_ms, status = n.status,
    reason_code = n.reason_code, amount_minor = n.amount_minor, currency = n.currency,
    reconciliation_id = n.reconciliation_id, details = n.details, resolution = n.resolution,
    updated_at = n.updated_at, closed_at = n.closed_at, pair_no = n.pair_no, line_no = n.line_no,
    line_id = n.line_id, suggested_match_id = n.suggested_match_id,
    grouped_match_id = n.grouped_match_id, resolved_by_matching = n.resolved_by_matching
  from (select (m.after).* from unnest(made) m) n
  where e.tenant_id = n.tenant_id and e.id = n.id;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_condition(filter text, input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  -- The previous release sends a single value as a string.
  wanted text[] := case jsonb_typeof(input -> filter) when 'string' then array[input ->> filter]
    else private.text_array(input -> filter) end;
begin
  if cardinality(wanted) = 0 then
    return null;
  elsif filter = 'breach_risk' then
    return '(' || array_to_string(private.risk_ranges(wanted, as_of), ' or ') || ')';
  elsif filter = 'severity' then
    return private.one_of('e.severity_rank',
      array(select private.severity_rank(s)::text from unnest(wanted) s));
  elsif filter = 'assigned_to' then
    wanted := array_replace(wanted, 'me', private.actor());
  end if;
  return case
    when not private.facet_has_none(filter) then private.one_of('e.' || filter, wanted)
    when wanted = '{none}' then format('e.%I is null', filter)
    when 'none' = any (wanted) then format('(e.%I is null or %s)', filter,
      private.one_of('e.' || filter, array_remove(wanted, 'none')))
    else private.one_of('e.' || filter, wanted)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.facet_has_none(facet text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (facet = ANY (ARRAY['assigned_to'::text, 'reconciliation_id'::text, 'currency'::text]));
CREATE OR REPLACE FUNCTION private.exception_version(e public.exceptions)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(private.exception_facts(e) - 'calendar_id'
    || jsonb_build_object('closed_at', private.iso(e.closed_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.faceted_exceptions(input jsonb, as_of timestamp with time zone, OUT conditions text, OUT sort_key text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  conditions := coalesce(private.bound_conditions(input), 'true');
  sort_key := 'e.id desc';
  if input ->> 'state' = 'open' then
    conditions := conditions || $q$ and e.status in ('open', 'in_review')$q$;
    sort_key := 'e.due_at, e.id';
  elsif input ->> 'state' = 'closed' then
    conditions := conditions || ' and e.closed_at is not null';
    sort_key := 'e.closed_at desc, e.id desc';
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  if input ->> 'q' is not null then
    conditions := conditions || ' and ' || private.has_words(input ->> 'q');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.missed_facet(input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select case when count(*) = 0 then '0' else format('case when %s > 1 then -1 else %s end',
      string_agg(format('((%s) is not true)::integer', c.condition), ' + '),
      string_agg(format('%s * ((%s) is not true)::integer', c.n, c.condition), ' + ')) end
    from (
      select f.n, private.exception_condition(f.facet, input, as_of) as condition
      from unnest(private.exception_facets()) with ordinality as f (facet, n)
    ) c
    where c.condition is not null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.grouped_by_facet(missed text, conditions text, sort_key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  risk constant text := $q$case when e.closed_at is not null then null
    when e.due_at <= $1 then 'breached'
    when e.due_at <= $1 + make_interval(mins => private.high_risk_below() - 1) then 'high'
    when e.due_at <= $1 + make_interval(mins => private.medium_risk_up_to()) then 'medium'
    else 'low' end$q$;
  fields text;
  grouped text;
  groupings text;
begin
  select
    string_agg(format('%s as %I', case f when 'breach_risk' then risk else 'e.' || f end, f), ', '),
    string_agg(format('s.%I', f), ', '),
    string_agg(format('(s.missed, s.%I)', f), ', ')
  into fields, grouped, groupings
  from unnest(private.exception_facets()) f;
  -- left_out: one bit per facet that isn't grouped by, the first facet's the highest.
  return format($q$
    select s.missed, %1$s, grouping(%1$s) as left_out, count(*) as n,
      count(*) filter (where s.paused) as paused, sum(s.amount_minor) as amount
    from (
      select %2$s, e.amount_minor, e.paused_at is not null as paused, %4$s as missed
      from public.exceptions e where e.tenant_id = %7$L and %5$s order by %6$s limit $2
    ) s
    group by grouping sets ((s.missed), %3$s)
  $q$, grouped, fields, groupings, missed, conditions, sort_key, private.tenant_id());
end $function$;
CREATE OR REPLACE FUNCTION private.value_of_facet()
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select format('case f.facet %s end', string_agg(format('when %L then %s', f,
      case when private.facet_has_none(f) then format('coalesce(g.%I, %L)', f, 'none')
        else format('g.%I', f) end), ' '))
    from unnest(private.exception_facets()) f
  );
end $function$;
CREATE OR REPLACE FUNCTION private.sla_facets(input jsonb, as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  max_exceptions constant integer := 20000;
  max_values constant integer := 50;
  facets constant text[] := private.exception_facets();
  all_left_out constant integer := (1 << cardinality(facets)) - 1;
  counted constant record := private.faceted_exceptions(input, as_of);
  answer jsonb;
begin
  execute format($q$
    with grouped as materialized (%1$s), counted as (
      select f.facet, v.value, sum(g.n) as n, sum(g.amount) as amount
      from unnest($3::text[]) with ordinality as f (facet, place)
      join grouped g on g.missed in (0, f.place)
        and g.left_out = $6 - (1 << (cardinality($3::text[]) - f.place::integer))
      cross join lateral (select %2$s) v (value)
      where v.value is not null
      group by 1, 2
    ), ranked as (
      select *, row_number() over (partition by facet order by n desc, value) as rank from counted
    )
    select jsonb_build_object(
      'total', (select coalesce(sum(n), 0) from grouped where left_out = $6 and missed = 0),
      'paused_count', (select coalesce(sum(paused), 0) from grouped
        where breach_risk = 'low' and left_out = $6 >> 1 and missed in (0, 1)),
      'complete', (select coalesce(sum(n), 0) from grouped where left_out = $6) < $2,
      'facets', (
        select jsonb_object_agg(f, coalesce((
          select jsonb_agg(jsonb_build_object('value', r.value, 'count', r.n,
            'name', case when f = 'reconciliation_id' then (
              select c.name from public.reconciliations c
              where c.tenant_id = $4 and c.id = r.value) end,
            'amount_minor', case when f = 'currency' then least(r.amount, 9007199254740991) end
          ) order by r.rank)
          from ranked r where r.facet = f and r.rank <= $5), '[]'))
        from unnest($3::text[]) f
      )
    )
  $q$, private.grouped_by_facet(private.missed_facet(input, as_of), counted.conditions,
    counted.sort_key), private.value_of_facet()) into answer
  using as_of, max_exceptions, facets, private.tenant_id(), max_values, all_left_out;
  return answer || jsonb_build_object('as_of', private.iso(as_of));
end $function$;
grant execute on function private.exception_facts(public.exceptions) to authenticated;
grant execute on function private.facet_has_none(text) to authenticated;
