-- The attempts of one webhook by hour are planned apart from those of all.

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.attempts_by_hour(webhook_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  return jsonb_build_object('as_of', private.iso(now()), 'hours', coalesce((
    with counted as (
      select t.hour, t.succeeded, t.bucket, sum(t.attempts) as attempts,
        sum(sum(t.attempts)) filter (where t.bucket >= 0) over (partition by t.hour order by t.bucket) as up_to,
        sum(sum(t.attempts)) filter (where t.bucket >= 0) over (partition by t.hour) as total
      from public.webhook_answer_times t
      where t.tenant_id = private.tenant_id() and (attempts_by_hour.webhook_id is null or t.webhook_id = attempts_by_hour.webhook_id)
        and t.hour > now() - interval '7 days'
      group by t.hour, t.succeeded, t.bucket
    )
    select jsonb_agg(h.found order by h.hour) from (
      select c.hour, jsonb_build_object(
        'start', private.iso(c.hour),
        'succeeded', coalesce(sum(c.attempts) filter (where c.succeeded), 0), 'failed', coalesce(sum(c.attempts) filter (where not c.succeeded), 0),
        'p50_ms', round(1.1 ^ (min(c.bucket) filter (where c.bucket >= 0 and c.up_to >= c.total * 0.5) + 0.5)),
        'p95_ms', round(1.1 ^ (min(c.bucket) filter (where c.bucket >= 0 and c.up_to >= c.total * 0.95) + 0.5))
      ) as found
      from counted c group by c.hour
    ) h
  ), '[]'));
end $function$;
