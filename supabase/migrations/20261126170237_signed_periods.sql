alter table public.statements add column signatures jsonb not null default '[]' check (jsonb_typeof(signatures) = 'array');

-- From here on written by `npm run migration`, anew each time. Above is by hand.

create table public.source_balances (
  tenant_id text not null default private.tenant_id(),
  id text not null default private.new_id('bal'::text),
  source_no integer not null,
  currency text not null,
  account text,
  period_start date,
  period_end date not null,
  opening_minor bigint,
  closing_minor bigint not null,
  import_id text,
  reason text,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor()
);
create table public.period_signatures (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  number integer not null,
  pair_no integer not null,
  period_end date not null,
  kind text not null,
  level smallint not null,
  signed_by text not null default private.actor(),
  issuer text not null default private.actor_issuer(),
  subject text not null default private.actor_subject(),
  signed_at timestamp(3) with time zone not null default now(),
  digest text not null,
  note text,
  revoked_at timestamp(3) with time zone,
  revoked_by text,
  revoked_reason text
);
create table private.reopened_items (
  tenant_id text not null,
  reconciliation_id text not null,
  number integer not null,
  kind text not null,
  seq integer not null,
  rows text[] not null
);
alter table private.reopened_items add constraint reopened_items_pkey PRIMARY KEY (tenant_id, reconciliation_id, number, kind, seq);
alter table public.period_signatures add constraint period_signatures_pkey PRIMARY KEY (tenant_id, reconciliation_id, number);
alter table public.source_balances add constraint source_balances_pkey PRIMARY KEY (tenant_id, id);
alter table private.reopened_items add constraint reopened_items_kind_check CHECK ((kind = ANY (ARRAY['matches'::text, 'members'::text, 'exclusions'::text, 'carried'::text])));
alter table public.period_signatures add constraint period_signatures_check CHECK ((num_nonnulls(revoked_at, revoked_by, revoked_reason) = ANY (ARRAY[0, 3])));
alter table public.period_signatures add constraint period_signatures_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text));
alter table public.period_signatures add constraint period_signatures_kind_check CHECK ((kind = ANY (ARRAY['prepared'::text, 'reviewed'::text])));
alter table public.period_signatures add constraint period_signatures_level_check CHECK (((level >= 0) AND (level <= 3)));
alter table public.period_signatures add constraint period_signatures_note_check CHECK (((length(note) >= 1) AND (length(note) <= 1000)));
alter table public.period_signatures add constraint period_signatures_number_check CHECK ((number >= 1));
alter table public.period_signatures add constraint period_signatures_revoked_reason_check CHECK (((length(revoked_reason) >= 1) AND (length(revoked_reason) <= 1000)));
alter table public.source_balances add constraint source_balances_check CHECK ((num_nonnulls(import_id, reason) = 1));
alter table public.source_balances add constraint source_balances_check1 CHECK ((period_start <= period_end));
alter table public.source_balances add constraint source_balances_closing_minor_check CHECK (((closing_minor >= '-9007199254740991'::bigint) AND (closing_minor <= '9007199254740991'::bigint)));
alter table public.source_balances add constraint source_balances_opening_minor_check CHECK (((opening_minor >= '-9007199254740991'::bigint) AND (opening_minor <= '9007199254740991'::bigint)));
alter table public.source_balances add constraint source_balances_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)));
CREATE INDEX period_signatures_in_force ON public.period_signatures USING btree (tenant_id, pair_no) WHERE (revoked_at IS NULL);
CREATE INDEX source_balances_by_day ON public.source_balances USING btree (tenant_id, source_no, currency, period_end);
CREATE INDEX source_balances_by_import ON public.source_balances USING btree (tenant_id, import_id);
alter table private.reopened_items add constraint reopened_items_tenant_id_reconciliation_id_number_fkey FOREIGN KEY (tenant_id, reconciliation_id, number) REFERENCES public.statements(tenant_id, reconciliation_id, number);
alter table public.period_signatures add constraint period_signatures_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table public.source_balances add constraint source_balances_tenant_id_import_id_fkey FOREIGN KEY (tenant_id, import_id) REFERENCES public.imports(tenant_id, id);
alter table public.source_balances add constraint source_balances_tenant_id_source_no_fkey FOREIGN KEY (tenant_id, source_no) REFERENCES public.sources(tenant_id, source_no);
alter table private.reopened_items enable row level security; alter table private.reopened_items no force row level security;
alter table public.period_signatures enable row level security; alter table public.period_signatures no force row level security;
alter table public.source_balances enable row level security; alter table public.source_balances no force row level security;
CREATE OR REPLACE FUNCTION private.refuse_conflict(reason text, detail text, errors jsonb DEFAULT NULL::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  raise exception
    using errcode = 'TO001', message = 'conflict', detail = detail,
      hint = json_build_object('reason', reason, 'errors', errors)::text;
end $function$;
CREATE OR REPLACE FUNCTION private.enforce_quota(tenant_id text, kind text, added bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  quota constant bigint := (select q.most from private.quotas q where q.kind = $2);
begin
  if quota is null then
    return;
  end if;
  if kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'members') then
    perform pg_advisory_xact_lock(hashtextextended('quota ' || $1 || ' ' || kind, 0));
  end if;
  if coalesce(private.used_of_quota($1, kind), 0) + added > quota then
    perform private.refuse_conflict('quota',
      format(
        'A tenant can have at most %s %s (QUOTA_%s). %s, or ask your operator for a larger quota.',
      quota,
      case kind when 'api_keys' then 'active API keys' when 'exceptions' then 'open exceptions'
        when 'members' then 'members and open invitations' else kind end,
      upper(kind),
      case kind when 'api_keys' then 'Revoke one' when 'exceptions' then 'Resolve or dismiss some'
        when 'webhooks' then 'Delete one'
        when 'members' then 'Remove a member, or revoke an invitation'
        when 'records' then 'Delete some: they count until they are purged' when 'lines'
          then 'Undo an import'
        else 'Use those you have' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.guard_period(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := after.tenant_id;
begin
  if (after.matched_count, after.unmatched_count) is distinct from (0::bigint, 0::bigint) then
    perform private.refuse_conflict('counts_computed',
      'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
  elsif before.closed_at is not null and after.closed_at is not null
    and (after.name, after.period_start, after.period_end, after.left_source,
      after.right_source) is distinct from
      (before.name, before.period_start, before.period_end, before.left_source,
        before.right_source) then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif after.status = 'completed' and after.closed_at is null then
    perform private.refuse_conflict('close_required',
      'This reconciliation is completed by closing it: POST to its /close.');
  elsif after.closed_at is not null and after.status not in ('completed', 'archived') then
    perform private.refuse_conflict('period_closed',
      'The period is closed. Reopen it by POST to its /reopen.');
  end if;
  if before.id is not null then
    perform private.require_not_closing(tenant, after.pair_no, after.id);
  end if;
  if before.id is not null
    and (after.period_start, after.period_end) = (before.period_start, before.period_end) then
    return;
  end if;
  if not exists (
    select from public.pairs p
    join public.sources l on l.tenant_id = p.tenant_id and l.source_no = p.left_source_no
      and l.id = after.left_source_id
    join public.sources r on r.tenant_id = p.tenant_id and r.source_no = p.right_source_no
      and r.id = after.right_source_id
    where p.tenant_id = tenant and p.pair_no = after.pair_no
  ) then
    perform private.refuse_field('left_source_id',
      'These are not the sources of this pair. Create the reconciliation by POST /v1/reconciliations.');
  end if;
  perform private.lock_pair(tenant, after.pair_no);
  if before.id is not null and (
    exists (select from public.matches m
      where m.tenant_id = tenant and m.reconciliation_id = after.id)
    or exists (select from public.exclusions x
      where x.tenant_id = tenant and x.reconciliation_id = after.id)
  ) then
    perform private.refuse_conflict('has_decisions',
      'The period has matches or excluded lines, and keeps its dates.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id
      and r.period_start <= after.period_end and r.period_end >= after.period_start
  ) then
    perform private.refuse_conflict('periods_overlap',
      'Another reconciliation of these two sources covers some of these days. Periods of a pair may not overlap.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id
      and r.closed_at is not null
      and r.period_start > after.period_end
  ) then
    perform private.refuse_conflict('later_period_closed',
      'A later period of these two sources is closed, and carried forward what was open of these days. '
      'Choose days after it, or reopen it first.');
  end if;
  perform private.require_not_closing(tenant, r.pair_no, r.id) from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id
    and r.period_start > after.period_end;
end $function$;
CREATE OR REPLACE FUNCTION private.reconciliation_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', r.id, 'name', r.name, 'status', r.status, 'period_start', r.period_start, 'period_end',
    r.period_end,
    'left_source', r.left_source, 'right_source', r.right_source, 'left_source_id',
    r.left_source_id, 'right_source_id', r.right_source_id,
    'auto_run', r.auto_run, 'preparing', private.is_preparing(r.tenant_id, r.pair_no),
    'matched_count', case when r.pair_no is null then r.matched_count else coalesce((
      select c.lines
      from private.matched_counts c
      where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id),
        0) end,
    'unmatched_count',
    case when r.pair_no is null then r.unmatched_count when r.closed_at is not null then (
      select count(*)
      from public.carried_lines c
      where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id)
    else (
      select count(*)
      from private.open_lines o
      where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no
        and o.value_date <= r.period_end) end,
    'excluded_count',
    (select count(*) from public.exclusions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id),
    'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
    'sign_off', case when r.pair_no is not null then private.sign_off_json(r) end,
    'closing', private.is_closing(r.tenant_id, r.pair_no, r.id), 'closing_failure', (
      select q.failure
      from private.closing_requests q
      where q.tenant_id = r.tenant_id and q.reconciliation_id = r.id and r.status <> 'archived'),
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id
        and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at',
    private.iso(r.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.create_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_reconciliation');
  pair integer;
  is_open boolean;
  created public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  if input ->> 'left_source_id' is not null then
    if input ? 'matched_count' or input ? 'unmatched_count' then
      perform private.refuse_conflict('counts_computed',
        'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select o.pair_no, o.is_open into pair, is_open
    from private.open_pair(input ->> 'left_source_id', input ->> 'right_source_id') o;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source,
    right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date,
    (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source',
      (select s.name from public.sources s
        where s.tenant_id = private.tenant_id() and s.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source',
      (select s.name from public.sources s
        where s.tenant_id = private.tenant_id() and s.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0),
    coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id',
    coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  perform private.record_security_event('reconciliation.created', created.id, null,
    jsonb_build_object('name', created.name, 'period_start', created.period_start,
      'period_end', created.period_end, 'left_source_id', created.left_source_id,
      'right_source_id', created.right_source_id));
  if pair is not null then
    perform private.carry_from_closed(created);
  end if;
  if is_open then
    perform private.request_runs(private.tenant_id(), pair);
  elsif pair is not null then
    perform private.queue_preparing(private.tenant_id(), pair, interval '0');
  end if;
  return private.finish_request(request,
    private.reconciliation_json(created)
      || jsonb_build_object('version', private.reconciliation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION private.guard_source()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if old.line_count > 0 and (new.currency, new.sign) is distinct from (old.currency, old.sign) then
    perform private.refuse_conflict('source_has_lines',
      'The source has lines, which were read by its currency and sign: these stay as they are. Make another source.');
  -- Held before already by whoever comes by update_source: to wait here, with the row locked, would
  -- be the wrong order.
  elsif (new.currency, new.sign) is distinct from (old.currency, old.sign)
    and not pg_try_advisory_xact_lock(private.lock_of_source(old.tenant_id, old.source_no)) then
    perform private.refuse_conflict('lines_changing',
      'Lines of this source are coming in. Wait until that is done, and send the call again.');
  end if;
  if (new.name, new.kind, new.currency, new.time_zone, new.sign, new.mapping, new.grace_days)
    is distinct from (old.name, old.kind, old.currency, old.time_zone, old.sign, old.mapping,
      old.grace_days) then
    new.updated_at := now();
  end if;
  return new;
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
  conflicts jsonb := '[]';
  conflict_count bigint := 0;
  items jsonb;
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

  -- Where nothing can be there yet, nothing is looked for: half the time. Should others add to the
  -- source meanwhile, it is.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null) into accepted, kept_ids
      using $1, $2, $3, s.id, s.sign, false;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids
      using $1, $2, $3, s.id, s.sign, false;
  end;
  if accepted < staged and not ids_are_unique
    and private.mark_ids_reused_in_source($1, s.id) > 0 then
    perform private.number_repeated_lines(true);
    execute private.insert_of_staged(true) into accepted_again, kept_ids
    using $1, $2, $3, s.id, s.sign, true;
    accepted := accepted + accepted_again;
  end if;

  if accepted < staged and ids_are_unique then
    select count(*),
      coalesce(jsonb_agg(to_jsonb(c) - 'n' order by c.position) filter (where c.n <= 100),
        '[]') into conflict_count,
      conflicts
    from (
      select row_number() over (order by l.position) as n, l.position, l.file_line, l.external_id,
        l.amount_minor || ' ' || l.currency as found, k.amount_minor || ' ' || k.currency as wanted
      from pg_temp.staged_lines l
      join public.lines k on k.tenant_id = $1 and k.id = private.line_identity(s.id, l.key, 0)
      where l.external_id is not null
        and (k.amount_minor, k.currency) is distinct from (l.amount_minor, l.currency)
    ) c;
  end if;
  if $3 is null then
    select jsonb_agg(
      jsonb_build_object('index', i.position, 'id', private.line_id_text(i.id), 'duplicate',
        i.nth > 1
        or i.id <> all (kept_ids))
    order by i.position)
    into items
    from (
      select l.position, case when l.external_id is null then 1 else coalesce(r.nth, 1) end as nth,
        private.line_identity(s.id, l.key,
          case when l.external_id is null then coalesce(r.nth, 1) else 0 end) as id
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
    ) i;
  end if;

  if accepted > 0 then
    perform private.enforce_quota($1, 'lines', accepted);
    update public.sources x
    set line_count = x.line_count + accepted
    where x.tenant_id = $1 and x.source_no = $2;
    perform private.lines_arrived($1, $2);
    if exists (select from public.period_signatures x
      where x.tenant_id = $1 and x.revoked_at is null) then
      perform private.revoke_signatures_of_source($1, $2,
        (select min(g.value_date) from pg_temp.staged_lines g), 'Lines arrived.');
    end if;
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count,
    'conflicts', conflicts,
    'conflict_count', conflict_count, 'items', items
  );
end $function$;
CREATE OR REPLACE FUNCTION private.source_balance_json(b public.source_balances)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', b.id,
    'source_id', (
      select s.id from public.sources s
      where s.tenant_id = b.tenant_id and s.source_no = b.source_no
    ),
    'currency', b.currency, 'account', b.account, 'period_start', b.period_start,
    'period_end', b.period_end, 'opening_minor', b.opening_minor,
    'closing_minor', b.closing_minor, 'import_id', b.import_id, 'reason', b.reason,
    'created_at', private.iso(b.created_at), 'created_by', b.created_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.booked_between(tenant text, source integer, currency text, first date, last date)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select sum(l.amount_minor) from public.lines l
    where l.tenant_id = tenant and l.source_no = source and l.currency = booked_between.currency
      -- A value date is seldom far from the day of booking.
      and l.value_date between first - 60 and last + 60
      and coalesce(l.booked_date, l.value_date) between first and last
  ), 0);
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
  ends integer;
  b public.source_balances;
begin
  select count(distinct x.account) into accounts from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency;
  if accounts > 1 then
    return query
    with latest as (
      select distinct on (x.account) x.account, x.period_end, x.closing_minor, x.id
      from public.source_balances x
      where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency
        and x.account is not null and x.period_end <= day
      order by x.account, x.period_end desc, x.created_at desc, x.id desc
    )
    select sum(l.closing_minor)
        + private.booked_between(tenant, source, balance_on.currency, min(l.period_end) + 1, day),
      min(l.period_end), min(l.id)
    from latest l
    having count(*) = accounts and min(l.period_end) = max(l.period_end);
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
CREATE OR REPLACE FUNCTION private.balance_breaks(tenant text, source integer, currency text, first date, last date)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  before public.source_balances;
  b public.source_balances;
  expected numeric;
  breaks jsonb := '[]';
begin
  for b in
    select distinct on (x.account, x.period_end, x.period_start, x.opening_minor, x.closing_minor)
      x.*
    from public.source_balances x
    where x.tenant_id = tenant and x.source_no = source and x.currency = balance_breaks.currency
      and x.period_start <= last
      and x.period_end >= coalesce((
        select max(y.period_end) from public.source_balances y
        where y.tenant_id = tenant and y.source_no = source
          and y.currency = balance_breaks.currency and y.period_end < first
      ), first)
    order by x.account, x.period_end, x.period_start, x.opening_minor, x.closing_minor, x.id
  loop
    if before.account is not distinct from b.account and before.id is not null
      and b.opening_minor <> before.closing_minor then
      expected := case when b.period_start > before.period_end then before.closing_minor
          + private.booked_between(tenant, source, currency, before.period_end + 1,
            b.period_start - 1)
        else before.opening_minor
          + private.booked_between(tenant, source, currency, before.period_start,
            b.period_start - 1)
        end;
      if expected is distinct from b.opening_minor then
        breaks := breaks || jsonb_build_object(
          'kind', case when b.period_start > before.period_end then 'gap' else 'overlap' end,
          'from', least(before.period_end, b.period_start),
          'to', greatest(before.period_end, b.period_start),
          'minor', private.exact_sum(b.opening_minor - coalesce(expected, before.closing_minor)));
      end if;
    end if;
    before := b;
  end loop;
  return breaks;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_balances_of_import(i public.imports)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  first_day date;
begin
  with kept as (
    insert into public.source_balances (tenant_id, source_no, currency, account, period_start,
      period_end, opening_minor, closing_minor, import_id, created_by)
    select i.tenant_id, i.source_no, coalesce(x.currency, s.currency), x.account,
      case when x.opening_balance_minor is not null then coalesce(x.period_start, x.period_end) end,
      x.period_end, x.opening_balance_minor, x.closing_balance_minor, i.id, i.created_by
    from public.sources s
    cross join jsonb_to_recordset(i.statements) as x (currency text, account text,
      period_start date, period_end date, opening_balance_minor bigint,
      closing_balance_minor bigint, balance_holds boolean)
    where s.tenant_id = i.tenant_id and s.source_no = i.source_no
      and x.closing_balance_minor is not null and x.period_end is not null
      and coalesce(x.period_start <= x.period_end, true)
      -- A statement of which a line is missing says nothing about the lines that are there.
      and x.balance_holds is distinct from false
    returning period_start, period_end
  )
  select min(coalesce(k.period_start, k.period_end)) into first_day from kept k;
  if first_day is not null then
    perform private.revoke_signatures_of_source(i.tenant_id, i.source_no, first_day,
      'A file brought balances.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.drop_balances_of_import(tenant text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.source_balances b where b.tenant_id = tenant and b.import_id = $2;
end $function$;
CREATE OR REPLACE FUNCTION public.list_source_balances(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  s public.sources;
  items jsonb;
begin
  perform private.begin_request(request, 'list_source_balances');
  s := private.find_source(input ->> 'source_id');
  select jsonb_agg(private.source_balance_json(b) order by b.period_end desc, b.id desc) into items
  from (
    select * from public.source_balances x
    where x.tenant_id = s.tenant_id and x.source_no = s.source_no
      and (input -> 'after' ->> 0 is null or (x.period_end, x.id)
        < ((input -> 'after' ->> 0)::date, input -> 'after' ->> 1))
    order by x.period_end desc, x.id desc limit page_size + 1
  ) b;
  return private.page(items, page_size, 'period_end', 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.get_source_balance(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  b public.source_balances;
begin
  perform private.begin_request(request, 'get_source_balance');
  s := private.find_source(input ->> 'source_id');
  select * into b from public.source_balances x
  where x.tenant_id = s.tenant_id and x.source_no = s.source_no and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('balance');
  end if;
  return private.source_balance_json(b)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(b)));
end $function$;
CREATE OR REPLACE FUNCTION public.state_source_balance(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'state_source_balance');
  s public.sources;
  b public.source_balances;
begin
  if replayed is not null then
    return replayed;
  end if;
  s := private.find_source(input ->> 'source_id');
  perform private.serialize_counting('stated_balances');
  if (select count(*) from public.source_balances x
    where x.tenant_id = s.tenant_id and x.source_no = s.source_no and x.reason is not null) >= 4000
  then
    perform private.refuse_conflict('quota',
      'A source can have at most 4,000 stated balances. Remove some of earlier years.');
  end if;
  insert into public.source_balances (source_no, currency, period_end, closing_minor, reason)
  values (s.source_no, coalesce(input ->> 'currency', s.currency), (input ->> 'day')::date,
    (input ->> 'amount_minor')::bigint, input ->> 'reason')
  returning * into b;
  perform private.record_source_work(s.source_no);
  perform private.revoke_signatures_of_source(s.tenant_id, s.source_no, b.period_end,
    'A balance was stated.');
  perform private.record_security_event('balance.stated', s.id, b.reason, jsonb_build_object(
    'name', s.name, 'balance_id', b.id, 'day', b.period_end, 'currency', b.currency,
    'amount_minor', b.closing_minor));
  return private.finish_request(request, private.source_balance_json(b)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(b))));
end $function$;
CREATE OR REPLACE FUNCTION public.remove_source_balance(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_source_balance');
  s public.sources;
  b public.source_balances;
begin
  if replayed is not null then
    return replayed;
  end if;
  s := private.find_source(input ->> 'source_id');
  select * into b from public.source_balances x
  where x.tenant_id = s.tenant_id and x.source_no = s.source_no and x.id = input ->> 'id'
  for update;
  if not found then
    perform private.refuse_missing('balance');
  end if;
  perform private.require_version(private.version_of(private.source_balance_json(b)),
    request -> 'versions');
  if b.import_id is not null then
    perform private.refuse_conflict('stated_by_file',
      'A file states this balance. Undo its import to remove it.');
  end if;
  delete from public.source_balances x where x.tenant_id = b.tenant_id and x.id = b.id;
  perform private.record_source_work(s.source_no);
  perform private.revoke_signatures_of_source(s.tenant_id, s.source_no, b.period_end,
    'A balance was removed.');
  perform private.record_security_event('balance.removed', s.id, null, jsonb_build_object(
    'name', s.name, 'balance_id', b.id, 'day', b.period_end, 'currency', b.currency,
    'amount_minor', b.closing_minor));
  return private.finish_request(request, private.source_balance_json(b)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(b))));
end $function$;
CREATE OR REPLACE FUNCTION private.require_room(files integer, bytes bigint, database_max_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  waiting record;
begin
  if require_room.files > 0 then
    perform private.serialize_counting('imports');
  end if;
  select count(*) as files,
    coalesce(sum(greatest(i.bytes_total, i.bytes_read)), 0) as bytes into waiting
  from public.imports i
    where i.tenant_id = private.tenant_id() and i.status in ('receiving', 'queued', 'reading');
  if waiting.files + require_room.files > 20 or waiting.bytes + require_room.bytes > 4294967296 then
    perform private.refuse_conflict('import_queue_full',
      'At most 20 imports of 4 GiB in all can wait or be read at a time. Wait until one is done, and upload the file again.');
  end if;
  if pg_database_size(current_database())
    + 10 * (waiting.bytes + require_room.bytes) > database_max_bytes then
    perform private.refuse('unavailable',
      'There is not enough disk space for this file. Nothing of it was kept.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.finish_import(tenant_id text, import_id text, outcome jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
  kept jsonb;
  lines_at constant regclass := pg_get_serial_sequence('public.lines', 'line_no');
  first_no constant bigint := pg_sequence_last_value(lines_at);
begin
  select * into strict i from public.imports x where x.tenant_id = $1 and x.id = $2;
  kept := private.insert_staged_lines($1, i.source_no, $2, private.ids_are_unique(i.format));
  update public.imports x set
    status = 'done', finished_at = now(), bytes_read = x.bytes_total,
    read_count = (outcome ->> 'read_count')::bigint,
    accepted_count = (kept ->> 'accepted')::bigint,
    duplicate_count = (kept ->> 'duplicates')::bigint,
    refused_count = (outcome ->> 'refused_count')::bigint + (kept ->> 'conflict_count')::bigint,
    skipped_count = (outcome ->> 'skipped_count')::bigint,
    refusals = private.first_of(outcome -> 'refusals' || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'line', c -> 'file_line', 'field', 'external_id', 'message', format(
          'A line with this external_id has another amount. Found "%s", expected %s.',
          c ->> 'found', c ->> 'wanted'
        )
      )), '[]') from jsonb_array_elements(kept -> 'conflicts') c
    ), 100),
    skips = private.first_of(outcome -> 'skips', 100),
    warnings = case when (kept ->> 'accepted')::bigint = 0 and outcome ? 'nothing_stored'
      then jsonb_build_array(outcome -> 'nothing_stored') else '[]' end
      || coalesce(outcome -> 'warnings', '[]'),
    statements = private.first_of(outcome -> 'statements', 100),
    opening_balance_minor = (outcome ->> 'opening_balance_minor')::bigint,
    closing_balance_minor = (outcome ->> 'closing_balance_minor')::bigint,
    balance_holds = (outcome ->> 'balance_holds')::boolean,
    first_line_no = coalesce(first_no, 0), last_line_no = pg_sequence_last_value(lines_at)
  where x.tenant_id = $1 and x.id = $2 and x.status = 'reading'
  returning * into i;
  if not found then
    return (select x.status from public.imports x where x.tenant_id = $1 and x.id = $2);
  end if;
  delete from private.import_chunks c where c.tenant_id = $1 and c.import_id = $2;
  update public.sources s
  set last_import_at = now()
  where s.tenant_id = $1 and s.source_no = i.source_no;
  perform private.keep_balances_of_import(i);
  perform private.emit_import_done(i);
  return 'done';
end $function$;
CREATE OR REPLACE FUNCTION private.remove_import(tenant_id text, import_id text, undone_by text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
  removed bigint;
begin
  perform private.detach_removed_lines($1, $2);
  perform private.drop_balances_of_import($1, $2);
  delete from public.lines l using public.imports x
  where x.tenant_id = $1 and x.id = $2 and l.tenant_id = $1
    and l.line_no between x.first_line_no and x.last_line_no and l.import_id = $2;
  get diagnostics removed = row_count;
  update public.imports x
  set status = 'undone', undone_at = now(), undone_by = coalesce(x.undone_by, $3)
  where x.tenant_id = $1 and x.id = $2
  returning * into i;
  if removed > 0 then
    update public.sources s
    set line_count = s.line_count - removed
    where s.tenant_id = $1 and s.source_no = i.source_no;
  end if;
  return i;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_undoing(import_id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  select * into i
  from public.imports x
  where x.tenant_id = private.tenant_id() and x.id = $1 and x.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if i.status in ('queued', 'reading') then
    update public.imports x
    set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    delete from private.import_chunks c where c.tenant_id = i.tenant_id and c.import_id = i.id;
    return i;
  elsif i.status = 'done' and i.accepted_count <= private.lines_at_once() then
    return private.remove_import(i.tenant_id, i.id, private.actor());
  elsif i.status = 'done' then
    -- So that no closing of theirs begins unseen.
    perform private.lock_pairs_of_source(i.tenant_id, i.source_no);
    perform private.require_undoable(i.tenant_id, i.source_no,
      private.line_nos_of_import(i.tenant_id, i.id));
    update public.imports x
    set status = 'undoing', undone_by = private.actor()
    where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    perform graphile_worker.add_job(
      'undo_import',
      private.with_request_id(jsonb_build_object('tenant_id', i.tenant_id, 'import_id', i.id)),
      queue_name => 'source:' || i.tenant_id || ':' || i.source_no, max_attempts => 6,
      flags => private.job_flags(i.tenant_id, 'lines')
    );
    return i;
  end if;
  perform private.refuse_conflict(
    case i.status when 'failed' then 'import_failed' else 'already_undone' end, case i.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $function$;
CREATE OR REPLACE FUNCTION private.default_policy()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '{"fees": "deduct", "checks": {"files": "warn", "balances": "warn", "difference": "warn", "exceptions": "warn", "period_over": "warn", "suggestions": "warn"}, "automatic": "earned", "four_eyes": false, "exceptions": {"most_a_run": 1000, "severities": [{"severity": "low", "from_minor": 0}, {"severity": "medium", "from_minor": 100000}, {"severity": "high", "from_minor": 1000000}, {"severity": "critical", "from_minor": 10000000}], "assigned_to": null}, "calendar_id": null, "review_levels": 0}'::jsonb;
CREATE OR REPLACE FUNCTION private.require_prepared(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.is_preparing(tenant, pair) then
    perform private.refuse_conflict('preparing',
      'The lines of its sources are still coming in. Wait until preparing is false in the reconciliation, and send the '
      'call again.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_sources_exclusively(tenant text, source_nos integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET lock_timeout TO '4s'
AS $function$
declare
  source_no integer;
begin
  for source_no in select n from unnest(source_nos) n order by n loop
    perform pg_advisory_xact_lock(private.lock_of_source(tenant, source_no));
  end loop;
exception when lock_not_available then
  perform private.refuse_conflict('lines_changing',
    'Lines of these sources are coming in or being removed. Wait until that is done, and send the call again.');
end $function$;
CREATE OR REPLACE FUNCTION private.lock_period(tenant text, reconciliation text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif r.pair_no is null then
    perform private.refuse_conflict('no_sources',
      'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  perform private.require_prepared(tenant, r.pair_no);
  perform private.lock_pair(tenant, r.pair_no);
  select * into r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation for no key update;
  if r.closed_at is not null then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse_conflict('archived',
      'The reconciliation is archived: it does not change any more.');
  end if;
  perform private.require_not_closing(tenant, r.pair_no, r.id);
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.require_undoable(tenant_id text, source_no integer, line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  held public.reconciliations;
begin
  perform private.require_not_closing(p.tenant_id, p.pair_no) from public.pairs p
  where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no);
  select r.* into held from (
    select m.reconciliation_id as id from public.match_members mm
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      and m.state = 'confirmed'
    where mm.tenant_id = $1 and mm.line_no = any (line_nos)
    union all
    select x.reconciliation_id
    from public.exclusions x
    where x.tenant_id = $1 and x.line_no = any (line_nos)
    union all
    select c.reconciliation_id from public.pairs p
    join public.reconciliations q on q.tenant_id = p.tenant_id and q.pair_no = p.pair_no
      and q.closed_at is not null
    join public.carried_lines c on c.tenant_id = q.tenant_id and c.reconciliation_id = q.id
      and c.line_no = any (line_nos)
    where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no)
  ) x
  join public.reconciliations r on r.tenant_id = $1 and r.id = x.id
    and (r.closed_at is not null or r.status = 'archived')
  limit 1;
  if found then
    perform private.refuse_conflict(
      case held.status when 'archived' then 'archived' else 'period_closed' end,
      format('%s, which is %s, matched, excluded or carried forward a line of this import. %s',
      held.name, case held.status when 'archived' then 'archived' else 'closed' end,
      case held.status when 'archived' then 'Exclude the lines in an open period instead.'
        else 'Reopen it first.' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.detach_removed_lines(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  source constant integer := (select i.source_no from public.imports i
    where i.tenant_id = $1 and i.id = $2);
  line_nos bigint[];
  touched record;
begin
  perform private.lock_source($1, source);
  perform private.lock_pairs_of_source($1, source);
  line_nos := private.line_nos_of_import($1, $2);
  perform private.require_undoable($1, source, line_nos);
  perform private.revoke_signatures_of_source($1, source, '-infinity', 'An import was undone.');
  for touched in
    select mm.pair_no, array_agg(distinct mm.match_id) as ids from public.match_members mm
    where mm.tenant_id = $1 and mm.line_no = any (line_nos) group by mm.pair_no order by mm.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select p.pair_no from public.pairs p where p.tenant_id = $1 loop
    delete
    from public.exclusions x
    where x.tenant_id = $1 and x.pair_no = touched.pair_no and x.line_no = any (line_nos);
    delete
    from private.open_lines o
    where o.tenant_id = $1 and o.pair_no = touched.pair_no and o.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos,
      'The import of the line was undone.');
  end loop;
  delete from private.line_texts t where t.tenant_id = $1 and t.line_no = any (line_nos);
end $function$;
CREATE OR REPLACE FUNCTION private.refuse_change_of_closed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- private.move_suggestions: suggestions are no part of what a period closed with.
  if tg_op = 'UPDATE' and current_setting('tieout.moves_suggestions', true) = 'on' then
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
CREATE OR REPLACE FUNCTION private.allocate_open_amounts(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  short jsonb;
  taken record;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (i.n - 1), 'message',
      'A line of this match is not open any more.')
  order by i.n) into short
  from unnest(ids) with ordinality as i (id, n)
  where exists (
    select from public.match_members mm
    left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no
      and o.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = i.id
      and coalesce(
        mm.allocated_minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0),
        true)
  ) or exists (
    select from public.match_members mm join public.match_members other
      on other.tenant_id = mm.tenant_id and other.line_no = mm.line_no
        and other.match_id = any (ids) and other.match_id < mm.match_id
    where mm.tenant_id = tenant and mm.match_id = i.id
  );
  if short is not null then
    perform private.refuse_conflict('state_changed',
      'What it needs is not open any more. Nothing was changed.',
      short);
  end if;
  for taken in
    select mm.pair_no, array_agg(mm.line_no) as line_nos, array_agg(mm.allocated_minor) as minors
    from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids)
      group by mm.pair_no
  loop
    perform private.reduce_open_amounts(tenant, taken.pair_no, taken.line_nos, taken.minors);
  end loop;
  perform private.count_matched(tenant, ids, 1);
  perform private.revoke_signatures_of_matches(tenant, ids, 'Lines were matched.');
end $function$;
CREATE OR REPLACE FUNCTION private.release_open_amounts(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor,
    open_minor, value_date)
  select mm.tenant_id, mm.pair_no, mm.line_no, mm.side, l.currency, x.factor * l.amount_minor,
    sum(mm.allocated_minor), l.value_date
  from public.match_members mm
  join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
  join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  cross join lateral (select case s.sign when 'inverted' then -1 else 1 end as factor) x
  where mm.tenant_id = tenant and mm.match_id = any (ids)
  group by mm.tenant_id, mm.pair_no, mm.line_no, mm.side, l.currency, x.factor, l.amount_minor,
    l.value_date
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.count_matched(tenant, ids, -1);
  perform private.revoke_signatures_of_matches(tenant, ids, 'A match was undone.');
end $function$;
CREATE OR REPLACE FUNCTION private.find_period(id text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into r
  from public.reconciliations x
  where x.tenant_id = private.tenant_id() and x.id = $1;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif r.pair_no is null then
    perform private.refuse_conflict('no_sources',
      'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  return r;
end $function$;
CREATE OR REPLACE FUNCTION public.decide_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'decide_matches');
  tenant constant text := private.tenant_id();
  action constant text := input ->> 'action';
  filter constant jsonb := nullif(input -> 'filter', 'null');
  found_ids uuid[];
  missing jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  if action = 'undo' and not private.may('write:reconciliations') then
    perform private.refuse('role_required',
      'This credential may confirm and reject suggestions, and not undo matches.');
  end if;
  if filter is null then
    select array_agg(private.match_id(i.id) order by i.n),
      jsonb_agg(
        jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.')
        order by i.n)
        filter (where private.match_id(i.id) is null)
    into found_ids, missing
    from jsonb_array_elements_text(input -> 'ids') with ordinality as i (id, n);
    if missing is not null then
      perform private.refuse('not_found', 'There is no such match.', missing);
    end if;
  else
    perform private.find_period(filter ->> 'reconciliation_id');
    select coalesce(array_agg(m.id order by m.id), '{}') into found_ids
    from (
      select x.id from public.matches x
      where x.tenant_id = tenant and x.reconciliation_id = filter ->> 'reconciliation_id'
        and x.state = case action when 'undo' then 'confirmed' else 'suggested' end
        and (filter ->> 'method' is null or x.method = filter ->> 'method')
        and (filter ->> 'shape' is null or x.shape = filter ->> 'shape')
        and (filter ->> 'run_id' is null or x.run_id = filter ->> 'run_id')
        and (filter ->> 'score_from' is null or x.score >= private.score(filter ->> 'score_from'))
        and (filter ->> 'score_below' is null or x.score < private.score(filter ->> 'score_below'))
      order by x.id limit 5001
    ) m;
    if cardinality(found_ids) > 5000 then
      perform private.refuse_field('filter',
        'The filter finds more than 5,000 matches. Narrow it.');
    elsif cardinality(found_ids) <> (input ->> 'expected_count')::integer then
      perform private.refuse_conflict('count_changed',
        format('The filter finds %s matches, not %s. Look at them again. Nothing was changed.',
        cardinality(found_ids), input ->> 'expected_count'));
    end if;
  end if;
  return private.finish_request(request, (
    select jsonb_build_object('count', count(*), 'items',
      coalesce(
        jsonb_agg(private.match_json(m) order by d.ordinality) filter (where d.ordinality <= 500),
        '[]'))
    from private.change_matches(action, found_ids, filter is null) with ordinality d
    join public.matches m on m.tenant_id = d.tenant_id and m.id = d.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text, split text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.open_period_of_line(id text, reconciliation text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.exclude_line(id text, period text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.include_line(id text, period text, reason text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.undo_act(id text)
 RETURNS private.acts
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
  -- Suggestions that had to go for it may come again.
  if r.auto_run then
    perform private.request_runs(tenant, r.pair_no);
  end if;
  return a;
end $function$;
CREATE OR REPLACE FUNCTION private.suggest_again(tenant text, pair integer, ids uuid[], taken boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line_nos bigint[];
begin
  select array_agg(distinct mm.line_no) into line_nos
  from public.match_members mm
  where mm.tenant_id = tenant and mm.match_id = any (ids);
  if taken then
    perform private.release_open_amounts(tenant, ids);
    insert into public.events (tenant_id, type, data)
    select m.tenant_id, 'match.undone',
      jsonb_build_object('match', private.match_event(m), 'undone_by', private.actor())
    from public.matches m where m.tenant_id = tenant and m.id = any (ids) order by m.id;
  elsif exists (
    select from public.match_members mm
    left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no
      and o.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = any (ids)
      and coalesce(
        mm.allocated_minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0),
        true)
  ) then
    perform private.refuse_conflict('state_changed',
      'A line of it is not open any more. Nothing was changed.');
  end if;
  delete
  from private.decisions d
  where d.tenant_id = tenant and d.pair_no = pair and d.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos);
  update public.matches m
  set state = 'suggested', decided_by = null, decided_at = null
  where m.tenant_id = tenant and m.id = any (ids);
  if taken then
    perform private.reopen_line_exceptions(tenant, pair, line_nos);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.request_run(reconciliation text, trial jsonb)
 RETURNS public.runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  asked public.runs;
begin
  select * into r
  from public.reconciliations x
  where x.tenant_id = private.tenant_id() and x.id = reconciliation for no key update;
  if r.closed_at is not null and trial is null then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse_conflict('archived',
      'The reconciliation is archived: it does not change any more.');
  end if;
  if trial is null then
    perform private.require_not_closing(r.tenant_id, r.pair_no, r.id);
    select * into asked from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status = 'queued'
      and x.dry_run is null;
    if found then
      return asked;
    end if;
  end if;
  insert into public.runs (reconciliation_id, pair_no, dry_run, stage)
  values (r.id, r.pair_no, trial, 'queued')
  returning * into asked;
  perform private.queue_run(r.tenant_id, r.pair_no, r.id,
    case when trial is not null then asked.id end, interval '0');
  return asked;
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
end $function$;
CREATE OR REPLACE FUNCTION private.claim_matched_lines(tenant text, r public.reconciliations, member_ids uuid[], member_lines bigint[], member_amounts bigint[], confirmed uuid[], all_of boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  lines bigint[] := member_lines;
  minors bigint[] := member_amounts;
begin
  if not all_of then
    select array_agg(s.line_no), array_agg(s.minor) into lines, minors
    from unnest(member_ids, member_lines, member_amounts) as s (match_id, line_no, minor)
      where s.match_id = any (confirmed);
  end if;
  perform private.reduce_open_amounts(tenant, r.pair_no, lines, minors);
  perform private.revoke_signatures(tenant, array[r.id], 'A run matched lines.');
  insert into private.matched_counts as c (tenant_id, reconciliation_id, lines)
  values (tenant, r.id, cardinality(lines))
  on conflict (tenant_id, reconciliation_id) do update set lines = c.lines + excluded.lines;
  if exists (
    select from public.reconciliations other
    where other.tenant_id = tenant and other.pair_no = r.pair_no and other.id <> r.id
      and exists (select from public.matches m
        where m.tenant_id = tenant and m.reconciliation_id = other.id and m.state = 'suggested')
  ) then
    perform private.drop_suggestions(tenant, r.pair_no, lines);
  end if;
  if exists (select from public.exceptions e
    where e.tenant_id = tenant and e.pair_no = r.pair_no and e.status in ('open', 'in_review')) then
    perform private.resolve_matched_exceptions(tenant, r.pair_no, confirmed);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.set_rules(period text, rules jsonb, policy jsonb, forget boolean, names jsonb, versions jsonb)
 RETURNS public.pairs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  before jsonb;
  p public.pairs;
begin
  perform private.lock_pair_of(period);
  select x.* into p
  from public.reconciliations r
  join public.pairs x on x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = period;
  perform private.require_version(p.rules_version, versions);
  if (private.policy_of_pair(tenant, p.pair_no) ->> 'four_eyes')::boolean
    and not (policy ->> 'four_eyes')::boolean
    and not (private.principal_type() = 'user' and auth.jwt() -> 'roles' ? 'tenant_admin') then
    perform private.refuse('role_required',
      'Only a tenant_admin can turn four_eyes off. Leave it out, or ask a tenant admin.');
  end if;
  if (private.policy_of_pair(tenant, p.pair_no) ->> 'review_levels')::integer
      > (policy ->> 'review_levels')::integer
    and not (private.principal_type() = 'user' and auth.jwt() -> 'roles' ? 'tenant_admin') then
    perform private.refuse('role_required',
      'Only a tenant_admin can lower review_levels. Leave it out, or ask a tenant admin.');
  end if;
  before := private.rules_json(p);
  insert into public.pair_rules (tenant_id, pair_no, version, rules, policy)
  values (tenant, p.pair_no, p.rules_version + 1, rules,
    private.policy_of_pair(tenant, p.pair_no) || policy);
  update public.pairs x
  set rules_version = p.rules_version + 1,
    weights = case when not forget then private.without_names(x.weights, names) end
  where x.tenant_id = tenant and x.pair_no = p.pair_no
  returning * into p;
  if forget then
    delete from private.decisions d where d.tenant_id = tenant and d.pair_no = p.pair_no;
  end if;
  perform private.record_security_event('matching.rules_updated', period, null,
    jsonb_build_object('from', before - '{weights}'::text[], 'to',
      private.rules_json(p) - '{weights}'::text[], 'learning_reset', forget));
  perform private.request_runs(tenant, p.pair_no);
  return p;
end $function$;
CREATE OR REPLACE FUNCTION public.put_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := coalesce((input ->> 'dry_run')::boolean, false);
  r public.reconciliations;
  p public.pairs;
  -- What is left out stays.
  policy constant jsonb := coalesce((
    select jsonb_object_agg(k, input -> k)
    from unnest('{automatic,fees,four_eyes,review_levels,checks,calendar_id,exceptions}'::text[]) k
    where input ? k),
      '{}');
begin
  perform private.begin_request(request, 'put_rules');
  r := private.find_period(input ->> 'id');
  if dry_run then
    select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
    return private.rules_json(p) || policy
      || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.request_run(r.id, private.trial_of(input))).id);
  end if;
  perform private.require_calendar(input);
  p := private.set_rules(r.id, input -> 'rules', policy,
    coalesce((input ->> 'reset_learning')::boolean, false),
    coalesce(input -> 'forget_names', '[]'), request -> 'versions');
  return private.rules_json(p) || jsonb_build_object('dry_run', false, 'run_id', null);
end $function$;
CREATE OR REPLACE FUNCTION private.period_signature_json(s public.period_signatures)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('kind', s.kind, 'level', s.level, 'signed_by', s.signed_by,
    'issuer', s.issuer, 'subject', s.subject, 'signed_at', private.iso(s.signed_at),
    'digest', s.digest, 'note', s.note);
end $function$;
CREATE OR REPLACE FUNCTION private.review_levels(r public.reconciliations)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select max(v.levels) from (
      select (x.policy ->> 'review_levels')::integer as levels,
        lead(x.created_at) over (order by x.version) as until
      from public.pair_rules x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
    ) v where coalesce(v.until >= r.created_at, true)
  ), 0);
end $function$;
CREATE OR REPLACE FUNCTION private.sign_off_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  levels constant integer := private.review_levels(r);
  signatures jsonb;
  reviews integer;
  revoked public.period_signatures;
begin
  select coalesce(jsonb_agg(private.period_signature_json(s) order by s.number), '[]'),
    count(*) filter (where s.kind = 'reviewed')
  into signatures, reviews
  from public.period_signatures s
  where s.tenant_id = r.tenant_id and s.pair_no = r.pair_no and s.reconciliation_id = r.id
    and s.revoked_at is null;
  if signatures = '[]' then
    select * into revoked from public.period_signatures s
    where s.tenant_id = r.tenant_id and s.reconciliation_id = r.id
    order by s.number desc limit 1;
  end if;
  return jsonb_build_object(
    'state', case when signatures = '[]' then 'open'
      when reviews > 0 and reviews >= levels then 'reviewed' else 'prepared' end,
    'levels', levels, 'signatures', signatures,
    'revoked', case when revoked.revoked_at is not null then jsonb_build_object(
      'at', private.iso(revoked.revoked_at), 'by', revoked.revoked_by,
      'reason', revoked.revoked_reason) end);
end $function$;
CREATE OR REPLACE FUNCTION private.period_digest(r public.reconciliations)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return encode(sha256(convert_to(
    (private.statement_json(r) - 'as_of')::text || private.closing_digest(r.tenant_id, r.id),
    'UTF8')), 'hex');
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures(tenant text, periods text[], reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period text;
begin
  for period in
    with revoked as (
      update public.period_signatures s set revoked_at = now(),
        revoked_by = coalesce(private.actor(), 'system'),
        revoked_reason = revoke_signatures.reason
      where s.tenant_id = tenant and s.reconciliation_id = any (periods) and s.revoked_at is null
      returning s.reconciliation_id
    )
    select distinct x.reconciliation_id from revoked x order by 1
  loop
    perform private.record_security_event('reconciliation.signatures_revoked', period, reason);
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures_of_pair(tenant text, pair integer, since date, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  periods constant text[] := array(
    select distinct s.reconciliation_id from public.period_signatures s
    join public.reconciliations r on r.tenant_id = s.tenant_id and r.id = s.reconciliation_id
      and r.closed_at is null
    where s.tenant_id = tenant and s.pair_no = pair and s.revoked_at is null
      and s.period_end >= since
  );
begin
  if cardinality(periods) > 0 then
    perform private.revoke_signatures(tenant, periods, reason);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures_of_source(tenant text, source integer, since date, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.revoke_signatures_of_pair(tenant, p.pair_no, since, reason)
  from public.pairs p
  where p.tenant_id = tenant and source in (p.left_source_no, p.right_source_no);
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures_of_matches(tenant text, ids uuid[], reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  periods constant text[] := array(
    select distinct m.reconciliation_id from public.matches m
    where m.tenant_id = tenant and m.id = any (ids)
      and exists (
        select from public.period_signatures s
        where s.tenant_id = tenant and s.pair_no = m.pair_no
          and s.reconciliation_id = m.reconciliation_id and s.revoked_at is null
      )
  );
begin
  if cardinality(periods) > 0 then
    perform private.revoke_signatures(tenant, periods, reason);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.sign_period(r public.reconciliations, kind text, level integer, note text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.period_signatures (tenant_id, reconciliation_id, number, pair_no, period_end,
    kind, level, digest, note)
  select r.tenant_id, r.id, coalesce(max(s.number), 0) + 1, r.pair_no, r.period_end,
    sign_period.kind, sign_period.level, private.period_digest(r), sign_period.note
  from public.period_signatures s
  where s.tenant_id = r.tenant_id and s.reconciliation_id = r.id;
  perform private.record_security_event('reconciliation.' || kind, r.id, note, jsonb_build_object(
    'name', r.name, 'level', level));
end $function$;
CREATE OR REPLACE FUNCTION private.require_no_run(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
      and x.status in ('queued', 'running') and x.dry_run is null
  ) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is under way. Sign when it is done.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.prepare_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'prepare_reconciliation');
  r public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.lock_period(private.tenant_id(), input ->> 'id');
  if private.sign_off_json(r) ->> 'state' <> 'open' then
    perform private.refuse_conflict('already_prepared',
      'The period is prepared already. Return it first to prepare it again.');
  end if;
  perform private.require_no_run(r);
  perform private.require_checks(r);
  perform private.sign_period(r, 'prepared', 0, input ->> 'note');
  perform private.emit(r.tenant_id, 'reconciliation.prepared',
    jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return private.finish_request(request, private.reconciliation_json(r)
    || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION public.review_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'review_reconciliation');
  r public.reconciliations;
  sign_off jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.lock_period(private.tenant_id(), input ->> 'id');
  sign_off := private.sign_off_json(r);
  if sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('not_prepared',
      'The period is not prepared. Prepare it first.');
  elsif jsonb_array_length(sign_off -> 'signatures') > greatest((sign_off ->> 'levels')::integer, 1)
  then
    perform private.refuse_conflict('already_reviewed',
      'The period is reviewed by as many as its policy asks for. Close it now.');
  elsif exists (
    select from jsonb_array_elements(sign_off -> 'signatures') s
    where s ->> 'issuer' = private.actor_issuer() and s ->> 'subject' = private.actor_subject()
  ) then
    perform private.refuse_conflict('second_person_required',
      'You have signed this period already. Ask somebody else to review it.');
  elsif private.requires_second_person(r) and private.worked_in_period(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. Ask somebody who did not to review it.');
  end if;
  perform private.require_no_run(r);
  perform private.sign_period(r, 'reviewed', jsonb_array_length(sign_off -> 'signatures'),
    input ->> 'note');
  perform private.emit(r.tenant_id, 'reconciliation.reviewed',
    jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return private.finish_request(request, private.reconciliation_json(r)
    || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION public.return_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'return_reconciliation');
  r public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.lock_period(private.tenant_id(), input ->> 'id');
  if private.sign_off_json(r) ->> 'state' = 'open' then
    perform private.refuse_conflict('not_prepared',
      'Nobody has signed this period, so nothing is returned.');
  end if;
  perform private.revoke_signatures(r.tenant_id, array[r.id], input ->> 'reason');
  return private.finish_request(request, private.reconciliation_json(r)
    || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION private.check_json(name text, passes boolean, weight text, count bigint, detail text)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('check', name, 'count', count, 'detail', detail,
    'outcome', case when passes or weight = 'ignore' then 'pass' else weight end);
end $function$;
CREATE OR REPLACE FUNCTION private.counted(count bigint, one text, many text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return count || ' ' || case when count = 1 then one else many end;
end $function$;
CREATE OR REPLACE FUNCTION private.weekdays_between(after date, until date)
 RETURNS bigint
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(*) from generate_series(after + 1, until, interval '1 day') d
    where extract(isodow from d) < 6
  );
end $function$;
CREATE OR REPLACE FUNCTION private.coverage_of(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'side', x.side, 'name', x.name, 'until', x.until,
      'missing_days', private.weekdays_between(coalesce(x.until, r.period_start - 1), r.period_end),
      'breaks', private.balance_breaks(r.tenant_id, x.source_no, x.currency, r.period_start,
        r.period_end),
      'has_balance', exists (
        select from private.balance_on(r.tenant_id, x.source_no, x.currency, r.period_end))
    ) order by x.side)
    from (
      select s.source_no, s.name, s.currency,
        case s.source_no when p.left_source_no then 'left' else 'right' end as side,
        greatest(
          (select max(l.value_date) from public.lines l
            where l.tenant_id = s.tenant_id and l.source_no = s.source_no),
          (select max(b.period_end) from public.source_balances b
            where b.tenant_id = s.tenant_id and b.source_no = s.source_no)) as until
      from public.pairs p
      join public.sources s on s.tenant_id = p.tenant_id
        and s.source_no in (p.left_source_no, p.right_source_no)
      where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    ) x
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
  coverage constant jsonb := private.coverage_of(r);
  statement constant jsonb := private.statement_json(r);
  missing_days bigint;
  late text;
  break_count bigint;
  without_balance text;
  unexplained bigint;
begin
  select sum((c ->> 'missing_days')::bigint),
    string_agg(format('%s has nothing after %s', c ->> 'name',
      coalesce(c ->> 'until', 'the period began')), '; ')
      filter (where (c ->> 'missing_days')::bigint > 0),
    sum(jsonb_array_length(c -> 'breaks')),
    string_agg(c ->> 'name', ' and ') filter (where not (c ->> 'has_balance')::boolean)
  into missing_days, late, break_count, without_balance
  from jsonb_array_elements(coverage) c;
  select count(*) into unexplained from jsonb_array_elements(statement -> 'differences') d
  where coalesce(nullif(d -> 'unexplained_minor', 'null'), d -> 'difference_minor') <> '0';
  return jsonb_build_array(
    private.check_json('period_over', preview -> 'days_until_over' = '0',
      weights ->> 'period_over', (preview ->> 'days_until_over')::bigint,
      case when preview -> 'days_until_over' = '0' then 'The period is over.'
        else format('The period is over in %s.',
          private.counted((preview ->> 'days_until_over')::bigint, 'day', 'days')) end),
    private.check_json('files', missing_days = 0, weights ->> 'files', missing_days,
      coalesce(late || '.', 'Both sides are in to the last working day.')),
    private.check_json('balances', break_count = 0 and without_balance is null,
      weights ->> 'balances', break_count,
      case when without_balance is not null
          then format('No balance is stated for %s. State one, or import a file that has it.',
            without_balance)
        when break_count > 0 then private.counted(break_count,
          'statement does not follow the one before.', 'statements do not follow the one before.')
        else 'Balances are stated and follow one another.' end),
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
CREATE OR REPLACE FUNCTION private.require_checks(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  weights constant jsonb := private.policy_of_pair(r.tenant_id, r.pair_no) -> 'checks';
  failed text;
begin
  -- Most policies only warn, and a statement over a million lines takes seconds.
  if not exists (select from jsonb_each_text(weights) w where w.value = 'block') then
    return;
  end if;
  select string_agg(c ->> 'detail', ' ') into failed
  from jsonb_array_elements(private.checks_of(r)) c
  where c ->> 'outcome' = 'block' and c ->> 'check' not in ('second_person', 'signatures');
  if failed is not null then
    perform private.refuse_conflict('checklist_incomplete', failed
      || ' The policy of these sources lets nobody sign or close before.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.require_signatures(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  sign_off constant jsonb := private.sign_off_json(r);
begin
  if (sign_off ->> 'levels')::integer = 0 or sign_off ->> 'state' = 'reviewed' then
    return;
  elsif sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('signatures_missing', coalesce(
      format('The signatures were revoked: %s ', sign_off #>> '{revoked,reason}'), '')
      || 'The period has to be prepared and reviewed before it closes.');
  end if;
  perform private.refuse_conflict('signatures_missing', format(
    'The period needs %s reviews before it closes, and has %s. Ask somebody else to review it.',
    sign_off ->> 'levels', jsonb_array_length(sign_off -> 'signatures') - 1));
end $function$;
CREATE OR REPLACE FUNCTION public.get_checklist(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_checklist');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    perform private.refuse_conflict('period_closed',
      'The period is closed, and has no checklist any more.');
  end if;
  return jsonb_build_object('items', private.checks_of(r), 'sources', private.coverage_of(r),
    'sign_off', private.sign_off_json(r));
end $function$;
CREATE OR REPLACE FUNCTION private.require_closable(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end < r.period_start
      and x.closed_at is null and x.status <> 'archived'
  ) then
    perform private.refuse_conflict('earlier_period_open',
      'An earlier period of these sources is open. Close that one first.');
  elsif exists (
    select from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
      and x.status in ('queued', 'running') and x.dry_run is null
  ) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs p join public.imports i
      on i.tenant_id = p.tenant_id and i.source_no in (p.left_source_no, p.right_source_no)
        and i.status = 'undoing'
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) then
    perform private.refuse_conflict('lines_changing',
      'An import of its sources is being undone. Close it when that is done.');
  end if;
  perform private.require_signatures(r);
  perform private.require_checks(r);
  if private.requires_second_person(r) and private.worked_in_period(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added lines in this period. Ask somebody who did not to close it.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.write_closing(r public.reconciliations, closed_by text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  statement jsonb;
  unexplained jsonb;
begin
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor,
    currency, value_date)
  select o.tenant_id, r.id, o.line_no, o.side, o.open_minor, o.currency, o.value_date
  from private.open_in_period(r) o
  order by o.line_no;
  r.closed_at := now();
  r.closed_by := write_closing.closed_by;
  statement := private.statement_json(r);
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse_conflict('proof_broken',
      'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  select d into unexplained
  from jsonb_array_elements(statement -> 'differences') d
  where d -> 'difference_minor' <> '0'
  limit 1;
  if found then
    perform private.refuse_conflict('difference_unexplained',
      format(
        'The statement leaves a difference of %s in minor units of %s, which nothing explains. '
      'Reopen and look at earlier periods of these sources, or tell us before you close.',
      unexplained ->> 'difference_minor', unexplained ->> 'currency'));
  end if;
  insert into public.closings (tenant_id, reconciliation_id, statement, closed_at, closed_by)
  values (r.tenant_id, r.id, statement, r.closed_at, r.closed_by);
  update public.closings c set digest = private.closing_digest(r.tenant_id, r.id)
  where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_period(id text, reason text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.lock_pair_of($1);
  select * into r
  from public.reconciliations x
  where x.tenant_id = private.tenant_id() and x.id = $1 for no key update;
  if r.closed_at is null then
    perform private.refuse_conflict('not_closed', 'The period is not closed.');
  elsif exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_start > r.period_end
      and x.closed_at is not null
  ) then
    perform private.refuse_conflict('later_period_closed',
      'A later period of these sources is closed, and builds on this one. Reopen that one first.');
  end if;
  perform private.require_not_closing(r.tenant_id, r.pair_no);
  perform private.keep_signed_items(r);
  update public.reconciliations x set status = 'in_progress', closed_at = null, closed_by = null
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  perform private.delete_closing(r);
  perform private.bring_back(r);
  perform private.reopen_statement(r, reason);
  perform private.revoke_signatures(r.tenant_id, array[r.id], left('Reopened: ' || reason, 1000));
  perform private.record_security_event('reconciliation.reopened', r.id, reason);
  perform private.emit(r.tenant_id, 'reconciliation.reopened',
    jsonb_build_object('reconciliation', private.reconciliation_json(r), 'reason', reason));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.worked_in_period(r public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  who constant text := private.actor();
  is_admin constant boolean := auth.jwt() -> 'roles' ? 'tenant_admin';
begin
  return exists (
    select from private.period_workers w
    where w.tenant_id = tenant and w.reconciliation_id = r.id
      and ((w.issuer, w.subject) = (private.actor_issuer(), private.actor_subject())
        or w.name = who or w.is_service_role and is_admin)
  ) or exists (
    select from public.matches m where m.tenant_id = tenant and m.reconciliation_id = r.id
      and (m.method = 'manual' and m.created_by = who or m.state = 'undone' and m.decided_by = who)
  ) or exists (
    select from private.acts a where a.tenant_id = tenant and a.reconciliation_id = r.id
      and (a.kind in ('match', 'exclude') and a.created_by = who or a.undone_by = who)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_not_closing(tenant text, pair integer, reconciliation text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.is_closing(tenant, pair, reconciliation) then
    perform private.refuse_conflict('closing',
      'A period of these sources is being closed. Try again once that is done: its reconciliation then has '
      '"closing": false.');
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
  perform set_config('tieout.moves_suggestions', 'on', true);
  update public.matches m set reconciliation_id = target
  where m.tenant_id = tenant and m.id = any (ids) and m.state = 'suggested'
    and m.reconciliation_id <> target;
  perform set_config('tieout.moves_suggestions', '', true);
end $function$;
CREATE OR REPLACE FUNCTION private.stated_balances(r public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, stated_on date, timing numeric, unaccounted numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select c.currency, s.side, s.factor * o.minor, s.factor * e.minor, e.stated_on,
    coalesce((
      select sum(case when l.value_date > r.period_end then s.factor else -s.factor end
        * l.amount_minor)
      from public.lines l
      where l.tenant_id = r.tenant_id and l.source_no = s.source_no and l.currency = c.currency
        and l.value_date between r.period_end - 60 and r.period_end + 60
        and (l.booked_date <= r.period_end) <> (l.value_date <= r.period_end)
    ), 0),
    s.factor * (e.minor - o.minor - private.booked_between(r.tenant_id, s.source_no, c.currency,
      r.period_start, r.period_end))
  from (
    select x.source_no, case x.source_no when p.left_source_no then 'left' else 'right' end as side,
      case x.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs p
    join public.sources x on x.tenant_id = p.tenant_id
      and x.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) s
  cross join lateral (
    select distinct b.currency from public.source_balances b
    where b.tenant_id = r.tenant_id and b.source_no = s.source_no
  ) c
  cross join lateral private.balance_on(r.tenant_id, s.source_no, c.currency, r.period_end) e
  left join lateral private.balance_on(r.tenant_id, s.source_no, c.currency,
    r.period_start - 1) o on true;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with sides as materialized (
      select s.source_no, s.id, s.name,
        case s.source_no when p.left_source_no then 'left' else 'right' end as side,
        case s.sign when 'inverted' then -1 else 1 end as factor
      from public.pairs p
        join public.sources s on s.tenant_id = p.tenant_id
          and s.source_no in (p.left_source_no, p.right_source_no)
      where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    ), balances as materialized (
      select l.currency, s.side,
        coalesce(sum(s.factor * l.amount_minor) filter (where l.value_date < r.period_start),
          0) as opening,
        sum(s.factor * l.amount_minor) as closing,
        count(*) filter (where l.value_date >= r.period_start) as line_count
      from sides s
        join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no
          and l.value_date <= r.period_end
      group by 1, 2
    ), outstanding as materialized (
      select o.line_no, o.side, o.open_minor, o.currency, r.period_end - o.value_date as age
      from private.outstanding_of(r) o
    ), until_now as materialized (
      select x.id
      from public.reconciliations x
      where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end <= r.period_end
    ), excluded as materialized (
      select e.currency, e.side, sum(e.excluded_minor) as minor
      from until_now u
        join public.exclusions e on e.tenant_id = r.tenant_id and e.reconciliation_id = u.id
        group by 1, 2
    ), explaining as materialized (
      select m.reconciliation_id, m.currency, m.residual_minor, m.adjustments
      from until_now u
        join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = u.id
          and m.state = 'confirmed'
      where m.residual_minor <> 0 or m.adjustments <> '[]'
    ), explained as materialized (
      select m.currency, sum(m.residual_minor) as residual,
        sum(
          (select coalesce(sum((a ->> 'amount_minor')::bigint), 0)
            from jsonb_array_elements(m.adjustments) a))
            as adjusted
      from explaining m group by 1
    ), counts as materialized (
      select coalesce(sum(jsonb_array_length(m.adjustments)), 0) as adjustments,
        count(*) filter (where m.residual_minor <> 0) as residuals,
        (select count(*) from public.exclusions e
          where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id) as exclusions
      from explaining m where m.reconciliation_id = r.id
    ), currencies as (
      select b.currency from balances b union select e.currency from explained e
    ), sums as (
      select c.currency, s.side, case s.side when 'left' then 1 else -1 end as sign,
        coalesce(b.opening, 0) as opening, coalesce(b.closing, 0) as closing,
        coalesce(b.line_count, 0) as line_count,
        coalesce((
          select sum(o.open_minor) from outstanding o
          where o.currency = c.currency and o.side = s.side
        ), 0) as outstanding,
        coalesce((
          select e.minor from excluded e where e.currency = c.currency and e.side = s.side
        ), 0) as excluded,
        t.opening as stated_opening, t.closing as stated_closing, t.stated_on, t.timing,
        t.unaccounted
      from currencies c cross join (values ('left'), ('right')) s (side)
        left join balances b on b.currency = c.currency and b.side = s.side
        left join private.stated_balances(r) t on t.currency = c.currency and t.side = s.side
    )
    select jsonb_build_object(
      'reconciliation_id', r.id, 'name', r.name, 'period_start', r.period_start, 'period_end',
      r.period_end, 'left_source', r.left_source,
      'right_source', r.right_source, 'as_of', private.iso(coalesce(r.closed_at, now())),
      'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
      'balances', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', x.currency, 'side', x.side,
          'opening_minor', private.exact_sum(x.opening),
          'lines_minor', private.exact_sum(x.closing - x.opening), 'line_count', x.line_count,
          'closing_minor', private.exact_sum(x.closing),
          'outstanding_minor', private.exact_sum(x.outstanding),
          'excluded_minor', private.exact_sum(x.excluded),
          'stated_opening_minor', private.exact_sum(x.stated_opening),
          'stated_closing_minor', private.exact_sum(x.stated_closing),
          'stated_on', x.stated_on, 'timing_minor', private.exact_sum(x.timing),
          'unaccounted_minor', private.exact_sum(x.unaccounted)
        ) order by x.currency, x.side), '[]')
        from sums x
      ),
      'differences', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', x.currency,
          'adjustments_minor', private.exact_sum(coalesce(e.adjusted, 0)),
          'residual_minor', private.exact_sum(coalesce(e.residual, 0)),
          'difference_minor', private.exact_sum(x.settled - coalesce(e.adjusted + e.residual, 0)),
          'unexplained_minor',
            private.exact_sum(x.stated - coalesce(e.adjusted + e.residual, 0))
        ) order by x.currency), '[]')
        from (
          select y.currency, sum(y.sign * (y.closing - y.outstanding - y.excluded)) as settled,
            case when count(y.stated_closing) = 2 then
              sum(y.sign * (y.stated_closing - y.timing - y.outstanding - y.excluded)) end as stated
          from sums y
          group by 1
        ) x left join explained e on e.currency = x.currency
      ),
      'aging', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object('currency', x.currency, 'side', x.side, 'days_from', x.days_from,
              'line_count', x.line_count, 'open_minor', private.exact_sum(x.minor))
          order by x.currency, x.side, x.days_from), '[]')
        from (
          select o.currency, o.side, a.days_from, count(*) as line_count, sum(o.open_minor) as minor
          from outstanding o cross join lateral (
            select case when o.age > 90 then 91 when o.age > 60 then 61 when o.age > 30 then 31
              when o.age > 7 then 8 else 0 end as days_from
          ) a group by 1, 2, 3
        ) x
      ),
      'outstanding_count', (select count(*) from outstanding),
      'outstanding', (
        select coalesce(
          jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.n),
          '[]')
        from (select o.*, row_number() over (order by abs(o.open_minor) desc, o.line_no) as n
          from outstanding o) x
          where x.n <= 250
      ),
      'adjustment_count', c.adjustments, 'residual_count', c.residuals, 'exclusion_count',
      c.exclusions,
      -- Where there is none, the matches need not be searched again.
      'adjustments',
      coalesce(case when c.adjustments > 0 then private.adjustment_items(r, null, null, 1000) end,
        '[]'),
      'residuals',
      coalesce(case when c.residuals > 0 then private.residual_items(r, null, 1000) end, '[]'),
      'exclusions', coalesce(private.exclusion_items(r, null, 1000), '[]'),
      'proof', private.proof_json(r)
    ) from counts c
  );
end $function$;
CREATE OR REPLACE FUNCTION private.sign_statement(c public.closings)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.statements (tenant_id, reconciliation_id, number, statement, digest, closed_by,
    closer_issuer, closer_subject, closed_at, signatures)
  select c.tenant_id, c.reconciliation_id, coalesce(max(s.number), 0) + 1, c.statement, c.digest,
    c.closed_by, private.actor_issuer(), private.actor_subject(), c.closed_at,
    (
      select coalesce(jsonb_agg(private.period_signature_json(x) order by x.number), '[]')
      from public.period_signatures x
      where x.tenant_id = c.tenant_id and x.reconciliation_id = c.reconciliation_id
        and x.revoked_at is null
    )
  from public.statements s
  where s.tenant_id = c.tenant_id and s.reconciliation_id = c.reconciliation_id;
end $function$;
CREATE OR REPLACE FUNCTION private.signature_json(s public.statements)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('number', s.number, 'digest', s.digest, 'closed_by', s.closed_by,
    'closer_issuer', s.closer_issuer, 'closer_subject', s.closer_subject,
    'closed_at', private.iso(s.closed_at), 'signatures', s.signatures, 'reopened_at',
    private.iso(s.reopened_at),
    'reopened_by', s.reopened_by, 'reason', s.reason);
end $function$;
CREATE OR REPLACE FUNCTION private.signed_rows(tenant text, reconciliation text, kind text, after text, page_size integer)
 RETURNS TABLE(key text, content text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  case kind
    when 'matches' then
      return query
      select m.id::text, row(m.id, m.shape, m.method, m.currency, m.amount_minor,
        m.residual_minor, m.adjustments, m.note, m.decided_by, m.created_by)::text
      from public.matches m
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation
        and m.state = 'confirmed' and (after is null or m.id > after::uuid)
      order by m.id limit page_size;
    when 'members' then
      return query
      select mm.match_id || ' ' || mm.line_no,
        row(mm.match_id, mm.line_no, mm.side, mm.allocated_minor)::text
      from public.matches m
      join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation
        and m.state = 'confirmed'
        and (after is null or m.id >= split_part(after, ' ', 1)::uuid
          and (mm.match_id, mm.line_no)
            > (split_part(after, ' ', 1)::uuid, split_part(after, ' ', 2)::bigint))
      order by mm.match_id, mm.line_no limit page_size;
    when 'exclusions' then
      return query
      select x.line_no::text, row(x.line_no, x.side, x.currency, x.excluded_minor, x.reason,
        x.created_by)::text
      from public.exclusions x
      where x.tenant_id = tenant and x.reconciliation_id = reconciliation
        and (after is null or x.line_no > after::bigint)
      order by x.line_no limit page_size;
    when 'carried' then
      return query
      select c.line_no::text,
        row(c.line_no, c.side, c.currency, c.open_minor, c.value_date::text)::text
      from public.carried_lines c
      where c.tenant_id = tenant and c.reconciliation_id = reconciliation
        and (after is null or c.line_no > after::bigint)
      order by c.line_no limit page_size;
  end case;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_signed_items(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  signed constant integer := (
    select max(s.number) from public.statements s
    where s.tenant_id = r.tenant_id and s.reconciliation_id = r.id and s.reopened_at is null
  );
  kind text;
  after text;
  last_key text;
  contents text[];
  place integer;
begin
  if signed is null then
    return;
  end if;
  foreach kind in array '{matches,members,exclusions,carried}'::text[] loop
    after := null;
    place := 0;
    loop
      select array_agg(x.content order by x.n), (array_agg(x.key order by x.n desc))[1]
      into contents, last_key
      from (
        select y.*, row_number() over () as n
        from private.signed_rows(r.tenant_id, r.id, kind, after, 5000) y
      ) x;
      exit when contents is null;
      insert into private.reopened_items (tenant_id, reconciliation_id, number, kind, seq, rows)
      values (r.tenant_id, r.id, signed, kind, place, contents);
      place := place + 1;
      after := last_key;
    end loop;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION public.open_statement_bundle(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  s public.statements;
  chain jsonb;
  closed_seq bigint;
begin
  perform private.begin_request(request, 'open_statement_bundle');
  r := private.find_period(input ->> 'id');
  select * into s from public.statements x
  where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
    and x.number = (input ->> 'number')::integer;
  if not found then
    perform private.refuse_missing('statement');
  end if;
  chain := private.chain_state_of_caller();
  select max(e.seq) into closed_seq from public.security_events e
  where e.tenant_id = r.tenant_id and e.chain = r.tenant_id and e.target = r.id
    and e.type = 'reconciliation.closed' and e.details ->> 'digest' = s.digest;
  return jsonb_build_object(
    'statement', s.statement::text, 'signature', private.signature_json(s),
    'rules', (
      select jsonb_build_object('version', v.version, 'rules', v.rules, 'policy', v.policy)
      from public.pair_rules v
      where v.tenant_id = r.tenant_id and v.pair_no = r.pair_no and v.created_at <= s.closed_at
      order by v.version desc limit 1
    ),
    'engine_versions', (
      select coalesce(jsonb_agg(distinct x.engine_version), '[]') from public.runs x
      where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
        and x.engine_version is not null
    ),
    'audit', case when closed_seq is not null then jsonb_build_object(
      'from', closed_seq,
      'through', (
        select max((c ->> 'seq')::bigint) from jsonb_array_elements(chain -> 'checkpoints') c
        where c ->> 'kind' = 'head'
      ),
      'checkpoints', chain -> 'checkpoints') end);
end $function$;
CREATE OR REPLACE FUNCTION private.reopened_rows(reconciliation text, numbered integer, kind text, place integer)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select x.rows from private.reopened_items x
    where x.tenant_id = private.tenant_id() and x.reconciliation_id = reconciliation
      and x.number = numbered and x.kind = reopened_rows.kind and x.seq = place
      and private.may('read:reconciliations')
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_statement_bundle(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  numbered constant integer := (input ->> 'number')::integer;
  place integer;
  s public.statements;
  contents jsonb;
  next_key text;
begin
  perform private.begin_request(request || '{"continues": true}', 'list_statement_bundle');
  select * into s from public.statements x
  where x.tenant_id = tenant and x.reconciliation_id = input ->> 'id' and x.number = numbered;
  if not found then
    perform private.refuse_missing('statement');
  elsif s.reopened_at is not null then
    place := coalesce((input ->> 'after')::integer + 1, 0);
    contents := to_jsonb(
      private.reopened_rows(s.reconciliation_id, numbered, input ->> 'kind', place));
    return jsonb_build_object('rows', coalesce(contents, '[]'),
      'next', case when contents is not null then place::text end);
  end if;
  select jsonb_agg(x.content order by x.n), (array_agg(x.key order by x.n desc))[1]
  into contents, next_key
  from (
    select y.*, row_number() over () as n
    from private.signed_rows(tenant, s.reconciliation_id, input ->> 'kind', input ->> 'after',
      (input ->> 'limit')::integer) y
  ) x;
  return jsonb_build_object('rows', coalesce(contents, '[]'), 'next', next_key);
end $function$;
CREATE OR REPLACE FUNCTION public.list_bundle_events(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request || '{"continues": true}', 'list_bundle_events');
  return coalesce(private.security_event_texts((input ->> 'after')::bigint,
    (input ->> 'through')::bigint, (input ->> 'limit')::integer), '[]');
end $function$;
CREATE OR REPLACE FUNCTION public.create_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_calendar');
  created public.calendars;
  no bigint;
  answer jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.serialize_counting('calendars');
  if (select count(*) from public.calendars c where c.tenant_id = private.tenant_id()) >= 100 then
    perform private.refuse_conflict('quota',
      'A tenant has at most 100 calendars. Change one of them instead.');
  end if;
  insert into public.calendars (name) values (input ->> 'name') returning * into created;
  insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
  values (created.id, 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days')
    returning calendar_no into no;
  perform private.start_calendar_version(no);
  answer := private.find_calendar(created.id);
  perform private.record_security_event('calendar.created', created.id, null,
    jsonb_build_object('name', created.name, 'time_zone', input ->> 'time_zone'));
  return private.finish_request(request, answer);
end $function$;
CREATE OR REPLACE FUNCTION private.with_pause_ended(act text, before public.exceptions, e public.exceptions, p public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  has_moved constant boolean := (e.status, e.reason_code) is distinct from (before.status,
    before.reason_code);
  was public.exceptions := before;
  ended_at constant timestamptz(3) := case
    when before.paused_until <= e.updated_at then before.paused_until
    when act = 'resume' or e.status in ('resolved', 'dismissed')
      or has_moved and before.paused_by_rule
      and not private.pause_rule_holds(p, e.status, e.reason_code) then e.updated_at
  end;
begin
  if ended_at is null and e.due_at <> before.due_at then
    perform private.refuse_conflict('paused',
      'The exception is paused. Resume it before you move its deadline.');
  elsif ended_at is not null then
    if e.due_at = before.due_at then
      was.calendar_no := e.calendar_no;
      e.due_at := private.deadline(was, ended_at);
    end if;
    e.paused_ms := before.paused_ms
      + (extract(epoch from ended_at - before.paused_at) * 1000)::bigint;
    e.paused_at := null;
    e.held_due_at := null;
    e.paused_until := null;
    e.pause_reason := null;
    e.paused_by_rule := false;
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.with_pause_begun(act text, before public.exceptions, e public.exceptions, p public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  by_rule constant boolean := act <> 'pause' and e.paused_at is null
    and e.status in ('open', 'in_review')
    and (e.status, e.reason_code) is distinct from (before.status, before.reason_code)
    and private.pause_rule_holds(p, e.status, e.reason_code)
    and (before.status is null or before.status in ('resolved', 'dismissed')
    or not private.pause_rule_holds(p, before.status, before.reason_code));
  fault constant text := case when by_rule or act = 'pause' then private.pause_fault(e, p) end;
begin
  if act = 'pause' and fault is not null then
    perform private.refuse_conflict('cannot_pause', fault);
  elsif fault is not null or not by_rule and act <> 'pause' then
    return e;
  end if;
  e.paused_at := e.updated_at;
  e.held_due_at := e.due_at;
  e.due_at := 'infinity';
  e.paused_until := least(case when not by_rule then e.paused_until end,
    e.paused_at + make_interval(mins => p.pause_max_minutes));
  e.paused_by_rule := by_rule;
  e.pause_reason := case when by_rule then 'By a rule of the SLA policy' else e.pause_reason end;
  e.pause_count := e.pause_count + 1;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.recent_conditions(input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return nullif(concat_ws(' and ',
    'e.updated_at >= ' || quote_literal(input ->> 'updated_since') || '::timestamptz',
    case when input ?| '{within_minutes,breach_risk}' then $q$e.status in ('open', 'in_review')$q$
      || coalesce(' and ' || private.exception_condition('breach_risk', input, as_of), '')
      || case when input ? 'within_minutes' then private.due_within(input, as_of) else '' end end),
    '');
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
  conditions text := 'e.tenant_id = private.tenant_id() and '
    || private.exception_conditions(input, now());
  recent constant text := private.recent_conditions(input, now());
  most constant integer := 20000;
  few text[];
  few_recent text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_exceptions');
  if by_closing then
    conditions := conditions || ' and e.closed_at is not null'
      || case when jsonb_typeof(input -> 'after') = 'array'
        then format(' and (e.closed_at, e.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0,
          input -> 'after' ->> 1)
          else '' end;
  elsif input -> 'after' ->> 0 is not null then
    conditions := conditions || format(' and e.id < %L', input -> 'after' ->> 0);
  end if;
  if input ->> 'q' is not null then
    few := private.narrow_by_search(input ->> 'q');
    conditions := conditions || ' and '
      || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($1)' end;
  end if;
  if recent is not null then
    -- By their own indexes: in the order of the list, old ones that changed come last.
    execute format('select array(
        select e.id from public.exceptions e
        where e.tenant_id = private.tenant_id() and %s limit %s)',
      recent, most + 1) into few_recent;
    few_recent := case when cardinality(few_recent) <= most then few_recent end;
    conditions := conditions || ' and '
      || case when few_recent is null then recent else 'e.id = any ($2)' end;
  end if;
  if input ->> 'q' is not null or recent is not null then
    -- The planner expects fewer than there are, which it would sort.
    perform set_config('enable_sort', (coalesce(few, few_recent) is not null)::text, true);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(e) order by %s)
    from (select * from public.exceptions e where %s order by %s limit %s) e
  $q$, sort_key, conditions, sort_key, page_size + 1) into items using few, few_recent;
  return case when by_closing then private.page(items, page_size, 'closed_at', 'id')
    else private.page(items, page_size, 'id') end;
end $function$;
CREATE OR REPLACE FUNCTION public.pause_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'pause_exception');
  e public.exceptions;
  p public.sla_policies;
  fault text;
begin
  if replayed is not null then
    return replayed;
  end if;
  e := private.lock_exception(input ->> 'id');
  select * into p from public.sla_policies x where x.tenant_id = e.tenant_id;
  perform private.require_pause_end((input ->> 'until')::timestamptz, p);
  fault := private.pause_fault(e, p);
  if fault is not null then
    perform private.refuse_conflict('cannot_pause', fault);
  end if;
  select * into e from private.change_exceptions_for_caller('pause', array[
    jsonb_build_object('id', e.id, 'paused_until', input -> 'until', 'pause_reason',
      input -> 'reason')]);
  return private.finish_request(request, private.versioned_exception_json(e));
end $function$;
CREATE OR REPLACE FUNCTION public.resume_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'resume_exception');
  e public.exceptions;
begin
  if replayed is not null then
    return replayed;
  end if;
  e := private.lock_exception(input ->> 'id');
  if e.paused_at is null then
    perform private.refuse_conflict('not_paused', 'It is not paused.');
  end if;
  select * into e
  from private.change_exceptions_for_caller('resume', array[jsonb_build_object('id', e.id)]);
  return private.finish_request(request, private.versioned_exception_json(e));
end $function$;
CREATE OR REPLACE FUNCTION public.update_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_exceptions');
  tenant constant text := private.tenant_id();
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  p public.sla_policies;
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  matching bigint;
  refused jsonb;
  skipped jsonb := '[]';
  act text;
  columns jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  if by_filter then
    if jsonb_typeof(input -> 'after') is distinct from 'array' then
      matching := private.count_of_view(input -> 'filter');
      if matching <> (input ->> 'expected_count')::bigint then
        perform private.refuse_conflict('count_changed',
          format(
            '%s match now, not %s. Check them and send the new expected_count. Nothing was changed.',
          matching, input ->> 'expected_count'));
      end if;
    end if;
    ids := private.matching_exceptions(input -> 'filter', input -> 'after' ->> 0, batch + 1);
    if cardinality(ids) > batch then
      ids := ids[:batch];
      next_id := ids[batch];
    end if;
  end if;
  perform private.lock_exceptions(ids);
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.')
  order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.id = i.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.',
      refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('An exception cannot move from %s to %s.', e.status, patch ->> 'status'))
      order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
    join public.exceptions e on e.tenant_id = tenant and e.id = i.id
  where patch ? 'status' and not private.exception_may_move(e.status, patch ->> 'status');
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null then
    perform private.refuse('invalid_transition',
      'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  if pause is not null or input ? 'resume' then
    perform private.change_exceptions_for_caller('resume', array(
      select jsonb_build_object('id', e.id)
      from public.exceptions e
      where e.tenant_id = tenant and e.id = any (ids) and e.paused_until <= now()
    ));
    select * into p from public.sla_policies x where x.tenant_id = tenant;
    perform private.require_pause_end((pause ->> 'until')::timestamptz, p);
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', f.fault)
    order by i.n) into refused
    from unnest(ids) with ordinality as i (id, n)
      join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(e, p)
        when e.paused_at is null then 'It is not paused.' end
    ) f (fault)
    where f.fault is not null;
    if refused is not null and by_filter then
      skipped := private.skipped_exceptions(ids, refused);
      ids := private.not_skipped(ids, refused);
    elsif refused is not null then
      perform private.refuse_conflict(
        case when pause is not null then 'cannot_pause' else 'not_paused' end,
        format('Some of these exceptions cannot be %s. Nothing was changed.',
        case when pause is not null then 'paused' else 'resumed' end), refused);
    end if;
  end if;
  act := case when pause is not null then 'pause' when input ? 'resume' then 'resume' else 'edit'
    end;
  columns := case act
    when 'pause' then jsonb_build_object('paused_until', pause -> 'until', 'pause_reason',
      pause -> 'reason')
    else patch end;
  perform private.change_exceptions_for_caller(act,
    array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null,
    jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.finish_request(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', skipped, 'next',
    case when next_id is not null then jsonb_build_array(next_id) end,
    'items', (
      select coalesce(jsonb_agg(private.exception_json(e) order by i.n), '[]')
      from unnest(ids) with ordinality as i (id, n)
        join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    )
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.create_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_view');
  created public.views;
begin
  if replayed is not null then
    return replayed;
  end if;
  if (select count(*) from public.views v
    where v.tenant_id = private.tenant_id()
      and v.principal_id = auth.jwt() ->> 'principal_id') >= 50 then
    perform private.refuse_conflict('quota',
      'You can have at most 50 views. Delete one, then save this one again.');
  end if;
  insert into public.views (name, shared, filters, sort_by)
  values (input ->> 'name', (input ->> 'shared')::boolean, input -> 'filters', input ->> 'sort_by')
    returning * into created;
  if created.shared then
    perform private.record_security_event('view.created', created.id, null,
      jsonb_build_object('name', created.name));
  end if;
  return private.finish_request(request,
    private.view_json(created) || jsonb_build_object('version', private.view_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION private.lock_usable_api_key(id text)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  k public.api_keys;
begin
  k := private.lock_api_key(id);
  if k.revoked_at is not null or k.grace_expires_at <= now() then
    perform private.refuse_conflict('revoked', 'This API key is revoked.');
  elsif k.expires_at <= now() then
    perform private.refuse_conflict('expired', 'This API key has expired.');
  end if;
  return k;
end $function$;
CREATE OR REPLACE FUNCTION public.rotate_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'rotate_api_key');
  old public.api_keys;
  successor public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  old := private.lock_usable_api_key(input ->> 'id');
  if old.rotated_to is not null then
    perform private.refuse_conflict('already_rotated',
      'This API key has already been rotated. Rotate its successor.');
  end if;
  successor := private.insert_api_key(input || jsonb_build_object(
    'name', old.name, 'description', old.description, 'scopes', old.scopes, 'ip_allowlist',
    old.ip_allowlist,
    'expires_at', now() + (old.expires_at - old.created_at)
  ), old.id);
  update public.api_keys k set
    rotated_to = successor.id, updated_at = now(),
    grace_expires_at = least(now()
      + make_interval(secs => (input ->> 'grace_period_seconds')::integer),
      k.expires_at)
  where k.tenant_id = old.tenant_id and k.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id, 'grace_period_seconds',
      input -> 'grace_period_seconds'));
  return private.finish_request(request,
    private.api_key_json(successor)
      || jsonb_build_object('version', private.api_key_version(successor))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION private.guard_exception_comment()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.mentions := array(select distinct m[1]
    from regexp_matches(new.body, '<@(user:[^[:space:]<>]{1,120})>', 'g') m order by 1);
  if cardinality(new.mentions) > 20 then
    perform private.refuse_field('body', 'Mention at most 20 people.');
  elsif (select count(*) from public.exception_comments c
    where c.tenant_id = new.tenant_id and c.exception_id = new.exception_id) >= 1000 then
    perform private.refuse_conflict('quota', 'An exception can have at most 1,000 comments.');
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.require_active_webhook(w public.webhooks)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if w.status = 'disabled' then
    perform private.refuse_conflict('webhook_disabled',
      'This webhook is disabled. Enable it first.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.resend_webhook_delivery(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'resend_webhook_delivery');
  d public.webhook_deliveries;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_active_webhook(private.lock_webhook(input ->> 'id'));
  d := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  if private.requeue_deliveries(d.webhook_id, array[d.id], 'resend') = 0 then
    perform private.refuse_conflict('delivery_under_way',
      'This delivery is being sent. Wait for its result.');
  end if;
  return private.finish_request(request,
    private.delivery_json(private.find_delivery(d.webhook_id, d.id)));
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
CREATE OR REPLACE FUNCTION public.remove_tenant_member(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  before constant jsonb := case
    when replayed is null then private.tenant_account((input ->> 'id')::uuid) end;
  changed jsonb;
  handed_over integer := 0;
begin
  if replayed is not null then
    return replayed;
  end if;
  if (input ->> 'hand_over')::boolean and private.has_namesake(before ->> 'name') then
    perform private.refuse_conflict('same_name',
      format(
        'Another member is called %s too. Reassign the exceptions on the board first, then remove the member without handing over.',
        before ->> 'name'));
  -- Counted to 1,000.
  elsif (input ->> 'hand_over')::boolean and (before ->> 'open_exceptions')::integer >= 1000 then
    perform private.refuse_conflict('too_many_exceptions',
      format(
        '%s has 1,000 open exceptions or more. Reassign them on the board first, then remove the member without handing over.',
        before ->> 'name'));
  end if;
  changed := private.change_account(member, null, request -> 'versions', input ->> 'issuer');
  if (input ->> 'hand_over')::boolean then
    select count(*) into handed_over from private.change_exceptions_for_caller('edit', array(
      select jsonb_build_object('id', h.id, 'assigned_to', input -> 'hand_over_to')
      from private.lock_exceptions(private.open_exceptions_of('user:' || (changed ->> 'name'))) h
      where h.assigned_to = 'user:' || (changed ->> 'name') and h.status in ('open', 'in_review')
    ));
  end if;
  perform private.record_security_event('member.removed', 'user:' || (changed ->> 'name'),
    input ->> 'reason', jsonb_build_object(
    'member_id', member, 'roles', changed -> 'before', 'sessions_ended',
    jsonb_array_length(changed -> 'ended'),
    'handed_over', handed_over, 'handed_over_to', input ->> 'hand_over_to'));
  return private.finish_request(request,
    before || jsonb_build_object('handed_over', handed_over, 'ended', changed -> 'ended'));
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
CREATE OR REPLACE FUNCTION public.resend_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'resend_invitation');
  i public.invitations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.serialize_counting('invitation_mails');
  i := private.lock_invitation(input ->> 'id');
  -- One that expired counts again from here on.
  if private.invitation_status(i) = 'expired' then
    perform private.require_quota('members');
  end if;
  if private.invitation_status(i) not in ('pending', 'expired') then
    perform private.refuse_conflict('invitation_ended',
      format('This invitation was %s. Create a new one.', private.invitation_status(i)));
  elsif i.requested_at > now() - interval '1 minute' then
    perform private.refuse('rate_limited',
      'This invitation was sent less than a minute ago. Try again in a minute.');
  end if;
  update public.invitations x
  set requested_at = now(), expires_at = now() + interval '7 days', sent_at = null,
    requests = array(select at from unnest(x.requests) at where at > now() - interval '1 day')
      || now()::timestamptz(3)
  where x.tenant_id = i.tenant_id and x.id = i.id returning * into i;
  perform private.end_invitation_link(i.id);
  perform private.send_invitation(i.id);
  perform private.record_security_event('member.invited', i.id, null,
    jsonb_build_object('email', i.email, 'roles', i.roles, 'again', true));
  return private.finish_request(request,
    private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
end $function$;
CREATE OR REPLACE FUNCTION public.revoke_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'revoke_invitation');
  i public.invitations;
begin
  if replayed is not null then
    return replayed;
  end if;
  i := private.lock_invitation(input ->> 'id');
  perform private.require_version(private.invitation_version(i), request -> 'versions');
  if i.accepted_at is not null then
    perform private.refuse_conflict('invitation_ended',
      'This invitation was accepted. Remove the member instead.');
  elsif i.revoked_at is null then
    update public.invitations x set revoked_at = now(), revoked_by = private.actor()
    where x.tenant_id = i.tenant_id and x.id = i.id returning * into i;
    perform private.end_invitation_link(i.id);
    perform private.record_security_event('member.invitation_revoked', i.id, null,
      jsonb_build_object('email', i.email));
  end if;
  return private.finish_request(request,
    private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
end $function$;
CREATE OR REPLACE FUNCTION public.create_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_alert_channel');
  c public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.serialize_counting('alert_channels');
  if (select count(*) from public.alert_channels x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null) >= 20 then
    perform private.refuse_conflict('quota',
      'A tenant can have 20 alert channels. Delete one first.');
  end if;
  insert into public.alert_channels (name, url_hint, kinds)
  values (input ->> 'name', input ->> 'url_hint', private.text_array(input -> 'kinds'))
  returning * into c;
  perform private.store_alert_channel_url(c.id, input ->> 'url_id', input ->> 'sealed');
  perform private.record_security_event('alert_channel.created', c.id, null,
    jsonb_build_object('name', c.name, 'url', c.url_hint, 'kinds', c.kinds));
  return private.finish_request(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION private.roles()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}'::text[];
create policy period_signatures_read on public.period_signatures as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy source_balances_read on public.source_balances as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
grant execute on function private.balance_breaks(text,integer,text,date,date) to authenticated;
grant execute on function private.balance_on(text,integer,text,date) to authenticated;
grant execute on function private.booked_between(text,integer,text,date,date) to authenticated;
grant execute on function private.check_json(text,boolean,text,bigint,text) to authenticated;
grant execute on function private.checks_of(public.reconciliations) to authenticated;
grant execute on function private.counted(bigint,text,text) to authenticated;
grant execute on function private.coverage_of(public.reconciliations) to authenticated;
grant execute on function private.period_signature_json(public.period_signatures) to authenticated;
grant execute on function private.recent_conditions(jsonb,timestamp with time zone) to authenticated;
grant execute on function private.refuse_conflict(text,text,jsonb) to anon;
grant execute on function private.refuse_conflict(text,text,jsonb) to authenticated;
grant execute on function private.refuse_conflict(text,text,jsonb) to service_role;
grant execute on function private.reopened_rows(text,integer,text,integer) to authenticated;
grant execute on function private.requires_second_person(public.reconciliations) to authenticated;
grant execute on function private.review_levels(public.reconciliations) to authenticated;
grant execute on function private.sign_off_json(public.reconciliations) to authenticated;
grant execute on function private.signed_rows(text,text,text,text,integer) to authenticated;
grant execute on function private.source_balance_json(public.source_balances) to authenticated;
grant execute on function private.stated_balances(public.reconciliations) to authenticated;
grant execute on function private.weekdays_between(date,date) to authenticated;
grant execute on function private.worked_in_period(public.reconciliations) to authenticated;
grant execute on function public.get_checklist(jsonb,jsonb) to authenticated;
grant execute on function public.get_source_balance(jsonb,jsonb) to authenticated;
grant execute on function public.list_bundle_events(jsonb,jsonb) to authenticated;
grant execute on function public.list_source_balances(jsonb,jsonb) to authenticated;
grant execute on function public.list_statement_bundle(jsonb,jsonb) to authenticated;
grant execute on function public.open_statement_bundle(jsonb,jsonb) to authenticated;
grant execute on function public.prepare_reconciliation(jsonb,jsonb) to authenticated;
grant execute on function public.remove_source_balance(jsonb,jsonb) to authenticated;
grant execute on function public.return_reconciliation(jsonb,jsonb) to authenticated;
grant execute on function public.review_reconciliation(jsonb,jsonb) to authenticated;
grant execute on function public.state_source_balance(jsonb,jsonb) to authenticated;
grant select on public.period_signatures to authenticated;
grant select on public.period_signatures to service_role;
grant select on public.source_balances to authenticated;
grant select on public.source_balances to service_role;
insert into private.permissions select ('(prepare:reconciliations,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:calendars,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",read:exceptions)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",read:exceptions)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",read:integrations)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:members,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:notifications,{user},"{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:overview,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",read:reconciliations)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:release-notes,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",read:release-notes)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:security-events,"{user,service_role}","{tenant_admin,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:sla,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:sla-policy,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:troubleshooting,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",read:troubleshooting)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:views,{user},"{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(write:notifications,{user},"{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(write:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.operations select ('(get_checklist,getChecklist,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_source,stateSourceBalance,write:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_source_balance,getSourceBalance,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_bundle_events,getStatementBundle,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_source_balances,listSourceBalances,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_statement_bundle,getStatementBundle,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(open_statement_bundle,getStatementBundle,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(prepare_reconciliation,prepareReconciliation,prepare:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(remove_source_balance,removeSourceBalance,write:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(return_reconciliation,returnReconciliation,close:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(review_reconciliation,reviewReconciliation,close:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(state_source_balance,stateSourceBalance,write:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.event_kinds select ('(reconciliation.prepared,read:reconciliations)'::private.event_kinds).* on conflict (kind) do update set permission = excluded.permission;
insert into private.event_kinds select ('(reconciliation.reviewed,read:reconciliations)'::private.event_kinds).* on conflict (kind) do update set permission = excluded.permission;
