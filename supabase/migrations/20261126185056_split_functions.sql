create type private.attempt_verdict as (attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, outcome text, failure_kind text, detail text, status_code integer, duration_ms integer, response_headers jsonb, response_body text, response_truncated boolean, pause interval, active boolean);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.matching_exceptions(jsonb,text,integer);
CREATE OR REPLACE FUNCTION private.require_open_in_period(r public.reconciliations, line_ids jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  bad jsonb;
begin
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (l.n - 1), 'message', case
      when o.line_no is null then 'This line is matched or excluded already.'
      else format('This line is dated after the period, which ends on %s.', r.period_end) end)
        order by l.n) into bad
  from private.lines_of_pair(r.pair_no, line_ids) l
  left join private.open_lines o on o.tenant_id = r.tenant_id and o.pair_no = r.pair_no
    and o.line_no = l.line_no
  where o.line_no is null or l.value_date > r.period_end;
  if bad is not null then
    perform private.refuse_conflict('state_changed',
      'Not all of these lines are open in the period. Nothing was changed.', bad);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.sums_of_lines(r public.reconciliations, line_ids jsonb, OUT lefts bigint, OUT rights bigint, OUT currency text, OUT left_minor numeric, OUT right_minor numeric, OUT positive_minor numeric, OUT fees numeric)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  currencies bigint;
begin
  select count(*) filter (where l.side = 'left'), count(*) filter (where l.side = 'right'),
    count(distinct l.currency), min(l.currency),
    coalesce(sum(l.open_minor) filter (where l.side = 'left'), 0),
    coalesce(sum(l.open_minor) filter (where l.side = 'right'), 0),
    sum(greatest(l.open_minor, 0)),
    sum(case l.side when 'left' then 1 else -1 end * private.fee_of_whole(x, l.open_minor))
  into lefts, rights, currencies, currency, left_minor, right_minor, positive_minor, fees
  from private.lines_of_pair(r.pair_no, line_ids) l
  join public.lines x on x.tenant_id = r.tenant_id and x.line_no = l.line_no;
  if currencies > 1 then
    perform private.refuse_field('line_ids', 'All lines of a match need one currency.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.split_of_match(r public.reconciliations, line_ids jsonb, split text, difference bigint, currency text, OUT line_no bigint, OUT side text, OUT taken_minor bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  open_minor bigint;
begin
  select l.line_no, l.side, l.open_minor,
    l.open_minor - case l.side when 'left' then difference else -difference end
  into line_no, side, open_minor, taken_minor
  from private.lines_of_pair(r.pair_no, line_ids) l
  join public.lines x on x.tenant_id = r.tenant_id and x.line_no = l.line_no
    and x.id = private.line_id(split);
  if not found then
    perform private.refuse_field('split_line_id', 'Name one of line_ids.');
  elsif difference = 0 or sign(taken_minor) <> sign(open_minor)
    or abs(taken_minor) >= abs(open_minor) then
    perform private.refuse_field('split_line_id', format(
      'Left − right is %s in minor units of %s, which is no part of this line. Choose the larger line.',
      difference, currency));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text, split text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  asked record;
  split_no bigint;
  split_side text;
  split_minor bigint;
  made public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  is_reversal boolean;
  -- What it takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  r := private.lock_period(tenant, period);
  perform private.require_open_in_period(r, match_by_hand.line_ids);
  asked := private.sums_of_lines(r, match_by_hand.line_ids);
  is_reversal := asked.lefts = 0 or asked.rights = 0;
  select asked.left_minor - asked.right_minor
    - coalesce(sum((a ->> 'amount_minor')::bigint), 0) into difference
  from jsonb_array_elements(explained) a;
  if split is not null and is_reversal then
    perform private.refuse_field('split_line_id',
      'Only a match of both sides can leave part of a line open.');
  elsif split is null and difference <> 0 and difference = asked.fees then
    explained := explained
      || jsonb_build_object('kind', 'fee', 'amount_minor', asked.fees, 'note', null);
  elsif split is null and difference <> 0 then
    perform private.refuse_field('adjustments', format(
      'Left is %s and right is %s in minor units of %s: %s is not explained. Add adjustments of %s, or choose other lines.',
      asked.left_minor, asked.right_minor, asked.currency, difference, difference));
  end if;
  if split is not null then
    select s.line_no, s.side, s.taken_minor into split_no, split_side, split_minor
    from private.split_of_match(r, match_by_hand.line_ids, split, difference, asked.currency) s;
  end if;
  left_taken := asked.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := asked.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when is_reversal then asked.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids',
      'These lines come to more than 9007199254740991 in minor units. Match fewer of them at a time.');
  end if;
  perform private.require_adjustable(r, match_by_hand.adjustments,
    greatest(abs(left_taken), abs(right_taken), amount), asked.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    case when is_reversal then 'reversal' when asked.lefts = 1 and asked.rights = 1 then '1:1'
      when asked.lefts = 1 then '1:n' when asked.rights = 1 then 'n:1' else 'n:m' end,
    'manual', asked.currency, amount, explained, match_by_hand.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, l.line_no, l.side,
    case when l.line_no = split_no then split_minor else l.open_minor end
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  perform private.record_act('match', array[made.id]);
  perform private.record_hand_match(made);
  return made;
end $function$;
CREATE OR REPLACE FUNCTION private.require_no_run(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.run_is_under_way(r) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is under way. Sign when it is done.');
  end if;
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
  coverage constant jsonb := private.coverage_of(r);
  totals constant jsonb := private.statement_totals(r);
  missing_days bigint;
  late text;
  break_count bigint;
  without_balance text;
  unexplained bigint;
begin
  select sum((c ->> 'missing_days')::bigint),
    string_agg(format('%s has nothing after %s', c ->> 'name',
      coalesce(c ->> 'until', 'the period began')), '; ')
      filter (where (c ->> 'missing_days')::bigint > 0),
    sum(jsonb_array_length(c -> 'breaks')),
    string_agg(c ->> 'name', ' and ') filter (where not (c ->> 'has_balance')::boolean)
  into missing_days, late, break_count, without_balance
  from jsonb_array_elements(coverage) c;
  select count(*) into unexplained from jsonb_array_elements(totals -> 'differences') d
  where coalesce(nullif(d -> 'unexplained_minor', 'null'), d -> 'difference_minor') <> '0';
  return jsonb_build_array(
    private.check_json('period_over', preview -> 'days_until_over' = '0',
      weights ->> 'period_over', (preview ->> 'days_until_over')::bigint,
      case when preview -> 'days_until_over' = '0' then 'The period is over.'
        else format('The period is over in %s.',
          private.counted((preview ->> 'days_until_over')::bigint, 'day', 'days')) end),
    private.check_json('files', missing_days = 0, weights ->> 'files', missing_days,
      coalesce(late || '.', 'Both sides are in to the last working day.')),
    private.check_json('balances', break_count = 0 and without_balance is null,
      weights ->> 'balances', break_count,
      case when without_balance is not null
          then format('No balance is stated for %s. State one, or import a file that has it.',
            without_balance)
        when break_count > 0 then private.counted(break_count,
          'statement does not follow the one before.', 'statements do not follow the one before.')
        else 'Balances are stated and follow one another.' end),
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
CREATE OR REPLACE FUNCTION private.run_is_under_way(r public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
      and x.status in ('queued', 'running') and x.dry_run is null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_closable(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end < r.period_start
      and x.closed_at is null and x.status <> 'archived'
  ) then
    perform private.refuse_conflict('earlier_period_open',
      'An earlier period of these sources is open. Close that one first.');
  elsif private.run_is_under_way(r) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs p join public.imports i
      on i.tenant_id = p.tenant_id and i.source_no in (p.left_source_no, p.right_source_no)
        and i.status = 'undoing'
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) then
    perform private.refuse_conflict('lines_changing',
      'An import of its sources is being undone. Close it when that is done.');
  end if;
  perform private.require_signatures(r);
  perform private.require_checks(r);
  if private.requires_second_person(r) and private.worked_in_period(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added lines in this period. Ask somebody who did not to close it.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_explained(r public.reconciliations)
 RETURNS TABLE(currency text, residual numeric, adjusted numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select m.currency, sum(m.residual_minor), sum((
    select coalesce(sum((a ->> 'amount_minor')::bigint), 0)
    from jsonb_array_elements(m.adjustments) a
  ))
  from public.reconciliations period
  join public.matches m on m.tenant_id = period.tenant_id and m.reconciliation_id = period.id
    and m.state = 'confirmed'
  where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
    and period.period_end <= r.period_end
    and (m.residual_minor <> 0 or m.adjustments <> '[]')
  group by m.currency;
end $function$;
CREATE OR REPLACE FUNCTION private.booked_balances(r public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, line_count bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select l.currency, s.side,
    coalesce(sum(s.factor * l.amount_minor) filter (where l.value_date < r.period_start), 0),
    sum(s.factor * l.amount_minor),
    count(*) filter (where l.value_date >= r.period_start)
  from (
    select x.source_no, case x.source_no when p.left_source_no then 'left' else 'right' end as side,
      case x.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs p
    join public.sources x on x.tenant_id = p.tenant_id
      and x.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) s
  join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no
    and l.value_date <= r.period_end
  group by l.currency, s.side;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_sums(r public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, line_count bigint, outstanding numeric, excluded numeric, stated_opening numeric, stated_closing numeric, stated_on date, timing numeric, unaccounted numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with booked as materialized (
    select * from private.booked_balances(r)
  ), outstanding as materialized (
    select o.currency, o.side, sum(o.open_minor) as minor
    from private.outstanding_of(r) o
    group by o.currency, o.side
  ), excluded as materialized (
    select e.currency, e.side, sum(e.excluded_minor) as minor
    from public.reconciliations period
    join public.exclusions e on e.tenant_id = period.tenant_id and e.reconciliation_id = period.id
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and period.period_end <= r.period_end
    group by e.currency, e.side
  ), currencies as (
    select b.currency from booked b union select e.currency from private.statement_explained(r) e
  )
  select c.currency, s.side, coalesce(b.opening, 0), coalesce(b.closing, 0),
    coalesce(b.line_count, 0), coalesce(o.minor, 0), coalesce(e.minor, 0),
    stated.opening, stated.closing, stated.stated_on, stated.timing, stated.unaccounted
  from currencies c
  cross join (values ('left'), ('right')) s (side)
  left join booked b on b.currency = c.currency and b.side = s.side
  left join outstanding o on o.currency = c.currency and o.side = s.side
  left join excluded e on e.currency = c.currency and e.side = s.side
  left join private.stated_balances(r) stated
    on stated.currency = c.currency and stated.side = s.side;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_totals(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with sums as materialized (
      select *, case x.side when 'left' then 1 else -1 end as sign
      from private.statement_sums(r) x
    ), sides as (
      select s.currency, sum(s.sign * (s.closing - s.outstanding - s.excluded)) as settled,
        case when count(s.stated_closing) = 2 then
          sum(s.sign * (s.stated_closing - s.timing - s.outstanding - s.excluded)) end as stated
      from sums s
      group by s.currency
    )
    select jsonb_build_object(
      'balances', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', s.currency, 'side', s.side,
          'opening_minor', private.exact_sum(s.opening),
          'lines_minor', private.exact_sum(s.closing - s.opening), 'line_count', s.line_count,
          'closing_minor', private.exact_sum(s.closing),
          'outstanding_minor', private.exact_sum(s.outstanding),
          'excluded_minor', private.exact_sum(s.excluded),
          'stated_opening_minor', private.exact_sum(s.stated_opening),
          'stated_closing_minor', private.exact_sum(s.stated_closing),
          'stated_on', s.stated_on, 'timing_minor', private.exact_sum(s.timing),
          'unaccounted_minor', private.exact_sum(s.unaccounted)
        ) order by s.currency, s.side), '[]')
        from sums s
      ),
      'differences', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', d.currency,
          'adjustments_minor', private.exact_sum(coalesce(e.adjusted, 0)),
          'residual_minor', private.exact_sum(coalesce(e.residual, 0)),
          'difference_minor', private.exact_sum(d.settled - coalesce(e.adjusted + e.residual, 0)),
          'unexplained_minor',
            private.exact_sum(d.stated - coalesce(e.adjusted + e.residual, 0))
        ) order by d.currency), '[]')
        from sides d left join private.statement_explained(r) e on e.currency = d.currency
      )
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.statement_outstanding(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with outstanding as materialized (
      select o.line_no, o.side, o.open_minor, o.currency, r.period_end - o.value_date as age
      from private.outstanding_of(r) o
    ), aged as (
      select o.currency, o.side, count(*) as line_count, sum(o.open_minor) as minor,
        case when o.age > 90 then 91 when o.age > 60 then 61 when o.age > 30 then 31
          when o.age > 7 then 8 else 0 end as days_from
      from outstanding o
      group by o.currency, o.side, days_from
    )
    select jsonb_build_object(
      'aging', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', a.currency, 'side', a.side, 'days_from', a.days_from,
          'line_count', a.line_count, 'open_minor', private.exact_sum(a.minor)
        ) order by a.currency, a.side, a.days_from), '[]')
        from aged a
      ),
      'outstanding_count', (select count(*) from outstanding),
      'outstanding', (
        select coalesce(
          jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.n),
          '[]')
        from (
          select o.*, row_number() over (order by abs(o.open_minor) desc, o.line_no) as n
          from outstanding o
        ) x
        where x.n <= 250
      )
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.statement_items(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  adjustments bigint;
  residuals bigint;
begin
  select coalesce(sum(jsonb_array_length(m.adjustments)), 0),
    count(*) filter (where m.residual_minor <> 0)
  into adjustments, residuals
  from public.matches m
  where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
    and (m.residual_minor <> 0 or m.adjustments <> '[]');
  return jsonb_build_object(
    'adjustment_count', adjustments, 'residual_count', residuals,
    'exclusion_count', (
      select count(*) from public.exclusions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id
    ),
    -- Where there is none, the matches need not be searched again.
    'adjustments', coalesce(
      case when adjustments > 0 then private.adjustment_items(r, null, null, 1000) end, '[]'),
    'residuals', coalesce(
      case when residuals > 0 then private.residual_items(r, null, 1000) end, '[]'),
    'exclusions', coalesce(private.exclusion_items(r, null, 1000), '[]')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.statement_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'reconciliation_id', r.id, 'name', r.name, 'period_start', r.period_start,
    'period_end', r.period_end, 'left_source', r.left_source, 'right_source', r.right_source,
    'as_of', private.iso(coalesce(r.closed_at, now())), 'closed_at', private.iso(r.closed_at),
    'closed_by', r.closed_by, 'proof', private.proof_json(r)
  ) || private.statement_totals(r) || private.statement_outstanding(r)
    || private.statement_items(r);
end $function$;
CREATE OR REPLACE FUNCTION private.board_sums(r public.reconciliations)
 RETURNS TABLE(side text, currency text, line_count bigint, minor numeric, oldest date)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if r.closed_at is null then
    return query
    select o.side, o.currency, count(*), sum(o.open_minor), min(o.value_date)
    from private.open_lines o
    where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end
    group by o.side, o.currency;
  else
    return query
    select c.side, c.currency, count(*), sum(c.open_minor), min(c.value_date)
    from public.carried_lines c
    where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    group by c.side, c.currency;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.board_period_json(r public.reconciliations, is_preparing boolean, due_day date, today date)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object(
      'reconciliation_id', r.id, 'name', r.name, 'period_start', r.period_start,
      'period_end', r.period_end, 'state', x.state, 'prepared_by', signed.prepared_by,
      'reviewed_by', coalesce(signed.reviewed_by, '[]'), 'closed_by', r.closed_by,
      'due_day', due_day,
      'overdue', x.state not in ('closed', 'archived') and coalesce(due_day < today, false),
      'open_lines', coalesce(o.line_count, 0), 'open_money', coalesce(o.sums, '[]'),
      'oldest_days', r.period_end - o.oldest)
    from (
      select min(s.signed_by) filter (where s.kind = 'prepared') as prepared_by,
        jsonb_agg(s.signed_by order by s.level) filter (where s.kind = 'reviewed') as reviewed_by,
        count(*) filter (where s.kind = 'reviewed') as reviews
      from public.period_signatures s
      where s.tenant_id = r.tenant_id and s.pair_no = r.pair_no and s.reconciliation_id = r.id
        and s.revoked_at is null
    ) signed
    cross join lateral (
      select case when r.status = 'archived' then 'archived'
        when r.closed_at is not null then 'closed'
        when is_preparing then 'preparing'
        when signed.prepared_by is null then 'open'
        when signed.reviews > 0 and signed.reviews >= private.review_levels(r) then 'reviewed'
        else 'prepared' end as state
    ) x
    cross join lateral (
      select sum(y.line_count) as line_count, min(y.oldest) as oldest,
        jsonb_agg(jsonb_build_object('currency', y.currency, 'side', y.side, 'open_minor',
          private.exact_sum(y.minor)) order by y.currency, y.side) as sums
      from private.board_sums(r) y
    ) o
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_closing_board(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'get_closing_board');
  with shown as materialized (
    select p.pair_no, p.opening is not null as is_preparing, l.id as left_id, l.name as left_name,
      r.id as right_id, r.name as right_name,
      private.default_policy() || coalesce(v.policy, '{}') as policy,
      least((now() at time zone l.time_zone)::date, (now() at time zone r.time_zone)::date) as today
    from public.pairs p
    join public.sources l on l.tenant_id = tenant and l.source_no = p.left_source_no
    join public.sources r on r.tenant_id = tenant and r.source_no = p.right_source_no
    left join public.pair_rules v on v.tenant_id = tenant and v.pair_no = p.pair_no
      and v.version = p.rules_version
    where p.tenant_id = tenant and (input -> 'after' ->> 0 is null
      or (l.id, r.id) > (input -> 'after' ->> 0, input -> 'after' ->> 1))
    order by l.id, r.id
    limit page_size + 1
  ), periods as materialized (
    select r, s.is_preparing, s.today, s.policy ->> 'calendar_id' as calendar_id,
      (s.policy ->> 'close_days')::integer as close_days
    from shown s
    join public.reconciliations r on r.tenant_id = tenant and r.pair_no = s.pair_no
      and r.period_end between (input ->> 'from')::date and (input ->> 'to')::date
  ), due_days as materialized (
    select x.calendar_id, x.close_days, x.period_end,
      private.business_day_after(tenant, x.calendar_id, x.period_end, x.close_days) as due_day
    from (select distinct p.calendar_id, p.close_days, (p.r).period_end from periods p) x
  ), cells as materialized (
    select (p.r).pair_no, jsonb_agg(
      private.board_period_json(p.r, p.is_preparing, d.due_day, p.today)
      order by (p.r).period_start) as periods
    from periods p
    join due_days d on d.calendar_id is not distinct from p.calendar_id
      and d.close_days = p.close_days and d.period_end = (p.r).period_end
    group by (p.r).pair_no
  )
  select jsonb_agg(jsonb_build_object(
    'left_source_id', s.left_id, 'left_source', s.left_name,
    'right_source_id', s.right_id, 'right_source', s.right_name,
    'periods', coalesce(c.periods, '[]')
  ) order by s.left_id, s.right_id) into items
  from shown s left join cells c on c.pair_no = s.pair_no;
  return private.page(items, page_size, 'left_source_id', 'right_source_id');
end $function$;
CREATE OR REPLACE FUNCTION private.matching_exceptions(filters jsonb, after text, max_count integer)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  ids text[];
begin
  execute format(
    $q$select array(select e.id from public.exceptions e
      where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
    and e.id > %L and %s order by e.id limit %s)$q$, coalesce(after, ''),
      private.filter_conditions(filters, now()), max_count) into ids;
  return ids;
end $function$;
CREATE OR REPLACE FUNCTION private.require_expected_count(input jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  matching bigint;
begin
  if jsonb_typeof(input -> 'after') is not distinct from 'array' then
    return;
  end if;
  matching := private.count_of_view(input -> 'filter');
  if matching <> (input ->> 'expected_count')::bigint then
    perform private.refuse_conflict('count_changed', format(
      '%s match now, not %s. Check them and send the new expected_count. Nothing was changed.',
      matching, input ->> 'expected_count'));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.faults_of_move(ids text[], status text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
      'message', format('An exception cannot move from %s to %s.', e.status,
        faults_of_move.status)) order by i.n)
    from unnest(ids) with ordinality as i (id, n)
    join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = i.id
    where not private.exception_may_move(e.status, faults_of_move.status)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.faults_of_pause(ids text[], pause jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  p public.sla_policies;
begin
  perform private.change_exceptions_for_caller('resume', array(
    select jsonb_build_object('id', e.id)
    from public.exceptions e
    where e.tenant_id = tenant and e.id = any (ids) and e.paused_until <= now()
  ));
  select * into p from public.sla_policies x where x.tenant_id = tenant;
  perform private.require_pause_end((pause ->> 'until')::timestamptz, p);
  return (
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', f.fault)
      order by i.n)
    from unnest(ids) with ordinality as i (id, n)
    join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(e, p)
        when e.paused_at is null then 'It is not paused.' end
    ) f (fault)
    where f.fault is not null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_exceptions(ids text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  refused jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.')
    order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (
    select from public.exceptions e where e.tenant_id = private.tenant_id() and e.id = i.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.',
      refused);
  end if;
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
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  refused jsonb;
  skipped jsonb;
  columns jsonb;
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
  elsif refused is not null and act = 'edit' then
    perform private.refuse('invalid_transition',
      'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  elsif refused is not null then
    perform private.refuse_conflict(case act when 'pause' then 'cannot_pause' else 'not_paused' end,
      format('Some of these exceptions cannot be %s. Nothing was changed.',
        case act when 'pause' then 'paused' else 'resumed' end), refused);
  end if;
  columns := case act
    when 'pause' then jsonb_build_object('paused_until', pause -> 'until', 'pause_reason',
      pause -> 'reason')
    else patch end;
  perform private.change_exceptions_for_caller(act,
    array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null,
    jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.finish_request(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', coalesce(skipped, '[]'), 'next',
    case when next_id is not null then jsonb_build_array(next_id) end,
    'items', (
      select coalesce(jsonb_agg(private.exception_json(e) order by i.n), '[]')
      from unnest(ids) with ordinality as i (id, n)
      join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = i.id
    )
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.merge_deadline_counters(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  this_hour constant timestamptz := date_trunc('hour', now(), 'UTC');
  merged integer;
begin
  with gone as (
    delete from private.open_by_deadline d where d.ctid = any (array(
      select x.ctid from private.open_by_deadline x
      where x.shard <> 0 or (x.due_from < this_hour and x.due_from > '-infinity')
      limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_deadline as o (tenant_id, due_from, assigned_to, currency, shard,
      open_count, amount_minor)
    select g.tenant_id, case when g.due_from < this_hour then '-infinity' else g.due_from end,
      g.assigned_to, g.currency, 0, sum(g.open_count), sum(g.amount_minor)
    from gone g
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = o.open_count + excluded.open_count,
      amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into merged from gone;
  delete from private.open_by_deadline d
  where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  return merged;
end $function$;
CREATE OR REPLACE FUNCTION private.merge_assignee_counters(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  merged integer;
begin
  with gone as (
    delete from private.open_by_assignee d where d.ctid = any (array(
      select x.ctid from private.open_by_assignee x
      where x.shard <> 0
      limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_assignee as o (tenant_id, assigned_to, currency, shard, open_count,
      amount_minor)
    select g.tenant_id, g.assigned_to, g.currency, 0, sum(g.open_count), sum(g.amount_minor)
    from gone g
    group by 1, 2, 3
    order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = o.open_count + excluded.open_count,
      amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into merged from gone;
  delete from private.open_by_assignee d
  where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  return merged;
end $function$;
CREATE OR REPLACE FUNCTION private.merge_reconciliation_counters(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  merged integer;
begin
  with gone as (
    delete from private.open_by_reconciliation d where d.ctid = any (array(
      select x.ctid from private.open_by_reconciliation x
      where x.shard <> 0
      limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_reconciliation as o (tenant_id, reconciliation_id, currency, shard,
      open_count, amount_minor)
    select g.tenant_id, g.reconciliation_id, g.currency, 0, sum(g.open_count), sum(g.amount_minor)
    from gone g
    group by 1, 2, 3
    order by 1, 2, 3
    on conflict on constraint open_by_reconciliation_pkey do update set
      open_count = o.open_count + excluded.open_count,
      amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into merged from gone;
  delete from private.open_by_reconciliation d
  where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  return merged;
end $function$;
CREATE OR REPLACE FUNCTION private.merge_hour_counters(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  merged integer;
begin
  with gone as (
    delete from private.exception_hours d where d.ctid = any (array(
      select x.ctid from private.exception_hours x
      where x.shard <> 0 and x.hour < date_trunc('hour', now(), 'UTC')
        or x.hour < now() - interval '31 days'
      limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.exception_hours as o (tenant_id, hour, shard, breached_count, closed_count)
    select g.tenant_id, g.hour, 0, sum(g.breached_count), sum(g.closed_count)
    from gone g
    where g.hour >= now() - interval '31 days'
    group by 1, 2
    order by 1, 2
    on conflict on constraint exception_hours_pkey do update set
      breached_count = o.breached_count + excluded.breached_count,
      closed_count = o.closed_count + excluded.closed_count
  )
  select count(*) into merged from gone;
  return merged;
end $function$;
CREATE OR REPLACE FUNCTION private.merge_exception_counters(batch integer DEFAULT 10000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  merged integer[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('fold_exception_counters', 0)) then
    return 0;
  end if;
  merged := array[private.merge_deadline_counters(batch), private.merge_assignee_counters(batch),
    private.merge_reconciliation_counters(batch), private.merge_hour_counters(batch)];
  return (
    select case when max(m) >= batch then sum(m) else 0 end
    from unnest(merged) m
  );
end $function$;
CREATE OR REPLACE FUNCTION private.changed_policy(before public.sla_policies, input jsonb)
 RETURNS public.sla_policies
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  after public.sla_policies := before;
begin
  after.critical_minutes := input -> 'minutes_to_resolve' ->> 'critical';
  after.high_minutes := input -> 'minutes_to_resolve' ->> 'high';
  after.medium_minutes := input -> 'minutes_to_resolve' ->> 'medium';
  after.low_minutes := input -> 'minutes_to_resolve' ->> 'low';
  after.at_risk_thresholds := array(select distinct value::integer
    from jsonb_array_elements_text(input -> 'at_risk_thresholds') order by 1 desc);
  if input ? 'at_risk_business_thresholds' then
    after.at_risk_business_thresholds := array(
      select distinct value::integer
      from jsonb_array_elements_text(input -> 'at_risk_business_thresholds')
      order by 1 desc);
  end if;
  if after.at_risk_thresholds = '{}' and after.at_risk_business_thresholds = '{}' then
    perform private.refuse_field('at_risk_thresholds',
      'Include a threshold here or in at_risk_business_thresholds.');
  end if;
  if input ? 'calendar_id' then
    after.calendar_id := input ->> 'calendar_id';
  end if;
  if input ? 'calendar_by_severity' then
    after.calendar_by_severity := input -> 'calendar_by_severity';
  end if;
  if input ? 'pause' then
    after.pause_max_minutes := input -> 'pause' ->> 'max_minutes';
    after.pause_max_count := input -> 'pause' ->> 'max_count';
    after.pause_rules := input -> 'pause' -> 'rules';
  end if;
  if (after.calendar_id, after.calendar_by_severity) is distinct from (before.calendar_id,
    before.calendar_by_severity)
    or after.calendar_id is not null or after.calendar_by_severity <> '{}' then
    perform private.require_calendars(after);
  end if;
  return after;
end $function$;
CREATE OR REPLACE FUNCTION private.store_policy(before public.sla_policies, changed public.sla_policies)
 RETURNS public.sla_policies
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  after public.sla_policies;
begin
  update public.sla_policies p set
    critical_minutes = changed.critical_minutes, high_minutes = changed.high_minutes,
    medium_minutes = changed.medium_minutes,
    low_minutes = changed.low_minutes, at_risk_thresholds = changed.at_risk_thresholds,
    at_risk_business_thresholds = changed.at_risk_business_thresholds,
    calendar_id = changed.calendar_id, calendar_by_severity = changed.calendar_by_severity,
    pause_max_minutes = changed.pause_max_minutes, pause_max_count = changed.pause_max_count,
    pause_rules = changed.pause_rules, updated_at = now(), updated_by = private.actor(),
    version = before.version + 1
  where p.tenant_id = before.tenant_id returning * into after;
  perform private.record_security_event('sla_policy.updated', null, null,
    jsonb_build_object('from', private.sla_policy_json(before), 'to',
      private.sla_policy_json(after)));
  return after;
end $function$;
CREATE OR REPLACE FUNCTION public.put_sla_policy(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  before public.sla_policies;
  after public.sla_policies;
  moved record;
  impact jsonb;
begin
  perform private.begin_request(request, 'put_sla_policy');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array'
    and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format(
        'The policy has changed since the version in If-Match, last by %s. Get it again and repeat your change.',
        before.updated_by));
  end if;
  after := private.changed_policy(before, input);
  select array_agg(d.id) as ids, array_agg(d.severity) as severities,
    array_agg(d.calendar_id) as calendars, array_agg(d.calendar_no) as calendar_nos,
    array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
  into moved from private.moved_deadlines(before, after) d;
  impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);

  if not dry_run and after is distinct from before then
    after := private.store_policy(before, after);
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, moved.calendars, moved.calendar_nos,
        moved.new_due_ats);
    end if;
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    if after.at_risk_business_thresholds <> before.at_risk_business_thresholds then
      perform private.rearm_business_warnings(before.at_risk_business_thresholds);
    end if;
  end if;
  return private.sla_policy_json(after)
    || jsonb_build_object('version', after.version, 'dry_run', dry_run, 'impact', impact);
end $function$;
CREATE OR REPLACE FUNCTION private.signature_failure(w public.webhooks, status_code integer, OUT kind text, OUT detail text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  secret_changed_at constant timestamptz := greatest(w.secret_changed_at,
    case when w.previous_secret_expires_at <= now() then w.previous_secret_expires_at end);
begin
  if secret_changed_at is not null
    and (w.last_success_at is null or w.last_success_at < secret_changed_at)
  then
    kind := 'stale_secret';
    detail := format(
      'The receiver responded with %s after the secret was changed at %s. It seems to verify with the old one.',
      status_code, private.iso(secret_changed_at));
  else
    kind := 'signature_failed';
    detail := format('The receiver responded with %s: it did not accept the signature.',
      status_code);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.judge_attempts(results jsonb, webhook_ids text[])
 RETURNS SETOF private.attempt_verdict
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return query
  with held as (
    select r.*, d.id, d.webhook_id, d.tenant_id, d.failure_count, x as webhook,
      x.status = 'active' and x.deleted_at is null as active,
      case when r.interrupted then 'interrupted'
        when r.status_code between 200 and 299 then 'succeeded' else 'failed' end as outcome
    from jsonb_to_recordset(results) as r (
      attempt_id bigint, status_code integer, failure_kind text, detail text, interrupted boolean,
      pause_seconds integer, duration_ms integer, retry_after_seconds integer,
      response_headers jsonb, response_body text, response_truncated boolean
    )
    join public.webhook_deliveries d on d.lease = r.attempt_id
    join public.webhooks x on x.tenant_id = d.tenant_id and x.id = d.webhook_id
    where d.webhook_id = any (webhook_ids)
    for no key update of d
  )
  select h.attempt_id, h.id, h.webhook_id, h.tenant_id, h.outcome,
    case when h.outcome = 'failed' then coalesce(s.kind, h.failure_kind, 'http_error') end,
    coalesce(s.detail, h.detail), h.status_code, h.duration_ms,
    h.response_headers, h.response_body, h.response_truncated,
    case
      when h.outcome = 'interrupted' then make_interval(secs => coalesce(h.pause_seconds, 0))
      when h.outcome = 'failed' and h.active and h.status_code is distinct from 410
        then private.retry_pause(h.failure_count + 1, h.retry_after_seconds)
    end,
    h.active
  from held h
  left join lateral private.signature_failure(h.webhook, h.status_code) s
    on h.outcome = 'failed' and h.status_code in (401, 403);
end $function$;
CREATE OR REPLACE FUNCTION private.record_verdicts(verdicts private.attempt_verdict[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.webhook_attempts a
  set status = v.outcome, failure_kind = v.failure_kind, detail = v.detail,
    duration_ms = v.duration_ms, status_code = v.status_code,
    response_headers = v.response_headers, response_body = v.response_body,
    response_truncated = v.response_truncated
  from unnest(verdicts) v
  where a.tenant_id = v.tenant_id and a.delivery_id = v.delivery_id and a.id = v.attempt_id;

  update public.webhook_deliveries d
  set lease = null,
    status = case when v.outcome = 'succeeded' then 'delivered' when v.pause is null then 'failed'
      else 'pending' end,
    failure_kind = case when v.outcome = 'failed' and v.pause is null then
      case when v.active and v.status_code is distinct from 410 then 'retries_exhausted'
        else 'webhook_disabled' end end,
    failure_count = d.failure_count + case v.outcome when 'failed' then 1 else 0 end,
    cause = case v.outcome when 'failed' then 'retry' else d.cause end,
    next_attempt_at = now() + v.pause,
    delivered_at = case v.outcome when 'succeeded' then now() else d.delivered_at end
  from unnest(verdicts) v
  where d.tenant_id = v.tenant_id and d.id = v.delivery_id;

  insert into public.webhook_answer_times as t (webhook_id, tenant_id, hour, succeeded, bucket,
    attempts)
  select v.webhook_id, v.tenant_id, date_trunc('hour', now(), 'UTC'), v.outcome = 'succeeded',
    case when v.status_code is null then -1
      else floor(ln(greatest(v.duration_ms, 1)) / ln(1.1)) end,
    count(*)
  from unnest(verdicts) v
  where v.outcome <> 'interrupted'
  group by 1, 2, 3, 4, 5
  order by 2, 1, 3, 4, 5
  on conflict (tenant_id, webhook_id, hour, succeeded, bucket)
    do update set attempts = t.attempts + excluded.attempts;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_webhook(id text, succeeded boolean, failed boolean, gone boolean, detail text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  w public.webhooks;
begin
  update public.webhooks x
  set last_success_at = case when succeeded then now() else x.last_success_at end,
    last_failure_at = case when failed then now() else x.last_failure_at end,
    failing_since = case when succeeded then null else coalesce(x.failing_since, now()) end
  where x.id = mark_webhook.id
  returning * into w;
  if gone then
    perform private.disable_webhook(w.id, 'gone',
      'The receiver responded with 410 Gone: it wants no more events.');
  elsif private.webhook_disable_at(w.failing_since) <= now() then
    perform private.disable_webhook(w.id, 'failing', concat_ws(' ',
      format('Every attempt has failed since %s, for 5 days.', private.iso(w.failing_since)),
      'The last one: ' || detail));
  elsif private.webhook_disable_at(w.failing_since) <= now() + interval '2 days' then
    perform private.warn_of_failing_webhook(w, detail);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.settle_webhook_attempts(results jsonb)
 RETURNS TABLE(webhook_id text, retry_in_ms double precision, waiting_attempts bigint[])
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  touched constant text[] := array(
    select distinct d.webhook_id from jsonb_to_recordset(results) as r (attempt_id bigint)
    join public.webhook_deliveries d on d.lease = r.attempt_id
  );
  -- Webhook before delivery, as everyone else locks them.
  locked constant text[] := array(
    select x.id from public.webhooks x where x.id = any (touched) for no key update skip locked);
  verdicts constant private.attempt_verdict[] := array(
    select row(j.*)::private.attempt_verdict from private.judge_attempts(results, locked) j);
begin
  perform private.record_verdicts(verdicts);
  perform private.mark_webhook(x.webhook_id, x.succeeded, x.failed, x.gone, x.detail)
  from (
    select v.webhook_id, bool_or(v.outcome = 'succeeded') as succeeded,
      bool_or(v.outcome = 'failed') as failed,
      bool_or(v.active and v.status_code = 410) as gone,
      max(v.detail) filter (where v.outcome = 'failed') as detail
    from unnest(verdicts) v
    where v.outcome <> 'interrupted'
    group by v.webhook_id
    order by v.webhook_id
  ) x;
  return query
  select v.webhook_id, min(extract(epoch from v.pause) * 1000)::double precision, null::bigint[]
  from unnest(verdicts) v
  group by v.webhook_id
  union all
  select d.webhook_id, null, array_agg(r.attempt_id)
  from jsonb_to_recordset(results) as r (attempt_id bigint)
  join public.webhook_deliveries d on d.lease = r.attempt_id
  where d.webhook_id <> all (locked)
  group by d.webhook_id;
end $function$;
grant execute on function private.board_period_json(public.reconciliations,boolean,date,date) to authenticated;
grant execute on function private.board_sums(public.reconciliations) to authenticated;
grant execute on function private.booked_balances(public.reconciliations) to authenticated;
grant execute on function private.statement_explained(public.reconciliations) to authenticated;
grant execute on function private.statement_items(public.reconciliations) to authenticated;
grant execute on function private.statement_outstanding(public.reconciliations) to authenticated;
grant execute on function private.statement_sums(public.reconciliations) to authenticated;
grant execute on function private.statement_totals(public.reconciliations) to authenticated;
