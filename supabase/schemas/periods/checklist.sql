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
create function private.counted(count bigint, one text, many text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return count || ' ' || case when count = 1 then one else many end;
end $$;

-- Whether the files and balances of each side reach the last day: [{ side, name, until,
-- missing_days, breaks, has_balance }], the left side first.
create function private.coverage_of(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'side', source.side, 'name', source.name, 'until', source.until,
      'missing_days', private.business_days_between(r.tenant_id,
        private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'calendar_id',
        coalesce(source.until, r.period_start - 1), r.period_end),
      'breaks',
      private.balance_breaks(r.tenant_id, source.source_no, source.currency, r.period_start,
        r.period_end),
      'has_balance', exists (
        select
        from private.balance_on(r.tenant_id, source.source_no, source.currency, r.period_end))
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
      where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
    ) source
  );
end $$;

-- Whether enough people took part: these always block.
create function private.checks_of_people(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_array(
    private.check_json('second_person',
      not (private.requires_second_person(r) and private.worked_in_period(r)), 'block', null,
      case when not private.requires_second_person(r) then 'The policy asks for no second person.'
        when private.worked_in_period(r) then 'You worked in this period. Someone else closes it.'
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
end $$;

-- What the imports of both sides have shown: `coverage` as coverage_of returns it.
create function private.checks_of_files(coverage jsonb, weights jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
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
end $$;

-- [{ check, outcome: pass | warn | block, count, detail }] for an open period.
create function private.checks_of(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
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
end $$;

-- Refuses: conflict if a check of the policy blocks. Signatures and the second person are checked
-- elsewhere.
create function private.require_checks(r public.reconciliations) returns void
language plpgsql stable set search_path = '' as $$
declare
  weights constant jsonb := private.policy_of_pair(r.tenant_id, r.pair_no) -> 'checks';
  failed text;
begin
  -- Most policies only warn, and sums over a million lines take seconds.
  if not exists (select from jsonb_each_text(weights) w where w.value = 'block') then
    return;
  end if;
  select string_agg(c ->> 'detail', ' ') into failed
  from jsonb_array_elements(private.checks_of(r)) c
  where c ->> 'outcome' = 'block' and c ->> 'check' not in ('second_person', 'signatures');
  if failed is not null then
    perform private.refuse_conflict('checklist_incomplete', failed
      || ' The policy of these sources lets nobody sign or close before.');
  end if;
end $$;

-- Refuses: conflict if signatures that the policy asks for are missing.
create function private.require_signatures(r public.reconciliations) returns void
language plpgsql stable set search_path = '' as $$
declare
  sign_off constant jsonb := private.sign_off_json(r);
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
  private.check_json(text, boolean, text, bigint, text), private.counted(bigint, text, text),
  private.coverage_of(public.reconciliations), private.checks_of(public.reconciliations),
  private.checks_of_files(jsonb, jsonb), private.checks_of_people(public.reconciliations)
to authenticated;

-- input: { id }, the reconciliation's. Refuses: not_found; conflict for a closed period.
create function public.get_checklist(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_checklist');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    perform private.refuse_conflict('period_closed',
      'The period is closed, and has no checklist any more.');
  end if;
  return jsonb_build_object('items', private.checks_of(r), 'sources', private.coverage_of(r),
    'sign_off', private.sign_off_json(r));
end $$;
