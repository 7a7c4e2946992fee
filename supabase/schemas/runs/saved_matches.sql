-- Saving what a run decided: chunks of matches, each with its members and the lines that it takes.

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
  r public.reconciliations;
  lost uuid[];
  confirmed uuid[];
begin
  r := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  if cardinality(gone) > 0 then
    perform private.undo_matches(tenant, array(
      select match.id from public.matches match
      where match.tenant_id = tenant and match.id = any (gone) and match.decided_by is null), null);
  end if;
  if cardinality(member_ids) = 0 then
    update public.matches match
    set run_id = run, method = given.method, settled = given.settled, score = given.score,
      margin = given.margin, residual_minor = given.residual,
      adjustments = coalesce(save_matches.adjustments -> given.id::text, '[]'),
      explanation = explanations -> given.id::text, hash_high = given.high, hash_low = given.low
    from unnest(ids, states, methods, save_matches.settled, scores, margins, residuals, highs, lows)
      as given (id, state, method, settled, score, margin, residual, high, low)
    where match.tenant_id = tenant and match.id = given.id and match.decided_by is null
      and match.state = given.state;
    return 0;
  end if;
  select coalesce(array_agg(distinct member_ids[found.n]), '{}') into lost
  from private.find_open(tenant, r.pair_no, member_lines, member_amounts) found
  where found.place is null
    or found.minor not between least(found.open_minor, 0) and greatest(found.open_minor, 0);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape,
    method, settled, score, margin, currency,
    amount_minor, residual_minor, adjustments, explanation, hash_high, hash_low, created_by)
  select tenant, given.id, r.pair_no, r.id, run, given.state, given.shape, given.method,
    given.settled, given.score, given.margin, given.currency, given.amount, given.residual,
    coalesce(save_matches.adjustments -> given.id::text, '[]'), explanations -> given.id::text,
    given.high, given.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts,
    residuals, highs, lows) as given (id, state, shape, method, settled, score, margin, currency,
    amount, residual, high, low)
  where cardinality(lost) = 0 or given.id <> all (lost);
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, given.match_id, r.pair_no, given.line_no, given.side, given.minor
  from unnest(member_ids, member_lines, member_sides, member_amounts) as given (match_id,
    line_no, side, minor)
  where cardinality(lost) = 0 or given.match_id <> all (lost);
  if 'suggested' = any (states) then
    perform private.drop_moved_suggestions(r, member_lines, ids);
  end if;
  confirmed := array(select given.id from unnest(ids, states) as given (id, state)
    where given.state = 'confirmed' and (cardinality(lost) = 0 or given.id <> all (lost)));
  if cardinality(confirmed) > 0 then
    perform private.claim_matched_lines(tenant, r, member_ids, member_lines, member_amounts,
      confirmed, cardinality(confirmed) = cardinality(ids));
  end if;
  return cardinality(lost);
end $$;

-- Deletes the suggestions that the close or reopening of another period moved here during the run,
-- if they share a line with a new suggestion.
create function private.drop_moved_suggestions(r public.reconciliations, lines bigint[],
  made uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  moved constant uuid[] := array(
    select match.id from public.matches match
    join public.runs run on run.tenant_id = match.tenant_id and run.id = match.run_id
    where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
      and match.state = 'suggested' and run.reconciliation_id <> r.id and match.id <> all (made)
  );
  twice uuid[];
begin
  if cardinality(moved) = 0 then
    return;
  end if;
  select array_agg(distinct mm.match_id) into twice
  from private.members_of(r.tenant_id, moved) mm where mm.line_no = any (lines);
  if twice is not null then
    perform private.delete_matches(r.tenant_id, twice);
  end if;
end $$;

-- Takes the lines of a run's confirmed matches from open amounts, from suggestions of other
-- periods, and from exceptions. `all_of`: every member belongs to one of them.
create function private.claim_matched_lines(
  tenant text, r public.reconciliations, member_ids uuid[], member_lines bigint[],
  member_amounts bigint[], confirmed uuid[], all_of boolean
) returns void
language plpgsql volatile set search_path = '' as $$
declare
  lines bigint[] := member_lines;
  minors bigint[] := member_amounts;
begin
  if not all_of then
    select array_agg(given.line_no), array_agg(given.minor) into lines, minors
    from unnest(member_ids, member_lines, member_amounts) as given (match_id, line_no, minor)
      where given.match_id = any (confirmed);
  end if;
  perform private.reduce_open_amounts(tenant, r.pair_no, lines, minors);
  perform private.revoke_signatures(tenant, array[r.id], 'A run matched lines.');
  insert into private.matched_counts as counter (tenant_id, reconciliation_id, lines)
  values (tenant, r.id, cardinality(lines))
  on conflict (tenant_id, reconciliation_id) do update set lines = counter.lines + excluded.lines;
  if exists (
    select from public.reconciliations other
    where other.tenant_id = tenant and other.pair_no = r.pair_no and other.id <> r.id
      and exists (select from public.matches match
        where match.tenant_id = tenant and match.reconciliation_id = other.id
          and match.state = 'suggested')
  ) then
    perform private.drop_suggestions(tenant, r.pair_no, lines);
  end if;
  if exists (select from public.exceptions exception
    where exception.tenant_id = tenant and exception.pair_no = r.pair_no
      and exception.status in ('open', 'in_review')) then
    perform private.resolve_matched_exceptions(tenant, r.pair_no, confirmed);
  end if;
end $$;

grant execute on function
  private.save_matches(text, text, text, integer, uuid[], uuid[], text[], text[], text[], boolean[],
    real[], real[], text[], bigint[], bigint[], jsonb,
    bigint[], bigint[], uuid[], bigint[], text[], bigint[], jsonb)
to service_role;
