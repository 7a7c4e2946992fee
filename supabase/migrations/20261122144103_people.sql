-- Events and history name people by issuer and subject. What is there already keeps its hash: it names nobody (lib/security-events/chain.ts).
create function private.actor_issuer() returns text
language plpgsql stable set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return case when claims ->> 'principal_type' = 'user' then coalesce(claims ->> 'issuer', '') end;
end $$;
create function private.actor_subject() returns text
language plpgsql stable set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return case when claims ->> 'principal_type' = 'user' then claims ->> 'sub' end;
end $$;
alter table public.security_events add column actor_issuer text, add column actor_subject text;
alter table public.exception_history add column actor_issuer text, add column actor_subject text;
alter table public.exception_history alter column actor_issuer set default private.actor_issuer(), alter column actor_subject set default private.actor_subject();
alter table public.exception_ledger add column actor_issuer text, add column actor_subject text;
alter table public.exception_ledger alter column actor_issuer set default private.actor_issuer(), alter column actor_subject set default private.actor_subject();

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.security_event_hash(e public.security_events)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return encode(sha256(convert_to(case when e.actor_issuer is null and e.actor_subject is null then json_build_array(
    'tieout.security_event.v1', e.tenant_id, e.seq::text, e.prev_hash, e.id, private.iso(e.at), e.type, e.actor, e.credential,
    e.home_tenant_id, e.cross_tenant::text, e.operation, e.target, host(e.address), e.request_id, e.reason, e.details::text
  ) else json_build_array(
    'tieout.security_event.v2', e.tenant_id, e.seq::text, e.prev_hash, e.id, private.iso(e.at), e.type, e.actor, e.credential,
    e.home_tenant_id, e.cross_tenant::text, e.operation, e.target, host(e.address), e.request_id, e.reason, e.details::text,
    e.actor_issuer, e.actor_subject
  ) end::text, 'UTF8')), 'hex');
end $function$;
CREATE OR REPLACE FUNCTION private.write_security_event(id text, tenant_id text, type text, target text, reason text, details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.security_events
    (id, tenant_id, type, actor, actor_issuer, actor_subject, operation, target, address, request_id, reason, details)
  values (
    $1, $2, $3, private.actor(), private.actor_issuer(), private.actor_subject(), nullif(current_setting('tieout.operation', true), ''), $4,
    nullif(current_setting('tieout.address', true), '')::inet, nullif(current_setting('tieout.request_id', true), ''), $5, $6
  );
end $function$;
CREATE OR REPLACE FUNCTION private.append_security_event(event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.security_events
    (tenant_id, type, actor, actor_issuer, actor_subject, credential, home_tenant_id, cross_tenant, operation, target, address, request_id,
      reason, details)
  values (
    event ->> 'tenant_id', event ->> 'type', event ->> 'actor', event ->> 'actor_issuer', event ->> 'actor_subject',
    event ->> 'credential', event ->> 'home_tenant_id',
    coalesce((event ->> 'cross_tenant')::boolean, false), event ->> 'operation', event ->> 'target', (event ->> 'address')::inet,
    event ->> 'request_id', event ->> 'reason', coalesce(nullif(event -> 'details', 'null'), '{}')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.security_event_json(e public.security_events)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', e.id, 'seq', e.seq, 'at', private.iso(e.at), 'type', e.type, 'actor', e.actor, 'actor_issuer', e.actor_issuer,
    'actor_subject', e.actor_subject, 'credential', e.credential,
    'home_tenant_id', e.home_tenant_id, 'cross_tenant', e.cross_tenant, 'operation', e.operation, 'target', e.target,
    'address', host(e.address), 'request_id', e.request_id, 'reason', e.reason, 'details', e.details,
    'hash', e.hash, 'prev_hash', e.prev_hash
  );
end $function$;
CREATE OR REPLACE FUNCTION private.security_event_texts(after bigint, through bigint, page_size integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(to_jsonb(e) order by e.seq::bigint, e.id)
    from (
      select x.seq::text, x.prev_hash, x.hash, x.id, private.iso(x.at) as at, x.type, x.actor, x.actor_issuer, x.actor_subject, x.credential,
        x.home_tenant_id, x.cross_tenant::text, x.operation, x.target, host(x.address) as address, x.request_id, x.reason, x.details::text
      from public.security_events x
      where x.chain = private.tenant_id() and x.tenant_id = private.tenant_id() and x.seq > after and x.seq <= through
      order by x.seq, x.id
      limit page_size
    ) e
  );
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
  perform private.enter(request, 'list_exception_history');
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
CREATE OR REPLACE FUNCTION public.get_exception_ledger(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
begin
  perform private.enter(request, 'get_exception_ledger');
  e := private.find_exception(input ->> 'id');
  return jsonb_build_object(
    'as_of', private.iso(now()), 'exception', private.exception_json(e),
    'rows', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'at', private.iso(l.at), 'kind', l.kind, 'due_at', private.iso(l.due_at), 'threshold_minutes', l.threshold_minutes,
        'actor', l.actor, 'actor_issuer', l.actor_issuer, 'actor_subject', l.actor_subject, 'request_id', l.request_id
      ) order by l.at, l.id), '[]')
      from public.exception_ledger l where l.tenant_id = e.tenant_id and l.exception_id = e.id
    )
  );
end $function$;
grant execute on function private.actor_issuer() to anon;
grant execute on function private.actor_issuer() to authenticated;
grant execute on function private.actor_issuer() to service_role;
grant execute on function private.actor_subject() to anon;
grant execute on function private.actor_subject() to authenticated;
grant execute on function private.actor_subject() to service_role;
