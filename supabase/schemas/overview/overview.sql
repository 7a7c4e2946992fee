-- Overview: everything that a tenant's home page shows, in one response. It consists of sums and
-- the first few of each list, so it costs the same with a million exceptions.

-- Open exceptions and their money by assignee and currency, as of a moment: those that have
-- breached and those due in each of the next hours. From the counters, corrected within the current
-- hour. `hours`: how many clock hours, including the current one.
create function private.due_sums(as_of timestamptz, hours integer)
returns table (assigned_to text, currency text, due_before timestamptz, open_count bigint,
  amount_minor numeric)
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  this_hour constant timestamptz := date_trunc('hour', as_of, 'UTC');
begin
  return query
  with counted as (
    select counter.assigned_to, counter.currency, counter.open_count, counter.amount_minor,
      case when counter.due_from < this_hour then as_of else counter.due_from + interval '1 hour'
        end as due_before
    from private.open_by_deadline counter
      where counter.tenant_id = tenant
        and counter.due_from < this_hour + make_interval(hours => hours)
  ), late as (
    -- Deadlines of the current hour that have passed.
    select coalesce(exception.assigned_to, '') as assigned_to,
      coalesce(exception.currency, '') as currency,
      count(*) as open_count,
      coalesce(sum(exception.amount_minor), 0) as amount_minor
    from public.exceptions exception
    where exception.tenant_id = tenant and exception.status in ('open', 'in_review')
      and exception.due_at >= this_hour
      and exception.due_at <= as_of
    group by 1, 2
  )
  select part.assigned_to, part.currency, part.due_before, sum(part.open_count)::bigint,
    sum(part.amount_minor)
  from (
    select counted.assigned_to, counted.currency, counted.due_before, counted.open_count,
      counted.amount_minor from counted
    union all select late.assigned_to, late.currency, as_of, late.open_count, late.amount_minor
      from late
    union all select late.assigned_to, late.currency, this_hour + interval '1 hour',
      -late.open_count,
    -late.amount_minor
      from late
  ) part
  group by 1, 2, 3
  having sum(part.open_count) <> 0;
end $$;

-- [{ currency, … }]: the money of open exceptions by currency, most exceptions first. breached_ and
-- due_: those past their deadline and those due within these clock hours.
create function private.overview_money(tenant text, as_of timestamptz, hours integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with sums as materialized (
      select * from private.due_sums(as_of, hours)
    )
    select coalesce(
      jsonb_agg(
        jsonb_build_object('currency', counter.currency, 'open_count', counter.open_count,
          'open_minor', private.exact_sum(counter.minor), 'breached_count', due.breached_count,
          'breached_minor', private.exact_sum(due.breached_minor), 'due_count', due.due_count,
          'due_minor', private.exact_sum(due.due_minor))
        order by counter.open_count desc, counter.currency),
      '[]')
    from (
      select counter.currency, sum(counter.open_count) as open_count,
        sum(counter.amount_minor) as minor
      from private.open_by_assignee counter
      where counter.tenant_id = tenant and counter.currency <> ''
      group by 1 having sum(counter.open_count) > 0
    ) counter cross join lateral (
      select coalesce(sum(sums.open_count) filter (where sums.due_before <= as_of),
        0) as breached_count,
        coalesce(sum(sums.amount_minor) filter (where sums.due_before <= as_of),
          0) as breached_minor,
        coalesce(sum(sums.open_count) filter (where sums.due_before > as_of), 0) as due_count,
        coalesce(sum(sums.amount_minor) filter (where sums.due_before > as_of), 0) as due_minor
      from sums where sums.currency = counter.currency
    ) due
  );
end $$;

-- { rate_since, closed_count, closed_per_hour, hours: [{ due_before, due_count }] }: how many
-- exceptions were closed lately, and how many fall due in each of these clock hours.
create function private.overview_outlook(tenant text, as_of timestamptz, hours integer)
returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  this_hour constant timestamptz := date_trunc('hour', as_of, 'UTC');
  rate_since constant timestamptz := this_hour - interval '8 hours';
  closed constant numeric := (
    select coalesce(sum(counter.closed_count), 0)
    from private.exception_hours counter
    where counter.tenant_id = tenant and counter.hour >= rate_since
  );
begin
  return jsonb_build_object(
    'rate_since', private.iso(rate_since), 'closed_count', closed,
    'closed_per_hour', round(closed / (extract(epoch from as_of - rate_since) / 3600)::numeric, 2),
    'hours', (
      select jsonb_agg(
        jsonb_build_object('due_before', private.iso(step.due_before),
          'due_count', coalesce(sums.due_count, 0))
        order by step.due_before)
      from generate_series(this_hour + interval '1 hour',
        this_hour + make_interval(hours => hours), interval '1 hour') as step (due_before)
      left join (
        select sums.due_before, sum(sums.open_count) as due_count
        from private.due_sums(as_of, hours) sums
        group by 1
      ) sums on sums.due_before = step.due_before
    )
  );
end $$;

-- [{ day, breached_count, closed_count }] of the last 30 days, by UTC.
create function private.overview_days(tenant text, as_of timestamptz) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  first_day constant timestamptz := date_trunc('day', as_of, 'UTC') - interval '29 days';
begin
  return (
    select jsonb_agg(
      jsonb_build_object('day', to_char(step.day at time zone 'UTC', 'YYYY-MM-DD'),
        'breached_count', coalesce(counter.breached, 0),
        'closed_count', coalesce(counter.closed, 0))
      order by step.day)
    from generate_series(first_day, as_of, interval '1 day') as step (day)
    left join (
      select date_trunc('day', counter.hour, 'UTC') as day, sum(counter.breached_count) as breached,
        sum(counter.closed_count) as closed
      from private.exception_hours counter
      where counter.tenant_id = tenant and counter.hour >= first_day
      group by 1
    ) counter on counter.day = step.day
  );
end $$;

create function private.overview_exceptions(as_of timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  -- Clock hours that the outlook covers: eight full ones and the rest of the current one.
  hours constant integer := 9;
begin
  return (
    with totals as materialized (
      select counter.assigned_to, sum(counter.open_count) as open_count
      from private.open_by_assignee counter
      where counter.tenant_id = tenant and counter.assigned_to in ('', self)
      group by 1
    )
    select jsonb_build_object(
      'summary', private.sla_summary(as_of),
      'mine', (
        select jsonb_build_object(
          'breached_count',
          coalesce(sum(sums.open_count) filter (where sums.due_before <= as_of), 0),
          'due_count', coalesce(sum(sums.open_count) filter (where sums.due_before > as_of), 0),
          'open_count',
          (select coalesce(sum(totals.open_count), 0) from totals where totals.assigned_to = self))
        from private.due_sums(as_of, hours) sums where sums.assigned_to = self
      ),
      'unassigned_count',
      (select coalesce(sum(totals.open_count), 0) from totals where totals.assigned_to = ''),
      'money', private.overview_money(tenant, as_of, hours),
      'outlook', private.overview_outlook(tenant, as_of, hours),
      'days', private.overview_days(tenant, as_of)
    )
  );
end $$;

-- Reconciliations with the most open exceptions.
create function private.overview_reconciliations(max_count integer) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return (
    with sums as materialized (
      select counter.reconciliation_id, counter.currency, sum(counter.open_count) as open_count,
        sum(counter.amount_minor) as minor
      from private.open_by_reconciliation counter where counter.tenant_id = tenant
        and counter.reconciliation_id <> ''
        group by 1, 2 having sum(counter.open_count) > 0
    ), foremost as (
      select sums.reconciliation_id, sum(sums.open_count) as open_count
      from sums
      group by 1
      order by 2 desc, 1
      limit max_count
    )
    select coalesce(
      jsonb_agg(
        jsonb_build_object('id', period.id, 'name', period.name, 'open_count', foremost.open_count,
          'money', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object('currency', sums.currency, 'open_count', sums.open_count,
            'open_minor', private.exact_sum(sums.minor))
        order by sums.open_count desc, sums.currency), '[]')
      from sums where sums.reconciliation_id = foremost.reconciliation_id and sums.currency <> ''
    )) order by foremost.open_count desc, period.id), '[]')
    from foremost
      join public.reconciliations period on period.tenant_id = tenant
        and period.id = foremost.reconciliation_id
  );
end $$;

-- The calls of the last days by the busiest keys, and the keys that expire.
create function private.overview_keys(as_of timestamptz, max_count integer) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  since constant date := (as_of at time zone 'UTC')::date - 6;
begin
  return jsonb_build_object(
    'since', private.iso(since::timestamp at time zone 'UTC'),
    'calls', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object('id', api_key.id, 'name', api_key.name, 'call_count', day_total.calls,
            'refused_count', day_total.refused)
        order by day_total.calls desc, api_key.id), '[]')
      from (
        select day_total.api_key_id, sum(day_total.calls) as calls,
          coalesce(sum(day_total.calls) filter (where day_total.outcome not like 'accepted%'),
            0) as refused
        from public.api_key_usage_daily day_total where day_total.tenant_id = tenant
          and day_total.day >= since group by 1
          order by 2 desc, 1 limit max_count
      ) day_total join public.api_keys api_key on api_key.tenant_id = tenant
        and api_key.id = day_total.api_key_id
    ),
    'expiring', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object('id', api_key.id, 'name', api_key.name,
            'expires_at', private.iso(api_key.expires_at))
          order by api_key.expires_at, api_key.id),
        '[]')
      from (
        select api_key.id, api_key.name, api_key.expires_at from public.api_keys api_key
        where api_key.tenant_id = tenant and api_key.revoked_at is null
          and api_key.rotated_to is null
          and api_key.expires_at > as_of and api_key.expires_at <= as_of + interval '14 days'
        order by api_key.expires_at, api_key.id limit max_count
      ) api_key
    )
  );
end $$;

-- Webhooks by health, failing ones first.
create function private.overview_webhooks(as_of timestamptz, max_count integer) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return (
    with hooks as materialized (
      select webhook.id, webhook.url, webhook.status, webhook.failing_since, latest.attempts,
        latest.failures
      from public.webhooks webhook
      cross join lateral (
        select coalesce(sum(answer_time.attempts), 0) as attempts,
          coalesce(sum(answer_time.attempts) filter (where not answer_time.succeeded),
            0) as failures
        from public.webhook_answer_times answer_time
          where answer_time.tenant_id = webhook.tenant_id and answer_time.webhook_id = webhook.id
            and answer_time.hour > as_of - interval '24 hours'
      ) latest
      where webhook.tenant_id = tenant and webhook.deleted_at is null
    )
    select jsonb_build_object(
      'active_count', (select count(*) from hooks where hooks.status = 'active'),
      'disabled_count', (select count(*) from hooks where hooks.status = 'disabled'),
      'items', coalesce((
        select jsonb_agg(
          jsonb_build_object('id', summed.id, 'url', summed.url, 'status', summed.status,
            'failing_since', private.iso(summed.failing_since),
          'attempt_count', summed.attempts, 'failure_count', summed.failures)
            order by summed.place, summed.failures desc, summed.id desc)
        from (
          select hooks.*,
            case when hooks.failing_since is not null and hooks.status = 'active' then 0
              when hooks.status = 'disabled' then 1 else 2 end as place
          from hooks order by place, hooks.failures desc, hooks.id desc limit max_count
        ) summed
      ), '[]')
    )
  );
end $$;

create function private.overview_imports(tenant text, shown integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', import.id, 'source_id', source.id,
      'source_name', source.name, 'file_name', import.file_name, 'status', import.status,
      'accepted_count', import.accepted_count, 'refused_count', import.refused_count,
      'created_at', private.iso(import.created_at)) order by import.id desc), '[]')
    from (
      select * from public.imports import
      where import.tenant_id = tenant and import.status <> 'receiving'
      order by import.id desc limit shown
    ) import
    join public.sources source on source.tenant_id = import.tenant_id
      and source.source_no = import.source_no
  );
end $$;

create function private.overview_runs(tenant text, shown integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', run.id,
      'reconciliation_id', run.reconciliation_id, 'reconciliation_name', period.name,
      'status', run.status, 'suggested_count', run.suggested_count, 'open_count', run.open_count,
      'exceptions_opened', run.exceptions_opened,
      'created_at', private.iso(run.created_at)) order by run.id desc), '[]')
    from (
      select * from public.runs run
      where run.tenant_id = tenant and run.dry_run is null
      order by run.id desc limit shown
    ) run
    join public.reconciliations period on period.tenant_id = run.tenant_id
      and period.id = run.reconciliation_id
  );
end $$;

-- input: {}. `mine` is what is assigned to the caller. `keys` and `webhooks` are null for callers
-- who may not read them.
create function public.get_overview(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  as_of constant timestamptz(3) := now();
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  shown constant integer := 5;
begin
  perform private.begin_request(request, 'get_overview');
  return private.overview_exceptions(as_of) || jsonb_build_object(
    'next', (
      select coalesce(jsonb_agg(private.exception_json(exception, as_of) order by exception.due_at,
        exception.id), '[]')
      from (
        select * from public.exceptions exception
        where exception.tenant_id = tenant and exception.status in ('open', 'in_review')
          and exception.due_at > as_of
          and exception.due_at < 'infinity'
        order by exception.due_at, exception.id limit shown
      ) exception
    ),
    'my_next', (
      select coalesce(jsonb_agg(private.exception_json(exception, as_of) order by exception.due_at,
        exception.id), '[]')
      from (
        select * from public.exceptions exception
        where exception.tenant_id = tenant and exception.status in ('open', 'in_review')
          and exception.assigned_to = self
        order by exception.due_at, exception.id limit shown
      ) exception
    ),
    'reconciliations', private.overview_reconciliations(8),
    'imports', private.overview_imports(tenant, shown),
    'runs', private.overview_runs(tenant, shown),
    'keys', case when private.may('read:api-keys') then private.overview_keys(as_of, shown) end,
    'webhooks',
    case when private.may('read:webhooks') then private.overview_webhooks(as_of, shown) end,
    'as_of', private.iso(as_of)
  );
end $$;

grant execute on function
  private.overview_exceptions(timestamptz), private.overview_reconciliations(integer),
  private.overview_keys(timestamptz, integer), private.overview_webhooks(timestamptz, integer),
  private.overview_imports(text, integer), private.overview_runs(text, integer)
to authenticated;
