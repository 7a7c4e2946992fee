-- Pushing: the entry rules of a pair can name a connection, to whose server the worker writes each
-- batch as files. A batch that was written counts as exported.

-- { connection_id, folder, format } by the newest entry rules; null without.
create function private.push_settings(batch public.entry_batches) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return nullif((private.entry_rules_of(batch.tenant_id, batch.pair_no)).ledger -> 'push', 'null');
end $$;

-- Checks the push settings. Refuses: invalid_request if the caller's tenant does not have the
-- connection, or if files can only be received from it.
create function private.check_push_settings(ledger jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  if ledger #>> '{push,connection_id}' is not null and not exists (
    select from public.connections connection
    where connection.tenant_id = private.tenant_id()
      and connection.id = ledger #>> '{push,connection_id}'
      and connection.kind in ('sftp', 's3') and connection.deleted_at is null
  ) then
    perform private.refuse_field('ledger.push.connection_id',
      'Choose an SFTP or S3 connection: files can only be written there.');
  end if;
end $$;

-- Why a batch was not pushed, in the words that its connection shows.
create function private.push_error(batch public.entry_batches) returns text
language plpgsql stable set search_path = '' as $$
begin
  return format('Batch %s was not pushed: %s', private.entry_batch_name(batch),
    batch.push ->> 'error');
end $$;

-- Updates the state of the tenant's connections of which only pushes fail, after one of these
-- pushes has ended.
create function private.settle_push_failures(tenant text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.settle_failure(connection) from public.connections connection
  where connection.tenant_id = tenant and connection.failing_since is not null
    and connection.last_outcome is distinct from 'failed' and connection.deleted_at is null;
end $$;

-- Queues the push of a batch; there is at most one. A repeated request is tried immediately.
create function private.queue_entry_push(batch public.entry_batches) returns public.entry_batches
language plpgsql volatile set search_path = '' as $$
begin
  update public.entry_batches
  set push = coalesce(entry_batches.push, jsonb_build_object('files', '[]'::jsonb))
    || jsonb_build_object('state', 'waiting', 'at', private.iso(now()), 'error', null)
  where entry_batches.tenant_id = batch.tenant_id and entry_batches.id = batch.id
  returning * into batch;
  perform graphile_worker.add_job('push_entry_batch',
    private.with_request_id(jsonb_build_object('tenant_id', batch.tenant_id, 'batch_id', batch.id)),
    queue_name => 'push:' || batch.id, max_attempts => 25, job_key => 'push:' || batch.id,
    flags => private.job_flags(batch.tenant_id, 'connection'));
  return batch;
end $$;

-- Retries pushes that failed under earlier settings of a pair.
create function private.retry_entry_pushes(tenant text, pair integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.queue_entry_push(batch) from public.entry_batches batch
  where batch.tenant_id = tenant and batch.pair_no = pair and batch.exported_at is null
    and batch.push ->> 'state' in ('failed', 'stopped');
end $$;

-- Pushes a batch now. input: { id }. Refuses: not_found, conflict. Records:
-- entries.push_requested.
create function public.push_entry_batch(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'push_entry_batch');
  batch public.entry_batches;
begin
  if replayed is not null then
    return replayed;
  end if;
  batch := private.find_ready_batch(input ->> 'id');
  if private.push_settings(batch) is null then
    perform private.refuse_conflict('no_push',
      'The entry rules of its sources name no connection to push to. Set one there.');
  end if;
  batch := private.queue_entry_push(batch);
  perform private.record_security_event('entries.push_requested', batch.id, null,
    jsonb_build_object('name', private.entry_batch_name(batch)));
  return private.finish_request(request, private.entry_batch_json(batch));
end $$;

-- The first step of a push. Returns { batch, ledger, connection }, the connection with { sealed,
-- credential_id }, or null for one that was deleted; null if there is nothing to do.
create function private.begin_entry_push(tenant text, batch text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  batch_row public.entry_batches;
begin
  perform private.act_for_tenant(tenant);
  select * into batch_row from public.entry_batches
  where entry_batches.tenant_id = tenant and entry_batches.id = batch
    and entry_batches.exported_at is null
    and entry_batches.push ->> 'state' <> 'done';
  if not found then
    return null;
  elsif private.push_settings(batch_row) is null then
    update public.entry_batches set push = null where entry_batches.tenant_id = tenant
      and entry_batches.id = batch;
    perform private.settle_push_failures(tenant);
    return null;
  end if;
  return jsonb_build_object('batch', private.entry_batch_json(batch_row),
    'ledger', (private.entry_rules_of(tenant, batch_row.pair_no)).ledger, 'connection', (
      select private.connection_json(connection) || coalesce(private.sealed_credential(connection),
        '{}')
      from public.connections connection
      where connection.tenant_id = tenant
        and connection.id = private.push_settings(batch_row) ->> 'connection_id'
        and connection.deleted_at is null));
end $$;

-- Ends a push. result: { state, files, error, needs_person }: the names of the written files, or
-- why they were not written and whether to report that now. A late result changes nothing: it comes
-- from a worker that was considered dead, after another has written the files. Records:
-- entries.exported.
create function private.end_entry_push(tenant text, batch text, result jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  batch_row public.entry_batches;
  connection public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into strict batch_row from public.entry_batches
  where entry_batches.tenant_id = tenant and entry_batches.id = batch for update;
  if batch_row.push ->> 'state' = 'done' then
    return;
  end if;
  update public.entry_batches set push = jsonb_build_object('state', result -> 'state',
    'at', private.iso(now()), 'error', left(result ->> 'error', 1000), 'files', result -> 'files')
  where entry_batches.tenant_id = tenant and entry_batches.id = batch
  returning * into batch_row;
  if result ->> 'error' is null and batch_row.exported_at is null then
    update public.entry_batches set exported_at = now(), exported_by = 'system'
    where entry_batches.tenant_id = tenant and entry_batches.id = batch
    returning * into batch_row;
    perform private.record_export(batch_row);
  end if;
  perform private.settle_push_failures(tenant);
  if result ->> 'error' is not null then
    select * into connection from public.connections
    where connections.tenant_id = tenant
      and connections.id = private.push_settings(batch_row) ->> 'connection_id'
      and connections.deleted_at is null;
    if found then
      perform private.note_failure(connection, private.push_error(batch_row),
        coalesce((result ->> 'needs_person')::boolean, false));
    end if;
  end if;
end $$;

grant execute on function
  private.begin_entry_push(text, text), private.end_entry_push(text, text, jsonb)
to service_role;
