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
    select o.assigned_to, o.currency, o.open_count, o.amount_minor,
      case when o.due_from < this_hour then as_of else o.due_from + interval '1 hour'
        end as due_before
    from private.open_by_deadline o
      where o.tenant_id = tenant and o.due_from < this_hour + make_interval(hours => hours)
  ), late as (
    -- Deadlines of the current hour that have passed.
    select coalesce(e.assigned_to, '') as assigned_to, coalesce(e.currency, '') as currency,
      count(*) as open_count,
      coalesce(sum(e.amount_minor), 0) as amount_minor
    from public.exceptions e
    where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at >= this_hour
      and e.due_at <= as_of
    group by 1, 2
  )
  select x.assigned_to, x.currency, x.due_before, sum(x.open_count)::bigint, sum(x.amount_minor)
  from (
    select c.assigned_to, c.currency, c.due_before, c.open_count, c.amount_minor from counted c
    union all select l.assigned_to, l.currency, as_of, l.open_count, l.amount_minor from late l
    union all select l.assigned_to, l.currency, this_hour + interval '1 hour', -l.open_count,
    -l.amount_minor
      from late l
  ) x
  group by 1, 2, 3
  having sum(x.open_count) <> 0;
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
        jsonb_build_object('currency', t.currency, 'open_count', t.open_count,
          'open_minor', private.exact_sum(t.minor), 'breached_count', d.breached_count,
          'breached_minor', private.exact_sum(d.breached_minor), 'due_count', d.due_count,
          'due_minor', private.exact_sum(d.due_minor))
        order by t.open_count desc, t.currency),
      '[]')
    from (
      select o.currency, sum(o.open_count) as open_count, sum(o.amount_minor) as minor
      from private.open_by_assignee o
      where o.tenant_id = tenant and o.currency <> ''
      group by 1 having sum(o.open_count) > 0
    ) t cross join lateral (
      select coalesce(sum(s.open_count) filter (where s.due_before <= as_of), 0) as breached_count,
        coalesce(sum(s.amount_minor) filter (where s.due_before <= as_of), 0) as breached_minor,
        coalesce(sum(s.open_count) filter (where s.due_before > as_of), 0) as due_count,
        coalesce(sum(s.amount_minor) filter (where s.due_before > as_of), 0) as due_minor
      from sums s where s.currency = t.currency
    ) d
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
    select coalesce(sum(h.closed_count), 0)
    from private.exception_hours h
    where h.tenant_id = tenant and h.hour >= rate_since
  );
begin
  return jsonb_build_object(
    'rate_since', private.iso(rate_since), 'closed_count', closed,
    'closed_per_hour', round(closed / (extract(epoch from as_of - rate_since) / 3600)::numeric, 2),
    'hours', (
      select jsonb_agg(
        jsonb_build_object('due_before', private.iso(t.due_before),
          'due_count', coalesce(d.due_count, 0))
        order by t.due_before)
      from generate_series(this_hour + interval '1 hour',
        this_hour + make_interval(hours => hours), interval '1 hour') as t (due_before)
      left join (
        select s.due_before, sum(s.open_count) as due_count
        from private.due_sums(as_of, hours) s
        group by 1
      ) d on d.due_before = t.due_before
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
      jsonb_build_object('day', to_char(t.day at time zone 'UTC', 'YYYY-MM-DD'),
        'breached_count', coalesce(d.breached, 0), 'closed_count', coalesce(d.closed, 0))
      order by t.day)
    from generate_series(first_day, as_of, interval '1 day') as t (day)
    left join (
      select date_trunc('day', h.hour, 'UTC') as day, sum(h.breached_count) as breached,
        sum(h.closed_count) as closed
      from private.exception_hours h
      where h.tenant_id = tenant and h.hour >= first_day
      group by 1
    ) d on d.day = t.day
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
      select o.assigned_to, sum(o.open_count) as open_count
      from private.open_by_assignee o
      where o.tenant_id = tenant and o.assigned_to in ('', self)
      group by 1
    )
    select jsonb_build_object(
      'summary', private.sla_summary(as_of),
      'mine', (
        select jsonb_build_object(
          'breached_count',
          coalesce(sum(s.open_count) filter (where s.due_before <= as_of), 0),
          'due_count', coalesce(sum(s.open_count) filter (where s.due_before > as_of), 0),
          'open_count',
          (select coalesce(sum(t.open_count), 0) from totals t where t.assigned_to = self))
        from private.due_sums(as_of, hours) s where s.assigned_to = self
      ),
      'unassigned_count',
      (select coalesce(sum(t.open_count), 0) from totals t where t.assigned_to = ''),
      'money', private.overview_money(tenant, as_of, hours),
      'outlook', private.overview_outlook(tenant, as_of, hours),
      'days', private.overview_days(tenant, as_of)
    )
  );
end $$;

-- Reconciliations with the most open exceptions.
create function private.overview_reconciliations(most integer) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return (
    with sums as materialized (
      select o.reconciliation_id, o.currency, sum(o.open_count) as open_count,
        sum(o.amount_minor) as minor
      from private.open_by_reconciliation o where o.tenant_id = tenant and o.reconciliation_id <> ''
        group by 1, 2 having sum(o.open_count) > 0
    ), foremost as (
      select s.reconciliation_id, sum(s.open_count) as open_count
      from sums s
      group by 1
      order by 2 desc, 1
      limit most
    )
    select coalesce(
      jsonb_agg(
        jsonb_build_object('id', r.id, 'name', r.name, 'open_count', f.open_count, 'money', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object('currency', s.currency, 'open_count', s.open_count, 'open_minor',
            private.exact_sum(s.minor))
        order by s.open_count desc, s.currency), '[]')
      from sums s where s.reconciliation_id = f.reconciliation_id and s.currency <> ''
    )) order by f.open_count desc, r.id), '[]')
    from foremost f
      join public.reconciliations r on r.tenant_id = tenant and r.id = f.reconciliation_id
  );
end $$;

-- The calls of the last days by the busiest keys, and the keys that expire.
create function private.overview_keys(as_of timestamptz, most integer) returns jsonb
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
          jsonb_build_object('id', k.id, 'name', k.name, 'call_count', u.calls, 'refused_count',
            u.refused)
        order by u.calls desc, k.id), '[]')
      from (
        select d.api_key_id, sum(d.calls) as calls,
          coalesce(sum(d.calls) filter (where d.outcome not like 'accepted%'), 0) as refused
        from public.api_key_usage_daily d where d.tenant_id = tenant and d.day >= since group by 1
          order by 2 desc, 1 limit most
      ) u join public.api_keys k on k.tenant_id = tenant and k.id = u.api_key_id
    ),
    'expiring', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object('id', k.id, 'name', k.name, 'expires_at', private.iso(k.expires_at))
          order by k.expires_at, k.id),
        '[]')
      from (
        select x.id, x.name, x.expires_at from public.api_keys x
        where x.tenant_id = tenant and x.revoked_at is null and x.rotated_to is null
          and x.expires_at > as_of and x.expires_at <= as_of + interval '14 days'
        order by x.expires_at, x.id limit most
      ) k
    )
  );
end $$;

-- Webhooks by health, failing ones first.
create function private.overview_webhooks(as_of timestamptz, most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return (
    with hooks as materialized (
      select w.id, w.url, w.status, w.failing_since, t.attempts, t.failures
      from public.webhooks w
      cross join lateral (
        select coalesce(sum(a.attempts), 0) as attempts,
          coalesce(sum(a.attempts) filter (where not a.succeeded), 0) as failures
        from public.webhook_answer_times a
          where a.tenant_id = w.tenant_id and a.webhook_id = w.id
            and a.hour > as_of - interval '24 hours'
      ) t
      where w.tenant_id = tenant and w.deleted_at is null
    )
    select jsonb_build_object(
      'active_count', (select count(*) from hooks h where h.status = 'active'),
      'disabled_count', (select count(*) from hooks h where h.status = 'disabled'),
      'items', coalesce((
        select jsonb_agg(
          jsonb_build_object('id', x.id, 'url', x.url, 'status', x.status, 'failing_since',
            private.iso(x.failing_since),
          'attempt_count', x.attempts, 'failure_count', x.failures)
            order by x.place, x.failures desc, x.id desc)
        from (
          select h.*,
            case when h.failing_since is not null and h.status = 'active' then 0
              when h.status = 'disabled' then 1 else 2 end as place
          from hooks h order by place, h.failures desc, h.id desc limit most
        ) x
      ), '[]')
    )
  );
end $$;

create function private.overview_imports(tenant text, shown integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'source_id', s.id,
      'source_name', s.name, 'file_name', i.file_name, 'status', i.status,
      'accepted_count', i.accepted_count, 'refused_count', i.refused_count,
      'created_at', private.iso(i.created_at)) order by i.id desc), '[]')
    from (
      select * from public.imports x
      where x.tenant_id = tenant and x.status <> 'receiving'
      order by x.id desc limit shown
    ) i
    join public.sources s on s.tenant_id = i.tenant_id and s.source_no = i.source_no
  );
end $$;

create function private.overview_runs(tenant text, shown integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', x.id,
      'reconciliation_id', x.reconciliation_id, 'reconciliation_name', r.name,
      'status', x.status, 'suggested_count', x.suggested_count, 'open_count', x.open_count,
      'exceptions_opened', x.exceptions_opened,
      'created_at', private.iso(x.created_at)) order by x.id desc), '[]')
    from (
      select * from public.runs y
      where y.tenant_id = tenant and y.dry_run is null
      order by y.id desc limit shown
    ) x
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
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
      select coalesce(jsonb_agg(private.exception_json(x, as_of) order by x.due_at, x.id), '[]')
      from (
        select * from public.exceptions e
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at > as_of
          and e.due_at < 'infinity'
        order by e.due_at, e.id limit shown
      ) x
    ),
    'my_next', (
      select coalesce(jsonb_agg(private.exception_json(x, as_of) order by x.due_at, x.id), '[]')
      from (
        select * from public.exceptions e
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.assigned_to = self
        order by e.due_at, e.id limit shown
      ) x
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
