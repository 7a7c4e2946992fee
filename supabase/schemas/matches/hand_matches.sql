-- What people do with lines themselves: match them by hand, exclude them from a period, include
-- them again.

-- The caller's lines in their order, as they stand in a pair. Refuses: invalid_request with the
-- place of each that is no line of it.
create function private.lines_of_pair(pair integer, ids jsonb)
returns table (n bigint, line_no bigint, side text, currency text, open_minor bigint,
  value_date date)
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  missing jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'line_ids.' || (i.n - 1), 'message',
      'There is no such line in the two sources.')
  order by i.n) into missing
  from jsonb_array_elements_text(ids) with ordinality as i (id, n)
  where not exists (
    select
    from public.lines l
    join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
    join public.pairs p on p.tenant_id = s.tenant_id and p.pair_no = pair
      and s.source_no in (p.left_source_no, p.right_source_no)
    where l.tenant_id = tenant and l.id = private.line_id(i.id)
  );
  if missing is not null then
    perform private.refuse('invalid_request',
      'The request is not valid: see errors for each place.', missing);
  end if;
  return query
  select i.n, l.line_no, case l.source_no when p.left_source_no then 'left' else 'right' end,
    l.currency, coalesce(o.open_minor, 0), l.value_date
  from jsonb_array_elements_text(ids) with ordinality as i (id, n)
  join public.lines l on l.tenant_id = tenant and l.id = private.line_id(i.id)
  join public.pairs p on p.tenant_id = tenant and p.pair_no = pair
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = pair
    and o.line_no = l.line_no
  order by i.n;
end $$;

-- What a key explains stays within what the pair's rules let a match keep, whatever it is called.
-- Refuses: role_required.
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

-- Makes a confirmed match of all that is open of these lines; `split`: the one of which the
-- difference stays open. Refuses: invalid_request where they do not add up, naming by how much, or
-- to more than JSON's numbers hold; role_required for what only a person may adjust; conflict where
-- one is not open; not_found and conflict of the period. Records: matching.matched or
-- matching.written_off.
create function private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text,
  split text) returns public.matches
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  bad jsonb;
  asked record;
  made public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  split_no bigint;
  split_side text;
  split_open bigint;
  -- What the match takes of the split line: all that is open, less the difference.
  split_minor bigint;
  -- What it takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  r := private.lock_period(tenant, period);
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (l.n - 1), 'message', case
      when o.line_no is null then 'This line is matched or excluded already.'
      else format('This line is dated after the period, which ends on %s.', r.period_end) end)
        order by l.n) into bad
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no
    and o.line_no = l.line_no
  where o.line_no is null or l.value_date > r.period_end;
  if bad is not null then
    perform private.refuse_conflict('state_changed',
      'Not all of these lines are open in the period. Nothing was changed.', bad);
  end if;
  select count(*) filter (where l.side = 'left') as lefts,
    count(*) filter (where l.side = 'right') as rights, count(distinct l.currency) as currencies,
    min(l.currency) as currency,
    coalesce(sum(l.open_minor) filter (where l.side = 'left'), 0) as left_minor,
    coalesce(sum(l.open_minor) filter (where l.side = 'right'), 0) as right_minor,
    sum(greatest(l.open_minor, 0)) as positive_minor,
    sum(case l.side when 'left' then 1 else -1 end * private.fee_of_whole(x, l.open_minor)) as fees
  into asked
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l
    join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no;
  if asked.currencies > 1 then
    perform private.refuse_field('line_ids', 'All lines of a match need one currency.');
  end if;
  select asked.left_minor - asked.right_minor
    - coalesce(sum((a ->> 'amount_minor')::bigint), 0) into difference
  from jsonb_array_elements(coalesce(match_by_hand.adjustments, '[]')) a;
  if split is not null then
    select l.line_no, l.side, l.open_minor,
      l.open_minor - case l.side when 'left' then difference else -difference end
    into split_no, split_side, split_open, split_minor
    from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l
    join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no
      and x.id = private.line_id(split);
    if not found then
      perform private.refuse_field('split_line_id', 'Name one of line_ids.');
    elsif asked.lefts = 0 or asked.rights = 0 then
      perform private.refuse_field('split_line_id',
        'Only a match of both sides can leave part of a line open.');
    elsif difference = 0 or sign(split_minor) <> sign(split_open)
      or abs(split_minor) >= abs(split_open) then
      perform private.refuse_field('split_line_id', format(
        'Left − right is %s in minor units of %s, which is no part of this line. Choose the larger line.',
        difference, asked.currency));
    end if;
  elsif difference <> 0 and difference = asked.fees then
    explained := explained
      || jsonb_build_object('kind', 'fee', 'amount_minor', asked.fees, 'note', null);
  elsif difference <> 0 then
    perform private.refuse_field('adjustments', format(
      'Left is %s and right is %s in minor units of %s: %s is not explained. Add adjustments of %s, or choose other lines.',
      asked.left_minor, asked.right_minor, asked.currency, difference, difference));
  end if;
  left_taken := asked.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := asked.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when asked.lefts = 0 or asked.rights = 0 then asked.positive_minor else left_taken
    end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids',
      'These lines come to more than 9007199254740991 in minor units. Match fewer of them at a time.');
  end if;
  perform private.require_adjustable(r, match_by_hand.adjustments,
    greatest(abs(left_taken), abs(right_taken), amount), asked.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    case when asked.lefts = 0 or asked.rights = 0 then 'reversal' when asked.lefts = 1
      and asked.rights = 1 then '1:1'
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

-- The period in which a line is to be excluded or matched now: the earliest open one that reaches
-- its day. Refuses: not_found for a line the tenant does not have; invalid_request where the source
-- stands in several pairs and none is named; conflict where no period is open.
create function private.open_period_of_line(id text, reconciliation text) returns text
language plpgsql stable set search_path = '' as $$
declare
  l public.lines;
  pairs integer[];
  period text;
begin
  select * into l
  from public.lines x
  where x.tenant_id = private.tenant_id() and x.id = private.line_id($1);
  if not found then
    perform private.refuse_missing('line');
  end if;
  if reconciliation is not null then
    perform
    from public.reconciliations r
    join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    where r.tenant_id = l.tenant_id and r.id = reconciliation
      and l.source_no in (p.left_source_no, p.right_source_no);
    if not found then
      perform private.refuse_field('reconciliation_id',
        'There is no such reconciliation of the line''s source.');
    end if;
    return reconciliation;
  end if;
  select array_agg(p.pair_no) into pairs from public.pairs p
  where p.tenant_id = l.tenant_id and l.source_no in (p.left_source_no, p.right_source_no);
  if cardinality(pairs) > 1 then
    perform private.refuse_field('reconciliation_id',
      'The line''s source is compared with several others: name the reconciliation.');
  end if;
  select r.id into period from public.reconciliations r
  where r.tenant_id = l.tenant_id and r.pair_no = any (pairs) and r.closed_at is null
    and r.status <> 'archived' and r.period_end >= l.value_date
  order by r.period_end limit 1;
  if not found then
    perform private.refuse_conflict('no_open_period',
      'No reconciliation of the line''s source is open for its day.');
  end if;
  return period;
end $$;
grant execute on function private.open_period_of_line(text, text) to authenticated;

-- Takes all that is open of a line out of a period. Records: line.excluded. Refuses: conflict where
-- nothing of it is open, or another period excluded part of it.
create function private.exclude_line(id text, period text, reason text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  o private.open_lines;
begin
  r := private.lock_period(tenant, period);
  delete from private.open_lines x using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and x.tenant_id = tenant
    and x.pair_no = r.pair_no and x.line_no = l.line_no
    and x.value_date <= r.period_end
  returning x.* into o;
  if not found then
    perform private.refuse_conflict('line_not_open',
      'Nothing of this line is open in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone since.
  insert into public.exclusions as e (tenant_id, pair_no, line_no, reconciliation_id, side,
    currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no)
    do update set excluded_minor = e.excluded_minor + excluded.excluded_minor,
    reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where e.reconciliation_id = excluded.reconciliation_id;
  if not found then
    perform private.refuse_conflict('excluded_elsewhere',
      'Another period excluded part of this line. Include it there first, or match what is open of it.');
  end if;
  perform private.drop_suggestions(tenant, r.pair_no, array[o.line_no]);
  perform private.resolve_line_exceptions(tenant, r.pair_no, array[o.line_no],
    left('Excluded: ' || $3, 1000));
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, r.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_period_work(r.id);
  perform private.revoke_signatures(tenant, array[r.id], 'A line was excluded.');
  perform private.record_security_event('line.excluded', $1, null,
    jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
end $$;

-- Takes an exclusion back; answers its period. Records: line.included. Refuses: conflict where the
-- line is not excluded.
create function private.include_line(id text, period text, reason text) returns text
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  x public.exclusions;
begin
  select r2.* into r from public.lines l
  join public.exclusions e on e.tenant_id = l.tenant_id and e.line_no = l.line_no
  join public.reconciliations r2 on r2.tenant_id = e.tenant_id and r2.id = e.reconciliation_id
  where l.tenant_id = tenant and l.id = private.line_id($1) and (period is null or r2.id = period)
  order by r2.period_end desc limit 1;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  r := private.lock_period(tenant, r.id);
  delete from public.exclusions e using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and e.tenant_id = tenant
    and e.pair_no = r.pair_no and e.line_no = l.line_no
  returning e.* into x;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor,
    open_minor, value_date)
  select tenant, x.pair_no, l.line_no, x.side, l.currency,
    case s.sign when 'inverted' then -l.amount_minor else l.amount_minor end,
    x.excluded_minor, l.value_date
  from public.lines l
    join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  where l.tenant_id = tenant and l.line_no = x.line_no
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, x.pair_no, array[x.line_no]);
  update private.acts a set undone_at = now(), undone_by = private.actor()
  where a.tenant_id = tenant and a.line_id = private.line_id($1) and a.reconciliation_id = r.id
    and a.undone_at is null;
  perform private.record_period_work(r.id);
  perform private.revoke_signatures(tenant, array[r.id], 'A line was included again.');
  perform private.record_security_event('line.included', $1, null,
    jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
  return r.id;
end $$;

-- The line as it stands in the period's pair.
create function private.line_of_period(id text, period text) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select private.lines_json(l.tenant_id, r.pair_no, array[l.line_no]) -> 0
    from public.lines l
    join public.reconciliations r on r.tenant_id = l.tenant_id and r.id = period
    where l.tenant_id = private.tenant_id() and l.id = private.line_id($1)
  );
end $$;

-- input: { id, reason, reconciliation_id }. Answers the line. Refuses: not_found, conflict,
-- invalid_request.
create function public.exclude_line(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'exclude_line');
  period text;
begin
  if replayed is not null then
    return replayed;
  end if;
  period := private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id');
  perform private.exclude_line(input ->> 'id', period, input ->> 'reason');
  return private.finish_request(request, private.line_of_period(input ->> 'id', period));
end $$;

-- input: { id, reason, reconciliation_id }. Answers the line. Refuses: not_found, conflict.
create function public.include_line(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'include_line');
  period text;
begin
  if replayed is not null then
    return replayed;
  end if;
  if not exists (select from public.lines l
    where l.tenant_id = private.tenant_id() and l.id = private.line_id(input ->> 'id')) then
    perform private.refuse_missing('line');
  end if;
  period := private.include_line(input ->> 'id', input ->> 'reconciliation_id', input ->> 'reason');
  return private.finish_request(request, private.line_of_period(input ->> 'id', period));
end $$;
