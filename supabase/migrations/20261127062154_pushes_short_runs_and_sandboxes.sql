alter table private.run_changes
  add column changed_at timestamptz(3) not null default clock_timestamp(),
  add column first_line_no bigint,
  add column last_line_no bigint;
create index matches_weighed on public.matches (tenant_id, reconciliation_id)
where not settled and state = 'confirmed' and decided_by is null;

alter table public.entry_batches add column push jsonb;
alter table public.entry_batches add constraint entry_batches_push_check
  check (jsonb_typeof(push) = 'object');
alter table public.tenants drop constraint tenants_id_check;
alter table public.tenants
  add column kind text not null
    generated always as (case when id ~ '\.' then 'sandbox' else 'live' end) stored,
  add check (id ~ '^[a-z0-9][a-z0-9_-]{0,62}(\.sandbox)?$');

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.count_arrived(text,integer,bigint);
drop function private.mark_pair_changed(text,integer);
drop function private.request_runs(text,integer);
drop function private.lines_arrived(text,integer);
CREATE OR REPLACE FUNCTION private.is_sandbox(tenant text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(tenant ~ '\.sandbox$', false);
end $function$;
CREATE OR REPLACE FUNCTION private.live_tenant(tenant text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return regexp_replace(tenant, '\.sandbox$', '');
end $function$;
CREATE OR REPLACE FUNCTION private.require_live_tenant(detail text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.is_sandbox(private.tenant_id()) then
    perform private.refuse_conflict('tenant_kind', detail);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.is_being_reset(tenant text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return current_setting('app.resets', true) = tenant
    and exists (select from public.tenants t where t.id = tenant and t.kind = 'sandbox');
end $function$;
CREATE OR REPLACE FUNCTION private.own_sandbox()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select t.id from public.tenants t where t.id = private.tenant_id() || '.sandbox');
end $function$;
CREATE OR REPLACE FUNCTION public.get_me(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  answers constant boolean := private.principal_type() <> 'publishable_key';
begin
  perform private.begin_request(request, 'get_me');
  return jsonb_build_object('tenant_id', tenant,
    'tenant_name', (select t.name from public.tenants t where t.id = tenant and answers),
    'kind', case when private.is_sandbox(tenant) then 'sandbox' else 'live' end,
    'sandbox_id', case when answers then private.own_sandbox() end);
end $function$;
CREATE OR REPLACE FUNCTION private.accounts_of(tenant text)
 RETURNS SETOF auth.users
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select u.* from private.account_index i join auth.users u on u.id = i.user_id
  where i.tenants @> array[private.live_tenant(tenant)] and u.deleted_at is null
    and private.roles_of_account(u.raw_app_meta_data, tenant) is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.quota_of(tenant_id text, kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return least((select q.most from private.quotas q where q.kind = $2),
    case when private.is_sandbox($1) then
      case kind when 'lines' then 50000 when 'exceptions' then 5000 when 'records' then 5000
        when 'evidence_mib' then 100 else 50 end
    end);
end $function$;
CREATE OR REPLACE FUNCTION private.enforce_quota(tenant_id text, kind text, added bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  quota constant bigint := private.quota_of($1, $2);
begin
  if quota is null then
    return;
  end if;
  if kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'members') then
    perform pg_advisory_xact_lock(hashtextextended('quota ' || $1 || ' ' || kind, 0));
  end if;
  if coalesce(private.used_of_quota($1, kind), 0) + added <= quota then
    return;
  elsif private.is_sandbox($1) then
    perform private.refuse_conflict('quota', format(
      'A sandbox can have at most %s %s. Reset it, or delete some.', quota,
      case kind when 'evidence_mib' then 'MiB of evidence' else replace(kind, '_', ' ') end));
  else
    perform private.refuse_conflict('quota',
      format(
        'A tenant can have at most %s %s (QUOTA_%s). %s, or ask your operator for a larger quota.',
      quota,
      case kind when 'api_keys' then 'active API keys' when 'exceptions' then 'open exceptions'
        when 'members' then 'members and open invitations'
        when 'evidence_mib' then 'MiB of evidence' else kind end,
      upper(kind),
      case kind when 'api_keys' then 'Revoke one' when 'exceptions' then 'Resolve or dismiss some'
        when 'webhooks' then 'Delete one'
        when 'members' then 'Remove a member, or revoke an invitation'
        when 'records' then 'Delete some: they count until they are purged' when 'lines'
          then 'Undo an import'
        when 'evidence_mib' then 'Remove files'
        else 'Use those you have' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.create_source(input jsonb)
 RETURNS public.sources
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created public.sources;
begin
  perform private.require_quota('sources');
  insert into public.sources (name, kind, currency, time_zone, sign, mapping, grace_days)
  values (
    input ->> 'name', input ->> 'kind', input ->> 'currency',
    coalesce(input ->> 'time_zone', 'UTC'), coalesce(input ->> 'sign', 'as_is'),
    nullif(input -> 'mapping', 'null'), coalesce((input ->> 'grace_days')::smallint, 3)
  )
  returning * into created;
  perform private.record_security_event('source.created', created.id, null,
    private.source_facts(created));
  return created;
end $function$;
CREATE OR REPLACE FUNCTION public.create_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_source');
  created public.sources;
begin
  if replayed is not null then
    return replayed;
  end if;
  created := private.create_source(input);
  return private.finish_request(request,
    private.source_json(created) || jsonb_build_object('version', private.source_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION private.insert_of_staged(looks boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return $sql$
    with kept as (
      insert into public.lines as line (
        tenant_id, id, source_no, file_line, import_id, external_id, amount_minor, fee_minor,
        currency, value_date, booked_date, reference,
        counterparty, description, group_key, details
      )
      select $1,
        private.line_identity($4, l.key, coalesce(r.nth, 1) - (l.external_id is not null)::integer),
        $2, l.file_line, $3,
        l.external_id, l.amount_minor, l.fee_minor, l.currency, l.value_date, l.booked_date,
        l.reference, l.counterparty, l.description, l.group_key,
        nullif(l.details, '{}')
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
      where l.is_second_pass = $6
        and (l.external_id is null or l.id_is_shared or coalesce(r.nth, 1) = 1)
  $sql$ || case when looks then 'on conflict on constraint lines_pkey do nothing' else '' end
    || $sql$
      returning line.line_no, line.id, line.amount_minor, line.currency, line.value_date
    ), opened as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
        open_minor, value_date)
      select $1, p.pair_no, k.line_no, case p.left_source_no when $2 then 'left' else 'right' end,
        k.currency, effective, effective, k.value_date
      from kept k cross join public.pairs p
      cross join lateral (
        select case $5 when 'inverted' then -k.amount_minor else k.amount_minor end as effective) e
      where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no)
    ), waiting as (
      insert into private.line_spans (tenant_id, source_no, first_line_no, last_line_no)
      select $1, $2, min(k.line_no), max(k.line_no) from kept k having count(*) > 0
    )
    select count(*), case when $3 is null then coalesce(array_agg(k.id), '{}') end,
      min(k.line_no), max(k.line_no)
    from kept k
  $sql$;
end $function$;
CREATE OR REPLACE FUNCTION private.count_arrived(tenant text, source_no integer, accepted bigint, first_line_no bigint, last_line_no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enforce_quota(tenant, 'lines', accepted);
  update public.sources x
  set line_count = x.line_count + accepted
  where x.tenant_id = tenant and x.source_no = count_arrived.source_no;
  perform private.lines_arrived(tenant, source_no, first_line_no, last_line_no);
  if exists (select from public.period_signatures x
    where x.tenant_id = tenant and x.revoked_at is null) then
    perform private.revoke_signatures_of_source(tenant, source_no,
      (select min(g.value_date) from pg_temp.staged_lines g), 'Lines arrived.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_staged_lines(tenant_id text, source_no integer, import_id text, ids_are_unique boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  accepted bigint;
  accepted_again bigint;
  kept_ids uuid[];
  first_no bigint;
  last_no bigint;
  first_no_again bigint;
  last_no_again bigint;
  conflict_count bigint := 0;
  conflicts jsonb := '[]';
begin
  perform private.lock_source($1, $2);
  select * into strict s from public.sources x where x.tenant_id = $1 and x.source_no = $2;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  if not ids_are_unique then
    perform private.mark_ids_reused_in_file($1, s.id);
  end if;
  perform private.number_repeated_lines(false);
  -- If the source can't have any of them yet, nothing is looked up, which halves the time. If
  -- others add lines to the source at the same time, the lookup is made.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null)
      into accepted, kept_ids, first_no, last_no
      using $1, $2, $3, s.id, s.sign, false;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids, first_no, last_no
      using $1, $2, $3, s.id, s.sign, false;
  end;
  if accepted < staged and not ids_are_unique
    and private.mark_ids_reused_in_source($1, s.id) > 0 then
    perform private.number_repeated_lines(true);
    execute private.insert_of_staged(true)
      into accepted_again, kept_ids, first_no_again, last_no_again
      using $1, $2, $3, s.id, s.sign, true;
    accepted := accepted + accepted_again;
  end if;
  if accepted < staged and ids_are_unique then
    select c.n, c.conflicts into conflict_count, conflicts
    from private.conflicts_of_staged($1, s.id) c;
  end if;
  if accepted > 0 then
    perform private.count_arrived($1, $2, accepted, least(first_no, first_no_again),
      greatest(last_no, last_no_again));
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count,
    'conflicts', conflicts, 'conflict_count', conflict_count,
    'items', case when $3 is null then private.items_of_staged(s.id, kept_ids) end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.total_of_accounts(tenant text, source integer, currency text, day date, accounts integer)
 RETURNS TABLE(minor numeric, stated_on date, balance_id text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with latest as (
    select distinct on (x.account) x.account, x.period_end, x.closing_minor, x.id
    from public.source_balances x
    where x.tenant_id = tenant and x.source_no = source and x.currency = total_of_accounts.currency
      and x.account is not null and x.period_end <= day
    order by x.account, x.period_end desc, x.created_at desc, x.id desc
  )
  select sum(l.closing_minor)
      + private.booked_between(tenant, source, total_of_accounts.currency,
        min(l.period_end) + 1, day),
    min(l.period_end), min(l.id)
  from latest l
  having count(*) = accounts and min(l.period_end) = max(l.period_end);
end $function$;
CREATE OR REPLACE FUNCTION private.balance_on(tenant text, source integer, currency text, day date)
 RETURNS TABLE(minor numeric, stated_on date, balance_id text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
declare
  accounts integer;
  b public.source_balances;
begin
  select count(distinct x.account) into accounts from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency;
  if accounts > 1 then
    return query select *
    from private.total_of_accounts(tenant, source, balance_on.currency, day, accounts);
    return;
  end if;
  select * into b from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency
    and x.period_end <= day
  order by x.period_end desc, x.created_at desc, x.id desc limit 1;
  if found then
    return query select b.closing_minor
      + private.booked_between(tenant, source, b.currency, b.period_end + 1, day),
      b.period_end, b.id;
    return;
  end if;
  select * into b from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency
    and x.opening_minor is not null
  order by x.period_start, x.created_at, x.id limit 1;
  if found then
    return query select b.opening_minor
      + private.booked_between(tenant, source, b.currency, b.period_start, day)
      - private.booked_between(tenant, source, b.currency, day + 1, b.period_start - 1),
      b.period_start, b.id;
    return;
  end if;
  select * into b from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency
  order by x.period_end, x.created_at desc, x.id desc limit 1;
  if found then
    return query select b.closing_minor
      - private.booked_between(tenant, source, b.currency, day + 1, b.period_end),
      b.period_end, b.id;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_arrived(tenant_id text, source_no integer, first_line_no bigint, last_line_no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.request_runs(p.tenant_id, p.pair_no, first_line_no, last_line_no) from (
    select x.tenant_id, x.pair_no from public.pairs x
    where x.tenant_id = $1 and $2 in (x.left_source_no, x.right_source_no) order by x.pair_no
  ) p;
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
    where (r.closed_at is not null or r.status = 'archived')
      and not (tg_op = 'DELETE' and private.is_being_reset(r.tenant_id))
  ) then
    perform private.refuse_conflict('period_closed',
      'The period is closed or archived. Reopen a closed one first; an archived one does not change any more.');
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_filters(input jsonb, hits bigint[], amount bigint, after_no bigint, sort_key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  q constant text := nullif(btrim(input ->> 'q'), '');
begin
  return concat_ws(' and ',
    'x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case
      when hits is not null then '(x.line_no = any ($5)'
        || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when q is not null
        then 'exists (select from public.lines l where l.tenant_id = $1 and l.line_no = x.line_no and '
        || private.line_search(q, 'private.line_text(l)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when input ->> 'sort' = 'amount' then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$
        else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case
      when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$
      end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$
      end,
    case
      when input ->> 'amount_from' is not null then $c$x.open_minor >= (
        $2 ->> 'amount_from')::bigint$c$
      end,
    case
      when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$
      end,
    case (input ->> 'suggested')::boolean
      -- Few lines have a suggestion: they are looked up.
      when true then $c$x.line_no = any (array(
        select mm.line_no
        from public.matches m
        join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
        where m.tenant_id = $1 and m.reconciliation_id = $8 and m.state = 'suggested'))$c$
      -- With a lookup for each line until the page is full.
      when false then $c$(
        select true
        from public.match_members mm
        join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3
          and m.state = 'suggested' and m.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_lines_of_caller(r public.reconciliations, input jsonb, hits bigint[], amount bigint, after_no bigint, most integer)
 RETURNS TABLE(n bigint, line_no bigint, side text, amount_minor bigint, open_minor bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  by_amount constant boolean := input ->> 'sort' = 'amount';
  sort_key constant text := case when by_amount then '(-abs(x.open_minor))' else 'x.value_date' end;
  filters constant text := private.open_line_filters(input, hits, amount, after_no, sort_key);
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  -- Planned for these filters, each side in the order of its index until the page is full. The
  -- planner can't know how many lines have a suggestion: assuming few, it would read and sort them
  -- all.
  perform set_config('enable_bitmapscan', (hits is not null)::text, true),
    set_config('enable_seqscan', (hits is not null)::text, true);
  return query execute format($sql$
    select row_number() over (order by o.sort_key, o.line_no), o.line_no, o.side, o.amount_minor,
      o.open_minor
    from unnest($9) s (side) cross join lateral (
      select x.line_no, x.side, x.amount_minor, x.open_minor, %2$s as sort_key
      from private.open_lines x
      where x.tenant_id = $1 and %1$s order by %2$s, x.line_no limit $10
    ) o order by o.sort_key, o.line_no limit $10 $sql$, filters, sort_key)
  using private.tenant_id(), input, r.pair_no, r.period_end, hits, amount, after_no, r.id,
    case when input ->> 'side' is null then array['left', 'right'] else array[input ->> 'side'] end,
    most;
  perform set_config('enable_bitmapscan', 'true', true), set_config('enable_seqscan', 'true', true);
end $function$;
CREATE OR REPLACE FUNCTION private.queue_run(tenant text, pair integer, reconciliation text, run text, delay interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  job_of_run constant text := 'match:' || coalesce(run, reconciliation);
begin
  perform graphile_worker.add_job('match_pair',
    private.with_request_id(
      jsonb_build_object('tenant_id', tenant, 'reconciliation_id', reconciliation, 'run_id', run)),
    queue_name => 'pair:' || pair, max_attempts => 5, job_key => job_of_run,
    run_at => least(now() + delay, (
      select j.run_at from graphile_worker.jobs j
      where j.key = job_of_run and j.locked_at is null
    )),
    flags => private.job_flags(tenant, 'run') || case when private.is_large(tenant, pair)
      then private.job_flags(tenant, 'large run') end);
end $function$;
CREATE OR REPLACE FUNCTION private.request_runs(tenant text, pair integer, first_line_no bigint DEFAULT NULL::bigint, last_line_no bigint DEFAULT NULL::bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.mark_pair_changed(tenant, pair, first_line_no, last_line_no);
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, null, interval '1 second') from (
    select * from public.reconciliations x
    where x.tenant_id = tenant and x.pair_no = pair and x.auto_run and x.closed_at is null
      and x.status <> 'archived'
      and not private.is_closing(tenant, pair, x.id)
    order by x.period_end
  ) r;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_pair_changed(tenant text, pair integer, first_line_no bigint DEFAULT NULL::bigint, last_line_no bigint DEFAULT NULL::bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.run_changes (tenant_id, reconciliation_id, first_line_no, last_line_no)
  select r.tenant_id, r.id, mark_pair_changed.first_line_no, mark_pair_changed.last_line_no
  from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = pair and r.closed_at is null
    and r.status <> 'archived'
    and r.id is distinct from current_setting('app.written_by_run_of', true);
end $function$;
CREATE OR REPLACE FUNCTION private.reasons_held_back(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select h.reasons from private.held_back_reasons h
    where h.tenant_id = r.tenant_id and h.reconciliation_id = r.id
  ), '{}');
end $function$;
CREATE OR REPLACE FUNCTION private.begin_run(tenant text, reconciliation text, asked text, engine text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  p public.pairs;
  waiting record;
  begun public.runs;
  last_ended public.runs;
  policy jsonb;
  calendar jsonb;
  circumstances jsonb;
  held_back jsonb;
  is_short boolean;
begin
  select * into r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  waiting := private.run_to_begin(r, asked);
  begun := waiting.run;
  select * into p from public.pairs x where x.tenant_id = tenant and x.pair_no = r.pair_no;
  if waiting.is_over or p.opening is not null or begun.id is null and asked is not null then
    return null;
  end if;
  policy := private.run_policy(p, begun.dry_run);
  calendar := private.open_days(tenant,
    case when begun.dry_run ? 'calendar_id' then begun.dry_run else policy end ->> 'calendar_id');
  circumstances := private.run_conditions(r, p, engine, policy, calendar);
  last_ended := private.newest_run(r, '{done,failed}');
  if begun.dry_run is null and begun.status is distinct from 'running'
    and private.has_nothing_new(r, last_ended, circumstances) then
    if begun.id is null then
      return null;
    elsif last_ended.exceptions_held_back = 0 then
      perform private.end_unchanged_run(tenant, begun.id, last_ended, 0, 0);
      return null;
    end if;
    held_back := private.reasons_held_back(r);
  end if;
  is_short := begun.id is null and private.may_be_short(r, last_ended, circumstances, policy);
  if is_short and not exists (select from private.new_open_lines(r, 1)) then
    perform private.queue_full_run(r);
    return null;
  end if;
  begun := private.start_run(r, p, begun, engine, circumstances, calendar);
  -- held_back: why lines are open, if only exceptions are left to open. short_after: the last run,
  -- if what is new may be decided first.
  return private.run_order(r, p, begun, policy, calendar) || jsonb_build_object(
    'held_back', held_back, 'short_after', case when is_short then to_jsonb(last_ended) end);
end $function$;
CREATE OR REPLACE FUNCTION private.has_fees(tenant text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform
  from public.lines l
  where l.tenant_id = tenant and l.fee_minor <> 0
  order by l.fee_minor
  limit 1;
  return found;
end $function$;
CREATE OR REPLACE FUNCTION private.find_line_fees(tenant text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not private.has_fees(tenant) then
    return;
  end if;
  insert into pg_temp.line_fees
  select g.line_no, private.fee_of_whole(l.line, g.minor)
  from (select x.line_no, sum(x.minor)::bigint as minor from pg_temp.given_lines x group by 1
    order by 1) g
  join (
    select x.line_no, x as line from public.lines x
    where x.tenant_id = tenant and x.fee_minor <> 0
      and x.line_no = any (array(select y.line_no from pg_temp.given_lines y))
      order by x.line_no
  ) l on l.line_no = g.line_no
  where private.fee_of_whole(l.line, g.minor) <> 0;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_reading(tenant text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  create temp table run_scope on commit drop as select tenant as tenant_id;
  create temp table taken_up (id uuid not null, currency text not null, settled boolean not null)
    on commit drop;
  create temp table given_lines (line_no bigint not null, side text not null, minor bigint not null,
    currency text not null)
    on commit drop;
  create temp table line_fees (line_no bigint not null, minor bigint not null) on commit drop;
end $function$;
CREATE OR REPLACE FUNCTION private.show_lines_to_weigh()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- A partly matched line has its open amount and what its matches took.
  if exists (select from pg_temp.taken_up) then
    create temp view lines_once as select g.line_no, g.side, sum(g.minor)::bigint as minor
      from pg_temp.given_lines g group by 1, 2;
  else
    create temp view lines_once as select g.line_no, g.side, g.minor from pg_temp.given_lines g;
  end if;
  create temp view lines_to_weigh as
  select g.side = 'left' as is_left, g.line_no, l.id, g.minor, l.currency, l.value_date,
    l.booked_date, l.reference, l.counterparty, l.description, l.group_key
  from (select x.line_no, x.side, x.minor from pg_temp.lines_once x order by x.line_no) g
  join (
    select * from public.lines x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s)
      and x.line_no = any (array(select y.line_no from pg_temp.given_lines y))
    order by x.line_no
  ) l on l.line_no = g.line_no;
end $function$;
CREATE OR REPLACE FUNCTION private.show_matches_made()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  create temp view matches_made as
  select m.id, m.state, m.method, m.score, m.currency, m.amount_minor, m.hash_high, m.hash_low,
    mm.line_no, mm.allocated_minor
  from (
    select * from public.matches x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s)
      and x.id = any (array(select y.id from pg_temp.taken_up y))
      order by x.id
  ) m
  join (
    select x.match_id, x.line_no, x.allocated_minor from public.match_members x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s)
      and x.match_id = any (array(select y.id from pg_temp.taken_up y))
    order by x.match_id
  ) mm on mm.match_id = m.id;
end $function$;
CREATE OR REPLACE FUNCTION private.load_run(tenant text, reconciliation text, pair integer, period_end date, is_closed boolean, whole boolean, deducts_fees boolean)
 RETURNS TABLE(left_lines bigint, right_lines bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.plan_by_sets();
  perform private.begin_reading(tenant);
  insert into pg_temp.taken_up
  select m.id, m.currency, false from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'confirmed'
    and m.decided_by is null and (whole or not m.settled);
  if is_closed then
    insert into pg_temp.given_lines
    select c.line_no, c.side, c.open_minor, c.currency from public.carried_lines c
    where c.tenant_id = tenant and c.reconciliation_id = reconciliation;
  else
    insert into pg_temp.given_lines
    select o.line_no, o.side, o.open_minor, o.currency from private.open_lines o
    where o.tenant_id = tenant and o.pair_no = pair and o.value_date <= period_end;
  end if;
  perform private.load_lines_of_matches(tenant, false);
  if deducts_fees then
    perform private.find_line_fees(tenant);
  end if;
  if not whole then
    perform private.take_up_settled(tenant, reconciliation);
    perform private.load_lines_of_matches(tenant, true);
  end if;
  perform private.show_lines_to_weigh();
  insert into pg_temp.taken_up
  select m.id, m.currency, false from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested';
  perform private.show_matches_made();
  return query
  select count(*) filter (where g.side = 'left'), count(*) filter (where g.side = 'right')
  from pg_temp.given_lines g;
end $function$;
CREATE OR REPLACE FUNCTION private.until_full_run()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '00:01:00'::interval;
CREATE OR REPLACE FUNCTION private.new_open_lines(r public.reconciliations, most integer)
 RETURNS SETOF private.open_lines
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select distinct o.*
  from private.run_changes c
  cross join lateral (
    select * from private.open_lines x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
      and x.line_no between c.first_line_no and c.last_line_no and x.value_date <= r.period_end
    limit most
  ) o
  where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
  limit most;
end $function$;
CREATE OR REPLACE FUNCTION private.may_be_short(r public.reconciliations, last_run public.runs, conditions jsonb, policy jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return last_run.status = 'done' and last_run.conditions = may_be_short.conditions
    and not exists (select from private.run_changes c
      where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id and (c.first_line_no is null
        or c.changed_at <= clock_timestamp() - private.until_full_run()))
    and not exists (select from private.decisions d
      where d.tenant_id = r.tenant_id and d.pair_no = r.pair_no)
    -- With its fee, a line has two amounts.
    and (policy ->> 'fees' <> 'deduct' or not private.has_fees(r.tenant_id));
end $function$;
CREATE OR REPLACE FUNCTION private.queue_full_run(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, null, (
    select min(c.changed_at) + private.until_full_run() - now() from private.run_changes c
    where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.load_weighed_lines(r public.reconciliations, minors bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  create temp table weighed on commit drop as
  select m.id, m.currency from public.matches m
  where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
    and m.decided_by is null and not m.settled;
  insert into pg_temp.given_lines
  select mm.line_no, mm.side, mm.allocated_minor, w.currency
  from public.match_members mm join pg_temp.weighed w on w.id = mm.match_id
  where mm.tenant_id = r.tenant_id and mm.allocated_minor = any (minors)
    and mm.match_id = any (array(select x.id from pg_temp.weighed x));
  insert into pg_temp.held_lines select g.line_no from pg_temp.given_lines g;
end $function$;
CREATE OR REPLACE FUNCTION private.load_short_run(tenant text, reconciliation text, most integer, OUT left_lines bigint, OUT right_lines bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r constant public.reconciliations := (select x from public.reconciliations x
    where x.tenant_id = tenant and x.id = reconciliation);
  minors bigint[];
begin
  perform private.begin_reading(tenant);
  create temp table held_lines (line_no bigint not null) on commit drop;
  create temp table new_lines on commit drop as
  select x.line_no, x.open_minor from private.new_open_lines(r, most + 1) x;
  minors := array(select distinct n.open_minor from pg_temp.new_lines n);
  if (select count(*) from pg_temp.new_lines) > most then
    return;
  end if;
  perform private.load_weighed_lines(r, minors);
  with found as (
    select o.line_no, o.side, o.open_minor, o.currency, o.amount_minor from private.open_lines o
    where o.tenant_id = tenant and o.pair_no = r.pair_no and o.side = any ('{left,right}')
      and -abs(o.open_minor) = any (array(select -abs(m) from unnest(minors) m))
      and o.open_minor = any (minors) and o.value_date <= r.period_end
    limit most * 5
  ), held as (
    insert into pg_temp.held_lines
    select f.line_no from found f where f.open_minor <> f.amount_minor
  )
  insert into pg_temp.given_lines select f.line_no, f.side, f.open_minor, f.currency from found f;
  perform private.take_up_settled(tenant, reconciliation);
  perform private.load_lines_of_matches(tenant, true);
  if (select count(*) from pg_temp.given_lines) >= most * 5 then
    return;
  end if;
  perform private.show_lines_to_weigh();
  insert into pg_temp.taken_up
  select m.id, m.currency, false from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested'
    and m.id = any (array(
      select mm.match_id from public.match_members mm
      where mm.tenant_id = tenant and mm.pair_no = r.pair_no
        and mm.line_no = any (array(select g.line_no from pg_temp.given_lines g))));
  perform private.show_matches_made();
  select count(*) filter (where g.side = 'left'), count(*) filter (where g.side = 'right')
  into left_lines, right_lines
  from pg_temp.given_lines g;
end $function$;
CREATE OR REPLACE FUNCTION private.finish_short_run(tenant text, run text, attempt integer, lines bigint[], outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
  violations text[];
begin
  perform private.require_attempt(tenant, run, attempt);
  violations := array(
    select format('Match %s does not add up.', m.id)
    from public.matches m
    join private.members_of(tenant, array(
      select mm.match_id from public.match_members mm
      where mm.tenant_id = tenant and mm.line_no = any (lines))) mm on mm.match_id = m.id
    where m.tenant_id = tenant and m.run_id = run
    group by m.id, m.residual_minor
    having sum(case mm.side when 'left' then mm.allocated_minor
      else -mm.allocated_minor end) <> m.residual_minor);
  update public.runs y set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = y.lines_total, digest = outcome ->> 'digest',
    suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall',
    changed = outcome -> 'changed',
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.queue_full_run(r) from public.reconciliations r
  where r.tenant_id = tenant and r.id = x.reconciliation_id;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_people(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_array(
    private.check_json('second_person',
      not (private.requires_second_person(r) and private.worked_in_period(r)), 'block', null,
      case when not private.requires_second_person(r) then 'The policy asks for no second person.'
        when private.worked_in_period(r) then 'You worked in this period. Somebody else closes it.'
        else 'You did not work in this period.' end),
    (
      select private.check_json('signatures',
        s.levels = 0 or s.reviews >= s.levels, 'block', s.reviews,
        case when s.levels = 0 then 'The policy asks for no review.'
          when s.state = 'open' then 'The period is not prepared.'
          else format('%s of %s signed.', s.reviews,
            private.counted(s.levels, 'review is', 'reviews are')) end)
      from (
        select (o ->> 'levels')::integer as levels, o ->> 'state' as state,
          (select count(*) from jsonb_array_elements(o -> 'signatures') x
            where x ->> 'kind' = 'reviewed') as reviews
        from private.sign_off_json(r) o
      ) s
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_files(coverage jsonb, weights jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  missing_days bigint;
  late text;
  break_count bigint;
  without_balance text;
begin
  select sum((c ->> 'missing_days')::bigint),
    string_agg(format('%s has nothing after %s', c ->> 'name',
      coalesce(c ->> 'until', 'the period began')), '; ')
      filter (where (c ->> 'missing_days')::bigint > 0),
    sum(jsonb_array_length(c -> 'breaks')),
    string_agg(c ->> 'name', ' and ') filter (where not (c ->> 'has_balance')::boolean)
  into missing_days, late, break_count, without_balance
  from jsonb_array_elements(coverage) c;
  return jsonb_build_array(
    private.check_json('files', missing_days = 0, weights ->> 'files', missing_days,
      coalesce(late || '.', 'Both sides are in to the last business day.')),
    private.check_json('balances', break_count = 0 and without_balance is null,
      weights ->> 'balances', break_count,
      case when without_balance is not null
          then format('No balance is stated for %s. State one, or import a file that has it.',
            without_balance)
        when break_count > 0 then private.counted(break_count,
          'statement does not follow the one before.', 'statements do not follow the one before.')
        else 'Balances are stated and follow one another.' end)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  weights constant jsonb := private.policy_of_pair(r.tenant_id, r.pair_no) -> 'checks';
  preview constant jsonb := private.close_preview(r);
  totals constant jsonb := private.statement_totals(r);
  unexplained bigint;
begin
  select count(*) into unexplained from jsonb_array_elements(totals -> 'differences') d
  where coalesce(nullif(d -> 'unexplained_minor', 'null'), d -> 'difference_minor') <> '0';
  return jsonb_build_array(
    private.check_json('period_over', preview -> 'days_until_over' = '0',
      weights ->> 'period_over', (preview ->> 'days_until_over')::bigint,
      case when preview -> 'days_until_over' = '0' then 'The period is over.'
        else format('The period is over in %s.',
          private.counted((preview ->> 'days_until_over')::bigint, 'day', 'days')) end)
  ) || private.checks_of_files(private.coverage_of(r), weights) || jsonb_build_array(
    private.check_json('suggestions', preview -> 'suggestions_count' = '0',
      weights ->> 'suggestions', (preview ->> 'suggestions_count')::bigint,
      case when preview -> 'suggestions_count' = '0' then 'No suggestion waits.'
        else private.counted((preview ->> 'suggestions_count')::bigint,
          'suggestion waits for a decision and moves to the next period.',
          'suggestions wait for a decision and move to the next period.') end),
    private.check_json('exceptions', preview -> 'open_exceptions' = '0',
      weights ->> 'exceptions', (preview ->> 'open_exceptions')::bigint,
      case when preview -> 'open_exceptions' = '0' then 'No exception is open.'
        else private.counted((preview ->> 'open_exceptions')::bigint,
          'exception is open and moves to the next period with its lines.',
          'exceptions are open and move to the next period with their lines.') end),
    private.check_json('difference', unexplained = 0, weights ->> 'difference', unexplained,
      case when unexplained = 0 then 'Nothing is unexplained.'
        else format('A difference is unexplained in %s.',
          private.counted(unexplained, 'currency', 'currencies')) end),
    (
      select private.check_json('evidence', x.missing = 0,
        coalesce(weights ->> 'evidence', 'warn'), x.missing,
        case when x.missing = 0 then 'No required evidence is missing.'
          else private.counted(x.missing, 'adjusted match has no evidence.',
            'adjusted matches have no evidence.') end)
      from private.missing_evidence(r) x (missing)
    )
  ) || private.checks_of_people(r);
end $function$;
CREATE OR REPLACE FUNCTION private.decisions_about_line(l public.lines)
 RETURNS TABLE(type text, at timestamp with time zone, actor text, reconciliation_id text, match_id uuid, note text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with matched as materialized (
    select m.*
    from public.match_members mm
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
    where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no
  ), decided as materialized (
    select m.id as match_id, a.kind, a.reconciliation_id, a.created_at, a.created_by, a.undone_at,
      a.undone_by
    from matched m
    join private.acts a on a.tenant_id = m.tenant_id
      and a.reconciliation_id = m.reconciliation_id and m.id = any (a.match_ids)
  )
  -- Matches made by the engine: whatever was decided since then began as a suggestion.
  select case when m.state in ('suggested', 'rejected')
      or exists (select from decided d where d.match_id = m.id) then 'suggested' else 'matched' end,
    m.created_at, m.created_by, m.reconciliation_id, m.id, m.method
  from matched m where m.method <> 'manual'
  union all
  select case d.kind when 'match' then 'matched' when 'confirm' then 'confirmed'
      else 'rejected' end,
    d.created_at, d.created_by, d.reconciliation_id, d.match_id, null
  from decided d
  union all
  select 'undone', d.undone_at, d.undone_by, d.reconciliation_id, d.match_id, null
  from decided d where d.undone_at is not null
  union all
  select 'undone', m.decided_at, coalesce(m.decided_by, 'system'), m.reconciliation_id, m.id, null
  from matched m
  where m.state = 'undone'
    and not exists (select from decided d where d.match_id = m.id and d.undone_at = m.decided_at)
  union all
  select 'excluded', a.created_at, a.created_by, a.reconciliation_id, null, a.reason
  from private.acts a where a.tenant_id = l.tenant_id and a.line_id = l.id
  union all
  select 'included', a.undone_at, a.undone_by, a.reconciliation_id, null, null
  from private.acts a
  where a.tenant_id = l.tenant_id and a.line_id = l.id and a.undone_at is not null;
end $function$;
CREATE OR REPLACE FUNCTION public.list_line_history(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  l public.lines;
begin
  perform private.begin_request(request, 'list_line_history');
  select * into l
  from public.lines x
  where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return (
    with about as materialized (
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.id = any (array(
        select x.exception_id from private.exception_lines x
        where x.tenant_id = l.tenant_id and x.line_no = l.line_no))
      union
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.line_no = l.line_no
    ), told (type, at, actor, reconciliation_id, match_id, exception_id, import_id, note) as (
      select 'added', l.created_at, i.created_by, null, null::uuid, null, i.id, i.file_name
      from (select 1) one
      left join public.imports i on i.tenant_id = l.tenant_id and i.id = l.import_id
      union all
      select d.type, d.at, d.actor, d.reconciliation_id, d.match_id, null, null, d.note
      from private.decisions_about_line(l) d
      union all
      select 'exception_opened', e.created_at, e.created_by, e.reconciliation_id, null, e.id, null,
        e.reason_code
      from about e
      union all
      select case e.status when 'dismissed' then 'exception_dismissed'
          else 'exception_resolved' end,
        e.closed_at, case when e.resolved_by_matching then 'system' end, e.reconciliation_id, null,
        e.id, null, e.resolution
      from about e where e.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', t.type,
      'at', private.iso(t.at), 'actor', t.actor, 'reconciliation_id', t.reconciliation_id,
      'match_id', private.match_id_text(t.match_id), 'exception_id', t.exception_id,
      'import_id', t.import_id, 'note', t.note) order by t.at, t.place), '[]'))
    from (
      select x.*, array_position(
        array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], x.type) as place
      from told x order by x.at desc limit 200
    ) t
  );
end $function$;
CREATE OR REPLACE FUNCTION public.put_entry_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  before public.entry_rules;
  ledger jsonb;
  e public.entry_rules;
begin
  perform private.begin_request(request, 'put_entry_rules');
  r := private.find_period(input ->> 'id');
  perform private.lock_pair(r.tenant_id, r.pair_no);
  before := private.entry_rules_of(r.tenant_id, r.pair_no);
  perform private.require_version(before.version, request -> 'versions');
  ledger := coalesce(input -> 'ledger', before.ledger);
  perform private.check_push_settings(ledger);
  if before.version > 0 and (before.rules, before.ledger) = (input -> 'rules', ledger) then
    return private.entry_rules_json(before);
  end if;
  insert into public.entry_rules (tenant_id, pair_no, version, rules, ledger)
  values (r.tenant_id, r.pair_no, before.version + 1, input -> 'rules', ledger)
  returning * into e;
  perform private.record_security_event('entries.rules_updated', r.id, null, jsonb_build_object(
    'from', private.entry_rules_json(before), 'to', private.entry_rules_json(e)));
  return private.entry_rules_json(e);
end $function$;
CREATE OR REPLACE FUNCTION private.entry_batch_json(b public.entry_batches)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('id', b.id, 'number', private.entry_batch_name(b),
      'state', case when b.exported_at is null then 'ready' else 'exported' end,
      'reconciliation_id', b.reconciliation_id, 'reconciliation_name', r.name,
      'statement_number', b.statement_number, 'posting_date', b.posting_date,
      'entry_count', b.entry_count, 'reversal_count', b.reversal_count, 'sums', b.sums,
      'digest', b.digest, 'closing_digest', s.digest, 'created_at', private.iso(b.created_at),
      'created_by', b.created_by, 'exported_at', private.iso(b.exported_at),
      'exported_by', b.exported_by, 'ledger_reference', b.ledger_reference, 'push', b.push)
    from public.reconciliations r
    left join public.statements s on s.tenant_id = b.tenant_id
      and s.reconciliation_id = b.reconciliation_id and s.number = b.statement_number
    where r.tenant_id = b.tenant_id and r.id = b.reconciliation_id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.complete_entry_batch(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  b public.entry_batches;
  numbered integer;
begin
  select * into b from public.entry_batches x
  where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.number is null;
  if not found then
    return '{}';
  end if;
  -- The row stays locked until the closing commits, so that a number is missing only if none
  -- follows it.
  insert into private.entry_batch_numbers as n (tenant_id, year, last_number)
  values (b.tenant_id, b.year, 1)
  on conflict (tenant_id, year) do update set last_number = n.last_number + 1
  returning n.last_number into numbered;
  update public.entry_batches x set number = numbered
  where x.tenant_id = b.tenant_id and x.id = b.id
  returning * into b;
  if private.push_settings(b) is not null then
    b := private.queue_entry_push(b);
  end if;
  perform private.emit(b.tenant_id, 'entries.ready',
    jsonb_build_object('batch', private.entry_batch_json(b)));
  return jsonb_build_object('batch_number', private.entry_batch_name(b));
end $function$;
CREATE OR REPLACE FUNCTION private.find_ready_batch(id text)
 RETURNS public.entry_batches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  b public.entry_batches;
begin
  perform from public.entry_batches x
  where x.tenant_id = private.tenant_id() and x.id = $1 for update;
  b := private.find_entry_batch($1);
  select * into strict r from public.reconciliations x
  where x.tenant_id = b.tenant_id and x.id = b.reconciliation_id;
  if b.exported_at is not null then
    perform private.refuse_conflict('already_exported', format(
      'Batch %s was marked as exported by %s. Do not post it again.',
      private.entry_batch_name(b), b.exported_by));
  elsif private.requires_second_person(r) and private.caller_or_holder_worked_in(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. '
      'Ask somebody who did not to export its entries.');
  end if;
  return b;
end $function$;
CREATE OR REPLACE FUNCTION private.record_export(b public.entry_batches)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.record_security_event('entries.exported', b.id, null, jsonb_build_object(
    'name', private.entry_batch_name(b), 'reconciliation_id', b.reconciliation_id,
    'digest', b.digest, 'entry_count', b.entry_count, 'sums', b.sums,
    'ledger_reference', b.ledger_reference));
end $function$;
CREATE OR REPLACE FUNCTION public.mark_entry_batch_exported(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'mark_entry_batch_exported');
  b public.entry_batches;
begin
  if replayed is not null then
    return replayed;
  end if;
  b := private.find_ready_batch(input ->> 'id');
  update public.entry_batches x set exported_at = now(), exported_by = private.actor(),
    ledger_reference = input ->> 'ledger_reference'
  where x.tenant_id = private.tenant_id() and x.id = b.id
  returning * into b;
  perform private.record_export(b);
  return private.finish_request(request, private.entry_batch_json(b));
end $function$;
CREATE OR REPLACE FUNCTION private.apply_calendar(id text, no bigint, to_open_ones boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  moved record;
begin
  select array_agg(d.id) as ids, array_agg(d.severity) as severities,
    array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
  into moved from private.recalculated_deadlines($1, no) d
  where to_open_ones;
  if moved.ids is not null then
    perform private.move_deadlines(moved.ids, array_fill($1, array[cardinality(moved.ids)]),
      array_fill(no, array[cardinality(moved.ids)]), moved.new_due_ats);
  end if;
  return private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);
end $function$;
CREATE OR REPLACE FUNCTION public.put_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone', 'weekly',
    input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  no bigint;
  impact jsonb;
  periods integer := 0;
begin
  perform private.begin_request(request, 'put_calendar');
  perform
  from public.calendars c
  where c.tenant_id = private.tenant_id() and c.id = input ->> 'id' for update;
  before := private.find_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- This block is rolled back in a dry run.
  begin
    no := private.store_calendar(input, before, has_other_hours);
    if has_other_hours then
      periods := private.request_runs_by_calendar(input ->> 'id');
    end if;
    after := private.find_calendar(input ->> 'id');
    impact := private.apply_calendar(input ->> 'id', no, input ->> 'apply_to' = 'open');
    if dry_run then
      raise exception using errcode = 'TO002', message = 'dry run';
    end if;
  exception when sqlstate 'TO002' then
    null;
  end;
  if not dry_run and after - unlisted <> before - unlisted then
    perform private.record_security_event('calendar.updated', input ->> 'id', null,
      private.changes(before - unlisted, after - unlisted)
        || jsonb_build_object('apply_to', input -> 'apply_to'));
  end if;
  return after
    || jsonb_build_object('dry_run', dry_run, 'impact',
      impact || jsonb_build_object('periods', periods));
end $function$;
CREATE OR REPLACE FUNCTION private.disarm_business_warnings(tenants text[], ids text[])
 RETURNS text[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  armed text[];
begin
  update private.business_warnings w set at = 'infinity'
  from unnest(tenants, ids) as asked (tenant_id, exception_id)
  join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id
    and e.paused_at is not null
  where w.tenant_id = e.tenant_id and w.exception_id = e.id;
  with taken as (
    delete
    from private.business_warnings w
    using unnest(tenants, ids) as asked (tenant_id, exception_id)
    join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id
      and e.paused_at is null
    where w.tenant_id = e.tenant_id and w.exception_id = e.id
    returning w.*
  )
  select array_agg(t.exception_id || ':' || t.minutes) into armed from taken t;
  return armed;
end $function$;
CREATE OR REPLACE FUNCTION private.arm_business_warnings(tenants text[], ids text[], starts boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  armed text[];
  passed record;
begin
  if not exists (select from public.sla_policies p
    where p.tenant_id = any (tenants) and p.at_risk_business_thresholds <> '{}') then
    return;
  end if;
  if not starts then
    armed := private.disarm_business_warnings(tenants, ids);
  end if;
  with placed as materialized (
    select e.tenant_id, e.id, e.due_at, t.minutes,
      case when e.paused_at is null then private.business_warning_at(e, t.minutes) else 'infinity'
        end as at
    from unnest(tenants, ids) as asked (tenant_id, exception_id)
    join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id
      and e.status in ('open', 'in_review')
    join public.sla_policies p on p.tenant_id = e.tenant_id
    cross join lateral unnest(p.at_risk_business_thresholds) as t (minutes)
    where starts or e.paused_at is null
  ), written as (
    insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
    select p.tenant_id, p.id, p.minutes, p.at, p.due_at from placed p where p.at is not null
  )
  select array_agg(x.tenant_id) as tenants, array_agg(x.id) as ids, array_agg(x.minutes) as minutes,
    array_agg(x.due_at) as due_ats
  into passed
  from (
    select p.tenant_id, p.id, p.due_at, min(p.minutes) as minutes from placed p
    where p.at is null and p.due_at > now() and (starts or p.id || ':' || p.minutes = any (armed))
    group by p.tenant_id, p.id, p.due_at
  ) x;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes,
      passed.due_ats);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_after(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if input ->> 'sort_by' = 'closed_at' then
    return 'e.closed_at is not null'
      || case when jsonb_typeof(input -> 'after') = 'array'
        then format(' and (e.closed_at, e.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0,
          input -> 'after' ->> 1)
        else '' end;
  end if;
  return 'e.id < ' || quote_literal(input -> 'after' ->> 0);
end $function$;
CREATE OR REPLACE FUNCTION public.list_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  by_closing constant boolean := input ->> 'sort_by' = 'closed_at';
  sort_key constant text := case when by_closing then 'e.closed_at desc, e.id desc' else 'e.id desc'
    end;
  conditions text := concat_ws(' and ', 'e.tenant_id = private.tenant_id()',
    private.exception_conditions(input, now()), private.exceptions_after(input));
  recent constant text := private.recent_conditions(input, now());
  most constant integer := 20000;
  few text[];
  few_recent text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_exceptions');
  if input ->> 'q' is not null then
    few := private.narrow_by_search(input ->> 'q');
    conditions := conditions || ' and '
      || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($1)' end;
  end if;
  if recent is not null then
    -- These have their own indexes: in the order of the list, old exceptions that changed come
    -- last.
    execute format('select array(
        select e.id from public.exceptions e
        where e.tenant_id = private.tenant_id() and %s limit %s)',
      recent, most + 1) into few_recent;
    few_recent := case when cardinality(few_recent) <= most then few_recent end;
    conditions := conditions || ' and '
      || case when few_recent is null then recent else 'e.id = any ($2)' end;
  end if;
  if input ->> 'q' is not null or recent is not null then
    -- The planner expects fewer rows than there are, and would sort them.
    perform set_config('enable_sort', (coalesce(few, few_recent) is not null)::text, true);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(e) order by %s)
    from (select * from public.exceptions e where %s order by %s limit %s) e
  $q$, sort_key, conditions, sort_key, page_size + 1) into items using few, few_recent;
  return case when by_closing then private.page(items, page_size, 'closed_at', 'id')
    else private.page(items, page_size, 'id') end;
end $function$;
CREATE OR REPLACE FUNCTION private.refuse_bulk(act text, refused jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if act = 'edit' then
    perform private.refuse('invalid_transition',
      'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  perform private.refuse_conflict(case act when 'pause' then 'cannot_pause' else 'not_paused' end,
    format('Some of these exceptions cannot be %s. Nothing was changed.',
      case act when 'pause' then 'paused' else 'resumed' end), refused);
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
  columns constant jsonb := case when pause is null then patch else
    jsonb_build_object('paused_until', pause -> 'until', 'pause_reason', pause -> 'reason') end;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  refused jsonb;
  skipped jsonb;
  previous jsonb;
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
  elsif refused is not null then
    perform private.refuse_bulk(act, refused);
  end if;
  previous := case when by_filter then private.exceptions_json(ids) else '[]' end;
  perform private.change_exceptions_for_caller(act,
    array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null,
    jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.finish_request(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', coalesce(skipped, '[]'),
    'next', case when next_id is not null then jsonb_build_array(next_id) end,
    'items', private.exceptions_json(ids), 'previous', previous
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.sla_exceptions_query(input jsonb, conditions text, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  sort_by constant text := input ->> 'sort_by';
  sort_key constant text := concat_ws(', ',
    case sort_by when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to'
    when 'amount' then 'e.currency, e.amount_minor desc' end, 'e.due_at', 'e.id');
  -- As a cursor writes it: exceptions without an assignee come last.
  rank constant text := case sort_by
    when 'severity' then 'e.severity_rank::text'
    when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
    when 'amount' then 'private.amount_rank(e.currency, e.amount_minor)'
    else $q$''::text$q$ end;
begin
  return (
    select format($q$
      select array_agg(private.exception_json(p.e, $2)), (array_agg(p.rank))[$1],
        (array_agg((p.e).due_at))[$1], (array_agg((p.e).id))[$1]
      from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $1 + 1) p
    $q$, string_agg(format('(select e, %s as rank from public.exceptions e '
      || 'where e.tenant_id = private.tenant_id() and %s and %s and %s order by %s limit $1 + 1)',
      rank, conditions, a, v, sort_key), ' union all '))
    from unnest(private.stretches_after(sort_by, input -> 'after')) a
    cross join unnest(private.stretches_of(input, as_of)) v
  );
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
  few text[];
  items json[];
  last_rank text := '';
  last_due_at timestamptz;
  last_id text;
begin
  perform private.begin_request(request, 'list_sla_exceptions');
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
      few := private.narrow_by_search(input ->> 'q');
      conditions := conditions || ' and '
        || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($3)' end;
      perform set_config('enable_sort', (few is not null)::text, true);
    end if;
    execute private.sla_exceptions_query(input, conditions, as_of)
    into items, last_rank, last_due_at, last_id using page_size, as_of, few;
  end if;
  -- As json, whose texts are joined, while jsonb's trees would be rebuilt at each step: this halves
  -- the time of the most frequent list.
  return json_build_object('items', array_to_json(coalesce(items[:page_size], '{}')),
    'next', case when cardinality(items) > page_size then
      json_build_array(last_rank,
        case when last_due_at = 'infinity' then 'infinity' else private.iso(last_due_at) end,
        last_id) end,
    'summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.sla_changes_query(conditions text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format($q$
    with crossed as (
      select c.*
      from unnest(
        array[0, private.high_risk_below() - 1, private.medium_risk_up_to(), $6]) t (minutes)
      cross join lateral (
        select e.id, e.due_at - make_interval(mins => t.minutes) as at
        from public.exceptions e
        where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
          and (e.due_at, e.id) > ($3 + make_interval(mins => t.minutes), $4)
          and e.due_at <= $1 + make_interval(mins => t.minutes)
          and e.updated_at <= $5
        order by e.due_at, e.id limit $2 + 1
      ) c
    ), changed as (
      select e.id, e.updated_at as at from public.exceptions e
      where e.tenant_id = private.tenant_id() and (e.updated_at, e.id) > ($3, $4)
        order by e.updated_at, e.id limit $2 + 1
    ), of_page as (
      select u.id, u.at
      from (select * from changed union all select * from crossed) u
      order by u.at, u.id
      limit $2 + 1
    )
    select jsonb_agg(
      jsonb_build_object('id', e.id, 'changed_at', private.iso(p.at), 'exception',
        case when %s then private.exception_json(e, $1) end)
      order by p.at, e.id)
    from of_page p join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = p.id
  $q$, conditions);
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_changes(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  overlap constant interval := interval '15 seconds';
  page_size constant integer := (input ->> 'limit')::integer;
  start constant timestamptz := (input ->> 'since')::timestamptz - overlap;
  later_at constant timestamptz := coalesce((input -> 'after' ->> 0)::timestamptz, start);
  later_id constant text := coalesce(input -> 'after' ->> 1, '');
  conditions text := $q$e.status in ('open', 'in_review')
    and $q$ || private.filter_conditions(input, as_of);
  items jsonb;
begin
  perform private.begin_request(request, 'list_sla_changes');
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
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.usage_by_hour(k public.api_keys)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('start', private.iso(h.hour), 'accepted', h.accepted,
      'refused', h.calls - h.accepted) order by h.hour)
    from (
      select u.hour, sum(u.calls) as calls,
        coalesce(sum(u.calls) filter (where u.outcome like 'accepted%'), 0) as accepted
      from public.api_key_usage_hourly u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week()
      group by 1
    ) h
  ), '[]');
end $function$;
CREATE OR REPLACE FUNCTION private.usage_by_day(k public.api_keys)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'start', private.iso(d.day::timestamp at time zone 'UTC'), 'accepted', d.accepted,
      'refused', d.calls - d.accepted) order by d.day)
    from (
      select u.day, sum(u.calls) as calls,
        coalesce(sum(u.calls) filter (where u.outcome like 'accepted%'), 0) as accepted
      from public.api_key_usage_daily u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id
        and u.day > (now() at time zone 'UTC')::date - 90
      group by 1
    ) d
  ), '[]');
end $function$;
CREATE OR REPLACE FUNCTION public.get_api_key_usage(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  k public.api_keys;
begin
  perform private.begin_request(request, 'get_api_key_usage');
  k := private.find_api_key_of_caller(input ->> 'id');
  return jsonb_build_object(
    'as_of', private.iso(now()),
    'hours', private.usage_by_hour(k),
    'days', private.usage_by_day(k),
    'addresses', coalesce((
      select jsonb_agg(
        jsonb_build_object('address', host(a.address), 'calls', a.calls, 'in_grace', a.in_grace,
          'last_seen_at', private.iso(a.last_seen))
      order by a.last_seen desc)
      from (
        select u.address, sum(u.calls) as calls,
          coalesce(sum(u.calls) filter (where u.outcome = 'accepted_in_grace'), 0) as in_grace,
          max(u.last_seen_at) as last_seen
        from public.api_key_usage_hourly u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week()
          and u.outcome like 'accepted%'
        group by 1 order by max(u.last_seen_at) desc limit 100
      ) a
    ), '[]'),
    'refusals', coalesce((
      select jsonb_object_agg(r.outcome, r.calls)
      from (
        select u.outcome, sum(u.calls) as calls from public.api_key_usage_daily u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id
          and u.day > (now() at time zone 'UTC')::date - 90 and u.outcome not like 'accepted%'
        group by 1
      ) r
    ), '{}')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_fresh_cursor(seen_at timestamp with time zone, oldest timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if seen_at < oldest then
    perform private.refuse_field('cursor',
      'This cursor is older than 30 days, and events after it may be gone. Start again with since.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.list_events(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  oldest constant timestamptz := now() - interval '30 days';
  earliest constant timestamptz := greatest((input ->> 'since')::timestamptz, oldest);
  wanted_subject constant text := input ->> 'subject';
  wanted_types text[] := private.text_array(input -> 'types');
  settled bigint;
  start bigint;
  upto bigint;
  found record;
begin
  perform private.begin_request(request, 'list_events');
  perform private.require_any_event();
  perform private.require_readable_events(wanted_types);
  perform private.require_fresh_cursor((input ->> 'seen_at')::timestamptz, oldest);
  if cardinality(wanted_types) = 0 then
    wanted_types := private.readable_events();
  end if;
  settled := private.settled_event_position();
  start := least(settled, coalesce((input ->> 'after')::bigint,
    private.event_position_before(earliest), settled));
  if wanted_subject is null then
    upto := private.event_window_end(start, settled);
  end if;
  upto := coalesce(upto, settled);
  select jsonb_agg(private.event_json(p.e) order by p.place) filter (where p.place <= page_size)
    as items,
    max((p.e).position) filter (where p.place = page_size and p.is_cut) as last_position
  into found
  from (
    select m.e, row_number() over (order by (m.e).position) as place,
      count(*) over () > page_size as is_cut
    from (
      select e from public.events e
      where e.tenant_id = tenant and e.position > start and e.position <= upto
        and e.at >= earliest and e.type = any (wanted_types)
        and (wanted_subject is null or e.subject = wanted_subject)
        and (e.test_of is null or (input ->> 'test')::boolean)
      order by e.position limit page_size + 1
    ) m
  ) p;
  upto := coalesce(found.last_position, upto);
  return jsonb_build_object('items', coalesce(found.items, '[]'), 'position', upto::text,
    'has_more', upto < settled, 'as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION private.pin_host_key(c public.connections, shown text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if c.host_key = shown then
    return true;
  end if;
  perform private.record_security_event('connection.host_key_changed', c.id, null,
    jsonb_build_object('name', private.connection_facts(c) -> 'name', 'changes',
      jsonb_build_object('host_key', jsonb_build_object('from', c.host_key, 'to', shown))));
  update public.connections x set
    host_key = coalesce(x.host_key, shown),
    status = case when x.host_key is null then x.status else 'stopped' end
  where x.tenant_id = c.tenant_id and x.id = c.id;
  return c.host_key is null;
end $function$;
CREATE OR REPLACE FUNCTION private.check_host_key(tenant text, connection text, lease text, shown text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.pin_host_key(private.require_lease(tenant, connection, lease), shown);
end $function$;
CREATE OR REPLACE FUNCTION private.push_settings(b public.entry_batches)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return nullif((private.entry_rules_of(b.tenant_id, b.pair_no)).ledger -> 'push', 'null');
end $function$;
CREATE OR REPLACE FUNCTION private.check_push_settings(ledger jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if ledger #>> '{push,connection_id}' is not null and not exists (
    select from public.connections c
    where c.tenant_id = private.tenant_id() and c.id = ledger #>> '{push,connection_id}'
      and c.kind in ('sftp', 's3') and c.deleted_at is null
  ) then
    perform private.refuse_field('ledger.push.connection_id',
      'Give a connection by SFTP or S3: only there can files be written.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_entry_push(b public.entry_batches)
 RETURNS public.entry_batches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.entry_batches x
  set push = coalesce(x.push, jsonb_build_object('files', '[]'::jsonb))
    || jsonb_build_object('state', 'waiting', 'at', private.iso(now()), 'error', null)
  where x.tenant_id = b.tenant_id and x.id = b.id
  returning * into b;
  perform graphile_worker.add_job('push_entry_batch',
    private.with_request_id(jsonb_build_object('tenant_id', b.tenant_id, 'batch_id', b.id)),
    queue_name => 'push:' || b.id, max_attempts => 25, job_key => 'push:' || b.id,
    flags => private.job_flags(b.tenant_id, 'connection'));
  return b;
end $function$;
CREATE OR REPLACE FUNCTION public.push_entry_batch(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'push_entry_batch');
  b public.entry_batches;
begin
  if replayed is not null then
    return replayed;
  end if;
  b := private.find_ready_batch(input ->> 'id');
  if private.push_settings(b) is null then
    perform private.refuse_conflict('no_push',
      'The entry rules of its sources name no connection to push to. Set one there.');
  end if;
  b := private.queue_entry_push(b);
  return private.finish_request(request, private.entry_batch_json(b));
end $function$;
CREATE OR REPLACE FUNCTION private.begin_entry_push(tenant text, batch text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b public.entry_batches;
begin
  perform private.act_for_tenant(tenant);
  select * into b from public.entry_batches x
  where x.tenant_id = tenant and x.id = batch and x.exported_at is null
    and x.push ->> 'state' <> 'done';
  if not found then
    return null;
  elsif private.push_settings(b) is null then
    update public.entry_batches x set push = null where x.tenant_id = tenant and x.id = batch;
    return null;
  end if;
  return jsonb_build_object('batch', private.entry_batch_json(b),
    'ledger', (private.entry_rules_of(tenant, b.pair_no)).ledger, 'connection', (
      select private.connection_json(c) || coalesce(private.sealed_credential(c), '{}')
      from public.connections c
      where c.tenant_id = tenant and c.id = private.push_settings(b) ->> 'connection_id'
        and c.deleted_at is null));
end $function$;
CREATE OR REPLACE FUNCTION private.entries_to_push(tenant text, batch text, currency text, after_place integer, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select jsonb_agg(private.entry_json(e) order by e.place)
    from (
      select * from public.entries x
      where x.tenant_id = tenant and x.batch_id = batch and x.place > after_place
        and x.currency = entries_to_push.currency
      order by x.place limit most
    ) e
  ), '[]');
end $function$;
CREATE OR REPLACE FUNCTION private.accepts_host_key(tenant text, connection text, shown text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into c from public.connections x
  where x.tenant_id = tenant and x.id = connection and x.deleted_at is null
  for no key update;
  return found and private.pin_host_key(c, shown);
end $function$;
CREATE OR REPLACE FUNCTION private.end_entry_push(tenant text, batch text, result jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b public.entry_batches;
  c public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into strict b from public.entry_batches x
  where x.tenant_id = tenant and x.id = batch for update;
  update public.entry_batches x set push = jsonb_build_object(
    'state', case when result ->> 'error' is null then 'done' else 'failed' end,
    'at', private.iso(now()), 'error', left(result ->> 'error', 1000), 'files', result -> 'files')
  where x.tenant_id = tenant and x.id = batch;
  if result ->> 'error' is null and b.exported_at is null then
    update public.entry_batches x set exported_at = now(), exported_by = 'system'
    where x.tenant_id = tenant and x.id = batch
    returning * into b;
    perform private.record_export(b);
  elsif result ->> 'error' is not null then
    select * into c from public.connections x
    where x.tenant_id = tenant and x.id = private.push_settings(b) ->> 'connection_id'
      and x.deleted_at is null;
    if found then
      perform private.note_failure(c, format('Batch %s was not pushed: %s',
        private.entry_batch_name(b), result ->> 'error'),
        coalesce((result ->> 'needs_person')::boolean, false));
    end if;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_credentials(before public.webhooks, changed public.webhooks, patch jsonb)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  has_moved constant boolean := private.has_other_origin(before.url, changed.url);
  w public.webhooks := changed;
begin
  if patch ? 'headers' then
    w := private.store_webhook_headers(w, patch -> 'headers', has_moved);
    perform private.record_security_event('webhook.updated', w.id, null, jsonb_build_object(
      'headers', jsonb_build_object('from', before.header_names, 'to', w.header_names)));
  end if;
  if patch ? 'oauth' then
    w := private.store_webhook_client(w, patch -> 'oauth', has_moved);
    perform private.record_security_event('webhook.updated', w.id, null, jsonb_build_object(
      'oauth', jsonb_build_object('from', before.oauth, 'to', w.oauth)));
  end if;
  return w;
end $function$;
CREATE OR REPLACE FUNCTION public.update_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events,filters,max_per_minute}';
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := jsonb_populate_record(before,
    (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  perform private.require_webhook_change(before, w, patch);
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events, filters = w.filters,
      max_per_minute = w.max_per_minute,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select private.changes(jsonb_object_agg(field, to_jsonb(before) -> field),
        jsonb_object_agg(field, to_jsonb(w) -> field))
      from unnest(fields) field
    ));
  end if;
  w := private.store_webhook_credentials(before, w, patch);
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return private.finish_request(request,
    private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $function$;
CREATE OR REPLACE FUNCTION private.guard_record_purge()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if (old.deleted_at is null or private.record_purge_at(old.deleted_at) > now())
    and not private.is_being_reset(old.tenant_id) then
    raise exception 'Record % may not be purged: it was not deleted 30 days ago.', old.id;
  end if;
  return old;
end $function$;
CREATE OR REPLACE FUNCTION private.roles_of_account(claims jsonb, tenant text)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  live constant text := private.live_tenant(tenant);
  roles constant jsonb := case jsonb_typeof(claims -> 'tenants')
    when 'object' then claims -> 'tenants' -> live
    when 'array' then case when claims -> 'tenants' ? live then coalesce(claims -> 'roles', '[]')
    end
  end;
begin
  return case when jsonb_typeof(roles) = 'array' then roles end;
end $function$;
CREATE OR REPLACE FUNCTION private.admit_member(tenant_id text, email text, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  account auth.users;
begin
  if not exists (select from public.tenants t where t.id = $1) then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  elsif private.is_sandbox($1) then
    perform private.refuse('not_found',
      format('%s is a sandbox. Admit people to its live tenant, %s.', $1, private.live_tenant($1)));
  end if;
  select * into account
  from auth.users u
  where u.id = (private.find_account($2)).id for no key update;
  if not found then
    perform private.refuse('not_found',
      format('Supabase Auth has no account with the address %s. Create it there first.', $2));
  end if;
  update auth.users u
  set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, $1, to_jsonb($3))
  where u.id = account.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', $1, 'type', 'member.admitted', 'actor', 'operator', 'credential', 'system',
    'target', 'user:' || private.account_name(account.email, account.id),
    'details', jsonb_build_object('roles', jsonb_build_object(
      'from', coalesce(private.roles_of_account(account.raw_app_meta_data, $1), '[]'), 'to',
      to_jsonb($3)))
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.change_account(id uuid, roles jsonb, versions jsonb, issuer text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  account auth.users;
  before jsonb;
  ended text[] := '{}';
begin
  perform private.require_live_tenant(
    'A sandbox has the people of its live tenant. Change their roles there.');
  perform pg_advisory_xact_lock(hashtextextended('members ' || tenant, 0));
  select * into account from auth.users u
  where u.id = $1 and u.deleted_at is null
    and private.roles_of_account(u.raw_app_meta_data, tenant) is not null for no key update;
  before := private.roles_of_account(account.raw_app_meta_data, tenant);
  if before is null then
    perform private.refuse_missing('member');
  end if;
  perform private.require_version(private.version_of(before), versions);
  if before ? 'tenant_admin' and not coalesce(roles ? 'tenant_admin', false) and not exists (
    select from private.accounts_of(tenant) u
    where u.id <> account.id and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, tenant) ? 'tenant_admin'
  ) then
    perform private.refuse_conflict('last_admin',
      'This is the tenant''s last admin. Make another member an admin first.');
  end if;
  update auth.users u
  set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, tenant, roles),
    updated_at = now()
  where u.id = account.id returning * into account;
  if roles is null and account.raw_app_meta_data -> 'tenants' = '{}' then
    with gone as (
      update private.sessions s set ended_at = now()
      where s.issuer = change_account.issuer and s.subject = account.id::text and s.ended_at is null
        returning s.id
    )
    select coalesce(array_agg(g.id), '{}') into ended from gone g;
  end if;
  return jsonb_build_object('name', private.account_name(account.email, account.id), 'before',
    before, 'ended', to_jsonb(ended));
end $function$;
CREATE OR REPLACE FUNCTION public.create_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_invitation');
  created public.invitations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_live_tenant(
    'No mail leaves a sandbox. Invite people to its live tenant: they can use the sandbox, too.');
  perform private.serialize_counting('invitation_mails');
  perform private.require_quota('members');
  if private.is_member_address(input ->> 'email') then
    perform private.refuse_conflict('already_member',
      'This person is a member already. Change their roles instead.');
  end if;
  update public.invitations i set revoked_at = now(), revoked_by = private.actor()
  where i.tenant_id = private.tenant_id() and i.email = input ->> 'email' and i.accepted_at is null
    and i.revoked_at is null
    and i.expires_at <= now();
  insert into public.invitations (email, roles)
  values (input ->> 'email', private.text_array(input -> 'roles'))
  on conflict (tenant_id, email) where accepted_at is null and revoked_at is null do nothing
  returning * into created;
  if not found then
    perform private.refuse_conflict('invitation_open',
      'This address has an invitation that is still open. Resend that one, or revoke it first.');
  end if;
  perform private.send_invitation(created.id);
  perform private.record_security_event('member.invited', created.id, null,
    jsonb_build_object('email', created.email, 'roles', created.roles));
  return private.finish_request(request,
    private.invitation_json(created)
      || jsonb_build_object('version', private.invitation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION private.begin_invitation_mail(tenant_id text, invitation_id text, token_hash text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.invitations;
begin
  select * into i from public.invitations x where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or private.invitation_status(i) <> 'pending' or private.is_sandbox($1) then
    return null;
  end if;
  delete from private.invitation_tokens t where t.tenant_id = $1 and t.invitation_id = $2;
  insert into private.invitation_tokens (token_hash, tenant_id, invitation_id) values ($3, $1, $2);
  return jsonb_build_object('email', i.email, 'tenant_name',
    (select t.name from public.tenants t where t.id = $1), 'invited_by', i.created_by,
    'roles', i.roles, 'expires_at', private.iso(i.expires_at));
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object(
      'pending', count(*),
      'due', count(*) filter (where next_attempt_at <= now()),
      -- A delivery that waits for its webhook's limit isn't late.
      'lag_seconds', greatest(0, coalesce(extract(epoch from now() - min(d.next_attempt_at)
        filter (where not exists (select from public.webhooks w
          where w.tenant_id = d.tenant_id and w.id = d.webhook_id
            and w.max_per_minute is not null))), 0))
    )
    from public.webhook_deliveries d where d.status = 'pending'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.job_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object(
      'ready',
      count(*) filter (where attempts < max_attempts and run_at <= now() and locked_at is null),
      'running', count(*) filter (where locked_at is not null),
      'failed', count(*) filter (where attempts >= max_attempts),
      'oldest_seconds',
      coalesce(
        extract(epoch from now()
          - min(run_at) filter (where attempts < max_attempts and run_at <= now()
            and locked_at is null)),
        0),
      -- A worker that is silent for 20 seconds is removed, and its jobs are freed.
      'locked_by_the_dead', count(*) filter (where locked_at < now() - interval '1 minute'
        and locked_by not in (select pool from private.heartbeats
          where beat_at > now() - interval '1 minute'))
    )
    from graphile_worker.jobs
  );
end $function$;
CREATE OR REPLACE FUNCTION private.database_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'bytes', pg_database_size(current_database()),
    'connections', (select sum(numbackends) from pg_stat_database),
    'connections_max',
    current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int,
    'migrating', exists (
      select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
        and (classid::bigint << 32 | objid::bigint) = hashtext('tieout migrations')::bigint
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.service_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'worker_silence_seconds',
    (select extract(epoch from now() - max(beat_at)) from private.heartbeats where kind = 'worker'),
    -- A dead process is removed, so its absence has to show as a count of zero.
    'working', (
      select jsonb_build_object('worker', count(*) filter (where kind = 'worker'), 'matcher',
        count(*) filter (where kind = 'matcher'))
      from private.heartbeats where beat_at > now() - interval '15 seconds'
    ),
    'sla_clock_lag_seconds', (
      select greatest(0, coalesce(extract(epoch from now() - least(
        (select min(next_at) from private.exception_clocks where next_at is not null),
        (select min(w.at) from private.business_warnings w where w.at < 'infinity')
      )), 0))
    ),
    'webhooks', (
      select jsonb_build_object(
        'active', count(*) filter (where status = 'active'),
        'disabled', count(*) filter (where status = 'disabled'),
        'given_up',
        count(*) filter (where disabled_reason <> 'manual'
          and disabled_at > now() - interval '1 day')
      )
      from public.webhooks where deleted_at is null
    ),
    'deliveries', private.delivery_metrics(),
    'jobs', private.job_metrics(),
    -- By task, how long ago its schedule queued it.
    'scheduled', (
      select coalesce(
        jsonb_object_agg(identifier,
          extract(epoch from now() - coalesce(last_execution, known_since))),
        '{}')
      from graphile_worker._private_known_crontabs
    ),
    -- The age of the oldest event that is not signed yet.
    'unsigned_seconds', (
      select coalesce(extract(epoch from now() - min(e.at)), 0)
      from private.unsigned_security_event_chains() u
      join public.security_events e on e.chain = u.chain
        and e.seq = coalesce((u.signed ->> 'seq')::bigint, 0) + 1
    ),
    'database', private.database_metrics()
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_imports(tenant text, shown integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'source_id', s.id,
      'source_name', s.name, 'file_name', i.file_name, 'status', i.status,
      'accepted_count', i.accepted_count, 'refused_count', i.refused_count,
      'created_at', private.iso(i.created_at)) order by i.id desc), '[]')
    from (
      select * from public.imports x
      where x.tenant_id = tenant and x.status <> 'receiving'
      order by x.id desc limit shown
    ) i
    join public.sources s on s.tenant_id = i.tenant_id and s.source_no = i.source_no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_runs(tenant text, shown integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', x.id,
      'reconciliation_id', x.reconciliation_id, 'reconciliation_name', r.name,
      'status', x.status, 'suggested_count', x.suggested_count, 'open_count', x.open_count,
      'exceptions_opened', x.exceptions_opened,
      'created_at', private.iso(x.created_at)) order by x.id desc), '[]')
    from (
      select * from public.runs y
      where y.tenant_id = tenant and y.dry_run is null
      order by y.id desc limit shown
    ) x
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_overview(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  shown constant integer := 5;
begin
  perform private.begin_request(request, 'get_overview');
  return private.overview_exceptions(as_of) || jsonb_build_object(
    'next', (
      select coalesce(jsonb_agg(private.exception_json(x, as_of) order by x.due_at, x.id), '[]')
      from (
        select * from public.exceptions e
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at > as_of
          and e.due_at < 'infinity'
        order by e.due_at, e.id limit shown
      ) x
    ),
    'my_next', (
      select coalesce(jsonb_agg(private.exception_json(x, as_of) order by x.due_at, x.id), '[]')
      from (
        select * from public.exceptions e
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.assigned_to = self
        order by e.due_at, e.id limit shown
      ) x
    ),
    'reconciliations', private.overview_reconciliations(8),
    'imports', private.overview_imports(tenant, shown),
    'runs', private.overview_runs(tenant, shown),
    'keys', case when private.may('read:api-keys') then private.overview_keys(as_of, shown) end,
    'webhooks',
    case when private.may('read:webhooks') then private.overview_webhooks(as_of, shown) end,
    'as_of', private.iso(as_of)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.collect_alerts(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  looked_at integer;
begin
  -- Two concurrent calls would each create a bundle of the same alerts.
  perform pg_advisory_xact_lock(hashtextextended('gather_alerts', 0));
  with taken as materialized (
    select * from private.take_alert_events(batch)
  ), happened as materialized (
    select t.tenant_id, e.id as event_id, t.actor, private.alert_kind(e.type, e.data) as kind,
      e.data,
      coalesce(e.data #>> '{exception,id}', e.data #>> '{connection,source_id}',
        e.data ->> 'id') as subject
    from taken t join public.events e on e.tenant_id = t.tenant_id and e.id = t.event_id
  ), person as materialized (
    select t.tenant_id, u.id, 'user:' || private.account_name(u.email, u.id) as reference,
      r.roles ? 'tenant_admin' as is_admin,
      coalesce(s.exception_breached, 'mine') as breached,
      coalesce(s.exception_at_risk, 'off') as at_risk,
      coalesce(s.assigned, true) as assigned, coalesce(s.mentioned, true) as mentioned,
      coalesce(s.webhook_failing, true) as webhook_failing,
      coalesce(s.api_key_expiring, true) as api_key_expiring,
      coalesce(s.connection_failing, true) as connection_failing
    from (select distinct h.tenant_id from happened h) t
    cross join lateral private.accounts_of(t.tenant_id) u
    cross join lateral (
      select private.roles_of_account(u.raw_app_meta_data, t.tenant_id) as roles) r
    left join public.notification_settings s on s.tenant_id = t.tenant_id and s.subject = u.id::text
      and s.is_account
    -- No mail leaves a sandbox.
    where not private.is_sandbox(t.tenant_id)
      and u.email is not null and (u.banned_until is null or u.banned_until <= now())
      and r.roles ?| private.roles()
  ), mailed as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, 'account:' || p.id, h.kind, h.event_id, h.subject
    from happened h join person p on p.tenant_id = h.tenant_id
    where case h.kind
      when 'exception_breached' then p.breached = 'all'
      or (p.breached = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'exception_at_risk' then p.at_risk = 'all'
      or (p.at_risk = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'assigned' then p.assigned and p.reference = h.data #>> '{exception,assigned_to}'
      and p.reference <> h.actor
      when 'mentioned' then p.mentioned and private.mentions(h.data) ? p.reference
      and p.reference <> h.actor
      when 'webhook_failing' then p.webhook_failing and p.is_admin
      when 'api_key_expiring' then p.api_key_expiring and p.is_admin
      when 'connection_failing' then p.connection_failing and p.is_admin
    end
    on conflict do nothing
  ), posted as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, c.id, h.kind, h.event_id, h.subject
    from happened h
      join public.alert_channels c on c.tenant_id = h.tenant_id and c.deleted_at is null
        and h.kind = any (c.kinds)
    on conflict do nothing
  )
  select count(*) into looked_at from taken;
  perform private.bundle_alerts();
  return looked_at;
end $function$;
CREATE OR REPLACE FUNCTION private.open_alert_bundle(tenant_id text, bundle_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b private.alert_bundles;
  addressed jsonb;
  lasting jsonb;
begin
  select * into b
  from private.alert_bundles x
  where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or b.settled_at is not null then
    return null;
  end if;
  if b.recipient like 'account:%' then
    select jsonb_build_object('email', u.email) into addressed from auth.users u
    where u.id = private.account_of_recipient(b.recipient) and u.deleted_at is null
      and not private.is_sandbox($1) and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, $1) ?| private.roles();
  else
    select jsonb_build_object('url_id', x.url_id, 'sealed', x.sealed) into addressed
    from public.alert_channels c
      join private.alert_channel_urls x on x.tenant_id = c.tenant_id and x.channel_id = c.id
    where c.tenant_id = $1 and c.id = b.recipient and c.deleted_at is null;
  end if;
  select jsonb_build_object('count', count(*), 'items',
    jsonb_agg(private.alert_line(a.alert) order by a.nth) filter (where a.nth <= 10)) into lasting
  from (select l as alert, row_number() over (order by l.event_id) as nth
    from private.lasting_alerts(b) l) a;
  if addressed is null or (lasting -> 'count')::integer = 0 then
    -- Nothing was sent, so the channel's last message stays as it was.
    update private.alert_bundles x set settled_at = now() where x.tenant_id = $1 and x.id = $2;
    return null;
  end if;
  return addressed || lasting || jsonb_build_object(
    'tenant_name', (select t.name from public.tenants t where t.id = $1), 'kind', b.kind,
    'recipient', b.recipient
  );
end $function$;
CREATE OR REPLACE FUNCTION public.create_sandbox(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_sandbox');
  sandbox constant text := private.tenant_id() || '.sandbox';
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_live_tenant('This is a sandbox already. Create one of a live tenant.');
  insert into public.tenants (id, name)
  select sandbox, t.name from public.tenants t where t.id = private.tenant_id()
  on conflict do nothing;
  if found then
    insert into public.sla_policies (tenant_id) values (sandbox);
    perform private.record_security_event('sandbox.created');
  end if;
  return private.finish_request(request,
    jsonb_build_object('tenant_id', sandbox, 'reconciliation_id', null));
end $function$;
CREATE OR REPLACE FUNCTION private.emptied_by_reset()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['private.alert_events'::text, 'private.alerts'::text, 'private.alert_bundles'::text, 'public.webhook_attempts'::text, 'public.webhook_deliveries'::text, 'public.webhook_answer_times'::text, 'private.event_once'::text, 'public.events'::text, 'public.statement_evidence'::text, 'private.evidence_contents'::text, 'public.evidence'::text, 'public.entries'::text, 'public.entry_batches'::text, 'private.entry_batch_numbers'::text, 'public.entry_rules'::text, 'private.reopened_items'::text, 'public.statements'::text, 'public.period_signatures'::text, 'public.carried_lines'::text, 'public.closings'::text, 'private.period_workers'::text, 'private.closing_requests'::text, 'public.exclusions'::text, 'public.match_members'::text, 'private.decisions'::text, 'public.matches'::text, 'private.acts'::text, 'private.matched_counts'::text, 'private.run_changes'::text, 'private.held_back_reasons'::text, 'public.runs'::text, 'public.exception_comments'::text, 'public.exception_history'::text, 'public.exception_ledger'::text, 'private.exception_clocks'::text, 'private.exception_lines'::text, 'private.business_warnings'::text, 'public.exceptions'::text, 'private.sla_counts'::text, 'private.open_by_deadline'::text, 'private.open_by_assignee'::text, 'private.open_by_reconciliation'::text, 'private.exception_hours'::text, 'public.views'::text, 'public.connection_files'::text, 'private.missing_files'::text, 'private.connection_credentials'::text, 'public.connections'::text, 'public.source_balances'::text, 'private.import_chunks'::text, 'public.imports'::text, 'private.open_lines'::text, 'private.line_texts'::text, 'private.line_spans'::text, 'public.lines'::text, 'public.pair_rules'::text, 'public.reconciliations'::text, 'public.pairs'::text, 'public.sources'::text, 'public.records'::text, 'private.row_counts'::text, 'public.sla_policies'::text, 'private.calendar_spans'::text, 'private.calendar_coverage'::text, 'public.calendar_versions'::text, 'public.calendars'::text];
CREATE OR REPLACE FUNCTION private.lock_sandbox()
 RETURNS public.tenants
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  sandbox public.tenants;
begin
  select * into sandbox from public.tenants t
  where t.id = tenant and t.kind = 'sandbox' for no key update;
  if not found then
    perform private.refuse_conflict('tenant_kind',
      'Only a sandbox can be reset, and this tenant is live. Nothing was deleted.');
  end if;
  perform private.lock_sources_exclusively(tenant,
    array(select s.source_no from public.sources s where s.tenant_id = tenant));
  perform from public.pairs p where p.tenant_id = tenant order by p.pair_no for update;
  if exists (select from public.runs r where r.tenant_id = tenant and r.status = 'running')
    or exists (select from public.imports i
      where i.tenant_id = tenant and i.status in ('reading', 'undoing'))
    or exists (select from public.pairs p where p.tenant_id = tenant and p.opening is not null)
    or exists (select from private.closing_requests q
      where q.tenant_id = tenant and q.failure is null) then
    perform private.refuse_conflict('sandbox_busy',
      'A run, an import or a closing is at work in this sandbox. Send the call again when it is done.');
  end if;
  return sandbox;
end $function$;
CREATE OR REPLACE FUNCTION private.empty_sandbox(tenant text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  emptied text;
begin
  perform set_config('app.resets', tenant, true), set_config('app.writes_exceptions', 'on', true);
  foreach emptied in array private.emptied_by_reset() loop
    execute format('delete from %s x where x.tenant_id = $1 and private.is_being_reset($1)',
      emptied::regclass) using tenant;
  end loop;
  perform set_config('app.resets', '', true), set_config('app.writes_exceptions', '', true);
  insert into public.sla_policies (tenant_id) values (tenant);
  delete from private.idempotency_keys k
  where k.tenant_id = tenant and k.operation <> 'resetSandbox';
exception when foreign_key_violation or deadlock_detected then
  perform private.refuse_conflict('sandbox_busy',
    'Others were writing into this sandbox. Send the call again.');
end $function$;
CREATE OR REPLACE FUNCTION private.add_sample_source(source jsonb, month date)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created constant public.sources := private.create_source(source - 'lines');
begin
  perform private.add_lines(created.source_no, (
    select jsonb_agg(l.line - 'day' || jsonb_build_object('currency', created.currency,
      'value_date', month + (l.line ->> 'day')::integer - 1) order by l.n)
    from jsonb_array_elements(source -> 'lines') with ordinality l (line, n)
  ));
  -- They would wait until the commit, and the next source would get them.
  delete from pg_temp.staged_lines;
  delete from pg_temp.repeated_lines;
  return created.id;
end $function$;
CREATE OR REPLACE FUNCTION private.load_sample_month(sample jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  month constant date := date_trunc('month', now() at time zone 'UTC') - interval '1 month';
  compared public.reconciliations;
begin
  compared := private.create_reconciliation(jsonb_build_object(
    'name', sample #>> '{name}', 'period_start', month,
    'period_end', (month + interval '1 month')::date - 1,
    'left_source_id', private.add_sample_source(sample #> '{sources,0}', month),
    'right_source_id', private.add_sample_source(sample #> '{sources,1}', month)));
  perform private.change_exceptions('create', array(
    select e - 'due_in_minutes' || jsonb_build_object('tenant_id', compared.tenant_id,
      'reconciliation_id', compared.id, 'created_at', now() - interval '2 days',
      'due_at', now() + make_interval(mins => (e ->> 'due_in_minutes')::integer))
    from jsonb_array_elements(sample -> 'exceptions') e
  ));
  perform private.record_security_event('sandbox.sample_loaded', compared.id);
  return compared.id;
end $function$;
CREATE OR REPLACE FUNCTION public.reset_sandbox(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET statement_timeout TO '30s'
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'reset_sandbox');
  sandbox public.tenants;
  reconciliation text;
begin
  if replayed is not null then
    return replayed;
  end if;
  sandbox := private.lock_sandbox();
  perform private.empty_sandbox(sandbox.id);
  perform private.record_security_event('sandbox.reset');
  if jsonb_typeof(input -> 'sample') = 'object' then
    reconciliation := private.load_sample_month(input -> 'sample');
  end if;
  return private.finish_request(request, jsonb_build_object('tenant_id', sandbox.id,
    'reconciliation_id', reconciliation));
end $function$;
grant execute on function private.accepts_host_key(text,text,text) to service_role;
grant execute on function private.begin_entry_push(text,text) to service_role;
grant execute on function private.checks_of_files(jsonb,jsonb) to authenticated;
grant execute on function private.checks_of_people(public.reconciliations) to authenticated;
grant execute on function private.decisions_about_line(public.lines) to authenticated;
grant execute on function private.end_entry_push(text,text,jsonb) to service_role;
grant execute on function private.entries_to_push(text,text,text,integer,integer) to service_role;
grant execute on function private.exceptions_after(jsonb) to authenticated;
grant execute on function private.finish_short_run(text,text,integer,bigint[],jsonb) to service_role;
grant execute on function private.is_sandbox(text) to anon;
grant execute on function private.is_sandbox(text) to authenticated;
grant execute on function private.load_short_run(text,text,integer) to service_role;
grant execute on function private.overview_imports(text,integer) to authenticated;
grant execute on function private.overview_runs(text,integer) to authenticated;
grant execute on function private.own_sandbox() to anon;
grant execute on function private.own_sandbox() to authenticated;
grant execute on function private.require_fresh_cursor(timestamp with time zone,timestamp with time zone) to authenticated;
grant execute on function private.sla_changes_query(text) to authenticated;
grant execute on function private.sla_exceptions_query(jsonb,text,timestamp with time zone) to authenticated;
grant execute on function private.total_of_accounts(text,integer,text,date,integer) to authenticated;
grant execute on function private.usage_by_day(public.api_keys) to authenticated;
grant execute on function private.usage_by_hour(public.api_keys) to authenticated;
grant execute on function public.create_sandbox(jsonb,jsonb) to authenticated;
grant execute on function public.push_entry_batch(jsonb,jsonb) to authenticated;
grant execute on function public.reset_sandbox(jsonb,jsonb) to authenticated;
insert into private.permissions select ('(create:sandbox,{user},{tenant_admin},)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(reset:sandbox,"{user,api_key,service_role}",{tenant_admin},write:reconciliations)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.operations select ('(create_sandbox,createSandbox,create:sandbox)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(push_entry_batch,pushEntryBatch,write:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(reset_sandbox,resetSandbox,reset:sandbox)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
