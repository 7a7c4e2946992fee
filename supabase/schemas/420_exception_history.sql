-- History: each change of an exception with its actor, written by the database whichever way the change came. By statement, so
-- that a bulk change costs one insert. A creation keeps the facts as they were, an update what changed from what.

-- Without a foreign key: only triggers of exceptions write here, and exceptions are never deleted.
create table public.exception_history (
  id bigint generated always as identity,
  tenant_id text not null,
  exception_id text not null,
  at timestamptz(3) not null default now(),
  actor text not null default private.actor(),
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
  request_id text default nullif(current_setting('tieout.request_id', true), ''),
  kind text not null check (kind in ('created', 'updated')),
  changes jsonb not null,
  primary key (tenant_id, exception_id, id)
);
alter table public.exception_history enable row level security;
grant select on public.exception_history to authenticated, service_role;
create policy exception_history_read on public.exception_history for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:exceptions')));

create function private.exception_facts(e public.exceptions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (to_jsonb(e) - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy,calendar_no,due_open_ms,paused_by_rule,held_due_at,pause_count,paused_ms,pair_no,line_no,line_id,suggested_match_id,grouped_match_id,resolved_by_matching}'::text[])
    || jsonb_build_object('due_at', private.iso(coalesce(e.held_due_at, e.due_at)), 'paused_at', private.iso(e.paused_at),
      'paused_until', private.iso(e.paused_until));
end $$;

create function private.record_inserted_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.exception_history (tenant_id, exception_id, kind, changes)
  select a.tenant_id, a.id, 'created', private.exception_facts(a) from added a;
  return null;
end $$;
create trigger history_inserted after insert on public.exceptions
  referencing new table as added for each statement execute function private.record_inserted_exceptions();

create function private.record_updated_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- Before and after come together by grouping. Joined, each would be compared with each: the plan that is kept was made for the one row that came first.
  insert into public.exception_history (tenant_id, exception_id, kind, changes)
  select (p.n).tenant_id, (p.n).id, 'updated', x.changes
  from (
    select (array_agg(x.e) filter (where x.is_before))[1] as o, (array_agg(x.e) filter (where not x.is_before))[1] as n
    from (
      select row(b.*)::public.exceptions as e, true as is_before from before_update b union all select row(a.*)::public.exceptions, false from after_update a
    ) x
    group by (x.e).tenant_id, (x.e).id
  ) p
  cross join lateral (select private.changes(private.exception_facts(p.o), private.exception_facts(p.n)) as changes) x
  where x.changes is not null;
  return null;
end $$;
create trigger history_updated after update on public.exceptions
  referencing old table as before_update new table as after_update
  for each statement execute function private.record_updated_exceptions();

-- input: { id, limit, after: [history id] | null }. Newest first. Refuses: not_found.
create function public.list_exception_history(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  e public.exceptions;
  items jsonb;
begin
  perform private.enter(request, 'list_exception_history');
  e := private.find_exception(input ->> 'id');
  -- The id is for the cursor; the contract leaves it out.
  select jsonb_agg(jsonb_build_object(
    'id', h.id, 'at', private.iso(h.at), 'actor', h.actor, 'actor_issuer', h.actor_issuer, 'actor_subject', h.actor_subject,
    'request_id', h.request_id, 'kind', h.kind,
    'changes', case h.kind when 'created' then coalesce(private.changes('{}', h.changes), '{}') else h.changes end
  ) order by h.id desc) into items
  from (
    select * from public.exception_history x
    where x.tenant_id = e.tenant_id and x.exception_id = e.id
      and (input -> 'after' ->> 0 is null or x.id < (input -> 'after' ->> 0)::bigint)
    order by x.id desc limit page_size + 1
  ) h;
  return private.page(items, page_size, 'id');
end $$;
