-- readable events

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop policy events_read on public.events;
delete from private.operations;
delete from private.permissions;
create table private.event_kinds (
  kind text not null,
  permission text not null
);
alter table private.event_kinds add constraint event_kinds_pkey PRIMARY KEY (kind);
CREATE INDEX event_kinds_by_permission ON private.event_kinds USING btree (permission);
alter table private.event_kinds add constraint event_kinds_permission_fkey FOREIGN KEY (permission) REFERENCES private.permissions(permission);
alter table private.event_kinds enable row level security; alter table private.event_kinds no force row level security;
CREATE OR REPLACE FUNCTION private.readable_events()
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return array(select k.kind from private.event_kinds k where private.may(k.permission));
end $function$;
CREATE OR REPLACE FUNCTION private.require_readable_events(kinds text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  unreadable constant text := (select min(k) from unnest(kinds) k where k <> all (private.readable_events()));
  scope constant text := (
    select p.scope from private.event_kinds k join private.permissions p on p.permission = k.permission where k.kind = unreadable
  );
begin
  if unreadable is null then
    return;
  elsif private.principal_type() = 'api_key' and scope is not null then
    perform private.refuse('scope_required', format('To be sent %s, an API key needs the scope %s.', unreadable, scope));
  end if;
  perform private.refuse('role_required',
    format('This credential may not read what %s carries. Leave it out, or ask a tenant admin to register for it.', unreadable));
end $function$;
CREATE OR REPLACE FUNCTION public.estimate_api_key_impact(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'estimate_api_key_impact');
  k public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  k := private.find_own_api_key(input ->> 'id');
  return private.answer(request, jsonb_build_object(
    'as_of', private.iso(now()),
    'calls', coalesce((
      select jsonb_agg(jsonb_build_object(
        'operation', u.operation, 'address', host(u.address), 'hour', private.iso(u.hour), 'calls', u.calls, 'last_seen_at', private.iso(u.last_seen_at)
      ))
      from public.api_key_usage_hourly u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour > now() - interval '7 days' and u.outcome like 'accepted%'
    ), '[]'),
    'webhooks', coalesce((
      select jsonb_agg(jsonb_build_object('id', w.id, 'url', w.url) order by w.id)
      from public.webhooks w where w.tenant_id = k.tenant_id and w.id = any (private.webhooks_of_api_key(k))
    ), '[]')
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.webhooks_of_api_key(k public.api_keys)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select w.id from public.webhooks w
    where w.tenant_id = k.tenant_id and w.deleted_at is null and w.status = 'active' and w.created_by in (
      select 'api_key:' || x.id from public.api_keys x where x.tenant_id = k.tenant_id and x.lineage_id = k.lineage_id
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION public.revoke_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'revoke_api_key');
  k public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  k := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  if k.revoked_at is null and (k.grace_expires_at is null or k.grace_expires_at > now()) then
    update public.api_keys a set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason', updated_at = now()
    where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
    perform private.record_security_event('api_key.revoked', k.id, input ->> 'reason', jsonb_build_object('name', k.name));
    perform private.emit_own('api_key.revoked', private.revocation_json(k), k.id);
    if (input ->> 'disable_webhooks')::boolean then
      perform private.disable_webhook(w, 'manual', format('The API key %s, which registered it, was revoked.', k.name))
      from unnest(private.webhooks_of_api_key(k)) w;
    end if;
  end if;
  return private.answer(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $function$;
CREATE OR REPLACE FUNCTION public.create_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_webhook');
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_readable_events(private.text_array(input -> 'events'));
  if (select count(*) >= 250 from public.webhooks x where x.tenant_id = private.tenant_id() and x.deleted_at is null) then
    perform private.refuse('conflict', 'A tenant may have at most 250 webhooks. Delete one first.');
  end if;
  insert into public.webhooks (url, description, events)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'))
  returning * into w;
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', w.id, null, jsonb_build_object('url', w.url, 'events', w.events));
  return private.answer(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.update_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events}';
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := jsonb_populate_record(before, (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  if w.url <> before.url or w.events <> before.events then
    perform private.require_readable_events(w.events);
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
  return private.answer(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $function$;
create policy events_read on public.events as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:webhooks'::text]) AS may) AND (type = ANY (( SELECT private.readable_events() AS readable_events)::text[]))));
grant execute on function private.readable_events() to authenticated;
grant execute on function private.require_readable_events(text[]) to authenticated;
grant execute on function private.webhooks_of_api_key(public.api_keys) to authenticated;
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
