-- Pauses over the wire, one at a time.

-- An exception of the caller's tenant, locked, after ending an elapsed pause. Refuses: not_found.
create function private.lock_exception(id text) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  exception public.exceptions;
begin
  select * into exception from private.lock_exceptions(array[lock_exception.id]);
  if not found then
    perform private.refuse_missing('exception');
  elsif exception.paused_until <= now() then
    select * into exception
    from private.change_exceptions_for_caller('resume',
      array[jsonb_build_object('id', exception.id)]);
  end if;
  return exception;
end $$;

-- Refuses: invalid_request for an end that has passed or is later than the policy allows.
create function private.require_pause_end(until timestamptz,
  policy public.sla_policies) returns void
language plpgsql stable set search_path = '' as $$
begin
  if until <= now() then
    perform private.refuse_field('until', 'Must be in the future.');
  elsif until > now() + make_interval(mins => policy.pause_max_minutes) then
    perform private.refuse_field('until',
      format('The SLA policy allows pauses of at most %s minutes.', policy.pause_max_minutes));
  end if;
end $$;

-- input: { id, reason, until }. Refuses: not_found, invalid_request, conflict.
create function public.pause_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'pause_exception');
  exception public.exceptions;
  policy public.sla_policies;
  fault text;
begin
  if replayed is not null then
    return replayed;
  end if;
  exception := private.lock_exception(input ->> 'id');
  select * into policy from public.sla_policies where sla_policies.tenant_id = exception.tenant_id;
  perform private.require_pause_end((input ->> 'until')::timestamptz, policy);
  fault := private.pause_fault(exception, policy);
  if fault is not null then
    perform private.refuse_conflict('cannot_pause', fault);
  end if;
  select * into exception from private.change_exceptions_for_caller('pause', array[
    jsonb_build_object('id', exception.id, 'paused_until', input -> 'until',
      'pause_reason', input -> 'reason')]);
  return private.finish_request(request, private.versioned_exception_json(exception));
end $$;

-- input: { id }. Refuses: not_found, conflict.
create function public.resume_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'resume_exception');
  exception public.exceptions;
begin
  if replayed is not null then
    return replayed;
  end if;
  exception := private.lock_exception(input ->> 'id');
  if exception.paused_at is null then
    perform private.refuse_conflict('not_paused', 'It is not paused.');
  end if;
  select * into exception
  from private.change_exceptions_for_caller('resume',
    array[jsonb_build_object('id', exception.id)]);
  return private.finish_request(request, private.versioned_exception_json(exception));
end $$;
