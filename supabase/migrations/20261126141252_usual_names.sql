-- usual names

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.keep_staged_lines(text,integer,text,boolean);
drop function private.queue_to_count(text);
drop function private.gather_alerts(integer);
drop function private.keep_alert_channel_url(text,text,text);
drop function private.own_address();
drop function private.own_sessions(integer);
drop function private.bury_silent_pools();
drop function private.beat(text,text);
drop function private.forget_password_reset(text);
drop function private.forget_webhook_secrets(text);
drop function private.keep_webhook_secret(text,text,text,interval);
drop function private.wake_webhook(text);
drop function private.find_own_api_key(text);
drop function private.fold_exception_counters(integer);
drop function private.hold_exception(text);
drop function private.forget_suggestions(text,uuid[]);
drop function private.point_exceptions_at_suggestions(text,text,text,integer);
drop function private.few_with_words(text);
drop function private.change_exceptions_as_asked(text,jsonb[]);
drop function private.hold_exceptions(text[]);
drop function private.exception_to_be(text,public.exceptions,jsonb,public.sla_policies);
drop function private.exceptions_to_be(text,jsonb[]);
drop function private.queue_book_examinations();
drop function private.queue_book_examination(text,integer);
drop function private.examine_books(text,integer);
drop function private.forget_closing(public.reconciliations);
drop function private.needs_other_eyes(public.reconciliations);
drop function private.gather_run(text,text,integer,date,boolean,boolean,boolean);
drop function private.give_lines_of_matches(text,boolean);
drop function private.whole_waterfall(public.reconciliations,text[]);
drop function private.keep_weights(text,integer,text,integer,jsonb,bigint);
drop function private.take_lines(text,public.reconciliations,uuid[],bigint[],bigint[],uuid[],boolean);
drop function private.keep_matches(text,text,text,integer,uuid[],uuid[],text[],text[],text[],boolean[],real[],real[],text[],bigint[],bigint[],jsonb,bigint[],bigint[],uuid[],bigint[],text[],bigint[],jsonb);
drop function private.ask_for_run(text,jsonb);
drop function private.ask_for_runs_by_calendar(text);
drop function private.ask_for_runs(text,integer);
drop function private.own_open_lines(public.reconciliations,jsonb,bigint[],bigint,bigint,integer);
drop function private.take_back_act(text);
drop function private.few_lines_asked_for(public.reconciliations,jsonb,integer);
drop function private.line_asked_for(jsonb);
drop function private.give_back(text,uuid[]);
drop function private.take_open(text,uuid[]);
drop function private.lower_open(text,integer,bigint[],bigint[]);
drop function private.remember_act(text,uuid[]);
drop function private.lines_leave(text,text);
drop function private.hold_period_alone(text,text);
drop function private.hold_period(text,text);
drop function private.hold_pair_of(text);
drop function private.hold_pairs_of_source(text,integer);
drop function private.hold_pair(text,integer);
drop function private.try_sources_alone(text,integer[]);
drop function private.hold_sources_alone(text,integer[]);
drop function private.hold_source(text,integer);
drop function private.own_lines(public.reconciliations,jsonb,integer[],integer);
drop function private.few_own_lines(public.reconciliations,text,integer[],integer);
drop function private.line_was(text);
drop function private.find_own_lines(text,integer[],integer);
drop function private.keep_security_event_checkpoint(text,text,bigint,text,timestamp with time zone,text,text);
drop function private.own_chain_state();
drop function private.hold_to_quota(text,text,bigint);
drop function private.places_of(text,text);
drop function private.of_request(jsonb);
drop function private.answer(jsonb,jsonb);
drop function private.enter_write(jsonb,text,text);
drop function private.enter(jsonb,text,text);
CREATE OR REPLACE FUNCTION public.get_me(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_me');
  return jsonb_build_object('tenant_id', private.tenant_id(), 'tenant_name', (
    select t.name from public.tenants t where t.id = private.tenant_id() and private.principal_type() <> 'publishable_key'
  ));
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
  perform set_config('tieout.operation', coalesce(request ->> 'operation', ''), true),
    set_config('tieout.request_id', coalesce(request ->> 'request_id', ''), true),
    set_config('tieout.address', coalesce(request ->> 'address', ''), true);
  if claims ->> 'tenant_id' is null or claims ->> 'principal_type' is distinct from 'publishable_key'
    and not exists (select from public.tenants t where t.id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden', 'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  select p.* into needed
  from private.operations o join private.permissions p on p.permission = o.permission
  where o.verb = begin_request.verb and o.operation = request ->> 'operation'
    and (begin_request.resource is null or split_part(o.permission, ':', 2) = begin_request.resource);
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
    perform private.record_security_event('dry_run.done', request -> 'dry_run' ->> 'id', null, request -> 'dry_run');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_write(request jsonb, verb text, resource text DEFAULT NULL::text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  key constant jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
  caller constant text := auth.jwt() ->> 'principal_id';
  stored private.idempotency_keys;
begin
  perform private.begin_request(request, verb, resource);
  if key is null then
    return null;
  end if;
  loop
    insert into private.idempotency_keys (tenant_id, principal, operation, key_hash, fingerprint)
    values (private.tenant_id(), caller, request ->> 'operation', key ->> 'key_hash', key ->> 'fingerprint')
    on conflict do nothing;
    if found then
      return null;
    end if;
    select * into stored from private.idempotency_keys k
    where k.tenant_id = private.tenant_id() and k.principal = caller
      and k.operation = request ->> 'operation' and k.key_hash = key ->> 'key_hash';
    continue when not found;
    if stored.created_at < now() - interval '24 hours' then
      delete from private.idempotency_keys k
      where k.tenant_id = stored.tenant_id and k.principal = stored.principal and k.operation = stored.operation
        and k.key_hash = stored.key_hash and k.created_at = stored.created_at;
      continue;
    end if;
    if stored.fingerprint <> key ->> 'fingerprint' then
      perform private.refuse('idempotency_mismatch', 'This idempotency key was used with a different request. Use a new key for a new request.');
    end if;
    return jsonb_build_object('replayed', true, 'body', stored.answer);
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.finish_request(request jsonb, body jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  key constant jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
begin
  if key is not null then
    update private.idempotency_keys k set answer = body
    where k.tenant_id = private.tenant_id() and k.principal = auth.jwt() ->> 'principal_id'
      and k.operation = request ->> 'operation' and k.key_hash = key ->> 'key_hash';
  end if;
  return jsonb_build_object('replayed', false, 'body', body);
end $function$;
CREATE OR REPLACE FUNCTION private.with_request_id(payload jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return payload || jsonb_build_object('request_id', nullif(current_setting('tieout.request_id', true), ''));
end $function$;
CREATE OR REPLACE FUNCTION private.job_flags(tenant text, kind text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY[kind, ((kind || ':'::text) || tenant)];
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
    perform private.refuse('conflict', format('A tenant can have at most %s %s (QUOTA_%s). %s, or ask your operator for a larger quota.',
      quota,
      case kind when 'api_keys' then 'active API keys' when 'exceptions' then 'open exceptions'
        when 'members' then 'members and open invitations' else kind end,
      upper(kind),
      case kind when 'api_keys' then 'Revoke one' when 'exceptions' then 'Resolve or dismiss some' when 'webhooks' then 'Delete one'
        when 'members' then 'Remove a member, or revoke an invitation'
        when 'records' then 'Delete some: they count until they are purged' when 'lines' then 'Undo an import' else 'Use those you have' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.serialize_counting(kind text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform pg_advisory_xact_lock(
    hashtextextended('count ' || private.tenant_id() || ' ' || kind, 0)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_quota(kind text, added bigint DEFAULT 1)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enforce_quota(private.tenant_id(), kind, added);
end $function$;
CREATE OR REPLACE FUNCTION public.list_security_events(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'list_security_events');
  return private.security_events_page(input);
end $function$;
CREATE OR REPLACE FUNCTION public.get_security_event(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.security_events;
begin
  perform private.begin_request(request, 'get_security_event');
  select * into e from public.security_events x
  where x.chain = private.tenant_id() and x.id = input ->> 'id' and x.tenant_id = private.tenant_id() and x.seq is not null;
  if not found then
    perform private.refuse_missing('security event');
  end if;
  return private.security_event_json(e);
end $function$;
CREATE OR REPLACE FUNCTION private.chain_state_of_caller()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  own_chain constant text := case when private.may('read:security-events') then private.tenant_id() end;
  head private.security_event_heads;
begin
  select * into head from private.security_event_heads h where h.chain = own_chain;
  return jsonb_build_object(
    'chain', own_chain, 'as_of', private.iso(now()),
    'head', case when head.seq > 0 then jsonb_build_object('seq', head.seq, 'hash', head.hash) end,
    'unchained', least(
      (select min(e.id) from public.security_events e where e.chain = own_chain and e.seq is null),
      (select min(e.id) from public.security_events e where e.chain = own_chain and e.seq < 1),
      (select min(e.id) from public.security_events e where e.chain = own_chain and e.seq > coalesce(head.seq, 0)),
      (select min(e.id) from public.security_events e where e.tenant_id = own_chain and e.chain <> own_chain)
    ),
    'checkpoints', (
      select coalesce(jsonb_agg(private.checkpoint_json(c) order by c.seq), '[]')
      from private.security_event_checkpoints c where c.chain = own_chain
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION public.open_security_event_chain(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'open_security_event_chain');
  return private.chain_state_of_caller();
end $function$;
CREATE OR REPLACE FUNCTION public.walk_security_event_chain(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  after constant bigint := input ->> 'after';
  through constant bigint := input ->> 'through';
  page_size constant integer := input ->> 'limit';
begin
  perform private.begin_request(request || '{"continues": true}', 'walk_security_event_chain');
  return coalesce(
    private.security_event_texts(after, least(through, after + page_size), page_size),
    private.security_event_texts(after, through, page_size),
    '[]'
  );
end $function$;
CREATE OR REPLACE FUNCTION public.open_security_event_export(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'open_security_event_export');
  return jsonb_build_object('through', (
    select coalesce(max(x.seq), 0)::text from public.security_events x
    where x.chain = private.tenant_id() and x.tenant_id = private.tenant_id() and x.seq is not null
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.continue_security_event_export(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request || '{"continues": true}', 'continue_security_event_export');
  return private.security_events_page(input);
end $function$;
CREATE OR REPLACE FUNCTION private.store_security_event_checkpoint(chain text, kind text, seq bigint, hash text, at timestamp with time zone, key_id text, signature text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.security_event_checkpoints (chain, kind, seq, hash, at, key_id, signature)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing;
end $function$;
CREATE OR REPLACE FUNCTION private.forget_security_events(chain text, through bigint, hash text, at timestamp with time zone, key_id text, signature text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.store_security_event_checkpoint(chain, 'prefix', through, hash, at, key_id, signature);
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', nullif(chain, '*'), 'type', 'security_events.forgotten', 'actor', 'system', 'credential', 'system',
    'details', jsonb_build_object('through_seq', through)
  ));
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
    perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
  elsif before.closed_at is not null and after.closed_at is not null
    and (after.name, after.period_start, after.period_end, after.left_source, after.right_source) is distinct from
      (before.name, before.period_start, before.period_end, before.left_source, before.right_source) then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif after.status = 'completed' and after.closed_at is null then
    perform private.refuse('conflict', 'This reconciliation is completed by closing it: POST to its /close.');
  elsif after.closed_at is not null and after.status not in ('completed', 'archived') then
    perform private.refuse('conflict', 'The period is closed. Reopen it by POST to its /reopen.');
  end if;
  if before.id is not null then
    perform private.require_not_closing(tenant, after.pair_no, after.id);
  end if;
  if before.id is not null and (after.period_start, after.period_end) = (before.period_start, before.period_end) then
    return;
  end if;
  if not exists (
    select from public.pairs p
    join public.sources l on l.tenant_id = p.tenant_id and l.source_no = p.left_source_no and l.id = after.left_source_id
    join public.sources r on r.tenant_id = p.tenant_id and r.source_no = p.right_source_no and r.id = after.right_source_id
    where p.tenant_id = tenant and p.pair_no = after.pair_no
  ) then
    perform private.refuse_field('left_source_id', 'These are not the sources of this pair. Create the reconciliation by POST /v1/reconciliations.');
  end if;
  perform private.lock_pair(tenant, after.pair_no);
  if before.id is not null and (
    exists (select from public.matches m where m.tenant_id = tenant and m.reconciliation_id = after.id)
    or exists (select from public.exclusions x where x.tenant_id = tenant and x.reconciliation_id = after.id)
  ) then
    perform private.refuse('conflict', 'The period has matches or excluded lines, and keeps its dates.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id
      and r.period_start <= after.period_end and r.period_end >= after.period_start
  ) then
    perform private.refuse('conflict', 'Another reconciliation of these two sources covers some of these days. Periods of a pair may not overlap.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id and r.closed_at is not null
      and r.period_start > after.period_end
  ) then
    perform private.refuse('conflict', 'A later period of these two sources is closed, and carried forward what was open of these days. '
      'Choose days after it, or reopen it first.');
  end if;
  perform private.require_not_closing(tenant, r.pair_no, r.id) from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id and r.period_start > after.period_end;
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
      perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select o.pair_no, o.is_open into pair, is_open from private.open_pair(input ->> 'left_source_id', input ->> 'right_source_id') o;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id', coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  perform private.record_security_event('reconciliation.created', created.id, null,
    jsonb_build_object('name', created.name, 'period_start', created.period_start,
      'period_end', created.period_end, 'left_source_id', created.left_source_id,
      'right_source_id', created.right_source_id));
  if is_open then
    perform private.request_runs(private.tenant_id(), pair);
  elsif pair is not null then
    perform private.queue_preparing(private.tenant_id(), pair, interval '0');
  end if;
  return private.finish_request(request, private.reconciliation_json(created) || jsonb_build_object('version', private.reconciliation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.get_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_reconciliation');
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  return private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r));
end $function$;
CREATE OR REPLACE FUNCTION public.update_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_reconciliation');
  before public.reconciliations;
  after public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.lock_pair_of(input ->> 'id');
  select * into before from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations x set
      name = after.name, status = after.status, period_start = after.period_start, period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count, auto_run = after.auto_run
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.finish_request(request, private.reconciliation_json(after) || jsonb_build_object('version', private.reconciliation_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.list_reconciliations(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_reconciliations');
  select jsonb_agg(private.reconciliation_json(r) order by r.id desc) into items
  from (
    select * from public.reconciliations x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'left_source_id' is null or x.left_source_id = input ->> 'left_source_id')
      and (input ->> 'right_source_id' is null or x.right_source_id = input ->> 'right_source_id')
      and (input ->> 'period_from' is null or x.period_end >= (input ->> 'period_from')::date)
      and (input ->> 'period_to' is null or x.period_start <= (input ->> 'period_to')::date)
    order by x.id desc
    limit page_size + 1
  ) r;
  return private.page(items, page_size, 'id');
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
  perform private.require_quota('sources');
  insert into public.sources (name, kind, currency, time_zone, sign, mapping, grace_days)
  values (
    input ->> 'name', input ->> 'kind', input ->> 'currency', coalesce(input ->> 'time_zone', 'UTC'), coalesce(input ->> 'sign', 'as_is'),
    nullif(input -> 'mapping', 'null'), coalesce((input ->> 'grace_days')::smallint, 3)
  )
  returning * into created;
  perform private.record_security_event('source.created', created.id, null,
    private.source_facts(created));
  return private.finish_request(request, private.source_json(created) || jsonb_build_object('version', private.source_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.get_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  s public.sources;
begin
  perform private.begin_request(request, 'get_source');
  s := private.find_source(input ->> 'id');
  return private.source_json(s) || jsonb_build_object('version', private.source_version(s));
end $function$;
CREATE OR REPLACE FUNCTION public.update_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_source');
  before public.sources;
  after public.sources;
begin
  if replayed is not null then
    return replayed;
  end if;
  -- Alone where its currency or sign is to change, by which its lines are read.
  perform private.lock_sources_exclusively(s.tenant_id, array[s.source_no]) from public.sources s
  where s.tenant_id = private.tenant_id() and s.id = input ->> 'id'
    and (coalesce(input #>> '{patch,currency}', s.currency), coalesce(input #>> '{patch,sign}', s.sign)) <> (s.currency, s.sign);
  select * into before from public.sources x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('source');
  end if;
  perform private.require_version(private.source_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  after.mapping := nullif(after.mapping, 'null');
  if after is distinct from before then
    update public.sources x set
      name = after.name, kind = after.kind, currency = after.currency, time_zone = after.time_zone, sign = after.sign,
      mapping = after.mapping, grace_days = after.grace_days
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
    perform private.record_security_event('source.updated', after.id, null, (
      select jsonb_build_object('name', after.name, 'changes', coalesce(jsonb_object_agg(
        n.key, jsonb_build_object('from', o.value, 'to', n.value)), '{}'))
      from jsonb_each(private.source_facts(after)) n
      join jsonb_each(private.source_facts(before)) o on o.key = n.key
      where o.value is distinct from n.value
    ));
  end if;
  return private.finish_request(request, private.source_json(after) || jsonb_build_object('version', private.source_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.list_sources(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  patterns constant text[] := private.word_patterns(coalesce(input ->> 'q', ''));
  items jsonb;
begin
  perform private.begin_request(request, 'list_sources');
  select jsonb_agg(private.source_json(s) order by s.id desc) into items
  from (
    select * from public.sources x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'kind' is null or x.kind = input ->> 'kind')
      and lower(x.name) like all (patterns)
    order by x.id desc
    limit page_size + 1
  ) s;
  return private.page(items, page_size, 'id');
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
    and (select sum(s.line_count) from public.sources s where s.tenant_id = tenant) > 50000;
  found bigint[];
  waiting bigint[];
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return '{}';
  end if;
  -- What is an expression has no index.
  execute format('select array(select t.line_no from private.line_texts t where %s = $1 and t.source_no = any ($2) and %s limit $3)',
    case when is_named then $c$(t.tenant_id || '')$c$ else 't.tenant_id' end,
    private.line_search(q, case when is_named then 't.text' else $c$(t.text || '')$c$ end))
  into found using tenant, source_nos, most + 1;
  if cardinality(found) > most then
    return null;
  end if;
  execute 'select array(
      select l.line_no from private.line_spans s cross join lateral (
        select x.line_no, x.source_no, private.line_text(x) as text from public.lines x
        where x.tenant_id = $1 and x.line_no between s.first_line_no and s.last_line_no offset 0
      ) l
      where s.tenant_id = $1 and s.source_no = any ($2) and l.source_no = s.source_no and ' || private.line_search(q, 'l.text') || ' limit $3)'
  into waiting using tenant, source_nos, most + 1;
  return case when cardinality(found) + cardinality(waiting) <= most then found || waiting end;
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

  -- Where nothing can be there yet, nothing is looked for: half the time. Should others add to the source meanwhile, it is.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null) into accepted, kept_ids using $1, $2, $3, s.id, s.sign, false;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids using $1, $2, $3, s.id, s.sign, false;
  end;
  if accepted < staged and not ids_are_unique and private.mark_ids_reused_in_source($1, s.id) > 0 then
    perform private.number_repeated_lines(true);
    execute private.insert_of_staged(true) into accepted_again, kept_ids
    using $1, $2, $3, s.id, s.sign, true;
    accepted := accepted + accepted_again;
  end if;

  if accepted < staged and ids_are_unique then
    select count(*), coalesce(jsonb_agg(to_jsonb(c) - 'n' order by c.position) filter (where c.n <= 100), '[]') into conflict_count, conflicts
    from (
      select row_number() over (order by l.position) as n, l.position, l.file_line, l.external_id,
        l.amount_minor || ' ' || l.currency as found, k.amount_minor || ' ' || k.currency as wanted
      from pg_temp.staged_lines l
      join public.lines k on k.tenant_id = $1 and k.id = private.line_identity(s.id, l.key, 0)
      where l.external_id is not null and (k.amount_minor, k.currency) is distinct from (l.amount_minor, l.currency)
    ) c;
  end if;
  if $3 is null then
    select jsonb_agg(jsonb_build_object('index', i.position, 'id', private.line_id_text(i.id), 'duplicate', i.nth > 1 or i.id <> all (kept_ids)) order by i.position)
    into items
    from (
      select l.position, case when l.external_id is null then 1 else coalesce(r.nth, 1) end as nth,
        private.line_identity(s.id, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end) as id
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
    ) i;
  end if;

  if accepted > 0 then
    perform private.enforce_quota($1, 'lines', accepted);
    update public.sources x set line_count = x.line_count + accepted where x.tenant_id = $1 and x.source_no = $2;
    perform private.lines_arrived($1, $2);
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count, 'conflicts', conflicts,
    'conflict_count', conflict_count, 'items', items
  );
end $function$;
CREATE OR REPLACE FUNCTION private.add_lines(source_no integer, lines jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept jsonb;
begin
  perform private.stage_lines_of(lines);
  kept := private.insert_staged_lines(private.tenant_id(), source_no, null, true);
  if (kept ->> 'conflict_count')::bigint > 0 then
    perform private.refuse('invalid_request', 'The request is not valid: see errors for each place.', (
      select jsonb_agg(jsonb_build_object(
        'path', format('lines.%s.external_id', c ->> 'position'),
        'message', format('There is a line with this external_id and another amount, %s in minor units: give each line its own.', c ->> 'wanted')
      )) from jsonb_array_elements(kept -> 'conflicts') c
    ));
  end if;
  return kept;
end $function$;
CREATE OR REPLACE FUNCTION public.add_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'add_lines');
  s public.sources;
  added jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  s := private.find_source(input ->> 'source_id');
  perform private.record_source_work(s.source_no);
  added := private.add_lines(s.source_no, (
    select jsonb_agg(jsonb_build_object('currency', s.currency) || l.line order by l.n)
    from jsonb_array_elements(input -> 'lines') with ordinality l (line, n)
  ));
  return private.finish_request(request, jsonb_build_object(
    'accepted_count', added -> 'accepted', 'duplicate_count', added -> 'duplicates', 'items', added -> 'items'
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.get_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  l public.lines;
begin
  perform private.begin_request(request, 'get_line');
  select * into l from public.lines x where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return private.line_json(l, (select s.id from public.sources s where s.tenant_id = l.tenant_id and s.source_no = l.source_no), null);
end $function$;
CREATE OR REPLACE FUNCTION private.line_state_was(state text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  carried constant text := private.line_state_condition('carried');
  matched constant text := private.line_state_condition('matched');
begin
  return case state
    when 'outstanding' then carried
    when 'open' then carried || ' and not ' || matched
    when 'partly_matched' then carried || ' and ' || matched
    when 'matched' then matched || ' and not ' || carried
    when 'excluded' then 'not ' || matched || ' and not ' || carried
  end;
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
        select from public.matches m
        where m.tenant_id = $1 and m.id = mm.match_id and m.reconciliation_id = $3.id and m.state = 'confirmed' offset 0
      ) m where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3.pair_no offset 0)$c$
    when 'excluded' then $c$exists (
      select from public.exclusions e
      where e.tenant_id = $1 and e.pair_no = $3.pair_no and e.line_no = x.line_no and e.reconciliation_id = $3.id offset 0)$c$
    when 'open' then 'exists (select from private.open_lines o where o.tenant_id = $1 and o.pair_no = $3.pair_no and o.line_no = x.line_no offset 0)'
    when 'carried' then
      'exists (select from public.carried_lines c where c.tenant_id = $1 and c.reconciliation_id = $3.id and c.line_no = x.line_no offset 0)'
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
    select c.lines from private.matched_counts c where c.tenant_id = tenant and c.reconciliation_id = r.id), 0) <= most
  then
    return array(
      select distinct mm.line_no from public.matches m
      cross join lateral (select x.line_no from public.match_members x where x.tenant_id = tenant and x.match_id = m.id offset 0) mm
      where m.tenant_id = tenant and m.reconciliation_id = r.id and m.state = 'confirmed'
    );
  elsif state = 'excluded' then
    pair_nos := case when r.id is not null then array[r.pair_no] else array(
      select p.pair_no from public.pairs p
      where p.tenant_id = tenant and (p.left_source_no = any (source_nos) or p.right_source_no = any (source_nos))) end;
    line_nos := array(select distinct e.line_no from public.exclusions e where e.tenant_id = tenant and e.pair_no = any (pair_nos) limit most + 1);
    return case when cardinality(line_nos) <= most then line_nos end;
  end if;
  return null;
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
  -- Of a line that is gone meanwhile: its day is begun anew.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1), 9223372036854775807);
  few bigint[];
  is_searched boolean := false;
  stands text;
  of_standing text;
  unpaired text;
  filters text;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if q is not null then
    few := private.find_lines_of_caller(q, source_nos, 5000);
    is_searched := few is not null;
  end if;
  if few is null then
    few := private.narrow_by_state(r, state, source_nos, 5000);
  end if;
  stands := case when few is null and state in ('open', 'partly_matched', 'outstanding') then
    case when r.closed_at is null then 'private.open_lines w where w.tenant_id = $1 and w.pair_no = s.pair_no'
    else 'public.carried_lines w where w.tenant_id = $1 and w.reconciliation_id = $3.id' end end;
  filters := concat_ws(' and ',
    case when q is not null and not is_searched then private.line_search(q, 'private.line_text(x)') end,
    case when stands is null and after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null then $c$x.import_id = $2 ->> 'import_id' and x.line_no between
      (select i.first_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id') and
      (select i.last_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end,
    case when r.id is not null then 'x.value_date <= $3.period_end' end,
    case when r.id is not null and stands is null then format('(%s or %s or %s)',
      private.line_state_condition(case when r.closed_at is null then 'open' else 'carried' end), private.line_state_condition('matched'), private.line_state_condition('excluded')) end,
    case when r.closed_at is not null then case when stands is null or state <> 'outstanding' then private.line_state_was(state) end
      when stands is null then private.line_state_is(state) end,
    'true'
  );
  of_standing := concat_ws(' and ', 'w.side = s.side', case when r.id is not null then 'w.value_date <= $3.period_end' end,
    case when after_date is not null then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when r.closed_at is null then
      case state when 'open' then 'w.open_minor = w.amount_minor' when 'partly_matched' then 'w.open_minor <> w.amount_minor' end end,
    -- Not all of it in another pair.
    case when r.id is null and state = 'partly_matched' then 'not exists (select from private.open_lines o
      where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = w.line_no and o.open_minor = o.amount_minor offset 0)' end);
  -- Of a source in no pair all is open.
  unpaired := case when stands is not null and r.id is null and state <> 'partly_matched' then format($sql$
    union all (
      select x.value_date, x.line_no from public.lines x
      where s.pair_no is null and x.tenant_id = $1 and x.source_no = s.source_no and %s
      order by x.value_date desc, x.line_no desc limit $8
    ) $sql$, concat_ws(' and ', case when after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end, filters)) end;
  return query execute format($sql$
    with sources as materialized (
      select x.source_no, case when $3.id is not null then array[$3.pair_no] else array(
        select p.pair_no from public.pairs p
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no) and p.opening is null order by p.pair_no) end as pair_nos
      from unnest($4) x (source_no)
    ), s as materialized (
      select x.source_no, x.pair_nos, p.pair_no, case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%s)
    )
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (%s) l order by l.value_date desc, l.line_no desc limit $8 $sql$,
    case when stands is null then 'x.pair_nos[:1]' else 'x.pair_nos' end, case
    when few is not null then format($sql$
      select x.value_date, x.line_no from unnest($5) h (line_no)
      cross join lateral (select * from public.lines y where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
      join s on s.source_no = x.source_no where %s $sql$, filters)
    -- What is open in several pairs is listed once.
    when stands is not null then format($sql$
      select distinct w.value_date, w.line_no from s cross join lateral ((
        select w.value_date, w.line_no from %s and %s and exists (
          select from (select * from public.lines y where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x where %s offset 0
        ) order by w.value_date desc, w.line_no desc limit $8
      ) %s) w $sql$, stands, of_standing, filters, unpaired)
    else format($sql$
      select w.value_date, w.line_no from s cross join lateral (
        select x.value_date, x.line_no from public.lines x
        where x.tenant_id = $1 and x.source_no = s.source_no and %s order by x.value_date desc, x.line_no desc limit $8
      ) w $sql$, filters)
    end)
  using tenant, input, r, source_nos, few, after_date, after_no, most;
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
  items jsonb;
begin
  perform private.begin_request(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.find_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
  end if;
  source_nos := array(
    select s.source_no
    from public.sources s
    left join public.pairs p on p.tenant_id = tenant and p.pair_no = r.pair_no
    where s.tenant_id = tenant
      and (input ->> 'source_id' is null or s.id = input ->> 'source_id')
      and (r.id is null or s.source_no in (p.left_source_no, p.right_source_no))
      and (input ->> 'side' is null or s.source_no = case input ->> 'side' when 'left' then p.left_source_no else p.right_source_no end)
  );
  select jsonb_agg(private.line_json(l, s.id, r.pair_no) || private.line_in_closed(l, r) order by f.n) into items
  from private.lines_of_caller(r, input, source_nos, page_size + 1) f
  cross join lateral (select * from public.lines y where y.tenant_id = tenant and y.line_no = f.line_no offset 0) l
  join public.sources s on s.tenant_id = tenant and s.source_no = l.source_no;
  return private.page(items, page_size, 'value_date', 'id');
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
  select count(*) as files, coalesce(sum(greatest(i.bytes_total, i.bytes_read)), 0) as bytes into waiting
  from public.imports i where i.tenant_id = private.tenant_id() and i.status in ('receiving', 'queued', 'reading');
  if waiting.files + require_room.files > 20 or waiting.bytes + require_room.bytes > 4294967296 then
    perform private.refuse('conflict', 'At most 20 imports of 4 GiB in all can wait or be read at a time. Wait until one is done, and upload the file again.');
  end if;
  if pg_database_size(current_database()) + 10 * (waiting.bytes + require_room.bytes) > database_max_bytes then
    perform private.refuse('unavailable', 'There is not enough disk space for this file. Nothing of it was kept.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.open_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  opened text;
begin
  perform private.begin_request(request, 'open_import');
  s := private.find_source(input ->> 'source_id');
  if not coalesce((input ->> 'preview')::boolean, false) then
    perform private.require_room(1, coalesce((input ->> 'bytes')::bigint, 0), (input ->> 'database_max_bytes')::bigint);
    insert into public.imports (tenant_id, source_no, format, file_name, bytes_total)
    values (s.tenant_id, s.source_no, input ->> 'format', input ->> 'file_name', coalesce((input ->> 'bytes')::bigint, 0))
    returning id into opened;
  end if;
  return jsonb_build_object(
    'id', opened,
    'source', jsonb_build_object('currency', s.currency, 'time_zone', s.time_zone, 'mapping', s.mapping)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.keep_import_chunk(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  part bytea;
begin
  perform private.begin_request(request, 'keep_import_chunk');
  -- Its length may have been said by nobody.
  if (input ->> 'seq')::integer % 64 = 63 then
    perform private.require_room(0, 0, (input ->> 'database_max_bytes')::bigint);
  end if;
  part := decode(input ->> 'bytes', 'base64');
  update public.imports i set bytes_read = i.bytes_read + octet_length(part)
  where i.tenant_id = private.tenant_id() and i.id = input ->> 'id' and i.status = 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes)
  values (private.tenant_id(), input ->> 'id', (input ->> 'seq')::integer, part)
  on conflict on constraint import_chunks_pkey do nothing;
  return '{}';
end $function$;
CREATE OR REPLACE FUNCTION private.queue_import(import_id text, mapping jsonb, bytes bigint, sha256 text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  queued public.imports;
begin
  update public.imports i set status = 'queued', mapping = queue_import.mapping, bytes_total = bytes, bytes_read = 0
  where i.tenant_id = private.tenant_id() and i.id = $1 and i.status = 'receiving'
  returning * into queued;
  if not found then
    perform private.refuse_missing('import');
  end if;
  perform private.record_source_work(queued.source_no);
  perform private.record_security_event('import.created', queued.id, null, jsonb_build_object(
    'file_name', queued.file_name, 'format', queued.format, 'bytes', bytes, 'sha256', sha256,
    'source_id', (
      select s.id from public.sources s
      where s.tenant_id = queued.tenant_id and s.source_no = queued.source_no
    )
  ));
  -- One file of a source at a time: two with the same lines would wait for each other.
  perform graphile_worker.add_job(
    'read_import', private.with_request_id(jsonb_build_object('tenant_id', queued.tenant_id, 'import_id', queued.id)),
    queue_name => 'source:' || queued.tenant_id || ':' || queued.source_no, max_attempts => 6, flags => private.job_flags(queued.tenant_id, 'lines')
  );
  return queued;
end $function$;
CREATE OR REPLACE FUNCTION public.create_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_import');
begin
  if replayed is not null then
    perform private.drop_received(input ->> 'id');
    return replayed;
  end if;
  return private.finish_request(request, private.import_json(
    private.queue_import(input ->> 'id', nullif(input -> 'mapping', 'null'), (input ->> 'bytes')::bigint,
      input ->> 'sha256')
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.drop_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'drop_import');
  perform private.drop_received(input ->> 'id');
  return '{}';
end $function$;
CREATE OR REPLACE FUNCTION public.preview_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'preview_import');
  return jsonb_build_object(
    'positions', private.known_lines(
      (private.find_source(input ->> 'source_id')).source_no, input -> 'lines',
      private.ids_are_unique(input ->> 'format')
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_import');
  return private.import_json(private.find_import(input ->> 'id'));
end $function$;
CREATE OR REPLACE FUNCTION public.list_imports(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_imports');
  if input ->> 'source_id' is not null then
    wanted := (private.find_source(input ->> 'source_id')).source_no;
  end if;
  select jsonb_agg(private.import_json(i) order by i.id desc) into items
  from (
    select * from public.imports x
    where x.tenant_id = private.tenant_id() and x.status <> 'receiving'
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (wanted is null or x.source_no = wanted)
      and (input ->> 'status' is null or x.status = input ->> 'status')
    order by x.id desc
    limit page_size + 1
  ) i;
  return private.page(items, page_size, 'id');
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
  update public.sources s set last_import_at = now() where s.tenant_id = $1 and s.source_no = i.source_no;
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
  delete from public.lines l using public.imports x
  where x.tenant_id = $1 and x.id = $2 and l.tenant_id = $1 and l.line_no between x.first_line_no and x.last_line_no and l.import_id = $2;
  get diagnostics removed = row_count;
  update public.imports x set status = 'undone', undone_at = now(), undone_by = coalesce(x.undone_by, $3)
  where x.tenant_id = $1 and x.id = $2
  returning * into i;
  if removed > 0 then
    update public.sources s set line_count = s.line_count - removed where s.tenant_id = $1 and s.source_no = i.source_no;
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
  select * into i from public.imports x where x.tenant_id = private.tenant_id() and x.id = $1 and x.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if i.status in ('queued', 'reading') then
    update public.imports x set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    delete from private.import_chunks c where c.tenant_id = i.tenant_id and c.import_id = i.id;
    return i;
  elsif i.status = 'done' and i.accepted_count <= private.lines_at_once() then
    return private.remove_import(i.tenant_id, i.id, private.actor());
  elsif i.status = 'done' then
    -- So that no closing of theirs begins unseen.
    perform private.lock_pairs_of_source(i.tenant_id, i.source_no);
    perform private.require_undoable(i.tenant_id, i.source_no, private.line_nos_of_import(i.tenant_id, i.id));
    update public.imports x set status = 'undoing', undone_by = private.actor() where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    perform graphile_worker.add_job(
      'undo_import', private.with_request_id(jsonb_build_object('tenant_id', i.tenant_id, 'import_id', i.id)),
      queue_name => 'source:' || i.tenant_id || ':' || i.source_no, max_attempts => 6, flags => private.job_flags(i.tenant_id, 'lines')
    );
    return i;
  end if;
  perform private.refuse('conflict', case i.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $function$;
CREATE OR REPLACE FUNCTION public.undo_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_import');
  i public.imports;
begin
  if replayed is not null then
    return replayed;
  end if;
  i := private.begin_undoing(input ->> 'id');
  perform private.record_security_event('import.undone', i.id, null, jsonb_build_object(
    'file_name', i.file_name, 'accepted_count', i.accepted_count
  ));
  return private.finish_request(request, private.import_json(i));
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
  select s.source_no into left_no from public.sources s where s.tenant_id = tenant and s.id = $1;
  select s.source_no into right_no from public.sources s where s.tenant_id = tenant and s.id = $2;
  if left_no is null then
    perform private.refuse_field('left_source_id', 'There is no such source.');
  elsif right_no is null then
    perform private.refuse_field('right_source_id', 'There is no such source.');
  elsif left_no = right_no then
    perform private.refuse_field('right_source_id', 'Name two sources: a source is not compared with itself.');
  end if;
  stand_still := private.try_lock_sources_exclusively(tenant, array[left_no, right_no]);
  -- None is made but for a reconciliation.
  perform private.require_quota('reconciliations');
  insert into public.pairs (tenant_id, left_source_no, right_source_no, opening) values (tenant, left_no, right_no, '{}')
  on conflict (tenant_id, left_source_no, right_source_no) do nothing
  returning * into pair;
  if not found then
    select * into strict pair from public.pairs p where p.tenant_id = tenant and p.left_source_no = left_no and p.right_source_no = right_no;
    is_open := stand_still and pair.opening is null;
  elsif stand_still then
    is_open := private.open_earlier_lines(pair, 1000);
  else
    is_open := false;
  end if;
  pair_no := pair.pair_no;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_preparing(tenant text, pair integer, delay interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('prepare_pair', private.with_request_id(jsonb_build_object('tenant_id', tenant, 'pair_no', pair)),
    queue_name => 'pair:' || pair, run_at => now() + delay, job_key => 'prepare:' || pair, flags => private.job_flags(tenant, 'lines'));
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
    perform private.lock_sources_exclusively(x.tenant_id, array[x.left_source_no, x.right_source_no]) from public.pairs x
    where x.tenant_id = tenant and x.pair_no = pair;
  exception when sqlstate 'TO001' then
    perform private.queue_preparing(tenant, pair, interval '5 seconds');
    return false;
  end;
  select * into strict p from public.pairs x where x.tenant_id = tenant and x.pair_no = pair for no key update;
  if not private.open_earlier_lines(p, 25000) then
    return true;
  end if;
  perform private.queue_run(w.tenant_id, w.pair_no, w.reconciliation_id, w.asked, interval '0') from (
    select r.tenant_id, r.pair_no, r.reconciliation_id, case when r.dry_run is not null then r.id end as asked
    from public.runs r join public.reconciliations c on c.tenant_id = r.tenant_id and c.id = r.reconciliation_id
    where r.tenant_id = tenant and r.pair_no = pair and r.status = 'queued' order by c.period_end, r.id
  ) w;
  perform private.request_runs(tenant, pair);
  return false;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_source(tenant text, source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform pg_advisory_xact_lock_shared(private.lock_of_source(tenant, source_no));
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
  perform private.refuse('conflict', 'Lines of these sources are coming in or being removed. Wait until that is done, and send the call again.');
end $function$;
CREATE OR REPLACE FUNCTION private.try_lock_sources_exclusively(tenant text, source_nos integer[])
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return (select bool_and(pg_try_advisory_xact_lock(private.lock_of_source(tenant, n))) from unnest(source_nos) n);
end $function$;
CREATE OR REPLACE FUNCTION private.lock_pair(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.pairs p where p.tenant_id = tenant and p.pair_no = pair for no key update;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_pairs_of_source(tenant text, source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.pairs p
  where p.tenant_id = tenant and lock_pairs_of_source.source_no in (p.left_source_no, p.right_source_no)
  order by p.pair_no for no key update;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_pair_of(reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.lock_pair(r.tenant_id, r.pair_no) from public.reconciliations r
  where r.tenant_id = private.tenant_id() and r.id = reconciliation and r.pair_no is not null;
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
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif r.pair_no is null then
    perform private.refuse('conflict', 'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  perform private.require_prepared(tenant, r.pair_no);
  perform private.lock_pair(tenant, r.pair_no);
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation for no key update;
  if r.closed_at is not null then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse('conflict', 'The reconciliation is archived: it does not change any more.');
  end if;
  perform private.require_not_closing(tenant, r.pair_no, r.id);
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_period_exclusively(tenant text, reconciliation text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Whoever prepares it holds them again and again.
  perform private.require_prepared(r.tenant_id, r.pair_no) from public.reconciliations r where r.tenant_id = tenant and r.id = reconciliation;
  perform private.lock_sources_exclusively(tenant, array[p.left_source_no, p.right_source_no])
  from public.reconciliations r join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = reconciliation;
  return private.lock_period(tenant, reconciliation);
end $function$;
CREATE OR REPLACE FUNCTION private.lines_arrived(tenant_id text, source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.request_runs(p.tenant_id, p.pair_no) from (
    select x.tenant_id, x.pair_no from public.pairs x
    where x.tenant_id = $1 and $2 in (x.left_source_no, x.right_source_no) order by x.pair_no
  ) p;
end $function$;
CREATE OR REPLACE FUNCTION private.detach_removed_lines(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  source constant integer := (select i.source_no from public.imports i where i.tenant_id = $1 and i.id = $2);
  line_nos bigint[];
  touched record;
begin
  perform private.lock_source($1, source);
  perform private.lock_pairs_of_source($1, source);
  line_nos := private.line_nos_of_import($1, $2);
  perform private.require_undoable($1, source, line_nos);
  for touched in
    select mm.pair_no, array_agg(distinct mm.match_id) as ids from public.match_members mm
    where mm.tenant_id = $1 and mm.line_no = any (line_nos) group by mm.pair_no order by mm.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select p.pair_no from public.pairs p where p.tenant_id = $1 loop
    delete from public.exclusions x where x.tenant_id = $1 and x.pair_no = touched.pair_no and x.line_no = any (line_nos);
    delete from private.open_lines o where o.tenant_id = $1 and o.pair_no = touched.pair_no and o.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos, 'The import of the line was undone.');
  end loop;
  delete from private.line_texts t where t.tenant_id = $1 and t.line_no = any (line_nos);
end $function$;
CREATE OR REPLACE FUNCTION private.record_act(kind text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.acts (tenant_id, reconciliation_id, kind, match_ids, created_by)
  select m.tenant_id, m.reconciliation_id, record_act.kind, array_agg(m.id order by m.id), private.actor()
  from public.matches m where m.tenant_id = private.tenant_id() and m.id = any (ids)
  group by m.tenant_id, m.reconciliation_id order by m.reconciliation_id;
end $function$;
CREATE OR REPLACE FUNCTION private.reduce_open_amounts(tenant text, pair integer, line_nos bigint[], minors bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  places record;
begin
  select array_agg(o.place) filter (where o.open_minor = o.minor) as whole, array_agg(o.place) filter (where o.open_minor <> o.minor) as part,
    array_agg(o.minor) filter (where o.open_minor <> o.minor) as part_minors
  into places
  from private.find_open(tenant, pair, line_nos, minors) o where o.place is not null;
  delete from private.open_lines o where o.ctid = any (places.whole);
  update private.open_lines o set open_minor = o.open_minor - s.minor
  from unnest(places.part, places.part_minors) as s (place, minor) where o.ctid = s.place;
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
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'A line of this match is not open any more.') order by i.n) into short
  from unnest(ids) with ordinality as i (id, n)
  where exists (
    select from public.match_members mm
    left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no and o.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = i.id
      and coalesce(mm.allocated_minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0), true)
  ) or exists (
    select from public.match_members mm join public.match_members other
      on other.tenant_id = mm.tenant_id and other.line_no = mm.line_no and other.match_id = any (ids) and other.match_id < mm.match_id
    where mm.tenant_id = tenant and mm.match_id = i.id
  );
  if short is not null then
    perform private.refuse('conflict', 'What it needs is not open any more. Nothing was changed.', short);
  end if;
  for taken in
    select mm.pair_no, array_agg(mm.line_no) as line_nos, array_agg(mm.allocated_minor) as minors
    from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids) group by mm.pair_no
  loop
    perform private.reduce_open_amounts(tenant, taken.pair_no, taken.line_nos, taken.minors);
  end loop;
  perform private.count_matched(tenant, ids, 1);
end $function$;
CREATE OR REPLACE FUNCTION private.release_open_amounts(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
  select mm.tenant_id, mm.pair_no, mm.line_no, mm.side, l.currency, x.factor * l.amount_minor, sum(mm.allocated_minor), l.value_date
  from public.match_members mm
  join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
  join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  cross join lateral (select case s.sign when 'inverted' then -1 else 1 end as factor) x
  where mm.tenant_id = tenant and mm.match_id = any (ids)
  group by mm.tenant_id, mm.pair_no, mm.line_no, mm.side, l.currency, x.factor, l.amount_minor, l.value_date
  on conflict (tenant_id, pair_no, line_no) do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.count_matched(tenant, ids, -1);
end $function$;
CREATE OR REPLACE FUNCTION private.delete_matches(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.delete_open_suggestions(tenant, ids);
  delete from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  delete from public.matches m where m.tenant_id = tenant and m.id = any (ids);
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
  select array_agg(m.id order by m.id) filter (where m.state = 'confirmed'), array_agg(m.id order by m.id) filter (where m.state = 'suggested')
  into confirmed, suggested
  from public.matches m where m.tenant_id = tenant and m.id = any (ids);
  if suggested is not null then
    perform private.delete_matches(tenant, suggested);
  end if;
  if confirmed is null then
    return 0;
  end if;
  perform private.release_open_amounts(tenant, confirmed);
  if who is not null then
    insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
    select m.tenant_id, m.pair_no, m.id, false, m.score from public.matches m
    where m.tenant_id = tenant and m.id = any (confirmed) and m.decided_by is null and not m.settled and m.shape = '1:1' order by m.id;
  end if;
  update public.matches m set state = 'undone', decided_by = coalesce(who, m.decided_by), decided_at = now()
  where m.tenant_id = tenant and m.id = any (confirmed);
  insert into public.events (tenant_id, type, data)
  select m.tenant_id, 'match.undone', jsonb_build_object('match', private.match_event(m), 'undone_by', coalesce(who, 'system'))
  from public.matches m where m.tenant_id = tenant and m.id = any (confirmed) order by m.id;
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
  update public.matches m set state = 'confirmed', decided_by = who, decided_at = now() where m.tenant_id = tenant and m.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select m.tenant_id, m.pair_no, m.id, true, m.score from public.matches m
  where m.tenant_id = tenant and m.id = any (ids) and m.shape = '1:1' order by m.id;
  select array_agg(distinct mm.line_no) into line_nos from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos, ids);
  perform private.resolve_matched_exceptions(tenant, pair, ids);
end $function$;
CREATE OR REPLACE FUNCTION private.reject_matches(tenant text, ids uuid[], who text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.delete_open_suggestions(tenant, ids);
  update public.matches m set state = 'rejected', decided_by = who, decided_at = now() where m.tenant_id = tenant and m.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select m.tenant_id, m.pair_no, m.id, false, m.score from public.matches m
  where m.tenant_id = tenant and m.id = any (ids) and m.shape = '1:1' order by m.id;
end $function$;
CREATE OR REPLACE FUNCTION public.get_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_match');
  return private.match_json(private.find_match(input ->> 'id'));
end $function$;
CREATE OR REPLACE FUNCTION private.change_matches(action text, ids uuid[], seen boolean DEFAULT true)
 RETURNS SETOF public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  who constant text := private.actor();
  wanted constant text := case action when 'undo' then 'confirmed' else 'suggested' end;
  touched record;
  refused jsonb;
begin
  for touched in
    select m.pair_no, array_agg(distinct m.reconciliation_id) as periods from public.matches m
    where m.tenant_id = tenant and m.id = any (ids) group by m.pair_no order by m.pair_no
  loop
    perform private.lock_period(tenant, p.id) from unnest(touched.periods) as p (id);
  end loop;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) left join public.matches m on m.tenant_id = tenant and m.id = i.id where m.id is null;
  if refused is not null then
    perform private.refuse('not_found', 'There is no such match.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('This match is %s: only one that is %s can be %s.', m.state, wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end)) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id where m.state <> wanted;
  if refused is not null then
    perform private.refuse('invalid_transition', format('Only a match that is %s can be %s. Nothing was changed.', wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end), refused);
  end if;
  for touched in
    select m.pair_no, array_agg(m.id order by m.id) as ids from public.matches m
    where m.tenant_id = tenant and m.id = any (change_matches.ids) group by m.pair_no order by m.pair_no
  loop
    case action
      when 'confirm' then perform private.confirm_matches(tenant, touched.pair_no, touched.ids, who);
      when 'reject' then perform private.reject_matches(tenant, touched.ids, who);
      when 'undo' then perform private.undo_matches(tenant, touched.ids, who);
    end case;
  end loop;
  if not seen then
    update private.decisions d set score = null where d.tenant_id = tenant and d.match_id = any (change_matches.ids);
  end if;
  if action <> 'undo' then
    perform private.record_act(action, change_matches.ids);
  end if;
  perform private.record_decided_matches(action, change_matches.ids, jsonb_build_object('by_filter', not seen));
  return query
  select m.* from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id order by i.n;
end $function$;
CREATE OR REPLACE FUNCTION public.confirm_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'confirm_match');
  m public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('confirm', array[m.id]);
  return private.finish_request(request, private.match_json(m));
end $function$;
CREATE OR REPLACE FUNCTION public.reject_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'reject_match');
  m public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('reject', array[m.id]);
  return private.finish_request(request, private.match_json(m));
end $function$;
CREATE OR REPLACE FUNCTION public.undo_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_match');
  m public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('undo', array[m.id]);
  return private.finish_request(request, private.match_json(m));
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
    perform private.refuse('role_required', 'This credential may confirm and reject suggestions, and not undo matches.');
  end if;
  if filter is null then
    select array_agg(private.match_id(i.id) order by i.n),
      jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n)
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
      perform private.refuse_field('filter', 'The filter finds more than 5,000 matches. Narrow it.');
    elsif cardinality(found_ids) <> (input ->> 'expected_count')::integer then
      perform private.refuse('conflict', format('The filter finds %s matches, not %s. Look at them again. Nothing was changed.',
        cardinality(found_ids), input ->> 'expected_count'));
    end if;
  end if;
  return private.finish_request(request, (
    select jsonb_build_object('count', count(*), 'items', coalesce(jsonb_agg(private.match_json(m) order by d.ordinality) filter (where d.ordinality <= 500), '[]'))
    from private.change_matches(action, found_ids, filter is null) with ordinality d
    join public.matches m on m.tenant_id = d.tenant_id and m.id = d.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.requested_line(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return nullif(concat_ws(' and ',
    case when input ->> 'line_id' is not null then $c$l.id = private.line_id($4 ->> 'line_id')$c$ end,
    case when input ->> 'date_from' is not null then $c$l.value_date >= ($4 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$l.value_date <= ($4 ->> 'date_to')::date$c$ end,
    case when nullif(btrim(input ->> 'q'), '') is not null then private.line_search(input ->> 'q', 'private.line_text(l)') end
  ), '');
end $function$;
CREATE OR REPLACE FUNCTION private.narrow_by_filters(r public.reconciliations, input jsonb, most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  source_nos constant integer[] := (
    select array[p.left_source_no, p.right_source_no] from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no);
  q constant text := nullif(btrim(input ->> 'q'), '');
  line_nos bigint[];
begin
  if input ->> 'line_id' is not null then
    return array(select l.line_no from public.lines l where l.tenant_id = r.tenant_id and l.id = private.line_id(input ->> 'line_id'));
  end if;
  if q is not null then
    line_nos := private.find_lines_of_caller(q, source_nos, most);
  end if;
  if line_nos is null and coalesce(input ->> 'date_from', input ->> 'date_to') is not null then
    line_nos := array(
      select l.line_no from unnest(source_nos) s (source_no) cross join lateral (
        select x.line_no from public.lines x
        where x.tenant_id = r.tenant_id and x.source_no = s.source_no
          and x.value_date between coalesce((input ->> 'date_from')::date, '-infinity') and least((input ->> 'date_to')::date, r.period_end)
        limit most + 1
      ) l
    );
  end if;
  return case when cardinality(line_nos) <= most then line_nos end;
end $function$;
CREATE OR REPLACE FUNCTION public.list_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  tenant constant text := private.tenant_id();
  behind constant uuid := private.match_id(input -> 'after' ->> 0);
  of_line constant text := private.requested_line(input);
  r public.reconciliations;
  few bigint[];
  filters text;
  items jsonb;
begin
  perform private.begin_request(request, 'list_matches');
  r := private.find_period(input ->> 'id');
  if of_line is not null then
    few := private.narrow_by_filters(r, input, 5000);
  end if;
  -- The state is written out: suggestions have an index of their own. What is asked of a line is looked up match by match, by whole keys.
  filters := concat_ws(' and ', 'm.tenant_id = $1 and m.reconciliation_id = $2',
    case when behind is not null then 'm.id < $3' end,
    case when input ->> 'state' is not null then format('m.state = %L', input ->> 'state') end,
    case when input ->> 'method' is not null then $c$m.method = $4 ->> 'method'$c$ end,
    case when input ->> 'shape' is not null then $c$m.shape = $4 ->> 'shape'$c$ end,
    case when input ->> 'run_id' is not null then $c$m.run_id = $4 ->> 'run_id'$c$ end,
    case when input ->> 'amount_from' is not null then $c$m.amount_minor >= ($4 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$m.amount_minor <= ($4 ->> 'amount_to')::bigint$c$ end,
    'exists (
      select from public.match_members mm
      cross join lateral (select * from public.lines x where x.tenant_id = $1 and x.line_no = mm.line_no offset 0) l
      where mm.tenant_id = $1 and mm.match_id = m.id and ' || of_line || ' offset 0)');
  execute format('select jsonb_agg(private.match_json(x) order by x.id desc) from (
      select m.* from %s where %s order by m.id desc limit $6
    ) x', case when few is null then 'public.matches m' else '(
      select distinct mm.match_id from public.match_members mm where mm.tenant_id = $1 and mm.line_no = any ($5)
    ) f cross join lateral (select * from public.matches y where y.tenant_id = $1 and y.id = f.match_id offset 0) m' end, filters)
  into items using tenant, r.id, behind, input, few, page_size + 1;
  return private.page(items, page_size, 'id');
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
      else format('This line is dated after the period, which ends on %s.', r.period_end) end) order by l.n) into bad
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
  where o.line_no is null or l.value_date > r.period_end;
  if bad is not null then
    perform private.refuse('conflict', 'Not all of these lines are open in the period. Nothing was changed.', bad);
  end if;
  select count(*) filter (where l.side = 'left') as lefts, count(*) filter (where l.side = 'right') as rights, count(distinct l.currency) as currencies,
    min(l.currency) as currency, coalesce(sum(l.open_minor) filter (where l.side = 'left'), 0) as left_minor,
    coalesce(sum(l.open_minor) filter (where l.side = 'right'), 0) as right_minor,
    sum(greatest(l.open_minor, 0)) as positive_minor, sum(case l.side when 'left' then 1 else -1 end * private.fee_of_whole(x, l.open_minor)) as fees
  into asked
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no;
  if asked.currencies > 1 then
    perform private.refuse_field('line_ids', 'All lines of a match need one currency.');
  end if;
  select asked.left_minor - asked.right_minor - coalesce(sum((a ->> 'amount_minor')::bigint), 0) into difference
  from jsonb_array_elements(coalesce(match_by_hand.adjustments, '[]')) a;
  if split is not null then
    select l.line_no, l.side, l.open_minor, l.open_minor - case l.side when 'left' then difference else -difference end
    into split_no, split_side, split_open, split_minor
    from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l
    join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no and x.id = private.line_id(split);
    if not found then
      perform private.refuse_field('split_line_id', 'Name one of line_ids.');
    elsif asked.lefts = 0 or asked.rights = 0 then
      perform private.refuse_field('split_line_id', 'Only a match of both sides can leave part of a line open.');
    elsif difference = 0 or sign(split_minor) <> sign(split_open) or abs(split_minor) >= abs(split_open) then
      perform private.refuse_field('split_line_id', format(
        'Left − right is %s in minor units of %s, which is no part of this line. Choose the larger line.', difference, asked.currency));
    end if;
  elsif difference <> 0 and difference = asked.fees then
    explained := explained || jsonb_build_object('kind', 'fee', 'amount_minor', asked.fees, 'note', null);
  elsif difference <> 0 then
    perform private.refuse_field('adjustments', format(
      'Left is %s and right is %s in minor units of %s: %s is not explained. Add adjustments of %s, or choose other lines.',
      asked.left_minor, asked.right_minor, asked.currency, difference, difference));
  end if;
  left_taken := asked.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := asked.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when asked.lefts = 0 or asked.rights = 0 then asked.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids', 'These lines come to more than 9007199254740991 in minor units. Match fewer of them at a time.');
  end if;
  perform private.require_adjustable(r, match_by_hand.adjustments, greatest(abs(left_taken), abs(right_taken), amount), asked.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method, currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    case when asked.lefts = 0 or asked.rights = 0 then 'reversal' when asked.lefts = 1 and asked.rights = 1 then '1:1'
      when asked.lefts = 1 then '1:n' when asked.rights = 1 then 'n:1' else 'n:m' end,
    'manual', asked.currency, amount, explained, match_by_hand.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, l.line_no, l.side, case when l.line_no = split_no then split_minor else l.open_minor end
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  perform private.record_act('match', array[made.id]);
  perform private.record_hand_match(made);
  return made;
end $function$;
CREATE OR REPLACE FUNCTION public.create_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_match');
begin
  if replayed is not null then
    return replayed;
  end if;
  return private.finish_request(request, private.match_json(
    private.match_by_hand(input ->> 'id', input -> 'line_ids', nullif(input -> 'adjustments', 'null'), input ->> 'note',
      input ->> 'split_line_id')));
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
  where l.tenant_id = tenant and l.id = private.line_id($1) and x.tenant_id = tenant and x.pair_no = r.pair_no and x.line_no = l.line_no
    and x.value_date <= r.period_end
  returning x.* into o;
  if not found then
    perform private.refuse('conflict', 'Nothing of this line is open in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone since.
  insert into public.exclusions as e (tenant_id, pair_no, line_no, reconciliation_id, side, currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no) do update set excluded_minor = e.excluded_minor + excluded.excluded_minor, reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where e.reconciliation_id = excluded.reconciliation_id;
  if not found then
    perform private.refuse('conflict', 'Another period excluded part of this line. Include it there first, or match what is open of it.');
  end if;
  perform private.drop_suggestions(tenant, r.pair_no, array[o.line_no]);
  perform private.resolve_line_exceptions(tenant, r.pair_no, array[o.line_no], left('Excluded: ' || $3, 1000));
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, r.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_period_work(r.id);
  perform private.record_security_event('line.excluded', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
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
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  r := private.lock_period(tenant, r.id);
  delete from public.exclusions e using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and e.tenant_id = tenant and e.pair_no = r.pair_no and e.line_no = l.line_no
  returning e.* into x;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
  select tenant, x.pair_no, l.line_no, x.side, l.currency, case s.sign when 'inverted' then -l.amount_minor else l.amount_minor end,
    x.excluded_minor, l.value_date
  from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  where l.tenant_id = tenant and l.line_no = x.line_no
  on conflict (tenant_id, pair_no, line_no) do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, x.pair_no, array[x.line_no]);
  update private.acts a set undone_at = now(), undone_by = private.actor()
  where a.tenant_id = tenant and a.line_id = private.line_id($1) and a.reconciliation_id = r.id and a.undone_at is null;
  perform private.record_period_work(r.id);
  perform private.record_security_event('line.included', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
  return r.id;
end $function$;
CREATE OR REPLACE FUNCTION public.exclude_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'exclude_line');
  period text;
begin
  if replayed is not null then
    return replayed;
  end if;
  period := private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id');
  perform private.exclude_line(input ->> 'id', period, input ->> 'reason');
  return private.finish_request(request, private.line_of_period(input ->> 'id', period));
end $function$;
CREATE OR REPLACE FUNCTION public.include_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'include_line');
  period text;
begin
  if replayed is not null then
    return replayed;
  end if;
  if not exists (select from public.lines l where l.tenant_id = private.tenant_id() and l.id = private.line_id(input ->> 'id')) then
    perform private.refuse_missing('line');
  end if;
  period := private.include_line(input ->> 'id', input ->> 'reconciliation_id', input ->> 'reason');
  return private.finish_request(request, private.line_of_period(input ->> 'id', period));
end $function$;
CREATE OR REPLACE FUNCTION public.list_decisions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
    where a.tenant_id = r.tenant_id and a.reconciliation_id = r.id and (input -> 'after' ->> 0 is null or a.id < input -> 'after' ->> 0)
    order by a.id desc limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
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
    perform private.refuse('conflict', 'This decision was undone already.');
  end if;
  wanted := case a.kind when 'reject' then 'rejected' else 'confirmed' end;
  if (select count(*) from public.matches m where m.tenant_id = tenant and m.id = any (a.match_ids) and m.state = wanted) <> cardinality(a.match_ids) then
    perform private.refuse('conflict', format('Not all of its matches are still %s. Nothing was changed.', wanted));
  end if;
  case a.kind
    when 'confirm' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, true);
    when 'reject' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, false);
    when 'match' then perform private.undo_matches(tenant, a.match_ids, private.actor());
    when 'exclude' then perform private.include_line(private.line_id_text(a.line_id), r.id, 'Undone');
  end case;
  perform private.record_period_work(a.reconciliation_id);
  update private.acts x set undone_at = now(), undone_by = private.actor() where x.tenant_id = tenant and x.id = a.id returning * into a;
  if a.kind <> 'exclude' then
    perform private.record_security_event('matching.undone', a.id, null, jsonb_build_object(
      'decision', a.kind, 'count', cardinality(a.match_ids), 'reconciliation_id', a.reconciliation_id));
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
  select array_agg(distinct mm.line_no) into line_nos from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  if taken then
    perform private.release_open_amounts(tenant, ids);
    insert into public.events (tenant_id, type, data)
    select m.tenant_id, 'match.undone', jsonb_build_object('match', private.match_event(m), 'undone_by', private.actor())
    from public.matches m where m.tenant_id = tenant and m.id = any (ids) order by m.id;
  elsif exists (
    select from public.match_members mm
    left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no and o.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = any (ids)
      and coalesce(mm.allocated_minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0), true)
  ) then
    perform private.refuse('conflict', 'A line of it is not open any more. Nothing was changed.');
  end if;
  delete from private.decisions d where d.tenant_id = tenant and d.pair_no = pair and d.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos);
  update public.matches m set state = 'suggested', decided_by = null, decided_at = null where m.tenant_id = tenant and m.id = any (ids);
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
  a private.acts;
begin
  if replayed is not null then
    return replayed;
  end if;
  select * into a from private.acts x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('decision');
  elsif not private.may('write:reconciliations') and (
    a.kind in ('match', 'exclude')
    or (a.actor_issuer, a.actor_subject)
      is distinct from (private.actor_issuer(), private.actor_subject())
    or a.actor_subject is null
  ) then
    perform private.refuse('role_required', 'You can undo what you confirmed or rejected yourself. Ask an admin or a lead to undo this.');
  end if;
  return private.finish_request(request, private.act_json(private.undo_act(a.id)));
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
  r := private.find_period(private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into l from public.lines x where x.tenant_id = r.tenant_id and x.id = private.line_id(input ->> 'id');
  select * into o from private.open_lines x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = l.line_no;
  select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
  policy := private.policy_of_pair(r.tenant_id, r.pair_no);
  return jsonb_build_object(
    'reconciliation_id', r.id, 'side', o.side, 'weights', p.weights,
    'open_days', private.open_days(r.tenant_id, policy ->> 'calendar_id') -> 'open_days',
    'line', case when o.line_no is not null then private.engine_line(l, o.open_minor, policy) end,
    'rules', (select x.rules from public.pair_rules x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.version = p.rules_version),
    'candidates', (
      with others as materialized (
        select * from private.open_lines x
        where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.side <> o.side and x.currency = o.currency and x.value_date <= r.period_end
      ), near as (
        (select x.line_no, x.open_minor from others x order by abs(x.open_minor - o.open_minor), x.line_no limit 200)
        union
        (select x.line_no, x.open_minor from others x order by abs(x.value_date - o.value_date), x.line_no limit 200)
      )
      select coalesce(jsonb_agg(private.engine_line(c, n.open_minor, policy) order by n.line_no), '[]')
      from near n join public.lines c on c.tenant_id = r.tenant_id and c.line_no = n.line_no
    ),
    'rejected', (
      select coalesce(jsonb_agg(jsonb_build_object('left', x.lefts, 'right', x.rights)), '[]')
      from (
        select coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'left'), '[]') as lefts,
          coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'right'), '[]') as rights
        from public.match_members mine
        join public.matches m on m.tenant_id = mine.tenant_id and m.id = mine.match_id and m.decided_by is not null and m.state in ('rejected', 'undone')
        join public.match_members other on other.tenant_id = m.tenant_id and other.match_id = m.id
        join public.lines ml on ml.tenant_id = other.tenant_id and ml.line_no = other.line_no
        where mine.tenant_id = r.tenant_id and mine.line_no = l.line_no and mine.pair_no = r.pair_no
        group by m.id
      ) x
    )
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
  q constant text := nullif(btrim(input ->> 'q'), '');
  sort_key constant text := case when by_amount then '(-abs(x.open_minor))' else 'x.value_date' end;
  filters constant text := concat_ws(' and ',
    'x.tenant_id = $1 and x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case when hits is not null then '(x.line_no = any ($5)' || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when q is not null then 'exists (select from public.lines l where l.tenant_id = $1 and l.line_no = x.line_no and '
        || private.line_search(q, 'private.line_text(l)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when by_amount then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$ else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.open_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case (input ->> 'suggested')::boolean
      -- Few have one: they are looked up.
      when true then $c$x.line_no = any (array(
        select mm.line_no from public.matches m join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
        where m.tenant_id = $1 and m.reconciliation_id = $8 and m.state = 'suggested'))$c$
      -- By a lookup for each line until the page is full.
      when false then $c$(
        select true from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3 and m.state = 'suggested' and m.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  -- Planned for what is asked, each side in the order of its index until the page is full. How many lines have a suggestion the planner cannot know: taking
  -- them for few, it would read and sort them all.
  perform set_config('enable_bitmapscan', (hits is not null)::text, true), set_config('enable_seqscan', (hits is not null)::text, true);
  return query execute format($sql$
    select row_number() over (order by o.sort_key, o.line_no), o.line_no, o.side, o.amount_minor, o.open_minor
    from unnest($9) s (side) cross join lateral (
      select x.line_no, x.side, x.amount_minor, x.open_minor, %2$s as sort_key from private.open_lines x
      where %1$s order by %2$s, x.line_no limit $10
    ) o order by o.sort_key, o.line_no limit $10 $sql$, filters, sort_key)
  using private.tenant_id(), input, r.pair_no, r.period_end, hits, amount, after_no, r.id,
    case when input ->> 'side' is null then array['left', 'right'] else array[input ->> 'side'] end, most;
  perform set_config('enable_bitmapscan', 'true', true), set_config('enable_seqscan', 'true', true);
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
  -- Of a line that is gone meanwhile: its day or amount is begun anew.
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
      select array[p.left_source_no, p.right_source_no] from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no), 5000);
  end if;
  select jsonb_agg(private.open_line_json(l, o.side, o.amount_minor, o.open_minor, r) order by o.n) into items
  from private.open_lines_of_caller(r, input, hits, private.amount_of_word(q), after_no, page_size + 1) o
  cross join lateral (select * from public.lines y where y.tenant_id = r.tenant_id and y.line_no = o.line_no offset 0) l;
  return private.page(items, page_size, case input ->> 'sort' when 'amount' then 'open_minor' else 'value_date' end, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.queue_run(tenant text, pair integer, reconciliation text, run text, delay interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('match_pair',
    private.with_request_id(jsonb_build_object('tenant_id', tenant, 'reconciliation_id', reconciliation, 'run_id', run)),
    queue_name => 'pair:' || pair, run_at => now() + delay, max_attempts => 5, job_key => 'match:' || coalesce(run, reconciliation),
    job_key_mode => 'preserve_run_at', flags => private.job_flags(tenant, 'run') || case when private.is_large(tenant, pair)
      then private.job_flags(tenant, 'large run') end);
end $function$;
CREATE OR REPLACE FUNCTION private.request_runs(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, null, interval '1 second') from (
    select * from public.reconciliations x
    where x.tenant_id = tenant and x.pair_no = pair and x.auto_run and x.closed_at is null and x.status <> 'archived'
      and not private.is_closing(tenant, pair, x.id)
    order by x.period_end
  ) r;
end $function$;
CREATE OR REPLACE FUNCTION private.request_runs_by_calendar(calendar text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  pairs constant integer[] := array(
    select p.pair_no from public.pairs p join public.pair_rules r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no and r.version = p.rules_version
    where p.tenant_id = private.tenant_id() and r.policy ->> 'calendar_id' = calendar
  );
begin
  perform private.request_runs(private.tenant_id(), pair) from unnest(pairs) pair;
  return (
    select count(*) from public.reconciliations x
    where x.tenant_id = private.tenant_id() and x.pair_no = any (pairs) and x.closed_at is null and x.status <> 'archived'
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
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = reconciliation for no key update;
  if r.closed_at is not null and trial is null then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse('conflict', 'The reconciliation is archived: it does not change any more.');
  end if;
  if trial is null then
    perform private.require_not_closing(r.tenant_id, r.pair_no, r.id);
    select * into asked from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status = 'queued' and x.dry_run is null;
    if found then
      return asked;
    end if;
  end if;
  insert into public.runs (reconciliation_id, pair_no, dry_run, stage) values (r.id, r.pair_no, trial, 'queued') returning * into asked;
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, case when trial is not null then asked.id end, interval '0');
  return asked;
end $function$;
CREATE OR REPLACE FUNCTION public.create_run(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_run');
  asked public.runs;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  asked := private.request_run(input ->> 'id', case when (input ->> 'dry_run')::boolean then private.trial_of(input) end);
  if asked.dry_run is null then
    perform private.record_security_event('matching.run_requested', asked.id, null, jsonb_build_object('reconciliation_id', asked.reconciliation_id));
  end if;
  return private.finish_request(request, private.run_json(asked));
end $function$;
CREATE OR REPLACE FUNCTION public.list_runs(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  items jsonb;
begin
  perform private.begin_request(request, 'list_runs');
  r := private.find_period(input ->> 'id');
  select jsonb_agg(private.run_json(x) order by x.id desc) into items
  from (
    select * from public.runs y
    where y.tenant_id = r.tenant_id and y.reconciliation_id = r.id
      and (input -> 'after' ->> 0 is null or y.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or y.status = input ->> 'status')
    order by y.id desc limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.get_run(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  found_run public.runs;
begin
  perform private.begin_request(request, 'get_run');
  select * into found_run from public.runs x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('run');
  end if;
  return private.run_json(found_run);
end $function$;
CREATE OR REPLACE FUNCTION public.list_suggestion_bands(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  bands constant real[] := private.score_bands();
  r public.reconciliations;
begin
  perform private.begin_request(request, 'list_suggestion_bands');
  r := private.find_period(input ->> 'id');
  return (
    with suggested as (
      select m.method, private.score_band(m.score) as band, m.currency, count(*) as matches, sum(m.amount_minor) as minor
      from public.matches m where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
      group by 1, 2, 3
    ), decided as (
      select d.method, d.band, count(*) filter (where d.state = 'confirmed') as confirmed, count(*) filter (where d.state <> 'confirmed') as refused
      from (
        select m.method, private.score_band(m.score) as band, m.state, count(*) over (partition by m.decided_by, m.decided_at) as together
        from public.matches m where m.tenant_id = r.tenant_id and m.pair_no = r.pair_no and m.decided_by is not null and m.method <> 'manual'
      ) d where d.together = 1 group by 1, 2
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object(
      'method', s.method, 'score_from', bands[s.band], 'score_below', bands[s.band + 1], 'count', s.matches, 'amounts', s.amounts,
      'confirmed_count', coalesce(d.confirmed, 0), 'rejected_count', coalesce(d.refused, 0)) order by s.band desc, s.matches desc, s.method), '[]'),
      'suggested', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', o.currency, 'side', o.side, 'line_count', o.lines,
          'open_minor', private.exact_sum(o.minor)) order by o.currency, o.side), '[]')
        from private.suggested_lines(r) o))
    from (
      select x.method, x.band, sum(x.matches) as matches, jsonb_agg(jsonb_build_object(
        'currency', x.currency, 'amount_minor', private.exact_sum(x.minor)) order by x.currency) as amounts
      from suggested x group by 1, 2
    ) s left join decided d on d.method = s.method and d.band = s.band
  );
end $function$;
CREATE OR REPLACE FUNCTION public.sample_suggestions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'sample_suggestions');
  r := private.find_period(input ->> 'id');
  return (
    with found as materialized (
      select m.id, m.currency, m.amount_minor, row_number() over (order by m.score, m.id) - 1 as n, count(*) over () as total
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested' and m.method = input ->> 'method'
        and m.score >= private.score(input ->> 'score_from') and (input ->> 'score_below' is null or m.score < private.score(input ->> 'score_below'))
    )
    select jsonb_build_object(
      'count', (select count(*) from found),
      'amounts', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'amount_minor', private.exact_sum(x.minor)) order by x.currency), '[]')
        from (select f.currency, sum(f.amount_minor) as minor from found f group by 1) x
      ),
      'items', (
        select coalesce(jsonb_agg(private.match_json(m) order by f.n), '[]')
        from found f join public.matches m on m.tenant_id = r.tenant_id and m.id = f.id
        where f.n = 0 or f.n * 20 / f.total <> (f.n - 1) * 20 / f.total
      )
    )
  );
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
      select m.id from public.matches m where m.tenant_id = tenant and m.id = any (gone) and m.decided_by is null), null);
  end if;
  if cardinality(member_ids) = 0 then
    update public.matches m set run_id = run, method = s.method, settled = s.settled, score = s.score, margin = s.margin, residual_minor = s.residual,
      adjustments = coalesce(save_matches.adjustments -> s.id::text, '[]'), explanation = explanations -> s.id::text, hash_high = s.high, hash_low = s.low
    from unnest(ids, states, methods, save_matches.settled, scores, margins, residuals, highs, lows)
      as s (id, state, method, settled, score, margin, residual, high, low)
    where m.tenant_id = tenant and m.id = s.id and m.decided_by is null and m.state = s.state;
    return 0;
  end if;
  select coalesce(array_agg(distinct member_ids[o.n]), '{}') into lost
  from private.find_open(tenant, r.pair_no, member_lines, member_amounts) o
  where o.place is null or o.minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape, method, settled, score, margin, currency,
    amount_minor, residual_minor, adjustments, explanation, hash_high, hash_low, created_by)
  select tenant, s.id, r.pair_no, r.id, run, s.state, s.shape, s.method, s.settled, s.score, s.margin, s.currency, s.amount, s.residual,
    coalesce(save_matches.adjustments -> s.id::text, '[]'), explanations -> s.id::text, s.high, s.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts, residuals, highs, lows)
    as s (id, state, shape, method, settled, score, margin, currency, amount, residual, high, low)
  where cardinality(lost) = 0 or s.id <> all (lost);
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, s.match_id, r.pair_no, s.line_no, s.side, s.minor
  from unnest(member_ids, member_lines, member_sides, member_amounts) as s (match_id, line_no, side, minor)
  where cardinality(lost) = 0 or s.match_id <> all (lost);
  confirmed := array(select s.id from unnest(ids, states) as s (id, state) where s.state = 'confirmed' and (cardinality(lost) = 0 or s.id <> all (lost)));
  if cardinality(confirmed) > 0 then
    perform private.claim_matched_lines(tenant, r, member_ids, member_lines, member_amounts, confirmed, cardinality(confirmed) = cardinality(ids));
  end if;
  return cardinality(lost);
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
    from unnest(member_ids, member_lines, member_amounts) as s (match_id, line_no, minor) where s.match_id = any (confirmed);
  end if;
  perform private.reduce_open_amounts(tenant, r.pair_no, lines, minors);
  insert into private.matched_counts as c (tenant_id, reconciliation_id, lines) values (tenant, r.id, cardinality(lines))
  on conflict (tenant_id, reconciliation_id) do update set lines = c.lines + excluded.lines;
  if exists (
    select from public.reconciliations other
    where other.tenant_id = tenant and other.pair_no = r.pair_no and other.id <> r.id
      and exists (select from public.matches m where m.tenant_id = tenant and m.reconciliation_id = other.id and m.state = 'suggested')
  ) then
    perform private.drop_suggestions(tenant, r.pair_no, lines);
  end if;
  if exists (select from public.exceptions e where e.tenant_id = tenant and e.pair_no = r.pair_no and e.status in ('open', 'in_review')) then
    perform private.resolve_matched_exceptions(tenant, r.pair_no, confirmed);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.finish_run(tenant text, run text, attempt integer, outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
  p public.reconciliations;
  totals record;
  violations text[];
begin
  perform private.require_attempt(tenant, run, attempt);
  select * into strict x from public.runs y where y.tenant_id = tenant and y.id = run;
  select * into p from public.reconciliations r where r.tenant_id = tenant and r.id = x.reconciliation_id;
  select * into totals from private.digest_of_period(tenant, x.reconciliation_id);
  violations := private.violations_of_period(tenant, x.reconciliation_id, run);
  update public.runs y set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null, finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = y.lines_total, digest = y.engine_version || ':' || totals.digest, suggested_count = totals.suggested,
    open_count = (
      select count(*) from private.open_lines o where o.tenant_id = tenant and o.pair_no = p.pair_no and o.value_date <= p.period_end),
    waterfall = private.full_waterfall(p, private.rules_of_waterfall(outcome -> 'waterfall')), changed = outcome -> 'changed',
    exceptions_opened = (outcome ->> 'exceptions_opened')::integer, exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION public.get_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_rules');
  r := private.find_period(input ->> 'id');
  return (select private.rules_json(p) from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no);
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
  select x.* into p from public.reconciliations r join public.pairs x on x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = period;
  perform private.require_version(p.rules_version, versions);
  if (private.policy_of_pair(tenant, p.pair_no) ->> 'four_eyes')::boolean and not (policy ->> 'four_eyes')::boolean
    and not (private.principal_type() = 'user' and auth.jwt() -> 'roles' ? 'tenant_admin') then
    perform private.refuse('role_required', 'Only a tenant_admin can turn four_eyes off. Leave it out, or ask a tenant admin.');
  end if;
  before := private.rules_json(p);
  insert into public.pair_rules (tenant_id, pair_no, version, rules, policy) values (tenant, p.pair_no, p.rules_version + 1, rules,
    private.policy_of_pair(tenant, p.pair_no) || policy);
  update public.pairs x set rules_version = p.rules_version + 1, weights = case when not forget then private.without_names(x.weights, names) end
  where x.tenant_id = tenant and x.pair_no = p.pair_no
  returning * into p;
  if forget then
    delete from private.decisions d where d.tenant_id = tenant and d.pair_no = p.pair_no;
  end if;
  perform private.record_security_event('matching.rules_updated', period, null,
    jsonb_build_object('from', before - '{weights}'::text[], 'to', private.rules_json(p) - '{weights}'::text[], 'learning_reset', forget));
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
    select jsonb_object_agg(k, input -> k) from unnest('{automatic,fees,four_eyes,calendar_id,exceptions}'::text[]) k where input ? k), '{}');
begin
  perform private.begin_request(request, 'put_rules');
  r := private.find_period(input ->> 'id');
  if dry_run then
    select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
    return private.rules_json(p) || policy || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.request_run(r.id, private.trial_of(input))).id);
  end if;
  perform private.require_calendar(input);
  p := private.set_rules(r.id, input -> 'rules', policy, coalesce((input ->> 'reset_learning')::boolean, false),
    coalesce(input -> 'forget_names', '[]'), request -> 'versions');
  return private.rules_json(p) || jsonb_build_object('dry_run', false, 'run_id', null);
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
  perform from public.pairs p where p.tenant_id = tenant and p.pair_no = pair for no key update;
  if exists (
    select from public.runs x join public.pairs p on p.tenant_id = x.tenant_id and p.pair_no = x.pair_no
    where x.tenant_id = tenant and x.id = run and x.rules_version <> p.rules_version
  ) then
    return;
  end if;
  delete from private.decisions d where d.tenant_id = tenant and d.pair_no = pair and d.id <= up_to;
  get diagnostics taken = row_count;
  if taken > 0 then
    update public.pairs p set weights = save_weights.weights where p.tenant_id = tenant and p.pair_no = pair;
  end if;
  perform private.require_attempt(tenant, run, attempt);
end $function$;
CREATE OR REPLACE FUNCTION public.get_proof(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_proof');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return (
      select c.statement -> 'proof' || jsonb_build_object('closing', jsonb_build_object(
        'digest', c.digest, 'holds', c.digest = private.closing_digest(r.tenant_id, r.id)))
      from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    );
  end if;
  return private.proof_json(r) || '{"closing": null}';
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
    -- Of the rules whose matches later runs leave alone there may be a million: each is of two whole lines.
    with settled as materialized (
      select coalesce(array_position(rules, m.method), 999) as place, m.method as rule, m.currency, count(*) as matches, sum(m.amount_minor) as minor
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.settled and m.state = 'confirmed' and m.decided_by is null
      group by 1, 2, 3
    ), made as materialized (
      select case when m.decided_by is not null then people else coalesce(array_position(rules, m.method), 999) end as place,
        case when m.decided_by is not null then 'manual' else m.method end as rule, m.id, m.currency
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and not (m.settled and m.decided_by is null)
    ), taken as materialized (
      select d.place, d.rule, d.currency, mm.line_no, mm.side, mm.allocated_minor as minor
      from made d join private.members_of(r.tenant_id, array(select x.id from made x)) mm on mm.match_id = d.id
      union all
      select excluded, 'excluded', e.currency, e.line_no, e.side, e.excluded_minor
      from public.exclusions e where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id
    ), first_taken as materialized (
      select distinct on (x.line_no) x.place, x.rule, x.side, x.line_no from taken x order by x.line_no, x.place
    ), partly_open as materialized (
      (select o.line_no from private.open_lines o
       where r.closed_at is null and o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.line_no = any (array(select x.line_no from first_taken x))
       order by o.line_no)
      union all
      select c.line_no from public.carried_lines c where r.closed_at is not null and c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    ), counted as materialized (
      select f.place, f.rule, count(*) filter (where f.side = 'left') as lefts, count(*) filter (where f.side = 'right') as rights
      from first_taken f left join partly_open o on o.line_no = f.line_no
      where o.line_no is null
        -- Of which an exact rule took the rest.
        and (f.place < people or (
          select m.id from (
            select x.match_id from public.match_members x
            where x.tenant_id = r.tenant_id and x.line_no = f.line_no and x.pair_no = r.pair_no offset 0
          ) mm cross join lateral (
            select x.id from public.matches x where x.tenant_id = r.tenant_id and x.id = mm.match_id and x.reconciliation_id = r.id
              and x.settled and x.state = 'confirmed' and x.decided_by is null offset 0
          ) m limit 1
        ) is null)
      group by 1, 2
    ), amounts as materialized (
      select a.place, a.rule, jsonb_agg(jsonb_build_object('currency', a.currency, 'left_minor', private.exact_sum(a.left_minor),
        'right_minor', private.exact_sum(a.right_minor)) order by a.currency) as amounts
      from (
        select z.place, z.rule, z.currency, sum(z.left_minor) as left_minor, sum(z.right_minor) as right_minor from (
          select s.place, s.rule, s.currency, s.minor as left_minor, s.minor as right_minor from settled s
          union all
          select x.place, x.rule, x.currency, case x.side when 'left' then x.minor else 0 end, case x.side when 'right' then x.minor else 0 end from taken x
        ) z group by 1, 2, 3
      ) a group by 1, 2
    ), matched as materialized (
      select z.place, z.rule, sum(z.matches) as matches, sum(z.settled) as settled from (
        select s.place, s.rule, s.matches, s.matches as settled from settled s
        union all
        select d.place, d.rule, 1, 0 from made d
      ) z group by 1, 2
    ), suggested as materialized (
      select m.method as rule, count(*) as suggested from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested' group by 1
    ), steps as (
      select n.place::integer as place, n.rule, 'rule' as kind from unnest(rules) with ordinality n (rule, place)
      union
      select m.place, m.rule, 'rule' from matched m where m.place = 999
      union all
      values (people, 'manual', 'people'), (excluded, 'excluded', 'excluded')
    )
    select jsonb_agg(jsonb_build_object('kind', t.kind, 'rule', t.rule, 'matches', coalesce(m.matches, 0),
      'suggested', case t.kind when 'rule' then coalesce(g.suggested, 0) else 0 end,
      'left_lines', coalesce(m.settled, 0) + coalesce(c.lefts, 0), 'right_lines', coalesce(m.settled, 0) + coalesce(c.rights, 0),
      'amounts', coalesce(a.amounts, '[]')) order by t.place, t.rule)
    from steps t
    left join matched m on m.place = t.place and m.rule = t.rule
    left join counted c on c.place = t.place and c.rule = t.rule
    left join amounts a on a.place = t.place and a.rule = t.rule
    left join suggested g on g.rule = t.rule
  );
end $function$;
CREATE OR REPLACE FUNCTION private.complete_last_run(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.runs x set waterfall = private.full_waterfall(r, private.rules_of_waterfall(x.waterfall)), suggested_count = 0, open_count = (
      select count(*) from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id)
  where x.tenant_id = r.tenant_id and x.id = (
    select y.id from public.runs y
    where y.tenant_id = r.tenant_id and y.reconciliation_id = r.id and y.status = 'done' and y.dry_run is null order by y.id desc limit 1);
end $function$;
CREATE OR REPLACE FUNCTION private.load_lines_of_matches(tenant text, of_settled boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into pg_temp.given_lines
  select mm.line_no, mm.side, mm.allocated_minor, t.currency
  from (select x.id, x.currency from pg_temp.taken_up x where x.settled = of_settled order by x.id) t
  join (
    select x.match_id, x.line_no, x.side, x.allocated_minor from public.match_members x
    where x.tenant_id = tenant and x.match_id = any (array(select y.id from pg_temp.taken_up y where y.settled = of_settled))
    order by x.match_id
  ) mm on mm.match_id = t.id;
end $function$;
CREATE OR REPLACE FUNCTION private.load_run(tenant text, reconciliation text, pair integer, period_end date, is_closed boolean, whole boolean, deducts_fees boolean)
 RETURNS TABLE(left_lines bigint, right_lines bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.plan_by_sets();
  create temp table run_scope on commit drop as select tenant as tenant_id;
  create temp table taken_up (id uuid not null, currency text not null, settled boolean not null) on commit drop;
  create temp table given_lines (line_no bigint not null, side text not null, minor bigint not null, currency text not null) on commit drop;
  create temp table line_fees (line_no bigint not null, minor bigint not null) on commit drop;
  insert into pg_temp.taken_up
  select m.id, m.currency, false from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'confirmed' and m.decided_by is null and (whole or not m.settled);
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
  -- A line that is partly matched is given what is open of it and what its matches took.
  if exists (select from pg_temp.taken_up) then
    create temp view lines_once as select g.line_no, g.side, sum(g.minor)::bigint as minor from pg_temp.given_lines g group by 1, 2;
  else
    create temp view lines_once as select g.line_no, g.side, g.minor from pg_temp.given_lines g;
  end if;
  create temp view lines_to_weigh as
  select g.side = 'left' as is_left, g.line_no, l.id, g.minor, l.currency, l.value_date, l.booked_date, l.reference, l.counterparty, l.description, l.group_key
  from (select x.line_no, x.side, x.minor from pg_temp.lines_once x order by x.line_no) g
  join (
    select * from public.lines x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s) and x.line_no = any (array(select y.line_no from pg_temp.given_lines y))
    order by x.line_no
  ) l on l.line_no = g.line_no;
  insert into pg_temp.taken_up
  select m.id, m.currency, false from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested';
  create temp view matches_made as
  select m.id, m.state, m.method, m.score, m.currency, m.amount_minor, m.hash_high, m.hash_low, mm.line_no, mm.allocated_minor
  from (
    select * from public.matches x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s) and x.id = any (array(select y.id from pg_temp.taken_up y)) order by x.id
  ) m
  join (
    select x.match_id, x.line_no, x.allocated_minor from public.match_members x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s) and x.match_id = any (array(select y.id from pg_temp.taken_up y))
    order by x.match_id
  ) mm on mm.match_id = m.id;
  return query select count(*) filter (where g.side = 'left'), count(*) filter (where g.side = 'right') from pg_temp.given_lines g;
end $function$;
CREATE OR REPLACE FUNCTION private.requires_second_person(r public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from (
      select (v.policy ->> 'four_eyes')::boolean as asked, lead(v.created_at) over (order by v.version) as until
      from public.pair_rules v where v.tenant_id = r.tenant_id and v.pair_no = r.pair_no
    ) x where x.asked and coalesce(x.until >= r.created_at, true)
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
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end < r.period_start and x.closed_at is null and x.status <> 'archived'
  ) then
    perform private.refuse('conflict', 'An earlier period of these sources is open. Close that one first.');
  elsif exists (
    select from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status in ('queued', 'running') and x.dry_run is null
  ) then
    perform private.refuse('conflict', 'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs p join public.imports i
      on i.tenant_id = p.tenant_id and i.source_no in (p.left_source_no, p.right_source_no) and i.status = 'undoing'
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) then
    perform private.refuse('conflict', 'An import of its sources is being undone. Close it when that is done.');
  end if;
  if private.requires_second_person(r) and private.worked_in_period(r) then
    perform private.refuse('conflict', 'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added lines in this period. Ask somebody who did not to close it.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_closing(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  delete from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
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
  select * into strict c from public.closings x where x.tenant_id = before.tenant_id and x.reconciliation_id = before.id;
  delete from private.closing_requests q where q.tenant_id = before.tenant_id and q.reconciliation_id = before.id;
  if before.status = 'open' then
    update public.reconciliations x set status = 'in_progress' where x.tenant_id = before.tenant_id and x.id = before.id;
  end if;
  update public.reconciliations x set status = 'completed', closed_at = c.closed_at, closed_by = c.closed_by
  where x.tenant_id = before.tenant_id and x.id = before.id
  returning * into r;
  perform private.complete_last_run(r);
  perform private.record_security_event('reconciliation.closed', r.id, null, jsonb_build_object('digest', c.digest));
  perform private.queue_book_recount(r.tenant_id, r.pair_no);
  perform private.emit(r.tenant_id, 'reconciliation.closed', jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.close_period(id text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  lines constant bigint := (
    select sum(s.line_count) from public.reconciliations r
    join public.sources s on s.tenant_id = r.tenant_id and s.id in (r.left_source_id, r.right_source_id)
    where r.tenant_id = tenant and r.id = $1
  );
  r public.reconciliations;
begin
  if lines > private.lines_at_once() then
    r := private.lock_period(tenant, $1);
    perform private.require_closable(r);
    perform private.request_closing(r);
    return r;
  end if;
  r := private.lock_period_exclusively(tenant, $1);
  perform private.require_closable(r);
  perform private.write_closing(r, private.actor());
  -- The next period has its own look at what is open.
  perform private.delete_matches(r.tenant_id, private.suggested_of(r.tenant_id, r.id));
  return private.complete_closing(r);
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
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = $1 for no key update;
  if r.closed_at is null then
    perform private.refuse('conflict', 'The period is not closed.');
  elsif exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_start > r.period_end and x.closed_at is not null
  ) then
    perform private.refuse('conflict', 'A later period of these sources is closed, and builds on this one. Reopen that one first.');
  end if;
  perform private.require_not_closing(r.tenant_id, r.pair_no);
  update public.reconciliations x set status = 'in_progress', closed_at = null, closed_by = null
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  perform private.delete_closing(r);
  perform private.record_security_event('reconciliation.reopened', r.id, reason);
  perform private.emit(r.tenant_id, 'reconciliation.reopened', jsonb_build_object('reconciliation', private.reconciliation_json(r), 'reason', reason));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION public.close_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'close_reconciliation');
  r public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.close_period(input ->> 'id');
  return private.finish_request(request, private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION public.reopen_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'reopen_reconciliation');
  r public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.reopen_period(input ->> 'id', input ->> 'reason');
  return private.finish_request(request, private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION private.request_closing(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- Of an attempt that was taken for dead, and was not.
  perform private.delete_closing(r);
  insert into private.closing_requests as q (tenant_id, reconciliation_id, pair_no, asked_by)
  values (r.tenant_id, r.id, r.pair_no, jsonb_build_object('claims', auth.jwt(), 'operation', current_setting('tieout.operation', true),
    'address', current_setting('tieout.address', true)))
  on conflict (tenant_id, reconciliation_id) do update set asked_by = excluded.asked_by, asked_at = excluded.asked_at, failure = null;
  perform graphile_worker.add_job('close_period',
    private.with_request_id(jsonb_build_object('tenant_id', r.tenant_id, 'reconciliation_id', r.id)),
    queue_name => 'pair:' || r.pair_no, job_key => 'close:' || r.id, max_attempts => 6, flags => private.job_flags(r.tenant_id, 'lines'));
end $function$;
CREATE OR REPLACE FUNCTION private.delete_suggestions_of_closing(tenant text, reconciliation text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  ids uuid[];
begin
  perform private.lock_pair(q.tenant_id, q.pair_no) from private.closing_requests q
  where q.tenant_id = tenant and q.reconciliation_id = reconciliation;
  perform from private.closing_requests q where q.tenant_id = tenant and q.reconciliation_id = reconciliation and q.failure is null;
  if not found then
    return 0;
  end if;
  ids := array(
    select m.id from public.matches m where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested'
    order by m.id limit 5000
  );
  perform private.delete_matches(tenant, ids);
  return cardinality(ids);
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
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation for no key update;
  select * into q from private.closing_requests x where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.failure is null;
  if found then
    perform set_config('request.jwt.claims', q.asked_by ->> 'claims', true);
    perform set_config('tieout.operation', coalesce(q.asked_by ->> 'operation', ''), true);
    perform set_config('tieout.address', coalesce(q.asked_by ->> 'address', ''), true);
    perform private.complete_closing(r);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.fail_closing(tenant text, reconciliation text, failure text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  perform private.lock_pair(tenant, r.pair_no);
  update private.closing_requests q set failure = fail_closing.failure
  where q.tenant_id = tenant and q.reconciliation_id = reconciliation and q.failure is null;
  if not found then
    return false;
  end if;
  perform private.delete_closing(r);
  perform private.request_runs(tenant, r.pair_no);
  -- Its suggestions may be gone by now, and come again with a run, whether or not it runs by itself.
  perform private.queue_run(tenant, r.pair_no, r.id, null, interval '1 second');
  return true;
end $function$;
CREATE OR REPLACE FUNCTION public.list_statement_items(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  most constant integer := page_size + 1;
  -- What the last page ended with.
  first_key constant text := input -> 'after' ->> 0;
  second_key constant text := input -> 'after' ->> 1;
  r public.reconciliations;
begin
  perform private.begin_request(request, 'list_statement_items');
  r := private.find_period(input ->> 'id');
  case input ->> 'kind'
    when 'outstanding' then
      return private.page(private.outstanding_items(r, first_key::date, private.line_no_of(second_key), most), page_size, 'value_date', 'line_id');
    when 'adjustment' then
      return private.page(private.adjustment_items(r, private.match_id(first_key), second_key::bigint, most), page_size, 'match_id', 'place');
    when 'residual' then
      return private.page(private.residual_items(r, private.match_id(first_key), most), page_size, 'match_id');
    when 'exclusion' then
      return private.page(private.exclusion_items(r, private.line_no_of(first_key), most), page_size, 'line_id');
    when 'match' then
      return private.page(private.matched_line_items(r, private.match_id(first_key), private.line_no_of(second_key), most), page_size,
        'match_id', 'line_id');
  end case;
end $function$;
CREATE OR REPLACE FUNCTION public.get_statement(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_statement');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return (select c.statement from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id);
  end if;
  return private.statement_json(r);
end $function$;
CREATE OR REPLACE FUNCTION private.recount_books(tenant text, pair integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  found_count bigint;
  first_ones jsonb;
begin
  select count(*), coalesce(jsonb_agg(jsonb_build_object('what', d.what, 'subject', d.subject, 'computed', d.computed, 'shown', d.shown)
    order by d.what, d.subject) filter (where d.place <= 20), '[]')
  into found_count, first_ones
  from (select *, row_number() over (order by x.what, x.subject) as place from private.books_differences(tenant, pair) x) d;
  if found_count > 0 then
    perform private.emit(tenant, 'books.differ', (
      select jsonb_build_object('reconciliation_ids', coalesce(jsonb_agg(r.id order by r.period_end desc), '[]'),
        'difference_count', found_count, 'differences', first_ones)
      from (
        select x.id, x.period_end from public.reconciliations x where x.tenant_id = tenant and x.pair_no = pair order by x.period_end desc limit 100
      ) r
    ), format('%s %s %s', pair, (now() at time zone 'UTC')::date, md5(first_ones::text)));
  end if;
  return found_count;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_book_recount(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('examine_books', json_build_object('tenant_id', tenant, 'pair_no', pair),
    queue_name => 'examine_books', job_key => format('examine_books:%s:%s', tenant, pair), max_attempts => 5);
end $function$;
CREATE OR REPLACE FUNCTION private.queue_book_recounts()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.queue_book_recount(p.tenant_id, p.pair_no) from public.pairs p;
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
  select * into l from public.lines x where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return (
    with matched as materialized (
      select m.* from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no
    ), decided as materialized (
      select m.id as match_id, a.kind, a.reconciliation_id, a.created_at, a.created_by, a.undone_at, a.undone_by
      from matched m join private.acts a on a.tenant_id = m.tenant_id and a.reconciliation_id = m.reconciliation_id and m.id = any (a.match_ids)
    ), about as materialized (
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.id = any (array(
        select x.exception_id from private.exception_lines x where x.tenant_id = l.tenant_id and x.line_no = l.line_no))
      union
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.line_no = l.line_no
    ), told (type, at, actor, reconciliation_id, match_id, exception_id, import_id, note) as (
      select 'added', l.created_at, i.created_by, null, null::uuid, null, i.id, i.file_name
      from (select 1) one left join public.imports i on i.tenant_id = l.tenant_id and i.id = l.import_id
      union all
      -- Of the engine's: what was decided since began as a suggestion.
      select case when m.state in ('suggested', 'rejected') or exists (select from decided d where d.match_id = m.id) then 'suggested' else 'matched' end,
        m.created_at, m.created_by, m.reconciliation_id, m.id, null, null, m.method
      from matched m where m.method <> 'manual'
      union all
      select case d.kind when 'match' then 'matched' when 'confirm' then 'confirmed' else 'rejected' end, d.created_at, d.created_by,
        d.reconciliation_id, d.match_id, null, null, null
      from decided d
      union all
      select 'undone', d.undone_at, d.undone_by, d.reconciliation_id, d.match_id, null, null, null from decided d where d.undone_at is not null
      union all
      select 'undone', m.decided_at, coalesce(m.decided_by, 'system'), m.reconciliation_id, m.id, null, null, null
      from matched m where m.state = 'undone' and not exists (select from decided d where d.match_id = m.id and d.undone_at = m.decided_at)
      union all
      select 'excluded', a.created_at, a.created_by, a.reconciliation_id, null, null, null, a.reason
      from private.acts a where a.tenant_id = l.tenant_id and a.line_id = l.id
      union all
      select 'included', a.undone_at, a.undone_by, a.reconciliation_id, null, null, null, null
      from private.acts a where a.tenant_id = l.tenant_id and a.line_id = l.id and a.undone_at is not null
      union all
      select 'exception_opened', e.created_at, e.created_by, e.reconciliation_id, null, e.id, null, e.reason_code
      from about e
      union all
      select case e.status when 'dismissed' then 'exception_dismissed' else 'exception_resolved' end, e.closed_at,
        case when e.resolved_by_matching then 'system' end, e.reconciliation_id, null, e.id, null, e.resolution
      from about e where e.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', t.type, 'at', private.iso(t.at), 'actor', t.actor,
      'reconciliation_id', t.reconciliation_id, 'match_id', private.match_id_text(t.match_id), 'exception_id', t.exception_id,
      'import_id', t.import_id, 'note', t.note) order by t.at, t.place), '[]'))
    from (select x.*, array_position(array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], x.type) as place from told x
      order by x.at desc limit 200) t
  );
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
    perform private.refuse('conflict', 'A tenant has at most 100 calendars. Change one of them instead.');
  end if;
  insert into public.calendars (name) values (input ->> 'name') returning * into created;
  insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
  values (created.id, 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days') returning calendar_no into no;
  perform private.start_calendar_version(no);
  answer := private.find_calendar(created.id);
  perform private.record_security_event('calendar.created', created.id, null, jsonb_build_object('name', created.name, 'time_zone', input ->> 'time_zone'));
  return private.finish_request(request, answer);
end $function$;
CREATE OR REPLACE FUNCTION public.get_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_calendar');
  return private.find_calendar(input ->> 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.put_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone', 'weekly', input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  no bigint;
  moved record;
  impact jsonb;
  periods integer := 0;
begin
  perform private.begin_request(request, 'put_calendar');
  perform from public.calendars c where c.tenant_id = private.tenant_id() and c.id = input ->> 'id' for update;
  before := private.find_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- What a dry run does is undone with this block.
  begin
    if has_other_hours then
      insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
      values (input ->> 'id', (before ->> 'calendar_version')::integer + 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days')
      returning calendar_no into no;
      perform private.start_calendar_version(no);
    else
      no := private.current_calendar_no(private.tenant_id(), input ->> 'id');
    end if;
    if has_other_hours or before -> 'name' <> input -> 'name' then
      update public.calendars c set name = input ->> 'name', updated_at = now(), updated_by = private.actor(),
        version = c.version + case when has_other_hours then 1 else 0 end
      where c.tenant_id = private.tenant_id() and c.id = input ->> 'id';
    end if;
    if has_other_hours then
      periods := private.request_runs_by_calendar(input ->> 'id');
    end if;
    after := private.find_calendar(input ->> 'id');
    select array_agg(d.id) as ids, array_agg(d.severity) as severities, array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
    into moved from private.recalculated_deadlines(input ->> 'id', no) d where input ->> 'apply_to' = 'open';
    impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, array_fill(input ->> 'id', array[cardinality(moved.ids)]),
        array_fill(no, array[cardinality(moved.ids)]), moved.new_due_ats);
    end if;
    if dry_run then
      raise exception using errcode = 'TO002', message = 'dry run';
    end if;
  exception when sqlstate 'TO002' then
    null;
  end;
  if not dry_run and after - unlisted <> before - unlisted then
    perform private.record_security_event('calendar.updated', input ->> 'id', null,
      private.changes(before - unlisted, after - unlisted) || jsonb_build_object('apply_to', input -> 'apply_to'));
  end if;
  return after || jsonb_build_object('dry_run', dry_run, 'impact', impact || jsonb_build_object('periods', periods));
end $function$;
CREATE OR REPLACE FUNCTION public.list_calendars(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_calendars');
  select jsonb_agg(private.calendar_json(x.c, x.v) order by (x.c).id desc) into items
  from (
    select c, v from public.calendars c
    join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id and v.version = c.version
    where c.tenant_id = private.tenant_id() and (input -> 'after' ->> 0 is null or c.id < input -> 'after' ->> 0)
    order by c.id desc
    limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.list_calendar_versions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_calendar_versions');
  perform private.find_calendar(input ->> 'id');
  select jsonb_agg(jsonb_build_object(
    'calendar_version', x.version, 'time_zone', x.time_zone, 'weekly', x.weekly, 'special_day_count', jsonb_array_length(x.special_days),
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = x.tenant_id and e.calendar_no = x.calendar_no and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(x.created_at), 'created_by', x.created_by
  ) order by x.version desc) into items
  from (
    select v.* from public.calendar_versions v
    where v.tenant_id = private.tenant_id() and v.calendar_id = input ->> 'id'
      and (input -> 'after' ->> 0 is null or v.version < (input -> 'after' ->> 0)::integer)
    order by v.version desc
    limit page_size + 1
  ) x;
  return private.page(items, page_size, 'calendar_version');
end $function$;
CREATE OR REPLACE FUNCTION public.list_open_hours(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c jsonb;
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.begin_request(request, 'list_open_hours');
  c := private.find_calendar(input ->> 'id');
  return (
    select jsonb_build_object(
      'since', private.iso(since), 'until', private.iso(until),
      'open_minutes', coalesce(floor(sum(extract(epoch from x.ends_at - x.starts_at)) / 60), 0)::bigint,
      'spans', coalesce(jsonb_agg(jsonb_build_object('starts_at', private.iso(x.starts_at), 'ends_at', private.iso(x.ends_at)) order by x.starts_at), '[]')
    )
    from (
      select greatest(s.starts_at, since) as starts_at, least(s.ends_at, until) as ends_at
      from private.open_spans(c ->> 'time_zone', c -> 'weekly', c -> 'special_days', date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') s
      where s.ends_at > since and s.starts_at < until
    ) x
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_holidays(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'list_holidays');
  return '{}';
end $function$;
CREATE OR REPLACE FUNCTION public.read_ics(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'read_ics');
begin
  return coalesce(replayed, private.finish_request(request, input));
end $function$;
CREATE OR REPLACE FUNCTION private.change_exceptions(act text, changes jsonb[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_nestloop TO 'on'
 SET enable_sort TO 'on'
AS $function$
declare
  most constant integer := 1000;
  batch jsonb[];
  made private.exception_change[];
begin
  if act <> all ('{create,edit,pause,resume,recalculate}') then
    raise exception 'There is no act % on exceptions.', act;
  end if;
  for batch in
    select array_agg(c.change order by c.place) from unnest(changes) with ordinality c (change, place)
    group by (c.place - 1) / most order by (c.place - 1) / most
  loop
    made := private.resulting_exceptions(act, batch);
    perform private.write_exceptions(act, made);
    -- 440_sla_clock_changes.sql, 465_exception_counters.sql, 420_exception_history.sql.
    perform private.keep_clocks(made);
    perform private.keep_counters(made);
    perform private.record_changes(made);
    return query select (m.after).* from unnest(made) m;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.resulting_exceptions(act text, changes jsonb[])
 RETURNS private.exception_change[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if act = 'create' then
    return array(
      select row(null::public.exceptions, private.resulting_exception(act, null, c.change, p))::private.exception_change
      from unnest(changes) c (change)
      cross join lateral (select x from public.sla_policies x where x.tenant_id = c.change ->> 'tenant_id' offset 0) p (p)
    );
  end if;
  return array(
    with held as materialized (
      select e, c.change from unnest(changes) c (change)
      join public.exceptions e on e.tenant_id = c.change ->> 'tenant_id' and e.id = c.change ->> 'id'
      order by e.tenant_id, e.id for no key update of e
    )
    select row(h.e, private.resulting_exception(act, h.e, h.change, p))::private.exception_change
    from held h
    cross join lateral (select x from public.sla_policies x where x.tenant_id = (h.e).tenant_id offset 0) p (p)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.resulting_exception(act text, before public.exceptions, change jsonb, p public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions := case act when 'create' then private.new_exception(change, p) else private.edited_exception(act, before, change) end;
  is_closed constant boolean := e.status in ('resolved', 'dismissed');
begin
  if is_closed and e.resolution is null then
    perform private.refuse_field('resolution', 'Required with the status resolved or dismissed.');
  elsif not is_closed and e.resolution is not null then
    perform private.refuse_field('resolution', 'Only allowed with the status resolved or dismissed.');
  elsif (e.amount_minor is null) <> (e.currency is null) then
    perform private.refuse_field('currency', 'amount_minor and currency must be sent together.');
  elsif octet_length(e.details::text) > 24576 then
    perform private.refuse_field('details', 'Must be at most 16 kB of JSON.');
  end if;
  e.closed_at := case when is_closed then coalesce(e.closed_at, now()) end;
  if before.paused_at is not null then
    e := private.with_pause_ended(act, before, e, p);
  end if;
  if act = 'pause' or p.pause_rules <> '[]' then
    e := private.with_pause_begun(act, before, e, p);
  end if;
  if e.calendar_no is null then
    e.due_open_ms := null;
  elsif act in ('create', 'recalculate') or not is_closed and before.status in ('resolved', 'dismissed')
    or coalesce(e.held_due_at, e.due_at) is distinct from coalesce(before.held_due_at, before.due_at) then
    e.due_open_ms := private.open_ms(e.tenant_id, e.calendar_no, coalesce(e.held_due_at, e.due_at));
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_exceptions(ids text[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return query select * from public.exceptions e where e.tenant_id = private.tenant_id() and e.id = any (ids) order by e.id for no key update;
end $function$;
CREATE OR REPLACE FUNCTION private.change_exceptions_for_caller(act text, changes jsonb[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  settable constant text[] := '{title,severity,assigned_to,due_at,calendar_id,calendar_no,paused_until,pause_reason,status,reason_code,amount_minor,currency,reconciliation_id,details,resolution}';
begin
  return query select * from private.change_exceptions(act, array(
    select jsonb_object_agg(k.key, k.value) || jsonb_build_object('tenant_id', private.tenant_id())
    from unnest(changes) with ordinality c (change, place)
    cross join lateral jsonb_each(c.change) k
    where k.key = any (settable) or k.key = 'id' and act <> 'create'
    group by c.place order by c.place
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.list_exception_history(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  e public.exceptions;
  items jsonb;
begin
  perform private.begin_request(request, 'list_exception_history');
  e := private.find_exception(input ->> 'id');
  -- The id is for the cursor; the contract leaves it out.
  select jsonb_agg(jsonb_build_object(
    'id', h.id, 'at', private.iso(h.at), 'actor', h.actor, 'actor_issuer', h.actor_issuer, 'actor_subject', h.actor_subject,
    'request_id', h.request_id, 'kind', h.kind,
    'changes', case h.kind when 'created' then coalesce(private.changes('{}', h.changes), '{}') else h.changes end
  ) order by h.id desc) into items
  from (
    select * from public.exception_history x
    where x.tenant_id = e.tenant_id and x.exception_id = e.id
      and (input -> 'after' ->> 0 is null or x.id < (input -> 'after' ->> 0)::bigint)
    order by x.id desc limit page_size + 1
  ) h;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.insert_exceptions(rows jsonb)
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_quota('exceptions', jsonb_array_length(rows));
  return query select * from private.change_exceptions_for_caller('create', array(
    select r.value - '{calendar_id,calendar_no,paused_until,pause_reason,resolution}'::text[] from jsonb_array_elements(rows) r
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.create_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_exception');
  created public.exceptions;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_reconciliation(input ->> 'reconciliation_id');
  select * into created from private.insert_exceptions(jsonb_build_array(input));
  return private.finish_request(request, private.versioned_exception_json(created));
end $function$;
CREATE OR REPLACE FUNCTION public.get_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
begin
  perform private.begin_request(request, 'get_exception');
  e := private.find_exception(input ->> 'id');
  return private.versioned_exception_json(e);
end $function$;
CREATE OR REPLACE FUNCTION public.update_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_exception');
  patch jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  if replayed is not null then
    return replayed;
  end if;
  select * into before from private.lock_exceptions(array[input ->> 'id']);
  if not found then
    perform private.refuse_missing('exception');
  end if;
  perform private.require_version(private.exception_version(before), request -> 'versions');
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  patch := private.patched_columns(before, patch);
  after := jsonb_populate_record(before, patch);
  if after is distinct from before or before.due_from_policy and patch ? 'due_at' then
    select * into after from private.change_exceptions_for_caller('edit', array[patch || jsonb_build_object('id', before.id)]);
  end if;
  return private.finish_request(request, private.versioned_exception_json(after));
end $function$;
CREATE OR REPLACE FUNCTION private.narrow_by_search(q text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  most constant integer := 5000;
  ids text[];
begin
  execute format('select array(select e.id from public.exceptions e where e.tenant_id = %L and %s limit %s)',
    private.tenant_id(), private.has_words(q), most + 1) into ids;
  return case when cardinality(ids) <= most then ids end;
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
  sort_key constant text := case when by_closing then 'e.closed_at desc, e.id desc' else 'e.id desc' end;
  conditions text := 'e.tenant_id = private.tenant_id() and ' || private.exception_conditions(input, now());
  few text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_exceptions');
  if by_closing then
    conditions := conditions || ' and e.closed_at is not null'
      || case when jsonb_typeof(input -> 'after') = 'array'
        then format(' and (e.closed_at, e.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0, input -> 'after' ->> 1) else '' end;
  elsif input -> 'after' ->> 0 is not null then
    conditions := conditions || format(' and e.id < %L', input -> 'after' ->> 0);
  end if;
  if input ->> 'q' is not null then
    few := private.narrow_by_search(input ->> 'q');
    conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($1)' end;
    -- The planner expects fewer than there are, which it would sort.
    perform set_config('enable_sort', (few is not null)::text, true);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(e) order by %s)
    from (select * from public.exceptions e where %s order by %s limit %s) e
  $q$, sort_key, conditions, sort_key, page_size + 1) into items using few;
  return case when by_closing then private.page(items, page_size, 'closed_at', 'id') else private.page(items, page_size, 'id') end;
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
    select x.*, x.line_nos[1] as line_no from jsonb_to_recordset(rows) as x (
      match_id uuid, line_nos bigint[], title text, severity text, assigned_to text, reason_code text, amount_minor bigint, currency text, details jsonb)
    where x.match_id is null
      or exists (select from public.matches m where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested')
  ), made as (
    select e.id, e.line_no from private.change_exceptions('create', array(
      select jsonb_build_object('tenant_id', tenant, 'title', x.title, 'severity', x.severity, 'assigned_to', x.assigned_to,
        'reason_code', x.reason_code, 'amount_minor', x.amount_minor, 'currency', x.currency, 'reconciliation_id', r.id, 'details', x.details,
        'pair_no', r.pair_no, 'line_no', l.line_no, 'line_id', l.id, 'suggested_match_id', x.match_id, 'grouped_match_id', x.match_id)
      from wanted x
      join public.lines l on l.tenant_id = tenant and l.line_no = x.line_no
      join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
      where not exists (
        select from private.exception_lines e where e.tenant_id = tenant and e.line_no = x.line_no and e.pair_no = r.pair_no)
    )) e
  ), about as (
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, m.id from made m join wanted x on x.line_no = m.line_no cross join unnest(x.line_nos) n (line_no)
    on conflict do nothing
  )
  select count(*) into opened from made;
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.link_exceptions_to_suggestions(tenant text, reconciliation text, run text, attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  perform private.require_attempt(tenant, run, attempt);
  perform private.change_exceptions('edit', array(
    select distinct on (e.id) jsonb_build_object('tenant_id', tenant, 'id', e.id, 'suggested_match_id', s.match_id)
    from private.members_of(tenant, private.suggested_of(tenant, reconciliation)) s
    join private.open_line_exceptions_of(tenant, reconciliation) e on e.line_no = s.line_no and e.suggested_match_id is distinct from s.match_id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.delete_open_suggestions(tenant text, matches uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'suggested_match_id', null)
    from public.exceptions e where e.tenant_id = tenant and e.suggested_match_id = any (matches) order by e.id for no key update
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.regroup_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  x record;
begin
  r := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for x in
    select * from jsonb_to_recordset(rows) as s (exception_id text, merged text[], match_id uuid, line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    -- Somebody may have settled or decided it since the run looked. The next run looks again.
    continue when not exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = x.line_nos[1])
      or x.match_id is not null and not exists (
        select from public.matches m where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested'
      );
    perform private.change_exceptions(case when private.moves_deadline(tenant, x.exception_id, x.severity) then 'recalculate' else 'edit' end, array(
      select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'title', case when private.has_own_title(tenant, e.id) then e.title else x.title end,
        'severity', x.severity, 'reason_code', x.reason_code, 'amount_minor', x.amount_minor, 'currency', x.currency,
        'details', e.details - 'lines' - 'side' || x.details, 'line_no', l.line_no, 'line_id', l.id,
        'suggested_match_id', x.match_id, 'grouped_match_id', x.match_id)
        || private.deadline_of_severity(e, x.severity)
      from public.lines l join public.exceptions e on e.tenant_id = tenant and e.id = x.exception_id and e.status in ('open', 'in_review')
      where l.tenant_id = tenant and l.line_no = x.line_nos[1] for no key update of e
    ));
    continue when not found;
    -- Without a line of its own it is no line's any more, whoever reopens it.
    perform private.change_exceptions('edit', array(
      select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved', 'line_no', null, 'suggested_match_id', null,
        'grouped_match_id', null, 'resolution', format('Merged into %s: a match is suggested for the lines of both.', x.exception_id))
      from public.exceptions e where e.tenant_id = tenant and e.id = any (x.merged) and e.status in ('open', 'in_review')
      order by e.id for no key update
    ));
    delete from private.exception_lines y where y.tenant_id = tenant and y.exception_id = any (x.merged || x.exception_id);
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, x.exception_id from unnest(x.line_nos) n (line_no)
    on conflict do nothing;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_exception(id text)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
begin
  select * into e from private.lock_exceptions(array[lock_exception.id]);
  if not found then
    perform private.refuse_missing('exception');
  elsif e.paused_until <= now() then
    select * into e from private.change_exceptions_for_caller('resume', array[jsonb_build_object('id', e.id)]);
  end if;
  return e;
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
    perform private.refuse('conflict', fault);
  end if;
  select * into e from private.change_exceptions_for_caller('pause', array[
    jsonb_build_object('id', e.id, 'paused_until', input -> 'until', 'pause_reason', input -> 'reason')]);
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
    perform private.refuse('conflict', 'It is not paused.');
  end if;
  select * into e from private.change_exceptions_for_caller('resume', array[jsonb_build_object('id', e.id)]);
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
        perform private.refuse('conflict', format('%s match now, not %s. Check them and send the new expected_count. Nothing was changed.',
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
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.id = i.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('An exception cannot move from %s to %s.', e.status, patch ->> 'status')) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
  where patch ? 'status' and not private.exception_may_move(e.status, patch ->> 'status');
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null then
    perform private.refuse('invalid_transition', 'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  if pause is not null or input ? 'resume' then
    perform private.change_exceptions_for_caller('resume', array(
      select jsonb_build_object('id', e.id) from public.exceptions e where e.tenant_id = tenant and e.id = any (ids) and e.paused_until <= now()
    ));
    select * into p from public.sla_policies x where x.tenant_id = tenant;
    perform private.require_pause_end((pause ->> 'until')::timestamptz, p);
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', f.fault) order by i.n) into refused
    from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(e, p) when e.paused_at is null then 'It is not paused.' end
    ) f (fault)
    where f.fault is not null;
    if refused is not null and by_filter then
      skipped := private.skipped_exceptions(ids, refused);
      ids := private.not_skipped(ids, refused);
    elsif refused is not null then
      perform private.refuse('conflict', format('Some of these exceptions cannot be %s. Nothing was changed.',
        case when pause is not null then 'paused' else 'resumed' end), refused);
    end if;
  end if;
  act := case when pause is not null then 'pause' when input ? 'resume' then 'resume' else 'edit' end;
  columns := case act when 'pause' then jsonb_build_object('paused_until', pause -> 'until', 'pause_reason', pause -> 'reason') else patch end;
  perform private.change_exceptions_for_caller(act, array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null, jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.finish_request(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', skipped, 'next', case when next_id is not null then jsonb_build_array(next_id) end,
    'items', (
      select coalesce(jsonb_agg(private.exception_json(e) order by i.n), '[]')
      from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    )
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.import_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'import_exceptions');
  refused jsonb;
  accepted integer;
begin
  if replayed is not null then
    return replayed;
  end if;
  select jsonb_agg(jsonb_build_object('line', r ->> 'line', 'path', 'reconciliation_id', 'message', 'There is no such reconciliation.')) into refused
  from jsonb_array_elements(input -> 'rows') r
  where r ->> 'reconciliation_id' is not null and not exists (
    select from public.reconciliations c where c.tenant_id = private.tenant_id() and c.id = r ->> 'reconciliation_id'
  );
  select count(*) into accepted from private.insert_exceptions(case when refused is null then input -> 'rows' else (
    select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(input -> 'rows') r
    where not exists (select from jsonb_array_elements(refused) f where f ->> 'line' = r ->> 'line')
  ) end);
  if not (private.principal_type() = 'service_role' and coalesce((request ->> 'continues')::boolean, false)) then
    perform private.record_security_event('exceptions.imported', null, null,
      jsonb_build_object('accepted', accepted, 'refused', jsonb_array_length(coalesce(refused, '[]'))));
  end if;
  return private.finish_request(request, jsonb_build_object('accepted', accepted, 'refused', coalesce(refused, '[]')));
end $function$;
CREATE OR REPLACE FUNCTION private.merge_exception_counters(batch integer DEFAULT 10000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this_hour constant timestamptz := date_trunc('hour', now(), 'UTC');
  deadlines integer;
  assignees integer;
  reconciliations integer;
  hours integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('fold_exception_counters', 0)) then
    return 0;
  end if;
  with gone as (
    delete from private.open_by_deadline d where d.ctid = any (array(
      select x.ctid from private.open_by_deadline x
      where x.shard <> 0 or (x.due_from < this_hour and x.due_from > '-infinity') limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_deadline as o (tenant_id, due_from, assigned_to, currency, shard, open_count, amount_minor)
    select g.tenant_id, case when g.due_from < this_hour then '-infinity' else g.due_from end, g.assigned_to, g.currency, 0,
      sum(g.open_count), sum(g.amount_minor)
    from gone g group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into deadlines from gone;
  with gone as (
    delete from private.open_by_assignee d where d.ctid = any (array(
      select x.ctid from private.open_by_assignee x where x.shard <> 0 limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_assignee as o (tenant_id, assigned_to, currency, shard, open_count, amount_minor)
    select g.tenant_id, g.assigned_to, g.currency, 0, sum(g.open_count), sum(g.amount_minor) from gone g group by 1, 2, 3 order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into assignees from gone;
  with gone as (
    delete from private.open_by_reconciliation d where d.ctid = any (array(
      select x.ctid from private.open_by_reconciliation x where x.shard <> 0 limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_reconciliation as o (tenant_id, reconciliation_id, currency, shard, open_count, amount_minor)
    select g.tenant_id, g.reconciliation_id, g.currency, 0, sum(g.open_count), sum(g.amount_minor) from gone g group by 1, 2, 3 order by 1, 2, 3
    on conflict on constraint open_by_reconciliation_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into reconciliations from gone;
  with gone as (
    delete from private.exception_hours d where d.ctid = any (array(
      select x.ctid from private.exception_hours x
      where x.shard <> 0 and x.hour < this_hour or x.hour < now() - interval '31 days' limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.exception_hours as o (tenant_id, hour, shard, breached_count, closed_count)
    select g.tenant_id, g.hour, 0, sum(g.breached_count), sum(g.closed_count)
    from gone g where g.hour >= now() - interval '31 days' group by 1, 2 order by 1, 2
    on conflict on constraint exception_hours_pkey do update set
      breached_count = o.breached_count + excluded.breached_count, closed_count = o.closed_count + excluded.closed_count
  )
  select count(*) into hours from gone;
  delete from private.open_by_deadline d where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  delete from private.open_by_assignee d where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  delete from private.open_by_reconciliation d where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  return case when greatest(deadlines, assignees, reconciliations, hours) >= batch then deadlines + assignees + reconciliations + hours else 0 end;
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
  sort_key constant text := concat_ws(', ', case sort_by when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to'
    when 'amount' then 'e.currency, e.amount_minor desc' end, 'e.due_at', 'e.id');
  -- As a cursor says it: nobody comes last.
  rank constant text := case sort_by
    when 'severity' then 'e.severity_rank::text' when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
    when 'amount' then 'private.amount_rank(e.currency, e.amount_minor)' else $q$''::text$q$
  end;
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  few text[];
  items json[];
  last_rank text := '';
  last_due_at timestamptz;
  last_id text;
begin
  perform private.begin_request(request, 'list_sla_exceptions');
  if sort_by in ('due_at', 'breach_risk') and input - '{sort_by,limit,after}'::text[] = '{}' then
    select * into items, last_due_at, last_id from private.next_by_deadline(
      coalesce((input -> 'after' ->> 1)::timestamptz, '-infinity'), coalesce(input -> 'after' ->> 2, ''), page_size, as_of);
  else
    conditions := conditions || ' and ' || private.exception_conditions(input, as_of);
    if input ->> 'within_minutes' is not null then
      conditions := conditions || private.due_within(input, as_of);
    end if;
    if input ->> 'q' is not null then
      few := private.narrow_by_search(input ->> 'q');
      conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($3)' end;
      perform set_config('enable_sort', (few is not null)::text, true);
    end if;
    execute (
      select format($q$
        select array_agg(private.exception_json(p.e, $2)), (array_agg(p.rank))[$1], (array_agg((p.e).due_at))[$1], (array_agg((p.e).id))[$1]
        from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $1 + 1) p
      $q$, string_agg(format('(select e, %s as rank from public.exceptions e where %s and %s and %s order by %s limit $1 + 1)', rank, conditions, a, v,
        sort_key), ' union all '))
      from unnest(private.stretches_after(sort_by, input -> 'after')) a cross join unnest(private.stretches_of(input, as_of)) v
    )
    into items, last_rank, last_due_at, last_id using page_size, as_of, few;
  end if;
  -- As json, whose texts are joined where jsonb's trees would be built anew at each step: half the time of this, the most frequent of lists.
  return json_build_object('items', array_to_json(coalesce(items[:page_size], '{}')),
    'next', case when cardinality(items) > page_size then
      json_build_array(last_rank, case when last_due_at = 'infinity' then 'infinity' else private.iso(last_due_at) end, last_id) end,
    'summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
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
  conditions text := $q$e.status in ('open', 'in_review') and $q$ || private.filter_conditions(input, as_of);
  items jsonb;
begin
  perform private.begin_request(request, 'list_sla_changes');
  if (input ->> 'since')::timestamptz < as_of - interval '1 day' then
    perform private.refuse_field('since', 'Must be within the last 24 hours. Read the list again instead.');
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  execute format($q$
    with crossed as (
      select c.* from unnest(array[0, private.high_risk_below() - 1, private.medium_risk_up_to(), $6]) t (minutes)
      cross join lateral (
        select e.id, e.due_at - make_interval(mins => t.minutes) as at
        from public.exceptions e
        where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
          and (e.due_at, e.id) > ($3 + make_interval(mins => t.minutes), $4) and e.due_at <= $1 + make_interval(mins => t.minutes)
          and e.updated_at <= $5
        order by e.due_at, e.id limit $2 + 1
      ) c
    ), changed as (
      select e.id, e.updated_at as at from public.exceptions e
      where e.tenant_id = private.tenant_id() and (e.updated_at, e.id) > ($3, $4) order by e.updated_at, e.id limit $2 + 1
    ), of_page as (
      select u.id, u.at from (select * from changed union all select * from crossed) u order by u.at, u.id limit $2 + 1
    )
    select jsonb_agg(jsonb_build_object('id', e.id, 'changed_at', private.iso(p.at), 'exception', case when %s then private.exception_json(e, $1) end)
      order by p.at, e.id)
    from of_page p join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = p.id
  $q$, conditions) into items using as_of, page_size, later_at, later_id, start, least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
  return private.page(items, page_size, 'changed_at', 'id')
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION public.get_time_to_breach(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_time_to_breach');
  return private.time_to_breach(now()::timestamptz(3));
end $function$;
CREATE OR REPLACE FUNCTION public.get_sla_facets(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
begin
  perform private.begin_request(request, 'get_sla_facets');
  return private.sla_facets(input, now()::timestamptz(3));
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
  if (select count(*) from public.views v where v.tenant_id = private.tenant_id() and v.principal_id = auth.jwt() ->> 'principal_id') >= 50 then
    perform private.refuse('conflict', 'You can have at most 50 views. Delete one, then save this one again.');
  end if;
  insert into public.views (name, shared, filters, sort_by)
  values (input ->> 'name', (input ->> 'shared')::boolean, input -> 'filters', input ->> 'sort_by') returning * into created;
  if created.shared then
    perform private.record_security_event('view.created', created.id, null, jsonb_build_object('name', created.name));
  end if;
  return private.finish_request(request, private.view_json(created) || jsonb_build_object('version', private.view_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.get_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v public.views;
begin
  perform private.begin_request(request, 'get_view');
  v := private.find_view(input ->> 'id');
  return private.view_json(v) || jsonb_build_object('version', private.view_version(v));
end $function$;
CREATE OR REPLACE FUNCTION public.update_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_view');
  before public.views;
  after public.views;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if not after.shared and before.principal_id is distinct from auth.jwt() ->> 'principal_id' then
    perform private.refuse('role_required', 'This credential isn''t allowed to do this.');
  end if;
  if after is distinct from before then
    update public.views x set name = after.name, shared = after.shared, filters = after.filters, sort_by = after.sort_by, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id returning * into after;
    if before.shared or after.shared then
      perform private.record_security_event('view.updated', before.id, null,
        private.changes(jsonb_build_object('name', before.name, 'shared', before.shared, 'filters', before.filters, 'sort_by', before.sort_by),
          jsonb_build_object('name', after.name, 'shared', after.shared, 'filters', after.filters, 'sort_by', after.sort_by)));
    end if;
  end if;
  return private.finish_request(request, private.view_json(after) || jsonb_build_object('version', private.view_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_view');
  v public.views;
begin
  if replayed is not null then
    return replayed;
  end if;
  v := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(v), request -> 'versions');
  delete from public.views x where x.tenant_id = v.tenant_id and x.id = v.id;
  if v.shared then
    perform private.record_security_event('view.deleted', v.id, null, jsonb_build_object('name', v.name));
  end if;
  return private.finish_request(request, jsonb_build_object('id', v.id, 'deleted', true));
end $function$;
CREATE OR REPLACE FUNCTION public.list_views(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  counted_until constant timestamptz := clock_timestamp() + interval '500 milliseconds';
  items jsonb;
begin
  perform private.begin_request(request, 'list_views');
  select jsonb_agg(private.view_json(v, clock_timestamp() < counted_until) order by v.id) into items
  from (
    select * from public.views x
    where x.tenant_id = private.tenant_id() and x.id > coalesce(input -> 'after' ->> 0, '')
    order by x.id limit page_size + 1
  ) v;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.get_sla_policy(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_sla_policy');
  return (
    select private.sla_policy_json(p) || jsonb_build_object('version', p.version)
    from public.sla_policies p where p.tenant_id = private.tenant_id()
  );
end $function$;
CREATE OR REPLACE FUNCTION private.move_deadlines(ids text[], calendars text[], calendar_nos bigint[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if array_position(due_ats, null) is not null then
    perform private.refuse_field('calendar_id', 'This calendar opens too rarely: some deadlines would be more than 25 years away.');
  end if;
  perform private.change_exceptions_for_caller('recalculate', array(
    select jsonb_build_object('id', e.id, 'calendar_id', m.calendar_id, 'calendar_no', m.calendar_no, 'due_at', m.due_at)
    from unnest(ids, calendars, calendar_nos, due_ats) as m (id, calendar_id, calendar_no, due_at)
    join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = m.id
    where e.calendar_no is distinct from m.calendar_no or coalesce(e.held_due_at, e.due_at) <> m.due_at
    order by e.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.put_sla_policy(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  before public.sla_policies;
  after public.sla_policies;
  moved record;
  impact jsonb;
begin
  perform private.begin_request(request, 'put_sla_policy');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array' and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format('The policy has changed since the version in If-Match, last by %s. Get it again and repeat your change.', before.updated_by));
  end if;
  after := before;
  after.critical_minutes := input -> 'minutes_to_resolve' ->> 'critical';
  after.high_minutes := input -> 'minutes_to_resolve' ->> 'high';
  after.medium_minutes := input -> 'minutes_to_resolve' ->> 'medium';
  after.low_minutes := input -> 'minutes_to_resolve' ->> 'low';
  after.at_risk_thresholds := array(select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_thresholds') order by 1 desc);
  if input ? 'at_risk_business_thresholds' then
    after.at_risk_business_thresholds := array(
      select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_business_thresholds') order by 1 desc);
  end if;
  if after.at_risk_thresholds = '{}' and after.at_risk_business_thresholds = '{}' then
    perform private.refuse_field('at_risk_thresholds', 'Include a threshold here or in at_risk_business_thresholds.');
  end if;
  if input ? 'calendar_id' then
    after.calendar_id := input ->> 'calendar_id';
  end if;
  if input ? 'calendar_by_severity' then
    after.calendar_by_severity := input -> 'calendar_by_severity';
  end if;
  if input ? 'pause' then
    after.pause_max_minutes := input -> 'pause' ->> 'max_minutes';
    after.pause_max_count := input -> 'pause' ->> 'max_count';
    after.pause_rules := input -> 'pause' -> 'rules';
  end if;
  if (after.calendar_id, after.calendar_by_severity) is distinct from (before.calendar_id, before.calendar_by_severity)
    or after.calendar_id is not null or after.calendar_by_severity <> '{}' then
    perform private.require_calendars(after);
  end if;
  select array_agg(d.id) as ids, array_agg(d.severity) as severities, array_agg(d.calendar_id) as calendars, array_agg(d.calendar_no) as calendar_nos,
    array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
  into moved from private.moved_deadlines(before, after) d;
  impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);

  if not dry_run and after is distinct from before then
    update public.sla_policies p set
      critical_minutes = after.critical_minutes, high_minutes = after.high_minutes, medium_minutes = after.medium_minutes,
      low_minutes = after.low_minutes, at_risk_thresholds = after.at_risk_thresholds, at_risk_business_thresholds = after.at_risk_business_thresholds,
      calendar_id = after.calendar_id, calendar_by_severity = after.calendar_by_severity, pause_max_minutes = after.pause_max_minutes, pause_max_count = after.pause_max_count,
      pause_rules = after.pause_rules, updated_at = now(), updated_by = private.actor(), version = before.version + 1
    where p.tenant_id = before.tenant_id returning * into after;
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, moved.calendars, moved.calendar_nos, moved.new_due_ats);
    end if;
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    if after.at_risk_business_thresholds <> before.at_risk_business_thresholds then
      perform private.rearm_business_warnings(before.at_risk_business_thresholds);
    end if;
    perform private.record_security_event('sla_policy.updated', null, null,
      jsonb_build_object('from', private.sla_policy_json(before), 'to', private.sla_policy_json(after)));
  end if;
  return private.sla_policy_json(after) || jsonb_build_object('version', after.version, 'dry_run', dry_run, 'impact', impact);
end $function$;
CREATE OR REPLACE FUNCTION public.get_exception_ledger(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
  rows jsonb;
  last_at timestamptz;
  until timestamptz;
begin
  perform private.begin_request(request, 'get_exception_ledger');
  e := private.find_exception(input ->> 'id');
  rows := private.ledger_rows(e.id);
  last_at := rows -> -1 ->> 'at';
  until := case when e.status in ('open', 'in_review') then greatest(now(), least(private.deadline(e, now()), now() + interval '92 days')) else last_at end;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'exception', private.exception_json(e), 'rows', rows, 'until', private.iso(until),
    'open_spans', private.open_hours_of(e, last_at, until)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_sla_report(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.begin_request(request, 'get_sla_report');
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
        from public.exception_ledger l join public.exceptions e on e.tenant_id = l.tenant_id and e.id = l.exception_id
        where l.tenant_id = private.tenant_id() and l.at >= since and l.at < until
          and (l.kind in ('set', 'resolved', 'dismissed') or (l.kind = 'crossed' and l.threshold_minutes = 0))
      ) x
      group by x.key
    ) g
  ), '[]'));
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
    'hours', coalesce((
      select jsonb_agg(jsonb_build_object('start', private.iso(h.hour), 'accepted', h.accepted, 'refused', h.calls - h.accepted) order by h.hour)
      from (
        select u.hour, sum(u.calls) as calls, coalesce(sum(u.calls) filter (where u.outcome like 'accepted%'), 0) as accepted
        from public.api_key_usage_hourly u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week() group by 1
      ) h
    ), '[]'),
    'days', coalesce((
      select jsonb_agg(jsonb_build_object('start', private.iso(d.day::timestamp at time zone 'UTC'), 'accepted', d.accepted, 'refused', d.calls - d.accepted) order by d.day)
      from (
        select u.day, sum(u.calls) as calls, coalesce(sum(u.calls) filter (where u.outcome like 'accepted%'), 0) as accepted
        from public.api_key_usage_daily u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.day > (now() at time zone 'UTC')::date - 90 group by 1
      ) d
    ), '[]'),
    'addresses', coalesce((
      select jsonb_agg(jsonb_build_object('address', host(a.address), 'calls', a.calls, 'in_grace', a.in_grace, 'last_seen_at', private.iso(a.last_seen)) order by a.last_seen desc)
      from (
        select u.address, sum(u.calls) as calls, coalesce(sum(u.calls) filter (where u.outcome = 'accepted_in_grace'), 0) as in_grace,
          max(u.last_seen_at) as last_seen
        from public.api_key_usage_hourly u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week() and u.outcome like 'accepted%'
        group by 1 order by max(u.last_seen_at) desc limit 100
      ) a
    ), '[]'),
    'refusals', coalesce((
      select jsonb_object_agg(r.outcome, r.calls)
      from (
        select u.outcome, sum(u.calls) as calls from public.api_key_usage_daily u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.day > (now() at time zone 'UTC')::date - 90 and u.outcome not like 'accepted%'
        group by 1
      ) r
    ), '{}')
  );
end $function$;
CREATE OR REPLACE FUNCTION public.estimate_api_key_impact(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'estimate_api_key_impact');
  k public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  k := private.find_api_key_of_caller(input ->> 'id');
  return private.finish_request(request, jsonb_build_object(
    'since', private.iso(private.usage_week()),
    'calls', coalesce((
      select jsonb_agg(jsonb_build_object(
        'operation', u.operation, 'address', host(u.address), 'hour', private.iso(u.hour), 'calls', u.calls, 'last_seen_at', private.iso(u.last_seen_at)
      ))
      from public.api_key_usage_hourly u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week() and u.outcome like 'accepted%'
    ), '[]'),
    'webhooks', coalesce((
      select jsonb_agg(jsonb_build_object('id', w.id, 'url', w.url) order by w.id)
      from public.webhooks w where w.tenant_id = k.tenant_id and w.id = any (private.webhooks_of_api_key(k))
    ), '[]')
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.find_api_key_of_caller(id text)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  k public.api_keys;
begin
  select * into k from public.api_keys a where a.tenant_id = private.tenant_id() and a.id = $1;
  if not found then
    perform private.refuse_missing('API key');
  end if;
  return k;
end $function$;
CREATE OR REPLACE FUNCTION public.create_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_api_key');
  created public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_expiry((input ->> 'expires_at')::timestamptz);
  created := private.insert_api_key(input);
  perform private.record_security_event('api_key.created', created.id, null,
    jsonb_build_object('name', created.name, 'scopes', created.scopes, 'ip_allowlist', created.ip_allowlist, 'expires_at', private.iso(created.expires_at)));
  return private.finish_request(request, private.api_key_json(created) || jsonb_build_object('version', private.api_key_version(created))
    || jsonb_build_object('sealed', input -> 'sealed'));
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
    perform private.refuse('conflict', 'This API key has already been rotated. Rotate its successor.');
  end if;
  successor := private.insert_api_key(input || jsonb_build_object(
    'name', old.name, 'description', old.description, 'scopes', old.scopes, 'ip_allowlist', old.ip_allowlist,
    'expires_at', now() + (old.expires_at - old.created_at)
  ), old.id);
  update public.api_keys k set
    rotated_to = successor.id, updated_at = now(),
    grace_expires_at = least(now() + make_interval(secs => (input ->> 'grace_period_seconds')::integer), k.expires_at)
  where k.tenant_id = old.tenant_id and k.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id, 'grace_period_seconds', input -> 'grace_period_seconds'));
  return private.finish_request(request, private.api_key_json(successor) || jsonb_build_object('version', private.api_key_version(successor))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.revoke_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'revoke_api_key');
  k public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  k := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  if k.revoked_at is null and (k.grace_expires_at is null or k.grace_expires_at > now()) then
    update public.api_keys a set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason', updated_at = now()
    where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
    perform private.record_security_event('api_key.revoked', k.id, input ->> 'reason', jsonb_build_object('name', k.name));
    perform private.emit(k.tenant_id, 'api_key.revoked', private.revocation_json(k), k.id);
    if (input ->> 'disable_webhooks')::boolean then
      perform private.disable_webhook(w, 'manual', format('The API key %s, which registered it, was revoked.', k.name))
      from unnest(private.webhooks_of_api_key(k)) w;
    end if;
  end if;
  return private.finish_request(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_api_key');
  -- Usage, which calls and time change: not part of an update.
  use constant text[] := '{as_of,request_count,last_used_at,last_used_ip,operations_used,calls_by_day}';
  patch constant jsonb := input -> 'patch';
  k public.api_keys;
  before jsonb;
  changes jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  k := private.lock_usable_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(k) - use;
  update public.api_keys a set
    name = case when patch ? 'name' then patch ->> 'name' else a.name end,
    description = case when patch ? 'description' then patch ->> 'description' else a.description end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes') else a.scopes end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist') else a.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz else a.expires_at end,
    -- `least` passes over nulls: a key without a grace period has none now.
    grace_expires_at = case when a.grace_expires_at is not null then least(a.grace_expires_at, (patch ->> 'expires_at')::timestamptz) end,
    updated_at = now()
  where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
  changes := private.changes(before, private.api_key_json(k) - use);
  if changes is not null then
    perform private.record_security_event('api_key.updated', k.id, null, changes);
  end if;
  return private.finish_request(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $function$;
CREATE OR REPLACE FUNCTION public.get_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  k public.api_keys;
begin
  perform private.begin_request(request, 'get_api_key');
  k := private.find_api_key_of_caller(input ->> 'id');
  return private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k));
end $function$;
CREATE OR REPLACE FUNCTION public.list_api_keys(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  items jsonb;
begin
  perform private.begin_request(request, 'list_api_keys');
  select jsonb_agg(k.json order by k.id desc) into items
  from (
    select a.id, j.json from public.api_keys a cross join lateral (select private.api_key_json(a) as json) j
    where a.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or a.id < input -> 'after' ->> 0)
      and (sought is null or strpos(lower(a.name), sought) > 0 or strpos(lower(a.key_id), sought) > 0 or a.id = sought)
      and (input ->> 'status' is null or j.json ->> 'status' = input ->> 'status')
    order by a.id desc
    limit page_size + 1
  ) k;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION public.list_exception_comments(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  e public.exceptions;
  items jsonb;
begin
  perform private.begin_request(request, 'list_exception_comments');
  e := private.find_exception(input ->> 'id');
  select jsonb_agg(private.exception_comment_json(c) order by c.id desc) into items
  from (
    select * from public.exception_comments x
    where x.tenant_id = e.tenant_id and x.exception_id = e.id
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
    order by x.id desc limit page_size + 1
  ) c;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.create_exception_comment(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_exception_comment');
  e public.exceptions;
  c public.exception_comments;
begin
  if replayed is not null then
    return replayed;
  end if;
  e := private.find_exception(input ->> 'id');
  insert into public.exception_comments (exception_id, body) values (e.id, input ->> 'body') returning * into c;
  return private.finish_request(request, private.exception_comment_json(c));
end $function$;
CREATE OR REPLACE FUNCTION private.notify_webhook_worker(webhook_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.notify('deliveries', webhook_id);
end $function$;
CREATE OR REPLACE FUNCTION private.fan_out_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  awaiting record;
begin
  for awaiting in
    with fanned_out as (
      insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status, failure_kind, next_attempt_at)
      select private.delivery_id(e.id, w.id), e.tenant_id, w.id, e.id, e.type,
        case w.status when 'active' then 'pending' else 'failed' end,
        case w.status when 'disabled' then 'webhook_disabled' end,
        case w.status when 'active' then now() end
      from emitted e join public.webhooks w on w.tenant_id = e.tenant_id
      where w.deleted_at is null and case
        when e.test_of is not null then w.id = e.test_of
        when e.type = 'webhook.test' then w.id = e.data ->> 'id'
        when e.type in ('webhook.failing', 'webhook.disabled') then e.type = any (w.events) and w.id <> e.data ->> 'id'
        else e.type = any (w.events)
      end
      returning webhook_id, status
    )
    select distinct webhook_id from fanned_out where status = 'pending' order by webhook_id
  loop
    perform private.notify_webhook_worker(awaiting.webhook_id);
  end loop;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_secret(webhook_id text, id text, sealed text, grace interval DEFAULT '00:00:00'::interval)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update private.webhook_secrets s set expires_at = least(s.expires_at, now() + grace)
  where s.tenant_id = private.tenant_id() and s.webhook_id = $1;
  insert into private.webhook_secrets (id, tenant_id, webhook_id, sealed)
  select $2, w.tenant_id, w.id, $3 from public.webhooks w where w.tenant_id = private.tenant_id() and w.id = $1;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_webhook_secrets(webhook_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from private.webhook_secrets s where s.tenant_id = private.tenant_id() and s.webhook_id = $1;
end $function$;
CREATE OR REPLACE FUNCTION public.create_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_webhook');
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(private.text_array(input -> 'events'));
  perform private.require_quota('webhooks');
  insert into public.webhooks (url, description, events)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'))
  returning * into w;
  perform private.store_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', w.id, null, jsonb_build_object('url', w.url, 'events', w.events));
  return private.finish_request(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.get_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  w public.webhooks;
begin
  perform private.begin_request(request, 'get_webhook');
  w := private.find_webhook(input ->> 'id');
  return private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w));
end $function$;
CREATE OR REPLACE FUNCTION public.list_webhooks(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_webhooks');
  select jsonb_agg(private.webhook_json(w) order by w.id desc) into items
  from (
    select * from public.webhooks x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
    order by x.id desc
    limit page_size + 1
  ) w;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION public.update_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events}';
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := jsonb_populate_record(before, (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  if w.url <> before.url or w.events <> before.events then
    perform private.require_readable_events(w.events);
  end if;
  if w.url <> before.url then
    perform private.require_readable_events(private.unreadable_sent(w.id));
  end if;
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select private.changes(jsonb_object_agg(field, to_jsonb(before) -> field), jsonb_object_agg(field, to_jsonb(w) -> field)) from unnest(fields) field
    ));
  end if;
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return private.finish_request(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_webhook');
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(w), request -> 'versions');
  perform private.drop_waiting_deliveries(w.id), private.delete_webhook_secrets(w.id);
  update public.webhooks x set deleted_at = now(), updated_at = now() where x.tenant_id = w.tenant_id and x.id = w.id;
  perform private.record_security_event('webhook.deleted', w.id, null, jsonb_build_object('url', w.url));
  return private.finish_request(request, jsonb_build_object('id', w.id, 'deleted', true));
end $function$;
CREATE OR REPLACE FUNCTION public.rotate_webhook_secret(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'rotate_webhook_secret');
  grace constant interval := make_interval(secs => (input ->> 'grace_period_seconds')::integer);
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.store_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret', grace);
  update public.webhooks x set secret_changed_at = now(), previous_secret_expires_at = now() + grace, updated_at = now()
  where x.tenant_id = w.tenant_id and x.id = w.id
  returning * into w;
  perform private.record_security_event('webhook.secret_rotated', w.id, null,
    jsonb_build_object('previous_secret_expires_at', private.iso(w.previous_secret_expires_at)));
  return private.finish_request(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.enable_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'enable_webhook');
begin
  if replayed is not null then
    return replayed;
  end if;
  return private.finish_request(request, private.webhook_json(private.enable_webhook(private.lock_webhook(input ->> 'id'))));
end $function$;
CREATE OR REPLACE FUNCTION public.test_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'test_webhook');
  w public.webhooks;
  d public.webhook_deliveries;
  event text;
begin
  if replayed is not null then
    return replayed;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(w);
  if input ->> 'type' <> 'webhook.test' then
    perform private.require_readable_events(array[input ->> 'type']);
  end if;
  event := private.emit_test(w.id, input ->> 'type', coalesce(nullif(input -> 'data', 'null'),
    jsonb_build_object('id', w.id, 'message', 'It works.', 'sent_by', private.actor())));
  select * into d from public.webhook_deliveries x where x.tenant_id = w.tenant_id and x.id = private.delivery_id(event, w.id);
  return private.finish_request(request, private.delivery_json(d));
end $function$;
CREATE OR REPLACE FUNCTION public.list_webhook_deliveries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'list_webhook_deliveries');
  return private.deliveries_page(input || jsonb_build_object('webhook_id', (private.find_webhook(input ->> 'id')).id));
end $function$;
CREATE OR REPLACE FUNCTION public.list_deliveries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'list_deliveries');
  return private.deliveries_page(input);
end $function$;
CREATE OR REPLACE FUNCTION public.get_webhook_stats(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_webhook_stats');
  return private.attempts_by_hour((private.find_webhook(input ->> 'id')).id);
end $function$;
CREATE OR REPLACE FUNCTION public.get_delivery_stats(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
begin
  perform private.begin_request(request, 'get_delivery_stats');
  return private.attempts_by_hour(null);
end $function$;
CREATE OR REPLACE FUNCTION public.get_webhook_delivery(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  d public.webhook_deliveries;
begin
  perform private.begin_request(request, 'get_webhook_delivery');
  perform private.find_webhook(input ->> 'id');
  d := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  return private.delivery_json(d) || jsonb_build_object(
    'payload', (
      select jsonb_build_object('type', e.type, 'timestamp', private.iso(e.at), 'data', e.data)
        || case when e.test_of is not null then '{"test": true}' else '{}'::jsonb end
      from public.events e where e.tenant_id = d.tenant_id and e.id = d.event_id
    ),
    'request_id', (select e.request_id from public.events e where e.tenant_id = d.tenant_id and e.id = d.event_id),
    'attempts', coalesce((
      select jsonb_agg(private.attempt_json(a) || jsonb_build_object(
        'response', case when a.status_code is not null and d.type = any (private.readable_events()) then jsonb_build_object(
          'headers', coalesce(a.response_headers, '{}'), 'body', coalesce(a.response_body, ''), 'truncated', coalesce(a.response_truncated, false)
        ) end
      ) order by a.number)
      from public.webhook_attempts a where a.tenant_id = d.tenant_id and a.delivery_id = d.id
    ), '[]')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.requeue_deliveries(webhook_id text, ids text[], cause text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  requeued bigint;
begin
  perform private.interrupt_lapsed_attempts(array[$1]);
  update public.webhook_deliveries d set
    status = 'pending', failure_kind = null, failure_count = 0, cause = $3, next_attempt_at = now(), lease = null
  where d.tenant_id = private.tenant_id() and d.id = any (ids) and d.webhook_id = $1
    and (d.lease is null or d.next_attempt_at <= now());
  get diagnostics requeued = row_count;
  if requeued > 0 then
    perform private.notify_webhook_worker($1);
  end if;
  return requeued;
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
    perform private.refuse('conflict', 'This delivery is being sent. Wait for its result.');
  end if;
  return private.finish_request(request, private.delivery_json(private.find_delivery(d.webhook_id, d.id)));
end $function$;
CREATE OR REPLACE FUNCTION public.recover_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'recover_webhook');
  since constant timestamptz := (input ->> 'since')::timestamptz;
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  oldest constant timestamptz := greatest(since, now() - interval '30 days');
  w public.webhooks;
  missed text[];
  recovered bigint;
begin
  if replayed is not null then
    return replayed;
  end if;
  w := private.lock_webhook(input ->> 'id');
  if not dry_run then
    perform private.require_active_webhook(w);
  end if;
  missed := array(
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.created_at >= oldest and d.status = 'failed'
    union all
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.created_at >= oldest and d.status = 'pending'
      and private.delivery_status(d) = 'retrying'
  );
  recovered := case when dry_run then cardinality(missed) else private.requeue_deliveries(w.id, missed, 'recover') end;
  if not dry_run and recovered > 0 then
    perform private.record_security_event('webhook.recovered', w.id, null,
      jsonb_build_object('since', private.iso(since), 'count', recovered));
  end if;
  return private.finish_request(request, jsonb_build_object('since', private.iso(since), 'dry_run', dry_run, 'count', recovered));
end $function$;
CREATE OR REPLACE FUNCTION public.list_records(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_records', coalesce(input ->> 'surface', ''));
  perform private.with_deleted(input);
  select jsonb_agg(private.record_json(r) -> 'record' order by r.id desc) into items
  from public.records r
  where r.tenant_id = private.tenant_id() and r.id = any ((select private.find_records(input))::text[]) and r.surface = input ->> 'surface';
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.create_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_record', coalesce(input ->> 'surface', ''));
  created public.records;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_record_size(input -> 'data');
  perform private.require_quota('records');
  insert into public.records (surface, data) values (input ->> 'surface', input -> 'data') returning * into created;
  return private.finish_request(request, private.record_json(created));
end $function$;
CREATE OR REPLACE FUNCTION public.get_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  with_deleted boolean;
  answer jsonb;
begin
  perform private.begin_request(request, 'get_record', coalesce(input ->> 'surface', ''));
  with_deleted := private.with_deleted(input);
  select private.record_json(r) into answer from public.records r
  where r.tenant_id = private.tenant_id() and r.id = input ->> 'id' and r.surface = input ->> 'surface'
    and (r.deleted_at is null or with_deleted);
  if answer is null then
    perform private.refuse_missing('record');
  end if;
  return answer;
end $function$;
CREATE OR REPLACE FUNCTION public.update_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_record', coalesce(input ->> 'surface', ''));
  r public.records;
  patched jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  r := private.lock_record(input, request);
  patched := private.merge_patch(r.data, input -> 'patch');
  if patched <> r.data then
    perform private.require_record_size(patched);
    update public.records x set data = patched where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  end if;
  return private.finish_request(request, private.record_json(r));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_record', coalesce(input ->> 'surface', ''));
  r public.records;
begin
  if replayed is not null then
    return replayed;
  end if;
  r := private.lock_record(input, request);
  update public.records x set deleted_at = now() where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  return private.finish_request(request, private.record_json(r));
end $function$;
CREATE OR REPLACE FUNCTION public.restore_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'restore_record', coalesce(input ->> 'surface', ''));
  r public.records;
begin
  if replayed is not null then
    return replayed;
  end if;
  select * into r from public.records x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' and x.surface = input ->> 'surface'
    and (x.deleted_at is null or private.in_bin(x.deleted_at)) for update;
  if not found then
    perform private.refuse_missing('record');
  end if;
  if r.deleted_at is not null then
    update public.records x set deleted_at = null where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  end if;
  return private.finish_request(request, private.record_json(r));
end $function$;
CREATE OR REPLACE FUNCTION public.list_members(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  items jsonb;
begin
  perform private.begin_request(request, 'list_members');
  select jsonb_agg(jsonb_build_object('name', m.name, 'user', 'user:' || m.name, 'roles', m.roles, 'source', m.source) order by m.name) into items
  from (
    select * from private.members() x
    where (input -> 'after' ->> 0 is null or x.name > input -> 'after' ->> 0) and (sought is null or strpos(lower(x.name), sought) > 0)
    order by x.name
    limit page_size + 1
  ) m;
  return private.page(items, page_size, 'name');
end $function$;
CREATE OR REPLACE FUNCTION public.list_tenant_members(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
begin
  perform private.begin_request(request, 'list_tenant_members');
  return private.page(private.tenant_account_page(input -> 'after' ->> 0, lower(input ->> 'q'), page_size + 1), page_size, 'key');
end $function$;
CREATE OR REPLACE FUNCTION public.get_tenant_member(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  member jsonb;
begin
  perform private.begin_request(request, 'get_tenant_member');
  member := private.tenant_account((input ->> 'id')::uuid);
  if member is null then
    perform private.refuse_missing('member');
  end if;
  return member;
end $function$;
CREATE OR REPLACE FUNCTION public.update_tenant_member(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  changed jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  changed := private.change_account(member, input -> 'roles', request -> 'versions', input ->> 'issuer');
  if changed -> 'before' <> input -> 'roles' then
    perform private.record_security_event('member.role_changed', 'user:' || (changed ->> 'name'), null, jsonb_build_object(
      'member_id', member, 'roles', jsonb_build_object('from', changed -> 'before', 'to', input -> 'roles')));
  end if;
  return private.finish_request(request, private.tenant_account(member));
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
  before constant jsonb := case when replayed is null then private.tenant_account((input ->> 'id')::uuid) end;
  changed jsonb;
  handed_over integer := 0;
begin
  if replayed is not null then
    return replayed;
  end if;
  if (input ->> 'hand_over')::boolean and private.has_namesake(before ->> 'name') then
    perform private.refuse('conflict', format('Another member is called %s too. Reassign the exceptions on the board first, then remove the member without handing over.', before ->> 'name'));
  -- Counted to 1,000.
  elsif (input ->> 'hand_over')::boolean and (before ->> 'open_exceptions')::integer >= 1000 then
    perform private.refuse('conflict', format('%s has 1,000 open exceptions or more. Reassign them on the board first, then remove the member without handing over.', before ->> 'name'));
  end if;
  changed := private.change_account(member, null, request -> 'versions', input ->> 'issuer');
  if (input ->> 'hand_over')::boolean then
    select count(*) into handed_over from private.change_exceptions_for_caller('edit', array(
      select jsonb_build_object('id', h.id, 'assigned_to', input -> 'hand_over_to')
      from private.lock_exceptions(private.open_exceptions_of('user:' || (changed ->> 'name'))) h
      where h.assigned_to = 'user:' || (changed ->> 'name') and h.status in ('open', 'in_review')
    ));
  end if;
  perform private.record_security_event('member.removed', 'user:' || (changed ->> 'name'), input ->> 'reason', jsonb_build_object(
    'member_id', member, 'roles', changed -> 'before', 'sessions_ended', jsonb_array_length(changed -> 'ended'),
    'handed_over', handed_over, 'handed_over_to', input ->> 'hand_over_to'));
  return private.finish_request(request, before || jsonb_build_object('handed_over', handed_over, 'ended', changed -> 'ended'));
end $function$;
CREATE OR REPLACE FUNCTION private.send_invitation(id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  address constant text := (select i.email from public.invitations i where i.tenant_id = tenant and i.id = $1);
begin
  if private.invitation_mails(now() - interval '1 hour', null) > 100 then
    perform private.refuse('rate_limited', 'A tenant can send 100 invitations an hour. Try again later.');
  end if;
  if private.invitation_mails(now() - interval '1 hour', address) > 5 then
    perform private.refuse('rate_limited', 'This address was invited 5 times within the hour. Try again later.');
  end if;
  if private.invitation_mails(now() - interval '1 day', address) > 10 then
    perform private.refuse('rate_limited', 'This address was invited 10 times within a day. Try again tomorrow.');
  end if;
  perform graphile_worker.add_job('send_invitation', private.with_request_id(jsonb_build_object('tenant_id', tenant, 'invitation_id', i.id)),
    max_attempts => 12, job_key => 'invitation:' || tenant || ':' || i.id)
  from public.invitations i where i.tenant_id = tenant and i.id = $1;
end $function$;
CREATE OR REPLACE FUNCTION public.list_invitations(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_invitations');
  select jsonb_agg(private.invitation_json(i) order by i.id desc) into items
  from (
    select * from public.invitations x
    where x.tenant_id = private.tenant_id() and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or private.invitation_status(x) = input ->> 'status')
    order by x.id desc limit page_size + 1
  ) i;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.get_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  i public.invitations;
begin
  perform private.begin_request(request, 'get_invitation');
  select * into i from public.invitations x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('invitation');
  end if;
  return private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i));
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
    perform private.refuse('conflict', 'This person is a member already. Change their roles instead.');
  end if;
  update public.invitations i set revoked_at = now(), revoked_by = private.actor()
  where i.tenant_id = private.tenant_id() and i.email = input ->> 'email' and i.accepted_at is null and i.revoked_at is null
    and i.expires_at <= now();
  insert into public.invitations (email, roles) values (input ->> 'email', private.text_array(input -> 'roles'))
  on conflict (tenant_id, email) where accepted_at is null and revoked_at is null do nothing
  returning * into created;
  if not found then
    perform private.refuse('conflict', 'This address has an invitation that is still open. Resend that one, or revoke it first.');
  end if;
  perform private.send_invitation(created.id);
  perform private.record_security_event('member.invited', created.id, null, jsonb_build_object('email', created.email, 'roles', created.roles));
  return private.finish_request(request, private.invitation_json(created) || jsonb_build_object('version', private.invitation_version(created)));
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
    perform private.refuse('conflict', format('This invitation was %s. Create a new one.', private.invitation_status(i)));
  elsif i.requested_at > now() - interval '1 minute' then
    perform private.refuse('rate_limited', 'This invitation was sent less than a minute ago. Try again in a minute.');
  end if;
  update public.invitations x set requested_at = now(), expires_at = now() + interval '7 days', sent_at = null,
    requests = array(select at from unnest(x.requests) at where at > now() - interval '1 day') || now()::timestamptz(3)
  where x.tenant_id = i.tenant_id and x.id = i.id returning * into i;
  perform private.end_invitation_link(i.id);
  perform private.send_invitation(i.id);
  perform private.record_security_event('member.invited', i.id, null, jsonb_build_object('email', i.email, 'roles', i.roles, 'again', true));
  return private.finish_request(request, private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
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
    perform private.refuse('conflict', 'This invitation was accepted. Remove the member instead.');
  elsif i.revoked_at is null then
    update public.invitations x set revoked_at = now(), revoked_by = private.actor()
    where x.tenant_id = i.tenant_id and x.id = i.id returning * into i;
    perform private.end_invitation_link(i.id);
    perform private.record_security_event('member.invitation_revoked', i.id, null, jsonb_build_object('email', i.email));
  end if;
  return private.finish_request(request, private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
end $function$;
CREATE OR REPLACE FUNCTION private.delete_password_reset(token_hash text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from private.password_resets r where r.token_hash = $1;
end $function$;
CREATE OR REPLACE FUNCTION public.get_first_steps(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_first_steps');
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $function$;
CREATE OR REPLACE FUNCTION public.put_first_steps(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'put_first_steps');
  perform private.require_version(private.first_steps_version(), request -> 'versions');
  if (input ->> 'dismissed')::boolean then
    insert into public.first_steps_dismissals (tenant_id) values (private.tenant_id()) on conflict do nothing;
  else
    delete from public.first_steps_dismissals d
    where d.tenant_id = private.tenant_id() and d.principal_id = auth.jwt() ->> 'principal_id';
  end if;
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $function$;
CREATE OR REPLACE FUNCTION private.record_heartbeat(pool text, kind text)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.heartbeats (pool, kind) values ($1, $2)
  on conflict on constraint heartbeats_pkey do update set beat_at = now();
  return array(select h.pool from private.heartbeats h where h.kind = $2 and h.beat_at > now() - interval '10 seconds');
end $function$;
CREATE OR REPLACE FUNCTION private.unlock_dead_workers()
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query delete from private.heartbeats h where h.beat_at < now() - interval '20 seconds' returning h.pool;
end $function$;
CREATE OR REPLACE FUNCTION private.sessions_of_caller(idle_seconds integer)
 RETURNS SETOF private.sessions
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant jsonb := auth.jwt();
begin
  return query
  select * from private.sessions s
  where s.issuer = claims ->> 'issuer' and s.subject = claims ->> 'sub' and s.ended_at is null and private.is_live(s, idle_seconds)
  order by s.id desc;
end $function$;
CREATE OR REPLACE FUNCTION public.list_sessions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_sessions');
  select jsonb_agg(private.session_json(s) order by s.id desc) into items
  from (
    select * from private.sessions_of_caller((input ->> 'idle_seconds')::integer) x
    where input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0
    order by x.id desc limit page_size + 1
  ) s;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.end_sessions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'end_sessions');
  everywhere constant boolean := jsonb_typeof(input -> 'ids') is distinct from 'array';
  claims constant jsonb := auth.jwt();
  ended text[];
begin
  if replayed is not null then
    return replayed;
  end if;
  with gone as (
    update private.sessions s set ended_at = now()
    where s.issuer = claims ->> 'issuer' and s.subject = claims ->> 'sub' and s.ended_at is null
      and (everywhere or s.id = any (private.text_array(input -> 'ids')))
    returning s.id
  )
  select coalesce(array_agg(g.id order by g.id), '{}') into ended from gone g;
  if everywhere then
    perform private.record_security_event('session.ended_everywhere', null, null, jsonb_build_object('sessions', cardinality(ended)));
  else
    perform private.record_security_event('session.ended', id, null, '{}') from unnest(ended) id;
  end if;
  return private.finish_request(request, jsonb_build_object('ended', to_jsonb(ended)));
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
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at > as_of and e.due_at < 'infinity'
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
    'imports', (
      select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'source_id', s.id, 'source_name', s.name, 'file_name', i.file_name, 'status', i.status,
        'accepted_count', i.accepted_count, 'refused_count', i.refused_count, 'created_at', private.iso(i.created_at)) order by i.id desc), '[]')
      from (select * from public.imports x where x.tenant_id = tenant and x.status <> 'receiving' order by x.id desc limit shown) i
      join public.sources s on s.tenant_id = i.tenant_id and s.source_no = i.source_no
    ),
    'runs', (
      select coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'reconciliation_id', x.reconciliation_id, 'reconciliation_name', r.name, 'status', x.status,
        'suggested_count', x.suggested_count, 'open_count', x.open_count, 'exceptions_opened', x.exceptions_opened,
        'created_at', private.iso(x.created_at)) order by x.id desc), '[]')
      from (select * from public.runs y where y.tenant_id = tenant and y.dry_run is null order by y.id desc limit shown) x
      join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
    ),
    'keys', case when private.may('read:api-keys') then private.overview_keys(as_of, shown) end,
    'webhooks', case when private.may('read:webhooks') then private.overview_webhooks(as_of, shown) end,
    'as_of', private.iso(as_of)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_requests(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_requests');
  execute format($q$
    select jsonb_agg(private.logged_request_json(p.r) order by (p.r).at desc, (p.r).id desc)
    from (select r from public.request_log r where %s order by r.at desc, r.id desc limit $1 + 1) p
  $q$, concat_ws(' and ', private.request_log_conditions(input),
    case when input ->> 'request_id' is not null then format('r.id = %L', input ->> 'request_id') end,
    case when input -> 'after' ->> 0 is not null
      then format('(r.at, r.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0, input -> 'after' ->> 1) end
  )) into items using page_size;
  return private.page(items, page_size, 'at', 'id') || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION public.get_request(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.request_log;
  readable boolean;
begin
  perform private.begin_request(request, 'get_request');
  select * into r from public.request_log x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('request');
  end if;
  readable := private.may_call(r.operation);
  return private.logged_request_json(r) || jsonb_build_object(
    'request', case when readable then r.request end, 'response', case when readable then r.response end
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_request_stats(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  until constant timestamptz := coalesce((input ->> 'until')::timestamptz, now());
  since constant timestamptz := coalesce((input ->> 'since')::timestamptz, until - interval '1 day');
  step constant interval := private.chart_step(until - since);
  steps jsonb;
begin
  perform private.begin_request(request, 'get_request_stats');
  execute format($q$
    select jsonb_agg(jsonb_build_object(
      'start', private.iso(s.start), 'calls', s.calls, 'client_errors', s.client_errors, 'server_errors', s.server_errors,
      'p50_ms', s.times[1], 'p99_ms', s.times[2]
    ) order by s.start)
    from (
      select date_bin($1, r.at, 'epoch') as start, count(*) as calls, count(*) filter (where r.status between 400 and 499) as client_errors,
        count(*) filter (where r.status >= 500) as server_errors,
        percentile_disc('{0.5,0.99}'::double precision[]) within group (order by r.duration_ms) as times
      from public.request_log r where %s group by 1
    ) s
  $q$, private.request_log_conditions(input || jsonb_build_object('since', private.iso(since), 'until', private.iso(until))))
  into steps using step;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'since', private.iso(since), 'until', private.iso(until),
    'step_seconds', extract(epoch from step)::integer, 'steps', coalesce(steps, '[]')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.address_of_caller()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.principal_type() <> 'user' or auth.jwt() ->> 'sub' !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return null;
  end if;
  return (select u.email from auth.users u where u.id = (auth.jwt() ->> 'sub')::uuid);
end $function$;
CREATE OR REPLACE FUNCTION private.notification_settings_json(is_account boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  s public.notification_settings;
  settings jsonb;
begin
  select * into s from public.notification_settings x
  where x.tenant_id = private.tenant_id() and x.subject = auth.jwt() ->> 'sub' and x.is_account = $1;
  settings := jsonb_build_object(
    'exception_breached', coalesce(s.exception_breached, 'mine'), 'exception_at_risk', coalesce(s.exception_at_risk, 'off'),
    'assigned', coalesce(s.assigned, true), 'mentioned', coalesce(s.mentioned, true),
    'webhook_failing', coalesce(s.webhook_failing, true), 'api_key_expiring', coalesce(s.api_key_expiring, true)
  );
  return settings || jsonb_build_object('email', case when $1 then private.address_of_caller() end, 'version', private.version_of(settings));
end $function$;
CREATE OR REPLACE FUNCTION private.store_alert_channel_url(channel_id text, url_id text, sealed text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from private.alert_channel_urls x where x.tenant_id = private.tenant_id() and x.channel_id = $1;
  insert into private.alert_channel_urls (tenant_id, channel_id, url_id, sealed)
  select c.tenant_id, c.id, $2, $3 from public.alert_channels c where c.tenant_id = private.tenant_id() and c.id = $1 and $3 is not null;
end $function$;
CREATE OR REPLACE FUNCTION public.get_notification_settings(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_notification_settings');
  return private.notification_settings_json(coalesce((input ->> 'is_account')::boolean, false));
end $function$;
CREATE OR REPLACE FUNCTION public.put_notification_settings(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'put_notification_settings');
  given constant jsonb := input -> 'settings';
  is_account constant boolean := coalesce((input ->> 'is_account')::boolean, false);
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_version((private.notification_settings_json(is_account) ->> 'version')::bigint, request -> 'versions');
  insert into public.notification_settings as s (is_account, exception_breached, exception_at_risk, assigned, mentioned, webhook_failing, api_key_expiring)
  values (is_account, given ->> 'exception_breached', given ->> 'exception_at_risk', (given ->> 'assigned')::boolean, (given ->> 'mentioned')::boolean,
    (given ->> 'webhook_failing')::boolean, (given ->> 'api_key_expiring')::boolean)
  on conflict on constraint notification_settings_pkey do update set exception_breached = excluded.exception_breached, exception_at_risk = excluded.exception_at_risk,
    assigned = excluded.assigned, mentioned = excluded.mentioned, webhook_failing = excluded.webhook_failing,
    api_key_expiring = excluded.api_key_expiring;
  return private.finish_request(request, private.notification_settings_json(is_account));
end $function$;
CREATE OR REPLACE FUNCTION public.list_alert_channels(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_alert_channels');
  select jsonb_agg(private.alert_channel_json(c) order by c.id desc) into items
  from (
    select * from public.alert_channels x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
    order by x.id desc limit page_size + 1
  ) c;
  return private.page(items, page_size, 'id');
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
  if (select count(*) from public.alert_channels x where x.tenant_id = private.tenant_id() and x.deleted_at is null) >= 20 then
    perform private.refuse('conflict', 'A tenant can have 20 alert channels. Delete one first.');
  end if;
  insert into public.alert_channels (name, url_hint, kinds) values (input ->> 'name', input ->> 'url_hint', private.text_array(input -> 'kinds'))
  returning * into c;
  perform private.store_alert_channel_url(c.id, input ->> 'url_id', input ->> 'sealed');
  perform private.record_security_event('alert_channel.created', c.id, null, jsonb_build_object('name', c.name, 'url', c.url_hint, 'kinds', c.kinds));
  return private.finish_request(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.get_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.alert_channels;
begin
  perform private.begin_request(request, 'get_alert_channel');
  select * into c from public.alert_channels x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' and x.deleted_at is null;
  if not found then
    perform private.refuse_missing('alert channel');
  end if;
  return private.alert_channel_json(c);
end $function$;
CREATE OR REPLACE FUNCTION public.update_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_alert_channel');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  before public.alert_channels;
  c public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels x set name = coalesce(patch ->> 'name', x.name), url_hint = coalesce(input ->> 'url_hint', x.url_hint),
    kinds = case when patch ? 'kinds' then private.text_array(patch -> 'kinds') else x.kinds end,
    last_failure = case when input ? 'sealed' then null else x.last_failure end,
    last_failure_at = case when input ? 'sealed' then null else x.last_failure_at end
  where x.tenant_id = before.tenant_id and x.id = before.id returning * into c;
  if input ? 'sealed' then
    perform private.store_alert_channel_url(c.id, input ->> 'url_id', input ->> 'sealed');
  end if;
  perform private.record_security_event('alert_channel.updated', c.id, null, coalesce(private.changes(
    jsonb_build_object('name', before.name, 'url', before.url_hint, 'kinds', before.kinds),
    jsonb_build_object('name', c.name, 'url', c.url_hint, 'kinds', c.kinds)), '{}'));
  return private.finish_request(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_alert_channel');
  c public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  c := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels x set deleted_at = now() where x.tenant_id = c.tenant_id and x.id = c.id returning * into c;
  perform private.store_alert_channel_url(c.id, null, null);
  perform private.record_security_event('alert_channel.deleted', c.id, null, jsonb_build_object('name', c.name, 'url', c.url_hint));
  return private.finish_request(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.test_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'test_alert_channel');
  c public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  c := private.lock_alert_channel(input ->> 'id', null);
  perform graphile_worker.add_job('send_test_alert', private.with_request_id(jsonb_build_object('tenant_id', c.tenant_id, 'channel_id', c.id)),
    max_attempts => 1, job_key => 'test-alert:' || c.tenant_id || ':' || c.id);
  return private.finish_request(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION private.collect_alerts(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  looked_at integer;
  bundle record;
begin
  -- Two at once would each make a bundle of what waits.
  perform pg_advisory_xact_lock(hashtextextended('gather_alerts', 0));
  with taken as materialized (
    select * from private.take_alert_events(batch)
  ), happened as materialized (
    select t.tenant_id, e.id as event_id, t.actor, private.alert_kind(e.type, e.data) as kind, e.data,
      coalesce(e.data #>> '{exception,id}', e.data ->> 'id') as subject
    from taken t join public.events e on e.tenant_id = t.tenant_id and e.id = t.event_id
  ), person as materialized (
    select t.tenant_id, u.id, 'user:' || private.account_name(u.email, u.id) as reference, r.roles ? 'tenant_admin' as is_admin,
      coalesce(s.exception_breached, 'mine') as breached, coalesce(s.exception_at_risk, 'off') as at_risk,
      coalesce(s.assigned, true) as assigned, coalesce(s.mentioned, true) as mentioned,
      coalesce(s.webhook_failing, true) as webhook_failing, coalesce(s.api_key_expiring, true) as api_key_expiring
    from (select distinct h.tenant_id from happened h) t
    cross join lateral private.accounts_of(t.tenant_id) u
    cross join lateral (select private.roles_of_account(u.raw_app_meta_data, t.tenant_id) as roles) r
    left join public.notification_settings s on s.tenant_id = t.tenant_id and s.subject = u.id::text and s.is_account
    where u.email is not null and (u.banned_until is null or u.banned_until <= now()) and r.roles ?| private.roles()
  ), mailed as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, 'account:' || p.id, h.kind, h.event_id, h.subject
    from happened h join person p on p.tenant_id = h.tenant_id
    where case h.kind
      when 'exception_breached' then p.breached = 'all' or (p.breached = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'exception_at_risk' then p.at_risk = 'all' or (p.at_risk = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'assigned' then p.assigned and p.reference = h.data #>> '{exception,assigned_to}' and p.reference <> h.actor
      when 'mentioned' then p.mentioned and private.mentions(h.data) ? p.reference and p.reference <> h.actor
      when 'webhook_failing' then p.webhook_failing and p.is_admin
      when 'api_key_expiring' then p.api_key_expiring and p.is_admin
    end
    on conflict do nothing
  ), posted as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, c.id, h.kind, h.event_id, h.subject
    from happened h join public.alert_channels c on c.tenant_id = h.tenant_id and c.deleted_at is null and h.kind = any (c.kinds)
    on conflict do nothing
  )
  select count(*) into looked_at from taken;

  for bundle in
    with waiting as (
      select distinct a.tenant_id, a.recipient, a.kind from private.alerts a where a.bundle_id is null
    ), bundled as (
      insert into private.alert_bundles (tenant_id, recipient, kind)
      select w.tenant_id, w.recipient, w.kind from waiting w
      where not exists (
        select from private.alert_bundles b
        where b.tenant_id = w.tenant_id and b.recipient = w.recipient and b.kind = w.kind and b.created_at > now() - interval '50 seconds'
      )
      returning *
    ), filled as (
      update private.alerts a set bundle_id = b.id from bundled b
      where a.tenant_id = b.tenant_id and a.recipient = b.recipient and a.kind = b.kind and a.bundle_id is null
    )
    select * from bundled
  loop
    perform graphile_worker.add_job('send_alerts', json_build_object('tenant_id', bundle.tenant_id, 'bundle_id', bundle.id), max_attempts => 15);
  end loop;
  return looked_at;
end $function$;
grant execute on function private.address_of_caller() to authenticated;
grant execute on function private.begin_request(jsonb,text,text) to anon;
grant execute on function private.begin_request(jsonb,text,text) to authenticated;
grant execute on function private.begin_write(jsonb,text,text) to authenticated;
grant execute on function private.chain_state_of_caller() to authenticated;
grant execute on function private.collect_alerts(integer) to service_role;
grant execute on function private.delete_password_reset(text) to service_role;
grant execute on function private.find_api_key_of_caller(text) to authenticated;
grant execute on function private.find_lines_of_caller(text,integer[],integer) to authenticated;
grant execute on function private.finish_request(jsonb,jsonb) to authenticated;
grant execute on function private.lines_of_caller(public.reconciliations,jsonb,integer[],integer) to authenticated;
grant execute on function private.link_exceptions_to_suggestions(text,text,text,integer) to service_role;
grant execute on function private.merge_exception_counters(integer) to service_role;
grant execute on function private.narrow_by_filters(public.reconciliations,jsonb,integer) to authenticated;
grant execute on function private.narrow_by_search(text) to authenticated;
grant execute on function private.open_lines_of_caller(public.reconciliations,jsonb,bigint[],bigint,bigint,integer) to authenticated;
grant execute on function private.record_heartbeat(text,text) to service_role;
grant execute on function private.requested_line(jsonb) to authenticated;
grant execute on function private.save_matches(text,text,text,integer,uuid[],uuid[],text[],text[],text[],boolean[],real[],real[],text[],bigint[],bigint[],jsonb,bigint[],bigint[],uuid[],bigint[],text[],bigint[],jsonb) to service_role;
grant execute on function private.save_weights(text,integer,text,integer,jsonb,bigint) to service_role;
grant execute on function private.sessions_of_caller(integer) to authenticated;
grant execute on function private.unlock_dead_workers() to service_role;
