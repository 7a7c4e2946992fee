alter table public.events add column position bigint, add column subject text; create index events_by_position on public.events (tenant_id, position); create index events_by_subject on public.events (tenant_id, subject, position); create sequence private.event_positions;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop policy events_read on public.events;
CREATE OR REPLACE FUNCTION private.require_readable_events(kinds text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  unreadable constant text := (select min(k) from unnest(kinds) k
    where k <> all (private.readable_events()));
  scope constant text := (
    select p.scope
    from private.event_kinds k
    join private.permissions p on p.permission = k.permission
    where k.kind = unreadable
  );
begin
  if unreadable is null then
    return;
  elsif private.principal_type() = 'api_key' and scope is not null then
    perform private.refuse('scope_required',
      format('To be sent %s, an API key needs the scope %s.', unreadable, scope));
  end if;
  perform private.refuse('role_required',
    format(
      'This credential may not read what %s carries. Leave it out, or ask a tenant admin to register for it.',
      unreadable));
end $function$;
CREATE OR REPLACE FUNCTION private.event_lock(tenant text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ((hashtextextended(('tieout.events '::text || tenant), (0)::bigint) & (1023)::bigint))::integer;
CREATE OR REPLACE FUNCTION private.event_subject(data jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(
    data -> 'exception' ->> 'id', data -> 'run' ->> 'id', data -> 'match' ->> 'id',
    data -> 'reconciliation' ->> 'id', data -> 'import' ->> 'id',
    data -> 'reconciliation_ids' ->> 0, data ->> 'id'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.place_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  mark bigint := nullif(current_setting('tieout.event_mark', true), '');
begin
  if mark is null then
    mark := nextval('private.event_positions');
    perform set_config('tieout.event_mark', mark::text, true);
  end if;
  perform pg_advisory_xact_lock_shared(private.event_lock(new.tenant_id),
    (mark & 2147483647)::integer);
  new.position := nextval('private.event_positions');
  new.subject := private.event_subject(new.data);
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_event_position(tenant text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  issued constant bigint := (select s.last_value from private.event_positions s);
  half constant bigint := 1073741824;
  lowest_mark bigint;
begin
  -- From the last 31 bits, the number that is nearest to `issued`.
  select min(issued + ((l.objid::bigint - (issued & 2147483647) + 3 * half) % (2 * half)) - half)
  into lowest_mark
  from pg_catalog.pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.database = (select d.oid from pg_catalog.pg_database d
      where d.datname = current_database())
    and l.classid::bigint = private.event_lock(tenant);
  return least(issued, lowest_mark);
end $function$;
CREATE OR REPLACE FUNCTION private.event_position_before(since timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  first_id constant text := 'evt_' || lpad(to_hex(
    (extract(epoch from since - interval '1 second') * 1000)::bigint), 12, '0');
begin
  return (
    select min(e.position) - 1
    from (
      select x.position from public.events x
      where x.tenant_id = private.tenant_id() and x.id >= first_id and x.position is not null
      order by x.id limit 100
    ) e
  );
end $function$;
CREATE OR REPLACE FUNCTION private.event_json(e public.events)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', e.id, 'type', e.type, 'timestamp', private.iso(e.at), 'data',
    e.data, 'subject', e.subject)
    || case when e.test_of is null then '{}'::jsonb else '{"test": true}' end;
end $function$;
CREATE OR REPLACE FUNCTION private.require_any_event()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.principal_type() = 'api_key' and cardinality(private.readable_events()) = 0 then
    perform private.refuse('scope_required',
      'To read events, an API key needs the scope of what they carry, such as read:exceptions.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.list_events(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  oldest constant timestamptz := now() - interval '30 days';
  earliest constant timestamptz := greatest((input ->> 'since')::timestamptz, oldest);
  wanted_subject constant text := input ->> 'subject';
  wanted_types text[] := private.text_array(input -> 'types');
  settled bigint;
  start bigint;
  upto bigint;
  found record;
begin
  perform private.begin_request(request, 'list_events');
  perform private.require_any_event();
  perform private.require_readable_events(wanted_types);
  if (input ->> 'seen_at')::timestamptz < oldest then
    perform private.refuse_field('cursor',
      'This cursor is older than 30 days, and events after it may be gone. Start again with since.');
  end if;
  if cardinality(wanted_types) = 0 then
    wanted_types := private.readable_events();
  end if;
  settled := private.settled_event_position(tenant);
  start := least(settled, coalesce((input ->> 'after')::bigint,
    private.event_position_before(earliest), settled));
  if wanted_subject is null then
    select e.position into upto
    from public.events e
    where e.tenant_id = tenant and e.position > start and e.position <= settled
    order by e.position offset 4999 limit 1;
  end if;
  upto := coalesce(upto, settled);
  select jsonb_agg(private.event_json(p.e) order by p.place) filter (where p.place <= page_size)
    as items,
    max((p.e).position) filter (where p.place = page_size and p.is_cut) as last_position
  into found
  from (
    select m.e, row_number() over (order by (m.e).position) as place,
      count(*) over () > page_size as is_cut
    from (
      select e from public.events e
      where e.tenant_id = tenant and e.position > start and e.position <= upto
        and e.at >= earliest and e.type = any (wanted_types)
        and (wanted_subject is null or e.subject = wanted_subject)
        and (e.test_of is null or (input ->> 'test')::boolean)
      order by e.position limit page_size + 1
    ) m
  ) p;
  upto := coalesce(found.last_position, upto);
  return jsonb_build_object('items', coalesce(found.items, '[]'), 'position', upto::text,
    'has_more', upto < settled, 'as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION public.get_event(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.events;
begin
  perform private.begin_request(request, 'get_event');
  select * into e
  from public.events x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id'
    and x.at > now() - interval '30 days' and x.type = any (private.readable_events());
  if not found then
    perform private.refuse_missing('event');
  end if;
  return private.event_json(e);
end $function$;
CREATE OR REPLACE FUNCTION public.create_test_event(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_test_event');
  made text;
  e public.events;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(array[input ->> 'type']);
  made := private.emit_test('reading', input ->> 'type', input -> 'data');
  select * into e from public.events x where x.tenant_id = private.tenant_id() and x.id = made;
  return private.finish_request(request, private.event_json(e));
end $function$;
CREATE OR REPLACE FUNCTION private.may_call(operation text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return operation is null or exists (
    select from private.operations o
    where o.operation = $1 and private.may(o.permission)
      and o.permission !~ ':(views|sessions|notifications)$'
      and (o.operation not in ('getWebhookDelivery', 'getEvent', 'listEvents')
      or not exists (select from private.event_kinds k
        where k.kind <> all (private.readable_events())))
  );
end $function$;
CREATE TRIGGER place BEFORE INSERT ON public.events FOR EACH ROW EXECUTE FUNCTION private.place_event();
create policy events_read on public.events as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (at > (now() - '30 days'::interval)) AND (type = ANY (( SELECT private.readable_events() AS readable_events)::text[]))));
grant execute on function private.event_json(public.events) to authenticated;
grant execute on function private.event_position_before(timestamp with time zone) to authenticated;
grant execute on function private.require_any_event() to authenticated;
grant execute on function private.require_readable_events(text[]) to authenticated;
grant execute on function private.settled_event_position(text) to authenticated;
grant execute on function public.create_test_event(jsonb,jsonb) to authenticated;
grant execute on function public.get_event(jsonb,jsonb) to authenticated;
grant execute on function public.list_events(jsonb,jsonb) to authenticated;
insert into private.permissions select ('(read:events,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.operations select ('(create_test_event,createTestEvent,write:webhooks)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_event,getEvent,read:events)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_events,listEvents,read:events)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
