-- helpers of long functions

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.total_of_accounts(tenant text, source integer, currency text, day date, accounts integer)
 RETURNS TABLE(minor numeric, stated_on date, balance_id text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with latest as (
    select distinct on (x.account) x.account, x.period_end, x.closing_minor, x.id
    from public.source_balances x
    where x.tenant_id = tenant and x.source_no = source and x.currency = total_of_accounts.currency
      and x.account is not null and x.period_end <= day
    order by x.account, x.period_end desc, x.created_at desc, x.id desc
  )
  select sum(l.closing_minor)
      + private.booked_between(tenant, source, total_of_accounts.currency,
        min(l.period_end) + 1, day),
    min(l.period_end), min(l.id)
  from latest l
  having count(*) = accounts and min(l.period_end) = max(l.period_end);
end $function$;
CREATE OR REPLACE FUNCTION private.balance_on(tenant text, source integer, currency text, day date)
 RETURNS TABLE(minor numeric, stated_on date, balance_id text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
declare
  accounts integer;
  b public.source_balances;
begin
  select count(distinct x.account) into accounts from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency;
  if accounts > 1 then
    return query select *
    from private.total_of_accounts(tenant, source, balance_on.currency, day, accounts);
    return;
  end if;
  select * into b from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency
    and x.period_end <= day
  order by x.period_end desc, x.created_at desc, x.id desc limit 1;
  if found then
    return query select b.closing_minor
      + private.booked_between(tenant, source, b.currency, b.period_end + 1, day),
      b.period_end, b.id;
    return;
  end if;
  select * into b from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency
    and x.opening_minor is not null
  order by x.period_start, x.created_at, x.id limit 1;
  if found then
    return query select b.opening_minor
      + private.booked_between(tenant, source, b.currency, b.period_start, day)
      - private.booked_between(tenant, source, b.currency, day + 1, b.period_start - 1),
      b.period_start, b.id;
    return;
  end if;
  select * into b from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency
  order by x.period_end, x.created_at desc, x.id desc limit 1;
  if found then
    return query select b.closing_minor
      - private.booked_between(tenant, source, b.currency, day + 1, b.period_end),
      b.period_end, b.id;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_filters(input jsonb, hits bigint[], amount bigint, after_no bigint, sort_key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  q constant text := nullif(btrim(input ->> 'q'), '');
begin
  return concat_ws(' and ',
    'x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case
      when hits is not null then '(x.line_no = any ($5)'
        || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when q is not null
        then 'exists (select from public.lines l where l.tenant_id = $1 and l.line_no = x.line_no and '
        || private.line_search(q, 'private.line_text(l)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when input ->> 'sort' = 'amount' then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$
        else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case
      when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$
      end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$
      end,
    case
      when input ->> 'amount_from' is not null then $c$x.open_minor >= (
        $2 ->> 'amount_from')::bigint$c$
      end,
    case
      when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$
      end,
    case (input ->> 'suggested')::boolean
      -- Few lines have a suggestion: they are looked up.
      when true then $c$x.line_no = any (array(
        select mm.line_no
        from public.matches m
        join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
        where m.tenant_id = $1 and m.reconciliation_id = $8 and m.state = 'suggested'))$c$
      -- With a lookup for each line until the page is full.
      when false then $c$(
        select true
        from public.match_members mm
        join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3
          and m.state = 'suggested' and m.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_lines_of_caller(r public.reconciliations, input jsonb, hits bigint[], amount bigint, after_no bigint, most integer)
 RETURNS TABLE(n bigint, line_no bigint, side text, amount_minor bigint, open_minor bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  by_amount constant boolean := input ->> 'sort' = 'amount';
  sort_key constant text := case when by_amount then '(-abs(x.open_minor))' else 'x.value_date' end;
  filters constant text := private.open_line_filters(input, hits, amount, after_no, sort_key);
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  -- Planned for these filters, each side in the order of its index until the page is full. The
  -- planner can't know how many lines have a suggestion: assuming few, it would read and sort them
  -- all.
  perform set_config('enable_bitmapscan', (hits is not null)::text, true),
    set_config('enable_seqscan', (hits is not null)::text, true);
  return query execute format($sql$
    select row_number() over (order by o.sort_key, o.line_no), o.line_no, o.side, o.amount_minor,
      o.open_minor
    from unnest($9) s (side) cross join lateral (
      select x.line_no, x.side, x.amount_minor, x.open_minor, %2$s as sort_key
      from private.open_lines x
      where x.tenant_id = $1 and %1$s order by %2$s, x.line_no limit $10
    ) o order by o.sort_key, o.line_no limit $10 $sql$, filters, sort_key)
  using private.tenant_id(), input, r.pair_no, r.period_end, hits, amount, after_no, r.id,
    case when input ->> 'side' is null then array['left', 'right'] else array[input ->> 'side'] end,
    most;
  perform set_config('enable_bitmapscan', 'true', true), set_config('enable_seqscan', 'true', true);
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_people(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_array(
    private.check_json('second_person',
      not (private.requires_second_person(r) and private.worked_in_period(r)), 'block', null,
      case when not private.requires_second_person(r) then 'The policy asks for no second person.'
        when private.worked_in_period(r) then 'You worked in this period. Somebody else closes it.'
        else 'You did not work in this period.' end),
    (
      select private.check_json('signatures',
        s.levels = 0 or s.reviews >= s.levels, 'block', s.reviews,
        case when s.levels = 0 then 'The policy asks for no review.'
          when s.state = 'open' then 'The period is not prepared.'
          else format('%s of %s signed.', s.reviews,
            private.counted(s.levels, 'review is', 'reviews are')) end)
      from (
        select (o ->> 'levels')::integer as levels, o ->> 'state' as state,
          (select count(*) from jsonb_array_elements(o -> 'signatures') x
            where x ->> 'kind' = 'reviewed') as reviews
        from private.sign_off_json(r) o
      ) s
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_files(coverage jsonb, weights jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  missing_days bigint;
  late text;
  break_count bigint;
  without_balance text;
begin
  select sum((c ->> 'missing_days')::bigint),
    string_agg(format('%s has nothing after %s', c ->> 'name',
      coalesce(c ->> 'until', 'the period began')), '; ')
      filter (where (c ->> 'missing_days')::bigint > 0),
    sum(jsonb_array_length(c -> 'breaks')),
    string_agg(c ->> 'name', ' and ') filter (where not (c ->> 'has_balance')::boolean)
  into missing_days, late, break_count, without_balance
  from jsonb_array_elements(coverage) c;
  return jsonb_build_array(
    private.check_json('files', missing_days = 0, weights ->> 'files', missing_days,
      coalesce(late || '.', 'Both sides are in to the last business day.')),
    private.check_json('balances', break_count = 0 and without_balance is null,
      weights ->> 'balances', break_count,
      case when without_balance is not null
          then format('No balance is stated for %s. State one, or import a file that has it.',
            without_balance)
        when break_count > 0 then private.counted(break_count,
          'statement does not follow the one before.', 'statements do not follow the one before.')
        else 'Balances are stated and follow one another.' end)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  weights constant jsonb := private.policy_of_pair(r.tenant_id, r.pair_no) -> 'checks';
  preview constant jsonb := private.close_preview(r);
  totals constant jsonb := private.statement_totals(r);
  unexplained bigint;
begin
  select count(*) into unexplained from jsonb_array_elements(totals -> 'differences') d
  where coalesce(nullif(d -> 'unexplained_minor', 'null'), d -> 'difference_minor') <> '0';
  return jsonb_build_array(
    private.check_json('period_over', preview -> 'days_until_over' = '0',
      weights ->> 'period_over', (preview ->> 'days_until_over')::bigint,
      case when preview -> 'days_until_over' = '0' then 'The period is over.'
        else format('The period is over in %s.',
          private.counted((preview ->> 'days_until_over')::bigint, 'day', 'days')) end)
  ) || private.checks_of_files(private.coverage_of(r), weights) || jsonb_build_array(
    private.check_json('suggestions', preview -> 'suggestions_count' = '0',
      weights ->> 'suggestions', (preview ->> 'suggestions_count')::bigint,
      case when preview -> 'suggestions_count' = '0' then 'No suggestion waits.'
        else private.counted((preview ->> 'suggestions_count')::bigint,
          'suggestion waits for a decision and moves to the next period.',
          'suggestions wait for a decision and move to the next period.') end),
    private.check_json('exceptions', preview -> 'open_exceptions' = '0',
      weights ->> 'exceptions', (preview ->> 'open_exceptions')::bigint,
      case when preview -> 'open_exceptions' = '0' then 'No exception is open.'
        else private.counted((preview ->> 'open_exceptions')::bigint,
          'exception is open and moves to the next period with its lines.',
          'exceptions are open and move to the next period with their lines.') end),
    private.check_json('difference', unexplained = 0, weights ->> 'difference', unexplained,
      case when unexplained = 0 then 'Nothing is unexplained.'
        else format('A difference is unexplained in %s.',
          private.counted(unexplained, 'currency', 'currencies')) end),
    (
      select private.check_json('evidence', x.missing = 0,
        coalesce(weights ->> 'evidence', 'warn'), x.missing,
        case when x.missing = 0 then 'No required evidence is missing.'
          else private.counted(x.missing, 'adjusted match has no evidence.',
            'adjusted matches have no evidence.') end)
      from private.missing_evidence(r) x (missing)
    )
  ) || private.checks_of_people(r);
end $function$;
CREATE OR REPLACE FUNCTION private.decisions_about_line(l public.lines)
 RETURNS TABLE(type text, at timestamp with time zone, actor text, reconciliation_id text, match_id uuid, note text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with matched as materialized (
    select m.*
    from public.match_members mm
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
    where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no
  ), decided as materialized (
    select m.id as match_id, a.kind, a.reconciliation_id, a.created_at, a.created_by, a.undone_at,
      a.undone_by
    from matched m
    join private.acts a on a.tenant_id = m.tenant_id
      and a.reconciliation_id = m.reconciliation_id and m.id = any (a.match_ids)
  )
  -- Matches made by the engine: whatever was decided since then began as a suggestion.
  select case when m.state in ('suggested', 'rejected')
      or exists (select from decided d where d.match_id = m.id) then 'suggested' else 'matched' end,
    m.created_at, m.created_by, m.reconciliation_id, m.id, m.method
  from matched m where m.method <> 'manual'
  union all
  select case d.kind when 'match' then 'matched' when 'confirm' then 'confirmed'
      else 'rejected' end,
    d.created_at, d.created_by, d.reconciliation_id, d.match_id, null
  from decided d
  union all
  select 'undone', d.undone_at, d.undone_by, d.reconciliation_id, d.match_id, null
  from decided d where d.undone_at is not null
  union all
  select 'undone', m.decided_at, coalesce(m.decided_by, 'system'), m.reconciliation_id, m.id, null
  from matched m
  where m.state = 'undone'
    and not exists (select from decided d where d.match_id = m.id and d.undone_at = m.decided_at)
  union all
  select 'excluded', a.created_at, a.created_by, a.reconciliation_id, null, a.reason
  from private.acts a where a.tenant_id = l.tenant_id and a.line_id = l.id
  union all
  select 'included', a.undone_at, a.undone_by, a.reconciliation_id, null, null
  from private.acts a
  where a.tenant_id = l.tenant_id and a.line_id = l.id and a.undone_at is not null;
end $function$;
CREATE OR REPLACE FUNCTION public.list_line_history(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  l public.lines;
begin
  perform private.begin_request(request, 'list_line_history');
  select * into l
  from public.lines x
  where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return (
    with about as materialized (
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.id = any (array(
        select x.exception_id from private.exception_lines x
        where x.tenant_id = l.tenant_id and x.line_no = l.line_no))
      union
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.line_no = l.line_no
    ), told (type, at, actor, reconciliation_id, match_id, exception_id, import_id, note) as (
      select 'added', l.created_at, i.created_by, null, null::uuid, null, i.id, i.file_name
      from (select 1) one
      left join public.imports i on i.tenant_id = l.tenant_id and i.id = l.import_id
      union all
      select d.type, d.at, d.actor, d.reconciliation_id, d.match_id, null, null, d.note
      from private.decisions_about_line(l) d
      union all
      select 'exception_opened', e.created_at, e.created_by, e.reconciliation_id, null, e.id, null,
        e.reason_code
      from about e
      union all
      select case e.status when 'dismissed' then 'exception_dismissed'
          else 'exception_resolved' end,
        e.closed_at, case when e.resolved_by_matching then 'system' end, e.reconciliation_id, null,
        e.id, null, e.resolution
      from about e where e.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', t.type,
      'at', private.iso(t.at), 'actor', t.actor, 'reconciliation_id', t.reconciliation_id,
      'match_id', private.match_id_text(t.match_id), 'exception_id', t.exception_id,
      'import_id', t.import_id, 'note', t.note) order by t.at, t.place), '[]'))
    from (
      select x.*, array_position(
        array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], x.type) as place
      from told x order by x.at desc limit 200
    ) t
  );
end $function$;
CREATE OR REPLACE FUNCTION private.apply_calendar(id text, no bigint, to_open_ones boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  moved record;
begin
  select array_agg(d.id) as ids, array_agg(d.severity) as severities,
    array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
  into moved from private.recalculated_deadlines($1, no) d
  where to_open_ones;
  if moved.ids is not null then
    perform private.move_deadlines(moved.ids, array_fill($1, array[cardinality(moved.ids)]),
      array_fill(no, array[cardinality(moved.ids)]), moved.new_due_ats);
  end if;
  return private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);
end $function$;
CREATE OR REPLACE FUNCTION public.put_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone', 'weekly',
    input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  no bigint;
  impact jsonb;
  periods integer := 0;
begin
  perform private.begin_request(request, 'put_calendar');
  perform
  from public.calendars c
  where c.tenant_id = private.tenant_id() and c.id = input ->> 'id' for update;
  before := private.find_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- This block is rolled back in a dry run.
  begin
    no := private.store_calendar(input, before, has_other_hours);
    if has_other_hours then
      periods := private.request_runs_by_calendar(input ->> 'id');
    end if;
    after := private.find_calendar(input ->> 'id');
    impact := private.apply_calendar(input ->> 'id', no, input ->> 'apply_to' = 'open');
    if dry_run then
      raise exception using errcode = 'TO002', message = 'dry run';
    end if;
  exception when sqlstate 'TO002' then
    null;
  end;
  if not dry_run and after - unlisted <> before - unlisted then
    perform private.record_security_event('calendar.updated', input ->> 'id', null,
      private.changes(before - unlisted, after - unlisted)
        || jsonb_build_object('apply_to', input -> 'apply_to'));
  end if;
  return after
    || jsonb_build_object('dry_run', dry_run, 'impact',
      impact || jsonb_build_object('periods', periods));
end $function$;
CREATE OR REPLACE FUNCTION private.disarm_business_warnings(tenants text[], ids text[])
 RETURNS text[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  armed text[];
begin
  update private.business_warnings w set at = 'infinity'
  from unnest(tenants, ids) as asked (tenant_id, exception_id)
  join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id
    and e.paused_at is not null
  where w.tenant_id = e.tenant_id and w.exception_id = e.id;
  with taken as (
    delete
    from private.business_warnings w
    using unnest(tenants, ids) as asked (tenant_id, exception_id)
    join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id
      and e.paused_at is null
    where w.tenant_id = e.tenant_id and w.exception_id = e.id
    returning w.*
  )
  select array_agg(t.exception_id || ':' || t.minutes) into armed from taken t;
  return armed;
end $function$;
CREATE OR REPLACE FUNCTION private.arm_business_warnings(tenants text[], ids text[], starts boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  armed text[];
  passed record;
begin
  if not exists (select from public.sla_policies p
    where p.tenant_id = any (tenants) and p.at_risk_business_thresholds <> '{}') then
    return;
  end if;
  if not starts then
    armed := private.disarm_business_warnings(tenants, ids);
  end if;
  with placed as materialized (
    select e.tenant_id, e.id, e.due_at, t.minutes,
      case when e.paused_at is null then private.business_warning_at(e, t.minutes) else 'infinity'
        end as at
    from unnest(tenants, ids) as asked (tenant_id, exception_id)
    join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id
      and e.status in ('open', 'in_review')
    join public.sla_policies p on p.tenant_id = e.tenant_id
    cross join lateral unnest(p.at_risk_business_thresholds) as t (minutes)
    where starts or e.paused_at is null
  ), written as (
    insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
    select p.tenant_id, p.id, p.minutes, p.at, p.due_at from placed p where p.at is not null
  )
  select array_agg(x.tenant_id) as tenants, array_agg(x.id) as ids, array_agg(x.minutes) as minutes,
    array_agg(x.due_at) as due_ats
  into passed
  from (
    select p.tenant_id, p.id, p.due_at, min(p.minutes) as minutes from placed p
    where p.at is null and p.due_at > now() and (starts or p.id || ':' || p.minutes = any (armed))
    group by p.tenant_id, p.id, p.due_at
  ) x;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes,
      passed.due_ats);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_after(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if input ->> 'sort_by' = 'closed_at' then
    return 'e.closed_at is not null'
      || case when jsonb_typeof(input -> 'after') = 'array'
        then format(' and (e.closed_at, e.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0,
          input -> 'after' ->> 1)
        else '' end;
  end if;
  return 'e.id < ' || quote_literal(input -> 'after' ->> 0);
end $function$;
CREATE OR REPLACE FUNCTION public.list_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  by_closing constant boolean := input ->> 'sort_by' = 'closed_at';
  sort_key constant text := case when by_closing then 'e.closed_at desc, e.id desc' else 'e.id desc'
    end;
  conditions text := concat_ws(' and ', 'e.tenant_id = private.tenant_id()',
    private.exception_conditions(input, now()), private.exceptions_after(input));
  recent constant text := private.recent_conditions(input, now());
  most constant integer := 20000;
  few text[];
  few_recent text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_exceptions');
  if input ->> 'q' is not null then
    few := private.narrow_by_search(input ->> 'q');
    conditions := conditions || ' and '
      || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($1)' end;
  end if;
  if recent is not null then
    -- These have their own indexes: in the order of the list, old exceptions that changed come
    -- last.
    execute format('select array(
        select e.id from public.exceptions e
        where e.tenant_id = private.tenant_id() and %s limit %s)',
      recent, most + 1) into few_recent;
    few_recent := case when cardinality(few_recent) <= most then few_recent end;
    conditions := conditions || ' and '
      || case when few_recent is null then recent else 'e.id = any ($2)' end;
  end if;
  if input ->> 'q' is not null or recent is not null then
    -- The planner expects fewer rows than there are, and would sort them.
    perform set_config('enable_sort', (coalesce(few, few_recent) is not null)::text, true);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(e) order by %s)
    from (select * from public.exceptions e where %s order by %s limit %s) e
  $q$, sort_key, conditions, sort_key, page_size + 1) into items using few, few_recent;
  return case when by_closing then private.page(items, page_size, 'closed_at', 'id')
    else private.page(items, page_size, 'id') end;
end $function$;
CREATE OR REPLACE FUNCTION private.refuse_bulk(act text, refused jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if act = 'edit' then
    perform private.refuse('invalid_transition',
      'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  perform private.refuse_conflict(case act when 'pause' then 'cannot_pause' else 'not_paused' end,
    format('Some of these exceptions cannot be %s. Nothing was changed.',
      case act when 'pause' then 'paused' else 'resumed' end), refused);
end $function$;
CREATE OR REPLACE FUNCTION public.update_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_exceptions');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  act constant text := case when pause is not null then 'pause' when input ? 'resume' then 'resume'
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
  refused := case when act <> 'edit' then private.faults_of_pause(ids, pause)
    when patch ? 'status' then private.faults_of_move(ids, patch ->> 'status') end;
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null then
    perform private.refuse_bulk(act, refused);
  end if;
  previous := case when by_filter then private.exceptions_json(ids) else '[]' end;
  perform private.change_exceptions_for_caller(act,
    array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null,
    jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.finish_request(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', coalesce(skipped, '[]'),
    'next', case when next_id is not null then jsonb_build_array(next_id) end,
    'items', private.exceptions_json(ids), 'previous', previous
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.sla_exceptions_query(input jsonb, conditions text, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  sort_by constant text := input ->> 'sort_by';
  sort_key constant text := concat_ws(', ',
    case sort_by when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to'
    when 'amount' then 'e.currency, e.amount_minor desc' end, 'e.due_at', 'e.id');
  -- As a cursor writes it: exceptions without an assignee come last.
  rank constant text := case sort_by
    when 'severity' then 'e.severity_rank::text'
    when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
    when 'amount' then 'private.amount_rank(e.currency, e.amount_minor)'
    else $q$''::text$q$ end;
begin
  return (
    select format($q$
      select array_agg(private.exception_json(p.e, $2)), (array_agg(p.rank))[$1],
        (array_agg((p.e).due_at))[$1], (array_agg((p.e).id))[$1]
      from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $1 + 1) p
    $q$, string_agg(format('(select e, %s as rank from public.exceptions e '
      || 'where e.tenant_id = private.tenant_id() and %s and %s and %s order by %s limit $1 + 1)',
      rank, conditions, a, v, sort_key), ' union all '))
    from unnest(private.stretches_after(sort_by, input -> 'after')) a
    cross join unnest(private.stretches_of(input, as_of)) v
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_exceptions(input jsonb, request jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  sort_by constant text := input ->> 'sort_by';
  conditions text := $q$e.status in ('open', 'in_review')$q$;
  few text[];
  items json[];
  last_rank text := '';
  last_due_at timestamptz;
  last_id text;
begin
  perform private.begin_request(request, 'list_sla_exceptions');
  if sort_by in ('due_at', 'breach_risk') and input - '{sort_by,limit,after}'::text[] = '{}' then
    select * into items, last_due_at, last_id from private.next_by_deadline(
      coalesce((input -> 'after' ->> 1)::timestamptz, '-infinity'),
      coalesce(input -> 'after' ->> 2, ''), page_size, as_of);
  else
    conditions := conditions || ' and ' || private.exception_conditions(input, as_of);
    if input ->> 'within_minutes' is not null then
      conditions := conditions || private.due_within(input, as_of);
    end if;
    if input ->> 'q' is not null then
      few := private.narrow_by_search(input ->> 'q');
      conditions := conditions || ' and '
        || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($3)' end;
      perform set_config('enable_sort', (few is not null)::text, true);
    end if;
    execute private.sla_exceptions_query(input, conditions, as_of)
    into items, last_rank, last_due_at, last_id using page_size, as_of, few;
  end if;
  -- As json, whose texts are joined, while jsonb's trees would be rebuilt at each step: this halves
  -- the time of the most frequent list.
  return json_build_object('items', array_to_json(coalesce(items[:page_size], '{}')),
    'next', case when cardinality(items) > page_size then
      json_build_array(last_rank,
        case when last_due_at = 'infinity' then 'infinity' else private.iso(last_due_at) end,
        last_id) end,
    'summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.sla_changes_query(conditions text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format($q$
    with crossed as (
      select c.*
      from unnest(
        array[0, private.high_risk_below() - 1, private.medium_risk_up_to(), $6]) t (minutes)
      cross join lateral (
        select e.id, e.due_at - make_interval(mins => t.minutes) as at
        from public.exceptions e
        where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
          and (e.due_at, e.id) > ($3 + make_interval(mins => t.minutes), $4)
          and e.due_at <= $1 + make_interval(mins => t.minutes)
          and e.updated_at <= $5
        order by e.due_at, e.id limit $2 + 1
      ) c
    ), changed as (
      select e.id, e.updated_at as at from public.exceptions e
      where e.tenant_id = private.tenant_id() and (e.updated_at, e.id) > ($3, $4)
        order by e.updated_at, e.id limit $2 + 1
    ), of_page as (
      select u.id, u.at
      from (select * from changed union all select * from crossed) u
      order by u.at, u.id
      limit $2 + 1
    )
    select jsonb_agg(
      jsonb_build_object('id', e.id, 'changed_at', private.iso(p.at), 'exception',
        case when %s then private.exception_json(e, $1) end)
      order by p.at, e.id)
    from of_page p join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = p.id
  $q$, conditions);
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_changes(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  overlap constant interval := interval '15 seconds';
  page_size constant integer := (input ->> 'limit')::integer;
  start constant timestamptz := (input ->> 'since')::timestamptz - overlap;
  later_at constant timestamptz := coalesce((input -> 'after' ->> 0)::timestamptz, start);
  later_id constant text := coalesce(input -> 'after' ->> 1, '');
  conditions text := $q$e.status in ('open', 'in_review')
    and $q$ || private.filter_conditions(input, as_of);
  items jsonb;
begin
  perform private.begin_request(request, 'list_sla_changes');
  if (input ->> 'since')::timestamptz < as_of - interval '1 day' then
    perform private.refuse_field('since',
      'Must be within the last 24 hours. Read the list again instead.');
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  execute private.sla_changes_query(conditions) into items
    using as_of, page_size, later_at, later_id, start,
      least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
  return private.page(items, page_size, 'changed_at', 'id')
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.usage_by_hour(k public.api_keys)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('start', private.iso(h.hour), 'accepted', h.accepted,
      'refused', h.calls - h.accepted) order by h.hour)
    from (
      select u.hour, sum(u.calls) as calls,
        coalesce(sum(u.calls) filter (where u.outcome like 'accepted%'), 0) as accepted
      from public.api_key_usage_hourly u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week()
      group by 1
    ) h
  ), '[]');
end $function$;
CREATE OR REPLACE FUNCTION private.usage_by_day(k public.api_keys)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'start', private.iso(d.day::timestamp at time zone 'UTC'), 'accepted', d.accepted,
      'refused', d.calls - d.accepted) order by d.day)
    from (
      select u.day, sum(u.calls) as calls,
        coalesce(sum(u.calls) filter (where u.outcome like 'accepted%'), 0) as accepted
      from public.api_key_usage_daily u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id
        and u.day > (now() at time zone 'UTC')::date - 90
      group by 1
    ) d
  ), '[]');
end $function$;
CREATE OR REPLACE FUNCTION public.get_api_key_usage(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  k public.api_keys;
begin
  perform private.begin_request(request, 'get_api_key_usage');
  k := private.find_api_key_of_caller(input ->> 'id');
  return jsonb_build_object(
    'as_of', private.iso(now()),
    'hours', private.usage_by_hour(k),
    'days', private.usage_by_day(k),
    'addresses', coalesce((
      select jsonb_agg(
        jsonb_build_object('address', host(a.address), 'calls', a.calls, 'in_grace', a.in_grace,
          'last_seen_at', private.iso(a.last_seen))
      order by a.last_seen desc)
      from (
        select u.address, sum(u.calls) as calls,
          coalesce(sum(u.calls) filter (where u.outcome = 'accepted_in_grace'), 0) as in_grace,
          max(u.last_seen_at) as last_seen
        from public.api_key_usage_hourly u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week()
          and u.outcome like 'accepted%'
        group by 1 order by max(u.last_seen_at) desc limit 100
      ) a
    ), '[]'),
    'refusals', coalesce((
      select jsonb_object_agg(r.outcome, r.calls)
      from (
        select u.outcome, sum(u.calls) as calls from public.api_key_usage_daily u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id
          and u.day > (now() at time zone 'UTC')::date - 90 and u.outcome not like 'accepted%'
        group by 1
      ) r
    ), '{}')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_fresh_cursor(seen_at timestamp with time zone, oldest timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if seen_at < oldest then
    perform private.refuse_field('cursor',
      'This cursor is older than 30 days, and events after it may be gone. Start again with since.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.list_events(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  oldest constant timestamptz := now() - interval '30 days';
  earliest constant timestamptz := greatest((input ->> 'since')::timestamptz, oldest);
  wanted_subject constant text := input ->> 'subject';
  wanted_types text[] := private.text_array(input -> 'types');
  settled bigint;
  start bigint;
  upto bigint;
  found record;
begin
  perform private.begin_request(request, 'list_events');
  perform private.require_any_event();
  perform private.require_readable_events(wanted_types);
  perform private.require_fresh_cursor((input ->> 'seen_at')::timestamptz, oldest);
  if cardinality(wanted_types) = 0 then
    wanted_types := private.readable_events();
  end if;
  settled := private.settled_event_position();
  start := least(settled, coalesce((input ->> 'after')::bigint,
    private.event_position_before(earliest), settled));
  if wanted_subject is null then
    upto := private.event_window_end(start, settled);
  end if;
  upto := coalesce(upto, settled);
  select jsonb_agg(private.event_json(p.e) order by p.place) filter (where p.place <= page_size)
    as items,
    max((p.e).position) filter (where p.place = page_size and p.is_cut) as last_position
  into found
  from (
    select m.e, row_number() over (order by (m.e).position) as place,
      count(*) over () > page_size as is_cut
    from (
      select e from public.events e
      where e.tenant_id = tenant and e.position > start and e.position <= upto
        and e.at >= earliest and e.type = any (wanted_types)
        and (wanted_subject is null or e.subject = wanted_subject)
        and (e.test_of is null or (input ->> 'test')::boolean)
      order by e.position limit page_size + 1
    ) m
  ) p;
  upto := coalesce(found.last_position, upto);
  return jsonb_build_object('items', coalesce(found.items, '[]'), 'position', upto::text,
    'has_more', upto < settled, 'as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_credentials(before public.webhooks, changed public.webhooks, patch jsonb)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  has_moved constant boolean := private.has_other_origin(before.url, changed.url);
  w public.webhooks := changed;
begin
  if patch ? 'headers' then
    w := private.store_webhook_headers(w, patch -> 'headers', has_moved);
    perform private.record_security_event('webhook.updated', w.id, null, jsonb_build_object(
      'headers', jsonb_build_object('from', before.header_names, 'to', w.header_names)));
  end if;
  if patch ? 'oauth' then
    w := private.store_webhook_client(w, patch -> 'oauth', has_moved);
    perform private.record_security_event('webhook.updated', w.id, null, jsonb_build_object(
      'oauth', jsonb_build_object('from', before.oauth, 'to', w.oauth)));
  end if;
  return w;
end $function$;
CREATE OR REPLACE FUNCTION public.update_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events,filters,max_per_minute}';
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := jsonb_populate_record(before,
    (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  perform private.require_webhook_change(before, w, patch);
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events, filters = w.filters,
      max_per_minute = w.max_per_minute,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select private.changes(jsonb_object_agg(field, to_jsonb(before) -> field),
        jsonb_object_agg(field, to_jsonb(w) -> field))
      from unnest(fields) field
    ));
  end if;
  w := private.store_webhook_credentials(before, w, patch);
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return private.finish_request(request,
    private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object(
      'pending', count(*),
      'due', count(*) filter (where next_attempt_at <= now()),
      -- A delivery that waits for its webhook's limit isn't late.
      'lag_seconds', greatest(0, coalesce(extract(epoch from now() - min(d.next_attempt_at)
        filter (where not exists (select from public.webhooks w
          where w.tenant_id = d.tenant_id and w.id = d.webhook_id
            and w.max_per_minute is not null))), 0))
    )
    from public.webhook_deliveries d where d.status = 'pending'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.job_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object(
      'ready',
      count(*) filter (where attempts < max_attempts and run_at <= now() and locked_at is null),
      'running', count(*) filter (where locked_at is not null),
      'failed', count(*) filter (where attempts >= max_attempts),
      'oldest_seconds',
      coalesce(
        extract(epoch from now()
          - min(run_at) filter (where attempts < max_attempts and run_at <= now()
            and locked_at is null)),
        0),
      -- A worker that is silent for 20 seconds is removed, and its jobs are freed.
      'locked_by_the_dead', count(*) filter (where locked_at < now() - interval '1 minute'
        and locked_by not in (select pool from private.heartbeats
          where beat_at > now() - interval '1 minute'))
    )
    from graphile_worker.jobs
  );
end $function$;
CREATE OR REPLACE FUNCTION private.database_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'bytes', pg_database_size(current_database()),
    'connections', (select sum(numbackends) from pg_stat_database),
    'connections_max',
    current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int,
    'migrating', exists (
      select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
        and (classid::bigint << 32 | objid::bigint) = hashtext('tieout migrations')::bigint
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.service_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'worker_silence_seconds',
    (select extract(epoch from now() - max(beat_at)) from private.heartbeats where kind = 'worker'),
    -- A dead process is removed, so its absence has to show as a count of zero.
    'working', (
      select jsonb_build_object('worker', count(*) filter (where kind = 'worker'), 'matcher',
        count(*) filter (where kind = 'matcher'))
      from private.heartbeats where beat_at > now() - interval '15 seconds'
    ),
    'sla_clock_lag_seconds', (
      select greatest(0, coalesce(extract(epoch from now() - least(
        (select min(next_at) from private.exception_clocks where next_at is not null),
        (select min(w.at) from private.business_warnings w where w.at < 'infinity')
      )), 0))
    ),
    'webhooks', (
      select jsonb_build_object(
        'active', count(*) filter (where status = 'active'),
        'disabled', count(*) filter (where status = 'disabled'),
        'given_up',
        count(*) filter (where disabled_reason <> 'manual'
          and disabled_at > now() - interval '1 day')
      )
      from public.webhooks where deleted_at is null
    ),
    'deliveries', private.delivery_metrics(),
    'jobs', private.job_metrics(),
    -- By task, how long ago its schedule queued it.
    'scheduled', (
      select coalesce(
        jsonb_object_agg(identifier,
          extract(epoch from now() - coalesce(last_execution, known_since))),
        '{}')
      from graphile_worker._private_known_crontabs
    ),
    -- The age of the oldest event that is not signed yet.
    'unsigned_seconds', (
      select coalesce(extract(epoch from now() - min(e.at)), 0)
      from private.unsigned_security_event_chains() u
      join public.security_events e on e.chain = u.chain
        and e.seq = coalesce((u.signed ->> 'seq')::bigint, 0) + 1
    ),
    'database', private.database_metrics()
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_imports(tenant text, shown integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'source_id', s.id,
      'source_name', s.name, 'file_name', i.file_name, 'status', i.status,
      'accepted_count', i.accepted_count, 'refused_count', i.refused_count,
      'created_at', private.iso(i.created_at)) order by i.id desc), '[]')
    from (
      select * from public.imports x
      where x.tenant_id = tenant and x.status <> 'receiving'
      order by x.id desc limit shown
    ) i
    join public.sources s on s.tenant_id = i.tenant_id and s.source_no = i.source_no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_runs(tenant text, shown integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', x.id,
      'reconciliation_id', x.reconciliation_id, 'reconciliation_name', r.name,
      'status', x.status, 'suggested_count', x.suggested_count, 'open_count', x.open_count,
      'exceptions_opened', x.exceptions_opened,
      'created_at', private.iso(x.created_at)) order by x.id desc), '[]')
    from (
      select * from public.runs y
      where y.tenant_id = tenant and y.dry_run is null
      order by y.id desc limit shown
    ) x
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_overview(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  shown constant integer := 5;
begin
  perform private.begin_request(request, 'get_overview');
  return private.overview_exceptions(as_of) || jsonb_build_object(
    'next', (
      select coalesce(jsonb_agg(private.exception_json(x, as_of) order by x.due_at, x.id), '[]')
      from (
        select * from public.exceptions e
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at > as_of
          and e.due_at < 'infinity'
        order by e.due_at, e.id limit shown
      ) x
    ),
    'my_next', (
      select coalesce(jsonb_agg(private.exception_json(x, as_of) order by x.due_at, x.id), '[]')
      from (
        select * from public.exceptions e
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.assigned_to = self
        order by e.due_at, e.id limit shown
      ) x
    ),
    'reconciliations', private.overview_reconciliations(8),
    'imports', private.overview_imports(tenant, shown),
    'runs', private.overview_runs(tenant, shown),
    'keys', case when private.may('read:api-keys') then private.overview_keys(as_of, shown) end,
    'webhooks',
    case when private.may('read:webhooks') then private.overview_webhooks(as_of, shown) end,
    'as_of', private.iso(as_of)
  );
end $function$;
grant execute on function private.checks_of_files(jsonb,jsonb) to authenticated;
grant execute on function private.checks_of_people(public.reconciliations) to authenticated;
grant execute on function private.decisions_about_line(public.lines) to authenticated;
grant execute on function private.exceptions_after(jsonb) to authenticated;
grant execute on function private.overview_imports(text,integer) to authenticated;
grant execute on function private.overview_runs(text,integer) to authenticated;
grant execute on function private.require_fresh_cursor(timestamp with time zone,timestamp with time zone) to authenticated;
grant execute on function private.sla_changes_query(text) to authenticated;
grant execute on function private.sla_exceptions_query(jsonb,text,timestamp with time zone) to authenticated;
grant execute on function private.total_of_accounts(text,integer,text,date,integer) to authenticated;
grant execute on function private.usage_by_day(public.api_keys) to authenticated;
grant execute on function private.usage_by_hour(public.api_keys) to authenticated;
