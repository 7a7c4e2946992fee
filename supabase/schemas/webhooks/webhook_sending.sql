-- Sending, by the worker only: settles the results of attempts and takes over the deliveries of
-- dead workers.

-- Webhooks with a delivery that has been due for a second and that no notification or timer has
-- picked up, because a worker died or its lease expired.
create function private.overdue_webhooks() returns setof text
language plpgsql stable set search_path = '' as $$
begin
  return query
  with recursive waiting as (
    (select delivery.webhook_id, delivery.next_attempt_at from public.webhook_deliveries delivery
      where delivery.status = 'pending'
      order by delivery.webhook_id, delivery.next_attempt_at limit 1)
    union all
    select next_delivery.webhook_id, next_delivery.next_attempt_at from waiting overdue cross
      join lateral (
      select delivery.webhook_id, delivery.next_attempt_at from public.webhook_deliveries delivery
      where delivery.status = 'pending' and delivery.webhook_id > overdue.webhook_id
      order by delivery.webhook_id, delivery.next_attempt_at limit 1
    ) next_delivery
  )
  select waiting.webhook_id from waiting
  where waiting.next_attempt_at <= now() - interval '1 second';
end $$;

-- Seconds between attempts, the only place that has them: docs/guides/webhooks.md is tested
-- against it. A delivery gets one attempt more than there are pauses.
create function private.retry_schedule() returns integer[]
language sql immutable set search_path = '' as $$
  select array[5, 300, 1800, 7200, 18000, 36000, 36000]
$$;

-- The pause before the next attempt, 20 % more or less so that failed deliveries don't come back
-- together; null after the last. Retry-After can only lengthen it, to 24 hours at most: a receiver
-- that asks for a second must not use up the schedule in a minute.
create function private.retry_pause(failures integer, retry_after_seconds integer) returns interval
language plpgsql volatile set search_path = '' as $$
declare
  scheduled constant double precision := (private.retry_schedule())[failures] * (0.8
    + 0.4 * random());
  -- least() ignores nulls, so a missing value has to become 0.
  asked_for constant double precision := least(coalesce(retry_after_seconds, 0), 86400);
begin
  if scheduled is null then
    return null;
  end if;
  -- A longer wait is extended by up to a tenth, for the same reason.
  return make_interval(secs => case
    when asked_for > scheduled then least(asked_for * (1 + 0.1 * random()), 86400) else scheduled
  end);
end $$;

-- The result of an attempt.
create type private.attempt_verdict as (
  attempt_id bigint, delivery_id text, webhook_id text, tenant_id text,
  outcome text, failure_kind text, detail text, status_code integer, duration_ms integer,
  response_headers jsonb, response_body text, response_truncated boolean,
  -- The pause until the next attempt; null if there is none.
  pause interval,
  -- Whether the webhook is still active.
  active boolean
);

-- Why a receiver refused the signature with 401 or 403: it may still verify with a secret that was
-- changed since it last accepted an event, because a new one was added or the old one expired.
create function private.signature_failure(webhook public.webhooks, status_code integer,
  out kind text,
  out detail text)
language plpgsql stable set search_path = '' as $$
declare
  secret_changed_at constant timestamptz := greatest(webhook.secret_changed_at,
    case when webhook.previous_secret_expires_at <= now()
      then webhook.previous_secret_expires_at end);
begin
  if secret_changed_at is not null
    and (webhook.last_success_at is null or webhook.last_success_at < secret_changed_at)
  then
    kind := 'stale_secret';
    detail := format(
      'The receiver responded with %s after the secret was changed at %s. It seems to verify with the old one.',
      status_code, private.iso(secret_changed_at));
  else
    kind := 'signature_failed';
    detail := format('The receiver responded with %s: it did not accept the signature%s.',
      status_code, case when webhook.oauth is not null then ' or the access token' else '' end);
  end if;
end $$;

-- Evaluates the results for these webhooks, whose rows are locked. A result counts while its
-- attempt holds the lease; a late one is left out.
create function private.evaluate_attempts(results jsonb, webhook_ids text[])
returns setof private.attempt_verdict
language plpgsql volatile set search_path = '' as $$
begin
  return query
  with held as (
    select result.*, delivery.id, delivery.webhook_id, delivery.tenant_id, delivery.failure_count,
      webhook as webhook,
      webhook.status = 'active' and webhook.deleted_at is null as active,
      case when result.interrupted then 'interrupted'
        when result.status_code between 200 and 299 then 'succeeded' else 'failed' end as outcome
    from jsonb_to_recordset(results) as result (
      attempt_id bigint, status_code integer, failure_kind text, detail text, interrupted boolean,
      pause_seconds integer, duration_ms integer, retry_after_seconds integer,
      response_headers jsonb, response_body text, response_truncated boolean
    )
    join public.webhook_deliveries delivery on delivery.lease = result.attempt_id
    join public.webhooks webhook on webhook.tenant_id = delivery.tenant_id
      and webhook.id = delivery.webhook_id
    where delivery.webhook_id = any (webhook_ids)
    for no key update of delivery
  )
  select held.attempt_id, held.id, held.webhook_id, held.tenant_id, held.outcome,
    case when held.outcome = 'failed' then coalesce(failure.kind, held.failure_kind,
      'http_error') end,
    coalesce(failure.detail, held.detail), held.status_code, held.duration_ms,
    held.response_headers, held.response_body, held.response_truncated,
    case
      when held.outcome = 'interrupted' then make_interval(secs => coalesce(held.pause_seconds, 0))
      when held.outcome = 'failed' and held.active and held.status_code is distinct from 410
        then private.retry_pause(held.failure_count + 1, held.retry_after_seconds)
    end,
    held.active
  from held
  left join lateral private.signature_failure(held.webhook, held.status_code) failure
    on held.outcome = 'failed' and held.status_code in (401, 403);
end $$;

-- Stores verdicts: attempts, deliveries and response times.
create function private.record_verdicts(verdicts private.attempt_verdict[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.webhook_attempts attempt
  set status = verdict.outcome, failure_kind = verdict.failure_kind, detail = verdict.detail,
    duration_ms = verdict.duration_ms, status_code = verdict.status_code,
    response_headers = verdict.response_headers, response_body = verdict.response_body,
    response_truncated = verdict.response_truncated
  from unnest(verdicts) verdict
  where attempt.tenant_id = verdict.tenant_id and attempt.delivery_id = verdict.delivery_id
    and attempt.id = verdict.attempt_id;

  update public.webhook_deliveries delivery
  set lease = null,
    status = case when verdict.outcome = 'succeeded' then 'delivered'
      when verdict.pause is null then 'failed'
      else 'pending' end,
    failure_kind = case when verdict.outcome = 'failed' and verdict.pause is null then
      case when verdict.active and verdict.status_code is distinct from 410 then 'retries_exhausted'
        else 'webhook_disabled' end end,
    failure_count = delivery.failure_count + case verdict.outcome when 'failed' then 1 else 0 end,
    cause = case verdict.outcome when 'failed' then 'retry' else delivery.cause end,
    next_attempt_at = now() + verdict.pause,
    delivered_at = case verdict.outcome when 'succeeded' then now() else delivery.delivered_at end
  from unnest(verdicts) verdict
  where delivery.tenant_id = verdict.tenant_id and delivery.id = verdict.delivery_id;

  insert into public.webhook_answer_times as answer_time (webhook_id, tenant_id, hour, succeeded,
    bucket, attempts)
  select verdict.webhook_id, verdict.tenant_id, date_trunc('hour', now(), 'UTC'),
    verdict.outcome = 'succeeded', case when verdict.status_code is null then -1
      else floor(ln(greatest(verdict.duration_ms, 1)) / ln(1.1)) end,
    count(*)
  from unnest(verdicts) verdict
  where verdict.outcome <> 'interrupted'
  group by 1, 2, 3, 4, 5
  order by 2, 1, 3, 4, 5
  on conflict (tenant_id, webhook_id, hour, succeeded, bucket)
    do update set attempts = answer_time.attempts + excluded.attempts;
end $$;

-- Updates one webhook after its attempts. It is disabled if its receiver wants no more events or
-- has failed for too long, and its owners are warned two days before.
create function private.mark_webhook(id text, succeeded boolean, failed boolean, is_gone boolean,
  detail text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  webhook public.webhooks;
begin
  update public.webhooks
  set last_success_at = case when succeeded then now() else webhooks.last_success_at end,
    last_failure_at = case when failed then now() else webhooks.last_failure_at end,
    failing_since = case when succeeded then null else coalesce(webhooks.failing_since, now()) end
  where webhooks.id = mark_webhook.id
  returning * into webhook;
  if is_gone then
    perform private.disable_webhook(webhook.id, 'gone',
      'The receiver responded with 410 Gone: it wants no more events.');
  elsif private.webhook_disable_at(webhook.failing_since) <= now() then
    perform private.disable_webhook(webhook.id, 'failing', concat_ws(' ',
      format('Every attempt has failed since %s, for 5 days.', private.iso(webhook.failing_since)),
      'The last one: ' || detail));
  elsif private.webhook_disable_at(webhook.failing_since) <= now() + interval '2 days' then
    perform private.warn_of_failing_webhook(webhook, detail);
  end if;
end $$;

-- results: [{ attempt_id, status_code, failure_kind, detail, interrupted, pause_seconds,
-- duration_ms, retry_after_seconds, response_headers, response_body, response_truncated }]. Returns
-- which webhooks to claim for now, when their next retry is due, and which attempts have to be
-- settled later because their webhook is being changed.
create function private.settle_webhook_attempts(results jsonb)
returns table (webhook_id text, retry_in_ms double precision, waiting_attempts bigint[])
language plpgsql volatile set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
  set enable_mergejoin = off as $$
declare
  touched constant text[] := array(
    select distinct delivery.webhook_id
    from jsonb_to_recordset(results) as result (attempt_id bigint)
    join public.webhook_deliveries delivery on delivery.lease = result.attempt_id
  );
  -- Webhook before delivery, as everyone else locks them.
  locked constant text[] := array(
    select webhook.id from public.webhooks webhook where webhook.id = any (touched)
      for no key update skip locked);
  verdicts constant private.attempt_verdict[] := array(
    select row(judged.*)::private.attempt_verdict
    from private.evaluate_attempts(results, locked) judged);
begin
  perform private.record_verdicts(verdicts);
  perform private.mark_webhook(outcome.webhook_id, outcome.succeeded, outcome.failed, outcome.gone,
    outcome.detail)
  from (
    select verdict.webhook_id, bool_or(verdict.outcome = 'succeeded') as succeeded,
      bool_or(verdict.outcome = 'failed') as failed,
      bool_or(verdict.active and verdict.status_code = 410) as gone,
      max(verdict.detail) filter (where verdict.outcome = 'failed') as detail
    from unnest(verdicts) verdict
    where verdict.outcome <> 'interrupted'
    group by verdict.webhook_id
    order by verdict.webhook_id
  ) outcome;
  return query
  select verdict.webhook_id, min(extract(epoch from verdict.pause) * 1000)::double precision,
    null::bigint[]
  from unnest(verdicts) verdict
  group by verdict.webhook_id
  union all
  select delivery.webhook_id, null, array_agg(result.attempt_id)
  from jsonb_to_recordset(results) as result (attempt_id bigint)
  join public.webhook_deliveries delivery on delivery.lease = result.attempt_id
  where delivery.webhook_id <> all (locked)
  group by delivery.webhook_id;
end $$;

-- Deletes deleted webhooks, expired secrets, old counts and at most `batch` keys of deleted events;
-- returns the number of those keys. Deliveries, attempts and events are dropped with their
-- partitions (private.roll_partitions).
create function private.purge_webhook_deliveries(batch integer default 5000) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  keys integer;
begin
  delete from private.event_once once using (
    select expired.tenant_id, expired.type, expired.once_key
    from private.event_once expired
    where expired.at < now() - interval '30 days'
    limit batch
  ) old
  where once.tenant_id = old.tenant_id and once.type = old.type and once.once_key = old.once_key;
  get diagnostics keys = row_count;
  delete from public.webhooks webhook where webhook.deleted_at < now() - interval '30 days'
    and not exists (select from public.webhook_deliveries delivery
      where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id);
  delete from private.webhook_secrets secret where secret.expires_at < now();
  delete from public.webhook_answer_times answer_time
  where answer_time.hour < now() - interval '8 days';
  return keys;
end $$;

grant execute on function
  private.claim_webhook_deliveries(text[], integer), private.overdue_webhooks(),
  private.settle_webhook_attempts(jsonb),
  private.purge_webhook_deliveries(integer)
to service_role;
