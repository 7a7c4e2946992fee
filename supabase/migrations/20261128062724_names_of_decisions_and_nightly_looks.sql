-- What people decided is called a decision, and what a pair's weights have not learned from yet an
-- unlearned decision.

-- contracts: no process names the table; all functions that do are replaced below
alter table private.decisions rename to unlearned_decisions;
-- contracts: only a name
alter table private.unlearned_decisions
  rename constraint decisions_pkey to unlearned_decisions_pkey;
-- contracts: only a name
alter sequence private.decisions_id_seq rename to unlearned_decisions_id_seq;
-- contracts: no process names the table; all functions that do are replaced below
alter table private.acts rename to decisions;
-- contracts: only a name
alter table private.decisions rename constraint acts_pkey to decisions_pkey;
-- contracts: only a name
alter table private.decisions rename constraint acts_kind_check to decisions_kind_check;
-- contracts: only a name
alter index private.acts_by_reconciliation rename to decisions_by_reconciliation;
-- contracts: only a name
alter index private.acts_by_undoing rename to decisions_by_undoing;
-- contracts: only a name
alter index private.acts_by_line rename to decisions_by_line;
-- contracts: only a name
alter policy acts_read on private.decisions rename to decisions_read;
-- contracts: only functions of the database call it, and those are replaced below
drop function private.act_json(private.decisions);
-- contracts: only functions of the database call it, and those are replaced below
drop function private.undo_act(text);
-- contracts: only functions of the database call it, and those are replaced below
drop function private.record_act(text, uuid[]);
-- contracts: only functions of the database call it, and those are replaced below
drop function private.is_full_run_due(public.reconciliations, timestamptz);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.grace_has_passed(public.reconciliations,public.runs);
drop function private.queue_nightly_runs(integer,timestamp with time zone);
CREATE OR REPLACE FUNCTION private.lines_matched_since(since timestamp with time zone, max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  first_id constant uuid := rpad(private.id_time(since - interval '10 minutes'), 32, '0');
begin
  return array(
    select settled_member.line_no from (
      select match.id from public.matches match
      where match.tenant_id = tenant and match.id >= first_id and match.created_at >= since
        and match.state <> 'suggested'
      union all
      select match.id from public.matches match
      where match.tenant_id = tenant and match.decided_at >= since
      union all
      select unnest(decision.match_ids) from private.decisions decision
      where decision.tenant_id = tenant and decision.undone_at >= since
    ) match
    cross join lateral (select member.line_no from public.match_members member
      where member.tenant_id = tenant and member.match_id = match.id offset 0) settled_member
    limit max_count + 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_handled_since(since timestamp with time zone, max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  first_id constant text := 'dec_' || private.id_time(since - interval '10 minutes');
begin
  return array(
    select line.line_no from (
      select decision.line_id from private.decisions decision
      where decision.tenant_id = tenant and decision.id >= first_id and decision.created_at >= since
      union all
      select decision.line_id from private.decisions decision
      where decision.tenant_id = tenant and decision.undone_at >= since
    ) decision
    cross join lateral (select line.line_no from public.lines line
      where line.tenant_id = tenant and line.id = decision.line_id offset 0) line
    union all
    select exception_line.line_no
    from (select exception.id from public.exceptions exception
      where exception.tenant_id = tenant and exception.updated_at >= since) exception
    cross join lateral (select exception_line.line_no from private.exception_lines exception_line
      where exception_line.tenant_id = tenant and exception_line.exception_id = exception.id
      offset 0) exception_line
    limit max_count + 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.line_changed_since()
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return $c$(x.line_no >= $10 and x.created_at >= $9
    or exists (
      select from public.match_members member
      cross join lateral (select match.* from public.matches match
        where match.tenant_id = $1 and match.id = member.match_id offset 0) match
      where member.tenant_id = $1 and member.line_no = x.line_no
        and (match.decided_at >= $9 or match.created_at >= $9 and match.state <> 'suggested')
      offset 0)
    or exists (
      select from private.decisions decision
      where decision.tenant_id = $1 and decision.line_id = x.id
        and greatest(decision.created_at, decision.undone_at) >= $9
      offset 0)
    or exists (
      select from private.exception_lines exception_line
      cross join lateral (select exception.updated_at from public.exceptions exception
        where exception.tenant_id = $1 and exception.id = exception_line.exception_id
        offset 0) exception
      where exception_line.tenant_id = $1 and exception_line.line_no = x.line_no
        and exception.updated_at >= $9 offset 0))$c$;
end $function$;
CREATE OR REPLACE FUNCTION private.record_decision(kind text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.decisions (tenant_id, reconciliation_id, kind, match_ids, created_by)
  select match.tenant_id, match.reconciliation_id, record_decision.kind,
    array_agg(match.id order by match.id),
    private.actor()
  from public.matches match where match.tenant_id = private.tenant_id() and match.id = any (ids)
  group by match.tenant_id, match.reconciliation_id order by match.reconciliation_id;
end $function$;
CREATE OR REPLACE FUNCTION private.decision_json(decision private.decisions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', decision.id, 'reconciliation_id', decision.reconciliation_id, 'action', decision.kind,
    'match_count', cardinality(decision.match_ids),
    'match_ids',
    (select coalesce(jsonb_agg(private.match_id_text(match_id) order by match_id), '[]')
      from unnest(decision.match_ids[:500]) match_id),
    'line_id', private.line_id_text(decision.line_id),
    'created_at', private.iso(decision.created_at),
    'created_by', decision.created_by,
    'undone_at', private.iso(decision.undone_at), 'undone_by', decision.undone_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.undo_matches(tenant text, ids uuid[], actor text)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  confirmed uuid[];
  suggested uuid[];
  touched record;
begin
  select array_agg(match.id order by match.id) filter (where match.state = 'confirmed'),
    array_agg(match.id order by match.id) filter (where match.state = 'suggested')
  into confirmed, suggested
  from public.matches match where match.tenant_id = tenant and match.id = any (ids);
  if suggested is not null then
    perform private.delete_matches(tenant, suggested);
  end if;
  if confirmed is null then
    return 0;
  end if;
  perform private.release_open_amounts(tenant, confirmed);
  if actor is not null then
    insert into private.unlearned_decisions (tenant_id, pair_no, match_id, confirmed, score)
    select match.tenant_id, match.pair_no, match.id, false, match.score from public.matches match
    where match.tenant_id = tenant and match.id = any (confirmed) and match.decided_by is null
      and not match.settled and match.shape = '1:1'
      order by match.id;
  end if;
  update public.matches match
  set state = 'undone', decided_by = coalesce(actor, match.decided_by), decided_at = now()
  where match.tenant_id = tenant and match.id = any (confirmed);
  insert into public.events (tenant_id, type, data)
  select match.tenant_id, 'match.undone',
    jsonb_build_object('match', private.match_event(match), 'undone_by', coalesce(actor, 'system'))
  from public.matches match where match.tenant_id = tenant and match.id = any (confirmed)
  order by match.id;
  for touched in
    select member.pair_no, array_agg(distinct member.line_no) as line_nos
    from public.match_members member
    where member.tenant_id = tenant and member.match_id = any (confirmed) group by member.pair_no
  loop
    perform private.reopen_line_exceptions(tenant, touched.pair_no, touched.line_nos);
  end loop;
  return cardinality(confirmed);
end $function$;
CREATE OR REPLACE FUNCTION private.confirm_matches(tenant text, pair integer, ids uuid[], actor text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line_nos bigint[];
begin
  perform private.allocate_open_amounts(tenant, ids);
  update public.matches match
  set state = 'confirmed', decided_by = actor, decided_at = now()
  where match.tenant_id = tenant and match.id = any (ids);
  insert into private.unlearned_decisions (tenant_id, pair_no, match_id, confirmed, score)
  select match.tenant_id, match.pair_no, match.id, true, match.score from public.matches match
  where match.tenant_id = tenant and match.id = any (ids) and match.shape = '1:1' order by match.id;
  select array_agg(distinct member.line_no) into line_nos
  from public.match_members member
  where member.tenant_id = tenant and member.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos, ids);
  perform private.resolve_matched_exceptions(tenant, pair, ids);
end $function$;
CREATE OR REPLACE FUNCTION private.reject_matches(tenant text, ids uuid[], actor text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.delete_open_suggestions(tenant, ids);
  update public.matches match
  set state = 'rejected', decided_by = actor, decided_at = now()
  where match.tenant_id = tenant and match.id = any (ids);
  insert into private.unlearned_decisions (tenant_id, pair_no, match_id, confirmed, score)
  select match.tenant_id, match.pair_no, match.id, false, match.score from public.matches match
  where match.tenant_id = tenant and match.id = any (ids) and match.shape = '1:1' order by match.id;
end $function$;
CREATE OR REPLACE FUNCTION private.change_matches(action text, ids uuid[], seen boolean DEFAULT true)
 RETURNS SETOF public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  actor constant text := private.actor();
  touched record;
begin
  for touched in
    select match.pair_no, array_agg(distinct match.reconciliation_id) as periods
    from public.matches match
    where match.tenant_id = tenant and match.id = any (ids) group by match.pair_no
    order by match.pair_no
  loop
    perform private.lock_period(tenant, period_ids.id)
      from unnest(touched.periods) as period_ids (id);
  end loop;
  perform private.require_changeable(action, ids);
  for touched in
    select match.pair_no, array_agg(match.id order by match.id) as ids from public.matches match
    where match.tenant_id = tenant and match.id = any (change_matches.ids) group by match.pair_no
      order by match.pair_no
  loop
    case action
      when 'confirm' then perform private.confirm_matches(tenant, touched.pair_no, touched.ids,
        actor);
      when 'reject' then perform private.reject_matches(tenant, touched.ids, actor);
      when 'undo' then perform private.undo_matches(tenant, touched.ids, actor);
    end case;
  end loop;
  if not seen then
    update private.unlearned_decisions decision
    set score = null
    where decision.tenant_id = tenant and decision.match_id = any (change_matches.ids);
  end if;
  if action <> 'undo' then
    perform private.record_decision(action, change_matches.ids);
  end if;
  perform private.record_decided_matches(action, change_matches.ids,
    jsonb_build_object('by_filter', not seen));
  return query
  select match.*
  from unnest(ids) with ordinality as item (id, place)
  join public.matches match on match.tenant_id = tenant and match.id = item.id
  order by item.place;
end $function$;
CREATE OR REPLACE FUNCTION private.take_lines_by_hand(match public.matches, line_ids jsonb, split_no bigint, split_minor bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select match.tenant_id, match.id, match.pair_no, pair_line.line_no, pair_line.side,
    case when pair_line.line_no = split_no then split_minor else pair_line.open_minor end
  from private.lines_of_pair(match.pair_no, line_ids) pair_line;
  perform private.confirm_matches(match.tenant_id, match.pair_no, array[match.id],
    private.actor());
  perform private.record_decision('match', array[match.id]);
  perform private.record_hand_match(match);
end $function$;
CREATE OR REPLACE FUNCTION private.exclude_line(id text, period text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  period_row public.reconciliations;
  open_line private.open_lines;
begin
  period_row := private.lock_period(tenant, period);
  delete from private.open_lines using public.lines line
  where line.tenant_id = tenant and line.id = private.line_id($1) and open_lines.tenant_id = tenant
    and open_lines.pair_no = period_row.pair_no and open_lines.line_no = line.line_no
    and open_lines.value_date <= period_row.period_end
  returning open_lines.* into open_line;
  if not found then
    perform private.refuse_conflict('line_not_open',
      'This line has no open amount in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone later.
  insert into public.exclusions as exclusion (tenant_id, pair_no, line_no, reconciliation_id, side,
    currency, excluded_minor, reason)
  values (tenant, period_row.pair_no, open_line.line_no, period_row.id, open_line.side,
    open_line.currency, open_line.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no)
    do update set excluded_minor = exclusion.excluded_minor + excluded.excluded_minor,
    reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where exclusion.reconciliation_id = excluded.reconciliation_id;
  if not found then
    perform private.refuse_conflict('excluded_elsewhere',
      'Another period excluded part of this line. Include it there first, or match what is open of it.');
  end if;
  perform private.drop_suggestions(tenant, period_row.pair_no, array[open_line.line_no]);
  perform private.resolve_line_exceptions(tenant, period_row.pair_no, array[open_line.line_no],
    left('Excluded: ' || $3, 1000));
  insert into private.decisions (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, period_row.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_period_work(period_row.id);
  perform private.revoke_signatures(tenant, array[period_row.id], 'A line was excluded.');
  perform private.record_security_event('line.excluded', $1, null,
    jsonb_build_object('reconciliation_id', period_row.id, 'reason', $3));
end $function$;
CREATE OR REPLACE FUNCTION private.include_line(id text, period text, reason text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  period_row public.reconciliations;
  exclusion public.exclusions;
begin
  select current_period.* into period_row from public.lines line
  join public.exclusions on exclusions.tenant_id = line.tenant_id
    and exclusions.line_no = line.line_no
  join public.reconciliations current_period on current_period.tenant_id = exclusions.tenant_id
    and current_period.id = exclusions.reconciliation_id
  where line.tenant_id = tenant and line.id = private.line_id($1)
    and (period is null or current_period.id = period)
  order by current_period.period_end desc limit 1;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  period_row := private.lock_period(tenant, period_row.id);
  delete from public.exclusions using public.lines line
  where line.tenant_id = tenant and line.id = private.line_id($1) and exclusions.tenant_id = tenant
    and exclusions.pair_no = period_row.pair_no and exclusions.line_no = line.line_no
  returning exclusions.* into exclusion;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  insert into private.open_lines as open_line (tenant_id, pair_no, line_no, side, currency,
    amount_minor, open_minor, value_date)
  select tenant, exclusion.pair_no, line.line_no, exclusion.side, line.currency,
    case source.sign when 'inverted' then -line.amount_minor else line.amount_minor end,
    exclusion.excluded_minor, line.value_date
  from public.lines line
    join public.sources source on source.tenant_id = line.tenant_id
      and source.source_no = line.source_no
  where line.tenant_id = tenant and line.line_no = exclusion.line_no
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = open_line.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, exclusion.pair_no, array[exclusion.line_no]);
  update private.decisions decision set undone_at = now(), undone_by = private.actor()
  where decision.tenant_id = tenant and decision.line_id = private.line_id($1)
    and decision.reconciliation_id = period_row.id and decision.undone_at is null;
  perform private.record_period_work(period_row.id);
  perform private.revoke_signatures(tenant, array[period_row.id], 'A line was included again.');
  perform private.record_security_event('line.included', $1, null,
    jsonb_build_object('reconciliation_id', period_row.id, 'reason', $3));
  return period_row.id;
end $function$;
CREATE OR REPLACE FUNCTION public.list_decisions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.revert_decision(id text)
 RETURNS private.decisions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.return_to_suggestions(tenant text, pair integer, ids uuid[], taken boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION public.undo_decision(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.has_nothing_new(period public.reconciliations, last_run public.runs, conditions jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return last_run.status = 'done' and last_run.conditions = has_nothing_new.conditions
    and not exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id)
    and not exists (select from private.unlearned_decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no);
end $function$;
CREATE OR REPLACE FUNCTION private.set_rules(period text, rules jsonb, policy jsonb, forget boolean, names jsonb, versions jsonb)
 RETURNS public.pairs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  before jsonb;
  pair public.pairs;
begin
  perform private.lock_pair_of(period);
  select pairs.* into pair
  from public.reconciliations
  join public.pairs on pairs.tenant_id = reconciliations.tenant_id
    and pairs.pair_no = reconciliations.pair_no
  where reconciliations.tenant_id = tenant and reconciliations.id = period;
  perform private.require_version(pair.rules_version, versions);
  if (private.policy_of_pair(tenant, pair.pair_no) ->> 'four_eyes')::boolean
    and not (policy ->> 'four_eyes')::boolean
    and not (private.principal_type() = 'user' and auth.jwt() -> 'roles' ? 'tenant_admin') then
    perform private.refuse('role_required',
      'Only a tenant_admin can turn four_eyes off. Leave it out, or ask a tenant admin.');
  end if;
  if (private.policy_of_pair(tenant, pair.pair_no) ->> 'review_levels')::integer
      > (policy ->> 'review_levels')::integer
    and not (private.principal_type() = 'user' and auth.jwt() -> 'roles' ? 'tenant_admin') then
    perform private.refuse('role_required',
      'Only a tenant_admin can lower review_levels. Leave it out, or ask a tenant admin.');
  end if;
  before := private.rules_json(pair);
  insert into public.pair_rules (tenant_id, pair_no, version, rules, policy)
  values (tenant, pair.pair_no, pair.rules_version + 1, rules,
    private.policy_of_pair(tenant, pair.pair_no) || policy);
  update public.pairs
  set rules_version = pair.rules_version + 1,
    weights = case when not forget then private.without_names(pairs.weights, names) end
  where pairs.tenant_id = tenant and pairs.pair_no = pair.pair_no
  returning * into pair;
  if forget then
    delete from private.unlearned_decisions decision
    where decision.tenant_id = tenant and decision.pair_no = pair.pair_no;
  end if;
  perform private.record_security_event('matching.rules_updated', period, null,
    jsonb_build_object('from', before - '{weights}'::text[],
      'to', private.rules_json(pair) - '{weights}'::text[], 'learning_reset', forget));
  perform private.request_runs(tenant, pair.pair_no);
  return pair;
end $function$;
CREATE OR REPLACE FUNCTION private.decisions_to_learn(tenant text, pair integer, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object('id', chosen.id, 'confirmed', chosen.confirmed, 'score', chosen.score,
          'left', seen.left_line, 'right', seen.right_line)
      order by chosen.id), '[]')
    from (
      select *
      from private.unlearned_decisions decision
      where decision.tenant_id = tenant and decision.pair_no = pair
      order by decision.id
      limit most
    ) chosen
    cross join lateral (
      select min(member.line::text) filter (where member.side = 'left')::jsonb as left_line,
        min(member.line::text) filter (where member.side = 'right')::jsonb as right_line
      from (
        select member.side, jsonb_build_object(
          'amount_minor', member.allocated_minor
            - case
              when match.adjustments @> '[{"kind": "fee"}]' then private.fee_of_whole(line,
                member.allocated_minor)
              else 0 end,
          'currency', line.currency, 'value_date', line.value_date - date '1970-01-01',
          'reference', line.reference,
          'counterparty', line.counterparty, 'description', line.description,
          'group_key', line.group_key) as line
        from public.match_members member
          join public.lines line on line.tenant_id = member.tenant_id
            and line.line_no = member.line_no
        join public.matches match on match.tenant_id = member.tenant_id
          and match.id = member.match_id
        where member.tenant_id = tenant and member.match_id = chosen.match_id
      ) member
    ) seen
  );
end $function$;
CREATE OR REPLACE FUNCTION private.save_weights(tenant text, pair integer, run text, attempt integer, weights jsonb, up_to bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  taken integer;
begin
  perform from public.pairs where pairs.tenant_id = tenant and pairs.pair_no = pair
    for no key update;
  if exists (
    select
    from public.runs
    join public.pairs on pairs.tenant_id = runs.tenant_id
      and pairs.pair_no = runs.pair_no
    where runs.tenant_id = tenant and runs.id = run
      and runs.rules_version <> pairs.rules_version
  ) then
    return;
  end if;
  delete from private.unlearned_decisions decision
  where decision.tenant_id = tenant and decision.pair_no = pair and decision.id <= up_to;
  get diagnostics taken = row_count;
  if taken > 0 then
    update public.pairs
    set weights = save_weights.weights
    where pairs.tenant_id = tenant and pairs.pair_no = pair;
  end if;
  perform private.require_attempt(tenant, run, attempt);
end $function$;
CREATE OR REPLACE FUNCTION private.may_be_short(period public.reconciliations, last_run public.runs, conditions jsonb, policy jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return last_run.status = 'done' and last_run.conditions = may_be_short.conditions
    and not exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
        and (run_change.first_line_no is null
        or run_change.changed_at <= clock_timestamp() - private.full_run_delay()))
    and not exists (select from private.unlearned_decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no)
    -- With its fee, a line has two amounts.
    and (policy ->> 'fees' <> 'deduct' or not private.has_fees(period.tenant_id));
end $function$;
CREATE OR REPLACE FUNCTION private.grace_has_passed(period public.reconciliations, pair public.pairs, last_run public.runs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select
    from (values ('left', pair.left_source_no), ('right', pair.right_source_no))
      of_side (side, source_no)
    join public.sources source on source.tenant_id = period.tenant_id
      and source.source_no = of_side.source_no
    cross join lateral (
      select open_line.value_date from private.open_lines open_line
      where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
        and open_line.side = of_side.side and open_line.value_date
          >= (last_run.conditions -> 'days_of_grace' ->> source.source_no::text)::date
      order by open_line.value_date limit 1
    ) oldest
    where oldest.value_date <= period.period_end and case
      when oldest.value_date < (now() at time zone source.time_zone)::date - source.grace_days
      then oldest.value_date < private.last_day_of_grace(source, last_run.calendar_id) end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.periods_at_night(at timestamp with time zone)
 RETURNS SETOF public.reconciliations
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  -- There are few zones, and many sources.
  with zones_at_night as materialized (
    select zone.time_zone
    from (select distinct source.time_zone from public.sources source offset 0) zone
    where private.is_night(zone.time_zone, at)
  )
  select period.*
  from public.reconciliations period
  join public.pairs pair on pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
    and pair.opening is null
  join public.sources source on source.tenant_id = pair.tenant_id
    and source.source_no = pair.left_source_no
  where period.auto_run and period.closed_at is null and period.status <> 'archived'
    and source.time_zone in (select zone.time_zone from zones_at_night zone);
end $function$;
CREATE OR REPLACE FUNCTION private.periods_due_at_night(at timestamp with time zone)
 RETURNS SETOF public.reconciliations
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with marked as materialized (
    select distinct run_change.tenant_id, run_change.reconciliation_id
    from private.run_changes run_change
  ), decided as materialized (
    select distinct decision.tenant_id, decision.pair_no from private.unlearned_decisions decision
  )
  select period.*
  from private.periods_at_night(at) period
  join public.pairs pair on pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  left join lateral (
    select run.* from public.runs run
    where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
      and run.dry_run is null
    order by run.id desc limit 1
  ) last_run on true
  where coalesce(last_run.status not in ('queued', 'running')
      and last_run.created_at <= at - private.nightly_run_interval(), true)
    and case
      when last_run.status = 'failed'
        or (period.tenant_id, period.id) in (select marked.tenant_id, marked.reconciliation_id
          from marked)
        or (period.tenant_id, period.pair_no) in (select decided.tenant_id, decided.pair_no
          from decided) then true
      else private.grace_has_passed(period, pair, last_run)
    end;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_nightly_runs(batch integer DEFAULT 1000, at timestamp with time zone DEFAULT now())
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  queued_count integer := 0;
begin
  for period in
    select due.*
    from private.periods_due_at_night(at) due
    where not exists (select from graphile_worker.jobs job where job.key = 'match:' || due.id)
      and not private.is_closing(due.tenant_id, due.pair_no, due.id)
    order by due.period_end
    limit batch
  loop
    perform private.queue_run(period.tenant_id, period.pair_no, period.id, null, interval '0', 10);
    queued_count := queued_count + 1;
  end loop;
  return queued_count;
end $function$;
CREATE OR REPLACE FUNCTION private.worked_in_period(period public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  actor constant text := private.actor();
  is_admin constant boolean := auth.jwt() -> 'roles' ? 'tenant_admin';
begin
  return exists (
    select from private.period_workers worker
    where worker.tenant_id = tenant and worker.reconciliation_id = period.id
      and ((worker.issuer, worker.subject) = (private.actor_issuer(), private.actor_subject())
        or worker.name = actor or worker.is_service_role and is_admin)
  ) or exists (
    select from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = period.id
      and (match.method = 'manual' and match.created_by = actor
        or match.state = 'undone' and match.decided_by = actor)
  ) or exists (
    select from private.decisions decision
    where decision.tenant_id = tenant and decision.reconciliation_id = period.id
      and (decision.kind in ('match', 'exclude') and decision.created_by = actor
        or decision.undone_by = actor)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.decisions_about_line(line public.lines)
 RETURNS TABLE(type text, at timestamp with time zone, actor text, reconciliation_id text, match_id uuid, note text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with matched as materialized (
    select match.*
    from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id and match.id = member.match_id
    where member.tenant_id = line.tenant_id and member.line_no = line.line_no
  ), decided as materialized (
    select match.id as match_id, decision.kind, decision.reconciliation_id, decision.created_at,
      decision.created_by, decision.undone_at, decision.undone_by
    from matched match
    join private.decisions decision on decision.tenant_id = match.tenant_id
      and decision.reconciliation_id = match.reconciliation_id
      and match.id = any (decision.match_ids)
  )
  -- Matches made by the engine: whatever was decided since then began as a suggestion.
  select case when match.state in ('suggested', 'rejected')
      or exists (select from decided decision where decision.match_id = match.id)
      then 'suggested' else 'matched' end,
    match.created_at, match.created_by, match.reconciliation_id, match.id, match.method
  from matched match where match.method <> 'manual'
  union all
  select case decision.kind when 'match' then 'matched' when 'confirm' then 'confirmed'
      else 'rejected' end,
    decision.created_at, decision.created_by, decision.reconciliation_id, decision.match_id, null
  from decided decision
  union all
  select 'undone', decision.undone_at, decision.undone_by, decision.reconciliation_id,
    decision.match_id, null
  from decided decision where decision.undone_at is not null
  union all
  select 'undone', match.decided_at, coalesce(match.decided_by, 'system'), match.reconciliation_id,
    match.id, null
  from matched match
  where match.state = 'undone'
    and not exists (select from decided decision
      where decision.match_id = match.id and decision.undone_at = match.decided_at)
  union all
  select 'excluded', decision.created_at, decision.created_by, decision.reconciliation_id, null,
    decision.reason
  from private.decisions decision
  where decision.tenant_id = line.tenant_id and decision.line_id = line.id
  union all
  select 'included', decision.undone_at, decision.undone_by, decision.reconciliation_id, null, null
  from private.decisions decision
  where decision.tenant_id = line.tenant_id and decision.line_id = line.id
    and decision.undone_at is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.change_exceptions(action text, changes jsonb[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_nestloop TO 'on'
 SET enable_sort TO 'on'
AS $function$
declare
  max_count constant integer := 1000;
  batch jsonb[];
  exception_changes private.exception_change[];
begin
  if action <> all ('{create,edit,pause,resume,recalculate}') then
    raise exception 'There is no action % on exceptions.', action;
  end if;
  for batch in
    select array_agg(requested.change order by requested.place)
    from unnest(changes) with ordinality requested (change, place)
    group by (requested.place - 1) / max_count order by (requested.place - 1) / max_count
  loop
    exception_changes := private.resulting_exceptions(action, batch);
    perform private.write_exceptions(action, exception_changes);
    -- exceptions/sla_clock_changes.sql, exceptions/exception_counters.sql,
    -- exceptions/exception_history.sql.
    perform private.update_clocks(exception_changes);
    perform private.update_counters(exception_changes);
    perform private.record_changes(exception_changes);
    return query select (made_change.after).* from unnest(exception_changes) made_change;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.sla_state_of_page(as_of timestamp with time zone, input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case when input -> 'after' ->> 0 is null then private.sla_state(as_of, input) end;
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_exceptions(input jsonb, request jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  sort_by constant text := input ->> 'sort_by';
  conditions text := $q$e.status in ('open', 'in_review')$q$;
  found_ids text[];
  items json[];
  last_rank text := '';
  last_due_at timestamptz;
  last_id text;
begin
  perform private.begin_request(request, 'list_sla_exceptions');
  if private.is_sla_known(request -> 'known', as_of) then
    return json_build_object('is_known', true);
  end if;
  if sort_by in ('due_at', 'breach_risk') and input - '{sort_by,limit,after}'::text[] = '{}' then
    select * into items, last_due_at, last_id from private.next_by_deadline(
      coalesce((input -> 'after' ->> 1)::timestamptz, '-infinity'),
      coalesce(input -> 'after' ->> 2, ''), page_size, as_of);
  else
    conditions := conditions || ' and ' || private.exception_conditions(input, as_of);
    if input ->> 'within_minutes' is not null then
      conditions := conditions || private.due_within(input, as_of);
    end if;
    if input ->> 'q' is not null then
      found_ids := private.narrow_by_search(input ->> 'q');
      conditions := conditions || ' and '
        || case when found_ids is null then private.has_words(input ->> 'q')
          else 'e.id = any ($3)' end;
      perform set_config('enable_sort', (found_ids is not null)::text, true);
    end if;
    execute private.sla_exceptions_query(input, conditions, as_of)
    into items, last_rank, last_due_at, last_id using page_size, as_of, found_ids;
  end if;
  -- As json, whose texts are joined, while jsonb's trees would be rebuilt at each step: this halves
  -- the time of the most frequent list.
  return json_build_object('items', array_to_json(coalesce(items[:page_size], '{}')),
    'next', case when cardinality(items) > page_size then
      json_build_array(last_rank,
        case when last_due_at = 'infinity' then 'infinity' else private.iso(last_due_at) end,
        last_id) end,
    'state', private.sla_state_of_page(as_of, input), 'summary', private.sla_summary(as_of),
    'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_changes(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  start constant timestamptz := (input ->> 'since')::timestamptz - private.commit_delay();
  later_at constant timestamptz := coalesce((input -> 'after' ->> 0)::timestamptz, start);
  later_id constant text := coalesce(input -> 'after' ->> 1, '');
  conditions text := $q$e.status in ('open', 'in_review')
    and $q$ || private.filter_conditions(input, as_of);
  items jsonb;
begin
  perform private.begin_request(request, 'list_sla_changes');
  if private.is_sla_known(request -> 'known', as_of, (input ->> 'since')::timestamptz) then
    return jsonb_build_object('is_known', true);
  end if;
  if (input ->> 'since')::timestamptz < as_of - interval '1 day' then
    perform private.refuse_field('since',
      'Must be within the last 24 hours. Read the list again instead.');
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  execute private.sla_changes_query(conditions) into items
    using as_of, page_size, later_at, later_id, start,
      least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
  return private.page(items, page_size, 'changed_at', 'id')
    || jsonb_build_object('state', private.sla_state_of_page(as_of, input),
      'summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.tables_emptied_by_reset()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['private.alert_events'::text, 'private.alerts'::text, 'private.alert_bundles'::text, 'public.webhook_attempts'::text, 'public.webhook_deliveries'::text, 'public.webhook_answer_times'::text, 'private.event_once'::text, 'public.events'::text, 'public.statement_evidence'::text, 'private.evidence_contents'::text, 'public.evidence'::text, 'public.entries'::text, 'public.entry_batches'::text, 'private.entry_batch_numbers'::text, 'public.entry_rules'::text, 'private.reopened_items'::text, 'public.statements'::text, 'public.period_signatures'::text, 'public.carried_lines'::text, 'public.closings'::text, 'private.period_workers'::text, 'private.closing_requests'::text, 'public.exclusions'::text, 'public.match_members'::text, 'private.unlearned_decisions'::text, 'public.matches'::text, 'private.decisions'::text, 'private.matched_counts'::text, 'private.run_changes'::text, 'private.held_back_reasons'::text, 'public.runs'::text, 'public.exception_comments'::text, 'public.exception_history'::text, 'public.exception_ledger'::text, 'private.exception_clocks'::text, 'private.exception_lines'::text, 'private.business_warnings'::text, 'public.exceptions'::text, 'private.sla_counts'::text, 'private.open_by_deadline'::text, 'private.open_by_assignee'::text, 'private.open_by_reconciliation'::text, 'private.exception_hours'::text, 'public.views'::text, 'public.connection_files'::text, 'private.missing_files'::text, 'private.connection_credentials'::text, 'public.connections'::text, 'public.source_balances'::text, 'private.import_chunks'::text, 'public.imports'::text, 'private.open_lines'::text, 'private.line_texts'::text, 'private.line_spans'::text, 'public.lines'::text, 'public.pair_rules'::text, 'public.reconciliations'::text, 'public.pairs'::text, 'public.sources'::text, 'public.records'::text, 'private.row_counts'::text, 'public.sla_policies'::text, 'private.calendar_spans'::text, 'private.calendar_coverage'::text, 'public.calendar_versions'::text, 'public.calendars'::text];
grant execute on function private.decision_json(private.decisions) to authenticated;
grant execute on function private.queue_nightly_runs(integer,timestamp with time zone) to service_role;
grant execute on function private.sla_state_of_page(timestamp with time zone,jsonb) to authenticated;
