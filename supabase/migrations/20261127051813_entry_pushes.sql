alter table public.entry_batches add column push jsonb;
alter table public.entry_batches add constraint entry_batches_push_check
  check (jsonb_typeof(push) = 'object');

-- From here on written by `npm run migration`, anew each time. Above is by hand.

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
grant execute on function private.accepts_host_key(text,text,text) to service_role;
grant execute on function private.begin_entry_push(text,text) to service_role;
grant execute on function private.end_entry_push(text,text,jsonb) to service_role;
grant execute on function private.entries_to_push(text,text,text,integer,integer) to service_role;
