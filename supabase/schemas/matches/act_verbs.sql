-- Decisions over the wire: what was decided in a period, and undoing it.

-- Newest first. input: { id, limit, after: [decision ID] | null }, `id` the reconciliation's.
-- Refuses: not_found, conflict.
create function public.list_decisions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  items jsonb;
begin
  perform private.begin_request(request, 'list_decisions');
  r := private.find_period(input ->> 'id');
  select jsonb_agg(private.act_json(x) order by x.id desc) into items
  from (
    select * from private.acts a
    where a.tenant_id = r.tenant_id and a.reconciliation_id = r.id
      and (input -> 'after' ->> 0 is null or a.id < input -> 'after' ->> 0)
    order by a.id desc limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
end $$;

-- Undoes a decision: what was confirmed or rejected is suggested again, a match by hand is undone,
-- an excluded line is included. Refuses: conflict if it was undone before, or its lines have
-- changed since. Records: matching.undone, or line.included.
create function private.undo_act(id text) returns private.acts
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  a private.acts;
  r public.reconciliations;
  wanted text;
begin
  select * into a from private.acts x where x.tenant_id = tenant and x.id = $1;
  r := private.lock_period(tenant, a.reconciliation_id);
  select * into a from private.acts x where x.tenant_id = tenant and x.id = $1 for update;
  if a.undone_at is not null then
    perform private.refuse_conflict('already_undone', 'This decision was undone already.');
  end if;
  wanted := case a.kind when 'reject' then 'rejected' else 'confirmed' end;
  if (select count(*) from public.matches m
    where m.tenant_id = tenant and m.id = any (a.match_ids)
      and m.state = wanted) <> cardinality(a.match_ids) then
    perform private.refuse_conflict('state_changed',
      format('Not all of its matches are still %s. Nothing was changed.', wanted));
  end if;
  case a.kind
    when 'confirm' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, true);
    when 'reject' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, false);
    when 'match' then perform private.undo_matches(tenant, a.match_ids, private.actor());
    when 'exclude' then perform private.include_line(private.line_id_text(a.line_id), r.id,
      'Undone');
  end case;
  perform private.record_period_work(a.reconciliation_id);
  update private.acts x
  set undone_at = now(), undone_by = private.actor()
  where x.tenant_id = tenant and x.id = a.id
  returning * into a;
  if a.kind <> 'exclude' then
    perform private.record_security_event('matching.undone', a.id, null, jsonb_build_object(
      'decision', a.kind, 'count', cardinality(a.match_ids), 'reconciliation_id',
      a.reconciliation_id));
  end if;
  -- Suggestions that were removed for it may come again.
  if r.auto_run then
    perform private.request_runs(tenant, r.pair_no);
  end if;
  return a;
end $$;

-- Returns matches of one pair, which is locked, to suggestions. `taken`: they were confirmed.
-- Refuses: conflict if one of their lines is not open any more.
create function private.suggest_again(tenant text, pair integer, ids uuid[],
  taken boolean) returns void
language plpgsql volatile set search_path = '' as $$
declare
  line_nos bigint[];
begin
  select array_agg(distinct mm.line_no) into line_nos
  from public.match_members mm
  where mm.tenant_id = tenant and mm.match_id = any (ids);
  if taken then
    perform private.release_open_amounts(tenant, ids);
    insert into public.events (tenant_id, type, data)
    select match.tenant_id, 'match.undone',
      jsonb_build_object('match', private.match_event(match), 'undone_by', private.actor())
    from public.matches match where match.tenant_id = tenant and match.id = any (ids)
    order by match.id;
  elsif exists (
    select from public.match_members mm
    left join private.open_lines open_line on open_line.tenant_id = mm.tenant_id
      and open_line.pair_no = mm.pair_no and open_line.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = any (ids)
      and coalesce(
        mm.allocated_minor not between
          least(open_line.open_minor, 0) and greatest(open_line.open_minor, 0),
        true)
  ) then
    perform private.refuse_conflict('state_changed',
      'A line of it is not open any more. Nothing was changed.');
  end if;
  delete
  from private.decisions decision
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
  a private.acts;
begin
  if replayed is not null then
    return replayed;
  end if;
  select * into a
  from private.acts x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('decision');
  elsif not private.may('write:reconciliations') and (
    a.kind in ('match', 'exclude')
    or (a.actor_issuer, a.actor_subject)
      is distinct from (private.actor_issuer(), private.actor_subject())
    or a.actor_subject is null
  ) then
    perform private.refuse('role_required',
      'You can undo what you confirmed or rejected yourself. Ask an admin or a lead to undo this.');
  end if;
  return private.finish_request(request, private.act_json(private.undo_act(a.id)));
end $$;
