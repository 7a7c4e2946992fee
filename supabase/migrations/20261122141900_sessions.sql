-- sessions

-- From here on written by `npm run migration`, anew each time. Above is by hand.

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
CREATE OR REPLACE FUNCTION private.end_own_sessions(session_id text)
 RETURNS SETOF private.sessions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant jsonb := auth.jwt();
begin
  return query
  update private.sessions s set ended_at = now()
  where s.issuer = claims ->> 'issuer' and s.subject = claims ->> 'sub' and s.ended_at is null and (session_id is null or s.id = session_id)
  returning s.*;
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
CREATE OR REPLACE FUNCTION public.end_session(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  ended jsonb;
begin
  perform private.enter(request, 'end_session');
  select private.session_json(s) into ended from private.end_own_sessions(input ->> 'id') s;
  if ended is null then
    perform private.refuse('not_found', 'There is no such session.');
  end if;
  perform private.record_security_event('session.ended', input ->> 'id', null, '{}');
  return ended;
end $function$;
CREATE OR REPLACE FUNCTION public.end_sessions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  ended text[];
begin
  perform private.enter(request, 'end_sessions');
  ended := array(select s.id from private.end_own_sessions(null) s order by s.id);
  perform private.record_security_event('session.ended_everywhere', null, null, jsonb_build_object('sessions', cardinality(ended)));
  return jsonb_build_object('ended', to_jsonb(ended));
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
grant execute on function private.begin_session(jsonb) to service_role;
grant execute on function private.check_session(text,integer,boolean) to service_role;
grant execute on function private.end_own_sessions(text) to authenticated;
grant execute on function private.leave_session(text) to service_role;
grant execute on function private.own_sessions(integer) to authenticated;
grant execute on function private.purge_sessions(integer) to service_role;
grant execute on function private.session_json(private.sessions) to authenticated;
grant execute on function public.begin_session(jsonb) to service_role;
grant execute on function public.check_session(text,integer,boolean) to service_role;
grant execute on function public.end_session(jsonb,jsonb) to authenticated;
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
  ('(end_session,endSession,write:sessions)'),
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
