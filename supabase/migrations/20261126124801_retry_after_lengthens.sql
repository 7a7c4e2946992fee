-- retry after lengthens

-- From here on written by `npm run migration`, anew each time. Above is by hand.

-- contracts: only private.settle_webhook_attempts called it, which is replaced below.
drop function private.retry_after_pause(integer);
drop function private.retry_pause(integer);
CREATE OR REPLACE FUNCTION private.retry_schedule()
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select array[5, 300, 1800, 7200, 18000, 36000, 36000]
$function$;
CREATE OR REPLACE FUNCTION private.retry_pause(failures integer, retry_after_seconds integer)
 RETURNS interval
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  scheduled constant double precision := (private.retry_schedule())[failures] * (0.8 + 0.4 * random());
  asked_for constant double precision := least(retry_after_seconds, 86400);
begin
  if scheduled is null then
    return null;
  end if;
  -- Of a longer wait, up to a tenth more, for the same reason.
  return make_interval(secs => case
    when asked_for > scheduled then least(asked_for * (1 + 0.1 * random()), 86400) else scheduled
  end);
end $function$;
CREATE OR REPLACE FUNCTION private.settle_webhook_attempts(results jsonb)
 RETURNS TABLE(webhook_id text, retry_in_ms double precision, waiting_attempts bigint[])
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  touched text[];
  locked text[];
  verdicts jsonb;
  verdict record;
  w public.webhooks;
begin
  touched := array(
    select distinct d.webhook_id from jsonb_to_recordset(results) as r (attempt_id bigint)
    join public.webhook_deliveries d on d.lease = r.attempt_id
  );
  -- Webhook before delivery, as everyone else locks them.
  locked := array(select x.id from public.webhooks x where x.id = any (touched) for no key update skip locked);

  with given as (
    select * from jsonb_to_recordset(results) as r (
      attempt_id bigint, status_code integer, failure_kind text, detail text, interrupted boolean, pause_seconds integer, duration_ms integer,
      retry_after_seconds integer, response_headers jsonb, response_body text, response_truncated boolean
    )
  ), held as (
    select d.id, d.webhook_id, d.tenant_id, d.failure_count, d.attempt_count, g.*,
      x.status = 'active' and x.deleted_at is null as active,
      -- The last change of secrets that a receiver could have slept through: a new one came, or the old one ceased to sign.
      greatest(x.secret_changed_at, case when x.previous_secret_expires_at <= now() then x.previous_secret_expires_at end) as secret_changed_at,
      x.last_success_at
    from given g
    join public.webhook_deliveries d on d.lease = g.attempt_id
    join public.webhooks x on x.tenant_id = d.tenant_id and x.id = d.webhook_id
    where d.webhook_id = any (locked)
    for no key update of d
  ), judged as (
    select h.*,
      case when h.interrupted then 'interrupted' when h.status_code between 200 and 299 then 'succeeded' else 'failed' end as outcome,
      case
        when h.interrupted or h.status_code between 200 and 299 then null
        when h.status_code in (401, 403) then
          case when h.secret_changed_at is not null and (h.last_success_at is null or h.last_success_at < h.secret_changed_at)
            then 'stale_secret' else 'signature_failed' end
        else coalesce(h.failure_kind, 'http_error')
      end as kind,
      case
        when h.interrupted then make_interval(secs => coalesce(h.pause_seconds, 0))
        when h.status_code between 200 and 299 or h.status_code = 410 or not h.active then null
        else private.retry_pause(h.failure_count + 1, h.retry_after_seconds)
      end as pause
    from held h
  ), attempts as (
    update public.webhook_attempts a set
      status = j.outcome, failure_kind = j.kind, duration_ms = j.duration_ms, status_code = j.status_code,
      detail = case j.kind
        when 'stale_secret' then format('The receiver responded with %s after the secret was changed at %s. It seems to verify with the old one.',
          j.status_code, private.iso(j.secret_changed_at))
        when 'signature_failed' then format('The receiver responded with %s: it did not accept the signature.', j.status_code)
        else j.detail
      end,
      response_headers = j.response_headers, response_body = j.response_body,
      response_truncated = j.response_truncated
    from judged j where a.tenant_id = j.tenant_id and a.delivery_id = j.id and a.id = j.attempt_id
  ), deliveries as (
    update public.webhook_deliveries d set
      lease = null,
      status = case when j.outcome = 'succeeded' then 'delivered' when j.pause is null then 'failed' else 'pending' end,
      failure_kind = case when j.outcome = 'failed' and j.pause is null then
        case when j.active and j.status_code is distinct from 410 then 'retries_exhausted' else 'webhook_disabled' end end,
      failure_count = case j.outcome when 'failed' then d.failure_count + 1 else d.failure_count end,
      cause = case j.outcome when 'failed' then 'retry' else d.cause end,
      next_attempt_at = now() + j.pause,
      delivered_at = case j.outcome when 'succeeded' then now() else d.delivered_at end
    from judged j where d.tenant_id = j.tenant_id and d.id = j.id
  ), answer_times as (
    insert into public.webhook_answer_times as t (webhook_id, tenant_id, hour, succeeded, bucket, attempts)
    select j.webhook_id, j.tenant_id, date_trunc('hour', now(), 'UTC'), j.outcome = 'succeeded',
      case when j.status_code is null then -1 else floor(ln(greatest(j.duration_ms, 1)) / ln(1.1)) end, count(*)
    from judged j where j.outcome <> 'interrupted'
    group by 1, 2, 3, 4, 5 order by 2, 1, 3, 4, 5
    on conflict (tenant_id, webhook_id, hour, succeeded, bucket) do update set attempts = t.attempts + excluded.attempts
  )
  select jsonb_agg(jsonb_build_object(
    'webhook_id', j.webhook_id, 'outcome', j.outcome, 'gone', j.active and j.status_code = 410, 'detail', j.detail,
    'retry_in_ms', extract(epoch from j.pause) * 1000
  )) into verdicts from judged j;

  for verdict in
    select v.webhook_id, bool_or(v.outcome = 'succeeded') as succeeded, bool_or(v.outcome = 'failed') as failed, bool_or(v.gone) as gone,
      max(v.detail) filter (where v.outcome = 'failed') as detail
    from jsonb_to_recordset(verdicts) as v (webhook_id text, outcome text, gone boolean, detail text)
    where v.outcome <> 'interrupted'
    group by 1 order by 1
  loop
    update public.webhooks x set
      last_success_at = case when verdict.succeeded then now() else x.last_success_at end,
      last_failure_at = case when verdict.failed then now() else x.last_failure_at end,
      failing_since = case when verdict.succeeded then null else coalesce(x.failing_since, now()) end
    where x.id = verdict.webhook_id
    returning * into w;
    if verdict.gone then
      perform private.disable_webhook(w.id, 'gone', 'The receiver responded with 410 Gone: it wants no more events.');
    elsif private.webhook_disable_at(w.failing_since) <= now() then
      perform private.disable_webhook(w.id, 'failing', concat_ws(' ',
        format('Every attempt has failed since %s, for 5 days.', private.iso(w.failing_since)), 'The last one: ' || verdict.detail));
    elsif private.webhook_disable_at(w.failing_since) <= now() + interval '2 days' then
      perform private.warn_of_failing_webhook(w, verdict.detail);
    end if;
  end loop;

  return query
  select v.webhook_id, min(v.retry_in_ms), null::bigint[]
  from jsonb_to_recordset(verdicts) as v (webhook_id text, retry_in_ms double precision) group by 1
  union all
  select d.webhook_id, null, array_agg(r.attempt_id)
  from jsonb_to_recordset(results) as r (attempt_id bigint)
  join public.webhook_deliveries d on d.lease = r.attempt_id
  where d.webhook_id <> all (locked) group by 1;
end $function$;
