-- Sessions end at the server; events and history name people by issuer and subject. Events from before keep their hashes: they name nobody.
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

delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
create table private.sessions (
  id text not null default private.new_id('ses'::text),
  issuer text not null,
  subject text not null,
  provider text not null,
  address inet,
  user_agent text,
  started_at timestamp(3) with time zone not null default now(),
  seen_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone
);
alter table private.sessions add constraint sessions_pkey PRIMARY KEY (id);
CREATE INDEX sessions_by_expiry ON private.sessions USING btree (expires_at);
CREATE INDEX sessions_by_person ON private.sessions USING btree (issuer, subject, id) WHERE (ended_at IS NULL);
alter table private.sessions enable row level security; alter table private.sessions no force row level security;
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
CREATE OR REPLACE FUNCTION private.is_live(s private.sessions, idle_seconds integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return s.ended_at is null and s.expires_at > now() and (idle_seconds = 0 or s.seen_at > now() - make_interval(secs => idle_seconds));
end $function$;
CREATE OR REPLACE FUNCTION private.begin_session(session jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  begun text;
begin
  insert into private.sessions (issuer, subject, provider, address, user_agent, expires_at)
  values (
    session ->> 'issuer', session ->> 'subject', session ->> 'provider', (session ->> 'address')::inet, left(session ->> 'user_agent', 300),
    now() + make_interval(secs => (session ->> 'seconds')::integer)
  ) returning id into begun;
  update private.sessions s set ended_at = now()
  where s.ended_at is null and s.issuer = session ->> 'issuer' and s.subject = session ->> 'subject' and s.id not in (
    select k.id from private.sessions k
    where k.ended_at is null and k.issuer = session ->> 'issuer' and k.subject = session ->> 'subject' order by k.id desc limit 100
  );
  return begun;
end $function$;
CREATE OR REPLACE FUNCTION private.check_session(session_id text, idle_seconds integer, seen boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s private.sessions;
begin
  select * into s from private.sessions x where x.id = session_id;
  if not found or not private.is_live(s, idle_seconds) then
    return null;
  end if;
  if seen then
    update private.sessions x set seen_at = now() where x.id = s.id and x.ended_at is null;
  end if;
  return jsonb_build_object('issuer', s.issuer, 'subject', s.subject);
end $function$;
CREATE OR REPLACE FUNCTION private.leave_session(session_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update private.sessions s set ended_at = now() where s.id = session_id and s.ended_at is null;
end $function$;
CREATE OR REPLACE FUNCTION public.begin_session(session jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.begin_session(session);
end $function$;
CREATE OR REPLACE FUNCTION public.check_session(session_id text, idle_seconds integer, seen boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.check_session(session_id, idle_seconds, seen);
end $function$;
CREATE OR REPLACE FUNCTION public.leave_session(session_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.leave_session(session_id);
end $function$;
CREATE OR REPLACE FUNCTION private.own_sessions(idle_seconds integer)
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
CREATE OR REPLACE FUNCTION private.end_own_sessions(ids text[])
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant jsonb := auth.jwt();
  ended text[];
begin
  with gone as (
    update private.sessions s set ended_at = now()
    where s.issuer = claims ->> 'issuer' and s.subject = claims ->> 'sub' and s.ended_at is null and (ids is null or s.id = any (ids))
    returning s.id
  )
  select array_agg(g.id order by g.id) into ended from gone g;
  return coalesce(ended, '{}');
end $function$;
CREATE OR REPLACE FUNCTION private.session_json(s private.sessions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', s.id, 'provider', s.provider, 'address', host(s.address), 'user_agent', s.user_agent, 'started_at', private.iso(s.started_at),
    'seen_at', private.iso(s.seen_at), 'expires_at', private.iso(s.expires_at), 'ended_at', private.iso(s.ended_at),
    'current', coalesce(s.id = auth.jwt() ->> 'session_id', false)
  );
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
  perform private.enter(request, 'list_sessions');
  select jsonb_agg(private.session_json(s) order by s.id desc) into items
  from (
    select * from private.own_sessions((input ->> 'idle_seconds')::integer) x
    where input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0
    order by x.id desc limit page_size + 1
  ) s;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.end_sessions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'end_sessions');
  everywhere constant boolean := jsonb_typeof(input -> 'ids') is distinct from 'array';
  ended text[];
begin
  if kept is not null then
    return kept;
  end if;
  ended := private.end_own_sessions(case when not everywhere then private.text_array(input -> 'ids') end);
  if everywhere then
    perform private.record_security_event('session.ended_everywhere', null, null, jsonb_build_object('sessions', cardinality(ended)));
  else
    perform private.record_security_event('session.ended', id, null, '{}') from unnest(ended) id;
  end if;
  return private.answer(request, jsonb_build_object('ended', to_jsonb(ended)));
end $function$;
CREATE OR REPLACE FUNCTION private.purge_sessions(batch integer DEFAULT 10000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  deleted integer;
begin
  delete from private.sessions where ctid = any (array(
    select ctid from private.sessions where expires_at < now() - interval '30 days' limit batch
  ));
  get diagnostics deleted = row_count;
  return deleted;
end $function$;
grant execute on function private.actor_issuer() to anon;
grant execute on function private.actor_issuer() to authenticated;
grant execute on function private.actor_issuer() to service_role;
grant execute on function private.actor_subject() to anon;
grant execute on function private.actor_subject() to authenticated;
grant execute on function private.actor_subject() to service_role;
grant execute on function private.begin_session(jsonb) to service_role;
grant execute on function private.check_session(text,integer,boolean) to service_role;
grant execute on function private.end_own_sessions(text[]) to authenticated;
grant execute on function private.leave_session(text) to service_role;
grant execute on function private.own_sessions(integer) to authenticated;
grant execute on function private.purge_sessions(integer) to service_role;
grant execute on function private.session_json(private.sessions) to authenticated;
grant execute on function public.begin_session(jsonb) to service_role;
grant execute on function public.check_session(text,integer,boolean) to service_role;
grant execute on function public.end_sessions(jsonb,jsonb) to authenticated;
grant execute on function public.leave_session(text) to service_role;
grant execute on function public.list_sessions(jsonb,jsonb) to authenticated;
insert into private.permissions select (row_text::private.permissions).* from (values
  ('(read:api-keys,{user},{tenant_admin},)'),
  ('(read:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:first-steps,{user},{tenant_admin},)'),
  ('(read:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:integrations)'),
  ('(read:me,"{user,api_key,service_role,publishable_key}",,)'),
  ('(read:members,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:reconciliations)'),
  ('(read:release-notes,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:release-notes)'),
  ('(read:security-events,"{user,service_role}",{tenant_admin},)'),
  ('(read:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla-policy,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:troubleshooting,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:troubleshooting)'),
  ('(read:webhooks,"{user,api_key,service_role}",{tenant_admin},read:webhooks)'),
  ('(restore:integrations,"{user,service_role}",{tenant_admin},)'),
  ('(restore:release-notes,"{user,service_role}",{tenant_admin},)'),
  ('(restore:troubleshooting,"{user,service_role}",{tenant_admin},)'),
  ('(write:api-keys,{user},{tenant_admin},)'),
  ('(write:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:exceptions)'),
  ('(write:first-steps,{user},{tenant_admin},)'),
  ('(write:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:integrations)'),
  ('(write:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:reconciliations)'),
  ('(write:release-notes,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:release-notes)'),
  ('(write:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:sla-policy,"{user,service_role}","{tenant_admin,tenant_lead}",)'),
  ('(write:troubleshooting,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:troubleshooting)'),
  ('(write:webhooks,"{user,api_key,service_role}",{tenant_admin},write:webhooks)')
) as given (row_text);
insert into private.operations select (row_text::private.operations).* from (values
  ('(continue_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(create_api_key,createApiKey,write:api-keys)'),
  ('(create_exception,createException,write:exceptions)'),
  ('(create_reconciliation,createReconciliation,write:reconciliations)'),
  ('(create_record,createIntegration,write:integrations)'),
  ('(create_record,createReleaseNote,write:release-notes)'),
  ('(create_record,createTroubleshootingGuide,write:troubleshooting)'),
  ('(create_webhook,createWebhook,write:webhooks)'),
  ('(delete_record,deleteIntegration,write:integrations)'),
  ('(delete_record,deleteReleaseNote,write:release-notes)'),
  ('(delete_record,deleteTroubleshootingGuide,write:troubleshooting)'),
  ('(delete_webhook,deleteWebhook,write:webhooks)'),
  ('(enable_webhook,enableWebhook,write:webhooks)'),
  ('(end_sessions,endSessions,write:sessions)'),
  ('(estimate_api_key_impact,estimateApiKeyImpact,read:api-keys)'),
  ('(get_api_key,getApiKey,read:api-keys)'),
  ('(get_api_key_usage,getApiKeyUsage,read:api-keys)'),
  ('(get_exception,getException,read:exceptions)'),
  ('(get_exception_ledger,getExceptionLedger,read:exceptions)'),
  ('(get_first_steps,getFirstSteps,read:first-steps)'),
  ('(get_me,getMe,read:me)'),
  ('(get_reconciliation,getReconciliation,read:reconciliations)'),
  ('(get_record,getIntegration,read:integrations)'),
  ('(get_record,getReleaseNote,read:release-notes)'),
  ('(get_record,getTroubleshootingGuide,read:troubleshooting)'),
  ('(get_security_event,getSecurityEvent,read:security-events)'),
  ('(get_sla_policy,getSlaPolicy,read:sla-policy)'),
  ('(get_sla_report,exportSlaReport,read:sla)'),
  ('(get_sla_report,getSlaReport,read:sla)'),
  ('(get_time_to_breach,getTimeToBreach,read:sla)'),
  ('(get_webhook,getWebhook,read:webhooks)'),
  ('(get_webhook_delivery,getWebhookDelivery,read:webhooks)'),
  ('(import_exceptions,importExceptions,write:exceptions)'),
  ('(list_api_keys,listApiKeys,read:api-keys)'),
  ('(list_exception_history,listExceptionHistory,read:exceptions)'),
  ('(list_exceptions,listExceptions,read:exceptions)'),
  ('(list_members,listMembers,read:members)'),
  ('(list_reconciliations,listReconciliations,read:reconciliations)'),
  ('(list_records,listIntegrations,read:integrations)'),
  ('(list_records,listReleaseNotes,read:release-notes)'),
  ('(list_records,listTroubleshooting,read:troubleshooting)'),
  ('(list_security_events,listSecurityEvents,read:security-events)'),
  ('(list_sessions,listSessions,read:sessions)'),
  ('(list_sla_exceptions,exportSlaExceptions,read:sla)'),
  ('(list_sla_exceptions,listSlaExceptions,read:sla)'),
  ('(list_webhook_deliveries,listWebhookDeliveries,read:webhooks)'),
  ('(list_webhooks,listWebhooks,read:webhooks)'),
  ('(open_security_event_chain,verifySecurityEvents,read:security-events)'),
  ('(open_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(put_first_steps,putFirstSteps,write:first-steps)'),
  ('(put_sla_policy,putSlaPolicy,write:sla-policy)'),
  ('(recover_webhook,recoverWebhook,write:webhooks)'),
  ('(resend_webhook_delivery,resendWebhookDelivery,write:webhooks)'),
  ('(restore_record,restoreIntegration,restore:integrations)'),
  ('(restore_record,restoreReleaseNote,restore:release-notes)'),
  ('(restore_record,restoreTroubleshootingGuide,restore:troubleshooting)'),
  ('(revoke_api_key,revokeApiKey,write:api-keys)'),
  ('(rotate_api_key,rotateApiKey,write:api-keys)'),
  ('(rotate_webhook_secret,rotateWebhookSecret,write:webhooks)'),
  ('(test_webhook,testWebhook,write:webhooks)'),
  ('(update_api_key,updateApiKey,write:api-keys)'),
  ('(update_exception,updateException,write:exceptions)'),
  ('(update_exceptions,updateExceptions,write:exceptions)'),
  ('(update_reconciliation,updateReconciliation,write:reconciliations)'),
  ('(update_record,updateIntegration,write:integrations)'),
  ('(update_record,updateReleaseNote,write:release-notes)'),
  ('(update_record,updateTroubleshootingGuide,write:troubleshooting)'),
  ('(update_webhook,updateWebhook,write:webhooks)'),
  ('(walk_security_event_chain,verifySecurityEvents,read:security-events)')
) as given (row_text);
insert into private.event_kinds select (row_text::private.event_kinds).* from (values
  ('(api_key.expiring,read:api-keys)'),
  ('(api_key.revoked,read:api-keys)'),
  ('(exception.created,read:exceptions)'),
  ('(exception.resolved,read:exceptions)'),
  ('(exception.sla.at_risk,read:exceptions)'),
  ('(exception.sla.breached,read:exceptions)'),
  ('(exception.updated,read:exceptions)'),
  ('(webhook.disabled,read:webhooks)'),
  ('(webhook.failing,read:webhooks)'),
  ('(webhook.test,read:webhooks)')
) as given (row_text);
