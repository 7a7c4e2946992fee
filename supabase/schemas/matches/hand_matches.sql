-- Matching lines by hand.

-- The caller's lines in the given order, with their state in a pair. Refuses: invalid_request with
-- the place of each that is not a line of the pair.
create function private.lines_of_pair(pair integer, ids jsonb)
returns table (place bigint, line_no bigint, side text, currency text, open_minor bigint,
  value_date date)
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  missing jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'line_ids.' || (item.place - 1), 'message',
      'There is no such line in the two sources.')
  order by item.place) into missing
  from jsonb_array_elements_text(ids) with ordinality as item (id, place)
  where not exists (
    select
    from public.lines line
    join public.sources source on source.tenant_id = line.tenant_id
      and source.source_no = line.source_no
    join public.pairs on pairs.tenant_id = source.tenant_id and pairs.pair_no = pair
      and source.source_no in (pairs.left_source_no, pairs.right_source_no)
    where line.tenant_id = tenant and line.id = private.line_id(item.id)
  );
  if missing is not null then
    perform private.refuse('invalid_request',
      'The request is not valid: see errors for each place.', missing);
  end if;
  return query
  select item.place, line.line_no,
    case line.source_no when pairs.left_source_no then 'left' else 'right' end,
    line.currency, coalesce(open_line.open_minor, 0), line.value_date
  from jsonb_array_elements_text(ids) with ordinality as item (id, place)
  join public.lines line on line.tenant_id = tenant and line.id = private.line_id(item.id)
  join public.pairs on pairs.tenant_id = tenant and pairs.pair_no = pair
  left join private.open_lines open_line on open_line.tenant_id = tenant
    and open_line.pair_no = pair and open_line.line_no = line.line_no
  order by item.place;
end $$;

-- Adjustments made by a key stay within the pair's tolerances, whatever their kind. Refuses:
-- role_required.
create function private.require_adjustable(period public.reconciliations, adjustments jsonb,
  larger numeric, currency text) returns void
language plpgsql stable set search_path = '' as $$
declare
  adjusted constant numeric := (select coalesce(sum(abs((adjustment ->> 'amount_minor')::numeric)),
    0)
    from jsonb_array_elements(coalesce($2, '[]')) adjustment);
  max_count numeric;
begin
  if private.principal_type() = 'user' then
    return;
  elsif adjustments @> '[{"kind": "write_off"}]' then
    perform private.refuse('role_required',
      'Only people can write off: sign in as tenant_admin or tenant_lead.');
  end if;
  max_count := private.tolerance_of_pair(period.tenant_id, period.pair_no, larger);
  if adjusted > max_count then
    perform private.refuse('role_required',
      format(
        'An API key can adjust at most %s in minor units of %s here, by the tolerance of the rules, not %s. '
      'Leave the difference open with split_line_id, or have a tenant_admin or tenant_lead match these lines.',
      max_count, currency, adjusted));
  end if;
end $$;

-- Refuses: conflict unless all of the lines are open in a period, which is locked.
create function private.require_open_in_period(period public.reconciliations, line_ids jsonb)
returns void
language plpgsql stable set search_path = '' as $$
declare
  faults jsonb;
begin
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (pair_line.place - 1), 'message', case
      when open_line.line_no is null then 'This line is matched or excluded already.'
      else format('This line is dated after the period, which ends on %s.', period.period_end) end)
        order by pair_line.place) into faults
  from private.lines_of_pair(period.pair_no, line_ids) pair_line
  left join private.open_lines open_line on open_line.tenant_id = period.tenant_id
    and open_line.pair_no = period.pair_no
    and open_line.line_no = pair_line.line_no
  where open_line.line_no is null or pair_line.value_date > period.period_end;
  if faults is not null then
    perform private.refuse_conflict('state_changed',
      'Not all of these lines are open in the period. Nothing was changed.', faults);
  end if;
end $$;

-- The sums of the open amounts of lines, in minor units of their currency. Refuses: invalid_request
-- if they have several currencies.
create function private.sums_of_lines(period public.reconciliations, line_ids jsonb,
  out left_count bigint,
  out right_count bigint, out currency text, out left_minor numeric, out right_minor numeric,
  out positive_minor numeric, out fees numeric)
language plpgsql stable set search_path = '' as $$
declare
  currencies bigint;
begin
  select count(*) filter (where pair_line.side = 'left'),
    count(*) filter (where pair_line.side = 'right'),
    count(distinct pair_line.currency), min(pair_line.currency),
    coalesce(sum(pair_line.open_minor) filter (where pair_line.side = 'left'), 0),
    coalesce(sum(pair_line.open_minor) filter (where pair_line.side = 'right'), 0),
    sum(greatest(pair_line.open_minor, 0)),
    sum(case pair_line.side when 'left' then 1 else -1 end * private.fee_of_whole(line,
      pair_line.open_minor))
  into left_count, right_count, currencies, currency, left_minor, right_minor, positive_minor, fees
  from private.lines_of_pair(period.pair_no, line_ids) pair_line
  join public.lines line on line.tenant_id = period.tenant_id and line.line_no = pair_line.line_no;
  if currencies > 1 then
    perform private.refuse_field('line_ids', 'All lines of a match need one currency.');
  end if;
end $$;

-- The line that a match leaves partly open, and how much of it the match takes: all that is open,
-- less the difference of left and right. Refuses: invalid_request unless the difference is a part
-- of that line.
create function private.split_of_match(period public.reconciliations, line_ids jsonb, split text,
  difference bigint, currency text, out line_no bigint, out side text, out taken_minor bigint)
language plpgsql stable set search_path = '' as $$
declare
  open_minor bigint;
begin
  select pair_line.line_no, pair_line.side, pair_line.open_minor,
    pair_line.open_minor - case pair_line.side when 'left' then difference else -difference end
  into line_no, side, open_minor, taken_minor
  from private.lines_of_pair(period.pair_no, line_ids) pair_line
  join public.lines line on line.tenant_id = period.tenant_id and line.line_no = pair_line.line_no
    and line.id = private.line_id(split);
  if not found then
    perform private.refuse_field('split_line_id', 'Name one of line_ids.');
  elsif difference = 0 or sign(taken_minor) <> sign(open_minor)
    or abs(taken_minor) >= abs(open_minor) then
    perform private.refuse_field('split_line_id', format(
      'Left − right is %s in minor units of %s, which is no part of this line. Choose the larger line.',
      difference, currency));
  end if;
end $$;

create function private.match_shape(left_count bigint, right_count bigint) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case when left_count = 0 or right_count = 0 then 'reversal'
    when left_count = 1 and right_count = 1 then '1:1'
    when left_count = 1 then '1:n'
    when right_count = 1 then 'n:1'
    else 'n:m' end;
end $$;

create function private.sum_of_adjustments(adjustments jsonb) returns numeric
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select coalesce(sum((adjustment ->> 'amount_minor')::bigint), 0)
    from jsonb_array_elements(adjustments) adjustment
  );
end $$;

-- The adjustments of a match whose sides have these sums; fees that came with its lines become one.
-- Refuses: invalid_request if the sums differ by something else.
create function private.explain_difference(adjustments jsonb, left_minor numeric,
  right_minor numeric, fees numeric, currency text) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  difference constant bigint := left_minor - right_minor - private.sum_of_adjustments(adjustments);
begin
  if difference = 0 then
    return adjustments;
  elsif difference = fees then
    return adjustments || jsonb_build_object('kind', 'fee', 'amount_minor', fees, 'note', null);
  end if;
  perform private.refuse_field('adjustments', format(
    'Left is %s and right is %s in minor units of %s: %s is not explained. Add adjustments of %s, '
      'or choose other lines.',
    left_minor, right_minor, currency, difference, difference));
end $$;

-- Gives a match that was made by hand its lines, with all that is open of each but the one that is
-- split, and confirms it.
create function private.take_lines_by_hand(match public.matches, line_ids jsonb, split_no bigint,
  split_minor bigint) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select match.tenant_id, match.id, match.pair_no, pair_line.line_no, pair_line.side,
    case when pair_line.line_no = split_no then split_minor else pair_line.open_minor end
  from private.lines_of_pair(match.pair_no, line_ids) pair_line;
  perform private.confirm_matches(match.tenant_id, match.pair_no, array[match.id],
    private.actor());
  perform private.record_decision('match', array[match.id]);
  perform private.record_hand_match(match);
end $$;

-- Creates a confirmed match of all open amounts of these lines; `split`: the line of which the
-- difference stays open. Refuses: invalid_request if the sides don't add up, saying by how much, or
-- exceed JSON's numbers; role_required for adjustments that only a person may make; conflict if a
-- line is not open; not_found and conflict for the period. Records: matching.matched or
-- matching.written_off.
create function private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text,
  split text) returns public.matches
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  period_row public.reconciliations;
  sums record;
  split_no bigint;
  split_side text;
  split_minor bigint;
  match public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  is_reversal boolean;
  -- What the match takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  period_row := private.lock_period(tenant, period);
  perform private.require_open_in_period(period_row, match_by_hand.line_ids);
  sums := private.sums_of_lines(period_row, match_by_hand.line_ids);
  is_reversal := sums.left_count = 0 or sums.right_count = 0;
  if split is not null and is_reversal then
    perform private.refuse_field('split_line_id',
      'Only a match of both sides can leave part of a line open.');
  end if;
  if split is null then
    explained := private.explain_difference(explained, sums.left_minor, sums.right_minor,
      sums.fees, sums.currency);
  else
    difference := sums.left_minor - sums.right_minor - private.sum_of_adjustments(explained);
    select part.line_no, part.side, part.taken_minor into split_no, split_side, split_minor
    from private.split_of_match(period_row, match_by_hand.line_ids, split, difference,
      sums.currency) part;
  end if;
  left_taken := sums.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := sums.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when is_reversal then sums.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids',
      'These lines add up to more than 9007199254740991 in minor units. Match fewer at a time.');
  end if;
  perform private.require_adjustable(period_row, match_by_hand.adjustments,
    greatest(abs(left_taken), abs(right_taken), amount), sums.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), period_row.pair_no, period_row.id, 'confirmed',
    private.match_shape(sums.left_count, sums.right_count), 'manual', sums.currency, amount,
    explained,
    match_by_hand.note, private.actor(), now()) returning * into match;
  perform private.take_lines_by_hand(match, match_by_hand.line_ids, split_no, split_minor);
  return match;
end $$;

-- input: { id, line_ids, adjustments, note, split_line_id }, `id` the reconciliation's. Refuses: as
-- above.
create function public.create_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_match');
begin
  if replayed is not null then
    return replayed;
  end if;
  return private.finish_request(request, private.match_json(
    private.match_by_hand(input ->> 'id', input -> 'line_ids',
      nullif(input -> 'adjustments', 'null'), input ->> 'note',
      input ->> 'split_line_id')));
end $$;
