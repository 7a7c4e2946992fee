-- The checklist before a close, computed from the present state. The pair's policy says of each
-- check whether it blocks, warns or is ignored.

create function private.check_json(name text, passes boolean, weight text, count bigint,
  detail text) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return jsonb_build_object('check', name, 'count', count, 'detail', detail,
    'outcome', case when passes or weight = 'ignore' then 'pass' else weight end);
end $$;

-- "1 suggestion waits", "4 suggestions wait".
create function private.pluralize(count bigint, singular text, plural text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return count || ' ' || case when count = 1 then singular else plural end;
end $$;

-- Whether the files and balances of each side reach the last day: [{ side, name, currency, until,
-- missing_days, breaks, has_balance }], the left side first.
create function private.coverage_of(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'side', source.side, 'name', source.name, 'currency', source.currency, 'until', source.until,
      'missing_days', private.business_days_between(period.tenant_id,
        private.policy_of_pair(period.tenant_id, period.pair_no) ->> 'calendar_id',
        coalesce(source.until, period.period_start - 1), period.period_end),
      'breaks', private.balance_breaks_of_source(period.tenant_id, source.source_no,
        period.period_start, period.period_end),
      'has_balance', exists (
        select
        from private.balance_on(period.tenant_id, source.source_no, source.currency,
          period.period_end))
    ) order by source.side)
    from (
      select source.source_no, source.name, source.currency,
        case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
        greatest(
          (select max(line.value_date) from public.lines line
            where line.tenant_id = source.tenant_id and line.source_no = source.source_no),
          (select max(balance.period_end) from public.source_balances balance
            where balance.tenant_id = source.tenant_id
              and balance.source_no = source.source_no)) as until
      from public.pairs pair
      join public.sources source on source.tenant_id = pair.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
      where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
    ) source
  );
end $$;

-- Whether enough people took part: these always block.
create function private.checks_of_people(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_array(
    private.check_json('second_person',
      not (private.requires_second_person(period) and private.worked_in_period(period)),
      'block', null,
      case when not private.requires_second_person(period)
        then 'The policy requires no second person.'
        when private.worked_in_period(period)
          then 'You worked in this period. Someone else has to close it.'
        else 'You did not work in this period.' end),
    (
      select private.check_json('signatures',
        sign_off.levels = 0 or sign_off.reviews >= sign_off.levels, 'block', sign_off.reviews,
        case when sign_off.levels = 0 then 'The policy requires no review.'
          when sign_off.state = 'open' then 'The period is not prepared.'
          else format('Reviews signed: %s of %s.', sign_off.reviews, sign_off.levels) end)
      from (
        select (sign_off ->> 'levels')::integer as levels, sign_off ->> 'state' as state,
          (select count(*) from jsonb_array_elements(sign_off -> 'signatures') signature
            where signature ->> 'kind' = 'reviewed') as reviews
        from private.sign_off_json(period) sign_off
      ) sign_off
    )
  );
end $$;

-- Whose balance at the end is unknown: sources, and sources in other currencies of their lines;
-- null if all are known. `balances` as in a statement.
create function private.unknown_balances(coverage jsonb, balances jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select string_agg(unknown.name, ' and ' order by unknown.side, unknown.name)
    from (
      select source ->> 'side' as side, source ->> 'name' as name
      from jsonb_array_elements(coverage) source
      where not (source ->> 'has_balance')::boolean
      union all
      select source ->> 'side', format('%s in %s', source ->> 'name', balance ->> 'currency')
      from jsonb_array_elements(coverage) source
      join jsonb_array_elements(balances) balance on balance -> 'side' = source -> 'side'
        and balance -> 'currency' <> source -> 'currency'
      where balance -> 'stated_closing_minor' = 'null'
        and (balance -> 'line_count' <> '0' or balance -> 'closing_minor' <> '0')
    ) unknown
  );
end $$;

-- What the imports of both sides have shown: `coverage` as coverage_of returns it, `balances` as in
-- a statement.
create function private.checks_of_files(coverage jsonb, balances jsonb,
  weights jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  missing_days bigint;
  late text;
  break_count bigint;
  without_balance constant text := private.unknown_balances(coverage, balances);
begin
  select sum((source_coverage ->> 'missing_days')::bigint),
    string_agg(format('%s has nothing after %s', source_coverage ->> 'name',
      coalesce(to_char((source_coverage ->> 'until')::date, 'FMDD Mon YYYY'),
        'the period began')), '; ')
      filter (where (source_coverage ->> 'missing_days')::bigint > 0),
    sum(jsonb_array_length(source_coverage -> 'breaks'))
  into missing_days, late, break_count
  from jsonb_array_elements(coverage) source_coverage;
  return jsonb_build_array(
    private.check_json('files', missing_days = 0, weights ->> 'files', missing_days,
      coalesce(late || '.', 'Both sides have data up to the last business day.')),
    private.check_json('balances', break_count = 0 and without_balance is null,
      weights ->> 'balances', break_count,
      case when without_balance is not null
          then format('The balance of %s is unknown. Record it, or import a file that has it.',
            without_balance)
        when break_count > 0 then private.pluralize(break_count,
          'statement does not continue the one before.',
          'statements do not continue the one before.')
        else 'All balances are known, and each statement continues the one before.' end)
  );
end $$;

-- [{ check, outcome: pass | warn | block, count, detail }] for an open period.
create function private.checks_of(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  weights constant jsonb := private.policy_of_pair(period.tenant_id, period.pair_no) -> 'checks';
  preview constant jsonb := private.close_preview(period);
  totals constant jsonb := private.statement_totals(period);
  unexplained bigint;
begin
  select count(*) into unexplained from jsonb_array_elements(totals -> 'differences') difference
  where coalesce(nullif(difference -> 'unexplained_minor', 'null'),
    difference -> 'difference_minor') <> '0';
  return jsonb_build_array(
    private.check_json('period_over', preview -> 'days_until_over' = '0',
      weights ->> 'period_over', (preview ->> 'days_until_over')::bigint,
      case when preview -> 'days_until_over' = '0' then 'The period is over.'
        else format('The period is over in %s.',
          private.pluralize((preview ->> 'days_until_over')::bigint, 'day', 'days')) end)
  ) || private.checks_of_files(private.coverage_of(period), totals -> 'balances', weights)
  || jsonb_build_array(
    private.check_json('suggestions', preview -> 'suggestions_count' = '0',
      weights ->> 'suggestions', (preview ->> 'suggestions_count')::bigint,
      case when preview -> 'suggestions_count' = '0' then 'No suggestions are waiting.'
        else private.pluralize((preview ->> 'suggestions_count')::bigint,
          'suggestion is waiting for a decision and moves to the next period.',
          'suggestions are waiting for a decision and move to the next period.') end),
    private.check_json('exceptions', preview -> 'open_exceptions' = '0',
      weights ->> 'exceptions', (preview ->> 'open_exceptions')::bigint,
      case when preview -> 'open_exceptions' = '0' then 'No exceptions are open.'
        else private.pluralize((preview ->> 'open_exceptions')::bigint,
          'exception is open and moves to the next period with its lines.',
          'exceptions are open and move to the next period with their lines.') end),
    private.check_json('difference', unexplained = 0, weights ->> 'difference', unexplained,
      case when unexplained = 0 then 'Nothing is unexplained.'
        else format('A difference is unexplained in %s.',
          private.pluralize(unexplained, 'currency', 'currencies')) end),
    (
      select private.check_json('evidence', adjusted.missing = 0,
        coalesce(weights ->> 'evidence', 'warn'), adjusted.missing,
        case when adjusted.missing = 0 then 'No required evidence is missing.'
          else private.pluralize(adjusted.missing, 'adjusted match has no evidence.',
            'adjusted matches have no evidence.') end)
      from private.missing_evidence(period) adjusted (missing)
    )
  ) || private.checks_of_people(period);
end $$;

-- Refuses: conflict if a check of the policy blocks. Signatures and the second person are checked
-- elsewhere.
create function private.require_checks(period public.reconciliations) returns void
language plpgsql stable set search_path = '' as $$
declare
  weights constant jsonb := private.policy_of_pair(period.tenant_id, period.pair_no) -> 'checks';
  failed text;
begin
  -- Most policies only warn, and sums over a million lines take seconds.
  if not exists (select from jsonb_each_text(weights) weight_of_check
    where weight_of_check.value = 'block') then
    return;
  end if;
  select string_agg(outcome ->> 'detail', ' ') into failed
  from jsonb_array_elements(private.checks_of(period)) outcome
  where outcome ->> 'outcome' = 'block'
    and outcome ->> 'check' not in ('second_person', 'signatures');
  if failed is not null then
    perform private.refuse_conflict('checklist_incomplete', failed
      || ' The policy of these sources does not allow signing or closing before that.');
  end if;
end $$;

-- Refuses: conflict if signatures that the policy asks for are missing.
create function private.require_signatures(period public.reconciliations) returns void
language plpgsql stable set search_path = '' as $$
declare
  sign_off constant jsonb := private.sign_off_json(period);
begin
  if (sign_off ->> 'levels')::integer = 0 or sign_off ->> 'state' = 'reviewed' then
    return;
  elsif sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('signatures_missing', coalesce(
      format('The signatures were revoked: %s ', sign_off #>> '{revoked,reason}'), '')
      || 'The period has to be prepared and reviewed before it closes.');
  end if;
  perform private.refuse_conflict('signatures_missing', format(
    'The period needs %s reviews before it closes, and has %s. Ask someone else to review it.',
    sign_off ->> 'levels', jsonb_array_length(sign_off -> 'signatures') - 1));
end $$;
grant execute on function
  private.check_json(text, boolean, text, bigint, text), private.pluralize(bigint, text, text),
  private.coverage_of(public.reconciliations), private.checks_of(public.reconciliations),
  private.unknown_balances(jsonb, jsonb), private.checks_of_files(jsonb, jsonb, jsonb),
  private.checks_of_people(public.reconciliations)
to authenticated;

-- input: { id }, the reconciliation's. Refuses: not_found; conflict for a closed period.
create function public.get_checklist(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_checklist');
  period := private.find_period(input ->> 'id');
  if period.closed_at is not null then
    perform private.refuse_conflict('period_closed',
      'The period is closed, so it has no checklist.');
  end if;
  return jsonb_build_object('items', private.checks_of(period),
    'sources', private.coverage_of(period),
    'sign_off', private.sign_off_json(period));
end $$;
