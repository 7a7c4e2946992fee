-- Decisions over the wire: what was decided in a period, and undoing it.

-- Newest first. input: { id, limit, after: [decision ID] | null }, `id` the reconciliation's.
-- Refuses: not_found, conflict.
create function public.list_decisions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  period public.reconciliations;
  items jsonb;
begin
  perform private.begin_request(request, 'list_decisions');
  period := private.find_period(input ->> 'id');
  select jsonb_agg(private.decision_json(decision) order by decision.id desc) into items
  from (
    select * from private.decisions decision
    where decision.tenant_id = period.tenant_id and decision.reconciliation_id = period.id
      and (input -> 'after' ->> 0 is null or decision.id < input -> 'after' ->> 0)
    order by decision.id desc limit page_size + 1
  ) decision;
  return private.page(items, page_size, 'id');
end $$;

-- Undoes a decision: what was confirmed or rejected is suggested again, a match by hand is undone,
-- an excluded line is included. Refuses: conflict if it was undone before, or its lines have
-- changed since. Records: matching.undone, or line.included.
create function private.revert_decision(id text) returns private.decisions
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  decision private.decisions;
  period public.reconciliations;
  wanted text;
begin
  select * into decision
  from private.decisions where decisions.tenant_id = tenant and decisions.id = $1;
  period := private.lock_period(tenant, decision.reconciliation_id);
  select * into decision
  from private.decisions where decisions.tenant_id = tenant and decisions.id = $1
  for update;
  if decision.undone_at is not null then
    perform private.refuse_conflict('already_undone', 'This decision was undone already.');
  end if;
  wanted := case decision.kind when 'reject' then 'rejected' else 'confirmed' end;
  if (select count(*) from public.matches match
    where match.tenant_id = tenant and match.id = any (decision.match_ids)
      and match.state = wanted) <> cardinality(decision.match_ids) then
    perform private.refuse_conflict('state_changed',
      format('Not all of its matches are still %s. Nothing was changed.', wanted));
  end if;
  case decision.kind
    when 'confirm' then perform private.return_to_suggestions(tenant, period.pair_no,
      decision.match_ids, true);
    when 'reject' then perform private.return_to_suggestions(tenant, period.pair_no,
      decision.match_ids, false);
    when 'match' then perform private.undo_matches(tenant, decision.match_ids, private.actor());
    when 'exclude' then perform private.include_line(private.line_id_text(decision.line_id),
      period.id,
      'Undone');
  end case;
  perform private.record_period_work(decision.reconciliation_id);
  update private.decisions
  set undone_at = now(), undone_by = private.actor()
  where decisions.tenant_id = tenant and decisions.id = decision.id
  returning * into decision;
  if decision.kind <> 'exclude' then
    perform private.record_security_event('matching.undone', decision.id, null, jsonb_build_object(
      'decision', decision.kind, 'count', cardinality(decision.match_ids),
      'reconciliation_id', decision.reconciliation_id));
  end if;
  -- Suggestions that were removed for it may come again.
  if period.auto_run then
    perform private.request_runs(tenant, period.pair_no);
  end if;
  return decision;
end $$;

-- Returns matches of one pair, which is locked, to suggestions. `taken`: they were confirmed.
-- Refuses: conflict if one of their lines is not open any more.
create function private.return_to_suggestions(tenant text, pair integer, ids uuid[],
  taken boolean) returns void
language plpgsql volatile set search_path = '' as $$
declare
  line_nos bigint[];
begin
  select array_agg(distinct member.line_no) into line_nos
  from public.match_members member
  where member.tenant_id = tenant and member.match_id = any (ids);
  if taken then
    perform private.release_open_amounts(tenant, ids);
    insert into public.events (tenant_id, type, data)
    select match.tenant_id, 'match.undone',
      jsonb_build_object('match', private.match_event(match), 'undone_by', private.actor())
    from public.matches match where match.tenant_id = tenant and match.id = any (ids)
    order by match.id;
  elsif exists (
    select from public.match_members member
    left join private.open_lines open_line on open_line.tenant_id = member.tenant_id
      and open_line.pair_no = member.pair_no and open_line.line_no = member.line_no
    where member.tenant_id = tenant and member.match_id = any (ids)
      and coalesce(
        member.allocated_minor not between
          least(open_line.open_minor, 0) and greatest(open_line.open_minor, 0),
        true)
  ) then
    perform private.refuse_conflict('state_changed',
      'One of its lines is no longer open. Nothing was changed.');
  end if;
  delete
  from private.unlearned_decisions decision
  where decision.tenant_id = tenant and decision.pair_no = pair and decision.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos);
  update public.matches match
  set state = 'suggested', decided_by = null, decided_at = null
  where match.tenant_id = tenant and match.id = any (ids);
  if taken then
    perform private.reopen_line_exceptions(tenant, pair, line_nos);
  end if;
end $$;

-- input: { id }. The caller's own decision; another person's, matches by hand and exclusions need
-- the right to write reconciliations. Refuses: not_found, role_required, conflict.
create function public.undo_decision(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_decision');
  decision private.decisions;
begin
  if replayed is not null then
    return replayed;
  end if;
  select * into decision
  from private.decisions
  where decisions.tenant_id = private.tenant_id() and decisions.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('decision');
  elsif not private.may('write:reconciliations') and (
    decision.kind in ('match', 'exclude')
    or (decision.actor_issuer, decision.actor_subject)
      is distinct from (private.actor_issuer(), private.actor_subject())
    or decision.actor_subject is null
  ) then
    perform private.refuse('role_required',
      'You can undo what you confirmed or rejected yourself. Ask an admin or a lead to undo this.');
  end if;
  return private.finish_request(request,
    private.decision_json(private.revert_decision(decision.id)));
end $$;
