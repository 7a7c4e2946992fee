-- Callers may execute no inner function that only writing verbs call, which have their owner's rights.

-- contracts: verbs alone called them, and call them with their owner's rights since the migration before
revoke execute on function private.lock_of_source(text, integer), private.due_sums(timestamptz, integer) from authenticated;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION public.update_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_view');
  before public.views;
  after public.views;
begin
  if kept is not null then
    return kept;
  end if;
  before := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if not after.shared and before.principal_id is distinct from auth.jwt() ->> 'principal_id' then
    perform private.refuse('role_required', 'This credential isn''t allowed to do this.');
  end if;
  if after is distinct from before then
    update public.views x set name = after.name, shared = after.shared, filters = after.filters, sort_by = after.sort_by, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id returning * into after;
    if before.shared or after.shared then
      perform private.record_security_event('view.updated', before.id, null,
        private.changes(jsonb_build_object('name', before.name, 'shared', before.shared, 'filters', before.filters, 'sort_by', before.sort_by),
          jsonb_build_object('name', after.name, 'shared', after.shared, 'filters', after.filters, 'sort_by', after.sort_by)));
    end if;
  end if;
  return private.answer(request, private.view_json(after) || jsonb_build_object('version', private.view_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION private.change_account(id uuid, roles jsonb, versions jsonb, issuer text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  account auth.users;
  before jsonb;
  ended text[] := '{}';
begin
  perform pg_advisory_xact_lock(hashtextextended('members ' || tenant, 0));
  select * into account from auth.users u
  where u.id = $1 and u.deleted_at is null and private.roles_of_account(u.raw_app_meta_data, tenant) is not null for no key update;
  before := private.roles_of_account(account.raw_app_meta_data, tenant);
  if before is null then
    perform private.refuse_missing('member');
  end if;
  perform private.require_version(private.version_of(before), versions);
  if before ? 'tenant_admin' and not coalesce(roles ? 'tenant_admin', false) and not exists (
    select from private.accounts_of(tenant) u
    where u.id <> account.id and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, tenant) ? 'tenant_admin'
  ) then
    perform private.refuse('conflict', 'This is the tenant''s last admin. Make another member an admin first.');
  end if;
  update auth.users u set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, tenant, roles), updated_at = now()
  where u.id = account.id returning * into account;
  if roles is null and account.raw_app_meta_data -> 'tenants' = '{}' then
    with gone as (
      update private.sessions s set ended_at = now()
      where s.issuer = change_account.issuer and s.subject = account.id::text and s.ended_at is null returning s.id
    )
    select coalesce(array_agg(g.id), '{}') into ended from gone g;
  end if;
  return jsonb_build_object('name', private.account_name(account.email, account.id), 'before', before, 'ended', to_jsonb(ended));
end $function$;
CREATE OR REPLACE FUNCTION private.due_sums(as_of timestamp with time zone, hours integer)
 RETURNS TABLE(assigned_to text, currency text, due_before timestamp with time zone, open_count bigint, amount_minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  this_hour constant timestamptz := date_trunc('hour', as_of, 'UTC');
begin
  return query
  with counted as (
    select o.assigned_to, o.currency, o.open_count, o.amount_minor,
      case when o.due_from < this_hour then as_of else o.due_from + interval '1 hour' end as due_before
    from private.open_by_deadline o where o.tenant_id = tenant and o.due_from < this_hour + make_interval(hours => hours)
  ), late as (
    -- Of the hour that is running, those whose deadline has passed.
    select coalesce(e.assigned_to, '') as assigned_to, coalesce(e.currency, '') as currency, count(*) as open_count,
      coalesce(sum(e.amount_minor), 0) as amount_minor
    from public.exceptions e
    where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at >= this_hour and e.due_at <= as_of
    group by 1, 2
  )
  select x.assigned_to, x.currency, x.due_before, sum(x.open_count)::bigint, sum(x.amount_minor)
  from (
    select c.assigned_to, c.currency, c.due_before, c.open_count, c.amount_minor from counted c
    union all select l.assigned_to, l.currency, as_of, l.open_count, l.amount_minor from late l
    union all select l.assigned_to, l.currency, this_hour + interval '1 hour', -l.open_count, -l.amount_minor from late l
  ) x
  group by 1, 2, 3
  having sum(x.open_count) <> 0;
end $function$;
