-- The moves of an exception's status are written once: the guard asks private.may_move, as the bulk change does.

create or replace function private.guard_exception() returns trigger
language plpgsql set search_path = '' as $$
declare
  closing boolean := new.status in ('resolved', 'dismissed');
begin
  if tg_op = 'UPDATE' then
    if not private.may_move(old.status, new.status) then
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
