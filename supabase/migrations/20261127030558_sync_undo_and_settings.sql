create index acts_by_undoing on private.acts (tenant_id, undone_at)
where undone_at is not null;
create index matches_by_decision on public.matches (tenant_id, decided_at)
where decided_at is not null;

alter table public.exception_ledger alter column request_id
  set default nullif(current_setting('app.request_id', true), '');
alter table public.exception_history alter column request_id
  set default nullif(current_setting('app.request_id', true), '');
alter table public.exception_comments alter column request_id
  set default nullif(current_setting('app.request_id', true), '');
alter table public.events alter column request_id
  set default nullif(current_setting('app.request_id', true), '');

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.facets_with_none();
CREATE OR REPLACE FUNCTION private.id_time(at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return lpad(to_hex(greatest((extract(epoch from at) * 1000)::bigint, 0)), 12, '0');
end $function$;
CREATE OR REPLACE FUNCTION private.begin_request(request jsonb, verb text, resource text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant jsonb := auth.jwt();
  needed private.permissions;
begin
  perform set_config('app.operation', coalesce(request ->> 'operation', ''), true),
    set_config('app.request_id', coalesce(request ->> 'request_id', ''), true),
    set_config('app.address', coalesce(request ->> 'address', ''), true);
  if claims ->> 'tenant_id' is null
    or claims ->> 'principal_type' is distinct from 'publishable_key'
    and not exists (select from public.tenants t where t.id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden',
      'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  select p.* into needed
  from private.operations o join private.permissions p on p.permission = o.permission
  where o.verb = begin_request.verb and o.operation = request ->> 'operation'
    and (begin_request.resource is null
    or split_part(o.permission, ':', 2) = begin_request.resource);
  if not found or not private.holds(needed, claims) then
    perform private.refuse('role_required', 'This credential does not allow this operation.');
  end if;
  if coalesce((request ->> 'continues')::boolean, false) then
    return;
  end if;
  if private.principal_type() = 'service_role' then
    perform private.record_service_call(left(request ->> 'audit_reason', 1000));
  end if;
  if jsonb_typeof(request -> 'export') = 'object' then
    perform private.record_security_event('data.exported', null, null, request -> 'export');
  elsif jsonb_typeof(request -> 'dry_run') = 'object' then
    perform private.record_security_event('dry_run.done', request -> 'dry_run' ->> 'id', null,
      request -> 'dry_run');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.with_request_id(payload jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return payload
    || jsonb_build_object('request_id', nullif(current_setting('app.request_id', true), ''));
end $function$;
CREATE OR REPLACE FUNCTION private.notify(topic text, what text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform pg_notify('app', topic || ' ' || what);
end $function$;
CREATE OR REPLACE FUNCTION private.complete_security_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  call_id text := nullif(current_setting('app.call_event', true), '');
begin
  new.credential := coalesce(new.credential, private.principal_type(), 'system');
  new.cross_tenant := new.cross_tenant or new.credential = 'service_role';
  new.seq := null;
  new.prev_hash := null;
  new.hash := null;
  if call_id is null or new.id = call_id then
    return new;
  end if;
  perform set_config('app.call_event', '', true);
  update public.security_events e set
    type = new.type, target = new.target, details = e.details || new.details || case
      when e.reason is not null
      and new.reason is not null then jsonb_build_object('reason', new.reason) else '{}' end,
    reason = coalesce(e.reason, new.reason)
  where e.chain = private.tenant_id() and e.id = call_id;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.write_security_event(id text, tenant_id text, type text, target text, reason text, details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.security_events
    (id, tenant_id, type, actor, actor_issuer, actor_subject, operation, target, address,
      request_id, reason, details)
  values (
    $1, $2, $3, private.actor(), private.actor_issuer(), private.actor_subject(),
    nullif(current_setting('app.operation', true), ''), $4,
    nullif(current_setting('app.address', true), '')::inet,
    nullif(current_setting('app.request_id', true), ''), $5,
    $6 || private.names_of_event($2, $4, $6)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.record_service_call(reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  call_id constant text := private.new_id('sev');
begin
  perform private.write_security_event(call_id, private.tenant_id(), 'service_role.call', null,
    reason, '{}');
  perform set_config('app.call_event', call_id, true);
end $function$;
CREATE OR REPLACE FUNCTION private.first_line_since(since timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  low bigint := 0;
  high bigint;
  middle bigint;
  probe record;
begin
  select x.line_no + 1 into high from public.lines x
  where x.tenant_id = tenant order by x.line_no desc limit 1;
  while low < high loop
    middle := (low + high) / 2;
    select x.line_no, x.created_at into probe from public.lines x
    where x.tenant_id = tenant and x.line_no >= middle order by x.line_no limit 1;
    if probe.created_at < since - interval '1 hour' then
      low := probe.line_no + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_matched_since(since timestamp with time zone, most integer)
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
    select mm.line_no from (
      select m.id from public.matches m
      where m.tenant_id = tenant and m.id >= first_id and m.created_at >= since
        and m.state <> 'suggested'
      union all
      select m.id from public.matches m where m.tenant_id = tenant and m.decided_at >= since
      union all
      select unnest(a.match_ids) from private.acts a
      where a.tenant_id = tenant and a.undone_at >= since
    ) m
    cross join lateral (select y.line_no from public.match_members y
      where y.tenant_id = tenant and y.match_id = m.id offset 0) mm
    limit most + 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_handled_since(since timestamp with time zone, most integer)
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
    select l.line_no from (
      select a.line_id from private.acts a
      where a.tenant_id = tenant and a.id >= first_id and a.created_at >= since
      union all
      select a.line_id from private.acts a where a.tenant_id = tenant and a.undone_at >= since
    ) a
    cross join lateral (select y.line_no from public.lines y
      where y.tenant_id = tenant and y.id = a.line_id offset 0) l
    union all
    select x.line_no
    from (select e.id from public.exceptions e
      where e.tenant_id = tenant and e.updated_at >= since) e
    cross join lateral (select y.line_no from private.exception_lines y
      where y.tenant_id = tenant and y.exception_id = e.id offset 0) x
    limit most + 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_since(since timestamp with time zone, first_no bigint, most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  line_nos bigint[] := array(
    select x.line_no from public.lines x
    where x.tenant_id = tenant and x.line_no >= first_no and x.created_at >= since
    limit most + 1
  );
begin
  if cardinality(line_nos) <= most then
    line_nos := line_nos || private.lines_matched_since(since, most);
  end if;
  if cardinality(line_nos) <= most then
    line_nos := line_nos || private.lines_handled_since(since, most);
  end if;
  return case when cardinality(line_nos) <= most then array(
    select distinct n.line_no from unnest(line_nos) n (line_no)) end;
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
      select from public.match_members mm
      cross join lateral (select y.* from public.matches y
        where y.tenant_id = $1 and y.id = mm.match_id offset 0) m
      where mm.tenant_id = $1 and mm.line_no = x.line_no
        and (m.decided_at >= $9 or m.created_at >= $9 and m.state <> 'suggested') offset 0)
    or exists (
      select from private.acts a
      where a.tenant_id = $1 and a.line_id = x.id and greatest(a.created_at, a.undone_at) >= $9
      offset 0)
    or exists (
      select from private.exception_lines y
      cross join lateral (select z.updated_at from public.exceptions z
        where z.tenant_id = $1 and z.id = y.exception_id offset 0) e
      where y.tenant_id = $1 and y.line_no = x.line_no and e.updated_at >= $9 offset 0))$c$;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_caller(r public.reconciliations, input jsonb, source_nos integer[], most integer)
 RETURNS TABLE(n bigint, line_no bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  q constant text := nullif(btrim(input ->> 'q'), '');
  state constant text := input ->> 'state';
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- If the cursor's line was removed, its day is read from the start.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1),
    9223372036854775807);
  since constant timestamptz := (input ->> 'updated_since')::timestamptz;
  first_no constant bigint := case when since is not null then private.first_line_since(since) end;
  few bigint[];
  is_searched boolean := false;
  is_changed boolean := false;
  stands text;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if since is not null then
    few := private.lines_since(since, first_no, 200000);
    is_changed := few is not null;
  end if;
  if q is not null and few is null then
    few := private.find_lines_of_caller(q, source_nos, 5000);
    is_searched := few is not null;
  end if;
  few := coalesce(few, private.narrow_by_state(r, state, source_nos, 5000));
  stands := case when few is null then private.standing_lines(r, state) end;
  return query execute format($sql$
    with sources as materialized (
      select x.source_no, case when $3.id is not null then array[$3.pair_no] else array(
        select p.pair_no from public.pairs p
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no)
          and p.opening is null
        order by p.pair_no) end as pair_nos
      from unnest($4) x (source_no)
    ), s as materialized (
      select x.source_no, x.pair_nos, p.pair_no,
        case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%s)
    )
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (%s) l order by l.value_date desc, l.line_no desc limit $8 $sql$,
    case when stands is null then 'x.pair_nos[:1]' else 'x.pair_nos' end,
    private.line_page(r, state, stands, few is not null, after_date is not null,
      concat_ws(' and ', private.line_field_filters(input),
        private.line_period_filters(r, state, stands is not null),
        case when since is not null and not is_changed
          then private.line_changed_since() end,
        case when q is not null and not is_searched
          then private.line_search(q, 'private.line_text(x)') end)))
  using tenant, input, r, source_nos, few, after_date, after_no, most, since, first_no;
end $function$;
CREATE OR REPLACE FUNCTION private.refuse_change_of_closed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- private.move_suggestions may: suggestions do not belong to what a period closed with.
  if tg_op = 'UPDATE' and current_setting('app.moves_suggestions', true) = 'on' then
    return null;
  end if;
  if exists (
    select from (
      select distinct c.tenant_id, c.reconciliation_id
      from changed c
      where tg_op <> 'DELETE' or tg_table_name <> 'matches' or to_jsonb(c) ->> 'state' = 'confirmed'
    ) x
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
    where r.closed_at is not null or r.status = 'archived'
  ) then
    perform private.refuse_conflict('period_closed',
      'The period is closed or archived. Reopen a closed one first; an archived one does not change any more.');
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.matches_since(r public.reconciliations, since timestamp with time zone)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  first_id constant uuid := rpad(private.id_time(since - interval '10 minutes'), 32, '0');
  most constant integer := 50000;
  ids constant uuid[] := array(
    select x.id from (
      (
        select m.id from public.matches m
        where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.id >= first_id
          and m.created_at >= since
        limit most + 1
      )
      union
      select m.id from public.matches m
      where m.tenant_id = r.tenant_id and m.decided_at >= since and m.reconciliation_id = r.id
    ) x
    limit most + 1
  );
begin
  return case when cardinality(ids) <= most then ids end;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_pair_changed(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.run_changes (tenant_id, reconciliation_id)
  select r.tenant_id, r.id from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = pair and r.closed_at is null
    and r.status <> 'archived'
    and r.id is distinct from current_setting('app.written_by_run_of', true);
end $function$;
CREATE OR REPLACE FUNCTION private.mark_changed_pairs()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A run writes thousands of rows of one pair.
  if current_setting('app.written_by_run_of', true) <> '' then
    perform private.mark_pair_changed(x.tenant_id, x.pair_no)
    from (select c.tenant_id, c.pair_no from changed c limit 1) x;
    return null;
  end if;
  perform private.mark_pair_changed(x.tenant_id, x.pair_no)
  from (select distinct c.tenant_id, c.pair_no from changed c) x;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.require_attempt(tenant text, run text, attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.runs x
  where x.tenant_id = tenant and x.id = run and x.attempt = require_attempt.attempt
    and x.status = 'running' for no key update;
  if not found then
    perform private.refuse_conflict('state_changed',
      'The run has ended, or another matcher has taken it up.');
  end if;
  -- What the attempt writes is news to other periods only.
  perform set_config('app.written_by_run_of', x.reconciliation_id, true)
  from public.runs x where x.tenant_id = tenant and x.id = run;
end $function$;
CREATE OR REPLACE FUNCTION private.request_closing(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- Left by an attempt that was taken for dead and was not.
  perform private.delete_closing(r);
  insert into private.closing_requests as q (tenant_id, reconciliation_id, pair_no, asked_by)
  values (r.tenant_id, r.id, r.pair_no,
    jsonb_build_object('claims', auth.jwt(), 'operation', current_setting('app.operation', true),
    'address', current_setting('app.address', true)))
  on conflict (tenant_id, reconciliation_id)
    do update set asked_by = excluded.asked_by, asked_at = excluded.asked_at, failure = null;
  perform graphile_worker.add_job('close_period',
    private.with_request_id(
      jsonb_build_object('tenant_id', r.tenant_id, 'reconciliation_id', r.id)),
    queue_name => 'pair:' || r.pair_no, job_key => 'close:' || r.id, max_attempts => 6,
    flags => private.job_flags(r.tenant_id, 'lines'));
end $function$;
CREATE OR REPLACE FUNCTION private.complete_requested_closing(tenant text, reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  q private.closing_requests;
  r public.reconciliations;
begin
  perform private.lock_pair(x.tenant_id, x.pair_no) from private.closing_requests x
  where x.tenant_id = tenant and x.reconciliation_id = reconciliation;
  select * into r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation for no key update;
  select * into q
  from private.closing_requests x
  where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.failure is null;
  if found then
    perform set_config('request.jwt.claims', q.asked_by ->> 'claims', true);
    perform set_config('app.operation', coalesce(q.asked_by ->> 'operation', ''), true);
    perform set_config('app.address', coalesce(q.asked_by ->> 'address', ''), true);
    perform private.complete_closing(r);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.move_suggestions(tenant text, ids uuid[], target text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  twice uuid[];
begin
  twice := array(
    select distinct m.match_id
    from private.members_of(tenant, ids) m
    join private.members_of(tenant, private.suggested_of(tenant, target)) own
      on own.line_no = m.line_no and own.match_id <> m.match_id
    where own.match_id <> all (ids)
    union
    -- Suggestions of two periods may share a line until they are in one.
    select distinct m.match_id
    from private.members_of(tenant, ids) m
    join private.members_of(tenant, ids) other
      on other.line_no = m.line_no and other.match_id < m.match_id
  );
  if cardinality(twice) > 0 then
    perform private.delete_matches(tenant, twice);
  end if;
  perform set_config('app.moves_suggestions', 'on', true);
  update public.matches m set reconciliation_id = target
  where m.tenant_id = tenant and m.id = any (ids) and m.state = 'suggested'
    and m.reconciliation_id <> target;
  perform set_config('app.moves_suggestions', '', true);
end $function$;
CREATE OR REPLACE FUNCTION private.entry_kinds()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['fee'::text, 'fx'::text, 'rounding'::text, 'write_off'::text, 'other'::text, 'residual'::text, 'excluded_left'::text, 'excluded_right'::text, 'carried_left'::text, 'carried_right'::text];
CREATE OR REPLACE FUNCTION private.entries_preview_json(r public.reconciliations, rules jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  ruled constant text[] := private.kinds_with_rule(rules);
begin
  return (
    with drafts as materialized (select * from private.entry_drafts(r, rules))
    select jsonb_build_object('sums', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'entry_count', s.n,
          'debit_minor', private.exact_sum(s.minor), 'credit_minor', private.exact_sum(s.minor))
          order by s.currency), '[]')
        from (select d.currency, count(*) as n, sum(d.amount_minor) as minor
          from drafts d group by d.currency) s
      ), 'entries', (
        select coalesce(jsonb_agg(to_jsonb(d) - 'body' || jsonb_build_object('text', d.body)
          order by d.kind, d.subject_id, d.subject_place), '[]')
        from (select * from drafts x order by x.kind, x.subject_id, x.subject_place limit 100) d
      ), 'without_rule', (
        select coalesce(jsonb_agg(jsonb_build_object('kind', u.kind, 'currency', u.currency,
          'count', u.n, 'difference_minor', private.exact_sum(u.minor))
          order by u.kind, u.currency), '[]')
        from (
          select i.kind, i.currency, count(*) as n, sum(i.difference_minor) as minor
          from private.entry_items(r, array(
            select k from unnest(private.entry_kinds()) k where k <> all (ruled))) i
          group by i.kind, i.currency
        ) u
      ))
  );
end $function$;
CREATE OR REPLACE FUNCTION private.write_exceptions(act text, made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform set_config('app.writes_exceptions', 'on', true);
  if act = 'create' then
    perform private.insert_exceptions(made);
  else
    perform private.update_exceptions(made);
  end if;
  perform set_config('app.writes_exceptions', '', true);
end $function$;
CREATE OR REPLACE FUNCTION private.guard_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if coalesce(current_setting('app.writes_exceptions', true), '') <> 'on' then
    raise exception
      using errcode = 'insufficient_privilege',
        message = 'Exceptions are changed by private.change_exceptions alone.';
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.facet_has_none(facet text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (facet = ANY (ARRAY['assigned_to'::text, 'reconciliation_id'::text, 'currency'::text]));
CREATE OR REPLACE FUNCTION private.business_minutes_remaining(e public.exceptions, as_of timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  asked constant text := concat_ws(' ', e.tenant_id, e.calendar_no, extract(epoch from as_of), '');
  known text := current_setting('app.open_ms', true);
begin
  if e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return null;
  end if;
  -- A list or a batch of events asks this for many exceptions of one calendar and one moment, so
  -- B(as_of) is cached within the transaction.
  if e.paused_at is null and e.due_open_ms is not null then
    if not starts_with(coalesce(known, ''), asked) then
      known := set_config('app.open_ms',
        asked || coalesce(private.open_ms(e.tenant_id, e.calendar_no, as_of)::text, ''), true);
    end if;
    return ceil(
      (e.due_open_ms - nullif(substr(known, length(asked) + 1), '')::bigint) / 60000.0)::bigint;
  end if;
  return ceil((
    case
      when e.paused_until <= as_of then private.open_ms(e.tenant_id, e.calendar_no,
        private.deadline(e, as_of))
      else e.due_open_ms end
    - private.open_ms(e.tenant_id, e.calendar_no,
      case when coalesce(e.paused_until > as_of, true) then coalesce(e.paused_at, as_of) else as_of
        end)
  ) / 60000.0)::bigint;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_condition(filter text, input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  -- The previous release sends a single value as a string.
  wanted text[] := case jsonb_typeof(input -> filter) when 'string' then array[input ->> filter]
    else private.text_array(input -> filter) end;
begin
  if cardinality(wanted) = 0 then
    return null;
  elsif filter = 'breach_risk' then
    return '(' || array_to_string(private.risk_ranges(wanted, as_of), ' or ') || ')';
  elsif filter = 'severity' then
    return private.one_of('e.severity_rank',
      array(select private.severity_rank(s)::text from unnest(wanted) s));
  elsif filter = 'assigned_to' then
    wanted := array_replace(wanted, 'me', private.actor());
  end if;
  return case
    when not private.facet_has_none(filter) then private.one_of('e.' || filter, wanted)
    when wanted = '{none}' then format('e.%I is null', filter)
    when 'none' = any (wanted) then format('(e.%I is null or %s)', filter,
      private.one_of('e.' || filter, array_remove(wanted, 'none')))
    else private.one_of('e.' || filter, wanted)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_json(ids text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(private.exception_json(e) order by i.n), '[]')
    from unnest(ids) with ordinality as i (id, n)
    join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = i.id
  );
end $function$;
CREATE OR REPLACE FUNCTION public.update_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_exceptions');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  act constant text := case when pause is not null then 'pause' when input ? 'resume' then 'resume'
    else 'edit' end;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  refused jsonb;
  skipped jsonb;
  columns jsonb;
  previous jsonb := '[]';
begin
  if replayed is not null then
    return replayed;
  end if;
  if by_filter then
    perform private.require_expected_count(input);
    ids := private.matching_exceptions(input -> 'filter', input -> 'after' ->> 0, batch + 1);
    if cardinality(ids) > batch then
      ids := ids[:batch];
      next_id := ids[batch];
    end if;
  end if;
  perform private.lock_exceptions(ids);
  perform private.require_exceptions(ids);
  refused := case when act <> 'edit' then private.faults_of_pause(ids, pause)
    when patch ? 'status' then private.faults_of_move(ids, patch ->> 'status') end;
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null and act = 'edit' then
    perform private.refuse('invalid_transition',
      'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  elsif refused is not null then
    perform private.refuse_conflict(case act when 'pause' then 'cannot_pause' else 'not_paused' end,
      format('Some of these exceptions cannot be %s. Nothing was changed.',
        case act when 'pause' then 'paused' else 'resumed' end), refused);
  end if;
  columns := case act
    when 'pause' then jsonb_build_object('paused_until', pause -> 'until', 'pause_reason',
      pause -> 'reason')
    else patch end;
  if by_filter then
    previous := private.exceptions_json(ids);
  end if;
  perform private.change_exceptions_for_caller(act,
    array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null,
    jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.finish_request(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', coalesce(skipped, '[]'), 'next',
    case when next_id is not null then jsonb_build_array(next_id) end,
    'items', private.exceptions_json(ids), 'previous', previous
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.value_of_facet()
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select format('case f.facet %s end', string_agg(format('when %L then %s', f,
      case when private.facet_has_none(f) then format('coalesce(g.%I, %L)', f, 'none')
        else format('g.%I', f) end), ' '))
    from unnest(private.exception_facets()) f
  );
end $function$;
CREATE OR REPLACE FUNCTION private.rebuild_business_time(tenant text, no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  recalculated jsonb[];
begin
  perform from public.exceptions e
  where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review')
    order by e.id for no key update;
  select * into covered
  from private.calendar_coverage c
  where c.tenant_id = tenant and c.calendar_no = no for update;
  delete from private.calendar_spans s where s.tenant_id = tenant and s.calendar_no = no;
  update private.calendar_coverage c
  set covered_until = c.covered_from, open_until = c.open_from, zone_checked_at = now()
  where c.tenant_id = tenant and c.calendar_no = no;
  perform private.extend_business_time(tenant, no, covered.covered_from, covered.covered_until);
  -- What business_minutes_remaining has cached belongs to the old spans.
  perform set_config('app.open_ms', '', true);
  with counted as materialized (
    select e.id, case when e.due_from_policy and coalesce(e.held_due_at, e.due_at) > now()
      then coalesce(private.policy_deadline(e, private.minutes_to_resolve(p, e.severity), no),
        coalesce(e.held_due_at, e.due_at))
      else coalesce(e.held_due_at, e.due_at) end as due_at
    from public.exceptions e join public.sla_policies p on p.tenant_id = e.tenant_id
    where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review')
  )
  select array_agg(jsonb_build_object('tenant_id', tenant, 'id', e.id, 'due_at', c.due_at)
  order by e.id) into recalculated
  from counted c join public.exceptions e on e.tenant_id = tenant and e.id = c.id
  where (coalesce(e.held_due_at, e.due_at), e.due_open_ms) is distinct from (c.due_at,
    private.open_ms(tenant, no, c.due_at));
  perform private.change_exceptions('recalculate', recalculated);
  perform private.arm_business_warnings(array_fill(tenant, array[cardinality(x.ids)]), x.ids, false)
  from (
    select array_agg(e.id) as ids from public.exceptions e
    where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review')
  ) x where x.ids is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.place_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  mark bigint := nullif(current_setting('app.event_mark', true), '');
begin
  if mark is null then
    mark := nextval('private.event_positions');
    perform set_config('app.event_mark', mark::text, true);
  end if;
  perform pg_advisory_xact_lock_shared(private.event_lock(new.tenant_id),
    (mark & 2147483647)::integer);
  new.position := nextval('private.event_positions');
  new.subject := private.event_subject(new.data);
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.claim_webhook_deliveries(webhook_ids text[], room integer)
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint, type text, request_id text, headers jsonb, oauth jsonb)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  chosen record;
begin
  -- One claim at a time: the caps hold over all workers.
  perform pg_advisory_xact_lock(hashtextextended('claim_webhook_deliveries', 0));
  perform private.interrupt_lapsed_attempts(webhook_ids);
  perform private.fail_deliveries_of_inactive(webhook_ids);
  select array_agg(f.tenant_id) as tenants, array_agg(f.id) as ids, array_agg(f.url) as urls,
    array_agg(f.place) as places, array_agg(f.webhook_id) as webhook_ids
  into chosen from private.deliveries_to_send(webhook_ids, room) f;
  if chosen.ids is null then
    return;
  end if;
  perform private.count_rated_attempts(chosen.tenants, chosen.webhook_ids);
  return query select * from private.begin_attempts(chosen.tenants, chosen.ids, chosen.urls,
    chosen.places);
end $function$;
grant execute on function private.entry_kinds() to authenticated;
grant execute on function private.facet_has_none(text) to authenticated;
grant execute on function private.id_time(timestamp with time zone) to authenticated;
