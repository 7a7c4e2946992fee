-- Reading events: in one order per tenant, from a place that the reader saves. No event ever
-- appears behind a place that was returned before.
--
-- Each event takes its position from a sequence, so a transaction that commits late would put
-- events behind what was read already. Before its first event, a transaction therefore takes a
-- position as its mark and holds a shared advisory lock with it until it ends. A reader stops
-- before the lowest mark that is held: everything below belongs to transactions that have ended. A
-- mark holds up readers of its tenant alone; an order by transaction ID would hold up everybody.

create sequence private.event_positions;

-- Tenants share 1024 locks, so that a transaction with events of every tenant fills no lock table.
-- Two tenants of one lock wait for each other's open transactions, and read the same.
create function private.event_lock(tenant text) returns integer
language sql immutable set search_path = ''
return (hashtextextended('tieout.events ' || tenant, 0) & 1023)::integer;

create function private.event_subject(data jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce(
    data -> 'exception' ->> 'id', data -> 'run' ->> 'id', data -> 'match' ->> 'id',
    data -> 'reconciliation' ->> 'id', data -> 'import' ->> 'id',
    data -> 'reconciliation_ids' ->> 0, data ->> 'id'
  );
end $$;

-- The lock's second key is the mark's last 31 bits. Rolling back to a savepoint forgets a mark that
-- was taken after it, and releases its lock.
create function private.place_event() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  mark bigint := nullif(current_setting('app.event_mark', true), '');
begin
  if mark is null then
    mark := nextval('private.event_positions');
    perform set_config('app.event_mark', mark::text, true);
  end if;
  perform pg_advisory_xact_lock_shared(private.event_lock(new.tenant_id),
    (mark & 2147483647)::integer);
  new.position := nextval('private.event_positions');
  new.subject := private.event_subject(new.data);
  return new;
end $$;
-- After the trigger `once`, which leaves out events.
create trigger place before insert on public.events
  for each row execute function private.place_event();

-- The position up to which no event of the caller's tenant can appear any more. `issued` is read
-- before the locks, and the events after: a transaction whose lock is not seen has ended and can be
-- read, or takes its positions after `issued`.
create function private.settled_event_position() returns bigint
language plpgsql volatile security definer set search_path = '' as $$
declare
  issued constant bigint := (select event_position.last_value
    from private.event_positions event_position);
  half_range constant bigint := 1073741824;
  lowest_mark bigint;
begin
  -- From the last 31 bits, the number that is nearest to `issued`.
  select min(issued
    + ((lock.objid::bigint - (issued & 2147483647) + 3 * half_range) % (2 * half_range))
      - half_range)
  into lowest_mark
  from pg_catalog.pg_locks lock
  where lock.locktype = 'advisory' and lock.objsubid = 2
    and lock.database = (select database.oid from pg_catalog.pg_database database
      where database.datname = current_database())
    and lock.classid::bigint = private.event_lock(private.tenant_id());
  return least(issued, lowest_mark);
end $$;

-- A position before all events since that moment, or null if there are none. IDs begin with the
-- time at which the event was written, which is after the start of its transaction; a second covers
-- two that were written at once and took their positions the other way round.
create function private.event_position_before(since timestamptz) returns bigint
language plpgsql stable set search_path = '' as $$
declare
  first_id constant text := 'evt_' || lpad(to_hex(
    (extract(epoch from since - interval '1 second') * 1000)::bigint), 12, '0');
begin
  return (
    select min(event.position) - 1
    from (
      select event.position from public.events event
      where event.tenant_id = private.tenant_id() and event.id >= first_id
        and event.position is not null
      order by event.id limit 100
    ) event
  );
end $$;

create function private.event_json(event public.events) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', event.id, 'type', event.type, 'timestamp', private.iso(event.at),
    'data', event.data, 'subject', event.subject)
    || case when event.test_of is null then '{}'::jsonb else '{"test": true}' end;
end $$;

-- Refuses: scope_required for an API key that may read no kind of event.
create function private.require_any_event() returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.principal_type() = 'api_key' and cardinality(private.readable_events()) = 0 then
    perform private.refuse('scope_required',
      'To read events, an API key needs the scope of what they carry, such as read:exceptions.');
  end if;
end $$;

-- The position of the thousandth event after `start`, or null. Of all the tenant's, also those that
-- the caller may not read: they are looked at, too.
create function private.event_window_end(start bigint, settled bigint) returns bigint
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select event.position from public.events event
    where event.tenant_id = private.tenant_id() and event.position > $1 and event.position <= $2
    order by event.position offset 999 limit 1
  );
end $$;

create function private.require_fresh_cursor(seen_at timestamptz, oldest timestamptz) returns void
language plpgsql stable set search_path = '' as $$
begin
  if seen_at < oldest then
    perform private.refuse_field('cursor',
      'This cursor is older than 30 days, and events after it may be gone. Start again with since.');
  end if;
end $$;

-- Oldest first, after a position that was returned at `seen_at`, or since a moment. input: { limit,
-- after, seen_at, since, types, subject, test }. Looks at a thousand events at most, so that a
-- filter that few match stays cheap: the page may be empty, and `position` says where to go on.
-- Refuses: scope_required and role_required for types that the caller may not read.
create function public.list_events(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  oldest constant timestamptz := now() - interval '30 days';
  earliest constant timestamptz := greatest((input ->> 'since')::timestamptz, oldest);
  wanted_subject constant text := input ->> 'subject';
  wanted_types text[] := private.text_array(input -> 'types');
  settled bigint;
  start bigint;
  last_position bigint;
  found record;
begin
  perform private.begin_request(request, 'list_events');
  perform private.require_any_event();
  perform private.require_readable_events(wanted_types);
  perform private.require_fresh_cursor((input ->> 'seen_at')::timestamptz, oldest);
  if cardinality(wanted_types) = 0 then
    wanted_types := private.readable_events();
  end if;
  settled := private.settled_event_position();
  start := least(settled, coalesce((input ->> 'after')::bigint,
    private.event_position_before(earliest), settled));
  if wanted_subject is null then
    last_position := private.event_window_end(start, settled);
  end if;
  last_position := coalesce(last_position, settled);
  select jsonb_agg(private.event_json(placed.event) order by placed.place)
      filter (where placed.place <= page_size) as items,
    max((placed.event).position) filter (where placed.place = page_size and placed.is_cut)
      as last_position
  into found
  from (
    select matching.event, row_number() over (order by (matching.event).position) as place,
      count(*) over () > page_size as is_cut
    from (
      select event from public.events event
      where event.tenant_id = tenant and event.position > start and event.position <= last_position
        and event.at >= earliest and event.type = any (wanted_types)
        and (wanted_subject is null or event.subject = wanted_subject)
        and (event.test_of is null or (input ->> 'test')::boolean)
      order by event.position limit page_size + 1
    ) matching
  ) placed;
  last_position := coalesce(found.last_position, last_position);
  return jsonb_build_object('items', coalesce(found.items, '[]'), 'position', last_position::text,
    'has_more', last_position < settled, 'as_of', private.iso(now()));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_event(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  event public.events;
begin
  perform private.begin_request(request, 'get_event');
  select * into event
  from public.events
  where events.tenant_id = private.tenant_id() and events.id = input ->> 'id'
    and events.at > now() - interval '30 days' and events.type = any (private.readable_events());
  if not found then
    perform private.refuse_missing('event');
  end if;
  return private.event_json(event);
end $$;

-- input: { type, data }: an event with example data, for readers that ask for tests. Refuses:
-- scope_required and role_required for an event that the caller may not read.
create function public.create_test_event(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_test_event');
  test_event_id text;
  event public.events;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(array[input ->> 'type']);
  test_event_id := private.emit_test('reading', input ->> 'type', input -> 'data');
  select * into event from public.events where events.tenant_id = private.tenant_id()
    and events.id = test_event_id;
  return private.finish_request(request, private.event_json(event));
end $$;

grant execute on function
  private.require_fresh_cursor(timestamptz, timestamptz),
  private.settled_event_position(), private.event_window_end(bigint, bigint),
  private.event_position_before(timestamptz),
  private.event_json(public.events), private.require_any_event(),
  private.require_readable_events(text[])
to authenticated;
