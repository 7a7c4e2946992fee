-- Requests: the first and last line of every exposed function. What the pipeline decided is decided again here.

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

-- Opens a request: { operation, request_id, address, audit_reason, idempotency: { key_hash, fingerprint } | null }.
-- Refuses an unknown tenant and a principal without role or scope (roles null: any principal of the tenant); writes one
-- security event for a service-role call.
create function private.enter(request jsonb, roles text[], scopes text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform set_config('tieout.operation', coalesce(request ->> 'operation', ''), true),
    set_config('tieout.request_id', coalesce(request ->> 'request_id', ''), true),
    set_config('tieout.address', coalesce(request ->> 'address', ''), true);
  if not exists (select from public.tenants where id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden', 'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  if roles is not null and not private.allows(roles, scopes) then
    perform private.refuse('role_required', 'This credential may not call this operation.');
  end if;
  if private.principal_type() = 'service_role' then
    perform private.record_security_event('service_role.call', null, request ->> 'audit_reason');
  end if;
end $$;

-- The answer kept under this request's idempotency key, or null: go on. A twin still in flight holds the row, so the
-- insert waits for it to commit (then this is a replay) or to fail (then this request does the work).
create function private.replay(request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  key jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
  stored private.idempotency_keys;
begin
  if key is null then
    return null;
  end if;
  loop
    insert into private.idempotency_keys (tenant_id, principal, operation, key_hash, fingerprint)
    values (private.tenant_id(), auth.jwt() ->> 'principal_id', request ->> 'operation', key ->> 'key_hash', key ->> 'fingerprint')
    on conflict do nothing;
    if found then
      return null;
    end if;
    select * into stored from private.idempotency_keys k
    where k.tenant_id = private.tenant_id() and k.principal = auth.jwt() ->> 'principal_id'
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
end $$;

-- Closes a write: keeps the answer under the idempotency key, in the transaction of the change.
create function private.remember(request jsonb, body jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  key jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
begin
  if key is not null then
    update private.idempotency_keys k set answer = body
    where k.tenant_id = private.tenant_id() and k.principal = auth.jwt() ->> 'principal_id'
      and k.operation = request ->> 'operation' and k.key_hash = key ->> 'key_hash';
  end if;
  return jsonb_build_object('replayed', false, 'body', body);
end $$;

-- Forgets idempotency keys after 24 hours, at most `batch` at a time; answers how many it deleted.
create function private.purge_idempotency_keys(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted integer;
begin
  delete from private.idempotency_keys where ctid = any (array(
    select ctid from private.idempotency_keys where created_at < now() - interval '24 hours' limit batch
  ));
  get diagnostics deleted = row_count;
  return deleted;
end $$;

grant execute on function private.enter(jsonb, text[], text[]), private.replay(jsonb), private.remember(jsonb, jsonb)
to anon, authenticated;
grant execute on function private.purge_idempotency_keys(integer) to service_role;

-- GET /v1/me: the tenant's name. Any principal of the tenant may ask, the publishable key included.
create function public.get_me(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, null, null);
  return (select jsonb_build_object('tenant_id', t.id, 'tenant_name', t.name) from public.tenants t where t.id = private.tenant_id());
end $$;
grant execute on function public.get_me(jsonb, jsonb) to anon, authenticated;

-- A keyset page out of `page_size` + 1 rows: { items, next }, where next is the sort key of the last item or null.
create function private.page(rows jsonb, page_size integer, next jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object(
    'items', case when jsonb_array_length(coalesce(rows, '[]')) > page_size then rows - page_size else coalesce(rows, '[]') end,
    'next', next
  );
$$;
grant execute on function private.page(jsonb, integer, jsonb) to anon, authenticated;
