-- matches without evidence

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.match_filters(input jsonb, after_id uuid, of_line text, is_changed boolean, is_closed boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  by_line constant text := 'exists (
    select from public.match_members member
    cross join lateral (
      select * from public.lines x where x.tenant_id = $1 and x.line_no = member.line_no offset 0
    ) l
    where member.tenant_id = $1 and member.match_id = m.id and ';
begin
  return concat_ws(' and ', 'm.tenant_id = $1 and m.reconciliation_id = $2',
    case when after_id is not null then 'm.id < $3' end,
    case when is_changed then 'm.id = any ($7)'
      when input ->> 'updated_since' is not null then $c$(
        m.created_at >= ($4 ->> 'updated_since')::timestamptz
        or m.decided_at >= ($4 ->> 'updated_since')::timestamptz)$c$
    end,
    case when input ->> 'state' is not null then format('m.state = %L', input ->> 'state') end,
    -- Suggestions that wait for the next period do not belong to a closed one.
    case when is_closed then $c$m.state <> 'suggested'$c$ end,
    case when input ->> 'method' is not null then $c$m.method = $4 ->> 'method'$c$ end,
    case when input ->> 'missing_evidence' = 'true' then $c$(m.state = 'confirmed'
      and m.method = 'manual' and m.adjustments <> '[]'
      and private.lacks_evidence(m, ($4 ->> 'evidence_required_from')::bigint))$c$ end,
    case when input ->> 'shape' is not null then $c$m.shape = $4 ->> 'shape'$c$ end,
    case when input ->> 'run_id' is not null then $c$m.run_id = $4 ->> 'run_id'$c$ end,
    case when input ->> 'amount_from' is not null then
      $c$m.amount_minor >= ($4 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then
      $c$m.amount_minor <= ($4 ->> 'amount_to')::bigint$c$ end,
    by_line || of_line || ' offset 0)');
end $function$;
CREATE OR REPLACE FUNCTION public.list_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  tenant constant text := private.tenant_id();
  after_id constant uuid := private.match_id(input -> 'after' ->> 0);
  of_line constant text := private.requested_line(input);
  period public.reconciliations;
  found_lines bigint[];
  changed uuid[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_matches');
  period := private.find_period(input ->> 'id');
  if of_line is not null then
    found_lines := private.narrow_by_filters(period, input, 5000);
  end if;
  if input ->> 'updated_since' is not null then
    changed := private.matches_since(period, (input ->> 'updated_since')::timestamptz);
  end if;
  execute format('select jsonb_agg(private.match_json(x) order by x.id desc) from (
      select m.* from %s where %s order by m.id desc limit $6
    ) x',
    case when found_lines is null then 'public.matches m' else '(
      select distinct member.match_id from public.match_members member
      where member.tenant_id = $1 and member.line_no = any ($5)
    ) f cross join lateral (
      select * from public.matches y where y.tenant_id = $1 and y.id = f.match_id offset 0
    ) m' end,
    private.match_filters(input, after_id, of_line, changed is not null,
      period.closed_at is not null))
  into items using tenant, period.id, after_id,
    input || jsonb_build_object('evidence_required_from', private.evidence_required_from(period)),
    found_lines, page_size + 1, changed;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_people(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
  select sum((source_coverage ->> 'missing_days')::bigint),
    string_agg(format('%s has nothing after %s', source_coverage ->> 'name',
      coalesce(to_char((source_coverage ->> 'until')::date, 'FMDD Mon YYYY'),
        'the period began')), '; ')
      filter (where (source_coverage ->> 'missing_days')::bigint > 0),
    sum(jsonb_array_length(source_coverage -> 'breaks')),
    string_agg(source_coverage ->> 'name', ' and ') filter (
      where not (source_coverage ->> 'has_balance')::boolean)
  into missing_days, late, break_count, without_balance
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
end $function$;
CREATE OR REPLACE FUNCTION private.lacks_evidence(match public.matches, required_from bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return match.tenant_id = private.tenant_id()
    and exists (
      select from jsonb_array_elements(match.adjustments) adjustment
      where abs((adjustment ->> 'amount_minor')::bigint) >= required_from
    )
    and not exists (
      select from public.evidence evidence
      where evidence.tenant_id = match.tenant_id and evidence.removed_at is null
        and evidence.subject_id = private.match_id_text(match.id)
    )
    and not exists (
      select from public.match_members member
      join public.lines line on line.tenant_id = member.tenant_id
        and line.line_no = member.line_no
      join public.evidence evidence on evidence.tenant_id = member.tenant_id
        and evidence.removed_at is null and evidence.subject_id = private.line_id_text(line.id)
      where member.tenant_id = match.tenant_id and member.match_id = match.id
    );
end $function$;
CREATE OR REPLACE FUNCTION private.evidence_required_from(period public.reconciliations)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (private.policy_of_pair(period.tenant_id, period.pair_no)
    ->> 'evidence_from_minor')::bigint;
end $function$;
CREATE OR REPLACE FUNCTION private.missing_evidence(period public.reconciliations)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  required_from constant bigint := private.evidence_required_from(period);
begin
  if required_from is null then
    return 0;
  end if;
  return (
    select count(*) from public.matches match
    where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
      and match.state = 'confirmed' and match.method = 'manual' and match.adjustments <> '[]'
      and private.lacks_evidence(match, required_from)
  );
end $function$;
grant execute on function private.evidence_required_from(public.reconciliations) to authenticated;
grant execute on function private.lacks_evidence(public.matches,bigint) to authenticated;
