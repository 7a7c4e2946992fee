-- Exceptions: items that somebody has to resolve before a deadline, their history, and the rule of their states.

create table public.sla_policies (
  tenant_id text primary key references public.tenants (id),
  critical_minutes integer not null default 240 check (critical_minutes between 1 and 525600),
  high_minutes integer not null default 480 check (high_minutes between 1 and 525600),
  medium_minutes integer not null default 1440 check (medium_minutes between 1 and 525600),
  low_minutes integer not null default 4320 check (low_minutes between 1 and 525600)
);
alter table public.sla_policies enable row level security;
grant select on public.sla_policies to authenticated, service_role;
create policy sla_policies_read on public.sla_policies for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create or replace function private.create_tenant(id text, name text) returns void
language sql set search_path = '' as $$
  insert into public.tenants (id, name) values ($1, $2);
  insert into public.sla_policies (tenant_id) values ($1);
$$;

create table public.exceptions (
  id text primary key default private.new_id('exc'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  title text not null check (length(title) between 1 and 200),
  severity text not null check (severity in ('critical', 'high', 'medium', 'low')),
  assigned_to text check (assigned_to ~ '^user:[^[:space:]]{1,120}$'),
  due_at timestamptz(3) not null,
  status text not null default 'open' check (status in ('open', 'in_review', 'resolved', 'dismissed')),
  reason_code text check (length(reason_code) between 1 and 64),
  amount_minor bigint check (amount_minor >= 0),
  currency text check (currency ~ '^[A-Z]{3}$'),
  reconciliation_id text,
  details jsonb not null default '{}' check (jsonb_typeof(details) = 'object' and octet_length(details::text) <= 24576),
  resolution text check (length(resolution) between 1 and 1000),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  closed_at timestamptz(3),
  check ((amount_minor is null) = (currency is null)),
  check ((status in ('resolved', 'dismissed')) = (resolution is not null)),
  check ((status in ('resolved', 'dismissed')) = (closed_at is not null)),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id),
  unique (tenant_id, id)
);
create index exceptions_by_deadline on public.exceptions (tenant_id, due_at, id) where status in ('open', 'in_review');
create index exceptions_by_reconciliation on public.exceptions (tenant_id, reconciliation_id) where reconciliation_id is not null;

alter table public.exceptions enable row level security;
grant select,
  insert (title, severity, assigned_to, due_at, status, reason_code, amount_minor, currency, reconciliation_id, details),
  update (title, severity, assigned_to, due_at, status, reason_code, amount_minor, currency, reconciliation_id, details, resolution)
on public.exceptions to authenticated;
grant select on public.exceptions to service_role;
create policy exceptions_read on public.exceptions for select to authenticated
  using (tenant_id = (select private.tenant_id()));
create policy exceptions_insert on public.exceptions for insert to authenticated
  with check (tenant_id = (select private.tenant_id())
    and (select private.allows('{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}')));
create policy exceptions_update on public.exceptions for update to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.allows('{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}')))
  with check (tenant_id = (select private.tenant_id()));

-- States: open and in_review lead to each other and to resolved or dismissed, which need a resolution and lead back to open.
create function private.guard_exception() returns trigger
language plpgsql set search_path = '' as $$
declare
  closing boolean := new.status in ('resolved', 'dismissed');
begin
  if tg_op = 'UPDATE' then
    if new.status <> old.status
      and (old.status, new.status) not in (
        ('open', 'in_review'), ('in_review', 'open'),
        ('open', 'resolved'), ('open', 'dismissed'), ('in_review', 'resolved'), ('in_review', 'dismissed'),
        ('resolved', 'open'), ('dismissed', 'open')
      )
    then
      perform private.refuse('invalid_transition', format('An exception cannot move from %s to %s.', old.status, new.status));
    end if;
    if old.status in ('resolved', 'dismissed') and not closing then
      new.resolution := null;
    end if;
    new.updated_at := now();
  end if;
  if closing and new.resolution is null then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "resolution", "message": "Say how it was settled: resolved and dismissed need a resolution."}]');
  end if;
  if not closing and new.resolution is not null then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "resolution", "message": "A resolution comes with status resolved or dismissed."}]');
  end if;
  if (new.amount_minor is null) <> (new.currency is null) then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "currency", "message": "amount_minor and currency come together."}]');
  end if;
  -- 16 kB as sent is at most 24 kB with the spaces that Postgres writes.
  if octet_length(new.details::text) > 24576 then
    perform private.refuse('invalid_request', 'The request is not valid.', '[{"path": "details", "message": "At most 16 kB of JSON."}]');
  end if;
  new.closed_at := case when closing then coalesce(new.closed_at, now()) end;
  return new;
end $$;
create trigger guard before insert or update on public.exceptions
  for each row execute function private.guard_exception();

-- History: each change with its actor, written by the database whichever way the change came.
create table public.exception_history (
  id bigint generated always as identity primary key,
  tenant_id text not null,
  exception_id text not null,
  at timestamptz(3) not null default now(),
  actor text not null default private.actor(),
  request_id text default nullif(current_setting('tieout.request_id', true), ''),
  kind text not null check (kind in ('created', 'updated')),
  changes jsonb not null,
  foreign key (tenant_id, exception_id) references public.exceptions (tenant_id, id)
);
create index exception_history_by_exception on public.exception_history (tenant_id, exception_id, id desc);
alter table public.exception_history enable row level security;
grant select on public.exception_history to authenticated, service_role;
create policy exception_history_read on public.exception_history for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create function private.record_exception_history() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  bookkeeping constant text[] := '{id,tenant_id,created_at,created_by,updated_at,closed_at}';
  before jsonb := case when tg_op = 'UPDATE' then to_jsonb(old) - bookkeeping else '{}' end;
  after jsonb := to_jsonb(new) - bookkeeping;
  changes jsonb;
begin
  after := after || jsonb_build_object('due_at', private.iso(new.due_at));
  if tg_op = 'UPDATE' then
    before := before || jsonb_build_object('due_at', private.iso(old.due_at));
  end if;
  select jsonb_object_agg(key, jsonb_build_object('from', before -> key, 'to', value)) into changes
  from jsonb_each(after)
  where value is distinct from coalesce(before -> key, 'null');
  if changes is not null then
    insert into public.exception_history (tenant_id, exception_id, kind, changes)
    values (new.tenant_id, new.id, case tg_op when 'INSERT' then 'created' else 'updated' end, changes);
  end if;
  return null;
end $$;
create trigger history after insert or update on public.exceptions
  for each row execute function private.record_exception_history();

-- Minutes until the deadline, rounded up: zero or negative once it has passed (spec 2.2).
create function private.minutes_to_breach(due_at timestamptz, as_of timestamptz) returns bigint
language sql immutable set search_path = ''
return ceil(extract(epoch from due_at - as_of) / 60)::bigint;

-- Spec 3.2.
create function private.breach_risk(minutes_to_breach bigint) returns text
language sql immutable set search_path = ''
return case
  when minutes_to_breach <= 0 then 'breached'
  when minutes_to_breach < 60 then 'high'
  when minutes_to_breach <= 240 then 'medium'
  else 'low'
end;

-- The wire form. A closed exception has no clock: minutes_to_breach and breach_risk are null.
create function private.exception_json(e public.exceptions, as_of timestamptz default now()) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  minutes bigint := case when e.status in ('open', 'in_review') then private.minutes_to_breach(e.due_at, as_of) end;
begin
  return jsonb_build_object(
    'id', e.id, 'title', e.title, 'severity', e.severity, 'assigned_to', e.assigned_to, 'due_at', private.iso(e.due_at),
    'minutes_to_breach', minutes, 'breach_risk', case when minutes is not null then private.breach_risk(minutes) end,
    'status', e.status, 'reason_code', e.reason_code, 'amount_minor', e.amount_minor, 'currency', e.currency,
    'reconciliation_id', e.reconciliation_id, 'details', e.details, 'resolution', e.resolution,
    'created_at', private.iso(e.created_at), 'created_by', e.created_by, 'updated_at', private.iso(e.updated_at),
    'closed_at', private.iso(e.closed_at)
  );
end $$;

create function private.require_reconciliation(id text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if id is not null and not exists (select from public.reconciliations r where r.id = $1 and r.tenant_id = private.tenant_id()) then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "reconciliation_id", "message": "There is no such reconciliation."}]');
  end if;
end $$;

grant execute on function
  private.minutes_to_breach(timestamptz, timestamptz), private.breach_risk(bigint),
  private.exception_json(public.exceptions, timestamptz), private.require_reconciliation(text)
to authenticated;

create function public.create_exception(input jsonb, request jsonb) returns jsonb
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
  insert into public.exceptions
    (title, severity, assigned_to, due_at, status, reason_code, amount_minor, currency, reconciliation_id, details)
  values (
    input ->> 'title', input ->> 'severity', input ->> 'assigned_to',
    coalesce((input ->> 'due_at')::timestamptz, (
      select now() + make_interval(mins => case input ->> 'severity'
        when 'critical' then critical_minutes when 'high' then high_minutes
        when 'medium' then medium_minutes else low_minutes end)
      from public.sla_policies where tenant_id = private.tenant_id()
    )),
    coalesce(input ->> 'status', 'open'), input ->> 'reason_code', (input ->> 'amount_minor')::bigint, input ->> 'currency',
    input ->> 'reconciliation_id', coalesce(nullif(input -> 'details', 'null'), '{}')
  )
  returning * into created;
  return private.remember(request, private.exception_json(created));
end $$;

create function public.get_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  found_one public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:exceptions}');
  select * into found_one from public.exceptions where id = input ->> 'id' and tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such exception.');
  end if;
  return private.exception_json(found_one);
end $$;

-- input: { id, patch }, a merge patch of the columns that may change.
create function public.update_exception(input jsonb, request jsonb) returns jsonb
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
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  after := jsonb_populate_record(before, patch
    || case when patch ? 'details' then jsonb_build_object('details', private.merge_patch(before.details, coalesce(nullif(patch -> 'details', 'null'), '{}'))) else '{}' end);
  if after is distinct from before then
    update public.exceptions e set
      title = after.title, severity = after.severity, assigned_to = after.assigned_to, due_at = after.due_at, status = after.status,
      reason_code = after.reason_code, amount_minor = after.amount_minor, currency = after.currency,
      reconciliation_id = after.reconciliation_id, details = after.details, resolution = after.resolution
    where e.id = before.id and e.tenant_id = before.tenant_id
    returning * into after;
  end if;
  return jsonb_build_object('replayed', false, 'body', private.exception_json(after));
end $$;

-- Newest first. input: { limit, after: [id] | null, status, severity, assigned_to, reconciliation_id }.
create function public.list_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size integer := (input ->> 'limit')::integer;
  page jsonb;
  ids text[];
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:exceptions}');
  select jsonb_agg(private.exception_json(e) order by e.id desc), array_agg(e.id order by e.id desc)
  into page, ids
  from (
    select * from public.exceptions x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'severity' is null or x.severity = input ->> 'severity')
      and (input ->> 'assigned_to' is null or x.assigned_to = input ->> 'assigned_to')
      and (input ->> 'reconciliation_id' is null or x.reconciliation_id = input ->> 'reconciliation_id')
    order by x.id desc
    limit page_size + 1
  ) e;
  return private.page(page, page_size, case when cardinality(ids) > page_size then jsonb_build_array(ids[page_size]) end);
end $$;

grant execute on function
  public.create_exception(jsonb, jsonb), public.get_exception(jsonb, jsonb), public.update_exception(jsonb, jsonb),
  public.list_exceptions(jsonb, jsonb)
to authenticated;
