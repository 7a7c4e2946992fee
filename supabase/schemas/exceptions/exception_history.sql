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

create function private.exception_facts(exception public.exceptions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (to_jsonb(exception)
    - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy,calendar_no,due_open_ms,paused_by_rule,held_due_at,pause_count,paused_ms,pair_no,line_no,line_id,suggested_match_id,grouped_match_id,resolved_by_matching}'::text[])
    || jsonb_build_object('due_at', private.iso(coalesce(exception.held_due_at, exception.due_at)),
      'paused_at', private.iso(exception.paused_at),
      'paused_until', private.iso(exception.paused_until));
end $$;

-- Records changes and reports each exception by one event: exception.created, exception.updated,
-- exception.resolved, exception.paused, exception.resumed. A change that only pauses or resumes is
-- not reported as an update too.
create function private.record_changes(exception_changes private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  with change as materialized (
    select change.after, 'created' as kind, private.exception_facts(change.after) as changes
    from unnest(exception_changes) change
    where (change.before).id is null
    union all
    select change.after, 'updated', compared.changes
    from unnest(exception_changes) change
    cross join lateral (
      select private.changes(private.exception_facts(change.before),
        private.exception_facts(change.after)) as changes offset 0) compared
    where (change.before).id is not null and compared.changes is not null
  ), recorded as (
    insert into public.exception_history (tenant_id, exception_id, kind, changes)
    select (changed_field.after).tenant_id, (changed_field.after).id, changed_field.kind,
      changed_field.changes from change changed_field
  )
  insert into public.events (tenant_id, type, data)
  select (change.after).tenant_id, recorded_type.type,
    jsonb_build_object('exception', private.exception_json(change.after))
      || case when recorded_type.type = 'exception.created' then '{}'
        when change.kind = 'created' then jsonb_build_object('changes',
          private.changes('{}',
            jsonb_build_object('paused_at', change.changes -> 'paused_at',
              'pause_reason', change.changes -> 'pause_reason')))
        else jsonb_build_object('changes', change.changes) end
  from change
  cross join lateral (values
    (1, case
      when change.kind = 'created' then 'exception.created'
      when change.changes #>> '{status,to}' in ('resolved', 'dismissed') then 'exception.resolved'
      when change.changes ? 'paused_at'
      and change.changes - '{paused_at,paused_until,pause_reason,due_at}'::text[] = '{}' then null
      else 'exception.updated'
    end),
    (2, case
      when change.kind = 'created' then case
      when change.changes ->> 'paused_at' is not null then 'exception.paused' end
      when change.changes #>> '{paused_at,to}' is not null then 'exception.paused'
      when change.changes ? 'paused_at' then 'exception.resumed'
    end)
  ) recorded_type (place, type)
  where recorded_type.type is not null
  order by recorded_type.place;
end $$;

-- input: { id, limit, after: [history id] | null }. Newest first. Refuses: not_found.
create function public.list_exception_history(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  exception public.exceptions;
  items jsonb;
begin
  perform private.begin_request(request, 'list_exception_history');
  exception := private.find_exception(input ->> 'id');
  -- The id is for the cursor; the contract leaves it out.
  select jsonb_agg(jsonb_build_object(
    'id', change.id, 'at', private.iso(change.at), 'actor', change.actor,
    'actor_issuer', change.actor_issuer,
    'actor_subject', change.actor_subject,
    'request_id', change.request_id, 'kind', change.kind,
    'changes',
    case change.kind when 'created' then coalesce(private.changes('{}', change.changes), '{}')
      else change.changes
      end
  ) order by change.id desc) into items
  from (
    select * from public.exception_history change
    where change.tenant_id = exception.tenant_id and change.exception_id = exception.id
      and (input -> 'after' ->> 0 is null or change.id < (input -> 'after' ->> 0)::bigint)
    order by change.id desc limit page_size + 1
  ) change;
  return private.page(items, page_size, 'id');
end $$;
