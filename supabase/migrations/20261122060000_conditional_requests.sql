-- Conditional requests: every resource that can be changed has a version, which an answer carries beside its fields and If-Match names.

-- The version of a state that no counter counts: 52 bits of its digest, which a JSON number holds.
create function private.version_of(state jsonb) returns bigint
language sql immutable set search_path = '' as $$
  select ('x' || left(encode(sha256(convert_to(state::text, 'UTF8')), 'hex'), 13))::bit(52)::bigint;
$$;

-- What somebody sets of a resource: no clock, no counter, nothing that others' work adds.
create function private.exception_version(e public.exceptions) returns bigint
language sql stable set search_path = '' as $$
  select private.version_of(jsonb_build_array(
    e.title, e.severity, e.assigned_to, private.iso(e.due_at), e.status, e.reason_code, e.amount_minor, e.currency, e.reconciliation_id,
    e.details, e.resolution, private.iso(e.closed_at)
  ));
$$;

create function private.reconciliation_version(r public.reconciliations) returns bigint
language sql stable set search_path = '' as $$
  select private.version_of(jsonb_build_array(
    r.name, r.status, r.period_start, r.period_end, r.left_source, r.right_source, r.matched_count, r.unmatched_count
  ));
$$;

create function private.webhook_version(w public.webhooks) returns bigint
language sql stable set search_path = '' as $$
  select private.version_of(jsonb_build_array(
    w.url, w.description, w.events, w.status, private.iso(w.disabled_at), private.iso(w.secret_changed_at), private.iso(w.deleted_at)
  ));
$$;

create function private.api_key_version(k public.api_keys) returns bigint
language sql stable set search_path = '' as $$
  select private.version_of(jsonb_build_array(
    k.name, k.description, k.scopes, k.ip_allowlist, private.iso(k.expires_at), k.rotated_to, private.iso(k.grace_expires_at),
    private.iso(k.revoked_at)
  ));
$$;

grant execute on function private.version_of(jsonb), private.exception_version(public.exceptions),
  private.reconciliation_version(public.reconciliations), private.webhook_version(public.webhooks), private.api_key_version(public.api_keys)
to authenticated;

-- request: { versions }: those that If-Match allows, or null.
create or replace function private.require_version(version bigint, versions jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_typeof(versions) = 'array' and not versions @> to_jsonb(version) then
    perform private.refuse('precondition_failed',
      'It is not as If-Match says: it has changed since. Get it again, and repeat your change on what you find.');
  end if;
end $$;

-- The functions below are as before, but that they check If-Match once they hold the row, and tell the version with their answer.

create or replace function public.get_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  found_one public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:exceptions}');
  select * into found_one from public.exceptions where id = input ->> 'id' and tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such exception.');
  end if;
  return private.exception_json(found_one) || jsonb_build_object('version', private.exception_version(found_one));
end $$;

create or replace function public.create_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  created public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform private.require_reconciliation(input ->> 'reconciliation_id');
  select * into created from private.insert_exceptions(jsonb_build_array(input));
  return private.remember(request, private.exception_json(created) || jsonb_build_object('version', private.exception_version(created)));
end $$;

create or replace function public.update_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  patch jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  select * into before from public.exceptions where id = input ->> 'id' and tenant_id = private.tenant_id() for no key update;
  if not found then
    perform private.refuse('not_found', 'There is no such exception.');
  end if;
  perform private.require_version(private.exception_version(before), request -> 'versions');
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  after := private.patch_exception(before, patch);
  if after is distinct from before then
    update public.exceptions e set
      title = after.title, severity = after.severity, assigned_to = after.assigned_to, due_at = after.due_at,
      due_from_policy = after.due_from_policy, status = after.status, reason_code = after.reason_code, amount_minor = after.amount_minor,
      currency = after.currency, reconciliation_id = after.reconciliation_id, details = after.details, resolution = after.resolution
    where e.id = before.id and e.tenant_id = before.tenant_id
    returning * into after;
  end if;
  return jsonb_build_object('replayed', false, 'body', private.exception_json(after) || jsonb_build_object('version', private.exception_version(after)));
end $$;

create or replace function public.get_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:reconciliations}');
  select * into r from public.reconciliations x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such reconciliation.');
  end if;
  return private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r));
end $$;

create or replace function public.create_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  created public.reconciliations;
begin
  perform private.enter(request, '{tenant_admin,tenant_lead}', '{write:reconciliations}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    input ->> 'left_source', input ->> 'right_source', coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0)
  )
  returning * into created;
  return private.remember(request, private.reconciliation_json(created) || jsonb_build_object('version', private.reconciliation_version(created)));
end $$;

create or replace function public.update_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  before public.reconciliations;
  after public.reconciliations;
begin
  perform private.enter(request, '{tenant_admin,tenant_lead}', '{write:reconciliations}');
  select * into before from public.reconciliations x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id() for no key update;
  if not found then
    perform private.refuse('not_found', 'There is no such reconciliation.');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations x set
      name = after.name, status = after.status, period_start = after.period_start, period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count
    where x.id = before.id and x.tenant_id = before.tenant_id
    returning * into after;
  end if;
  return jsonb_build_object('replayed', false, 'body', private.reconciliation_json(after) || jsonb_build_object('version', private.reconciliation_version(after)));
end $$;

create or replace function public.update_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := before;
  if patch ? 'url' then
    w.url := patch ->> 'url';
  end if;
  if patch ? 'description' then
    w.description := patch ->> 'description';
  end if;
  if patch ? 'events' then
    w.events := private.text_array(patch -> 'events');
  end if;
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.id = before.id and x.tenant_id = before.tenant_id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select jsonb_object_agg(field, jsonb_build_object('from', old_value, 'to', new_value))
      from (values
        ('url', to_jsonb(before.url), to_jsonb(w.url)),
        ('description', to_jsonb(before.description), to_jsonb(w.description)),
        ('events', to_jsonb(before.events), to_jsonb(w.events))
      ) as change (field, old_value, new_value)
      where new_value is distinct from old_value
    ));
  end if;
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return jsonb_build_object('replayed', false, 'body', private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $$;

create or replace function public.delete_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  w := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(w), request -> 'versions');
  perform private.drop_waiting_deliveries(w.id), private.forget_webhook_secrets(w.id);
  update public.webhooks x set deleted_at = now(), updated_at = now() where x.id = w.id and x.tenant_id = w.tenant_id;
  perform private.record_security_event('webhook.deleted', w.id, null, jsonb_build_object('url', w.url));
  return jsonb_build_object('replayed', false, 'body', jsonb_build_object('id', w.id, 'deleted', true));
end $$;

create or replace function public.create_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  if (select count(*) >= 250 from public.webhooks x where x.tenant_id = private.tenant_id() and x.deleted_at is null) then
    perform private.refuse('conflict', 'A tenant may have at most 250 webhooks. Delete one first.');
  end if;
  insert into public.webhooks (url, description, events)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'))
  returning * into w;
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', w.id, null, jsonb_build_object('url', w.url, 'events', w.events));
  return private.remember(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

create or replace function public.rotate_webhook_secret(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  grace constant interval := make_interval(secs => (input ->> 'grace_period_seconds')::integer);
  answer jsonb;
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret', grace);
  update public.webhooks x set secret_changed_at = now(), previous_secret_expires_at = now() + grace, updated_at = now()
  where x.id = w.id and x.tenant_id = w.tenant_id
  returning * into w;
  perform private.record_security_event('webhook.secret_rotated', w.id, null,
    jsonb_build_object('previous_secret_expires_at', private.iso(w.previous_secret_expires_at)));
  return private.remember(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

create or replace function public.get_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select * into k from public.api_keys a where a.id = input ->> 'id' and a.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such API key.');
  end if;
  return private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k));
end $$;

create or replace function public.create_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  created public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform private.require_expiry((input ->> 'expires_at')::timestamptz);
  created := private.insert_api_key(input);
  perform private.record_security_event('api_key.created', created.id, null,
    jsonb_build_object('name', created.name, 'scopes', created.scopes, 'ip_allowlist', created.ip_allowlist, 'expires_at', private.iso(created.expires_at)));
  return private.remember(request, private.api_key_json(created) || jsonb_build_object('version', private.api_key_version(created)) || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

create or replace function public.update_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  -- What calls change, and time: no part of a change that somebody makes.
  use constant text[] := '{as_of,request_count,last_used_at,last_used_ip,operations_used,calls_by_day}';
  patch jsonb := input -> 'patch';
  k public.api_keys;
  before jsonb;
  after jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  k := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  perform private.require_usable_api_key(k);
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(k) - use;
  update public.api_keys a set
    name = case when patch ? 'name' then patch ->> 'name' else a.name end,
    description = case when patch ? 'description' then patch ->> 'description' else a.description end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes') else a.scopes end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist') else a.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz else a.expires_at end,
    updated_at = now()
  where a.id = k.id returning * into k;
  after := private.api_key_json(k) - use;
  if after <> before then
    perform private.record_security_event('api_key.updated', k.id, null, (
      select jsonb_object_agg(key, jsonb_build_object('from', before -> key, 'to', value))
      from jsonb_each(after) where value is distinct from before -> key
    ));
  end if;
  return jsonb_build_object('replayed', false, 'body', private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $$;

create or replace function public.revoke_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  k public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  k := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  if k.revoked_at is null and (k.grace_expires_at is null or k.grace_expires_at > now()) then
    update public.api_keys a set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason', updated_at = now()
    where a.id = k.id returning * into k;
    perform private.record_security_event('api_key.revoked', k.id, input ->> 'reason', jsonb_build_object('name', k.name));
    perform private.emit_own('api_key.revoked', jsonb_build_object(
      'id', k.id, 'name', k.name, 'key_id', k.key_id, 'revoked_at', private.iso(k.revoked_at), 'revoked_by', k.revoked_by, 'reason', k.revoke_reason
    ), k.id);
  end if;
  return private.remember(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $$;

create or replace function public.update_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.records;
  patched jsonb;
begin
  perform private.enter_records(request, input ->> 'surface', 'write');
  r := private.lock_record(input ->> 'surface', input ->> 'id');
  perform private.require_version(r.version, request -> 'versions');
  patched := private.merge_patch(r.data, input -> 'patch');
  if patched <> r.data then
    perform private.require_record_size(patched);
    update public.records x set data = patched where x.id = r.id and x.tenant_id = r.tenant_id returning * into r;
  end if;
  return jsonb_build_object('replayed', false, 'body', private.record_json(r));
end $$;

create or replace function public.delete_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.records;
begin
  perform private.enter_records(request, input ->> 'surface', 'write');
  r := private.lock_record(input ->> 'surface', input ->> 'id');
  perform private.require_version(r.version, request -> 'versions');
  return jsonb_build_object('replayed', false, 'body', private.record_json(private.bin_record(r.id)));
end $$;

create or replace function public.put_sla_policy(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  before public.sla_policies;
  after public.sla_policies;
  impact jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_lead}', '{}');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array' and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format('The policy is not as If-Match says: %s has changed it since. Get it again, and repeat your change on what you find.', before.updated_by));
  end if;
  after := before;
  after.critical_minutes := input -> 'minutes_to_resolve' ->> 'critical';
  after.high_minutes := input -> 'minutes_to_resolve' ->> 'high';
  after.medium_minutes := input -> 'minutes_to_resolve' ->> 'medium';
  after.low_minutes := input -> 'minutes_to_resolve' ->> 'low';
  after.at_risk_thresholds := array(select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_thresholds') order by 1 desc);

  with moved as (
    select e.severity, e.due_at, e.created_at + make_interval(mins => private.minutes_to_resolve(after, e.severity)) as new_due_at
    from public.exceptions e
    where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and e.due_from_policy
      and private.minutes_to_resolve(after, e.severity) <> private.minutes_to_resolve(before, e.severity)
  )
  select jsonb_build_object(
    'changed', count(*), 'earlier', count(*) filter (where new_due_at < due_at), 'later', count(*) filter (where new_due_at > due_at),
    'newly_breached', count(*) filter (where due_at > now() and new_due_at <= now()),
    'no_longer_breached', count(*) filter (where due_at <= now() and new_due_at > now()),
    'by_severity', jsonb_build_object(
      'critical', count(*) filter (where severity = 'critical'), 'high', count(*) filter (where severity = 'high'),
      'medium', count(*) filter (where severity = 'medium'), 'low', count(*) filter (where severity = 'low')
    )
  ) into impact from moved;

  if not (input ->> 'dry_run')::boolean and after is distinct from before then
    update public.sla_policies set
      critical_minutes = after.critical_minutes, high_minutes = after.high_minutes, medium_minutes = after.medium_minutes,
      low_minutes = after.low_minutes, at_risk_thresholds = after.at_risk_thresholds, updated_at = now(), updated_by = private.actor(),
      version = before.version + 1
    where tenant_id = before.tenant_id returning * into after;
    update public.exceptions e set due_at = e.created_at + make_interval(mins => private.minutes_to_resolve(after, e.severity))
    where e.tenant_id = before.tenant_id and e.status in ('open', 'in_review') and e.due_from_policy
      and private.minutes_to_resolve(after, e.severity) <> private.minutes_to_resolve(before, e.severity);
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    perform private.record_security_event('sla_policy.updated', null, null,
      jsonb_build_object('from', private.sla_policy_json(before), 'to', private.sla_policy_json(after)));
  end if;
  return private.sla_policy_json(after) || jsonb_build_object('version', after.version, 'dry_run', (input ->> 'dry_run')::boolean, 'impact', impact);
end $$;

-- What one sets of the first steps is whether to see them.
create function private.first_steps_version() returns bigint
language sql stable set search_path = '' as $$
  select 1 + count(*) from public.first_steps_dismissals d
  where d.tenant_id = private.tenant_id() and d.principal_id = auth.jwt() ->> 'principal_id';
$$;
grant execute on function private.first_steps_version() to authenticated;

create or replace function public.get_first_steps(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $$;

create or replace function public.put_first_steps(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  perform private.require_version(private.first_steps_version(), request -> 'versions');
  if (input ->> 'dismissed')::boolean then
    insert into public.first_steps_dismissals (tenant_id) values (private.tenant_id()) on conflict do nothing;
  else
    delete from public.first_steps_dismissals d
    where d.tenant_id = private.tenant_id() and d.principal_id = auth.jwt() ->> 'principal_id';
  end if;
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $$;

create or replace function public.get_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{read:webhooks}');
  w := private.find_webhook(input ->> 'id');
  return private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w));
end $$;
