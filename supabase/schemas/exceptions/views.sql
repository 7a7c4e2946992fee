-- Views: named exception filters, private or shared with the tenant, and the number of open
-- exceptions that each shows.

create table public.views (
  id text not null default private.new_id('viw'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  principal_id text not null default auth.jwt() ->> 'principal_id',
  name text not null check (length(name) between 1 and 80),
  shared boolean not null default false,
  filters jsonb not null default '{}' check (jsonb_typeof(filters) = 'object'
    and octet_length(filters::text) <= 16384),
  sort_by text not null default 'due_at' check (
    sort_by in ('due_at', 'severity', 'assigned_to', 'breach_risk', 'amount')),
  created_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  primary key (tenant_id, id)
);
create index views_of_principal on public.views (tenant_id, principal_id, id);

alter table public.views enable row level security;
grant select on public.views to authenticated, service_role;
create policy views_read on public.views for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (shared or principal_id = (select auth.jwt()) ->> 'principal_id')
    and (select private.may('read:views', 'write:views')));

-- How many open exceptions match, counted up to 10,000.
create function private.count_of_view(filters jsonb) returns bigint
language plpgsql stable security definer set search_path = '' as $$
declare
  max_count constant integer := 10000;
  counted bigint;
begin
  execute format($q$select count(*)
    from (select from public.exceptions e
      where e.tenant_id = %L and e.status in ('open', 'in_review') and %s limit %s) x$q$,
    private.tenant_id(), private.filter_conditions(filters, now()), max_count) into counted;
  return counted;
end $$;

create function private.view_json(saved_view public.views,
  is_counted boolean default true) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', saved_view.id, 'name', saved_view.name, 'shared', saved_view.shared,
    'filters', saved_view.filters, 'sort_by', saved_view.sort_by,
    'open_count', case when is_counted then private.count_of_view(saved_view.filters) end,
    'created_at', private.iso(saved_view.created_at), 'created_by', saved_view.created_by,
    'updated_at', private.iso(saved_view.updated_at)
  );
end $$;

create function private.view_version(saved_view public.views) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(saved_view.name, saved_view.shared,
    saved_view.filters, saved_view.sort_by));
end $$;

-- A view that the caller sees: their own or a shared one. With `to_change` it is locked, and must
-- be one that they may change: their own, or as an admin a shared one. Refuses: not_found,
-- role_required.
create function private.find_view(id text, to_change boolean default false) returns public.views
language plpgsql volatile set search_path = '' as $$
declare
  saved_view public.views;
  caller constant text := auth.jwt() ->> 'principal_id';
begin
  select * into saved_view
  from public.views
  where views.tenant_id = private.tenant_id() and views.id = $1
    and (views.shared or views.principal_id = caller);
  if not found then
    perform private.refuse_missing('view');
  elsif to_change then
    select * into saved_view from public.views where views.tenant_id = private.tenant_id()
      and views.id = $1
      and (views.principal_id = caller or views.shared and auth.jwt() -> 'roles' ? 'tenant_admin')
    for update;
    if not found then
      perform private.refuse('role_required',
        'Only the creator of this view or an admin can change it. Save your own instead.');
    end if;
  end if;
  return saved_view;
end $$;

-- input: { name, shared, filters, sort_by }. Refuses: conflict beyond 50 views of one person.
-- Records: view.created if it is shared.
create function public.create_view(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_view');
  created public.views;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.serialize_counting('views');
  if (select count(*) from public.views saved_view
    where saved_view.tenant_id = private.tenant_id()
      and saved_view.principal_id = auth.jwt() ->> 'principal_id') >= 50 then
    perform private.refuse_conflict('quota',
      'You can have at most 50 views. Delete one, then save this one again.');
  end if;
  insert into public.views (name, shared, filters, sort_by)
  values (input ->> 'name', (input ->> 'shared')::boolean, input -> 'filters', input ->> 'sort_by')
    returning * into created;
  if created.shared then
    perform private.record_security_event('view.created', created.id, null,
      jsonb_build_object('name', created.name));
  end if;
  return private.finish_request(request,
    private.view_json(created) || jsonb_build_object('version', private.view_version(created)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_view(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  saved_view public.views;
begin
  perform private.begin_request(request, 'get_view');
  saved_view := private.find_view(input ->> 'id');
  return private.view_json(saved_view)
    || jsonb_build_object('version', private.view_version(saved_view));
end $$;

-- input: { id, patch }. Refuses: not_found, role_required, precondition_failed. Records:
-- view.updated if it is or was shared.
create function public.update_view(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_view');
  before public.views;
  after public.views;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if not after.shared and before.principal_id is distinct from auth.jwt() ->> 'principal_id' then
    perform private.refuse('role_required', 'This credential isn''t allowed to do this.');
  end if;
  if after is distinct from before then
    update public.views saved_view
    set name = after.name, shared = after.shared, filters = after.filters, sort_by = after.sort_by,
      updated_at = now()
    where saved_view.tenant_id = before.tenant_id and saved_view.id = before.id
    returning * into after;
    if before.shared or after.shared then
      perform private.record_security_event('view.updated', before.id, null,
        private.changes(
          jsonb_build_object('name', before.name, 'shared', before.shared,
            'filters', before.filters, 'sort_by', before.sort_by),
          jsonb_build_object('name', after.name, 'shared', after.shared, 'filters', after.filters,
            'sort_by', after.sort_by)));
    end if;
  end if;
  return private.finish_request(request,
    private.view_json(after) || jsonb_build_object('version', private.view_version(after)));
end $$;

-- input: { id }. Refuses: not_found, role_required, precondition_failed. Records: view.deleted if
-- it was shared.
create function public.delete_view(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_view');
  saved_view public.views;
begin
  if replayed is not null then
    return replayed;
  end if;
  saved_view := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(saved_view), request -> 'versions');
  delete from public.views where views.tenant_id = saved_view.tenant_id
    and views.id = saved_view.id;
  if saved_view.shared then
    perform private.record_security_event('view.deleted', saved_view.id, null,
      jsonb_build_object('name', saved_view.name));
  end if;
  return private.finish_request(request, jsonb_build_object('id', saved_view.id, 'deleted', true));
end $$;

-- Oldest first, so that each keeps its place. Counting stops after half a second, since everyone
-- with an open board repeats this call. input: { limit, after: [id] | null }.
create function public.list_views(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  counted_until constant timestamptz := clock_timestamp() + interval '500 milliseconds';
  items jsonb;
begin
  perform private.begin_request(request, 'list_views');
  select jsonb_agg(private.view_json(saved_view, clock_timestamp() < counted_until)
    order by saved_view.id) into items
  from (
    select * from public.views saved_view
    where saved_view.tenant_id = private.tenant_id()
      and saved_view.id > coalesce(input -> 'after' ->> 0, '')
    order by saved_view.id limit page_size + 1
  ) saved_view;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function
  private.count_of_view(jsonb), private.view_json(public.views, boolean),
  private.view_version(public.views), private.find_view(text, boolean)
to authenticated;
