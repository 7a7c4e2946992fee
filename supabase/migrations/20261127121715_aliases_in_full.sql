-- aliases in full

-- From here on written by `npm run migration`, anew each time. Above is by hand.

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
    and not exists (select from public.tenants tenant where tenant.id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden',
      'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  select permission.* into needed
  from private.operations operation join private.permissions permission
    on permission.permission = operation.permission
  where operation.verb = begin_request.verb and operation.operation = request ->> 'operation'
    and (begin_request.resource is null
    or split_part(operation.permission, ':', 2) = begin_request.resource);
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
CREATE OR REPLACE FUNCTION private.used_of_quota(tenant_id text, kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case kind
    when 'api_keys' then (
      select count(*) from public.api_keys api_key
      where api_key.tenant_id = $1 and api_key.revoked_at is null
        and (api_key.expires_at is null or api_key.expires_at > now())
        and (api_key.grace_expires_at is null or api_key.grace_expires_at > now()))
    when 'webhooks' then (select count(*) from public.webhooks webhook
      where webhook.tenant_id = $1 and webhook.deleted_at is null)
    when 'reconciliations' then (select count(*) from public.reconciliations period
      where period.tenant_id = $1)
    when 'sources' then (select count(*) from public.sources source where source.tenant_id = $1)
    when 'exceptions' then (select sum(counter.breached + counter.at_risk + counter.on_track)
      from private.sla_counts counter where counter.tenant_id = $1)
    when 'members' then (
      select count(*) from private.accounts_of($1)
    ) + (
      select count(*)
      from public.invitations invitation
      where invitation.tenant_id = $1 and private.invitation_status(invitation) = 'pending')
    when 'lines' then (select sum(source.line_count) from public.sources source
      where source.tenant_id = $1)
    when 'evidence_mib' then (
      select ceil(sum(evidence.bytes)::numeric / 1048576) from public.evidence evidence
      where evidence.tenant_id = $1 and evidence.removed_at is null)
    else (select sum(counter.rows) from private.row_counts counter
      where counter.tenant_id = $1 and counter.kind = $2)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.chain_security_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  head private.security_event_heads;
  e public.security_events;
begin
  select * into head
  from private.security_event_heads chain_head
  where chain_head.chain = new.chain for no key update;
  if not found then
    insert into private.security_event_heads (chain) values (new.chain) on conflict do nothing;
    select * into head
    from private.security_event_heads chain_head
    where chain_head.chain = new.chain for no key update;
  end if;
  select * into e from public.security_events event
  where event.chain = new.chain and event.id = new.id;
  e.seq := head.seq + 1;
  e.prev_hash := head.hash;
  e.hash := private.security_event_hash(e);
  update public.security_events event
  set seq = e.seq, prev_hash = e.prev_hash, hash = e.hash
  where event.chain = e.chain and event.id = e.id;
  update private.security_event_heads chain_head set seq = e.seq, hash = e.hash
  where chain_head.chain = e.chain;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.target_name(tenant text, target text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return left(case left(target, 4)
    when 'key_' then (
      select api_key.name from public.api_keys api_key
      where api_key.tenant_id = tenant and api_key.id = target)
    when 'whk_' then (
      select webhook.url from public.webhooks webhook
      where webhook.tenant_id = tenant and webhook.id = target)
    when 'rcn_' then (
      select period.name from public.reconciliations period
      where period.tenant_id = tenant and period.id = target)
    when 'src_' then (
      select source.name from public.sources source
      where source.tenant_id = tenant and source.id = target)
    when 'exc_' then (
      select exception.title from public.exceptions exception
      where exception.tenant_id = tenant and exception.id = target)
    when 'cal_' then (
      select calendar.name from public.calendars calendar
      where calendar.tenant_id = tenant and calendar.id = target)
    when 'ach_' then (
      select channel.name from public.alert_channels channel
      where channel.tenant_id = tenant and channel.id = target)
    when 'viw_' then (
      select saved_view.name from public.views saved_view
      where saved_view.tenant_id = tenant and saved_view.id = target)
    when 'lin_' then (
      select coalesce(line.reference, line.counterparty, line.description) from public.lines line
      where line.tenant_id = tenant and line.id = private.line_id(target))
  end, 200);
end $function$;
CREATE OR REPLACE FUNCTION private.chain_state_of_caller()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  own_chain constant text := case when private.may('read:security-events') then private.tenant_id()
    end;
  head private.security_event_heads;
begin
  select * into head from private.security_event_heads chain_head
  where chain_head.chain = own_chain;
  return jsonb_build_object(
    'chain', own_chain, 'as_of', private.iso(now()),
    'head', case when head.seq > 0 then jsonb_build_object('seq', head.seq, 'hash', head.hash) end,
    'unchained', least(
      (select min(event.id) from public.security_events event
        where event.chain = own_chain and event.seq is null),
      (select min(event.id) from public.security_events event
        where event.chain = own_chain and event.seq < 1),
      (select min(event.id) from public.security_events event
        where event.chain = own_chain and event.seq > coalesce(head.seq, 0)),
      (select min(event.id) from public.security_events event
        where event.tenant_id = own_chain and event.chain <> own_chain)
    ),
    'checkpoints', (
      select coalesce(jsonb_agg(private.checkpoint_json(checkpoint) order by checkpoint.seq), '[]')
      from private.security_event_checkpoints checkpoint where checkpoint.chain = own_chain
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.forgettable_security_events(most integer DEFAULT 50000)
 RETURNS TABLE(chain text, after bigint, through bigint, hash text, at text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select chain_head.chain, first.seq - 1, last.seq, last.hash, private.iso(now())
  from private.security_event_heads chain_head
  left join public.tenants tenant on tenant.id = chain_head.chain
  cross join lateral (select now()
    - make_interval(days => coalesce(tenant.security_event_retention_days, 400)) as moment) over
  cross join lateral (
    select event.seq, event.at
    from public.security_events event
    where event.chain = chain_head.chain and event.seq is not null
    order by event.seq
    limit 1
  ) first
  left join lateral (
    select event.seq from public.security_events event
    where event.chain = chain_head.chain and event.seq >= first.seq
      and (event.at >= over.moment or event.seq >= first.seq + most)
      order by event.seq limit 1
  ) kept on true
  cross join lateral (
    select event.seq, event.hash from public.security_events event
    where event.chain = chain_head.chain and event.seq < coalesce(kept.seq, chain_head.seq + 1)
    order by event.seq desc limit 1
  ) last
  where first.at < over.moment;
end $function$;
CREATE OR REPLACE FUNCTION private.require_free_days(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := after.tenant_id;
begin
  perform private.lock_pair(tenant, after.pair_no);
  if before.id is not null and (
    exists (select from public.matches match
      where match.tenant_id = tenant and match.reconciliation_id = after.id)
    or exists (select from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.reconciliation_id = after.id)
  ) then
    perform private.refuse_conflict('has_decisions',
      'The period has matches or excluded lines, and keeps its dates.');
  elsif exists (
    select from public.reconciliations period
    where period.tenant_id = tenant and period.pair_no = after.pair_no and period.id <> after.id
      and period.period_start <= after.period_end and period.period_end >= after.period_start
  ) then
    perform private.refuse_conflict('periods_overlap',
      'Another reconciliation of these two sources covers some of these days. Periods of a pair may not overlap.');
  elsif exists (
    select from public.reconciliations period
    where period.tenant_id = tenant and period.pair_no = after.pair_no and period.id <> after.id
      and period.closed_at is not null
      and period.period_start > after.period_end
  ) then
    perform private.refuse_conflict('later_period_closed',
      'A later period of these two sources is closed, and carried forward what was open of these days. '
      'Choose days after it, or reopen it first.');
  end if;
  perform private.require_not_closing(tenant, period.pair_no, period.id)
  from public.reconciliations period
  where period.tenant_id = tenant and period.pair_no = after.pair_no and period.id <> after.id
    and period.period_start > after.period_end;
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
      select matched_count.lines
      from private.matched_counts matched_count
      where matched_count.tenant_id = r.tenant_id and matched_count.reconciliation_id = r.id),
        0) end,
    'unmatched_count',
    case when r.pair_no is null then r.unmatched_count when r.closed_at is not null then (
      select count(*)
      from public.carried_lines carried_line
      where carried_line.tenant_id = r.tenant_id and carried_line.reconciliation_id = r.id)
    else (
      select count(*)
      from private.open_lines open_line
      where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
        and open_line.value_date <= r.period_end) end,
    'excluded_count',
    (select count(*) from public.exclusions exclusion
      where exclusion.tenant_id = r.tenant_id and exclusion.reconciliation_id = r.id),
    'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
    'sign_off', case when r.pair_no is not null then private.sign_off_json(r) end,
    'closing', private.is_closing(r.tenant_id, r.pair_no, r.id), 'closing_failure', (
      select closing_request.failure
      from private.closing_requests closing_request
      where closing_request.tenant_id = r.tenant_id and closing_request.reconciliation_id = r.id
        and r.status <> 'archived'),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = r.tenant_id and exception.reconciliation_id = r.id
        and exception.status in ('open', 'in_review')
    ),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at',
    private.iso(r.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.create_reconciliation(input jsonb)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  pair integer;
  is_open boolean;
  created public.reconciliations;
begin
  if input ->> 'left_source_id' is not null then
    if input ? 'matched_count' or input ? 'unmatched_count' then
      perform private.refuse_conflict('counts_computed',
        'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select opened.pair_no, opened.is_open into pair, is_open
    from private.open_pair(input ->> 'left_source_id', input ->> 'right_source_id') opened;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source,
    right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date,
    (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source',
      (select source.name from public.sources source
        where source.tenant_id = private.tenant_id() and source.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source',
      (select source.name from public.sources source
        where source.tenant_id = private.tenant_id() and source.id = input ->> 'right_source_id')),
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
  return created;
end $function$;
CREATE OR REPLACE FUNCTION private.find_lines_of_caller(q text, source_nos integer[], most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  is_named constant boolean := private.has_trigrams(q)
    and (select sum(source.line_count) from public.sources source
      where source.tenant_id = tenant) > 50000;
  found bigint[];
  waiting bigint[];
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return '{}';
  end if;
  -- An expression has no index.
  execute format(
    'select array(
      select line_text.line_no from private.line_texts line_text
      where %s = $1 and line_text.source_no = any ($2) and %s limit $3)',
    case when is_named then $c$(line_text.tenant_id || '')$c$ else 'line_text.tenant_id' end,
    private.line_search(q,
      case when is_named then 'line_text.text' else $c$(line_text.text || '')$c$ end))
  into found using tenant, source_nos, most + 1;
  if cardinality(found) > most then
    return null;
  end if;
  execute 'select array(
      select line.line_no from private.line_spans span cross join lateral (
        select line.line_no, line.source_no, private.line_text(line) as text from public.lines line
        where line.tenant_id = $1 and line.line_no between span.first_line_no and span.last_line_no
        offset 0
      ) line
      where span.tenant_id = $1 and span.source_no = any ($2) and line.source_no = span.source_no
        and ' || private.line_search(q, 'line.text') || ' limit $3)'
  into waiting using tenant, source_nos, most + 1;
  return case when cardinality(found) + cardinality(waiting) <= most then found || waiting end;
end $function$;
CREATE OR REPLACE FUNCTION private.index_lines(batch integer DEFAULT 5000)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  with recursive waiting as (
    (select span.tenant_id from private.line_spans span order by span.tenant_id limit 1)
    union all
    select (
      select span.tenant_id from private.line_spans span
      where span.tenant_id > tenant.tenant_id order by span.tenant_id limit 1
    ) from waiting tenant where tenant.tenant_id is not null
  ), tenants as materialized (
    select tenant.tenant_id, greatest(1, batch / count(*) over ()) as share
    from waiting tenant where tenant.tenant_id is not null limit batch
  ), held as materialized (
    select tenant.share, span.* from tenants tenant cross join lateral (
      select span.tenant_id, span.span_no, span.source_no, span.first_line_no, span.last_line_no
      from private.line_spans span
      where span.tenant_id = tenant.tenant_id
      order by span.span_no limit tenant.share for update skip locked
    ) span
  ), spans as materialized (
    -- The first part of a span that exceeds the share.
    select part.*,
      least(part.last_line_no, part.first_line_no + part.share - part.before - 1) as up_to from (
      select part.*, coalesce(sum(part.last_line_no - part.first_line_no + 1) over (
        partition by part.tenant_id
          order by part.span_no rows between unbounded preceding and 1 preceding),
          0)::bigint as before
      from held part
    ) part where part.before < part.share
  ), written as (
    insert into private.line_texts (tenant_id, line_no, source_no, text)
    select line.tenant_id, line.line_no, line.source_no, private.line_text(line)
    from spans part
    cross join lateral (
      select * from public.lines line
      where line.tenant_id = part.tenant_id
        and line.line_no between part.first_line_no and part.up_to offset 0
    ) line
    where line.source_no = part.source_no
    on conflict on constraint line_texts_pkey do nothing
  ), begun as (
    update private.line_spans span set first_line_no = part.up_to + 1 from spans part
    where part.up_to < part.last_line_no and span.tenant_id = part.tenant_id
      and span.span_no = part.span_no
  )
  delete from private.line_spans span using spans part
  where part.up_to = part.last_line_no and span.tenant_id = part.tenant_id
    and span.span_no = part.span_no;
  return exists (select from private.line_spans);
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
        private.line_identity($4, staged.key,
          coalesce(repeated.nth, 1) - (staged.external_id is not null)::integer),
        $2, staged.file_line, $3,
        staged.external_id, staged.amount_minor, staged.fee_minor, staged.currency,
        staged.value_date, staged.booked_date,
        staged.reference, staged.counterparty, staged.description, staged.group_key,
        nullif(staged.details, '{}')
      from pg_temp.staged_lines staged
      left join pg_temp.repeated_lines repeated on repeated.position = staged.position
      where staged.is_second_pass = $6
        and (staged.external_id is null or staged.id_is_shared or coalesce(repeated.nth, 1) = 1)
  $sql$ || case when looks then 'on conflict on constraint lines_pkey do nothing' else '' end
    || $sql$
      returning line.line_no, line.id, line.amount_minor, line.currency, line.value_date
    ), opened as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
        open_minor, value_date)
      select $1, pair.pair_no, kept_line.line_no,
        case pair.left_source_no when $2 then 'left' else 'right' end,
        kept_line.currency, effective, effective, kept_line.value_date
      from kept kept_line cross join public.pairs pair
      cross join lateral (
        select case $5 when 'inverted' then -kept_line.amount_minor else kept_line.amount_minor
          end as effective) amount
      where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no)
    ), waiting as (
      insert into private.line_spans (tenant_id, source_no, first_line_no, last_line_no)
      select $1, $2, min(kept_line.line_no), max(kept_line.line_no)
      from kept kept_line having count(*) > 0
    )
    select count(*), case when $3 is null then coalesce(array_agg(kept_line.id), '{}') end,
      min(kept_line.line_no), max(kept_line.line_no)
    from kept kept_line
  $sql$;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_json(tenant text, pair integer, line_nos bigint[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    with found as materialized (
      select asked.n, line.*
      from unnest(line_nos) with ordinality asked (line_no, n)
      cross join lateral (
        select * from public.lines line
        where line.tenant_id = tenant and line.line_no = asked.line_no offset 0
      ) line
    ), of_sources as materialized (
      select source.source_no, source.id, array(
        select own_pair.pair_no from public.pairs own_pair
        where own_pair.tenant_id = tenant
          and source.source_no in (own_pair.left_source_no, own_pair.right_source_no)
          and (pair is null or own_pair.pair_no = pair) and own_pair.opening is null
        order by own_pair.pair_no
      ) as pair_nos
      from public.sources source
      where source.tenant_id = tenant
        and source.source_no in (select line.source_no from found line)
    )
    select jsonb_agg(jsonb_build_object(
      'id', private.line_id_text(line.id), 'source_id', source.id, 'import_id', line.import_id,
      'file_line', line.file_line, 'external_id', line.external_id,
      'amount_minor', line.amount_minor, 'fee_minor', line.fee_minor, 'currency', line.currency,
      'value_date', line.value_date, 'booked_date', line.booked_date, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description,
      'group_key', line.group_key, 'details', coalesce(line.details, '{}'),
      'state', case
        when source.pair_nos = '{}' or standing.open_minor = standing.amount_minor then 'open'
        when standing.open_minor is not null then 'partly_matched'
        when exists (
          select from public.exclusions exclusion
          where exclusion.tenant_id = tenant and exclusion.pair_no = standing.pair_no
            and exclusion.line_no = line.line_no offset 0
        ) then 'excluded'
        else 'matched' end,
      -- With the sign as posted: a pair negates the amounts of an inverted source.
      'open_minor', case
        when source.pair_nos = '{}' then line.amount_minor
        when standing.open_minor is null then 0
        when sign(standing.amount_minor) = sign(line.amount_minor) then standing.open_minor
        else -standing.open_minor end,
      'match_ids', (
        select coalesce(jsonb_agg(private.match_id_text(match.id) order by match.id), '[]')
        from public.match_members mm
        cross join lateral (
          select match.id from public.matches match
          where match.tenant_id = tenant and match.id = mm.match_id and match.state = 'confirmed'
          offset 0
        ) match
        where mm.tenant_id = tenant and mm.line_no = line.line_no
          and (pair is null or mm.pair_no = pair)
      ),
      'exception_id', (
        select exception.id
        from (
          select exception_line.exception_id from private.exception_lines exception_line
          where exception_line.tenant_id = tenant and exception_line.line_no = line.line_no offset 0
        ) exception_line cross join lateral (
          select exception.id from public.exceptions exception
          where exception.tenant_id = tenant and exception.id = exception_line.exception_id
            and exception.status in ('open', 'in_review') offset 0
        ) exception
        order by exception.id desc limit 1
      ),
      'created_at', private.iso(line.created_at)
    ) order by line.n)
    from found line
    join of_sources source on source.source_no = line.source_no
    left join lateral (
      select own_pair.pair_no, open_line.amount_minor, open_line.open_minor
      from unnest(source.pair_nos) own_pair (pair_no)
      left join lateral (
        select open_line.amount_minor, open_line.open_minor from private.open_lines open_line
        where open_line.tenant_id = tenant and open_line.pair_no = own_pair.pair_no
          and open_line.line_no = line.line_no offset 0
      ) open_line on true
      order by abs(open_line.open_minor) desc nulls last, own_pair.pair_no limit 1
    ) standing on true
  );
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
      select match.id from public.matches match
      where match.tenant_id = tenant and match.id >= first_id and match.created_at >= since
        and match.state <> 'suggested'
      union all
      select match.id from public.matches match
      where match.tenant_id = tenant and match.decided_at >= since
      union all
      select unnest(act.match_ids) from private.acts act
      where act.tenant_id = tenant and act.undone_at >= since
    ) match
    cross join lateral (select member.line_no from public.match_members member
      where member.tenant_id = tenant and member.match_id = match.id offset 0) mm
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
    select line.line_no from (
      select act.line_id from private.acts act
      where act.tenant_id = tenant and act.id >= first_id and act.created_at >= since
      union all
      select act.line_id from private.acts act
      where act.tenant_id = tenant and act.undone_at >= since
    ) act
    cross join lateral (select line.line_no from public.lines line
      where line.tenant_id = tenant and line.id = act.line_id offset 0) line
    union all
    select exception_line.line_no
    from (select exception.id from public.exceptions exception
      where exception.tenant_id = tenant and exception.updated_at >= since) exception
    cross join lateral (select exception_line.line_no from private.exception_lines exception_line
      where exception_line.tenant_id = tenant and exception_line.exception_id = exception.id
      offset 0) exception_line
    limit most + 1
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
      select from public.match_members mm
      cross join lateral (select match.* from public.matches match
        where match.tenant_id = $1 and match.id = mm.match_id offset 0) match
      where mm.tenant_id = $1 and mm.line_no = x.line_no
        and (match.decided_at >= $9 or match.created_at >= $9 and match.state <> 'suggested')
      offset 0)
    or exists (
      select from private.acts act
      where act.tenant_id = $1 and act.line_id = x.id
        and greatest(act.created_at, act.undone_at) >= $9
      offset 0)
    or exists (
      select from private.exception_lines exception_line
      cross join lateral (select exception.updated_at from public.exceptions exception
        where exception.tenant_id = $1 and exception.id = exception_line.exception_id
        offset 0) exception
      where exception_line.tenant_id = $1 and exception_line.line_no = x.line_no
        and exception.updated_at >= $9 offset 0))$c$;
end $function$;
CREATE OR REPLACE FUNCTION private.line_state_condition(what text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case what
    when 'matched' then $c$exists (
      select from public.match_members mm cross join lateral (
        select from public.matches match
        where match.tenant_id = $1 and match.id = mm.match_id and match.reconciliation_id = $3.id
          and match.state = 'confirmed' offset 0
      ) match
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3.pair_no offset 0)$c$
    when 'excluded' then $c$exists (
      select from public.exclusions exclusion
      where exclusion.tenant_id = $1 and exclusion.pair_no = $3.pair_no
        and exclusion.line_no = x.line_no
        and exclusion.reconciliation_id = $3.id offset 0)$c$
    when 'open'
      then 'exists (
      select from private.open_lines open_line
      where open_line.tenant_id = $1 and open_line.pair_no = $3.pair_no
        and open_line.line_no = x.line_no offset 0)'
    when 'carried' then
      'exists (
      select from public.carried_lines carried_line
      where carried_line.tenant_id = $1 and carried_line.reconciliation_id = $3.id
        and carried_line.line_no = x.line_no offset 0)'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.narrow_by_state(r public.reconciliations, state text, source_nos integer[], most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  pair_nos integer[];
  line_nos bigint[];
begin
  if state = 'matched' and r.id is not null and coalesce((
    select matched_count.lines
    from private.matched_counts matched_count
    where matched_count.tenant_id = tenant and matched_count.reconciliation_id = r.id),
      0) <= most
  then
    return array(
      select distinct mm.line_no from public.matches match
      cross join lateral (select member.line_no from public.match_members member
        where member.tenant_id = tenant and member.match_id = match.id offset 0) mm
      where match.tenant_id = tenant and match.reconciliation_id = r.id
        and match.state = 'confirmed'
    );
  elsif state = 'excluded' then
    pair_nos := case when r.id is not null then array[r.pair_no] else array(
      select pair.pair_no from public.pairs pair
      where pair.tenant_id = tenant and (pair.left_source_no = any (source_nos)
        or pair.right_source_no = any (source_nos))) end;
    line_nos := array(select distinct exclusion.line_no from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.pair_no = any (pair_nos) limit most + 1);
    return case when cardinality(line_nos) <= most then line_nos end;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.list_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  source_nos integer[];
  line_nos bigint[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.find_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into r
    from public.reconciliations period
    where period.tenant_id = tenant and period.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
  end if;
  source_nos := array(
    select source.source_no
    from public.sources source
    left join public.pairs pair on pair.tenant_id = tenant and pair.pair_no = r.pair_no
    where source.tenant_id = tenant
      and (input ->> 'source_id' is null or source.id = input ->> 'source_id')
      and (r.id is null or source.source_no in (pair.left_source_no, pair.right_source_no))
      and (input ->> 'side' is null
      or source.source_no = case input ->> 'side' when 'left' then pair.left_source_no
      else pair.right_source_no end)
  );
  line_nos := array(
    select page_line.line_no
    from private.lines_of_caller(r, input, source_nos, page_size + 1) page_line
    order by page_line.n);
  items := private.lines_json(tenant, r.pair_no, line_nos);
  if r.closed_at is not null then
    select jsonb_agg(listed.item || private.line_in_closed(line, r) order by listed.n) into items
    from jsonb_array_elements(items) with ordinality listed (item, n)
    cross join lateral (select * from public.lines line
      where line.tenant_id = tenant and line.line_no = line_nos[listed.n] offset 0) line;
  end if;
  return private.page(items, page_size, 'value_date', 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.line_in_closed(l public.lines, r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  carried bigint;
  ids jsonb;
begin
  if r.closed_at is null then
    return '{}';
  end if;
  select carried_line.open_minor into carried from public.carried_lines carried_line
  where carried_line.tenant_id = l.tenant_id and carried_line.reconciliation_id = r.id
    and carried_line.line_no = l.line_no;
  select coalesce(jsonb_agg(private.match_id_text(match.id) order by match.id), '[]') into ids
  from public.match_members mm
    join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
  where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and match.reconciliation_id = r.id
    and match.state = 'confirmed';
  return jsonb_build_object('match_ids', ids,
    'state', case when carried is null then case when ids = '[]' then 'excluded' else 'matched' end
      when ids = '[]' then 'open' else 'partly_matched' end,
    -- With the sign as posted, as in lines_json.
    'open_minor',
    case when carried is null then 0 when sign(carried) = sign(l.amount_minor) then carried
      else -carried end);
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
  select * into strict i from public.imports import where import.tenant_id = $1 and import.id = $2;
  kept := private.insert_staged_lines($1, i.source_no, $2, private.ids_are_unique(i.format));
  update public.imports import set
    status = 'done', finished_at = now(), bytes_read = import.bytes_total,
    read_count = (outcome ->> 'read_count')::bigint,
    accepted_count = (kept ->> 'accepted')::bigint,
    duplicate_count = (kept ->> 'duplicates')::bigint,
    refused_count = (outcome ->> 'refused_count')::bigint + (kept ->> 'conflict_count')::bigint,
    skipped_count = (outcome ->> 'skipped_count')::bigint,
    refusals = private.first_of(outcome -> 'refusals' || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'line', conflict -> 'file_line', 'field', 'external_id', 'message', format(
          'A line with this external_id has another amount. Found "%s", expected %s.',
          conflict ->> 'found', conflict ->> 'wanted'
        )
      )), '[]') from jsonb_array_elements(kept -> 'conflicts') conflict
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
  where import.tenant_id = $1 and import.id = $2 and import.status = 'reading'
  returning * into i;
  if not found then
    return (select import.status from public.imports import
      where import.tenant_id = $1 and import.id = $2);
  end if;
  delete from private.import_chunks chunk where chunk.tenant_id = $1 and chunk.import_id = $2;
  update public.sources source
  set last_import_at = now()
  where source.tenant_id = $1 and source.source_no = i.source_no;
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
  delete from public.lines line using public.imports import
  where import.tenant_id = $1 and import.id = $2 and line.tenant_id = $1
    and line.line_no between import.first_line_no and import.last_line_no and line.import_id = $2;
  get diagnostics removed = row_count;
  update public.imports import
  set status = 'undone', undone_at = now(), undone_by = coalesce(import.undone_by, $3)
  where import.tenant_id = $1 and import.id = $2
  returning * into i;
  if removed > 0 then
    update public.sources source
    set line_count = source.line_count - removed
    where source.tenant_id = $1 and source.source_no = i.source_no;
  end if;
  return i;
end $function$;
CREATE OR REPLACE FUNCTION private.open_earlier_lines(pair public.pairs, most integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  side record;
  opened record;
begin
  if pair.opening is null then
    return true;
  end if;
  for side in select * from private.sides_to_open(pair) loop
    with next as materialized (
      select line.source_no, line.value_date, line.line_no, line.currency,
        side.factor * line.amount_minor as effective
      from public.lines line
      where line.tenant_id = pair.tenant_id and line.source_no = side.source_no
        and (line.value_date, line.line_no) > (side.after_date, side.after_no)
      order by line.value_date, line.line_no limit most
    ), written as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
        open_minor, value_date)
      select pair.tenant_id, pair.pair_no, line.line_no, side.name, line.currency, line.effective,
        line.effective, line.value_date
      from next line
      -- The line arrived after the pair was created.
      on conflict do nothing
    )
    select (select count(*) from next) as lines, (
      select jsonb_build_object('source_no', line.source_no, 'value_date', line.value_date,
        'line_no', line.line_no)
      from next line order by line.value_date desc, line.line_no desc limit 1
    ) as up_to
    into opened;
    if opened.lines = most then
      update public.pairs own_pair
      set opening = opened.up_to
      where own_pair.tenant_id = pair.tenant_id and own_pair.pair_no = pair.pair_no;
      return false;
    end if;
  end loop;
  update public.pairs own_pair
  set opening = null
  where own_pair.tenant_id = pair.tenant_id and own_pair.pair_no = pair.pair_no;
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.open_pair(left_source_id text, right_source_id text, OUT pair_no integer, OUT is_open boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  left_no integer;
  right_no integer;
  stand_still boolean;
  pair public.pairs;
begin
  select source.source_no into left_no from public.sources source
  where source.tenant_id = tenant and source.id = $1;
  select source.source_no into right_no from public.sources source
  where source.tenant_id = tenant and source.id = $2;
  if left_no is null then
    perform private.refuse_field('left_source_id', 'There is no such source.');
  elsif right_no is null then
    perform private.refuse_field('right_source_id', 'There is no such source.');
  elsif left_no = right_no then
    perform private.refuse_field('right_source_id',
      'Name two sources: a source is not compared with itself.');
  end if;
  stand_still := private.try_lock_sources_exclusively(tenant, array[left_no, right_no]);
  -- A pair is only created for a reconciliation.
  perform private.require_quota('reconciliations');
  insert into public.pairs (tenant_id, left_source_no, right_source_no, opening)
  values (tenant, left_no, right_no, '{}')
  on conflict (tenant_id, left_source_no, right_source_no) do nothing
  returning * into pair;
  if not found then
    select * into strict pair
    from public.pairs own_pair
    where own_pair.tenant_id = tenant and own_pair.left_source_no = left_no
      and own_pair.right_source_no = right_no;
    is_open := stand_still and pair.opening is null;
  elsif stand_still then
    is_open := private.open_earlier_lines(pair, 1000);
  else
    is_open := false;
  end if;
  pair_no := pair.pair_no;
end $function$;
CREATE OR REPLACE FUNCTION private.prepare_pair(tenant text, pair integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  p public.pairs;
begin
  begin
    perform private.lock_sources_exclusively(own_pair.tenant_id,
      array[own_pair.left_source_no, own_pair.right_source_no])
    from public.pairs own_pair
    where own_pair.tenant_id = tenant and own_pair.pair_no = pair;
  exception when sqlstate 'TO001' then
    perform private.queue_preparing(tenant, pair, interval '5 seconds');
    return false;
  end;
  select * into strict p
  from public.pairs own_pair
  where own_pair.tenant_id = tenant and own_pair.pair_no = pair for no key update;
  if not private.open_earlier_lines(p, 25000) then
    return true;
  end if;
  perform private.queue_run(queued.tenant_id, queued.pair_no, queued.reconciliation_id,
    queued.asked, interval '0')
  from (
    select run.tenant_id, run.pair_no, run.reconciliation_id,
      case when run.dry_run is not null then run.id end as asked
    from public.runs run
      join public.reconciliations period on period.tenant_id = run.tenant_id
        and period.id = run.reconciliation_id
    where run.tenant_id = tenant and run.pair_no = pair and run.status = 'queued'
      order by period.period_end, run.id
  ) queued;
  perform private.request_runs(tenant, pair);
  return false;
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
  perform private.require_not_closing(pair.tenant_id, pair.pair_no) from public.pairs pair
  where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no);
  select period.* into held from (
    select match.reconciliation_id as id from public.match_members mm
    join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
      and match.state = 'confirmed'
    where mm.tenant_id = $1 and mm.line_no = any (line_nos)
    union all
    select exclusion.reconciliation_id
    from public.exclusions exclusion
    where exclusion.tenant_id = $1 and exclusion.line_no = any (line_nos)
    union all
    select carried_line.reconciliation_id from public.pairs pair
    join public.reconciliations period on period.tenant_id = pair.tenant_id
      and period.pair_no = pair.pair_no
      and period.closed_at is not null
    join public.carried_lines carried_line on carried_line.tenant_id = period.tenant_id
      and carried_line.reconciliation_id = period.id
      and carried_line.line_no = any (line_nos)
    where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no)
  ) used_in
  join public.reconciliations period on period.tenant_id = $1 and period.id = used_in.id
    and (period.closed_at is not null or period.status = 'archived')
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
  source constant integer := (select import.source_no from public.imports import
    where import.tenant_id = $1 and import.id = $2);
  line_nos bigint[];
  touched record;
begin
  perform private.lock_source($1, source);
  perform private.lock_pairs_of_source($1, source);
  perform private.mark_pair_changed(pair.tenant_id, pair.pair_no) from public.pairs pair
  where pair.tenant_id = $1 and source in (pair.left_source_no, pair.right_source_no);
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
  for touched in select pair.pair_no from public.pairs pair where pair.tenant_id = $1 loop
    delete
    from public.exclusions exclusion
    where exclusion.tenant_id = $1 and exclusion.pair_no = touched.pair_no
      and exclusion.line_no = any (line_nos);
    delete
    from private.open_lines open_line
    where open_line.tenant_id = $1 and open_line.pair_no = touched.pair_no
      and open_line.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos,
      'The import of the line was undone.');
  end loop;
  delete from private.line_texts line_text
  where line_text.tenant_id = $1 and line_text.line_no = any (line_nos);
end $function$;
CREATE OR REPLACE FUNCTION private.refresh_statistics(tenant text, anyway boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  lines constant bigint := coalesce(
    (select sum(source.line_count) from public.sources source where source.tenant_id = tenant),
    0);
  in_pairs constant bigint := coalesce((
    select sum(source.line_count)
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = tenant and pair.opening is null), 0);
  matched constant bigint := coalesce(
    (select sum(matched_count.lines) from private.matched_counts matched_count
      where matched_count.tenant_id = tenant),
    0);
  x record;
begin
  for x in
    -- A match has two lines, and seldom more than four.
    select *
    from (values ('public.lines', lines), ('private.open_lines', in_pairs - matched),
      ('public.match_members', matched),
      ('public.matches', matched / 4), ('public.exceptions', 0),
      ('private.exception_lines', 0)) expected (of_table, rows)
  loop
    if anyway or x.rows > 10000
      and x.rows > (select relation.reltuples / 300 from pg_class relation
        where relation.oid = x.of_table::regclass)
      and private.expected_rows(tenant, x.of_table) <= x.rows / 4 then
      execute 'analyze ' || x.of_table;
    end if;
  end loop;
exception when lock_not_available then
  null;
end $function$;
CREATE OR REPLACE FUNCTION private.count_matched(tenant text, ids uuid[], sign integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.matched_counts as matched_count (tenant_id, reconciliation_id, lines)
  select match.tenant_id, match.reconciliation_id, greatest(0, sign) * sum(mm.lines)
  from public.matches match
  cross join lateral (select count(*) as lines from public.match_members member
    where member.tenant_id = tenant and member.match_id = match.id) mm
  where match.tenant_id = tenant and match.id = any (ids)
  group by match.tenant_id, match.reconciliation_id order by match.reconciliation_id
  on conflict (tenant_id, reconciliation_id)
    do update set lines = matched_count.lines + case when sign > 0 then excluded.lines else -(
    select sum(mm.lines) from public.matches match
    cross join lateral (select count(*) as lines from public.match_members member
      where member.tenant_id = tenant and member.match_id = match.id) mm
    where match.tenant_id = tenant and match.id = any (ids)
      and match.reconciliation_id = excluded.reconciliation_id
  ) end;
end $function$;
CREATE OR REPLACE FUNCTION private.release_open_amounts(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.open_lines as open_line (tenant_id, pair_no, line_no, side, currency,
    amount_minor, open_minor, value_date)
  select mm.tenant_id, mm.pair_no, mm.line_no, mm.side, line.currency,
    direction.factor * line.amount_minor, sum(mm.allocated_minor), line.value_date
  from public.match_members mm
  join public.lines line on line.tenant_id = mm.tenant_id and line.line_no = mm.line_no
  join public.sources source on source.tenant_id = line.tenant_id
    and source.source_no = line.source_no
  cross join lateral (
    select case source.sign when 'inverted' then -1 else 1 end as factor) direction
  where mm.tenant_id = tenant and mm.match_id = any (ids)
  group by mm.tenant_id, mm.pair_no, mm.line_no, mm.side, line.currency, direction.factor,
    line.amount_minor, line.value_date
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = open_line.open_minor + excluded.open_minor;
  perform private.count_matched(tenant, ids, -1);
  perform private.revoke_signatures_of_matches(tenant, ids, 'A match was undone.');
end $function$;
CREATE OR REPLACE FUNCTION private.undo_matches(tenant text, ids uuid[], who text)
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
  if who is not null then
    insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
    select match.tenant_id, match.pair_no, match.id, false, match.score from public.matches match
    where match.tenant_id = tenant and match.id = any (confirmed) and match.decided_by is null
      and not match.settled and match.shape = '1:1'
      order by match.id;
  end if;
  update public.matches match
  set state = 'undone', decided_by = coalesce(who, match.decided_by), decided_at = now()
  where match.tenant_id = tenant and match.id = any (confirmed);
  insert into public.events (tenant_id, type, data)
  select match.tenant_id, 'match.undone',
    jsonb_build_object('match', private.match_event(match), 'undone_by', coalesce(who, 'system'))
  from public.matches match where match.tenant_id = tenant and match.id = any (confirmed)
  order by match.id;
  for touched in
    select mm.pair_no, array_agg(distinct mm.line_no) as line_nos from public.match_members mm
    where mm.tenant_id = tenant and mm.match_id = any (confirmed) group by mm.pair_no
  loop
    perform private.reopen_line_exceptions(tenant, touched.pair_no, touched.line_nos);
  end loop;
  return cardinality(confirmed);
end $function$;
CREATE OR REPLACE FUNCTION private.confirm_matches(tenant text, pair integer, ids uuid[], who text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line_nos bigint[];
begin
  perform private.allocate_open_amounts(tenant, ids);
  update public.matches match
  set state = 'confirmed', decided_by = who, decided_at = now()
  where match.tenant_id = tenant and match.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select match.tenant_id, match.pair_no, match.id, true, match.score from public.matches match
  where match.tenant_id = tenant and match.id = any (ids) and match.shape = '1:1' order by match.id;
  select array_agg(distinct mm.line_no) into line_nos
  from public.match_members mm
  where mm.tenant_id = tenant and mm.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos, ids);
  perform private.resolve_matched_exceptions(tenant, pair, ids);
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_pair(pair integer, ids jsonb)
 RETURNS TABLE(n bigint, line_no bigint, side text, currency text, open_minor bigint, value_date date)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  missing jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'line_ids.' || (given.n - 1), 'message',
      'There is no such line in the two sources.')
  order by given.n) into missing
  from jsonb_array_elements_text(ids) with ordinality as given (id, n)
  where not exists (
    select
    from public.lines line
    join public.sources source on source.tenant_id = line.tenant_id
      and source.source_no = line.source_no
    join public.pairs own_pair on own_pair.tenant_id = source.tenant_id and own_pair.pair_no = pair
      and source.source_no in (own_pair.left_source_no, own_pair.right_source_no)
    where line.tenant_id = tenant and line.id = private.line_id(given.id)
  );
  if missing is not null then
    perform private.refuse('invalid_request',
      'The request is not valid: see errors for each place.', missing);
  end if;
  return query
  select given.n, line.line_no,
    case line.source_no when own_pair.left_source_no then 'left' else 'right' end,
    line.currency, coalesce(open_line.open_minor, 0), line.value_date
  from jsonb_array_elements_text(ids) with ordinality as given (id, n)
  join public.lines line on line.tenant_id = tenant and line.id = private.line_id(given.id)
  join public.pairs own_pair on own_pair.tenant_id = tenant and own_pair.pair_no = pair
  left join private.open_lines open_line on open_line.tenant_id = tenant
    and open_line.pair_no = pair and open_line.line_no = line.line_no
  order by given.n;
end $function$;
CREATE OR REPLACE FUNCTION private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text, split text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  asked record;
  split_no bigint;
  split_side text;
  split_minor bigint;
  made public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  is_reversal boolean;
  -- What the match takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  r := private.lock_period(tenant, period);
  perform private.require_open_in_period(r, match_by_hand.line_ids);
  asked := private.sums_of_lines(r, match_by_hand.line_ids);
  is_reversal := asked.lefts = 0 or asked.rights = 0;
  if split is not null and is_reversal then
    perform private.refuse_field('split_line_id',
      'Only a match of both sides can leave part of a line open.');
  end if;
  if split is null then
    explained := private.explain_difference(explained, asked.left_minor, asked.right_minor,
      asked.fees, asked.currency);
  else
    difference := asked.left_minor - asked.right_minor - private.sum_of_adjustments(explained);
    select part.line_no, part.side, part.taken_minor into split_no, split_side, split_minor
    from private.split_of_match(r, match_by_hand.line_ids, split, difference, asked.currency) part;
  end if;
  left_taken := asked.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := asked.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when is_reversal then asked.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids',
      'These lines come to more than 9007199254740991 in minor units. Match fewer of them at a time.');
  end if;
  perform private.require_adjustable(r, match_by_hand.adjustments,
    greatest(abs(left_taken), abs(right_taken), amount), asked.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    private.shape_of(asked.lefts, asked.rights), 'manual', asked.currency, amount, explained,
    match_by_hand.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, line.line_no, line.side,
    case when line.line_no = split_no then split_minor else line.open_minor end
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) line;
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
  from public.lines line
  where line.tenant_id = private.tenant_id() and line.id = private.line_id($1);
  if not found then
    perform private.refuse_missing('line');
  end if;
  if reconciliation is not null then
    perform
    from public.reconciliations own_period
    join public.pairs pair on pair.tenant_id = own_period.tenant_id
      and pair.pair_no = own_period.pair_no
    where own_period.tenant_id = l.tenant_id and own_period.id = reconciliation
      and l.source_no in (pair.left_source_no, pair.right_source_no);
    if not found then
      perform private.refuse_field('reconciliation_id',
        'There is no such reconciliation of the line''s source.');
    end if;
    return reconciliation;
  end if;
  select array_agg(pair.pair_no) into pairs from public.pairs pair
  where pair.tenant_id = l.tenant_id and l.source_no in (pair.left_source_no, pair.right_source_no);
  if cardinality(pairs) > 1 then
    perform private.refuse_field('reconciliation_id',
      'The line''s source is compared with several others: name the reconciliation.');
  end if;
  select own_period.id into period from public.reconciliations own_period
  where own_period.tenant_id = l.tenant_id and own_period.pair_no = any (pairs)
    and own_period.closed_at is null and own_period.status <> 'archived'
    and own_period.period_end >= l.value_date
  order by own_period.period_end limit 1;
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
  delete from private.open_lines open_line using public.lines line
  where line.tenant_id = tenant and line.id = private.line_id($1) and open_line.tenant_id = tenant
    and open_line.pair_no = r.pair_no and open_line.line_no = line.line_no
    and open_line.value_date <= r.period_end
  returning open_line.* into o;
  if not found then
    perform private.refuse_conflict('line_not_open',
      'Nothing of this line is open in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone later.
  insert into public.exclusions as exclusion (tenant_id, pair_no, line_no, reconciliation_id, side,
    currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no)
    do update set excluded_minor = exclusion.excluded_minor + excluded.excluded_minor,
    reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where exclusion.reconciliation_id = excluded.reconciliation_id;
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
  select r2.* into r from public.lines line
  join public.exclusions exclusion on exclusion.tenant_id = line.tenant_id
    and exclusion.line_no = line.line_no
  join public.reconciliations r2 on r2.tenant_id = exclusion.tenant_id
    and r2.id = exclusion.reconciliation_id
  where line.tenant_id = tenant and line.id = private.line_id($1)
    and (period is null or r2.id = period)
  order by r2.period_end desc limit 1;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  r := private.lock_period(tenant, r.id);
  delete from public.exclusions exclusion using public.lines line
  where line.tenant_id = tenant and line.id = private.line_id($1) and exclusion.tenant_id = tenant
    and exclusion.pair_no = r.pair_no and exclusion.line_no = line.line_no
  returning exclusion.* into x;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  insert into private.open_lines as open_line (tenant_id, pair_no, line_no, side, currency,
    amount_minor, open_minor, value_date)
  select tenant, x.pair_no, line.line_no, x.side, line.currency,
    case source.sign when 'inverted' then -line.amount_minor else line.amount_minor end,
    x.excluded_minor, line.value_date
  from public.lines line
    join public.sources source on source.tenant_id = line.tenant_id
      and source.source_no = line.source_no
  where line.tenant_id = tenant and line.line_no = x.line_no
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = open_line.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, x.pair_no, array[x.line_no]);
  update private.acts act set undone_at = now(), undone_by = private.actor()
  where act.tenant_id = tenant and act.line_id = private.line_id($1)
    and act.reconciliation_id = r.id and act.undone_at is null;
  perform private.record_period_work(r.id);
  perform private.revoke_signatures(tenant, array[r.id], 'A line was included again.');
  perform private.record_security_event('line.included', $1, null,
    jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
  return r.id;
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
end $function$;
CREATE OR REPLACE FUNCTION private.rejected_matches_of_line(r public.reconciliations, line_no bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('left', rejected.lefts, 'right', rejected.rights)),
      '[]')
    from (
      select coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'left'),
        '[]') as lefts,
        coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'right'),
          '[]') as rights
      from public.match_members mine
      join public.matches match on match.tenant_id = mine.tenant_id and match.id = mine.match_id
        and match.decided_by is not null and match.state in ('rejected', 'undone')
      join public.match_members other on other.tenant_id = match.tenant_id
        and other.match_id = match.id
      join public.lines ml on ml.tenant_id = other.tenant_id and ml.line_no = other.line_no
      where mine.tenant_id = r.tenant_id and mine.line_no = rejected_matches_of_line.line_no
        and mine.pair_no = r.pair_no
      group by match.id
    ) rejected
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_line_suggestions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  l public.lines;
  o private.open_lines;
  p public.pairs;
  policy jsonb;
begin
  perform private.begin_request(request, 'list_line_suggestions');
  r := private.find_period(
    private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into l
  from public.lines line
  where line.tenant_id = r.tenant_id and line.id = private.line_id(input ->> 'id');
  select * into o
  from private.open_lines open_line
  where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
    and open_line.line_no = l.line_no;
  select * into p from public.pairs pair
  where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no;
  policy := private.policy_of_pair(r.tenant_id, r.pair_no);
  return jsonb_build_object(
    'reconciliation_id', r.id, 'side', o.side, 'weights', p.weights,
    'open_days', private.open_days(r.tenant_id, policy ->> 'calendar_id') -> 'open_days',
    'line', case when o.line_no is not null then private.engine_line(l, o.open_minor, policy) end,
    'rules',
    (select rules_version.rules from public.pair_rules rules_version
      where rules_version.tenant_id = r.tenant_id and rules_version.pair_no = r.pair_no
        and rules_version.version = p.rules_version),
    'candidates', private.suggestion_candidates(r, o, policy),
    'rejected', private.rejected_matches_of_line(r, l.line_no)
  );
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
        then 'exists (select from public.lines line
          where line.tenant_id = $1 and line.line_no = x.line_no and '
        || private.line_search(q, 'private.line_text(line)') || ')' end,
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
        from public.matches match
        join public.match_members mm on mm.tenant_id = match.tenant_id and mm.match_id = match.id
        where match.tenant_id = $1 and match.reconciliation_id = $8
          and match.state = 'suggested'))$c$
      -- With a lookup for each line until the page is full.
      when false then $c$(
        select true
        from public.match_members mm
        join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3
          and match.state = 'suggested' and match.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_open_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  q constant text := nullif(btrim(input ->> 'q'), '');
  r public.reconciliations;
  -- If the cursor's line was removed, its day or amount is read from the start.
  after_no bigint;
  hits bigint[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_open_lines');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return private.page(null, page_size, 'id');
  end if;
  if input ->> 'after' is not null then
    after_no := coalesce(private.line_no_of(input -> 'after' ->> 1), 0);
  end if;
  if q is not null then
    hits := private.find_lines_of_caller(q, (
      select array[pair.left_source_no, pair.right_source_no]
      from public.pairs pair
      where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no),
        5000);
  end if;
  select jsonb_agg(private.open_line_json(line, open_line.side, open_line.amount_minor,
    open_line.open_minor, r)
  order by open_line.n) into items
  from private.open_lines_of_caller(r, input, hits, private.amount_of_word(q), after_no,
    page_size + 1) open_line
  cross join lateral (select * from public.lines line
    where line.tenant_id = r.tenant_id and line.line_no = open_line.line_no offset 0) line;
  return private.page(items, page_size,
    case input ->> 'sort' when 'amount' then 'open_minor' else 'value_date' end, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_json(l public.lines, side text, amount_minor bigint, open_minor bigint, r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', private.line_id_text(l.id), 'side', side, 'currency', l.currency, 'amount_minor',
    amount_minor, 'open_minor', open_minor,
    'fee_minor', nullif(private.fee_of_whole(l, open_minor), 0), 'value_date', l.value_date,
    'booked_date', l.booked_date,
    'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
    'group_key', l.group_key, 'external_id', l.external_id,
    'suggestion', (
      select jsonb_build_object('match_id', private.match_id_text(match.id), 'score', match.score,
        'shape', match.shape)
      from public.match_members mm
        join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and mm.pair_no = r.pair_no
        and match.state = 'suggested' and match.reconciliation_id = r.id
      order by match.score desc nulls last, match.id limit 1
    ),
    'exception_id', (
      select exception.id from (
        select exception_line.exception_id from private.exception_lines exception_line
        where exception_line.tenant_id = l.tenant_id and exception_line.line_no = l.line_no
          and exception_line.pair_no = r.pair_no offset 0
      ) exception_line cross join lateral (
        select exception.id
        from public.exceptions exception
        where exception.tenant_id = l.tenant_id and exception.id = exception_line.exception_id
          and exception.status in ('open', 'in_review') offset 0
      ) exception
      limit 1
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.request_runs_by_calendar(calendar text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  pairs constant integer[] := array(
    select own_pair.pair_no
    from public.pairs own_pair
    join public.pair_rules pair_rule on pair_rule.tenant_id = own_pair.tenant_id
      and pair_rule.pair_no = own_pair.pair_no and pair_rule.version = own_pair.rules_version
    where own_pair.tenant_id = private.tenant_id() and pair_rule.policy ->> 'calendar_id' = calendar
  );
begin
  perform private.request_runs(private.tenant_id(), pair) from unnest(pairs) pair;
  return (
    select count(*) from public.reconciliations period
    where period.tenant_id = private.tenant_id() and period.pair_no = any (pairs)
      and period.closed_at is null and period.status <> 'archived'
  );
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
  from public.reconciliations period
  where period.tenant_id = private.tenant_id() and period.id = reconciliation for no key update;
  if r.closed_at is not null and trial is null then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse_conflict('archived',
      'The reconciliation is archived: it does not change any more.');
  end if;
  if trial is null then
    perform private.require_not_closing(r.tenant_id, r.pair_no, r.id);
    select * into asked from public.runs run
    where run.tenant_id = r.tenant_id and run.reconciliation_id = r.id and run.status = 'queued'
      and run.dry_run is null;
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
CREATE OR REPLACE FUNCTION private.suggested_lines(r public.reconciliations)
 RETURNS TABLE(currency text, side text, lines bigint, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select open_line.currency, open_line.side, count(*), sum(open_line.open_minor)
  from (
    select distinct mm.line_no
    from public.matches match cross join lateral (
      select member.line_no
      from public.match_members member
      where member.tenant_id = match.tenant_id and member.match_id = match.id offset 0
    ) mm
    where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
      and match.state = 'suggested'
  ) suggested cross join lateral (
    select open_line.currency, open_line.side, open_line.open_minor
    from private.open_lines open_line
    where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
      and open_line.line_no = suggested.line_no offset 0
  ) open_line
  group by open_line.currency, open_line.side;
end $function$;
CREATE OR REPLACE FUNCTION private.start_run(r public.reconciliations, p public.pairs, queued public.runs, engine text, circumstances jsonb, calendar jsonb)
 RETURNS public.runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  begun public.runs := queued;
begin
  if begun.id is null then
    insert into public.runs (tenant_id, reconciliation_id, pair_no)
    select period.tenant_id, period.id, period.pair_no
    from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.id = r.id for key share
    returning * into begun;
  end if;
  update public.runs run
  set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version,
    engine_version = engine, conditions = circumstances,
    calendar_id = calendar ->> 'calendar_id',
    calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = run.attempt + 1
  where run.tenant_id = r.tenant_id and run.id = begun.id returning * into begun;
  return begun;
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
  from public.reconciliations period
  where period.tenant_id = tenant and period.id = reconciliation;
  waiting := private.run_to_begin(r, asked);
  begun := waiting.run;
  select * into p from public.pairs pair where pair.tenant_id = tenant and pair.pair_no = r.pair_no;
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
  if begun.id is null then
    return null;
  end if;
  -- held_back: why lines are open, if only exceptions are left to open. short_after: the last run,
  -- if what is new may be decided first.
  return private.run_order(r, p, begun, policy, calendar) || jsonb_build_object(
    'held_back', held_back, 'short_after', case when is_short then to_jsonb(last_ended) end);
end $function$;
CREATE OR REPLACE FUNCTION private.run_totals(tenant text, reconciliation text, run text, rules text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  totals record;
begin
  select * into strict r
  from public.reconciliations period
  where period.tenant_id = tenant and period.id = reconciliation;
  select * into totals from private.digest_of_period(tenant, r.id);
  return jsonb_build_object('digest', totals.digest, 'suggested_count', totals.suggested,
    'open_count', (
      select count(*)
      from private.open_lines open_line
      where open_line.tenant_id = tenant and open_line.pair_no = r.pair_no
        and open_line.value_date <= r.period_end),
    'waterfall', private.full_waterfall(r, rules),
    'violations', private.violations_of_period(tenant, r.id, run));
end $function$;
CREATE OR REPLACE FUNCTION private.save_matches(tenant text, reconciliation text, run text, attempt integer, gone uuid[], ids uuid[], states text[], shapes text[], methods text[], settled boolean[], scores real[], margins real[], currencies text[], amounts bigint[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[], member_ids uuid[], member_lines bigint[], member_sides text[], member_amounts bigint[], adjustments jsonb DEFAULT '{}'::jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.drop_moved_suggestions(r public.reconciliations, lines bigint[], made uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_at_stake(tenant text, reconciliation text, matched bigint[], opened bigint[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    with grace as materialized (
      select source.source_no,
        private.last_day_of_grace(source,
          private.policy_of_pair(tenant, own_period.pair_no) ->> 'calendar_id') as day
      from public.reconciliations own_period
      join public.pairs pair on pair.tenant_id = own_period.tenant_id
        and pair.pair_no = own_period.pair_no
      join public.sources source on source.tenant_id = own_period.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
      where own_period.tenant_id = tenant and own_period.id = reconciliation
    )
    select jsonb_build_object(
      'avoided', (
        select count(distinct held.exception_id) from unnest(matched) matched_line (line_no)
        cross join lateral (
          select exception_line.exception_id from private.exception_lines exception_line
          where exception_line.tenant_id = tenant and exception_line.line_no = matched_line.line_no
            and exception_line.pair_no = period.pair_no offset 0
        ) held cross join lateral (
          select from public.exceptions exception
          where exception.tenant_id = tenant and exception.id = held.exception_id
            and (period.closed_at is not null or exception.status in ('open', 'in_review')) offset 0
        ) avoided
      ),
      'added', (
        select count(*) from unnest(opened) opened_line (line_no)
        cross join lateral (select line.source_no, line.value_date from public.lines line
          where line.tenant_id = tenant and line.line_no = opened_line.line_no offset 0) late
        join grace grace_of_source on grace_of_source.source_no = late.source_no
        where late.value_date < grace_of_source.day
          and (
            select still_open.id from (
              select exception_line.exception_id from private.exception_lines exception_line
              where exception_line.tenant_id = tenant
                and exception_line.line_no = opened_line.line_no
                and exception_line.pair_no = period.pair_no offset 0
            ) held cross join lateral (
              select exception.id from public.exceptions exception
              where exception.tenant_id = tenant and exception.id = held.exception_id
                and exception.status in ('open', 'in_review') offset 0
            ) still_open
          ) is null
      )
    )
    from public.reconciliations period where period.tenant_id = tenant
      and period.id = reconciliation
  );
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
  select pair.* into p
  from public.reconciliations own_period
  join public.pairs pair on pair.tenant_id = own_period.tenant_id
    and pair.pair_no = own_period.pair_no
  where own_period.tenant_id = tenant and own_period.id = period;
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
  update public.pairs pair
  set rules_version = p.rules_version + 1,
    weights = case when not forget then private.without_names(pair.weights, names) end
  where pair.tenant_id = tenant and pair.pair_no = p.pair_no
  returning * into p;
  if forget then
    delete from private.decisions decision
    where decision.tenant_id = tenant and decision.pair_no = p.pair_no;
  end if;
  perform private.record_security_event('matching.rules_updated', period, null,
    jsonb_build_object('from', before - '{weights}'::text[], 'to',
      private.rules_json(p) - '{weights}'::text[], 'learning_reset', forget));
  perform private.request_runs(tenant, p.pair_no);
  return p;
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
      from private.decisions decision
      where decision.tenant_id = tenant and decision.pair_no = pair
      order by decision.id
      limit most
    ) chosen
    cross join lateral (
      select min(member.line::text) filter (where member.side = 'left')::jsonb as left_line,
        min(member.line::text) filter (where member.side = 'right')::jsonb as right_line
      from (
        select mm.side, jsonb_build_object(
          'amount_minor',
          mm.allocated_minor
            - case
              when match.adjustments @> '[{"kind": "fee"}]' then private.fee_of_whole(line,
                mm.allocated_minor)
              else 0 end,
          'currency', line.currency, 'value_date', line.value_date - date '1970-01-01', 'reference',
          line.reference,
          'counterparty', line.counterparty, 'description', line.description, 'group_key',
          line.group_key) as line
        from public.match_members mm
          join public.lines line on line.tenant_id = mm.tenant_id and line.line_no = mm.line_no
        join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
        where mm.tenant_id = tenant and mm.match_id = chosen.match_id
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
  perform from public.pairs own_pair where own_pair.tenant_id = tenant and own_pair.pair_no = pair
    for no key update;
  if exists (
    select
    from public.runs own_run
    join public.pairs own_pair on own_pair.tenant_id = own_run.tenant_id
      and own_pair.pair_no = own_run.pair_no
    where own_run.tenant_id = tenant and own_run.id = run
      and own_run.rules_version <> own_pair.rules_version
  ) then
    return;
  end if;
  delete from private.decisions decision
  where decision.tenant_id = tenant and decision.pair_no = pair and decision.id <= up_to;
  get diagnostics taken = row_count;
  if taken > 0 then
    update public.pairs own_pair
    set weights = save_weights.weights
    where own_pair.tenant_id = tenant and own_pair.pair_no = pair;
  end if;
  perform private.require_attempt(tenant, run, attempt);
end $function$;
CREATE OR REPLACE FUNCTION private.members_of(tenant text, match_ids uuid[], until date DEFAULT NULL::date)
 RETURNS TABLE(match_id uuid, line_no bigint, side text, allocated_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  if until is null then
    return query select member.match_id, member.line_no, member.side, member.allocated_minor
      from public.match_members member
      where member.tenant_id = tenant and member.match_id = any ((select match_ids)::uuid[])
        order by member.match_id;
  else
    return query
    with members as materialized (select * from private.members_of(tenant, match_ids))
    select member.match_id, member.line_no, member.side, member.allocated_minor from members member
    join (
      select line.line_no from public.lines line
      where line.tenant_id = tenant
        and line.line_no = any (array(select member.line_no from members member))
        and line.value_date <= until
        order by line.line_no
    ) line on line.line_no = member.line_no;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_up_to_end(r public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with sides as materialized (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
      join public.sources source on source.tenant_id = pair.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  )
  select line.currency, source.side, count(*), sum(source.factor * line.amount_minor)
  from sides source
    join public.lines line on line.tenant_id = r.tenant_id and line.source_no = source.source_no
      and line.value_date <= r.period_end
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_around(r public.reconciliations)
 RETURNS TABLE(currency text, side text, earlier numeric, matched numeric, excluded numeric, later numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with of_pair as materialized (
    select period.id,
      case when period.id = r.id then 0
        when period.period_end < r.period_start then -1 else 1 end as place
    from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
  ), confirmed as (
    select match.currency, period.place, array_agg(match.id) as ids
    from of_pair period
      join public.matches match on match.tenant_id = r.tenant_id
        and match.reconciliation_id = period.id and match.state = 'confirmed'
    group by 1, 2
  ), settled as (
    -- What later periods settled, only of lines that this period covers.
    select match_group.currency, mm.side, match_group.place, mm.minor as matched, 0 as excluded
    from confirmed match_group
      cross join lateral private.allocated_in(r.tenant_id, match_group.ids,
        case when match_group.place = 1 then r.period_end end) mm
    union all
    select exclusion.currency, exclusion.side, period.place, 0, sum(exclusion.excluded_minor)
    from of_pair period
      join public.exclusions exclusion on exclusion.tenant_id = r.tenant_id
        and exclusion.reconciliation_id = period.id
      join public.lines line on line.tenant_id = exclusion.tenant_id
        and line.line_no = exclusion.line_no and line.value_date <= r.period_end
    group by 1, 2, 3
  )
  select settlement.currency, settlement.side,
    coalesce(sum(settlement.matched + settlement.excluded) filter (where settlement.place = -1), 0),
    coalesce(sum(settlement.matched) filter (where settlement.place = 0), 0),
    coalesce(sum(settlement.excluded) filter (where settlement.place = 0), 0),
    coalesce(sum(settlement.matched + settlement.excluded) filter (where settlement.place = 1), 0)
  from settled settlement
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.proof_rows(r public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, lines numeric, matched numeric, excluded numeric, open numeric, adjustments numeric, residual numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with came as materialized (
    select * from private.lines_up_to_end(r)
  ), settled as materialized (
    select * from private.settled_around(r)
  ), still_open as materialized (
    select open_line.currency, open_line.side, sum(open_line.open_minor) as minor
    from private.open_lines open_line
    where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
      and open_line.value_date <= r.period_end
    group by 1, 2
  ), explained as materialized (
    select explanation.currency, explanation.residual, explanation.adjustments
    from private.explained_in_period(r) explanation
  ), rows as (
    select used.currency, sides.side, case sides.side when 'left' then 1 else -1 end as sign
    from (
      select arrival.currency from came arrival
      union select settlement.currency from settled settlement
      union select open_sum.currency from still_open open_sum
      union select explanation.currency from explained explanation
    ) used cross join (values ('left'), ('right')) sides (side)
  )
  select proof_row.currency, proof_row.side, coalesce(arrival.line_count, 0),
    coalesce(arrival.minor, 0) - coalesce(settlement.earlier, 0), coalesce(settlement.matched, 0),
    coalesce(settlement.excluded, 0), coalesce(open_sum.minor, 0) + coalesce(settlement.later, 0),
    greatest(proof_row.sign * coalesce(explanation.adjustments, 0), 0),
    greatest(proof_row.sign * coalesce(explanation.residual, 0), 0)
  from rows proof_row
    left join came arrival on arrival.currency = proof_row.currency
      and arrival.side = proof_row.side
    left join settled settlement on settlement.currency = proof_row.currency
      and settlement.side = proof_row.side
    left join still_open open_sum on open_sum.currency = proof_row.currency
      and open_sum.side = proof_row.side
    left join explained explanation on explanation.currency = proof_row.currency
  order by proof_row.currency, proof_row.side;
end $function$;
CREATE OR REPLACE FUNCTION private.close_preview(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'suggestions_count', (
      select count(*) from public.matches match
      where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
        and match.state = 'suggested'
    ),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = r.tenant_id and exception.reconciliation_id = r.id
        and exception.line_no is not null and exception.status in ('open', 'in_review')
    ),
    'days_until_over', (
      select greatest(0, r.period_end + 1 - min((now() at time zone source.time_zone)::date))
      from public.sources source
      where source.tenant_id = r.tenant_id and source.id in (r.left_source_id, r.right_source_id)
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.full_waterfall(r public.reconciliations, rules text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  people constant integer := 1000;
  excluded constant integer := 1001;
begin
  return (
    -- There may be a million settled matches: each has two whole lines.
    with settled as materialized (
      select coalesce(array_position(rules, match.method), 999) as place, match.method as rule,
        match.currency, count(*) as matches, sum(match.amount_minor) as minor
      from public.matches match
      where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id and match.settled
        and match.state = 'confirmed' and match.decided_by is null group by 1, 2, 3
    ), made as materialized (
      select case when match.decided_by is not null then people
        else coalesce(array_position(rules, match.method), 999) end as place,
        case when match.decided_by is not null then 'manual' else match.method end as rule,
        match.id, match.currency from public.matches match
      where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
        and match.state = 'confirmed' and not (match.settled and match.decided_by is null)
    ), taken as materialized (
      select match_made.place, match_made.rule, match_made.currency, mm.line_no, mm.side,
        mm.allocated_minor as minor from made match_made
        join private.members_of(r.tenant_id, array(select match_made.id from made match_made)) mm
          on mm.match_id = match_made.id
      union all
      select excluded, 'excluded', exclusion.currency, exclusion.line_no, exclusion.side,
        exclusion.excluded_minor from public.exclusions exclusion
      where exclusion.tenant_id = r.tenant_id and exclusion.reconciliation_id = r.id
    ), first_taken as materialized (
      select distinct on (part.line_no) part.place, part.rule, part.side, part.line_no
      from taken part order by part.line_no, part.place
    ), partly_open as materialized (
      (select open_line.line_no from private.open_lines open_line
       where r.closed_at is null and open_line.tenant_id = r.tenant_id
         and open_line.pair_no = r.pair_no
         and open_line.line_no = any (array(select first_part.line_no from first_taken first_part))
       order by open_line.line_no)
      union all
      select carried.line_no from public.carried_lines carried
      where r.closed_at is not null and carried.tenant_id = r.tenant_id
        and carried.reconciliation_id = r.id
    ), counted as materialized (
      select first_part.place, first_part.rule,
        count(*) filter (where first_part.side = 'left') as lefts,
        count(*) filter (where first_part.side = 'right') as rights
      from first_taken first_part
      left join partly_open still_open on still_open.line_no = first_part.line_no
      where still_open.line_no is null
        -- The rest of the line was taken by an exact rule.
        and (first_part.place < people or (
          select whole.id from (
            select member.match_id from public.match_members member
            where member.tenant_id = r.tenant_id and member.line_no = first_part.line_no
              and member.pair_no = r.pair_no offset 0
          ) mm cross join lateral (
            select match.id from public.matches match
            where match.tenant_id = r.tenant_id and match.id = mm.match_id
              and match.reconciliation_id = r.id and match.settled and match.state = 'confirmed'
              and match.decided_by is null offset 0
          ) whole limit 1
        ) is null) group by 1, 2
    ), amounts as materialized (
      select amount.place, amount.rule, jsonb_agg(jsonb_build_object('currency', amount.currency,
        'left_minor', private.exact_sum(amount.left_minor), 'right_minor',
        private.exact_sum(amount.right_minor)) order by amount.currency) as amounts from (
        select part_sum.place, part_sum.rule, part_sum.currency,
          sum(part_sum.left_minor) as left_minor, sum(part_sum.right_minor) as right_minor
        from (
          select whole.place, whole.rule, whole.currency, whole.minor as left_minor,
            whole.minor as right_minor from settled whole
          union all
          select part.place, part.rule, part.currency,
            case part.side when 'left' then part.minor else 0 end,
            case part.side when 'right' then part.minor else 0 end from taken part
        ) part_sum group by 1, 2, 3
      ) amount group by 1, 2
    ), matched as materialized (
      select matching.place, matching.rule, sum(matching.matches) as matches,
        sum(matching.settled) as settled from (
        select whole.place, whole.rule, whole.matches, whole.matches as settled from settled whole
        union all
        select match_made.place, match_made.rule, 1, 0 from made match_made
      ) matching group by 1, 2
    ), suggested as materialized (
      select match.method as rule, count(*) as suggested from public.matches match
      where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
        and match.state = 'suggested' group by 1
    ), steps as (
      select given_rule.place::integer as place, given_rule.rule, 'rule' as kind
      from unnest(rules) with ordinality given_rule (rule, place)
      union
      select matching.place, matching.rule, 'rule' from matched matching where matching.place = 999
      union all
      values (people, 'manual', 'people'), (excluded, 'excluded', 'excluded')
    )
    select jsonb_agg(jsonb_build_object('kind', step.kind, 'rule', step.rule,
      'matches', coalesce(matching.matches, 0), 'suggested',
      case step.kind when 'rule' then coalesce(suggestion.suggested, 0) else 0 end,
      'left_lines', coalesce(matching.settled, 0) + coalesce(line_count.lefts, 0),
      'right_lines', coalesce(matching.settled, 0) + coalesce(line_count.rights, 0),
      'amounts', coalesce(amount.amounts, '[]')) order by step.place, step.rule)
    from steps step
    left join matched matching on matching.place = step.place and matching.rule = step.rule
    left join counted line_count on line_count.place = step.place and line_count.rule = step.rule
    left join amounts amount on amount.place = step.place and amount.rule = step.rule
    left join suggested suggestion on suggestion.rule = step.rule
  );
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
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'confirmed' and match.decided_by is null and (whole or not match.settled);
  if is_closed then
    insert into pg_temp.given_lines
    select carried.line_no, carried.side, carried.open_minor, carried.currency
    from public.carried_lines carried
    where carried.tenant_id = tenant and carried.reconciliation_id = reconciliation;
  else
    insert into pg_temp.given_lines
    select open_line.line_no, open_line.side, open_line.open_minor, open_line.currency
    from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = pair
      and open_line.value_date <= period_end;
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
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested';
  perform private.show_matches_made();
  return query
  select count(*) filter (where given_line.side = 'left'),
    count(*) filter (where given_line.side = 'right')
  from pg_temp.given_lines given_line;
end $function$;
CREATE OR REPLACE FUNCTION private.refused_combinations(tenant text, pair integer)
 RETURNS TABLE(left_ids text[], right_ids text[])
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  with members as materialized (
    select member.match_id, member.line_no, member.side from public.match_members member
    where member.tenant_id = tenant and member.match_id = any (array(
      select match.id from public.matches match
      where match.tenant_id = tenant and match.pair_no = pair and match.decided_by is not null
        and match.state in ('rejected', 'undone')))
    order by member.match_id
  )
  select array_agg(line.id::text) filter (where mm.side = 'left'),
    array_agg(line.id::text) filter (where mm.side = 'right')
  from members mm
  join (
    select line.id, line.line_no from public.lines line
    where line.tenant_id = tenant
      and line.line_no = any (array(select any_member.line_no from members any_member))
      order by line.line_no
  ) line on line.line_no = mm.line_no
  group by mm.match_id;
end $function$;
CREATE OR REPLACE FUNCTION private.load_short_run(tenant text, reconciliation text, most integer, OUT left_lines bigint, OUT right_lines bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r constant public.reconciliations := (select period from public.reconciliations period
    where period.tenant_id = tenant and period.id = reconciliation);
  minors bigint[];
begin
  perform private.begin_reading(tenant);
  create temp table held_lines (line_no bigint not null) on commit drop;
  create temp table new_lines on commit drop as
  select open_line.line_no, open_line.open_minor from private.new_open_lines(r, most + 1) open_line;
  minors := array(select distinct new_line.open_minor from pg_temp.new_lines new_line);
  if (select count(*) from pg_temp.new_lines) > most then
    return;
  end if;
  perform private.load_weighed_lines(r, minors);
  with found as (
    select open_line.line_no, open_line.side, open_line.open_minor, open_line.currency,
      open_line.amount_minor from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = r.pair_no
      and open_line.side = any ('{left,right}')
      and -abs(open_line.open_minor) = any (array(select -abs(minor) from unnest(minors) minor))
      and open_line.open_minor = any (minors) and open_line.value_date <= r.period_end
    limit most * 5
  ), held as (
    insert into pg_temp.held_lines
    select finds.line_no from found finds where finds.open_minor <> finds.amount_minor
  )
  insert into pg_temp.given_lines select finds.line_no, finds.side, finds.open_minor, finds.currency
  from found finds;
  perform private.take_up_settled(tenant, reconciliation);
  perform private.load_lines_of_matches(tenant, true);
  if (select count(*) from pg_temp.given_lines) >= most * 5 then
    return;
  end if;
  perform private.show_lines_to_weigh();
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested' and match.id = any (array(
      select mm.match_id from public.match_members mm
      where mm.tenant_id = tenant and mm.pair_no = r.pair_no
        and mm.line_no = any (array(select given_line.line_no
          from pg_temp.given_lines given_line))));
  perform private.show_matches_made();
  select count(*) filter (where given_line.side = 'left'),
    count(*) filter (where given_line.side = 'right')
  into left_lines, right_lines
  from pg_temp.given_lines given_line;
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
    select format('Match %s does not add up.', match.id)
    from public.matches match
    join private.members_of(tenant, array(
      select mm.match_id from public.match_members mm
      where mm.tenant_id = tenant and mm.line_no = any (lines))) mm on mm.match_id = match.id
    where match.tenant_id = tenant and match.run_id = run
    group by match.id, match.residual_minor
    having sum(case mm.side when 'left' then mm.allocated_minor
      else -mm.allocated_minor end) <> match.residual_minor);
  update public.runs own_run set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = own_run.lines_total, digest = outcome ->> 'digest',
    suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall',
    changed = outcome -> 'changed',
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where own_run.tenant_id = tenant and own_run.id = run
  returning * into x;
  perform private.queue_full_run(period) from public.reconciliations period
  where period.tenant_id = tenant and period.id = x.reconciliation_id;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
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
      'side', source.side, 'name', source.name, 'until', source.until,
      'missing_days', private.business_days_between(r.tenant_id,
        private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'calendar_id',
        coalesce(source.until, r.period_start - 1), r.period_end),
      'breaks',
      private.balance_breaks(r.tenant_id, source.source_no, source.currency, r.period_start,
        r.period_end),
      'has_balance', exists (
        select
        from private.balance_on(r.tenant_id, source.source_no, source.currency, r.period_end))
    ) order by source.side)
    from (
      select source.source_no, source.name, source.currency,
        case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
        greatest(
          (select max(line.value_date) from public.lines line
            where line.tenant_id = source.tenant_id and line.source_no = source.source_no),
          (select max(balance.period_end) from public.source_balances balance
            where balance.tenant_id = source.tenant_id
              and balance.source_no = source.source_no)) as until
      from public.pairs pair
      join public.sources source on source.tenant_id = pair.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
      where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
    ) source
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_closable(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and period.period_end < r.period_start and period.closed_at is null
      and period.status <> 'archived'
  ) then
    perform private.refuse_conflict('earlier_period_open',
      'An earlier period of these sources is open. Close that one first.');
  elsif private.run_is_under_way(r) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs pair
    join public.imports import on import.tenant_id = pair.tenant_id
      and import.source_no in (pair.left_source_no, pair.right_source_no)
      and import.status = 'undoing'
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  ) then
    perform private.refuse_conflict('lines_changing',
      'An import of its sources is being undone. Close it when that is done.');
  end if;
  perform private.require_signatures(r);
  perform private.require_checks(r);
  if private.requires_second_person(r) and private.worked_in_period(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added '
      'lines in this period. Someone who did not has to close it.');
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
  select open_line.tenant_id, r.id, open_line.line_no, open_line.side, open_line.open_minor,
    open_line.currency, open_line.value_date
  from private.open_in_period(r) open_line
  order by open_line.line_no;
  r.closed_at := now();
  r.closed_by := write_closing.closed_by;
  statement := private.statement_json(r)
    || jsonb_build_object('evidence', private.list_evidence_on_statement(r))
    || private.write_entries(r);
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse_conflict('proof_broken',
      'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  select difference into unexplained
  from jsonb_array_elements(statement -> 'differences') difference
  where difference -> 'difference_minor' <> '0'
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
  update public.closings closing set digest = private.closing_digest(r.tenant_id, r.id)
  where closing.tenant_id = r.tenant_id and closing.reconciliation_id = r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.complete_closing(before public.reconciliations)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.closings;
  r public.reconciliations;
begin
  select * into strict c
  from public.closings closing
  where closing.tenant_id = before.tenant_id and closing.reconciliation_id = before.id;
  delete
  from private.closing_requests closing_request
  where closing_request.tenant_id = before.tenant_id
    and closing_request.reconciliation_id = before.id;
  perform private.carry_forward(before);
  perform private.sign_statement(c);
  if before.status = 'open' then
    update public.reconciliations period
    set status = 'in_progress'
    where period.tenant_id = before.tenant_id and period.id = before.id;
  end if;
  update public.reconciliations period
  set status = 'completed', closed_at = c.closed_at, closed_by = c.closed_by
  where period.tenant_id = before.tenant_id and period.id = before.id
  returning * into r;
  perform private.complete_last_run(r);
  perform private.record_security_event('reconciliation.closed', r.id, null,
    jsonb_build_object('name', r.name, 'digest', c.digest,
      'open_lines', c.statement -> 'outstanding_count', 'open_money', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', balance -> 'currency', 'side',
          balance -> 'side', 'open_minor', balance -> 'outstanding_minor')), '[]')
        from jsonb_array_elements(c.statement -> 'balances') balance
        where balance -> 'outstanding_minor' <> '0'
      )) || private.complete_entry_batch(r));
  perform private.queue_book_recount(r.tenant_id, r.pair_no);
  perform private.emit(r.tenant_id, 'reconciliation.closed',
    jsonb_build_object('reconciliation', private.reconciliation_json(r)));
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
    select from private.period_workers worker
    where worker.tenant_id = tenant and worker.reconciliation_id = r.id
      and ((worker.issuer, worker.subject) = (private.actor_issuer(), private.actor_subject())
        or worker.name = who or worker.is_service_role and is_admin)
  ) or exists (
    select from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = r.id
      and (match.method = 'manual' and match.created_by = who
        or match.state = 'undone' and match.decided_by = who)
  ) or exists (
    select from private.acts act where act.tenant_id = tenant and act.reconciliation_id = r.id
      and (act.kind in ('match', 'exclude') and act.created_by = who or act.undone_by = who)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.write_requested_closing(tenant text, reconciliation text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  q private.closing_requests;
begin
  if current_setting('transaction_isolation') = 'read committed' then
    raise exception 'A closing is written down of one snapshot.';
  end if;
  select * into q
  from private.closing_requests closing_request
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation
    and closing_request.failure is null;
  if not found then
    return false;
  end if;
  -- Written by an earlier attempt.
  if not exists (select from public.closings closing
    where closing.tenant_id = tenant and closing.reconciliation_id = reconciliation) then
    perform private.write_closing(period, q.asked_by #>> '{claims,actor}')
    from public.reconciliations period
    where period.tenant_id = tenant and period.id = reconciliation;
  end if;
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.move_suggestions_of_closing(tenant text, reconciliation text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  target text;
  ids uuid[];
begin
  perform private.lock_pair(closing_request.tenant_id, closing_request.pair_no)
  from private.closing_requests closing_request
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation;
  perform
  from private.closing_requests closing_request
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation
    and closing_request.failure is null;
  if not found then
    return 0;
  end if;
  select * into strict r
  from public.reconciliations period
  where period.tenant_id = tenant and period.id = reconciliation;
  target := private.next_open_period(r);
  if target is null then
    return 0;
  end if;
  ids := array(
    select match.id
    from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = reconciliation
      and match.state = 'suggested'
    order by match.id limit 5000
  );
  perform private.move_suggestions(tenant, ids, target);
  return cardinality(ids);
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_with_open_lines(tenant text, pair integer, periods text[])
 RETURNS TABLE(id text, last_date date)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select exception.id, max(open_line.value_date)
  from public.exceptions exception
  join private.exception_lines exception_line on exception_line.tenant_id = exception.tenant_id
    and exception_line.exception_id = exception.id
  join private.open_lines open_line
    on open_line.tenant_id = exception_line.tenant_id
      and open_line.pair_no = exception_line.pair_no
      and open_line.line_no = exception_line.line_no
  where exception.tenant_id = tenant and exception.pair_no = pair
    and exception.reconciliation_id = any (periods) and exception.status in ('open', 'in_review')
    and exception_line.pair_no = pair
  group by exception.id;
end $function$;
CREATE OR REPLACE FUNCTION private.carry_forward(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  target constant text := private.next_open_period(r);
  periods constant text[] := array(
    select period.id from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and (period.id = r.id or period.period_end < r.period_start and period.closed_at is not null)
  );
begin
  if target is null then
    return;
  end if;
  perform private.move_suggestions(r.tenant_id, array(
    select match.id from public.matches match
    where match.tenant_id = r.tenant_id and match.reconciliation_id = any (periods)
      and match.state = 'suggested'
  ), target);
  perform private.move_exceptions(r.tenant_id, array(
    select exception.id
    from private.exceptions_with_open_lines(r.tenant_id, r.pair_no, periods) exception
  ), target);
end $function$;
CREATE OR REPLACE FUNCTION private.bring_back(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  later constant text[] := array(
    select period.id from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and period.period_start > r.period_end and period.closed_at is null
  );
  suggested uuid[];
begin
  select coalesce(array_agg(match.id), '{}') into suggested from public.matches match
  where match.tenant_id = r.tenant_id and match.reconciliation_id = any (later)
    and match.state = 'suggested';
  perform private.move_suggestions(r.tenant_id, array(
    select member.match_id
    from private.members_of(r.tenant_id, suggested) member
    join (
      select open_line.line_no, open_line.value_date from private.open_lines open_line
      where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
    ) open_line on open_line.line_no = member.line_no
    group by member.match_id having max(open_line.value_date) <= r.period_end
  ), r.id);
  perform private.move_exceptions(r.tenant_id, array(
    select exception.id
    from private.exceptions_with_open_lines(r.tenant_id, r.pair_no, later) exception
    where exception.last_date <= r.period_end
  ), r.id);
end $function$;
CREATE OR REPLACE FUNCTION private.residual_items(r public.reconciliations, after_id uuid, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(match.id), 'line_id',
        private.line_id_text(line.id), 'value_date', line.value_date,
      'currency', match.currency, 'amount_minor', match.residual_minor, 'reference', line.reference,
      'counterparty', line.counterparty,
      'description', line.description, 'reason', match.method, 'decided_by', match.decided_by,
      'decided_at', private.iso(match.decided_at))
        order by match.id)
    from (
      select match.id, match.currency, match.residual_minor, match.method, match.decided_by,
        coalesce(match.decided_at, match.created_at) as decided_at
      from public.matches match
      where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
        and match.state = 'confirmed' and match.residual_minor <> 0
        and match.id > coalesce(after_id, '00000000-0000-0000-0000-000000000000')
      order by match.id limit most
    ) match
    cross join lateral (
      select mm.line_no
      from public.match_members mm
      where mm.tenant_id = r.tenant_id and mm.match_id = match.id
      order by abs(mm.allocated_minor) desc, mm.line_no limit 1
    ) largest
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = r.tenant_id and line.line_no = largest.line_no offset 0
    ) line
  );
end $function$;
CREATE OR REPLACE FUNCTION private.matched_line_items(r public.reconciliations, after_id uuid, after_no bigint, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(item.id), 'line_id',
        private.line_id_text(line.id), 'side', item.side,
      'value_date', line.value_date, 'currency', item.currency,
      'amount_minor', item.allocated_minor, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description, 'method', item.method,
      'note', item.note, 'decided_by', item.decided_by,
      'decided_at', private.iso(item.decided_at)) order by item.id, item.line_no)
    from (
      select match.*, mm.line_no, mm.side, mm.allocated_minor
      from (
        select match.id, match.currency, match.method, match.note, match.decided_by,
          coalesce(match.decided_at, match.created_at) as decided_at
        from public.matches match
        where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
          and match.state = 'confirmed'
          and match.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        -- Each match has at least one line; all lines of the first may have been returned already.
        order by match.id limit most + 1
      ) match
      cross join lateral (
        select member.line_no, member.side, member.allocated_minor
        from public.match_members member
        where member.tenant_id = r.tenant_id and member.match_id = match.id offset 0
      ) mm
      where (match.id > after_id or mm.line_no > after_no) is not false
      order by match.id, mm.line_no limit most
    ) item
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = r.tenant_id and line.line_no = item.line_no offset 0
    ) line
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_in_period(r public.reconciliations)
 RETURNS TABLE(tenant_id text, line_no bigint, side text, currency text, value_date date, open_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select r.tenant_id, open_part.line_no, open_part.side, open_part.currency, open_part.value_date,
    sum(open_part.minor)::bigint
  from (
    select open_line.line_no, open_line.side, open_line.currency, open_line.value_date,
      open_line.open_minor as minor
    from private.open_lines open_line
    where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
      and open_line.value_date <= r.period_end
    union all
    select mm.line_no, mm.side, match.currency, line.value_date, mm.allocated_minor
    from public.reconciliations later
    join public.matches match on match.tenant_id = r.tenant_id
      and match.reconciliation_id = later.id and match.state = 'confirmed'
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor
      from public.match_members mm
      where mm.tenant_id = match.tenant_id and mm.match_id = match.id offset 0
    ) mm
    cross join lateral (
      select line.value_date
      from public.lines line
      where line.tenant_id = match.tenant_id and line.line_no = mm.line_no
        and line.value_date <= r.period_end offset 0
    ) line
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no
      and later.period_start > r.period_end
    union all
    select exclusion.line_no, exclusion.side, exclusion.currency, line.value_date,
      exclusion.excluded_minor
    from public.reconciliations later
    join public.exclusions exclusion on exclusion.tenant_id = r.tenant_id
      and exclusion.reconciliation_id = later.id
    join public.lines line on line.tenant_id = exclusion.tenant_id
      and line.line_no = exclusion.line_no and line.value_date <= r.period_end
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no
      and later.period_start > r.period_end
  ) open_part
  group by open_part.line_no, open_part.side, open_part.currency, open_part.value_date;
end $function$;
CREATE OR REPLACE FUNCTION private.stated_balances(r public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, stated_on date, timing numeric, unaccounted numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select stated.currency, source.side, source.factor * opening_balance.minor,
    source.factor * closing_balance.minor, closing_balance.stated_on,
    coalesce((
      select sum(case when line.value_date > r.period_end then source.factor else -source.factor end
        * line.amount_minor)
      from public.lines line
      where line.tenant_id = r.tenant_id and line.source_no = source.source_no
        and line.currency = stated.currency
        and line.value_date between r.period_end - 60 and r.period_end + 60
        and (line.booked_date <= r.period_end) <> (line.value_date <= r.period_end)
    ), 0),
    source.factor * (closing_balance.minor - opening_balance.minor
      - private.booked_between(r.tenant_id, source.source_no, stated.currency, r.period_start,
        r.period_end))
  from (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  ) source
  cross join lateral (
    select distinct balance.currency from public.source_balances balance
    where balance.tenant_id = r.tenant_id and balance.source_no = source.source_no
  ) stated
  cross join lateral private.balance_on(r.tenant_id, source.source_no, stated.currency,
    r.period_end) closing_balance
  left join lateral private.balance_on(r.tenant_id, source.source_no, stated.currency,
    r.period_start - 1) opening_balance on true;
end $function$;
CREATE OR REPLACE FUNCTION private.booked_balances(r public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, line_count bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select line.currency, source.side,
    coalesce(sum(source.factor * line.amount_minor) filter (where line.value_date < r.period_start),
      0),
    sum(source.factor * line.amount_minor),
    count(*) filter (where line.value_date >= r.period_start)
  from (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  ) source
  join public.lines line on line.tenant_id = r.tenant_id and line.source_no = source.source_no
    and line.value_date <= r.period_end
  group by line.currency, source.side;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_sums(r public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, line_count bigint, outstanding numeric, excluded numeric, stated_opening numeric, stated_closing numeric, stated_on date, timing numeric, unaccounted numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with booked as materialized (
    select * from private.booked_balances(r)
  ), outstanding as materialized (
    select open_line.currency, open_line.side, sum(open_line.open_minor) as minor
    from private.outstanding_of(r) open_line
    group by open_line.currency, open_line.side
  ), excluded as materialized (
    select exclusion.currency, exclusion.side, sum(exclusion.excluded_minor) as minor
    from public.reconciliations period
    join public.exclusions exclusion on exclusion.tenant_id = period.tenant_id
      and exclusion.reconciliation_id = period.id
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and period.period_end <= r.period_end
    group by exclusion.currency, exclusion.side
  ), currencies as (
    select booked_balance.currency from booked booked_balance
    union select explanation.currency from private.statement_explained(r) explanation
  )
  select used.currency, sides.side, coalesce(booked_balance.opening, 0),
    coalesce(booked_balance.closing, 0), coalesce(booked_balance.line_count, 0),
    coalesce(open_sum.minor, 0), coalesce(exclusion_sum.minor, 0),
    stated.opening, stated.closing, stated.stated_on, stated.timing, stated.unaccounted
  from currencies used
  cross join (values ('left'), ('right')) sides (side)
  left join booked booked_balance on booked_balance.currency = used.currency
    and booked_balance.side = sides.side
  left join outstanding open_sum on open_sum.currency = used.currency and open_sum.side = sides.side
  left join excluded exclusion_sum on exclusion_sum.currency = used.currency
    and exclusion_sum.side = sides.side
  left join private.stated_balances(r) stated
    on stated.currency = used.currency and stated.side = sides.side;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_by_decisions(tenant text, pair integer)
 RETURNS TABLE(line_no bigint, id uuid, side text, currency text, value_date date, amount_minor bigint, matched_minor numeric, excluded_minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with matched as materialized (
    select mm.line_no, sum(mm.allocated_minor) as minor from public.reconciliations period
    join public.matches match on match.tenant_id = period.tenant_id
      and match.reconciliation_id = period.id and match.state = 'confirmed'
    join public.match_members mm on mm.tenant_id = match.tenant_id and mm.match_id = match.id
    where period.tenant_id = tenant and period.pair_no = pair group by 1
  ), excluded as materialized (
    select exclusion.line_no, sum(exclusion.excluded_minor) as minor
    from public.exclusions exclusion
    where exclusion.tenant_id = tenant and exclusion.pair_no = pair
    group by 1
  ), came as materialized (
    select line.line_no, line.id,
      case source.source_no when own_pair.left_source_no then 'left' else 'right' end as side,
      line.currency, line.value_date,
      case source.sign when 'inverted' then -line.amount_minor else line.amount_minor end as minor
    from public.pairs own_pair
    join public.sources source on source.tenant_id = own_pair.tenant_id
      and source.source_no in (own_pair.left_source_no, own_pair.right_source_no)
    join public.lines line on line.tenant_id = source.tenant_id
      and line.source_no = source.source_no
    where own_pair.tenant_id = tenant and own_pair.pair_no = pair
  )
  select coalesce(line.line_no, matched_line.line_no, excluded_line.line_no), line.id, line.side,
    line.currency, line.value_date, line.minor,
    coalesce(matched_line.minor, 0), coalesce(excluded_line.minor, 0)
  from came line full join matched matched_line on matched_line.line_no = line.line_no
    full join excluded excluded_line
      on excluded_line.line_no = coalesce(line.line_no, matched_line.line_no);
end $function$;
CREATE OR REPLACE FUNCTION private.books_differences(tenant text, pair integer)
 RETURNS TABLE(what text, subject text, computed text, shown text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with lines as materialized (
    select *, coalesce(private.line_id_text(line.id), 'line ' || line.line_no) as name
    from private.lines_by_decisions(tenant, pair) line
  ), periods as materialized (
    select period.*, closing.statement, closing.digest from public.reconciliations period
    left join public.closings closing on closing.tenant_id = period.tenant_id
      and closing.reconciliation_id = period.id and period.closed_at is not null
    where period.tenant_id = tenant and period.pair_no = pair
  ), matches as materialized (
    select match.id, match.reconciliation_id, match.state, match.currency, mm.line_no, mm.side,
      mm.allocated_minor, match.residual_minor
        + (select coalesce(sum((adjustment ->> 'amount_minor')::bigint), 0)
          from jsonb_array_elements(match.adjustments) adjustment) as explained
    from periods period
    join public.matches match on match.tenant_id = period.tenant_id
      and match.reconciliation_id = period.id and match.state in ('confirmed', 'suggested')
    join public.match_members mm on mm.tenant_id = match.tenant_id and mm.match_id = match.id
  ), still_open as materialized (
    select * from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = pair
  ), settled as materialized (
    -- What each closed period saw settled, by itself or an earlier one.
    select period.id as period, settlement.line_no, settlement.side, settlement.currency,
      sum(settlement.minor) as minor
    from periods period join periods earlier on earlier.period_end <= period.period_end
    join (
      select match.reconciliation_id, match.line_no, match.side, match.currency,
        match.allocated_minor as minor
      from matches match
      where match.state = 'confirmed'
      union all
      select exclusion.reconciliation_id, exclusion.line_no, exclusion.side, exclusion.currency,
        exclusion.excluded_minor
      from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.pair_no = pair
    ) settlement on settlement.reconciliation_id = earlier.id
    where period.closed_at is not null group by 1, 2, 3, 4
  ), digests as materialized (
    select period.id, period.digest, private.closing_digest(period.tenant_id, period.id) as computed
    from periods period
    where period.closed_at is not null and period.digest is not null
  ), carried as materialized (
    select carried_line.*
    from periods period
    join public.carried_lines carried_line on carried_line.tenant_id = period.tenant_id
      and carried_line.reconciliation_id = period.id
    where period.closed_at is not null
  )
  select 'decided of no line', line.name, null::text,
    concat_ws(' + ', line.matched_minor, line.excluded_minor)
  from lines line
  where line.amount_minor is null
  union all
  select 'given more than once', line.name, line.amount_minor::text,
    (line.matched_minor + line.excluded_minor)::text
  from lines line
  where line.matched_minor
    + line.excluded_minor not between least(line.amount_minor, 0) and greatest(line.amount_minor, 0)
    or line.matched_minor not between least(line.amount_minor, 0) and greatest(line.amount_minor, 0)
  union all
  select 'open', coalesce(line.name, 'line ' || open_line.line_no),
    line.amount_minor - line.matched_minor - line.excluded_minor || ' of ' || line.amount_minor
      || ' ' || line.currency || ' on ' || line.value_date || ', ' || line.side,
    open_line.open_minor || ' of ' || open_line.amount_minor || ' ' || open_line.currency || ' on '
      || open_line.value_date || ', ' || open_line.side
  from (select * from lines line where line.amount_minor is not null) line
    full join still_open open_line on open_line.line_no = line.line_no
  where not private.is_preparing(tenant, pair) and (
    line.line_no is null
      or coalesce(open_line.open_minor, 0)
        <> line.amount_minor - line.matched_minor - line.excluded_minor
    or open_line.line_no is not null
    and (open_line.amount_minor, open_line.currency, open_line.value_date, open_line.side)
      is distinct from (line.amount_minor, line.currency, line.value_date, line.side)
  )
  union all
  select 'match', private.match_id_text(match.id), min(match.explained)::text,
    sum(case match.side when 'left' then match.allocated_minor else -match.allocated_minor
      end)::text
  from matches match group by match.id
    having min(match.explained) <> sum(case match.side when 'left' then match.allocated_minor
      else -match.allocated_minor end)
  union all
  select 'side or currency of a match', private.match_id_text(match.id),
    line.side || ' ' || line.currency, match.side || ' ' || match.currency
  from matches match join lines line on line.line_no = match.line_no
    where (line.side, line.currency) <> (match.side, match.currency)
  union all
  select 'suggested though settled, or twice', line.name || ' in ' || match.reconciliation_id,
    'at most 1 while it is open', count(*)::text
  from matches match join lines line on line.line_no = match.line_no
    left join still_open open_line on open_line.line_no = match.line_no
  where match.state = 'suggested' group by line.name, match.reconciliation_id
    having count(*) > 1 or bool_or(open_line.line_no is null)
  union all
  select 'matched lines', period.id, counted.count::text, coalesce(matched_count.lines, 0)::text
  from periods period
    left join private.matched_counts matched_count on matched_count.tenant_id = period.tenant_id
      and matched_count.reconciliation_id = period.id
  cross join lateral (select count(*) from matches match
    where match.reconciliation_id = period.id and match.state = 'confirmed') counted
  where counted.count <> coalesce(matched_count.lines, 0)
  union all
  select 'open exceptions', coalesce(line.name, 'line ' || exception.line_no), 'at most 1',
    count(*)::text
  from public.exceptions exception left join lines line on line.line_no = exception.line_no
  where exception.tenant_id = tenant and exception.pair_no = pair and exception.line_no is not null
    and exception.status in ('open', 'in_review')
  group by exception.line_no, line.name having count(*) > 1
  union all
  select 'exception', exception.id, 'closed: nothing of its lines is open', exception.status
  from public.exceptions exception
  where exception.tenant_id = tenant and exception.pair_no = pair and exception.line_no is not null
    and exception.status in ('open', 'in_review') and not exists (
    select from private.exception_lines exception_line
    join still_open open_line on open_line.line_no = exception_line.line_no
    where exception_line.tenant_id = tenant and exception_line.exception_id = exception.id
      and exception_line.pair_no = pair
  )
  union all
  select 'carried',
    coalesce(line.name, 'line ' || carried_line.line_no) || ' at the end of '
      || carried_line.reconciliation_id,
    (line.amount_minor - coalesce(settled_line.minor, 0))::text, carried_line.open_minor::text
  from carried carried_line left join lines line on line.line_no = carried_line.line_no
    left join settled settled_line on settled_line.period = carried_line.reconciliation_id
      and settled_line.line_no = carried_line.line_no
  where line.amount_minor is null
    or line.amount_minor - coalesce(settled_line.minor, 0) <> carried_line.open_minor
  union all
  -- The balance that a closed period stated is what it and earlier periods settled, plus what it
  -- carried; lines that arrived later don't count.
  select 'closing balance',
    period.id || ' ' || (balance ->> 'side') || ' ' || (balance ->> 'currency'),
    recomputed.minor::text, balance ->> 'closing_minor'
  from periods period
  cross join lateral jsonb_array_elements(period.statement -> 'balances') balance
  cross join lateral (
    select coalesce(
      (select sum(settled_line.minor) from settled settled_line
        where settled_line.period = period.id and settled_line.side = balance ->> 'side'
          and settled_line.currency = balance ->> 'currency'),
      0)
      + coalesce(
        (select sum(carried_line.open_minor) from carried carried_line
          where carried_line.reconciliation_id = period.id
            and carried_line.side = balance ->> 'side'
            and carried_line.currency = balance ->> 'currency'),
        0) as minor
  ) recomputed
  where recomputed.minor <> (balance ->> 'closing_minor')::numeric
  union all
  select 'proof', period.id, 'holds', 'does not hold' from public.reconciliations period
  where period.tenant_id = tenant and period.pair_no = pair
    and not private.is_preparing(tenant, pair)
    and not coalesce((
    select (closed_period.statement #>> '{proof,holds}')::boolean
    from periods closed_period
    where closed_period.id = period.id and closed_period.closed_at is not null
  ), (private.proof_json(period) ->> 'holds')::boolean)
  union all
  select 'closing', digest.id, digest.computed, digest.digest from digests digest
  where digest.digest <> digest.computed;
end $function$;
CREATE OR REPLACE FUNCTION private.closing_digest(tenant text, reconciliation text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return encode(sha256(
    sha256(convert_to(coalesce((
      select closing.statement::text
      from public.closings closing
      where closing.tenant_id = tenant and closing.reconciliation_id = reconciliation
    ), ''), 'UTF8'))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(
            row(match.id, match.shape, match.method, match.currency, match.amount_minor,
              match.residual_minor, match.adjustments, match.note, match.decided_by,
              match.created_by)::text, 'UTF8')),
        '' order by match.id)
      from public.matches match
        where match.tenant_id = tenant and match.reconciliation_id = reconciliation
          and match.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(convert_to(row(mm.match_id, mm.line_no, mm.side, mm.allocated_minor)::text, 'UTF8')),
        '' order by mm.match_id, mm.line_no)
      from public.matches match
        join public.match_members mm on mm.tenant_id = match.tenant_id and mm.match_id = match.id
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(
            row(exclusion.line_no, exclusion.side, exclusion.currency, exclusion.excluded_minor,
              exclusion.reason, exclusion.created_by)::text, 'UTF8')),
        '' order by exclusion.line_no)
      from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.reconciliation_id = reconciliation
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(row(carried_line.line_no, carried_line.side, carried_line.currency,
            carried_line.open_minor, carried_line.value_date::text)::text, 'UTF8')),
        '' order by carried_line.line_no)
      from public.carried_lines carried_line
        where carried_line.tenant_id = tenant and carried_line.reconciliation_id = reconciliation
    ), ''))
  ), 'hex');
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
    select match.*
    from public.match_members mm
    join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
    where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no
  ), decided as materialized (
    select match.id as match_id, act.kind, act.reconciliation_id, act.created_at, act.created_by,
      act.undone_at, act.undone_by
    from matched match
    join private.acts act on act.tenant_id = match.tenant_id
      and act.reconciliation_id = match.reconciliation_id and match.id = any (act.match_ids)
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
  select 'excluded', act.created_at, act.created_by, act.reconciliation_id, null, act.reason
  from private.acts act where act.tenant_id = l.tenant_id and act.line_id = l.id
  union all
  select 'included', act.undone_at, act.undone_by, act.reconciliation_id, null, null
  from private.acts act
  where act.tenant_id = l.tenant_id and act.line_id = l.id and act.undone_at is not null;
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
  from public.lines line
  where line.tenant_id = private.tenant_id() and line.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return (
    with about as materialized (
      select exception.* from public.exceptions exception
      where exception.tenant_id = l.tenant_id and exception.id = any (array(
        select exception_line.exception_id from private.exception_lines exception_line
        where exception_line.tenant_id = l.tenant_id and exception_line.line_no = l.line_no))
      union
      select exception.* from public.exceptions exception
      where exception.tenant_id = l.tenant_id and exception.line_no = l.line_no
    ), told (type, at, actor, reconciliation_id, match_id, exception_id, import_id, note) as (
      select 'added', l.created_at, import.created_by, null, null::uuid, null, import.id,
        import.file_name
      from (select 1) one
      left join public.imports import on import.tenant_id = l.tenant_id and import.id = l.import_id
      union all
      select decision.type, decision.at, decision.actor, decision.reconciliation_id,
        decision.match_id, null, null, decision.note
      from private.decisions_about_line(l) decision
      union all
      select 'exception_opened', exception.created_at, exception.created_by,
        exception.reconciliation_id, null, exception.id, null, exception.reason_code
      from about exception
      union all
      select case exception.status when 'dismissed' then 'exception_dismissed'
          else 'exception_resolved' end,
        exception.closed_at, case when exception.resolved_by_matching then 'system' end,
        exception.reconciliation_id, null, exception.id, null, exception.resolution
      from about exception where exception.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', item.type,
      'at', private.iso(item.at), 'actor', item.actor, 'reconciliation_id', item.reconciliation_id,
      'match_id', private.match_id_text(item.match_id), 'exception_id', item.exception_id,
      'import_id', item.import_id, 'note', item.note) order by item.at, item.place), '[]'))
    from (
      select item.*, array_position(
        array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], item.type) as place
      from told item order by item.at desc limit 200
    ) item
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
  select c.tenant_id, c.reconciliation_id, coalesce(max(statement.number), 0) + 1, c.statement,
    c.digest, c.closed_by, private.actor_issuer(), private.actor_subject(), c.closed_at,
    (
      select coalesce(jsonb_agg(private.period_signature_json(signature) order by signature.number),
        '[]')
      from public.period_signatures signature
      where signature.tenant_id = c.tenant_id and signature.reconciliation_id = c.reconciliation_id
        and signature.revoked_at is null
    )
  from public.statements statement
  where statement.tenant_id = c.tenant_id and statement.reconciliation_id = c.reconciliation_id;
end $function$;
CREATE OR REPLACE FUNCTION private.entry_items(r public.reconciliations, kinds text[])
 RETURNS TABLE(kind text, match_id uuid, place integer, currency text, difference_minor bigint, line_no bigint, note text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select item.kind, match.id, item.place, match.currency, item.minor, (
      select mm.line_no from public.match_members mm
      where mm.tenant_id = match.tenant_id and mm.match_id = match.id
      order by abs(mm.allocated_minor) desc, mm.line_no limit 1
    ), coalesce(item.note, match.note)
  from public.matches match
  cross join lateral (
    select adjustment.value ->> 'kind' as kind, adjustment.place::integer as place,
      (adjustment.value ->> 'amount_minor')::bigint as minor, adjustment.value ->> 'note' as note
    from jsonb_array_elements(match.adjustments) with ordinality as adjustment (value, place)
    union all
    select 'residual', 0, match.residual_minor, null
  ) item
  where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
    and match.state = 'confirmed' and (match.adjustments <> '[]' or match.residual_minor <> 0)
    and item.minor <> 0 and item.kind = any (kinds)
  union all
  select 'excluded_' || exclusion.side, null::uuid, 0, exclusion.currency,
    case exclusion.side when 'left' then exclusion.excluded_minor
      else -exclusion.excluded_minor end, exclusion.line_no, exclusion.reason
  from public.exclusions exclusion
  where exclusion.tenant_id = r.tenant_id and exclusion.reconciliation_id = r.id
    and 'excluded_' || exclusion.side = any (kinds);
  if kinds && '{carried_left,carried_right}'::text[] then
    return query
    select 'carried_' || outstanding.side, null::uuid, 0, outstanding.currency,
      case outstanding.side when 'left' then outstanding.open_minor
        else -outstanding.open_minor end, outstanding.line_no, null
    from private.outstanding_of(r) outstanding
    where 'carried_' || outstanding.side = any (kinds) and outstanding.open_minor <> 0;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_entries(r public.reconciliations, batch text, rules jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  written integer;
begin
  insert into public.entries (tenant_id, batch_id, place, pair_no, reconciliation_id, kind,
    subject_id, subject_place, currency, amount_minor, difference_minor, debit_account,
    credit_account, tax_code, cost_center, text, value_date, reference, counterparty,
    reverses_batch, reverses_place)
  with drafts as materialized (
    select * from private.entry_drafts(r, rules)
  ), standing as materialized (
    select * from private.standing_entries(r)
  ), kept as materialized (
    select kind, subject_id, subject_place
    from standing stands join drafts draft using (kind, subject_id, subject_place)
    where (stands.difference_minor, stands.currency, stands.debit_account, stands.credit_account)
        = (draft.difference_minor, draft.currency, draft.debit_account, draft.credit_account)
      and (stands.tax_code, stands.cost_center)
        is not distinct from (draft.tax_code, draft.cost_center)
  ), posted as (
    select 0 as phase, stands.kind, stands.subject_id, stands.subject_place, stands.currency,
      stands.amount_minor, -stands.difference_minor as difference_minor,
      stands.credit_account as debit, stands.debit_account as credit, stands.tax_code,
      stands.cost_center, stands.text, stands.value_date, stands.reference, stands.counterparty,
      stands.batch_id as reversed_batch, stands.place as reversed_place
    from standing stands left join kept keeps using (kind, subject_id, subject_place)
    where keeps.kind is null
    union all
    select 1, draft.kind, draft.subject_id, draft.subject_place, draft.currency, draft.amount_minor,
      draft.difference_minor, draft.debit_account, draft.credit_account, draft.tax_code,
      draft.cost_center, draft.body, draft.value_date, draft.reference, draft.counterparty,
      null, null
    from drafts draft left join kept keeps using (kind, subject_id, subject_place)
    where keeps.kind is null
  )
  select r.tenant_id, batch,
    row_number() over (order by posting.phase, posting.kind, posting.subject_id,
      posting.subject_place), r.pair_no, r.id,
    posting.kind, posting.subject_id, posting.subject_place, posting.currency, posting.amount_minor,
    posting.difference_minor, posting.debit, posting.credit, posting.tax_code, posting.cost_center,
    posting.text, posting.value_date, posting.reference, posting.counterparty,
    posting.reversed_batch, posting.reversed_place
  from posted posting;
  get diagnostics written = row_count;
  return written;
end $function$;
CREATE OR REPLACE FUNCTION private.write_entries(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  batch constant text := private.new_id('bat');
  rules constant jsonb := (private.entry_rules_of(r.tenant_id, r.pair_no)).rules;
  b public.entry_batches;
begin
  if private.kinds_with_rule(rules) = '{}' and not exists (
    select from public.entries entry where entry.tenant_id = r.tenant_id
      and entry.pair_no = r.pair_no
  ) then
    return '{}';
  end if;
  if private.insert_entries(r, batch, rules) = 0 then
    return '{}';
  end if;
  insert into public.entry_batches (tenant_id, id, pair_no, reconciliation_id, statement_number,
    posting_date, entry_count, reversal_count, sums, digest, created_by)
  select r.tenant_id, batch, r.pair_no, r.id, coalesce((
      select max(statement.number) from public.statements statement
      where statement.tenant_id = r.tenant_id and statement.reconciliation_id = r.id), 0) + 1,
    r.period_end, count(*), count(entry.reverses_batch), private.entry_sums(r.tenant_id, batch),
    encode(sha256(string_agg(sha256(convert_to(private.entry_row(entry), 'UTF8')), ''::bytea
      order by entry.place)), 'hex'), r.closed_by
  from public.entries entry where entry.tenant_id = r.tenant_id and entry.batch_id = batch
  returning * into b;
  return jsonb_build_object('entries',
    jsonb_build_object('count', b.entry_count, 'sha256', b.digest));
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
      select match.id::text,
        row(match.id, match.shape, match.method, match.currency, match.amount_minor,
          match.residual_minor, match.adjustments, match.note, match.decided_by,
          match.created_by)::text
      from public.matches match
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed' and (after is null or match.id > after::uuid)
      order by match.id limit page_size;
    when 'members' then
      return query
      select mm.match_id || ' ' || mm.line_no,
        row(mm.match_id, mm.line_no, mm.side, mm.allocated_minor)::text
      from public.matches match
      join public.match_members mm on mm.tenant_id = match.tenant_id and mm.match_id = match.id
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed'
        and (after is null or match.id >= split_part(after, ' ', 1)::uuid
          and (mm.match_id, mm.line_no)
            > (split_part(after, ' ', 1)::uuid, split_part(after, ' ', 2)::bigint))
      order by mm.match_id, mm.line_no limit page_size;
    when 'exclusions' then
      return query
      select exclusion.line_no::text,
        row(exclusion.line_no, exclusion.side, exclusion.currency, exclusion.excluded_minor,
          exclusion.reason, exclusion.created_by)::text
      from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.reconciliation_id = reconciliation
        and (after is null or exclusion.line_no > after::bigint)
      order by exclusion.line_no limit page_size;
    when 'carried' then
      return query
      select carried_line.line_no::text,
        row(carried_line.line_no, carried_line.side, carried_line.currency, carried_line.open_minor,
          carried_line.value_date::text)::text
      from public.carried_lines carried_line
      where carried_line.tenant_id = tenant and carried_line.reconciliation_id = reconciliation
        and (after is null or carried_line.line_no > after::bigint)
      order by carried_line.line_no limit page_size;
  end case;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_signed_items(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  signed constant integer := (
    select max(statement.number) from public.statements statement
    where statement.tenant_id = r.tenant_id and statement.reconciliation_id = r.id
      and statement.reopened_at is null
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
      select array_agg(item.content order by item.n), (array_agg(item.key order by item.n desc))[1]
      into contents, last_key
      from (
        select item.*, row_number() over () as n
        from private.signed_rows(r.tenant_id, r.id, kind, after, 5000) item
      ) item;
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
  select * into s from public.statements statement
  where statement.tenant_id = r.tenant_id and statement.reconciliation_id = r.id
    and statement.number = (input ->> 'number')::integer;
  if not found then
    perform private.refuse_missing('statement');
  end if;
  chain := private.chain_state_of_caller();
  select max(event.seq) into closed_seq from public.security_events event
  where event.tenant_id = r.tenant_id and event.chain = r.tenant_id and event.target = r.id
    and event.type = 'reconciliation.closed' and event.details ->> 'digest' = s.digest;
  return jsonb_build_object(
    'statement', s.statement::text, 'signature', private.signature_json(s),
    'rules', (
      select jsonb_build_object('version', rules_version.version, 'rules', rules_version.rules,
        'policy', rules_version.policy)
      from public.pair_rules rules_version
      where rules_version.tenant_id = r.tenant_id and rules_version.pair_no = r.pair_no
        and rules_version.created_at <= s.closed_at
      order by rules_version.version desc limit 1
    ),
    'engine_versions', (
      select coalesce(jsonb_agg(distinct run.engine_version), '[]') from public.runs run
      where run.tenant_id = r.tenant_id and run.reconciliation_id = r.id
        and run.engine_version is not null
    ),
    'audit', case when closed_seq is not null then jsonb_build_object(
      'from', closed_seq,
      'through', (
        select max((checkpoint ->> 'seq')::bigint)
        from jsonb_array_elements(chain -> 'checkpoints') checkpoint
        where checkpoint ->> 'kind' = 'head'
      ),
      'checkpoints', chain -> 'checkpoints') end);
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
  select * into s from public.statements statement
  where statement.tenant_id = tenant and statement.reconciliation_id = input ->> 'id'
    and statement.number = numbered;
  if not found then
    perform private.refuse_missing('statement');
  elsif input ->> 'kind' = 'evidence' then
    return jsonb_build_object('next', null, 'rows', (
      select coalesce(jsonb_agg(evidence.content order by evidence.evidence_id), '[]')
      from public.statement_evidence evidence
      where evidence.tenant_id = tenant and evidence.reconciliation_id = s.reconciliation_id
        and evidence.number = numbered
    ));
  elsif input ->> 'kind' = 'entries' then
    return private.entry_rows(s, coalesce((input ->> 'after')::integer, 0),
      (input ->> 'limit')::integer);
  elsif s.reopened_at is not null then
    place := coalesce((input ->> 'after')::integer + 1, 0);
    contents := to_jsonb(
      private.reopened_rows(s.reconciliation_id, numbered, input ->> 'kind', place));
    return jsonb_build_object('rows', coalesce(contents, '[]'),
      'next', case when contents is not null then place::text end);
  end if;
  select jsonb_agg(item.content order by item.n), (array_agg(item.key order by item.n desc))[1]
  into contents, next_key
  from (
    select item.*, row_number() over () as n
    from private.signed_rows(tenant, s.reconciliation_id, input ->> 'kind', input ->> 'after',
      (input ->> 'limit')::integer) item
  ) item;
  return jsonb_build_object('rows', coalesce(contents, '[]'), 'next', next_key);
end $function$;
CREATE OR REPLACE FUNCTION public.get_closing_board(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'get_closing_board');
  with shown as materialized (
    select pair.pair_no, pair.opening is not null as is_preparing, left_source.id as left_id,
      left_source.name as left_name, right_source.id as right_id,
      right_source.name as right_name,
      private.default_policy() || coalesce(rules_version.policy, '{}') as policy,
      least((now() at time zone left_source.time_zone)::date,
        (now() at time zone right_source.time_zone)::date) as today
    from public.pairs pair
    join public.sources left_source on left_source.tenant_id = tenant
      and left_source.source_no = pair.left_source_no
    join public.sources right_source on right_source.tenant_id = tenant
      and right_source.source_no = pair.right_source_no
    left join public.pair_rules rules_version on rules_version.tenant_id = tenant
      and rules_version.pair_no = pair.pair_no and rules_version.version = pair.rules_version
    where pair.tenant_id = tenant and (input -> 'after' ->> 0 is null
      or (left_source.id, right_source.id) > (input -> 'after' ->> 0, input -> 'after' ->> 1))
    order by left_source.id, right_source.id limit page_size + 1
  ), periods as materialized (
    select period, pair.is_preparing, pair.today, pair.policy ->> 'calendar_id' as calendar_id,
      (pair.policy ->> 'close_days')::integer as close_days
    from shown pair join public.reconciliations period on period.tenant_id = tenant
      and period.pair_no = pair.pair_no
      and period.period_end between (input ->> 'from')::date and (input ->> 'to')::date
  ), due_days as materialized (
    select due.calendar_id, due.close_days, due.period_end,
      private.business_day_after(tenant, due.calendar_id, due.period_end, due.close_days) as due_day
    from (select distinct dated.calendar_id, dated.close_days,
      (dated.period).period_end from periods dated) due
  ), cells as materialized (
    select (dated.period).pair_no, jsonb_agg(
      private.board_period_json(dated.period, dated.is_preparing, due.due_day, dated.today)
      order by (dated.period).period_start) as periods
    from periods dated join due_days due on due.calendar_id is not distinct from dated.calendar_id
      and due.close_days = dated.close_days and due.period_end = (dated.period).period_end
    group by (dated.period).pair_no
  )
  select jsonb_agg(jsonb_build_object(
    'left_source_id', pair.left_id, 'left_source', pair.left_name,
    'right_source_id', pair.right_id, 'right_source', pair.right_name,
    'periods', coalesce(cell.periods, '[]')
  ) order by pair.left_id, pair.right_id) into items
  from shown pair left join cells cell on cell.pair_no = pair.pair_no;
  return private.page(items, page_size, 'left_source_id', 'right_source_id');
end $function$;
CREATE OR REPLACE FUNCTION private.extend_business_time(tenant text, no bigint, since timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  calendar public.calendar_versions;
  earliest timestamptz;
  latest timestamptz;
  added bigint;
  is_stale boolean;
begin
  select * into covered from private.calendar_coverage coverage
  where coverage.tenant_id = tenant and coverage.calendar_no = no for update;
  select * into calendar from public.calendar_versions version
  where version.tenant_id = tenant and version.calendar_no = no;
  is_stale := covered.covered_from < covered.covered_until
    and covered.zone_print <> private.zone_print(calendar.time_zone, covered.covered_from,
      covered.covered_until);
  earliest := least(covered.covered_from, date_trunc('hour', since));
  latest := greatest(covered.covered_until, date_trunc('hour', until) + interval '1 hour');
  if latest > covered.covered_until then
    insert into private.calendar_spans (tenant_id, calendar_no, starts_at, ends_at, open_before)
    select tenant, no, span.starts_at, span.ends_at,
      covered.open_until + coalesce(sum(length.open) over (order by span.starts_at
        rows between unbounded preceding and 1 preceding), 0)
    from private.open_spans(calendar.time_zone, calendar.weekly, calendar.special_days,
      covered.covered_until, latest) span cross join lateral (
      select (extract(epoch from span.ends_at - span.starts_at) * 1000)::bigint as open) length;
    select coalesce(sum(extract(epoch from span.ends_at - span.starts_at) * 1000), 0)::bigint
      into added from private.calendar_spans span
    where span.tenant_id = tenant and span.calendar_no = no
      and span.starts_at >= covered.covered_until;
    covered.open_until := covered.open_until + added;
  end if;
  if earliest < covered.covered_from then
    insert into private.calendar_spans (tenant_id, calendar_no, starts_at, ends_at, open_before)
    select tenant, no, span.starts_at, span.ends_at,
      covered.open_from - sum(length.open) over (order by span.starts_at desc)
    from private.open_spans(calendar.time_zone, calendar.weekly, calendar.special_days, earliest,
      covered.covered_from) span
    cross join lateral (
      select (extract(epoch from span.ends_at - span.starts_at) * 1000)::bigint as open) length;
    select coalesce(sum(extract(epoch from span.ends_at - span.starts_at) * 1000), 0)::bigint
      into added from private.calendar_spans span
    where span.tenant_id = tenant and span.calendar_no = no
      and span.starts_at < covered.covered_from;
    covered.open_from := covered.open_from - added;
  end if;
  -- Spans computed with other time zone data stay marked until the worker rebuilds them.
  update private.calendar_coverage coverage
  set covered_from = earliest, covered_until = latest, open_from = covered.open_from,
    open_until = covered.open_until, zone_print = case when is_stale then covered.zone_print
      else private.zone_print(calendar.time_zone, earliest, latest) end,
    zone_checked_at = case when is_stale then '-infinity' else coverage.zone_checked_at end
  where coverage.tenant_id = tenant and coverage.calendar_no = no;
end $function$;
CREATE OR REPLACE FUNCTION private.open_ms(tenant text, no bigint, moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  calendar public.calendar_versions;
  open bigint;
begin
  select * into covered
  from private.calendar_coverage coverage
  where coverage.tenant_id = tenant and coverage.calendar_no = no;
  if moment between covered.covered_from and covered.covered_until then
    select span.open_before
      + (extract(epoch from least(moment, span.ends_at) - span.starts_at) * 1000)::bigint into open
    from private.calendar_spans span
    where span.tenant_id = tenant and span.calendar_no = no and span.starts_at <= moment
      order by span.starts_at desc limit 1;
    return coalesce(open, covered.open_from);
  elsif moment > greatest(now(), covered.covered_until) + private.business_time_reach()
    or moment < least(now(), covered.covered_from) - private.business_time_reach() then
    return null;
  end if;
  select * into calendar from public.calendar_versions version
  where version.tenant_id = tenant and version.calendar_no = no;
  select coalesce(sum(extract(epoch from least(span.ends_at, greatest(moment, covered.covered_from))
    - greatest(span.starts_at, least(moment, covered.covered_until))) * 1000), 0)::bigint into open
  from private.open_spans(calendar.time_zone, calendar.weekly, calendar.special_days,
    case when moment > covered.covered_until then covered.covered_until
      else date_trunc('hour', moment) end,
    case when moment > covered.covered_until then date_trunc('hour', moment) + interval '1 hour'
      else covered.covered_from end) span
  where case when moment > covered.covered_until then span.starts_at < moment
    else span.ends_at > moment
    end;
  return case when moment > covered.covered_until then covered.open_until + open
    else covered.open_from - open end;
end $function$;
CREATE OR REPLACE FUNCTION private.extend_calendars(batch integer DEFAULT 20)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c record;
  extended integer := 0;
begin
  for c in
    select coverage.tenant_id, coverage.calendar_no from private.calendar_coverage coverage
    where coverage.covered_until < now() + interval '3 years' and (
      exists (
        select from public.exceptions exception
        where exception.tenant_id = coverage.tenant_id
          and exception.calendar_no = coverage.calendar_no
          and exception.status in ('open', 'in_review')
      ) or exists (
        select
        from public.sla_policies policy, unnest(array['critical', 'high', 'medium', 'low']) severity
        where policy.tenant_id = coverage.tenant_id
          and private.current_calendar_no(policy.tenant_id,
            private.policy_calendar(policy, severity)) = coverage.calendar_no
      )
    ) order by coverage.covered_until limit batch for update skip locked
  loop
    perform private.extend_business_time(c.tenant_id, c.calendar_no, now(),
      now() + interval '3 years 1 month');
    extended := extended + 1;
  end loop;
  return extended;
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
  if (select count(*) from public.calendars calendar
    where calendar.tenant_id = private.tenant_id()) >= 100 then
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
CREATE OR REPLACE FUNCTION private.announce_crossings(tenants text[], ids text[], boundaries integer[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with crossed as (
    select exception, exception.id as exception_id, exception.tenant_id, passed.boundary,
      passed.due_at
    from unnest(tenants, ids, boundaries, due_ats) as passed (tenant_id, exception_id, boundary,
      due_at)
    join public.exceptions exception on exception.tenant_id = passed.tenant_id
      and exception.id = passed.exception_id
  ), announced as materialized (
    select threshold.tenant_id, threshold.boundary,
      lead(threshold.boundary) over (partition by threshold.tenant_id
        order by threshold.boundary desc) as next_boundary
    from private.sla_boundaries(array(select distinct tenant_id from crossed)) threshold
    where threshold.announced
  ), crossing as materialized (
    select crosses.*, announces.next_boundary,
      concat_ws(':', crosses.exception_id, private.iso(crosses.due_at),
        crosses.boundary) as once_key
    from crossed crosses left join announced announces on announces.tenant_id = crosses.tenant_id
      and announces.boundary = crosses.boundary
  ), reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select crosses.tenant_id,
      case when crosses.boundary = 0 then 'exception.sla.breached' else 'exception.sla.at_risk' end,
      jsonb_build_object('exception', private.exception_json(crosses.exception), 'due_at',
        private.iso(crosses.due_at))
        || case when crosses.boundary = 0 then '{}'::jsonb
          else jsonb_build_object('threshold_minutes', crosses.boundary, 'threshold_kind',
            'wall_clock', 'next_threshold_minutes', crosses.next_boundary) end,
      crosses.once_key
    from crossing crosses
    order by crosses.due_at - make_interval(mins => crosses.boundary)
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes,
    calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select reports.tenant_id, reports.data #>> '{exception,id}', now(), 'crossed',
    (reports.data ->> 'due_at')::timestamptz,
    coalesce((reports.data -> 'threshold_minutes')::integer, 0),
    -- A lookup instead of a join: a cached plan assumes a handful of rows, and would compare each
    -- row with every other.
    (select exception.calendar_no from public.exceptions exception
      where exception.tenant_id = reports.tenant_id
        and exception.id = reports.data #>> '{exception,id}'),
    'system', null, null, null
  from reported reports;
end $function$;
CREATE OR REPLACE FUNCTION private.advance_clocks(tenants text[], ids text[], shard integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  late record;
  moved record;
  crossed record;
begin
  select array_agg(locked.tenant_id) as tenants, array_agg(locked.exception_id) as ids,
    array_agg(locked.due_at) as due_ats, array_agg(locked.position) as positions
  into late
  from (
    select clock.* from unnest(tenants, ids) as asked (tenant_id, exception_id)
    join private.exception_clocks clock on clock.tenant_id = asked.tenant_id
      and clock.exception_id = asked.exception_id
    where clock.next_at <= now()
    order by clock.tenant_id, clock.exception_id for update of clock
  ) locked;
  if late.ids is null then
    return;
  end if;
  with fresh as (
    select * from private.place_clocks(late.tenants, late.ids, late.due_ats, late.positions)
  ), written as (
    update private.exception_clocks clock set position = placed.position, next_at = placed.next_at
    from fresh placed where clock.tenant_id = placed.tenant_id
      and clock.exception_id = placed.exception_id
  )
  select array_agg(placed.tenant_id) as tenants, array_agg(placed.exception_id) as ids,
    array_agg(placed.due_at) as due_ats,
    array_agg(placed.old_position) as old_positions, array_agg(placed.position) as new_positions
  into moved from fresh placed;
  select array_agg(move.tenant_id) as tenants, array_agg(move.exception_id) as ids,
    array_agg(threshold.boundary) as boundaries, array_agg(move.due_at) as due_ats
  into crossed
  from unnest(moved.tenants, moved.ids, moved.old_positions, moved.new_positions, moved.due_ats)
    as move (tenant_id, exception_id, old_position, new_position, due_at)
  join private.sla_boundaries(moved.tenants) threshold
    on threshold.tenant_id = move.tenant_id and threshold.announced
      and threshold.boundary < move.old_position and threshold.boundary >= move.new_position;
  if crossed.ids is not null then
    perform private.announce_crossings(crossed.tenants, crossed.ids, crossed.boundaries,
      crossed.due_ats);
  end if;
  -- Last, since workers queue only for this row.
  perform private.count_positions(shard, moved.tenants || moved.tenants,
    moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.ids)]) || array_fill(1, array[cardinality(moved.ids)]));
end $function$;
CREATE OR REPLACE FUNCTION private.tick_sla_clock(batch integer DEFAULT 5000)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  due record;
  others constant integer := private.end_pauses(batch) + private.tick_business_warnings(batch);
begin
  select array_agg(claimed.tenant_id) as tenants, array_agg(claimed.exception_id) as ids into due
  from (
    select clock.tenant_id, clock.exception_id from private.exception_clocks clock
    where clock.next_at <= now() order by clock.next_at limit batch for update skip locked
  ) claimed;
  if due.ids is not null then
    perform private.advance_clocks(due.tenants, due.ids, 0);
  end if;
  return jsonb_build_object(
    'moved', coalesce(cardinality(due.ids), 0) + others,
    'wait_ms', (
      select ceil(extract(epoch from min(next.at) - clock_timestamp()) * 1000) from (
        select min(next_at) as at from private.exception_clocks where next_at is not null
        union all
        select min(warning.at) from private.business_warnings warning where warning.at < 'infinity'
        union all
        select min(paused_until) from public.exceptions where paused_until is not null
      ) next
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.keep_clocks(made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  moves record;
begin
  select
    array_agg(move.tenant_id) filter (where move.clock = 'closed') as closed_tenants,
    array_agg(move.exception_id) filter (where move.clock = 'closed') as closed_ids,
    array_agg(move.tenant_id) filter (where move.clock = 'moved') as moved_tenants,
    array_agg(move.exception_id) filter (where move.clock = 'moved') as moved_ids,
    array_agg(move.due_at) filter (where move.clock = 'moved') as moved_due_ats,
    array_agg(move.tenant_id) filter (where move.clock = 'opened') as opened_tenants,
    array_agg(move.exception_id) filter (where move.clock = 'opened') as opened_ids,
    array_agg(move.due_at) filter (where move.clock = 'opened') as opened_due_ats
  into moves from private.clock_moves(made) move;
  if moves.closed_ids is not null or moves.moved_ids is not null then
    perform
    from unnest(moves.closed_tenants || moves.moved_tenants,
      moves.closed_ids || moves.moved_ids) as asked (tenant_id, exception_id)
    join private.exception_clocks clock on clock.tenant_id = asked.tenant_id
      and clock.exception_id = asked.exception_id
    order by clock.tenant_id, clock.exception_id for update of clock;
    perform private.pass_business_warnings(moves.closed_tenants || moves.moved_tenants,
      moves.closed_ids || moves.moved_ids);
  end if;
  if moves.closed_ids is not null then
    perform private.stop_clocks(moves.closed_tenants, moves.closed_ids);
  end if;
  if moves.moved_ids is not null then
    perform private.advance_clocks(moves.moved_tenants, moves.moved_ids, private.own_shard());
  end if;
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, calendar_no)
  select move.tenant_id, move.exception_id,
    case when entry.kind = 'resumed' then move.resumed_at else move.changed_at end, entry.kind,
    move.shown_due_at, move.calendar_no
  from private.clock_moves(made) move
    cross join lateral unnest(move.kinds) with ordinality as entry (kind, place)
  order by entry.place;
  if moves.moved_ids is not null then
    perform private.move_clocks(moves.moved_tenants, moves.moved_ids, moves.moved_due_ats);
  end if;
  if moves.opened_ids is not null then
    perform private.start_clocks(moves.opened_tenants, moves.opened_ids, moves.opened_due_ats);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.announce_business_warnings(tenants text[], ids text[], minutes integer[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select exception.tenant_id, 'exception.sla.at_risk', jsonb_build_object(
        'exception', private.exception_json(exception), 'due_at', private.iso(passed.due_at),
        'threshold_minutes', passed.minutes, 'threshold_kind', 'business',
        'next_threshold_minutes',
        (select max(threshold) from unnest(policy.at_risk_business_thresholds || 0) threshold
          where threshold < passed.minutes)),
      concat_ws(':', exception.id, private.iso(passed.due_at), passed.minutes, 'business')
    from unnest(tenants, ids, minutes, due_ats) as passed (tenant_id, exception_id, minutes, due_at)
    join public.exceptions exception on exception.tenant_id = passed.tenant_id
      and exception.id = passed.exception_id
    join public.sla_policies policy on policy.tenant_id = passed.tenant_id
      and passed.minutes = any (policy.at_risk_business_thresholds)
    order by passed.minutes desc
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes,
    in_business_time, calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select reports.tenant_id, exception.id, now(), 'crossed',
    (reports.data ->> 'due_at')::timestamptz,
    (reports.data -> 'threshold_minutes')::integer, true, exception.calendar_no,
    'system', null, null, null
  from reported reports
    join public.exceptions exception on exception.tenant_id = reports.tenant_id
      and exception.id = reports.data #>> '{exception,id}'
  order by (reports.data -> 'threshold_minutes')::integer desc;
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
  if not exists (select from public.sla_policies policy
    where policy.tenant_id = any (tenants) and policy.at_risk_business_thresholds <> '{}') then
    return;
  end if;
  if not starts then
    armed := private.disarm_business_warnings(tenants, ids);
  end if;
  with placed as materialized (
    select exception.tenant_id, exception.id, exception.due_at, threshold.minutes,
      case when exception.paused_at is null
        then private.business_warning_at(exception, threshold.minutes) else 'infinity'
        end as at
    from unnest(tenants, ids) as asked (tenant_id, exception_id)
    join public.exceptions exception on exception.tenant_id = asked.tenant_id
      and exception.id = asked.exception_id and exception.status in ('open', 'in_review')
    join public.sla_policies policy on policy.tenant_id = exception.tenant_id
    cross join lateral unnest(policy.at_risk_business_thresholds) as threshold (minutes)
    where starts or exception.paused_at is null
  ), written as (
    insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
    select places.tenant_id, places.id, places.minutes, places.at, places.due_at from placed places
    where places.at is not null
  )
  select array_agg(nearest.tenant_id) as tenants, array_agg(nearest.id) as ids,
    array_agg(nearest.minutes) as minutes, array_agg(nearest.due_at) as due_ats
  into passed
  from (
    select places.tenant_id, places.id, places.due_at, min(places.minutes) as minutes
    from placed places
    where places.at is null and places.due_at > now()
      and (starts or places.id || ':' || places.minutes = any (armed))
    group by places.tenant_id, places.id, places.due_at
  ) nearest;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes,
      passed.due_ats);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.rearm_business_warnings(before integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  thresholds constant integer[] := (select policy.at_risk_business_thresholds
    from public.sla_policies policy
    where policy.tenant_id = tenant);
begin
  delete
  from private.business_warnings warning
  where warning.tenant_id = tenant and warning.minutes <> all (thresholds);
  insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
  select rearmed.tenant_id, rearmed.id, rearmed.minutes, rearmed.at, rearmed.due_at
  from (
    select exception.tenant_id, exception.id, exception.due_at, threshold.minutes,
      private.business_warning_at(exception, threshold.minutes) as at
    from public.exceptions exception cross join unnest(thresholds) as threshold (minutes)
    where exception.tenant_id = tenant and exception.status in ('open', 'in_review')
      and exception.due_at > now() and threshold.minutes <> all (before)
  ) rearmed
  where rearmed.at is not null
  on conflict (tenant_id, exception_id, minutes) do nothing;
end $function$;
CREATE OR REPLACE FUNCTION private.open_past_grace(r public.reconciliations)
 RETURNS TABLE(line_no bigint, minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  -- The last day is computed once per side, not once per line.
  with due as materialized (
    select case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(source,
        private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'calendar_id') as day
    from public.pairs pair
    join public.sources source on source.tenant_id = r.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  )
  select open_line.line_no, abs(open_line.open_minor)
  from due grace
  join private.open_lines open_line on open_line.tenant_id = r.tenant_id
    and open_line.pair_no = r.pair_no
    and open_line.side = grace.side and open_line.value_date <= r.period_end
    and open_line.value_date < grace.day;
end $function$;
CREATE OR REPLACE FUNCTION private.subjects_of_exceptions(r public.reconciliations, suggestions uuid[], line_nos bigint[])
 RETURNS TABLE(n bigint, subject jsonb)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  with asked as materialized (
    select given.n, given.suggestion, given.line_no
    from unnest(suggestions, line_nos) with ordinality given (suggestion, line_no, n)
  ), about as materialized (
    select wanted.n, member.line_no
    from asked wanted
    join private.members_of(r.tenant_id, suggestions) member on member.match_id = wanted.suggestion
    union
    select wanted.n, wanted.line_no from asked wanted where wanted.line_no is not null
  ), open_ones as materialized (
    select open_line.line_no, open_line.side, open_line.currency, open_line.open_minor,
      open_line.value_date from private.open_lines open_line
    where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
      and open_line.line_no = any (array(select about_line.line_no from about about_line))
      order by open_line.line_no
  )
  select about_line.n, jsonb_build_object('match_id', wanted.suggestion, 'currency',
    min(open_line.currency), 'difference_minor', greatest(-9007199254740991, least(9007199254740991,
      sum(case open_line.side when 'left' then open_line.open_minor else -open_line.open_minor end)
        - coalesce(adjusted.minor, 0))),
    'is_late', bool_or(late.line_no is not null), 'lines', jsonb_agg(
      jsonb_build_object('line_no', open_line.line_no, 'id', private.line_id_text(line.id), 'side',
        open_line.side, 'source', source.name, 'open_minor', open_line.open_minor, 'value_date',
        open_line.value_date, 'reference', coalesce(line.reference, line.external_id,
        line.counterparty), 'is_free', taken.line_no is null)
      order by open_line.side, abs(open_line.open_minor) desc, open_line.line_no))
  from about about_line join asked wanted on wanted.n = about_line.n
  join open_ones open_line on open_line.line_no = about_line.line_no
  join (
    select * from public.lines line where line.tenant_id = r.tenant_id
      and line.line_no = any (array(select open_one.line_no from open_ones open_one))
    order by line.line_no
  ) line on line.line_no = about_line.line_no
  join public.sources source on source.tenant_id = r.tenant_id and source.source_no = line.source_no
  left join private.late_lines(r,
    array(select open_one.line_no from open_ones open_one order by open_one.line_no),
    array(select open_one.value_date from open_ones open_one order by open_one.line_no))
    late (line_no) on late.line_no = about_line.line_no
  left join (
    select exception_line.line_no from private.exception_lines exception_line
    where exception_line.tenant_id = r.tenant_id
      and exception_line.line_no = any (array(select open_one.line_no from open_ones open_one))
      and exception_line.pair_no = r.pair_no order by exception_line.line_no
  ) taken on taken.line_no = about_line.line_no
  left join private.adjusted_in_matches(r.tenant_id, suggestions) adjusted
    on adjusted.id = wanted.suggestion
  group by about_line.n, wanted.suggestion, adjusted.minor;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_past_grace(tenant text, reconciliation text, most integer, OUT lines jsonb, OUT held_back bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations period
  where period.tenant_id = tenant and period.id = reconciliation;
  with past_grace as materialized (
    select * from private.open_past_grace(r)
  ), suggested as materialized (
    select match.id, abs(match.residual_minor) as minor from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = r.id and match.state = 'suggested'
  ), members as materialized (
    select mm.line_no, (array_agg(mm.match_id order by mm.match_id))[1] as match_id
    from private.members_of(tenant, array(select suggestion.id from suggested suggestion)) mm
    group by mm.line_no
  ), young as materialized (
    select distinct mm.match_id
    from members mm
    join private.open_among(r, array(select member.line_no from members member)) open_line
      on open_line.line_no = mm.line_no
    left join past_grace past on past.line_no = mm.line_no
    where past.line_no is null
  ), overdue as materialized (
    select past.line_no, past.minor, member.match_id
    from past_grace past left join members member on member.line_no = past.line_no
    left join (
      select exception_line.line_no from private.exception_lines exception_line
      where exception_line.tenant_id = tenant
        and exception_line.line_no = any (array(select any_past.line_no from past_grace any_past))
        and exception_line.pair_no = r.pair_no order by exception_line.line_no
    ) taken on taken.line_no = past.line_no
    where taken.line_no is null
      and not exists (select from young too_young where too_young.match_id = member.match_id)
  ), subjects as materialized (
    select null::uuid as match_id, late.line_no, late.minor from overdue late
    where late.match_id is null
    union all
    select suggestion.id, min(late.line_no), suggestion.minor
    from overdue late join suggested suggestion on suggestion.id = late.match_id
    group by suggestion.id, suggestion.minor
  ), chosen as materialized (
    select * from subjects order by minor desc, line_no limit most
  )
  select coalesce(jsonb_agg(about_exception.subject order by about_exception.n), '[]'),
    (select count(*) from subjects) - (select count(*) from chosen)
  into lines, held_back
  from private.subjects_of_exceptions(r,
    array(select choice.match_id from chosen choice order by choice.minor desc, choice.line_no),
    array(select choice.line_no from chosen choice
      order by choice.minor desc, choice.line_no)) about_exception;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  opened integer;
begin
  r := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  with wanted as materialized (
    select given.*, given.line_nos[1] as line_no from jsonb_to_recordset(rows) as given (
      match_id uuid, line_nos bigint[], title text, severity text, assigned_to text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
    where given.match_id is null
      or exists (select from public.matches match
        where match.tenant_id = tenant and match.id = given.match_id and match.state = 'suggested')
  ), present as materialized (
    select exception_line.line_no from private.exception_lines exception_line
    where exception_line.tenant_id = tenant and exception_line.pair_no = r.pair_no
      and exception_line.line_no = any (array(select any_wanted.line_no from wanted any_wanted))
    order by exception_line.line_no
  ), made as (
    select created.id, created.line_no from private.change_exceptions('create', array(
      select jsonb_build_object('tenant_id', tenant, 'title', want.title, 'severity', want.severity,
        'assigned_to', want.assigned_to,
        'reason_code', want.reason_code, 'amount_minor', want.amount_minor, 'currency',
        want.currency, 'reconciliation_id', r.id, 'details', want.details,
        'pair_no', r.pair_no, 'line_no', line.line_no, 'line_id', line.id, 'suggested_match_id',
        want.match_id, 'grouped_match_id', want.match_id)
      from wanted want
      join public.lines line on line.tenant_id = tenant and line.line_no = want.line_no
      join private.open_lines open_line on open_line.tenant_id = tenant
        and open_line.pair_no = r.pair_no and open_line.line_no = line.line_no
      where want.line_no not in (select held.line_no from present held)
    )) created
  ), about as (
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, own_line.line_no, r.pair_no, creation.id
    from made creation
    join wanted want on want.line_no = creation.line_no
    cross join unnest(want.line_nos) own_line (line_no)
    on conflict do nothing
  )
  select count(*) into opened from made;
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_without_suggestion(r public.reconciliations)
 RETURNS TABLE(exception_id text, line_no bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with grouped as materialized (
    select exception.id, exception.line_no, exception.grouped_match_id
    from public.exceptions exception
    where exception.tenant_id = r.tenant_id and exception.pair_no = r.pair_no
      and exception.grouped_match_id is not null and exception.status in ('open', 'in_review')
  ), left_over as materialized (
    select held.id, held.line_no from grouped held
    left join (
      select match.id from public.matches match
      where match.tenant_id = r.tenant_id
        and match.id = any (array(select any_held.grouped_match_id from grouped any_held))
        and match.state = 'suggested'
        order by match.id
    ) suggestion on suggestion.id = held.grouped_match_id
    where suggestion.id is null
  )
  select lone.id, line_left.line_no
  from left_over lone cross join lateral (
    select exception_line.line_no from private.exception_lines exception_line cross join lateral (
      select abs(open_line.open_minor) as minor from private.open_lines open_line
      where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
        and open_line.line_no = exception_line.line_no
        and open_line.value_date <= r.period_end offset 0
    ) still_open
    where exception_line.tenant_id = r.tenant_id and exception_line.exception_id = lone.id
    order by exception_line.line_no <> lone.line_no, still_open.minor desc, exception_line.line_no
    limit 1
  ) line_left;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_to_regroup(tenant text, reconciliation text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r
  from public.reconciliations period
  where period.tenant_id = tenant and period.id = reconciliation;
  return (
    with held as materialized (
      select mm.match_id, exception.id as exception_id, exception.line_no,
        exception.grouped_match_id
      from private.members_of(tenant, private.suggested_of(tenant, r.id)) mm
      join private.open_line_exceptions_of(tenant, r.id) exception on exception.line_no = mm.line_no
    ), put_together as (
      select holds.match_id, array_agg(holds.exception_id order by holds.exception_id) as ids,
        array_agg(holds.line_no order by holds.exception_id) as line_nos
      from held holds group by holds.match_id
      having count(*) > 1 or bool_or(holds.grouped_match_id is distinct from holds.match_id)
    ), changed as (
      select ordered.ids[1] as exception_id, ordered.ids[2:] as merged,
        ordered.line_nos[1] as line_no, together.match_id
      from put_together together cross join lateral (
        select array_agg(part.id order by title.is_own desc, part.id) as ids,
          array_agg(part.line_no order by title.is_own desc, part.id) as line_nos
        from unnest(together.ids, together.line_nos) part (id, line_no)
          cross join lateral (select private.has_own_title(tenant, part.id) as is_own) title
      ) ordered
      union all
      select lone.exception_id, '{}', lone.line_no, null
      from private.exceptions_without_suggestion(r) lone
      where not exists (select from held holds where holds.exception_id = lone.exception_id)
    ), numbered as materialized (
      select row_number() over () as n, change.* from changed change
    )
    select coalesce(
      jsonb_agg(about_exception.subject
        || jsonb_build_object('exception_id', change.exception_id, 'merged', change.merged,
          'line_no', change.line_no, 'severity', exception.severity, 'amount_minor',
          exception.amount_minor)
        order by change.exception_id), '[]')
    -- A suggestion lists its lines itself.
    from private.subjects_of_exceptions(r,
      array(select asked.match_id from numbered asked order by asked.n),
      array(select case when asked.match_id is null then asked.line_no end from numbered asked
        order by asked.n)) about_exception
    join numbered change on change.n = about_exception.n
    join public.exceptions exception on exception.tenant_id = tenant
      and exception.id = change.exception_id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.merge_exceptions(tenant text, pair integer, into_id text, merged text[], line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', exception.id, 'status', 'resolved',
      'line_no', null, 'suggested_match_id', null, 'grouped_match_id', null,
      'resolution',
      format('Merged into %s: a match is suggested for the lines of both.', into_id))
    from public.exceptions exception
    where exception.tenant_id = tenant and exception.id = any (merged)
      and exception.status in ('open', 'in_review')
    order by exception.id for no key update
  ));
  delete
  from private.exception_lines exception_line
  where exception_line.tenant_id = tenant and exception_line.exception_id = any (merged || into_id);
  insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
  select tenant, held.line_no, pair, into_id from unnest(line_nos) held (line_no)
  on conflict do nothing;
end $function$;
CREATE OR REPLACE FUNCTION private.regroup_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  wanted record;
begin
  r := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for wanted in
    select *
    from jsonb_to_recordset(rows) as given (exception_id text, merged text[], match_id uuid,
      line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    -- A person may have settled or decided it since the run read it. The next run looks again.
    continue when not exists (select from private.open_lines open_line
      where open_line.tenant_id = tenant and open_line.pair_no = r.pair_no
        and open_line.line_no = wanted.line_nos[1])
      or wanted.match_id is not null and not exists (
        select
        from public.matches match
        where match.tenant_id = tenant and match.id = wanted.match_id and match.state = 'suggested'
      );
    perform private.change_exceptions(
      case when private.moves_deadline(tenant, wanted.exception_id, wanted.severity)
        then 'recalculate'
      else 'edit' end, array(
      select jsonb_build_object('tenant_id', tenant, 'id', exception.id, 'title',
        case when private.has_own_title(tenant, exception.id) then exception.title
          else wanted.title end,
        'severity', wanted.severity, 'reason_code', wanted.reason_code, 'amount_minor',
        wanted.amount_minor, 'currency', wanted.currency,
        'details', exception.details - 'lines' - 'side' || wanted.details, 'line_no', line.line_no,
        'line_id', line.id,
        'suggested_match_id', wanted.match_id, 'grouped_match_id', wanted.match_id)
        || private.deadline_of_severity(exception, wanted.severity)
      from public.lines line
        join public.exceptions exception on exception.tenant_id = tenant
          and exception.id = wanted.exception_id and exception.status in ('open', 'in_review')
      where line.tenant_id = tenant and line.line_no = wanted.line_nos[1]
        for no key update of exception
    ));
    continue when not found;
    perform private.merge_exceptions(tenant, r.pair_no, wanted.exception_id, wanted.merged,
      wanted.line_nos);
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.count_open(tenants text[], due_ats timestamp with time zone[], assignees text[], reconciliations text[], currencies text[], amounts bigint[], signs integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  own constant integer := private.own_shard();
begin
  perform
  from private.sla_counts counter
  where counter.tenant_id = any (tenants) and counter.shard = own
  order by counter.tenant_id for update;
  with changed as materialized (
    select change.tenant_id, date_trunc('hour', change.due_at, 'UTC') as due_from,
      coalesce(change.assigned_to, '') as assigned_to,
      coalesce(change.reconciliation_id, '') as reconciliation_id,
      coalesce(change.currency, '') as currency, change.sign,
      change.sign * coalesce(change.amount_minor, 0)::numeric as minor
    from unnest(tenants, due_ats, assignees, reconciliations, currencies, amounts, signs)
      as change (tenant_id, due_at, assigned_to, reconciliation_id, currency, amount_minor, sign)
  ), by_deadline as (
    insert into private.open_by_deadline as of_deadline (tenant_id, due_from, assigned_to, currency,
      shard, open_count, amount_minor)
    select change.tenant_id, change.due_from, change.assigned_to, change.currency, own,
      sum(change.sign), sum(change.minor)
    from changed change group by 1, 2, 3, 4 having sum(change.sign) <> 0 or sum(change.minor) <> 0
      order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = of_deadline.open_count + excluded.open_count,
      amount_minor = of_deadline.amount_minor + excluded.amount_minor
  ), by_assignee as (
    insert into private.open_by_assignee as of_assignee (tenant_id, assigned_to, currency, shard,
      open_count, amount_minor)
    select change.tenant_id, change.assigned_to, change.currency, own, sum(change.sign),
      sum(change.minor)
    from changed change group by 1, 2, 3 having sum(change.sign) <> 0 or sum(change.minor) <> 0
    order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = of_assignee.open_count + excluded.open_count,
      amount_minor = of_assignee.amount_minor + excluded.amount_minor
  )
  insert into private.open_by_reconciliation as of_period (tenant_id, reconciliation_id, currency,
    shard, open_count, amount_minor)
  select change.tenant_id, change.reconciliation_id, change.currency, own, sum(change.sign),
    sum(change.minor)
  from changed change group by 1, 2, 3 having sum(change.sign) <> 0 or sum(change.minor) <> 0
  order by 1, 2, 3
  on conflict on constraint open_by_reconciliation_pkey do update set
    open_count = of_period.open_count + excluded.open_count,
    amount_minor = of_period.amount_minor + excluded.amount_minor;
end $function$;
CREATE OR REPLACE FUNCTION private.recount_exceptions()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  lock table public.exceptions, public.exception_ledger in share row exclusive mode;
  delete from private.open_by_deadline;
  insert into private.open_by_deadline (tenant_id, due_from, assigned_to, currency, shard,
    open_count, amount_minor)
  select exception.tenant_id, date_trunc('hour', exception.due_at, 'UTC'),
    coalesce(exception.assigned_to, ''),
    coalesce(exception.currency, ''), 0, count(*), coalesce(sum(exception.amount_minor), 0)
  from public.exceptions exception where exception.status in ('open', 'in_review')
  group by 1, 2, 3, 4;
  delete from private.open_by_assignee;
  insert into private.open_by_assignee (tenant_id, assigned_to, currency, shard, open_count,
    amount_minor)
  select of_deadline.tenant_id, of_deadline.assigned_to, of_deadline.currency, 0,
    sum(of_deadline.open_count), sum(of_deadline.amount_minor)
  from private.open_by_deadline of_deadline
  group by 1, 2, 3;
  delete from private.open_by_reconciliation;
  insert into private.open_by_reconciliation (tenant_id, reconciliation_id, currency, shard,
    open_count, amount_minor)
  select exception.tenant_id, coalesce(exception.reconciliation_id, ''),
    coalesce(exception.currency, ''), 0, count(*), coalesce(sum(exception.amount_minor), 0)
  from public.exceptions exception where exception.status in ('open', 'in_review') group by 1, 2, 3;
  delete from private.exception_hours;
  insert into private.exception_hours (tenant_id, hour, shard, breached_count, closed_count)
  select daily.tenant_id, daily.hour, 0, count(*) filter (where daily.is_breach),
    count(*) filter (where not daily.is_breach)
  from (
    select distinct
      on (ledger_entry.tenant_id, ledger_entry.exception_id, ledger_entry.kind = 'crossed',
        date_trunc('day', ledger_entry.at, 'UTC'))
      ledger_entry.tenant_id, date_trunc('hour', ledger_entry.at, 'UTC') as hour,
      ledger_entry.kind = 'crossed' as is_breach
    from public.exception_ledger ledger_entry
    where ledger_entry.at >= now() - interval '31 days'
      and (private.is_breach(ledger_entry.kind, ledger_entry.threshold_minutes)
        or ledger_entry.kind in ('resolved', 'dismissed'))
    order by ledger_entry.tenant_id, ledger_entry.exception_id, ledger_entry.kind = 'crossed',
      date_trunc('day', ledger_entry.at, 'UTC'), ledger_entry.at
  ) daily
  group by 1, 2;
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
  perform from public.exceptions exception
  where exception.tenant_id = tenant and exception.calendar_no = no
    and exception.status in ('open', 'in_review')
    order by exception.id for no key update;
  select * into covered
  from private.calendar_coverage coverage
  where coverage.tenant_id = tenant and coverage.calendar_no = no for update;
  delete from private.calendar_spans span where span.tenant_id = tenant and span.calendar_no = no;
  update private.calendar_coverage coverage
  set covered_until = coverage.covered_from, open_until = coverage.open_from,
    zone_checked_at = now()
  where coverage.tenant_id = tenant and coverage.calendar_no = no;
  perform private.extend_business_time(tenant, no, covered.covered_from, covered.covered_until);
  -- What business_minutes_remaining has cached belongs to the old spans.
  perform set_config('app.open_ms', '', true);
  with counted as materialized (
    select exception.id, case when exception.due_from_policy
      and coalesce(exception.held_due_at, exception.due_at) > now()
      then coalesce(private.policy_deadline(exception,
        private.minutes_to_resolve(policy, exception.severity), no),
        coalesce(exception.held_due_at, exception.due_at))
      else coalesce(exception.held_due_at, exception.due_at) end as due_at
    from public.exceptions exception join public.sla_policies policy
      on policy.tenant_id = exception.tenant_id
    where exception.tenant_id = tenant and exception.calendar_no = no
      and exception.status in ('open', 'in_review')
  )
  select array_agg(jsonb_build_object('tenant_id', tenant, 'id', exception.id, 'due_at',
    recount.due_at)
  order by exception.id) into recalculated
  from counted recount join public.exceptions exception on exception.tenant_id = tenant
    and exception.id = recount.id
  where (coalesce(exception.held_due_at, exception.due_at),
    exception.due_open_ms) is distinct from (recount.due_at,
    private.open_ms(tenant, no, recount.due_at));
  perform private.change_exceptions('recalculate', recalculated);
  perform private.arm_business_warnings(array_fill(tenant, array[cardinality(own_exceptions.ids)]),
    own_exceptions.ids, false)
  from (
    select array_agg(exception.id) as ids from public.exceptions exception
    where exception.tenant_id = tenant and exception.calendar_no = no
      and exception.status in ('open', 'in_review')
  ) own_exceptions where own_exceptions.ids is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.open_between(tenant text, no bigint, since timestamp with time zone, until timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with covered as materialized (
      select coverage.covered_from <= since and coverage.covered_until >= until as wholly
      from private.calendar_coverage coverage
      where coverage.tenant_id = tenant and coverage.calendar_no = no
    ), spans as (
      select span.starts_at, span.ends_at from private.calendar_spans span
      where (select wholly from covered) and span.tenant_id = tenant and span.calendar_no = no
        and span.ends_at > since and span.starts_at < until
      union all
      select span.starts_at, span.ends_at from public.calendar_versions version
      cross join lateral private.open_spans(version.time_zone, version.weekly, version.special_days,
        date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') span
      where not (select wholly from covered) and version.tenant_id = tenant
        and version.calendar_no = no and span.ends_at > since and span.starts_at < until
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'starts_at', private.iso(greatest(shown.starts_at, since)), 'ends_at',
      private.iso(least(shown.ends_at, until))
    ) order by shown.starts_at), '[]')
    from (select * from spans order by starts_at limit 2000) shown
  );
end $function$;
CREATE OR REPLACE FUNCTION private.record_api_key_usage(batch uuid, rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return;
  end if;
  with used as materialized (
    select api_key.tenant_id, api_key.id as api_key_id, given.operation, given.address,
      given.outcome, given.calls, now() - make_interval(secs => given.age_ms / 1000.0) as seen_at
    from jsonb_to_recordset(rows)
      as given (api_key_id text, tenant_id text, operation text, address inet, outcome text,
        calls bigint, age_ms bigint)
    join public.api_keys api_key on api_key.tenant_id = given.tenant_id
      and api_key.id = given.api_key_id
  ), hourly as (
    insert into public.api_key_usage_hourly as hour_total (api_key_id, tenant_id, hour, operation,
      address, outcome, calls, last_seen_at)
    select call.api_key_id, call.tenant_id, date_trunc('hour', call.seen_at, 'UTC'), call.operation,
      call.address, call.outcome, sum(call.calls), max(call.seen_at)
    from used call group by 1, 2, 3, 4, 5, 6 order by 2, 1, 3, 4, 5, 6
    on conflict (tenant_id, api_key_id, hour, operation, address, outcome) do update
      set calls = hour_total.calls + excluded.calls,
        last_seen_at = greatest(hour_total.last_seen_at, excluded.last_seen_at)
  ), daily as (
    insert into public.api_key_usage_daily as day_total (api_key_id, tenant_id, day, operation,
      outcome, calls)
    select call.api_key_id, call.tenant_id, (call.seen_at at time zone 'UTC')::date, call.operation,
      call.outcome, sum(call.calls)
    from used call group by 1, 2, 3, 4, 5 order by 2, 1, 3, 4, 5
    on conflict (tenant_id, api_key_id, day, operation, outcome)
      do update set calls = day_total.calls + excluded.calls
  )
  insert into public.api_key_totals as total (api_key_id, tenant_id, request_count, last_used_at,
    last_used_ip)
  select call.api_key_id, call.tenant_id, sum(call.calls), max(call.seen_at),
    (array_agg(call.address order by call.seen_at desc))[1]
  from used call where call.outcome like 'accepted%' group by 1, 2 order by 2, 1
  on conflict (tenant_id, api_key_id) do update set
    request_count = total.request_count + excluded.request_count,
    last_used_ip = case when excluded.last_used_at >= total.last_used_at then excluded.last_used_ip
      else total.last_used_ip end,
    last_used_at = greatest(total.last_used_at, excluded.last_used_at);
end $function$;
CREATE OR REPLACE FUNCTION private.emit_exception_comments()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.events (tenant_id, type, data)
  select comment.tenant_id, 'exception.commented',
    jsonb_build_object('exception', private.exception_json(exception), 'comment',
      private.exception_comment_json(comment))
  from added new_comment
  join public.exception_comments comment on comment.tenant_id = new_comment.tenant_id
    and comment.exception_id = new_comment.exception_id and comment.id = new_comment.id
  join public.exceptions exception on exception.tenant_id = new_comment.tenant_id
    and exception.id = new_comment.exception_id
  order by comment.id;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.is_line_of_period(r public.reconciliations, line text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  no constant bigint := (select own_line.line_no from public.lines own_line
    where own_line.tenant_id = r.tenant_id and own_line.id = private.line_id(line));
begin
  return exists (
    select from public.match_members mm
    join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
    where mm.tenant_id = r.tenant_id and mm.line_no = no and mm.pair_no = r.pair_no
      and match.reconciliation_id = r.id and match.state = 'confirmed'
  ) or exists (
    select from public.exclusions exclusion
    where exclusion.tenant_id = r.tenant_id and exclusion.pair_no = r.pair_no
      and exclusion.line_no = no and exclusion.reconciliation_id = r.id
  ) or exists (
    select from public.carried_lines carried
    where carried.tenant_id = r.tenant_id and carried.reconciliation_id = r.id
      and carried.line_no = no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.list_evidence_on_statement(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  next_number constant integer := (
    select coalesce(max(statement.number), 0) + 1 from public.statements statement
    where statement.tenant_id = r.tenant_id and statement.reconciliation_id = r.id
  );
  e public.evidence;
begin
  for e in
    select * from public.evidence attached
    where attached.tenant_id = r.tenant_id and attached.removed_at is null
      and case attached.subject_type
        when 'reconciliation' then attached.subject_id = r.id
        when 'exception' then exists (
          select from public.exceptions exception
          where exception.tenant_id = r.tenant_id and exception.id = attached.subject_id
            and exception.reconciliation_id = r.id)
        when 'match' then exists (
          select from public.matches match
          where match.tenant_id = r.tenant_id and match.id = private.match_id(attached.subject_id)
            and match.reconciliation_id = r.id and match.state = 'confirmed')
        else private.is_line_of_period(r, attached.subject_id) end
    order by attached.id
    -- Nobody removes one that the statement lists.
    for share of attached
  loop
    insert into public.statement_evidence (tenant_id, reconciliation_id, number, evidence_id,
      content)
    values (r.tenant_id, r.id, next_number, e.id, private.evidence_row(e));
  end loop;
  return (
    select jsonb_build_object('count', count(*), 'sha256', encode(sha256(
      coalesce(string_agg(sha256(convert_to(listed.content, 'UTF8')), ''::bytea
        order by listed.evidence_id), '')
    ), 'hex'))
    from public.statement_evidence listed
    where listed.tenant_id = r.tenant_id and listed.reconciliation_id = r.id
      and listed.number = next_number
  );
end $function$;
CREATE OR REPLACE FUNCTION private.missing_evidence(r public.reconciliations)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  asked_from constant bigint := (
    private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'evidence_from_minor')::bigint;
begin
  if asked_from is null then
    return 0;
  end if;
  return (
    select count(*) from public.matches match
    where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
      and match.state = 'confirmed' and match.method = 'manual' and match.adjustments <> '[]'
      and exists (
        select from jsonb_array_elements(match.adjustments) adjustment
        where abs((adjustment ->> 'amount_minor')::bigint) >= asked_from
      )
      and not exists (
        select from public.evidence evidence
        where evidence.tenant_id = match.tenant_id and evidence.removed_at is null
          and evidence.subject_id = private.match_id_text(match.id)
      )
      and not exists (
        select from public.match_members mm
        join public.lines line on line.tenant_id = mm.tenant_id and line.line_no = mm.line_no
        join public.evidence evidence on evidence.tenant_id = mm.tenant_id
          and evidence.removed_at is null and evidence.subject_id = private.line_id_text(line.id)
        where mm.tenant_id = match.tenant_id and mm.match_id = match.id
      )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.evidence_subject(id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  subject jsonb;
begin
  case left(id, 4)
    when 'exc_' then
      if not private.may('write:exceptions') then
        perform private.refuse('scope_required',
          'Evidence of an exception also requires the scope write:exceptions.');
      end if;
      select jsonb_build_object('type', 'exception', 'name', exception.title,
        'reconciliation_id', exception.reconciliation_id) into subject
      from public.exceptions exception where exception.tenant_id = private.tenant_id()
        and exception.id = $1;
    when 'mat_' then
      select jsonb_build_object('type', 'match', 'name', period.name,
        'reconciliation_id', match.reconciliation_id) into subject
      from public.matches match
      join public.reconciliations period on period.tenant_id = match.tenant_id
        and period.id = match.reconciliation_id
      where match.tenant_id = private.tenant_id() and match.id = private.match_id($1);
    when 'lin_' then
      select jsonb_build_object('type', 'line',
        'name', left(coalesce(line.reference, line.counterparty, line.description), 200))
          into subject
      from public.lines line
      where line.tenant_id = private.tenant_id() and line.line_no = private.line_no_of($1);
    else
      select jsonb_build_object('type', 'reconciliation', 'name', period.name,
        'reconciliation_id', period.id) into subject
      from public.reconciliations period
      where period.tenant_id = private.tenant_id() and period.id = $1;
  end case;
  if subject is null then
    perform private.refuse_missing(case left(id, 4) when 'exc_' then 'exception'
      when 'mat_' then 'match' when 'lin_' then 'line' else 'reconciliation' end);
  end if;
  return subject;
end $function$;
CREATE OR REPLACE FUNCTION public.remove_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_evidence');
  tenant constant text := private.tenant_id();
  subject jsonb;
  e public.evidence;
  answer jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  e := private.find_evidence(input ->> 'id');
  subject := private.evidence_subject(e.subject_id);
  perform from public.evidence attached where attached.tenant_id = tenant and attached.id = e.id
    for update;
  e := private.find_evidence(e.id);
  answer := private.evidence_json(e);
  perform private.require_version(private.version_of(answer), request -> 'versions');
  if (answer ->> 'is_signed')::boolean then
    perform private.refuse_conflict('evidence_signed',
      'A signed statement lists this file, so it stays. Add another file that supersedes it.');
  elsif answer ->> 'superseded_by' is not null then
    perform private.refuse_conflict('already_superseded',
      'Another file has superseded this one. Remove that one first.');
  end if;
  delete from private.evidence_contents content
  where content.tenant_id = tenant and content.evidence_id = e.id;
  update public.evidence attached set removed_at = now(), removed_by = private.actor(),
    removed_reason = input ->> 'reason'
  where attached.tenant_id = tenant and attached.id = e.id;
  if subject ->> 'reconciliation_id' is not null then
    perform private.revoke_signatures(tenant, array(
      select period.id from public.reconciliations period
      where period.tenant_id = tenant and period.id = subject ->> 'reconciliation_id'
        and period.closed_at is null
    ), left(format('Evidence was removed: %s', e.file_name), 1000));
  end if;
  perform private.record_evidence('evidence.removed', e, subject, input ->> 'reason');
  return private.finish_request(request, answer
    || jsonb_build_object('version', private.version_of(answer), 'bucket', e.bucket));
end $function$;
CREATE OR REPLACE FUNCTION private.store_connection_credential(before public.connections, c public.connections, input jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  origin constant text := '^[a-z0-9]+://[^/?#]+';
  has_moved constant boolean := before.id is null or (c.auth, c.user_name)
    is distinct from (before.auth, before.user_name)
    or substring(c.address from origin) <> substring(before.address from origin)
    or c.kind = 'https' and c.address <> before.address;
begin
  if input ->> 'sealed_credential' is null and c.auth <> 'none' and has_moved then
    perform private.refuse_field('credential',
      'Send the credential: it is not stored for this address and sign-in.');
  elsif input ->> 'sealed_credential' is not null and c.auth = 'none' then
    perform private.refuse_field('credential', 'With auth none, there is no credential.');
  end if;
  if input ->> 'sealed_credential' is not null or c.auth = 'none' then
    delete from private.connection_credentials credential
    where credential.tenant_id = c.tenant_id and credential.connection_id = c.id;
  end if;
  if input ->> 'sealed_credential' is not null then
    insert into private.connection_credentials (id, tenant_id, connection_id, sealed)
    values (input ->> 'credential_id', c.tenant_id, c.id, input ->> 'sealed_credential');
    update public.connections connection set credential_changed_at = now()
    where connection.tenant_id = c.tenant_id and connection.id = c.id;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_look(tenant text, connection text, by_hand boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections;
begin
  perform private.act_for_tenant(tenant);
  update public.connections looked_at set lease = private.new_id('lck')
  where looked_at.tenant_id = tenant and looked_at.id = connection and looked_at.deleted_at is null
    and (looked_at.status = 'active' or by_hand and looked_at.status = 'paused')
  returning * into c;
  if not found then
    return null;
  end if;
  -- What an earlier look began and did not finish.
  delete from public.imports import using public.connection_files file
  where file.tenant_id = tenant and file.connection_id = c.id and file.outcome = 'fetching'
    and import.tenant_id = tenant and import.id = file.import_id and import.status = 'receiving';
  delete from public.connection_files file
  where file.tenant_id = tenant and file.connection_id = c.id and file.outcome = 'fetching';
  return private.connection_json(c) || coalesce(private.sealed_credential(c), '{}')
    || jsonb_build_object('lease', c.lease, 'source', (
      select jsonb_build_object('currency', source.currency, 'time_zone', source.time_zone,
        'mapping', source.mapping)
      from public.sources source
      where source.tenant_id = tenant and source.source_no = c.source_no));
end $function$;
CREATE OR REPLACE FUNCTION private.known_files(tenant text, connection text, files jsonb, by_hand boolean)
 RETURNS TABLE(place bigint, state text, file_id text, error text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
  select given.place, case
      when known_file.id is null or known_file.outcome = 'failed'
        and (by_hand or known_file.tried_at < source.updated_at)
        then 'new'
      when known_file.outcome = 'failed' then 'failed'
      when known_file.outcome in ('imported', 'duplicate')
        and known_file.taken_at is null then 'done'
      else 'known' end, known_file.id, known_file.error
  from jsonb_array_elements(files) with ordinality given (file, place)
  join public.connections looked_at on looked_at.tenant_id = tenant and looked_at.id = connection
  join public.sources source on source.tenant_id = tenant and source.source_no = looked_at.source_no
  left join public.connection_files known_file on known_file.tenant_id = tenant
    and known_file.connection_id = connection and known_file.path = given.file ->> 'path'
    and known_file.bytes = (given.file ->> 'bytes')::bigint
    and known_file.modified_at = (given.file ->> 'modified_at')::timestamptz
  order by given.place;
end $function$;
CREATE OR REPLACE FUNCTION private.finish_file(tenant text, connection text, lease text, file text, whole jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections := private.require_lease(tenant, connection, lease);
  f public.connection_files;
begin
  select * into strict f from public.connection_files known_file
  where known_file.tenant_id = tenant and known_file.id = file and known_file.outcome = 'fetching';
  -- Two connections of a source finish the same content one after the other.
  perform from public.sources source
  where source.tenant_id = tenant and source.source_no = c.source_no for no key update;
  if exists (
    select from public.connection_files known_file
    where known_file.tenant_id = tenant and known_file.source_no = c.source_no
      and known_file.sha256 = whole ->> 'sha256' and known_file.outcome in ('importing', 'imported')
  ) then
    delete from public.imports import
    where import.tenant_id = tenant and import.id = f.import_id and import.status = 'receiving';
    -- Without a size and a time, each look reads the file again.
    if (f.modified_at is null or f.bytes is null) and exists (
      select from public.connection_files known_file where known_file.tenant_id = tenant
        and known_file.connection_id = c.id and known_file.path = f.path
        and known_file.sha256 = whole ->> 'sha256'
    ) then
      delete from public.connection_files known_file
      where known_file.tenant_id = tenant and known_file.id = f.id;
      return 'known';
    end if;
    update public.connection_files known_file
    set outcome = 'duplicate', sha256 = whole ->> 'sha256', import_id = null
    where known_file.tenant_id = tenant and known_file.id = f.id;
    return 'duplicate';
  end if;
  update public.connection_files known_file set outcome = 'importing', sha256 = whole ->> 'sha256'
  where known_file.tenant_id = tenant and known_file.id = f.id;
  perform private.queue_import(f.import_id, nullif(whole -> 'mapping', 'null'),
    (whole ->> 'bytes')::bigint, whole ->> 'sha256');
  return 'importing';
end $function$;
CREATE OR REPLACE FUNCTION private.open_missing_file(c public.connections)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  late_day date;
  opened text;
begin
  select * into strict s from public.sources source
  where source.tenant_id = c.tenant_id and source.source_no = c.source_no;
  late_day := (c.expected_at at time zone s.time_zone)::date;
  if exists (select from private.missing_files missing
    where missing.tenant_id = c.tenant_id and missing.connection_id = c.id
      and missing.day = late_day)
  then
    return;
  end if;
  select changed_exception.id into strict opened from private.change_exceptions('create', array[
    jsonb_build_object('tenant_id', c.tenant_id, 'severity', 'high',
      'title', format('No file for %s by %s, %s', left(s.name, 150),
        c.schedule ->> 'retry_until', to_char(late_day, 'DD Mon YYYY')),
      'assigned_to', c.assigned_to, 'reason_code', 'file_missing',
      'details', jsonb_strip_nulls(jsonb_build_object('connection_id', c.id, 'source_id', s.id,
        'day', late_day, 'expected_by', private.iso(c.expected_at),
        'last_error', c.last_error)))]) changed_exception;
  insert into private.missing_files (tenant_id, connection_id, day, exception_id)
  values (c.tenant_id, c.id, late_day, opened);
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_missing_file(f public.connection_files)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  zone constant text := (select source.time_zone from public.sources source
    where source.tenant_id = f.tenant_id and source.source_no = f.source_no);
  today constant date := (f.created_at at time zone zone)::date;
  open_days constant jsonb := (select private.open_days(connection.tenant_id,
    connection.schedule ->> 'calendar_id')
    -> 'open_days' from public.connections connection
    where connection.tenant_id = f.tenant_id and connection.id = f.connection_id);
  settles text;
  missed date;
begin
  select missing.exception_id, missing.day into settles, missed
  from private.missing_files missing
  join public.exceptions exception on exception.tenant_id = missing.tenant_id
    and exception.id = missing.exception_id
  where missing.tenant_id = f.tenant_id and missing.connection_id = f.connection_id
    and exception.status in ('open', 'in_review') and missing.day <= today
  order by missing.day desc limit 1;
  -- The first file of a business day is that day's own.
  if settles is null or missed < today
    and private.is_business_day(nullif(open_days, 'null'), today) and not exists (
      select from public.connection_files file
      where file.tenant_id = f.tenant_id and file.connection_id = f.connection_id
        and file.id <> f.id and file.outcome in ('importing', 'imported')
        and (file.created_at at time zone zone)::date = today)
  then
    return;
  end if;
  perform private.change_exceptions('edit', array[jsonb_build_object('tenant_id', f.tenant_id,
    'id', settles, 'status', 'resolved',
    'resolution', format('The file %s arrived and was imported.', f.path))]);
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_secret(webhook_id text, id text, sealed text, grace interval DEFAULT '00:00:00'::interval)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update private.webhook_secrets secret set expires_at = least(secret.expires_at, now() + grace)
  where secret.tenant_id = private.tenant_id() and secret.webhook_id = $1;
  insert into private.webhook_secrets (id, tenant_id, webhook_id, sealed)
  select $2, webhook.tenant_id, webhook.id, $3
  from public.webhooks webhook
  where webhook.tenant_id = private.tenant_id() and webhook.id = $1;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_webhook_secrets(webhook_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete
  from private.webhook_headers header
  where header.tenant_id = private.tenant_id() and header.webhook_id = $1;
  delete
  from private.webhook_clients client
  where client.tenant_id = private.tenant_id() and client.webhook_id = $1;
  delete
  from private.webhook_secrets secret
  where secret.tenant_id = private.tenant_id() and secret.webhook_id = $1;
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_headers(w public.webhooks, headers jsonb, has_moved boolean DEFAULT false)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  unknown text;
begin
  select given.name into unknown
  from jsonb_to_recordset(headers) as given (name text, sealed_secret text)
  where given.sealed_secret is null and (has_moved or not exists (
    select from private.webhook_headers header
    where header.tenant_id = w.tenant_id and header.webhook_id = w.id
      and lower(header.name) = lower(given.name)));
  if found then
    perform private.refuse_field('headers', format(case
      when has_moved then 'Send the value of %s again: it would go to another address.'
      else 'Send a value for %s.' end, unknown));
  end if;
  delete from private.webhook_headers header
  where header.tenant_id = w.tenant_id and header.webhook_id = w.id and not exists (
    select from jsonb_to_recordset(headers) as given (name text, sealed_secret text)
    where lower(given.name) = lower(header.name) and given.sealed_secret is null);
  insert into private.webhook_headers (id, tenant_id, webhook_id, name, sealed)
  select given.secret_id, w.tenant_id, w.id, given.name, given.sealed_secret
  from jsonb_to_recordset(headers) as given (name text, secret_id text, sealed_secret text)
  where given.sealed_secret is not null;
  update public.webhooks own_webhook set
    header_names = array(select given ->> 'name' from jsonb_array_elements(headers) given),
    headers_changed_at = now(), updated_at = now()
  where own_webhook.tenant_id = w.tenant_id and own_webhook.id = w.id
  returning * into w;
  return w;
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_client(w public.webhooks, oauth jsonb, has_moved boolean DEFAULT false)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  origin constant text := '^https?://[^/?#]+';
  settings constant jsonb := nullif(oauth, 'null') - '{secret_id,sealed_secret}'::text[];
begin
  if settings is not null and oauth ->> 'sealed_secret' is null and (has_moved or w.oauth is null
    or substring(w.oauth ->> 'token_url' from origin)
      <> substring(settings ->> 'token_url' from origin)) then
    perform private.refuse_field('oauth.client_secret',
      'Send the client secret: it is not stored for this address.');
  end if;
  if settings is null or oauth ->> 'sealed_secret' is not null then
    delete from private.webhook_clients client
    where client.tenant_id = w.tenant_id and client.webhook_id = w.id;
  end if;
  if oauth ->> 'sealed_secret' is not null then
    insert into private.webhook_clients (id, tenant_id, webhook_id, sealed)
    values (oauth ->> 'secret_id', w.tenant_id, w.id, oauth ->> 'sealed_secret');
  end if;
  update public.webhooks webhook
  set oauth = settings, oauth_changed_at = now(), updated_at = now()
  where webhook.tenant_id = w.tenant_id and webhook.id = w.id
  returning * into w;
  return w;
end $function$;
CREATE OR REPLACE FUNCTION private.deliveries_page(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted constant text := input ->> 'status';
  items jsonb;
begin
  execute format($q$
    select jsonb_agg(private.delivery_json(page.delivery, last.attempt)
      order by (page.delivery).id desc)
    from (
      select delivery from public.webhook_deliveries delivery
      where %s order by delivery.id desc limit $1 + 1
    ) page
    left join lateral (
      select attempt from public.webhook_attempts attempt
      where attempt.tenant_id = (page.delivery).tenant_id
        and attempt.delivery_id = (page.delivery).id
      order by attempt.number desc limit 1
    ) last on true
  $q$, concat_ws(' and ',
    format('delivery.tenant_id = %L', private.tenant_id()),
    (
      select string_agg(format('delivery.%I = %L', name, input ->> name), ' and ')
      from unnest('{webhook_id,type,event_id}'::text[]) name where input ->> name is not null
    ),
    case when input -> 'after' ->> 0 is not null then
      format('delivery.id < %L', input -> 'after' ->> 0) end,
    case when wanted in ('delivered', 'failed') then format('delivery.status = %L', wanted)
      when wanted is not null then format(
        'delivery.status = ''pending'' and private.delivery_status(delivery) = %L',
        wanted) end,
    case when input ->> 'request_id' is not null then
      format(
        'delivery.event_id in (select event.id from public.events event '
          'where event.tenant_id = %L and event.request_id = %L)',
        private.tenant_id(), input ->> 'request_id') end,
    case when input ->> 'since' is not null then
      format('delivery.created_at >= %L::timestamptz', input ->> 'since') end,
    case when input ->> 'until' is not null then
      format('delivery.created_at < %L::timestamptz', input ->> 'until') end
  )) into items using page_size;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION private.deliveries_to_send(webhook_ids text[], room integer)
 RETURNS TABLE(tenant_id text, id text, url text, place bigint, webhook_id text)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with asked as (
    select webhook.id, webhook.tenant_id, webhook.url,
      case when webhook.failing_since is null then 20 else 2 end as cap,
      -- Null without a limit, which least() ignores.
      case when webhook.max_per_minute is not null then
        greatest(0, webhook.max_per_minute - coalesce(rate.attempts, 0)) end as left_this_minute
    from public.webhooks webhook
    left join private.webhook_rates rate on rate.tenant_id = webhook.tenant_id
      and rate.webhook_id = webhook.id and rate.minute = date_trunc('minute', now())
    where webhook.id = any (webhook_ids) and webhook.status = 'active'
      and webhook.deleted_at is null
  ), busy as (
    select delivery.tenant_id, delivery.webhook_id, count(*) as deliveries
    from public.webhook_deliveries delivery
    where delivery.lease is not null and delivery.next_attempt_at > now()
      and delivery.tenant_id in (select tenant_id from asked)
    group by 1, 2
  ), due as (
    select webhook_asked.tenant_id, webhook_asked.id as webhook_id, webhook_asked.url, delivery.id,
      delivery.event_id, delivery.next_attempt_at, coalesce(load.deliveries, 0)
        + row_number() over (partition by webhook_asked.id
          order by delivery.next_attempt_at) as place
    from asked webhook_asked
    left join busy load on load.webhook_id = webhook_asked.id
    cross join lateral (
      select pending.id, pending.event_id, pending.next_attempt_at
      from public.webhook_deliveries pending
      where pending.webhook_id = webhook_asked.id and pending.status = 'pending'
        and pending.next_attempt_at <= now()
      order by pending.next_attempt_at
      limit least(webhook_asked.left_this_minute,
        greatest(0, webhook_asked.cap - coalesce(load.deliveries, 0)))
      for no key update skip locked
    ) delivery
  ), ranked as (
    select *,
      coalesce((select sum(load.deliveries - 1) from busy load
        where load.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place,
        next_attempt_at, id) as beyond_the_first
    from due
  ), first as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit room
  )
  select chosen.tenant_id, chosen.id, chosen.url, chosen.place, chosen.webhook_id from first chosen;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_attempts(tenants text[], ids text[], urls text[], places bigint[])
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint, type text, request_id text, headers jsonb, oauth jsonb)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with leased as (
    update public.webhook_deliveries delivery set
      lease = nextval('public.webhook_attempts_id_seq'),
      next_attempt_at = now() + interval '23 seconds', attempt_count = delivery.attempt_count + 1
    from unnest(tenants, ids, urls, places) as claim (tenant_id, id, url, place)
    where delivery.tenant_id = claim.tenant_id and delivery.id = claim.id
    returning delivery.id, delivery.tenant_id, delivery.webhook_id, delivery.event_id,
      delivery.lease, delivery.attempt_count, delivery.cause, claim.url, claim.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select lease_taken.lease, lease_taken.tenant_id, lease_taken.id, lease_taken.attempt_count,
      lease_taken.cause from leased lease_taken
  )
  select lease_taken.lease, lease_taken.id, lease_taken.webhook_id, lease_taken.tenant_id,
    lease_taken.event_id, lease_taken.url,
    format('{"type":%s,"timestamp":%s,%s"data":%s}', to_json(event.type),
      to_json(private.iso(event.at)),
      case when event.test_of is not null then '"test":true,' end, event.data),
    (
      select jsonb_agg(jsonb_build_object('id', secret.id, 'sealed', secret.sealed)
      order by secret.created_at desc)
      from private.webhook_secrets secret
      where secret.tenant_id = lease_taken.tenant_id and secret.webhook_id = lease_taken.webhook_id
        and (secret.expires_at is null or secret.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint, event.type, event.request_id,
    (
      select jsonb_agg(jsonb_build_object('name', header.name, 'id', header.id, 'sealed',
        header.sealed))
      from private.webhook_headers header
      where header.tenant_id = lease_taken.tenant_id and header.webhook_id = lease_taken.webhook_id
    ),
    (
      select webhook.oauth || jsonb_build_object('id', client.id, 'sealed', client.sealed)
      from private.webhook_clients client
      join public.webhooks webhook on webhook.tenant_id = client.tenant_id
        and webhook.id = client.webhook_id
      where client.tenant_id = lease_taken.tenant_id and client.webhook_id = lease_taken.webhook_id
    )
  from leased lease_taken join public.events event on event.tenant_id = lease_taken.tenant_id
    and event.id = lease_taken.event_id
  order by lease_taken.place;
end $function$;
CREATE OR REPLACE FUNCTION private.record_verdicts(verdicts private.attempt_verdict[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.webhook_attempts attempt
  set status = verdict.outcome, failure_kind = verdict.failure_kind, detail = verdict.detail,
    duration_ms = verdict.duration_ms, status_code = verdict.status_code,
    response_headers = verdict.response_headers, response_body = verdict.response_body,
    response_truncated = verdict.response_truncated
  from unnest(verdicts) verdict
  where attempt.tenant_id = verdict.tenant_id and attempt.delivery_id = verdict.delivery_id
    and attempt.id = verdict.attempt_id;

  update public.webhook_deliveries delivery
  set lease = null,
    status = case when verdict.outcome = 'succeeded' then 'delivered'
      when verdict.pause is null then 'failed'
      else 'pending' end,
    failure_kind = case when verdict.outcome = 'failed' and verdict.pause is null then
      case when verdict.active and verdict.status_code is distinct from 410 then 'retries_exhausted'
        else 'webhook_disabled' end end,
    failure_count = delivery.failure_count + case verdict.outcome when 'failed' then 1 else 0 end,
    cause = case verdict.outcome when 'failed' then 'retry' else delivery.cause end,
    next_attempt_at = now() + verdict.pause,
    delivered_at = case verdict.outcome when 'succeeded' then now() else delivery.delivered_at end
  from unnest(verdicts) verdict
  where delivery.tenant_id = verdict.tenant_id and delivery.id = verdict.delivery_id;

  insert into public.webhook_answer_times as answer_time (webhook_id, tenant_id, hour, succeeded,
    bucket, attempts)
  select verdict.webhook_id, verdict.tenant_id, date_trunc('hour', now(), 'UTC'),
    verdict.outcome = 'succeeded', case when verdict.status_code is null then -1
      else floor(ln(greatest(verdict.duration_ms, 1)) / ln(1.1)) end,
    count(*)
  from unnest(verdicts) verdict
  where verdict.outcome <> 'interrupted'
  group by 1, 2, 3, 4, 5
  order by 2, 1, 3, 4, 5
  on conflict (tenant_id, webhook_id, hour, succeeded, bucket)
    do update set attempts = answer_time.attempts + excluded.attempts;
end $function$;
CREATE OR REPLACE FUNCTION private.settle_webhook_attempts(results jsonb)
 RETURNS TABLE(webhook_id text, retry_in_ms double precision, waiting_attempts bigint[])
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  touched constant text[] := array(
    select distinct delivery.webhook_id
    from jsonb_to_recordset(results) as result (attempt_id bigint)
    join public.webhook_deliveries delivery on delivery.lease = result.attempt_id
  );
  -- Webhook before delivery, as everyone else locks them.
  locked constant text[] := array(
    select webhook.id from public.webhooks webhook where webhook.id = any (touched)
      for no key update skip locked);
  verdicts constant private.attempt_verdict[] := array(
    select row(judged.*)::private.attempt_verdict
    from private.judge_attempts(results, locked) judged);
begin
  perform private.record_verdicts(verdicts);
  perform private.mark_webhook(outcome.webhook_id, outcome.succeeded, outcome.failed, outcome.gone,
    outcome.detail)
  from (
    select verdict.webhook_id, bool_or(verdict.outcome = 'succeeded') as succeeded,
      bool_or(verdict.outcome = 'failed') as failed,
      bool_or(verdict.active and verdict.status_code = 410) as gone,
      max(verdict.detail) filter (where verdict.outcome = 'failed') as detail
    from unnest(verdicts) verdict
    where verdict.outcome <> 'interrupted'
    group by verdict.webhook_id
    order by verdict.webhook_id
  ) outcome;
  return query
  select verdict.webhook_id, min(extract(epoch from verdict.pause) * 1000)::double precision,
    null::bigint[]
  from unnest(verdicts) verdict
  group by verdict.webhook_id
  union all
  select delivery.webhook_id, null, array_agg(result.attempt_id)
  from jsonb_to_recordset(results) as result (attempt_id bigint)
  join public.webhook_deliveries delivery on delivery.lease = result.attempt_id
  where delivery.webhook_id <> all (locked)
  group by delivery.webhook_id;
end $function$;
CREATE OR REPLACE FUNCTION private.purge_webhook_deliveries(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  keys integer;
begin
  delete from private.event_once once using (
    select expired.tenant_id, expired.type, expired.once_key
    from private.event_once expired
    where expired.at < now() - interval '30 days'
    limit batch
  ) old
  where once.tenant_id = old.tenant_id and once.type = old.type and once.once_key = old.once_key;
  get diagnostics keys = row_count;
  delete from public.webhooks webhook where webhook.deleted_at < now() - interval '30 days'
    and not exists (select from public.webhook_deliveries delivery
      where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id);
  delete from private.webhook_secrets secret where secret.expires_at < now();
  delete from public.webhook_answer_times answer_time
  where answer_time.hour < now() - interval '8 days';
  return keys;
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
  select * into i from public.invitations invitation
  where invitation.tenant_id = $1 and invitation.id = $2 for no key update;
  if not found or private.invitation_status(i) <> 'pending' or private.is_sandbox($1) then
    return null;
  end if;
  delete from private.invitation_tokens token
  where token.tenant_id = $1 and token.invitation_id = $2;
  insert into private.invitation_tokens (token_hash, tenant_id, invitation_id) values ($3, $1, $2);
  return jsonb_build_object('email', i.email, 'tenant_name',
    (select tenant.name from public.tenants tenant where tenant.id = $1), 'invited_by',
    i.created_by, 'roles', i.roles, 'expires_at', private.iso(i.expires_at));
end $function$;
CREATE OR REPLACE FUNCTION private.first_steps_json()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return jsonb_build_object(
    'steps', jsonb_build_array(
      jsonb_build_object('step', 'create_key', 'done',
        exists (select from public.api_keys api_key where api_key.tenant_id = tenant)),
      jsonb_build_object('step', 'call_api', 'done',
        exists (select from public.api_key_totals usage where usage.tenant_id = tenant)),
      jsonb_build_object('step', 'register_webhook', 'done',
        exists (select from public.webhooks webhook where webhook.tenant_id = tenant)),
      jsonb_build_object('step', 'receive_event', 'done', exists (
        select from public.webhooks webhook
        where webhook.tenant_id = tenant and webhook.last_success_at is not null))
    ),
    'key_id',
    (select max(api_key.id) from public.api_keys api_key
      where api_key.tenant_id = tenant and api_key.revoked_at is null),
    'webhook_id',
    (select max(webhook.id) from public.webhooks webhook
      where webhook.tenant_id = tenant and webhook.deleted_at is null),
    'dismissed', exists (
      select
      from public.first_steps_dismissals dismissal
      where dismissal.tenant_id = tenant and dismissal.principal_id = auth.jwt() ->> 'principal_id')
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
        (select min(warning.at) from private.business_warnings warning
          where warning.at < 'infinity')
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
      select coalesce(extract(epoch from now() - min(event.at)), 0)
      from private.unsigned_security_event_chains() chain_state
      join public.security_events event on event.chain = chain_state.chain
        and event.seq = coalesce((chain_state.signed ->> 'seq')::bigint, 0) + 1
    ),
    'database', private.database_metrics()
  );
end $function$;
CREATE OR REPLACE FUNCTION private.record_requests(batch uuid, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  written integer;
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return 0;
  end if;
  insert into public.request_log (id, tenant_id, at, operation, method, path, query, resource,
    status, error_code, duration_ms, credential,
    actor, api_key_id, address, request, response, refused)
  select given.id, tenant.id, now() - make_interval(secs => given.age_ms / 1000.0), given.operation,
    given.method, given.path, given.query, given.resource, given.status,
    given.error_code, given.duration_ms, given.credential, given.actor,
    coalesce(given.api_key_id, key_secret.api_key_id), given.address, given.request, given.response,
    coalesce(given.refused, false)
  from jsonb_to_recordset(rows) as given (
    id text, tenant_id text, key_id text, age_ms bigint, operation text, method text, path text,
    query text, resource text, status smallint,
    error_code text, duration_ms integer, credential text, actor text, api_key_id text,
    address inet, request jsonb, response jsonb,
    refused boolean
  )
  left join private.api_key_secrets key_secret on given.tenant_id is null
    and key_secret.key_id = given.key_id
  join public.tenants tenant on tenant.id = coalesce(given.tenant_id, key_secret.tenant_id);
  get diagnostics written = row_count;
  return written;
end $function$;
CREATE OR REPLACE FUNCTION private.store_alert_channel_url(channel_id text, url_id text, sealed text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete
  from private.alert_channel_urls channel_url
  where channel_url.tenant_id = private.tenant_id() and channel_url.channel_id = $1;
  insert into private.alert_channel_urls (tenant_id, channel_id, url_id, sealed)
  select channel.tenant_id, channel.id, $2, $3
  from public.alert_channels channel
  where channel.tenant_id = private.tenant_id() and channel.id = $1 and $3 is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.alert_channel_url(tenant_id text, channel_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('url_id', channel_url.url_id, 'sealed', channel_url.sealed, 'name',
      channel.name, 'tenant_name', tenant.name)
    from public.alert_channels channel
    join private.alert_channel_urls channel_url on channel_url.tenant_id = channel.tenant_id
      and channel_url.channel_id = channel.id
    join public.tenants tenant on tenant.id = channel.tenant_id
    where channel.tenant_id = $1 and channel.id = $2 and channel.deleted_at is null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.bundle_alerts()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  bundle record;
begin
  for bundle in
    with waiting as (
      select distinct alert.tenant_id, alert.recipient, alert.kind
      from private.alerts alert
      where alert.bundle_id is null
    ), bundled as (
      insert into private.alert_bundles (tenant_id, recipient, kind)
      select waits.tenant_id, waits.recipient, waits.kind from waiting waits
      where not exists (
        select from private.alert_bundles recent
        where recent.tenant_id = waits.tenant_id and recent.recipient = waits.recipient
          and recent.kind = waits.kind and recent.created_at > now() - interval '50 seconds'
      )
      returning *
    ), filled as (
      update private.alerts alert set bundle_id = filling.id from bundled filling
      where alert.tenant_id = filling.tenant_id and alert.recipient = filling.recipient
        and alert.kind = filling.kind and alert.bundle_id is null
    )
    select * from bundled
  loop
    perform graphile_worker.add_job('send_alerts',
      json_build_object('tenant_id', bundle.tenant_id, 'bundle_id', bundle.id), max_attempts => 15);
  end loop;
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
    select given.tenant_id, event.id as event_id, given.actor,
      private.alert_kind(event.type, event.data) as kind, event.data,
      coalesce(event.data #>> '{exception,id}', event.data #>> '{connection,source_id}',
        event.data ->> 'id') as subject
    from taken given join public.events event on event.tenant_id = given.tenant_id
      and event.id = given.event_id
  ), person as materialized (
    select account.*
    from (select distinct news.tenant_id from happened news) told_tenant
    cross join lateral private.people_with_alerts(told_tenant.tenant_id) account
  ), mailed as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select news.tenant_id, 'account:' || reader.id, news.kind, news.event_id, news.subject
    from happened news join person reader on reader.tenant_id = news.tenant_id
    where case news.kind
      when 'exception_breached' then reader.breached = 'all'
      or (reader.breached = 'mine' and reader.reference = news.data #>> '{exception,assigned_to}')
      when 'exception_at_risk' then reader.at_risk = 'all'
      or (reader.at_risk = 'mine' and reader.reference = news.data #>> '{exception,assigned_to}')
      when 'assigned' then reader.assigned
      and reader.reference = news.data #>> '{exception,assigned_to}'
      and reader.reference <> news.actor
      when 'mentioned' then reader.mentioned and private.mentions(news.data) ? reader.reference
      and reader.reference <> news.actor
      when 'webhook_failing' then reader.webhook_failing and reader.is_admin
      when 'api_key_expiring' then reader.api_key_expiring and reader.is_admin
      when 'connection_failing' then reader.connection_failing and reader.is_admin
    end
    on conflict do nothing
  ), posted as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select news.tenant_id, channel.id, news.kind, news.event_id, news.subject
    from happened news
      join public.alert_channels channel on channel.tenant_id = news.tenant_id
        and channel.deleted_at is null and news.kind = any (channel.kinds)
    on conflict do nothing
  )
  select count(*) into looked_at from taken;
  perform private.bundle_alerts();
  return looked_at;
end $function$;
CREATE OR REPLACE FUNCTION private.lasting_alerts(b private.alert_bundles)
 RETURNS SETOF private.alerts
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
  select alert.* from private.alerts alert
  where alert.tenant_id = b.tenant_id and alert.bundle_id = b.id and case alert.kind
    when 'exception_breached' then exists (select from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject
        and exception.status in ('open', 'in_review') and exception.due_at <= now())
    when 'exception_at_risk' then exists (select from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject
        and exception.status in ('open', 'in_review')
        and exception.due_at > now() and exception.paused_at is null)
    when 'assigned' then exists (select from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject
        and exception.status in ('open', 'in_review')
        and (alert.recipient not like 'account:%' or exception.assigned_to = (
        select 'user:' || private.account_name(account.email, account.id)
        from auth.users account
        where account.id = private.account_of_recipient(alert.recipient))))
    when 'webhook_failing' then exists (select from public.webhooks webhook
      where webhook.tenant_id = alert.tenant_id and webhook.id = alert.subject
        and webhook.deleted_at is null
        and (webhook.status = 'disabled' or webhook.failing_since is not null))
    when 'api_key_expiring' then exists (select from public.api_keys api_key
      where api_key.tenant_id = alert.tenant_id and api_key.id = alert.subject
        and api_key.revoked_at is null
        and api_key.rotated_to is null and api_key.expires_at > now())
    when 'connection_failing' then exists (select from public.connections connection
      join public.sources source on source.tenant_id = connection.tenant_id
        and source.source_no = connection.source_no
      where source.tenant_id = alert.tenant_id and source.id = alert.subject
        and connection.deleted_at is null and connection.failing_since is not null)
    else true
  end
  order by alert.event_id;
end $function$;
CREATE OR REPLACE FUNCTION private.alert_line(a private.alerts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case
    when a.kind = 'webhook_failing' then (
      select jsonb_build_object('id', webhook.id, 'title',
        regexp_replace(webhook.url, '[?#].*$', ''), 'detail',
        case webhook.status when 'disabled' then 'Disabled'
          else 'Failing since ' || private.iso(webhook.failing_since) end)
      from public.webhooks webhook where webhook.tenant_id = a.tenant_id and webhook.id = a.subject)
    when a.kind = 'api_key_expiring' then (
      select jsonb_build_object('id', api_key.id, 'title', api_key.name, 'detail',
        'Expires ' || private.iso(api_key.expires_at))
      from public.api_keys api_key where api_key.tenant_id = a.tenant_id and api_key.id = a.subject)
    when a.kind = 'connection_failing' then (
      select jsonb_build_object('id', source.id, 'title', source.name, 'detail',
        left(connection.last_error, 300))
      from public.sources source
      join public.connections connection on connection.tenant_id = source.tenant_id
        and connection.source_no = source.source_no and connection.deleted_at is null
      where source.tenant_id = a.tenant_id and source.id = a.subject)
    else (
      select jsonb_build_object('id', exception.id, 'title', exception.title, 'detail',
        initcap(exception.severity) || ', '
          || case when exception.paused_at is not null then 'paused'
            else 'due ' || private.iso(exception.due_at)
            end
        || coalesce(', assigned to ' || substr(exception.assigned_to, 6), ', unassigned'))
      from public.exceptions exception
      where exception.tenant_id = a.tenant_id and exception.id = a.subject)
  end;
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
  from private.alert_bundles bundle
  where bundle.tenant_id = $1 and bundle.id = $2 for no key update;
  if not found or b.settled_at is not null then
    return null;
  end if;
  if b.recipient like 'account:%' then
    select jsonb_build_object('email', account.email) into addressed from auth.users account
    where account.id = private.account_of_recipient(b.recipient) and account.deleted_at is null
      and not private.is_sandbox($1)
      and (account.banned_until is null or account.banned_until <= now())
      and private.roles_of_account(account.raw_app_meta_data, $1) ?| private.roles();
  else
    select jsonb_build_object('url_id', channel_url.url_id, 'sealed', channel_url.sealed)
      into addressed
    from public.alert_channels channel
      join private.alert_channel_urls channel_url on channel_url.tenant_id = channel.tenant_id
        and channel_url.channel_id = channel.id
    where channel.tenant_id = $1 and channel.id = b.recipient and channel.deleted_at is null;
  end if;
  select jsonb_build_object('count', count(*), 'items',
    jsonb_agg(private.alert_line(numbered.alert)
      order by numbered.nth) filter (where numbered.nth <= 10)) into lasting
  from (select kept as alert, row_number() over (order by kept.event_id) as nth
    from private.lasting_alerts(b) kept) numbered;
  if addressed is null or (lasting -> 'count')::integer = 0 then
    -- Nothing was sent, so the channel's last message stays as it was.
    update private.alert_bundles bundle set settled_at = now()
    where bundle.tenant_id = $1 and bundle.id = $2;
    return null;
  end if;
  return addressed || lasting || jsonb_build_object(
    'tenant_name', (select tenant.name from public.tenants tenant where tenant.id = $1), 'kind',
    b.kind, 'recipient', b.recipient
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
  select sandbox, tenant.name from public.tenants tenant where tenant.id = private.tenant_id()
  on conflict do nothing;
  if found then
    insert into public.sla_policies (tenant_id) values (sandbox);
    perform private.record_security_event('sandbox.created');
  end if;
  return private.finish_request(request,
    jsonb_build_object('tenant_id', sandbox, 'reconciliation_id', null));
end $function$;
CREATE OR REPLACE FUNCTION private.lock_sandbox()
 RETURNS public.tenants
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  sandbox public.tenants;
begin
  select * into sandbox from public.tenants own_tenant
  where own_tenant.id = tenant and own_tenant.kind = 'sandbox' for no key update;
  if not found then
    perform private.refuse_conflict('tenant_kind',
      'Only a sandbox can be reset, and this tenant is live. Nothing was deleted.');
  end if;
  perform private.lock_sources_exclusively(tenant,
    array(select source.source_no from public.sources source where source.tenant_id = tenant));
  perform from public.pairs pair where pair.tenant_id = tenant order by pair.pair_no for update;
  -- Otherwise a matcher could begin a run after the check below.
  perform from public.runs run where run.tenant_id = tenant and run.status = 'queued'
  order by run.id for update;
  if exists (select from public.runs run where run.tenant_id = tenant and run.status = 'running')
    or exists (select from public.imports import
      where import.tenant_id = tenant and import.status in ('reading', 'undoing'))
    or exists (select from public.pairs pair
      where pair.tenant_id = tenant and pair.opening is not null)
    or exists (select from private.closing_requests closing_request
      where closing_request.tenant_id = tenant and closing_request.failure is null) then
    perform private.refuse_conflict('sandbox_busy',
      'A run, an import or a closing is at work in this sandbox. Send the call again when it is done.');
  end if;
  return sandbox;
end $function$;
