alter table public.invitations add column requests timestamptz(3)[] not null default array[now()]; update public.invitations set requests = array[requested_at];

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.unreadable_sent(webhook_id text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return array(
    select k.kind from private.event_kinds k
    where k.kind <> all (private.readable_events()) and exists (
      select from public.webhook_deliveries d where d.tenant_id = private.tenant_id() and d.webhook_id = $1 and d.type = k.kind)
  );
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
  return private.answer(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $function$;
CREATE OR REPLACE FUNCTION public.get_webhook_delivery(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  d public.webhook_deliveries;
begin
  perform private.enter(request, 'get_webhook_delivery');
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
CREATE OR REPLACE FUNCTION private.invitation_mails(since timestamp with time zone, email text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(*) from public.invitations i cross join unnest(i.requests) at
    where i.tenant_id = private.tenant_id() and i.requested_at > since and at > since and ($2 is null or i.email = $2)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.send_invitation(id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  address constant text := (select i.email from public.invitations i where i.tenant_id = tenant and i.id = $1);
begin
  if not private.may('write:people') then
    perform private.refuse('role_required', 'This credential does not allow this operation.');
  end if;
  if private.invitation_mails(now() - interval '1 hour', null) > 100 then
    perform private.refuse('rate_limited', 'A tenant can send 100 invitations an hour. Try again later.');
  end if;
  if private.invitation_mails(now() - interval '1 hour', address) > 5 then
    perform private.refuse('rate_limited', 'This address was invited 5 times within the hour. Try again later.');
  end if;
  if private.invitation_mails(now() - interval '1 day', address) > 10 then
    perform private.refuse('rate_limited', 'This address was invited 10 times within a day. Try again tomorrow.');
  end if;
  perform graphile_worker.add_job('send_invitation', private.of_request(jsonb_build_object('tenant_id', tenant, 'invitation_id', i.id)),
    max_attempts => 12, job_key => 'invitation:' || tenant || ':' || i.id)
  from public.invitations i where i.tenant_id = tenant and i.id = $1;
end $function$;
CREATE OR REPLACE FUNCTION public.resend_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'resend_invitation');
  i public.invitations;
begin
  if kept is not null then
    return kept;
  end if;
  i := private.lock_invitation(input ->> 'id');
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
  return private.answer(request, private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
end $function$;
grant execute on function private.unreadable_sent(text) to authenticated;
grant update (expires_at, requested_at, requests, revoked_at, revoked_by, sent_at) on public.invitations to authenticated;
