-- Requests: how every exposed function begins and ends. The database repeats every decision that
-- the request pipeline made.
-- An exposed function is (input jsonb, request jsonb) returns jsonb. `request` is what
-- lib/db/call.ts sends: { operation, request_id, address, audit_reason, export, dry_run, versions,
-- continues, idempotency: { key_hash, fingerprint } | null }.
-- A function that reads begins with `perform private.begin_request(request, '<its own name>')`. A
-- function that writes declares `replayed constant jsonb := private.begin_write(request, '<its own
-- name>')`, returns `replayed` if it is not null, and ends with `return
-- private.finish_request(request, <body>)`.

create table private.idempotency_keys (
  tenant_id text not null references public.tenants (id),
  principal text not null,
  operation text not null,
  key_hash text not null,
  fingerprint text not null,
  answer jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, principal, operation, key_hash)
);
create index idempotency_keys_by_age on private.idempotency_keys (created_at);
alter table private.idempotency_keys enable row level security;

-- Opens a request of the function `verb`. `resource` names the resource if one function serves
-- several. Refuses: tenant_forbidden for a tenant that does not exist, except to the publishable
-- key, which everybody has: to that key, such a tenant has published nothing; role_required unless
-- the named operation is one of this function's, on this resource, and the caller holds its
-- permission (private.operations). Records: one security event for a service-role call, for an
-- export { format, query } and for a dry run (its input). `continues`: a later step of a request
-- that was opened before, and has its event.
create function private.begin_request(request jsonb, verb text,
  resource text default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
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
  select permissions.* into needed
  from private.operations
  join private.permissions on permissions.permission = operations.permission
  where operations.verb = begin_request.verb and operations.operation = request ->> 'operation'
    and (begin_request.resource is null
    or split_part(operations.permission, ':', 2) = begin_request.resource);
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
end $$;

-- Opens a write as private.begin_request does, and returns the response stored under the
-- idempotency key; null: proceed. A concurrent request with the same key holds the row, so the
-- insert waits until it commits (then this is a replay) or fails (then this request does the work).
-- Refuses, in addition to begin_request: idempotency_mismatch if the key was used with another
-- request.
create function private.begin_write(request jsonb, verb text,
  resource text default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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
    values (private.tenant_id(), caller, request ->> 'operation', key ->> 'key_hash',
      key ->> 'fingerprint')
    on conflict do nothing;
    if found then
      return null;
    end if;
    select * into stored from private.idempotency_keys idempotency_key
    where idempotency_key.tenant_id = private.tenant_id() and idempotency_key.principal = caller
      and idempotency_key.operation = request ->> 'operation'
      and idempotency_key.key_hash = key ->> 'key_hash';
    continue when not found;
    if stored.created_at < now() - interval '24 hours' then
      delete from private.idempotency_keys idempotency_key
      where idempotency_key.tenant_id = stored.tenant_id
        and idempotency_key.principal = stored.principal
        and idempotency_key.operation = stored.operation
        and idempotency_key.key_hash = stored.key_hash
        and idempotency_key.created_at = stored.created_at;
      continue;
    end if;
    if stored.fingerprint <> key ->> 'fingerprint' then
      perform private.refuse('idempotency_mismatch',
        'This idempotency key was used with a different request. Use a new key for a new request.');
    end if;
    return jsonb_build_object('replayed', true, 'body', stored.answer);
  end loop;
end $$;

-- Closes a write: stores the body under the idempotency key, in the transaction of the change.
create function private.finish_request(request jsonb, body jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  key constant jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
begin
  if key is not null then
    update private.idempotency_keys idempotency_key set answer = body
    where idempotency_key.tenant_id = private.tenant_id()
      and idempotency_key.principal = auth.jwt() ->> 'principal_id'
      and idempotency_key.operation = request ->> 'operation'
      and idempotency_key.key_hash = key ->> 'key_hash';
  end if;
  return jsonb_build_object('replayed', false, 'body', body);
end $$;

-- A job's payload with the ID of the request that queues it, so that the job's writes and its trace
-- belong to that request; null outside a request.
create function private.with_request_id(payload jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return payload
    || jsonb_build_object('request_id', nullif(current_setting('app.request_id', true), ''));
end $$;

-- The flags of a job: its kind, and its kind with its tenant. A process limits how many jobs of a
-- flag it runs at a time (worker/matcher/main.ts).
create function private.job_flags(tenant text, kind text) returns text[]
language sql immutable set search_path = ''
return array[kind, kind || ':' || tenant];

-- `versions`: those that If-Match allows, or null. Call it while the row is locked. Refuses:
-- precondition_failed.
create function private.require_version(version bigint, versions jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_typeof(versions) = 'array' and not versions @> to_jsonb(version) then
    perform private.refuse('precondition_failed',
      'It has changed since the version in If-Match. Read it again and repeat your change.');
  end if;
end $$;

-- Deletes idempotency keys after 24 hours, at most `batch` at a time. Returns how many.
create function private.purge_idempotency_keys(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted integer;
begin
  delete from private.idempotency_keys where ctid = any (array(
    select ctid
    from private.idempotency_keys
    where created_at < now() - interval '24 hours'
    limit batch
  ));
  get diagnostics deleted = row_count;
  return deleted;
end $$;

grant execute on function private.begin_request(jsonb, text, text) to anon, authenticated;
grant execute
  on function private.begin_write(jsonb, text, text),
    private.finish_request(jsonb, jsonb) to authenticated;
grant execute on function private.purge_idempotency_keys(integer) to service_role;
