-- Time to breach: how many of a tenant's open exceptions are how far from their deadline, all of them and as of one moment.

-- Exact, and agreeing with the summary: what is due within a day of now is counted by the index, the rest is what the
-- summary says is left of each risk. It costs as much as there is due within that day.
create function private.time_to_breach(as_of timestamptz) returns jsonb
language sql stable security definer set search_path = '' as $$
  with summary as materialized (
    select private.sla_summary(as_of) as counts
  ), near as materialized (
    select
      (select count(*) from public.exceptions e where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
        and e.due_at > as_of - interval '1441 minutes' and e.due_at <= as_of) as late_a_day,
      (select count(*) from public.exceptions e where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
        and e.due_at > as_of and e.due_at <= as_of + interval '59 minutes') as in_an_hour,
      (select count(*) from public.exceptions e where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
        and e.due_at > as_of + interval '240 minutes' and e.due_at <= as_of + interval '1440 minutes') as in_a_day
  )
  select jsonb_build_object(
    'buckets', (
      select jsonb_agg(jsonb_build_object('from_minutes', b.lowest, 'to_minutes', b.highest, 'breach_risk', b.risk, 'open_count', b.open_count) order by b.place)
      from (values
        (1, null, -1441, 'breached', (s.counts -> 'breached_count')::bigint - n.late_a_day),
        (2, -1440, 0, 'breached', n.late_a_day),
        (3, 1, 59, 'high', n.in_an_hour),
        (4, 60, 240, 'medium', (s.counts -> 'at_risk_count')::bigint - n.in_an_hour),
        (5, 241, 1440, 'low', n.in_a_day),
        (6, 1441, null, 'low', (s.counts -> 'on_track_count')::bigint - n.in_a_day)
      ) as b (place, lowest, highest, risk, open_count)
    ),
    'summary', s.counts,
    'as_of', private.iso(as_of)
  )
  from summary s, near n;
$$;

create function public.get_time_to_breach(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  return private.time_to_breach(now()::timestamptz(3));
end $$;

grant execute on function private.time_to_breach(timestamptz), public.get_time_to_breach(jsonb, jsonb) to authenticated;
