-- History: each change of an exception with its actor, and the event that reports it. Written in
-- sets, so that a bulk change costs one insert. A creation stores the values, an update stores what
-- changed from what.

-- No foreign key: only changes of exceptions write here, and exceptions are never deleted.
create table public.exception_history (
  id bigint generated always as identity,
  tenant_id text not null,
  exception_id text not null,
  at timestamptz(3) not null default now(),
  actor text not null default private.actor(),
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
  request_id text default nullif(current_setting('app.request_id', true), ''),
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
  return (to_jsonb(e)
    - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy,calendar_no,due_open_ms,paused_by_rule,held_due_at,pause_count,paused_ms,pair_no,line_no,line_id,suggested_match_id,grouped_match_id,resolved_by_matching}'::text[])
    || jsonb_build_object('due_at', private.iso(coalesce(e.held_due_at, e.due_at)), 'paused_at',
      private.iso(e.paused_at),
      'paused_until', private.iso(e.paused_until));
end $$;

-- Records changes and reports each exception by one event: exception.created, exception.updated,
-- exception.resolved, exception.paused, exception.resumed. A change that only pauses or resumes is
-- not reported as an update too.
create function private.record_changes(made private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  with change as materialized (
    select m.after, 'created' as kind, private.exception_facts(m.after) as changes
    from unnest(made) m
    where (m.before).id is null
    union all
    select m.after, 'updated', x.changes
    from unnest(made) m
    cross join lateral (
      select private.changes(private.exception_facts(m.before),
        private.exception_facts(m.after)) as changes offset 0) x
    where (m.before).id is not null and x.changes is not null
  ), recorded as (
    insert into public.exception_history (tenant_id, exception_id, kind, changes)
    select (c.after).tenant_id, (c.after).id, c.kind, c.changes from change c
  )
  insert into public.events (tenant_id, type, data)
  select (c.after).tenant_id, t.type,
    jsonb_build_object('exception', private.exception_json(c.after))
      || case when t.type = 'exception.created' then '{}'
        when c.kind = 'created' then jsonb_build_object('changes',
          private.changes('{}',
            jsonb_build_object('paused_at', c.changes -> 'paused_at', 'pause_reason',
              c.changes -> 'pause_reason')))
        else jsonb_build_object('changes', c.changes) end
  from change c
  cross join lateral (values
    (1, case
      when c.kind = 'created' then 'exception.created'
      when c.changes #>> '{status,to}' in ('resolved', 'dismissed') then 'exception.resolved'
      when c.changes ? 'paused_at'
      and c.changes - '{paused_at,paused_until,pause_reason,due_at}'::text[] = '{}' then null
      else 'exception.updated'
    end),
    (2, case
      when c.kind = 'created' then case
      when c.changes ->> 'paused_at' is not null then 'exception.paused' end
      when c.changes #>> '{paused_at,to}' is not null then 'exception.paused'
      when c.changes ? 'paused_at' then 'exception.resumed'
    end)
  ) t (place, type)
  where t.type is not null
  order by t.place;
end $$;

-- input: { id, limit, after: [history id] | null }. Newest first. Refuses: not_found.
create function public.list_exception_history(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  e public.exceptions;
  items jsonb;
begin
  perform private.begin_request(request, 'list_exception_history');
  e := private.find_exception(input ->> 'id');
  -- The id is for the cursor; the contract leaves it out.
  select jsonb_agg(jsonb_build_object(
    'id', h.id, 'at', private.iso(h.at), 'actor', h.actor, 'actor_issuer', h.actor_issuer,
    'actor_subject', h.actor_subject,
    'request_id', h.request_id, 'kind', h.kind,
    'changes',
    case h.kind when 'created' then coalesce(private.changes('{}', h.changes), '{}') else h.changes
      end
  ) order by h.id desc) into items
  from (
    select * from public.exception_history x
    where x.tenant_id = e.tenant_id and x.exception_id = e.id
      and (input -> 'after' ->> 0 is null or x.id < (input -> 'after' ->> 0)::bigint)
    order by x.id desc limit page_size + 1
  ) h;
  return private.page(items, page_size, 'id');
end $$;
