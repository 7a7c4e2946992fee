-- Rules of a pair over the wire, with their settings and what was learned. Each change is a
-- version; a period follows the newest.

create function private.rules_json(pair public.pairs) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  rules_version public.pair_rules;
begin
  select * into rules_version
  from public.pair_rules
  where pair_rules.tenant_id = pair.tenant_id and pair_rules.pair_no = pair.pair_no
    and pair_rules.version = pair.rules_version;
  -- Null rules: the defaults, which the engine has. The contract shows what `weights` mean, not
  -- their counts.
  return jsonb_build_object('rules', rules_version.rules, 'version', pair.rules_version,
    'weights', pair.weights,
    'updated_at', private.iso(rules_version.created_at),
    'updated_by', rules_version.created_by) || private.default_policy()
      || coalesce(rules_version.policy, '{}');
end $$;

-- input: { id }, the reconciliation's. Refuses: not_found, conflict.
create function public.get_rules(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_rules');
  period := private.find_period(input ->> 'id');
  return (select private.rules_json(pair) from public.pairs pair
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no);
end $$;

-- By how much the sides of a match of this size may differ under the rules of a pair, with the
-- difference recorded on the match.
create function private.tolerance_of_pair(tenant text, pair integer, larger numeric) returns numeric
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(
      max(
        greatest((listed.rule ->> 'amount_tolerance_minor')::numeric,
          floor(larger * (listed.rule ->> 'amount_tolerance_bps')::numeric / 10000))),
      0)
    from public.pairs
      left join public.pair_rules on pair_rules.tenant_id = pairs.tenant_id
        and pair_rules.pair_no = pairs.pair_no
        and pair_rules.version = pairs.rules_version
    cross join jsonb_array_elements(coalesce(pair_rules.rules,
      private.default_rules())) as listed (rule)
    where pairs.tenant_id = tenant and pairs.pair_no = pair
      and coalesce(listed.rule ->> 'residual', 'keep') = 'keep'
  );
end $$;

create function private.without_names(weights jsonb, names jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case when weights ? 'names' then jsonb_set(weights, '{names}', (
    select coalesce(jsonb_agg(named.name order by named.place), '[]')
    from jsonb_array_elements(weights -> 'names') with ordinality named (name, place)
    where not names @> jsonb_build_array(named.name - 'confirmed')
  )) else weights end;
end $$;

-- Gives the caller's pair of a period a new version of its rules, or deletes what was learned: all
-- of it, or these names, [{ left, right }]. Refuses: precondition_failed; role_required if anyone
-- but an admin turns four eyes off.
create function private.set_rules(period text, rules jsonb, policy jsonb, forget boolean,
  names jsonb, versions jsonb) returns public.pairs
language plpgsql volatile set search_path = '' as $$
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
end $$;
grant execute on function private.rules_json(public.pairs) to authenticated;

-- input: { id, rules, automatic, fees, four_eyes, review_levels, close_days, checks, calendar_id,
-- exceptions, reset_learning, forget_names, dry_run }, `id` the reconciliation's. A dry run is
-- requested as in `create_run`; its ID is `run_id`. Refuses: not_found, conflict,
-- precondition_failed, invalid_request. Records: matching.rules_updated.
create function public.put_rules(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  dry_run constant boolean := coalesce((input ->> 'dry_run')::boolean, false);
  period public.reconciliations;
  pair public.pairs;
  -- Settings that are left out stay.
  policy constant jsonb := coalesce((
    select jsonb_object_agg(key, input -> key)
    from unnest('{automatic,fees,four_eyes,review_levels,close_days,checks,evidence_from_minor,
      calendar_id,exceptions}'::text[]) key
    where input ? key),
      '{}');
begin
  perform private.begin_request(request, 'put_rules');
  period := private.find_period(input ->> 'id');
  if dry_run then
    select * into pair from public.pairs where pairs.tenant_id = period.tenant_id
      and pairs.pair_no = period.pair_no;
    return private.rules_json(pair) || policy
      || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.request_run(period.id, private.dry_run_settings(input))).id);
  end if;
  perform private.require_calendar(input);
  pair := private.set_rules(period.id, input -> 'rules', policy,
    coalesce((input ->> 'reset_learning')::boolean, false),
    coalesce(input -> 'forget_names', '[]'), request -> 'versions');
  return private.rules_json(pair) || jsonb_build_object('dry_run', false, 'run_id', null);
end $$;

-- Decisions that the pair's weights have not learned from yet, oldest first, with the two lines of
-- each, as a run weighs them: [{ id, confirmed, score, left, right }], dates as days since
-- 1970-01-01.
create function private.decisions_to_learn(tenant text, pair integer,
  most integer) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
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
end $$;

-- Stores what a run learned up to a decision, unless learning was reset, or rules were changed and
-- names deleted, since. Refuses: conflict if another process took over the run.
create function private.save_weights(tenant text, pair integer, run text, attempt integer,
  weights jsonb, up_to bigint) returns void
language plpgsql volatile security definer set search_path = '' as $$
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
end $$;
grant execute on function
  private.decisions_to_learn(text, integer, integer),
  private.save_weights(text, integer, text, integer, jsonb, bigint)
to service_role;
