-- Polls of open exceptions that find nothing new, answered without reading the list.

-- How long after its start a transaction can commit. A change is as old as its transaction's start.
create function private.commit_delay() returns interval language sql immutable set search_path = ''
return interval '15 seconds';

create function private.last_exception_change() returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select exception.updated_at from public.exceptions exception
    where exception.tenant_id = private.tenant_id()
    order by exception.updated_at desc limit 1
  ), 'epoch');
end $$;

-- What a client keeps of a read of open exceptions: the last change, and until when no risk and no
-- count changes by itself, at most a minute. While an earlier change may still be committed, until
-- is now.
create function private.sla_state(as_of timestamptz) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  changed_at constant timestamptz := private.last_exception_change();
  next_crossing timestamptz;
begin
  if changed_at <= as_of - private.commit_delay() then
    select min(crossing.at) into next_crossing
    from unnest(array[0, private.high_risk_below() - 1, private.medium_risk_up_to()])
      threshold (minutes)
    cross join lateral (
      select exception.due_at - make_interval(mins => threshold.minutes) as at
      from public.exceptions exception
      where exception.tenant_id = private.tenant_id()
        and exception.status in ('open', 'in_review')
        and exception.due_at > as_of + make_interval(mins => threshold.minutes)
      order by exception.due_at limit 1
    ) crossing;
  else
    next_crossing := as_of;
  end if;
  return jsonb_build_object('changed_at', private.iso(changed_at), 'as_of', private.iso(as_of),
    'until', private.iso(least(next_crossing, as_of + interval '1 minute')));
end $$;

-- Whether a read now would show what a client has. known: null, or what sla_state returned. A read
-- of changes begins at `since`, which must not be earlier than what the client has.
create function private.is_sla_known(known jsonb, as_of timestamptz, since timestamptz = 'infinity')
returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return coalesce(as_of < (known ->> 'until')::timestamptz
    and since >= (known ->> 'as_of')::timestamptz
    and private.last_exception_change() = (known ->> 'changed_at')::timestamptz, false);
end $$;

grant execute on function
  private.commit_delay(), private.last_exception_change(), private.sla_state(timestamptz),
  private.is_sla_known(jsonb, timestamptz, timestamptz)
to authenticated;
