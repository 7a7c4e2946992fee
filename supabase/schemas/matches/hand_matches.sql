-- Matching lines by hand.

-- The caller's lines in the given order, with their state in a pair. Refuses: invalid_request with
-- the place of each that is not a line of the pair.
create function private.lines_of_pair(pair integer, ids jsonb)
returns table (n bigint, line_no bigint, side text, currency text, open_minor bigint,
  value_date date)
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  missing jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'line_ids.' || (given.n - 1), 'message',
      'There is no such line in the two sources.')
  order by given.n) into missing
  from jsonb_array_elements_text(ids) with ordinality as given (id, n)
  where not exists (
    select
    from public.lines line
    join public.sources source on source.tenant_id = line.tenant_id
      and source.source_no = line.source_no
    join public.pairs own_pair on own_pair.tenant_id = source.tenant_id and own_pair.pair_no = pair
      and source.source_no in (own_pair.left_source_no, own_pair.right_source_no)
    where line.tenant_id = tenant and line.id = private.line_id(given.id)
  );
  if missing is not null then
    perform private.refuse('invalid_request',
      'The request is not valid: see errors for each place.', missing);
  end if;
  return query
  select given.n, line.line_no,
    case line.source_no when own_pair.left_source_no then 'left' else 'right' end,
    line.currency, coalesce(open_line.open_minor, 0), line.value_date
  from jsonb_array_elements_text(ids) with ordinality as given (id, n)
  join public.lines line on line.tenant_id = tenant and line.id = private.line_id(given.id)
  join public.pairs own_pair on own_pair.tenant_id = tenant and own_pair.pair_no = pair
  left join private.open_lines open_line on open_line.tenant_id = tenant
    and open_line.pair_no = pair and open_line.line_no = line.line_no
  order by given.n;
end $$;

-- Adjustments made by a key stay within the pair's tolerances, whatever their kind. Refuses:
-- role_required.
create function private.require_adjustable(r public.reconciliations, adjustments jsonb,
  larger numeric, currency text) returns void
language plpgsql stable set search_path = '' as $$
declare
  adjusted constant numeric := (select coalesce(sum(abs((a ->> 'amount_minor')::numeric)), 0)
    from jsonb_array_elements(coalesce($2, '[]')) a);
  most numeric;
begin
  if private.principal_type() = 'user' then
    return;
  elsif adjustments @> '[{"kind": "write_off"}]' then
    perform private.refuse('role_required',
      'A write-off is a person''s to decide: sign in as tenant_admin or tenant_lead.');
  end if;
  most := private.tolerance_of_pair(r.tenant_id, r.pair_no, larger);
  if adjusted > most then
    perform private.refuse('role_required',
      format(
        'An API key can adjust at most %s in minor units of %s here, by the tolerance of the rules, not %s. '
      'Leave the difference open with split_line_id, or have a tenant_admin or tenant_lead match these lines.',
      most, currency, adjusted));
  end if;
end $$;

-- Refuses: conflict unless all of the lines are open in a period, which is locked.
create function private.require_open_in_period(r public.reconciliations, line_ids jsonb)
returns void
language plpgsql stable set search_path = '' as $$
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
end $$;

-- The sums of the open amounts of lines, in minor units of their currency. Refuses: invalid_request
-- if they have several currencies.
create function private.sums_of_lines(r public.reconciliations, line_ids jsonb, out lefts bigint,
  out rights bigint, out currency text, out left_minor numeric, out right_minor numeric,
  out positive_minor numeric, out fees numeric)
language plpgsql stable set search_path = '' as $$
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
end $$;

-- The line that a match leaves partly open, and how much of it the match takes: all that is open,
-- less the difference of left and right. Refuses: invalid_request unless the difference is a part
-- of that line.
create function private.split_of_match(r public.reconciliations, line_ids jsonb, split text,
  difference bigint, currency text, out line_no bigint, out side text, out taken_minor bigint)
language plpgsql stable set search_path = '' as $$
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
end $$;

create function private.shape_of(lefts bigint, rights bigint) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case when lefts = 0 or rights = 0 then 'reversal'
    when lefts = 1 and rights = 1 then '1:1'
    when lefts = 1 then '1:n'
    when rights = 1 then 'n:1'
    else 'n:m' end;
end $$;

create function private.sum_of_adjustments(adjustments jsonb) returns numeric
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select coalesce(sum((a ->> 'amount_minor')::bigint), 0)
    from jsonb_array_elements(adjustments) a
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
  r public.reconciliations;
  asked record;
  split_no bigint;
  split_side text;
  split_minor bigint;
  made public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  is_reversal boolean;
  -- What the match takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  r := private.lock_period(tenant, period);
  perform private.require_open_in_period(r, match_by_hand.line_ids);
  asked := private.sums_of_lines(r, match_by_hand.line_ids);
  is_reversal := asked.lefts = 0 or asked.rights = 0;
  if split is not null and is_reversal then
    perform private.refuse_field('split_line_id',
      'Only a match of both sides can leave part of a line open.');
  end if;
  if split is null then
    explained := private.explain_difference(explained, asked.left_minor, asked.right_minor,
      asked.fees, asked.currency);
  else
    difference := asked.left_minor - asked.right_minor - private.sum_of_adjustments(explained);
    select part.line_no, part.side, part.taken_minor into split_no, split_side, split_minor
    from private.split_of_match(r, match_by_hand.line_ids, split, difference, asked.currency) part;
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
    private.shape_of(asked.lefts, asked.rights), 'manual', asked.currency, amount, explained,
    match_by_hand.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, line.line_no, line.side,
    case when line.line_no = split_no then split_minor else line.open_minor end
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) line;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  perform private.record_act('match', array[made.id]);
  perform private.record_hand_match(made);
  return made;
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
