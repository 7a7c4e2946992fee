-- Exceptions over the wire, one at a time: create, get, change, list.

-- The exception of the caller's tenant. Refuses: not_found.
create function private.find_exception(id text) returns public.exceptions
language plpgsql stable set search_path = '' as $$
declare
  e public.exceptions;
begin
  select * into e from public.exceptions x where x.tenant_id = private.tenant_id() and x.id = $1;
  if not found then
    perform private.refuse_missing('exception');
  end if;
  return e;
end $$;

-- Of what somebody sets: no clock, no counter, nothing that others' work adds.
create function private.exception_version(e public.exceptions) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    e.title, e.severity, e.assigned_to, private.iso(coalesce(e.held_due_at, e.due_at)), e.status, e.reason_code, e.amount_minor, e.currency, e.reconciliation_id,
    e.details, e.resolution, private.iso(e.closed_at), private.iso(e.paused_at), private.iso(e.paused_until), e.pause_reason
  ));
end $$;

-- Refuses: invalid_request where the tenant has no such reconciliation.
create function private.require_reconciliation(id text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if id is not null and not exists (select from public.reconciliations r where r.tenant_id = private.tenant_id() and r.id = $1) then
    perform private.refuse_field('reconciliation_id', 'There is no such reconciliation.');
  end if;
end $$;

-- rows: [{ title, severity, … }], the columns a caller may set. Without due_at the policy's deadline for the severity, rounded to the
-- millisecond before it: after it, the deadline could count as one minute more. Where the policy names a calendar, `pace` makes it that calendar's.
create function private.insert_exceptions(rows jsonb) returns setof public.exceptions
language plpgsql volatile set search_path = '' as $$
begin
  return query
  insert into public.exceptions
    (title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no, status, reason_code, amount_minor, currency, reconciliation_id,
      details)
  select
    r.title, r.severity, r.assigned_to,
    coalesce(r.due_at, date_trunc('milliseconds', now()) + make_interval(mins => private.minutes_to_resolve(p, r.severity))),
    r.due_at is null, c.id, case when c.id is not null then private.current_calendar_no(p.tenant_id, c.id) end, coalesce(r.status, 'open'), r.reason_code, r.amount_minor, r.currency, r.reconciliation_id,
    coalesce(nullif(r.details, 'null'), '{}')
  from jsonb_to_recordset(rows) as r (
    title text, severity text, assigned_to text, due_at timestamptz, status text, reason_code text, amount_minor bigint, currency text,
    reconciliation_id text, details jsonb
  )
  join public.sla_policies p on p.tenant_id = private.tenant_id()
  cross join lateral (select private.policy_calendar(p, r.severity)) c (id)
  returning *;
end $$;

-- input: the columns. Refuses: invalid_request.
create function public.create_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_exception');
  created public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_reconciliation(input ->> 'reconciliation_id');
  select * into created from private.insert_exceptions(jsonb_build_array(input));
  return private.answer(request, private.exception_json(created) || jsonb_build_object('version', private.exception_version(created)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions;
begin
  perform private.enter(request, 'get_exception');
  e := private.find_exception(input ->> 'id');
  return private.exception_json(e) || jsonb_build_object('version', private.exception_version(e));
end $$;

-- The columns of `before` as a merge patch leaves them.
create function private.patch_exception(before public.exceptions, patch jsonb) returns public.exceptions
language plpgsql stable set search_path = '' as $$
declare
  after public.exceptions;
begin
  after := jsonb_populate_record(before, patch - 'details');
  if patch ? 'details' then
    after.details := private.merge_patch(before.details, coalesce(nullif(patch -> 'details', 'null'), '{}'));
  end if;
  after.due_from_policy := before.due_from_policy and not patch ? 'due_at';
  return after;
end $$;

-- input: { id, patch }, a merge patch of the columns that may change. Refuses: not_found, precondition_failed,
-- invalid_transition, invalid_request; conflict for the deadline of a paused one.
create function public.update_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_exception');
  patch constant jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  select * into before from public.exceptions e where e.tenant_id = private.tenant_id() and e.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('exception');
  end if;
  perform private.require_version(private.exception_version(before), request -> 'versions');
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  after := private.patch_exception(before, patch);
  if after is distinct from before then
    update public.exceptions e set
      title = after.title, severity = after.severity, assigned_to = after.assigned_to, due_at = after.due_at,
      due_from_policy = after.due_from_policy, status = after.status, reason_code = after.reason_code, amount_minor = after.amount_minor,
      currency = after.currency, reconciliation_id = after.reconciliation_id, details = after.details, resolution = after.resolution
    where e.tenant_id = before.tenant_id and e.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.exception_json(after) || jsonb_build_object('version', private.exception_version(after)));
end $$;

-- Newest first. input: { limit, after: [id] | null, status, severity, assigned_to, reconciliation_id, q }. A search reads the tenant's
-- exceptions in this order until its page is full; an index of words would cost every write what few searches gain.
create function public.list_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  words constant text[] := private.word_patterns(input ->> 'q');
  items jsonb;
begin
  perform private.enter(request, 'list_exceptions');
  select jsonb_agg(private.exception_json(e) order by e.id desc) into items
  from (
    select * from public.exceptions x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'severity' is null or x.severity = input ->> 'severity')
      and (input ->> 'assigned_to' is null or x.assigned_to = input ->> 'assigned_to')
      and (input ->> 'reconciliation_id' is null or x.reconciliation_id = input ->> 'reconciliation_id')
      and (words = '{}' or lower(concat_ws(' ', x.title, x.reason_code, x.id)) like all (words))
    order by x.id desc
    limit page_size + 1
  ) e;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function
  private.find_exception(text), private.exception_version(public.exceptions), private.require_reconciliation(text), private.insert_exceptions(jsonb),
  private.patch_exception(public.exceptions, jsonb)
to authenticated;
