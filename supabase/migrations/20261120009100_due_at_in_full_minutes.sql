-- A deadline by the policy: rounded to its milliseconds it could lie past the policy's minutes, and count as one minute more.

create or replace function private.insert_exceptions(rows jsonb) returns setof public.exceptions
language sql volatile set search_path = '' as $$
  insert into public.exceptions
    (title, severity, assigned_to, due_at, due_from_policy, status, reason_code, amount_minor, currency, reconciliation_id, details)
  select
    r.title, r.severity, r.assigned_to,
    coalesce(r.due_at, date_trunc('milliseconds', now()) + make_interval(mins => private.minutes_to_resolve(p, r.severity))),
    r.due_at is null, coalesce(r.status, 'open'), r.reason_code, r.amount_minor, r.currency, r.reconciliation_id,
    coalesce(nullif(r.details, 'null'), '{}')
  from jsonb_to_recordset(rows) as r (
    title text, severity text, assigned_to text, due_at timestamptz, status text, reason_code text, amount_minor bigint, currency text,
    reconciliation_id text, details jsonb
  )
  join public.sla_policies p on p.tenant_id = private.tenant_id()
  returning *;
$$;

-- So that a deadline is the policy's minutes after it, to the millisecond.
alter table public.exceptions
  alter column created_at set default date_trunc('milliseconds', now()),
  alter column updated_at set default date_trunc('milliseconds', now());

-- And that an exception and the event that tells of it have one time.
alter table public.events alter column at set default date_trunc('milliseconds', now());
