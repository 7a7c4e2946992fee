-- Saving what a run decided: chunks of matches, each with its members and the lines that it takes.

-- Updates matches that the engine found again, by another rule or with other fees.
create function private.update_found_matches(tenant text, run text, ids uuid[], states text[],
  methods text[], settled boolean[], scores real[], margins real[], residuals bigint[],
  explanations jsonb, highs bigint[], lows bigint[], adjustments jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.matches match
  set run_id = run, method = item.method, settled = item.settled, score = item.score,
    margin = item.margin, residual_minor = item.residual,
    adjustments = coalesce(update_found_matches.adjustments -> item.id::text, '[]'),
    explanation = explanations -> item.id::text, hash_high = item.high, hash_low = item.low
  from unnest(ids, states, methods, update_found_matches.settled, scores, margins, residuals, highs,
    lows) as item (id, state, method, settled, score, margin, residual, high, low)
  where match.tenant_id = tenant and match.id = item.id and match.decided_by is null
    and match.state = item.state;
end $$;

-- Undoes those of these matches that no person has decided.
create function private.undo_undecided_matches(tenant text, ids uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if cardinality(ids) > 0 then
    perform private.undo_matches(tenant, array(
      select match.id from public.matches match
      where match.tenant_id = tenant and match.id = any (ids) and match.decided_by is null), null);
  end if;
end $$;

-- The matches with a member whose line no longer has enough open.
create function private.matches_of_taken_lines(tenant text, pair integer, member_ids uuid[],
  member_lines bigint[], member_amounts bigint[]) returns uuid[]
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(array_agg(distinct member_ids[found.nth]), '{}')
    from private.find_open_amounts(tenant, pair, member_lines, member_amounts) found
    where found.place is null
      or found.minor not between least(found.open_minor, 0) and greatest(found.open_minor, 0)
  );
end $$;

-- Stores a chunk: undoes what the engine made and does not make any more, then creates new matches,
-- given in columns. Matches whose lines have been taken since are left out. Matches without members
-- exist already, and were made by another rule, or have other fees now. Returns how many were left
-- out. Refuses: conflict if the period was closed or another process took over the run.
create function private.save_matches(
  tenant text, reconciliation text, run text, attempt integer, gone uuid[],
  ids uuid[], states text[], shapes text[], methods text[], settled boolean[], scores real[],
  margins real[], currencies text[],
  amounts bigint[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[],
  member_ids uuid[], member_lines bigint[], member_sides text[], member_amounts bigint[],
  adjustments jsonb default '{}'
) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  period public.reconciliations;
  lost_ids uuid[];
  confirmed uuid[];
begin
  period := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  perform private.undo_undecided_matches(tenant, gone);
  if cardinality(member_ids) = 0 then
    perform private.update_found_matches(tenant, run, ids, states, methods, settled, scores,
      margins, residuals, explanations, highs, lows, adjustments);
    return 0;
  end if;
  lost_ids := private.matches_of_taken_lines(tenant, period.pair_no, member_ids, member_lines,
    member_amounts);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape,
    method, settled, score, margin, currency,
    amount_minor, residual_minor, adjustments, explanation, hash_high, hash_low, created_by)
  select tenant, item.id, period.pair_no, period.id, run, item.state, item.shape, item.method,
    item.settled, item.score, item.margin, item.currency, item.amount, item.residual,
    coalesce(save_matches.adjustments -> item.id::text, '[]'), explanations -> item.id::text,
    item.high, item.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts,
    residuals, highs, lows) as item (id, state, shape, method, settled, score, margin, currency,
    amount, residual, high, low) where cardinality(lost_ids) = 0 or item.id <> all (lost_ids);
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, item.match_id, period.pair_no, item.line_no, item.side, item.minor
  from unnest(member_ids, member_lines, member_sides, member_amounts) as item (match_id,
    line_no, side, minor) where cardinality(lost_ids) = 0 or item.match_id <> all (lost_ids);
  if 'suggested' = any (states) then
    perform private.drop_moved_suggestions(period, member_lines, ids);
  end if;
  confirmed := array(select item.id from unnest(ids, states) as item (id, state)
    where item.state = 'confirmed' and (cardinality(lost_ids) = 0 or item.id <> all (lost_ids)));
  if cardinality(confirmed) > 0 then
    perform private.claim_matched_lines(tenant, period, member_ids, member_lines, member_amounts,
      confirmed, cardinality(confirmed) = cardinality(ids));
  end if;
  return cardinality(lost_ids);
end $$;

-- Deletes the suggestions that the close or reopening of another period moved here during the run,
-- if they share a line with a new suggestion.
create function private.drop_moved_suggestions(period public.reconciliations, lines bigint[],
  new_ids uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  moved constant uuid[] := array(
    select match.id from public.matches match
    join public.runs run on run.tenant_id = match.tenant_id and run.id = match.run_id
    where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
      and match.state = 'suggested' and run.reconciliation_id <> period.id
      and match.id <> all (new_ids)
  );
  repeated_ids uuid[];
begin
  if cardinality(moved) = 0 then
    return;
  end if;
  select array_agg(distinct member.match_id) into repeated_ids
  from private.members_of(period.tenant_id, moved) member where member.line_no = any (lines);
  if repeated_ids is not null then
    perform private.delete_matches(period.tenant_id, repeated_ids);
  end if;
end $$;

-- Takes the lines of a run's confirmed matches from open amounts, from suggestions of other
-- periods, and from exceptions. `all_of`: every member belongs to one of them.
create function private.claim_matched_lines(
  tenant text, period public.reconciliations, member_ids uuid[], member_lines bigint[],
  member_amounts bigint[], confirmed uuid[], all_of boolean
) returns void
language plpgsql volatile set search_path = '' as $$
declare
  lines bigint[] := member_lines;
  minors bigint[] := member_amounts;
begin
  if not all_of then
    select array_agg(item.line_no), array_agg(item.minor) into lines, minors
    from unnest(member_ids, member_lines, member_amounts) as item (match_id, line_no, minor)
      where item.match_id = any (confirmed);
  end if;
  perform private.reduce_open_amounts(tenant, period.pair_no, lines, minors);
  perform private.revoke_signatures(tenant, array[period.id], 'A run matched lines.');
  insert into private.matched_counts as matched_count (tenant_id, reconciliation_id, lines)
  values (tenant, period.id, cardinality(lines))
  on conflict (tenant_id, reconciliation_id) do update set lines = matched_count.lines
    + excluded.lines;
  if exists (
    select from public.reconciliations other
    where other.tenant_id = tenant and other.pair_no = period.pair_no and other.id <> period.id
      and exists (select from public.matches match
        where match.tenant_id = tenant and match.reconciliation_id = other.id
          and match.state = 'suggested')
  ) then
    perform private.drop_suggestions(tenant, period.pair_no, lines);
  end if;
  if exists (select from public.exceptions exception
    where exception.tenant_id = tenant and exception.pair_no = period.pair_no
      and exception.status in ('open', 'in_review')) then
    perform private.resolve_matched_exceptions(tenant, period.pair_no, confirmed);
  end if;
end $$;

grant execute on function
  private.save_matches(text, text, text, integer, uuid[], uuid[], text[], text[], text[], boolean[],
    real[], real[], text[], bigint[], bigint[], jsonb,
    bigint[], bigint[], uuid[], bigint[], text[], bigint[], jsonb)
to service_role;
