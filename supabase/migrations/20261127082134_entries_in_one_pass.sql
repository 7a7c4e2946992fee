-- entries in one pass

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.entries_to_push(text,text,text,integer,integer);
drop function private.pin_host_key(public.connections,text);
drop function private.check_host_key(text,text,text,text);
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
  if e.ledger <> before.ledger then
    perform private.retry_entry_pushes(e.tenant_id, e.pair_no);
  end if;
  perform private.record_security_event('entries.rules_updated', r.id, null, jsonb_build_object(
    'from', private.entry_rules_json(before), 'to', private.entry_rules_json(e)));
  return private.entry_rules_json(e);
end $function$;
CREATE OR REPLACE FUNCTION private.entries_after(tenant text, batch text, currency text, place integer, page_size integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(private.entry_json(e) order by e.place)
    from (
      select * from public.entries x
      where x.tenant_id = tenant and x.batch_id = batch and x.place > entries_after.place
        and (entries_after.currency is null or x.currency = entries_after.currency)
      order by x.place limit page_size
    ) e
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_entries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  b public.entry_batches;
begin
  perform private.begin_request(request, 'list_entries');
  b := private.find_entry_batch(input ->> 'id');
  return private.page(private.entries_after(b.tenant_id, b.id, input ->> 'currency',
    coalesce((input -> 'after' ->> 0)::integer, 0), page_size + 1), page_size, 'place');
end $function$;
CREATE OR REPLACE FUNCTION private.require_connection(c public.connections)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  fitting constant text[] := case c.kind
    when 'https' then '{none,bearer,signed_query,password}'::text[]
    when 's3' then '{access_key}' when 'mail' then '{none}' else '{password,private_key}' end;
begin
  if (c.kind = 'mail') <> (cardinality(c.allowed_senders) > 0) then
    perform private.refuse_field('allowed_senders', 'Give at least one with mail, and only then.');
  elsif c.kind <> 'mail' and (c.kind = 'sftp') <> starts_with(c.address, 'sftp:') then
    perform private.refuse_field('address', case c.kind when 'sftp' then
      'Give an address of sftp, such as sftp://sftp.bank.example/outgoing.' else
      'Give an https address.' end);
  elsif c.auth <> all (fitting) then
    perform private.refuse_field('auth', format('With %s, give one of: %s.', c.kind,
      array_to_string(fitting, ', ')));
  elsif c.auth in ('password', 'private_key', 'access_key') and c.user_name is null then
    perform private.refuse_field('user_name', case c.kind when 's3' then
      'Give the ID of the access key.' else 'Give the name to sign in by.' end);
  elsif c.auth = 'signed_query' and strpos(c.address, '?') > 0 then
    perform private.refuse_field('address',
      'Leave the query out: it is a secret. Send it as the credential.');
  elsif c.kind = 's3' and c.region is null then
    perform private.refuse_field('region', 'Give the region of the bucket.');
  elsif c.kind in ('https', 'mail') and c.afterwards <> 'leave' then
    perform private.refuse_field('afterwards', format('With %s, it can only be leave.', c.kind));
  elsif (c.afterwards = 'move') <> (c.move_to is not null) then
    perform private.refuse_field('move_to', 'Give it with afterwards: move, and only then.');
  elsif c.host_key is not null and c.kind <> 'sftp' then
    perform private.refuse_field('host_key', 'Only sftp has a host key.');
  elsif c.schedule ->> 'calendar_id' is not null and private.current_calendar_no(c.tenant_id,
    c.schedule ->> 'calendar_id') is null then
    perform private.refuse_field('schedule.calendar_id', 'There is no such calendar.');
  end if;
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
  if not found or c.host_key = shown then
    return found;
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
CREATE OR REPLACE FUNCTION private.retry_entry_pushes(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.queue_entry_push(b) from public.entry_batches b
  where b.tenant_id = tenant and b.pair_no = pair and b.exported_at is null
    and b.push ->> 'state' in ('failed', 'stopped');
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
  if b.push ->> 'state' = 'done' then
    return;
  end if;
  update public.entry_batches x set push = jsonb_build_object('state', result -> 'state',
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
grant execute on function private.entries_after(text,text,text,integer,integer) to authenticated;
