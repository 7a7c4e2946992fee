-- SLA workflow: the tenant's policy, changes in bulk, imports, the ledger and the report.

create index exceptions_in_review on public.exceptions (tenant_id, due_at, id) where status = 'in_review';
create index exception_ledger_by_time on public.exception_ledger (tenant_id, at);

-- True where the deadline is the policy's, so that a new policy moves it.
alter table public.exceptions add column due_from_policy boolean not null default false;
grant insert (due_from_policy), update (due_from_policy) on public.exceptions to authenticated;

create or replace function private.exception_facts(e public.exceptions) returns jsonb
language sql stable set search_path = ''
return (to_jsonb(e) - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy}'::text[])
  || jsonb_build_object('due_at', private.iso(e.due_at));

-- How long the tenant gives an exception of a severity.
create function private.minutes_to_resolve(p public.sla_policies, severity text) returns integer
language sql immutable set search_path = ''
return case severity
  when 'critical' then p.critical_minutes when 'high' then p.high_minutes when 'medium' then p.medium_minutes else p.low_minutes
end;

-- rows: [{ title, severity, … }], the columns a caller may set. Answers the ids in the order of the rows.
create function private.insert_exceptions(rows jsonb) returns setof public.exceptions
language sql volatile set search_path = '' as $$
  insert into public.exceptions
    (title, severity, assigned_to, due_at, due_from_policy, status, reason_code, amount_minor, currency, reconciliation_id, details)
  select
    r.title, r.severity, r.assigned_to, coalesce(r.due_at, now() + make_interval(mins => private.minutes_to_resolve(p, r.severity))),
    r.due_at is null, coalesce(r.status, 'open'), r.reason_code, r.amount_minor, r.currency, r.reconciliation_id,
    coalesce(nullif(r.details, 'null'), '{}')
  from jsonb_to_recordset(rows) as r (
    title text, severity text, assigned_to text, due_at timestamptz, status text, reason_code text, amount_minor bigint, currency text,
    reconciliation_id text, details jsonb
  )
  join public.sla_policies p on p.tenant_id = private.tenant_id()
  returning *;
$$;

create or replace function public.create_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  created public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform private.require_reconciliation(input ->> 'reconciliation_id');
  select * into created from private.insert_exceptions(jsonb_build_array(input));
  return private.remember(request, private.exception_json(created));
end $$;

-- The columns of `before` as a merge patch leaves them.
create function private.patch_exception(before public.exceptions, patch jsonb) returns public.exceptions
language plpgsql stable set search_path = '' as $$
declare
  after public.exceptions;
begin
  after := jsonb_populate_record(before, patch - 'details');
  if patch ? 'details' then
    after.details := private.merge_patch(before.details, coalesce(nullif(patch -> 'details', 'null'), '{}'));
  end if;
  after.due_from_policy := before.due_from_policy and not patch ? 'due_at';
  return after;
end $$;

create or replace function public.update_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  patch jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  select * into before from public.exceptions where id = input ->> 'id' and tenant_id = private.tenant_id() for no key update;
  if not found then
    perform private.refuse('not_found', 'There is no such exception.');
  end if;
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  after := private.patch_exception(before, patch);
  if after is distinct from before then
    update public.exceptions e set
      title = after.title, severity = after.severity, assigned_to = after.assigned_to, due_at = after.due_at,
      due_from_policy = after.due_from_policy, status = after.status, reason_code = after.reason_code, amount_minor = after.amount_minor,
      currency = after.currency, reconciliation_id = after.reconciliation_id, details = after.details, resolution = after.resolution
    where e.id = before.id and e.tenant_id = before.tenant_id
    returning * into after;
  end if;
  return jsonb_build_object('replayed', false, 'body', private.exception_json(after));
end $$;

create function private.may_move(before text, after text) returns boolean
language sql immutable set search_path = ''
return before = after or (before, after) in (
  ('open', 'in_review'), ('in_review', 'open'),
  ('open', 'resolved'), ('open', 'dismissed'), ('in_review', 'resolved'), ('in_review', 'dismissed'),
  ('resolved', 'open'), ('dismissed', 'open')
);

-- input: { ids, patch }, at most 500: all of them or none.
create function public.update_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  patch jsonb := input -> 'patch';
  ids text[] := private.text_array(input -> 'ids');
  refused jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform from public.exceptions e where e.id = any (ids) and e.tenant_id = private.tenant_id() order by e.id for no key update;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (select from public.exceptions e where e.id = i.id and e.tenant_id = private.tenant_id());
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('An exception cannot move from %s to %s.', e.status, patch ->> 'status')) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.id = i.id
  where patch ? 'status' and not private.may_move(e.status, patch ->> 'status');
  if refused is not null then
    perform private.refuse('invalid_transition', 'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  update public.exceptions e set
    severity = (x.after).severity, assigned_to = (x.after).assigned_to, due_at = (x.after).due_at,
    due_from_policy = (x.after).due_from_policy, status = (x.after).status, reason_code = (x.after).reason_code, resolution = (x.after).resolution
  from (
    select b.id, private.patch_exception(b, patch) as after from public.exceptions b where b.id = any (ids) and b.tenant_id = private.tenant_id()
  ) x
  where e.id = x.id;
  perform private.record_security_event('exceptions.bulk_updated', null, null, jsonb_build_object('count', cardinality(ids), 'patch', patch));
  return private.remember(request, jsonb_build_object(
    'updated', cardinality(ids),
    'items', (select jsonb_agg(private.exception_json(e) order by i.n) from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.id = i.id)
  ));
end $$;

-- input: { rows: [{ line, …columns }] }. Rows that name an unknown reconciliation are refused, the others are created.
create function public.import_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  refused jsonb;
  accepted integer;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  select jsonb_agg(jsonb_build_object('line', r ->> 'line', 'path', 'reconciliation_id', 'message', 'There is no such reconciliation.')) into refused
  from jsonb_array_elements(input -> 'rows') r
  where r ->> 'reconciliation_id' is not null and not exists (
    select from public.reconciliations c where c.id = r ->> 'reconciliation_id' and c.tenant_id = private.tenant_id()
  );
  select count(*) into accepted from private.insert_exceptions(case when refused is null then input -> 'rows' else (
    select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(input -> 'rows') r
    where not exists (select from jsonb_array_elements(refused) f where f ->> 'line' = r ->> 'line')
  ) end);
  return private.remember(request, jsonb_build_object('accepted', accepted, 'refused', coalesce(refused, '[]')));
end $$;

-- input: { id }. Each change of the clock since it was set, and what was left of it.
create function public.get_exception_ledger(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:exceptions}');
  select * into e from public.exceptions x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such exception.');
  end if;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'exception', private.exception_json(e),
    'rows', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'at', private.iso(l.at), 'kind', l.kind, 'due_at', private.iso(l.due_at), 'threshold_minutes', l.threshold_minutes,
        'actor', l.actor, 'request_id', l.request_id
      ) order by l.at, l.id), '[]')
      from public.exception_ledger l where l.tenant_id = e.tenant_id and l.exception_id = e.id
    )
  );
end $$;

-- input: { id, limit, after: [history id] | null }. Newest first.
create function public.list_exception_history(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  page jsonb;
  keys bigint[];
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:exceptions}');
  if not exists (select from public.exceptions x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id()) then
    perform private.refuse('not_found', 'There is no such exception.');
  end if;
  select jsonb_agg(jsonb_build_object(
    'at', private.iso(h.at), 'actor', h.actor, 'request_id', h.request_id, 'kind', h.kind,
    'changes', case h.kind when 'created' then coalesce(private.exception_changes('{}', h.changes), '{}') else h.changes end
  ) order by h.id desc), array_agg(h.id order by h.id desc)
  into page, keys
  from (
    select * from public.exception_history x
    where x.tenant_id = private.tenant_id() and x.exception_id = input ->> 'id'
      and (input -> 'after' ->> 0 is null or x.id < (input -> 'after' ->> 0)::bigint)
    order by x.id desc limit page_size + 1
  ) h;
  return private.page(page, page_size, case when cardinality(keys) > page_size then jsonb_build_array(keys[page_size]::text) end);
end $$;

create function private.sla_policy_json(p public.sla_policies) returns jsonb
language sql stable set search_path = ''
return jsonb_build_object(
  'minutes_to_resolve', jsonb_build_object('critical', p.critical_minutes, 'high', p.high_minutes, 'medium', p.medium_minutes, 'low', p.low_minutes),
  'at_risk_thresholds', p.at_risk_thresholds, 'updated_at', private.iso(p.updated_at), 'updated_by', p.updated_by
);

create function public.get_sla_policy(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  return (select private.sla_policy_json(p) from public.sla_policies p where p.tenant_id = private.tenant_id());
end $$;

grant update (critical_minutes, high_minutes, medium_minutes, low_minutes, at_risk_thresholds, updated_at, updated_by) on public.sla_policies to authenticated;
create policy sla_policies_update on public.sla_policies for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.allows('{tenant_admin,tenant_lead}', '{}')))
  with check (tenant_id = (select private.tenant_id()));

-- Arms every clock of the tenant by its thresholds as they are now. What was passed before is not told of again.
create function private.rearm_clocks() returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.advance_clocks(array(
    select exception_id from private.exception_clocks where tenant_id = private.tenant_id() and next_at <= now()
  ), private.own_shard());
  update private.exception_clocks c set position = b.position, next_at = c.due_at - make_interval(mins => b.next_boundary)
  from private.exception_clocks o cross join lateral (
    select coalesce(min(boundary) filter (where passed), private.no_boundary()) as position, max(boundary) filter (where not passed) as next_boundary
    from (select boundary, o.due_at - make_interval(mins => boundary) <= now() as passed from private.sla_boundaries(array[o.tenant_id])) x
  ) b
  where o.exception_id = c.exception_id and c.tenant_id = private.tenant_id()
    and (c.position, c.next_at) is distinct from (b.position, c.due_at - make_interval(mins => b.next_boundary));
end $$;

-- input: { minutes_to_resolve, at_risk_thresholds, dry_run }. Deadlines that came from the policy follow it.
create function public.put_sla_policy(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  before public.sla_policies;
  after public.sla_policies;
  impact jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_lead}', '{}');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  after := before;
  after.critical_minutes := input -> 'minutes_to_resolve' ->> 'critical';
  after.high_minutes := input -> 'minutes_to_resolve' ->> 'high';
  after.medium_minutes := input -> 'minutes_to_resolve' ->> 'medium';
  after.low_minutes := input -> 'minutes_to_resolve' ->> 'low';
  after.at_risk_thresholds := array(select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_thresholds') order by 1 desc);

  with moved as (
    select e.severity, e.due_at, e.created_at + make_interval(mins => private.minutes_to_resolve(after, e.severity)) as new_due_at
    from public.exceptions e
    where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and e.due_from_policy
      and private.minutes_to_resolve(after, e.severity) <> private.minutes_to_resolve(before, e.severity)
  )
  select jsonb_build_object(
    'changed', count(*), 'earlier', count(*) filter (where new_due_at < due_at), 'later', count(*) filter (where new_due_at > due_at),
    'newly_breached', count(*) filter (where due_at > now() and new_due_at <= now()),
    'no_longer_breached', count(*) filter (where due_at <= now() and new_due_at > now()),
    'by_severity', jsonb_build_object(
      'critical', count(*) filter (where severity = 'critical'), 'high', count(*) filter (where severity = 'high'),
      'medium', count(*) filter (where severity = 'medium'), 'low', count(*) filter (where severity = 'low')
    )
  ) into impact from moved;

  if not (input ->> 'dry_run')::boolean and after is distinct from before then
    update public.sla_policies set
      critical_minutes = after.critical_minutes, high_minutes = after.high_minutes, medium_minutes = after.medium_minutes,
      low_minutes = after.low_minutes, at_risk_thresholds = after.at_risk_thresholds, updated_at = now(), updated_by = private.actor()
    where tenant_id = before.tenant_id returning * into after;
    update public.exceptions e set due_at = e.created_at + make_interval(mins => private.minutes_to_resolve(after, e.severity))
    where e.tenant_id = before.tenant_id and e.status in ('open', 'in_review') and e.due_from_policy
      and private.minutes_to_resolve(after, e.severity) <> private.minutes_to_resolve(before, e.severity);
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    perform private.record_security_event('sla_policy.updated', null, null,
      jsonb_build_object('from', private.sla_policy_json(before), 'to', private.sla_policy_json(after)));
  end if;
  return private.sla_policy_json(after) || jsonb_build_object('dry_run', (input ->> 'dry_run')::boolean, 'impact', impact);
end $$;

-- input: { since, until, by: day | severity | assigned_to }. Counted from the ledger, so that later changes rewrite nothing.
create function public.report_sla(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  return jsonb_build_object('since', private.iso(since), 'until', private.iso(until), 'by', input ->> 'by', 'rows', coalesce((
    select jsonb_agg(jsonb_build_object(
      'key', g.key, 'opened', g.opened, 'resolved', g.resolved, 'breached', g.breached,
      'breach_rate', round(g.breached::numeric / nullif(g.settled, 0), 4),
      'median_minutes_to_resolve', round(g.median::numeric, 1), 'p90_minutes_to_resolve', round(g.p90::numeric, 1)
    ) order by g.key)
    from (
      select x.key,
        count(*) filter (where x.kind = 'set') as opened,
        count(*) filter (where x.kind in ('resolved', 'dismissed')) as resolved,
        count(distinct x.exception_id) filter (where x.kind = 'crossed') as breached,
        count(distinct x.exception_id) filter (where x.kind <> 'set') as settled,
        percentile_cont(0.5) within group (order by x.minutes) filter (where x.kind in ('resolved', 'dismissed')) as median,
        percentile_cont(0.9) within group (order by x.minutes) filter (where x.kind in ('resolved', 'dismissed')) as p90
      from (
        select l.kind, l.exception_id, extract(epoch from l.at - e.created_at) / 60 as minutes,
          case input ->> 'by'
            when 'day' then to_char(l.at at time zone 'UTC', 'YYYY-MM-DD')
            when 'severity' then e.severity
            else e.assigned_to
          end as key
        from public.exception_ledger l join public.exceptions e on e.id = l.exception_id
        where l.tenant_id = private.tenant_id() and l.at >= since and l.at < until
          and (l.kind in ('set', 'resolved', 'dismissed') or (l.kind = 'crossed' and l.threshold_minutes = 0))
      ) x
      group by x.key
    ) g
  ), '[]'));
end $$;

grant execute on function
  private.minutes_to_resolve(public.sla_policies, text), private.insert_exceptions(jsonb), private.patch_exception(public.exceptions, jsonb),
  private.may_move(text, text), private.sla_policy_json(public.sla_policies), private.rearm_clocks(), private.exception_changes(jsonb, jsonb),
  public.update_exceptions(jsonb, jsonb), public.import_exceptions(jsonb, jsonb), public.get_exception_ledger(jsonb, jsonb),
  public.list_exception_history(jsonb, jsonb), public.get_sla_policy(jsonb, jsonb), public.put_sla_policy(jsonb, jsonb),
  public.report_sla(jsonb, jsonb)
to authenticated;
