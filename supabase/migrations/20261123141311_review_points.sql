-- Accounts that are changed meanwhile are indexed by the trigger, which waits for nobody: it comes first.
create table private.account_index (
  user_id uuid primary key references auth.users (id) on delete cascade,
  address text,
  tenants text[] not null
);
create index account_index_by_address on private.account_index (address);
create index account_index_by_tenant on private.account_index using gin (tenants);
alter table private.account_index enable row level security;

-- As an index can hold it.
create function private.address_key(email text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return left(lower(email), 320);
end $$;

-- A claim names whatever it likes; a longer name is no tenant's.
create function private.index_account() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.account_index as i (user_id, address, tenants)
  values (new.id, private.address_key(new.email),
    array(select t from unnest(private.tenants_of_claims(new.raw_app_meta_data)) t where length(t) <= 100))
  on conflict (user_id) do update set address = excluded.address, tenants = excluded.tenants;
  return null;
end $$;
create trigger tieout_index_account after insert or update of email, raw_app_meta_data on auth.users
  for each row execute function private.index_account();

insert into private.account_index (user_id, address, tenants)
select u.id, private.address_key(u.email), array(select t from unnest(private.tenants_of_claims(u.raw_app_meta_data)) t where length(t) <= 100)
from auth.users u
on conflict (user_id) do nothing;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.emit_test(text,text,jsonb);
CREATE OR REPLACE FUNCTION private.accounts_of(tenant text)
 RETURNS SETOF auth.users
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select u.* from private.account_index i join auth.users u on u.id = i.user_id
  where i.tenants @> array[tenant] and u.deleted_at is null and private.roles_of_account(u.raw_app_meta_data, tenant) is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.used_of_quota(tenant_id text, kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case kind
    when 'api_keys' then (
      select count(*) from public.api_keys k where k.tenant_id = $1 and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now()) and (k.grace_expires_at is null or k.grace_expires_at > now()))
    when 'webhooks' then (select count(*) from public.webhooks w where w.tenant_id = $1 and w.deleted_at is null)
    when 'reconciliations' then (select count(*) from public.reconciliations r where r.tenant_id = $1)
    when 'sources' then (select count(*) from public.sources s where s.tenant_id = $1)
    when 'exceptions' then (select sum(c.breached + c.at_risk + c.on_track) from private.sla_counts c where c.tenant_id = $1)
    when 'members' then (
      select count(*) from private.accounts_of($1)
    ) + (
      select count(*) from public.invitations i where i.tenant_id = $1 and private.invitation_status(i) = 'pending')
    when 'lines' then (select sum(s.line_count) from public.sources s where s.tenant_id = $1)
    else (select sum(c.rows) from private.row_counts c where c.tenant_id = $1 and c.kind = $2)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.tenants_of_email(email text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.tenants_of_claims((private.find_account($1)).raw_app_meta_data);
end $function$;
CREATE OR REPLACE FUNCTION public.list_suggestion_bands(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  bands constant real[] := private.score_bands();
  r public.reconciliations;
begin
  perform private.enter(request, 'list_suggestion_bands');
  r := private.find_period(input ->> 'id');
  return (
    with suggested as (
      select m.method, private.score_band(m.score) as band, m.currency, count(*) as matches, sum(m.amount_minor) as minor
      from public.matches m where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
      group by 1, 2, 3
    ), decided as (
      select d.method, d.band, count(*) filter (where d.state = 'confirmed') as confirmed, count(*) filter (where d.state <> 'confirmed') as refused
      from (
        select m.method, private.score_band(m.score) as band, m.state, count(*) over (partition by m.decided_by, m.decided_at) as together
        from public.matches m where m.tenant_id = r.tenant_id and m.pair_no = r.pair_no and m.decided_by is not null and m.method <> 'manual'
      ) d where d.together = 1 group by 1, 2
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object(
      'method', s.method, 'score_from', bands[s.band], 'score_below', bands[s.band + 1], 'count', s.matches, 'amounts', s.amounts,
      'confirmed_count', coalesce(d.confirmed, 0), 'rejected_count', coalesce(d.refused, 0)) order by s.band desc, s.matches desc, s.method), '[]'))
    from (
      select x.method, x.band, sum(x.matches) as matches, jsonb_agg(jsonb_build_object(
        'currency', x.currency, 'amount_minor', private.exact_sum(x.minor)) order by x.currency) as amounts
      from suggested x group by 1, 2
    ) s left join decided d on d.method = s.method and d.band = s.band
  );
end $function$;
CREATE OR REPLACE FUNCTION public.sample_suggestions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'sample_suggestions');
  r := private.find_period(input ->> 'id');
  return (
    with found as materialized (
      select m.id, m.currency, m.amount_minor, row_number() over (order by m.score, m.id) - 1 as n, count(*) over () as total
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested' and m.method = input ->> 'method'
        and m.score >= private.score(input ->> 'score_from') and (input ->> 'score_below' is null or m.score < private.score(input ->> 'score_below'))
    )
    select jsonb_build_object(
      'count', (select count(*) from found),
      'amounts', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'amount_minor', private.exact_sum(x.minor)) order by x.currency), '[]')
        from (select f.currency, sum(f.amount_minor) as minor from found f group by 1) x
      ),
      'items', (
        select coalesce(jsonb_agg(private.match_json(m) order by f.n), '[]')
        from found f join public.matches m on m.tenant_id = r.tenant_id and m.id = f.id
        where f.n = 0 or f.n * 20 / f.total <> (f.n - 1) * 20 / f.total
      )
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.filter_conditions(filters jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.exception_conditions(filters, as_of)
    || case when filters ->> 'q' is null then '' else ' and ' || private.has_words(filters ->> 'q') end;
end $function$;
CREATE OR REPLACE FUNCTION private.matching_exceptions(filters jsonb, after text, most integer)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  ids text[];
begin
  execute format($q$select array(select e.id from public.exceptions e where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
    and e.id > %L and %s order by e.id limit %s)$q$, coalesce(after, ''), private.filter_conditions(filters, now()), most) into ids;
  return ids;
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_changes(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  overlap constant interval := interval '15 seconds';
  page_size constant integer := (input ->> 'limit')::integer;
  start constant timestamptz := (input ->> 'since')::timestamptz - overlap;
  later_at constant timestamptz := coalesce((input -> 'after' ->> 0)::timestamptz, start);
  later_id constant text := coalesce(input -> 'after' ->> 1, '');
  conditions text := $q$e.status in ('open', 'in_review') and $q$ || private.filter_conditions(input, as_of);
  items jsonb;
begin
  perform private.enter(request, 'list_sla_changes');
  if (input ->> 'since')::timestamptz < as_of - interval '1 day' then
    perform private.refuse_field('since', 'Must be within the last 24 hours. Read the list again instead.');
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  execute format($q$
    with crossed as (
      select c.* from unnest(array[0, private.high_risk_below() - 1, private.medium_risk_up_to(), $6]) t (minutes)
      cross join lateral (
        select e.id, e.due_at - make_interval(mins => t.minutes) as at
        from public.exceptions e
        where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
          and (e.due_at, e.id) > ($3 + make_interval(mins => t.minutes), $4) and e.due_at <= $1 + make_interval(mins => t.minutes)
          and e.updated_at <= $5
        order by e.due_at, e.id limit $2 + 1
      ) c
    ), changed as (
      select e.id, e.updated_at as at from public.exceptions e
      where e.tenant_id = private.tenant_id() and (e.updated_at, e.id) > ($3, $4) order by e.updated_at, e.id limit $2 + 1
    ), of_page as (
      select u.id, u.at from (select * from changed union all select * from crossed) u order by u.at, u.id limit $2 + 1
    )
    select jsonb_agg(jsonb_build_object('id', e.id, 'changed_at', private.iso(p.at), 'exception', case when %s then private.exception_json(e, $1) end)
      order by p.at, e.id)
    from of_page p join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = p.id
  $q$, conditions) into items using as_of, page_size, later_at, later_id, start, least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
  return private.page(items, page_size, 'changed_at', 'id')
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.count_of_view(filters jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  most constant integer := 10000;
  counted bigint;
begin
  execute format($q$select count(*) from (select from public.exceptions e where e.tenant_id = %L and e.status in ('open', 'in_review') and %s limit %s) x$q$,
    private.tenant_id(), private.filter_conditions(filters, now()), most) into counted;
  return counted;
end $function$;
CREATE OR REPLACE FUNCTION private.emit_test(webhook_id text, type text, data jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  made text;
begin
  insert into public.events (tenant_id, type, data, test_of) values (private.tenant_id(), $2, $3, $1) returning id into made;
  return made;
end $function$;
CREATE OR REPLACE FUNCTION public.test_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'test_webhook');
  w public.webhooks;
  d public.webhook_deliveries;
  event text;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(w);
  if input ->> 'type' <> 'webhook.test' then
    perform private.require_readable_events(array[input ->> 'type']);
  end if;
  event := private.emit_test(w.id, input ->> 'type', coalesce(nullif(input -> 'data', 'null'),
    jsonb_build_object('id', w.id, 'message', 'It works.', 'sent_by', private.actor())));
  select * into d from public.webhook_deliveries x where x.tenant_id = w.tenant_id and x.webhook_id = w.id and x.event_id = event;
  return private.answer(request, private.delivery_json(d));
end $function$;
CREATE OR REPLACE FUNCTION private.members()
 RETURNS TABLE(name text, roles text[], source text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return query
  with recursive assignee (reference) as (
    -- One step of the index a name, however many exceptions each has.
    (select e.assigned_to from public.exceptions e where e.tenant_id = tenant and e.assigned_to is not null order by 1 limit 1)
    union all
    select (select e.assigned_to from public.exceptions e where e.tenant_id = tenant and e.assigned_to > a.reference order by 1 limit 1)
    from assignee a where a.reference is not null
  ), person (name, role, source) as (
    select private.account_name(u.email, u.id), r.role, 'directory'
    from private.accounts_of(tenant) u
    left join lateral unnest(private.roles()) as r (role) on private.roles_of_account(u.raw_app_meta_data, tenant) ? r.role
    where u.banned_until is null or u.banned_until <= now()
    union all
    select substr(a.reference, 6), null, 'assignment' from assignee a where a.reference is not null
  )
  select p.name, coalesce(array_agg(distinct p.role) filter (where p.role is not null), '{}'), max(p.source)
  from person p group by p.name;
end $function$;
CREATE OR REPLACE FUNCTION private.admit_member(tenant_id text, email text, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  account auth.users;
begin
  if not exists (select from public.tenants t where t.id = $1) then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  end if;
  select * into account from auth.users u where u.id = (private.find_account($2)).id for no key update;
  if not found then
    perform private.refuse('not_found', format('Supabase Auth has no account with the address %s. Create it there first.', $2));
  end if;
  update auth.users u set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, $1, to_jsonb($3)) where u.id = account.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', $1, 'type', 'member.admitted', 'actor', 'operator', 'credential', 'system', 'target', 'user:' || private.account_name(account.email, account.id),
    'details', jsonb_build_object('roles', jsonb_build_object(
      'from', coalesce(private.roles_of_account(account.raw_app_meta_data, $1), '[]'), 'to', to_jsonb($3)))
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.tenant_accounts()
 RETURNS SETOF auth.users
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.may('read:people') then
    return query select * from private.accounts_of(private.tenant_id());
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.change_account(id uuid, roles jsonb, versions jsonb, issuer text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  account auth.users;
  before jsonb;
  ended text[] := '{}';
begin
  if not private.may('write:people') then
    perform private.refuse('role_required', 'This credential does not allow this operation.');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('members ' || tenant, 0));
  select * into account from auth.users u where u.id = $1 and u.deleted_at is null for no key update;
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
CREATE OR REPLACE FUNCTION private.has_namesake(name text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select count(*) > 1 from private.accounts_of(private.tenant_id()) u
    where private.may('read:people') and private.account_name(u.email, u.id) = $1
  );
end $function$;
CREATE OR REPLACE FUNCTION public.remove_tenant_member(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'remove_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  before constant jsonb := case when kept is null then private.tenant_account((input ->> 'id')::uuid) end;
  changed jsonb;
  handed_over integer := 0;
begin
  if kept is not null then
    return kept;
  end if;
  if (input ->> 'hand_over')::boolean and private.has_namesake(before ->> 'name') then
    perform private.refuse('conflict', format('Another member is called %s too. Reassign the exceptions on the board first, then remove the member without handing over.', before ->> 'name'));
  -- Counted to 1,000.
  elsif (input ->> 'hand_over')::boolean and (before ->> 'open_exceptions')::integer >= 1000 then
    perform private.refuse('conflict', format('%s has 1,000 open exceptions or more. Reassign them on the board first, then remove the member without handing over.', before ->> 'name'));
  end if;
  changed := private.change_account(member, null, request -> 'versions', input ->> 'issuer');
  if (input ->> 'hand_over')::boolean then
    update public.exceptions e set assigned_to = input ->> 'hand_over_to'
    where e.tenant_id = private.tenant_id() and e.assigned_to = 'user:' || (changed ->> 'name') and e.status in ('open', 'in_review');
    get diagnostics handed_over = row_count;
  end if;
  perform private.record_security_event('member.removed', 'user:' || (changed ->> 'name'), input ->> 'reason', jsonb_build_object(
    'member_id', member, 'roles', changed -> 'before', 'sessions_ended', jsonb_array_length(changed -> 'ended'),
    'handed_over', handed_over, 'handed_over_to', input ->> 'hand_over_to'));
  return private.answer(request, before || jsonb_build_object('handed_over', handed_over, 'ended', changed -> 'ended'));
end $function$;
CREATE OR REPLACE FUNCTION private.send_invitation(id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  if not private.may('write:people') then
    perform private.refuse('role_required', 'This credential does not allow this operation.');
  end if;
  if (select count(*) from public.invitations i where i.tenant_id = tenant and i.requested_at > now() - interval '1 hour') > 100 then
    perform private.refuse('rate_limited', 'A tenant can send 100 invitations an hour. Try again later.');
  end if;
  if (
    select count(*) from public.invitations i join public.invitations x on x.tenant_id = i.tenant_id and x.email = i.email
    where i.tenant_id = tenant and i.id = $1 and x.requested_at > now() - interval '1 hour'
  ) > 5 then
    perform private.refuse('rate_limited', 'This address was invited 5 times within the hour. Try again later.');
  end if;
  perform graphile_worker.add_job('send_invitation', private.of_request(jsonb_build_object('tenant_id', tenant, 'invitation_id', i.id)),
    max_attempts => 12, job_key => 'invitation:' || tenant || ':' || i.id)
  from public.invitations i where i.tenant_id = tenant and i.id = $1;
end $function$;
CREATE OR REPLACE FUNCTION private.is_member_address(email text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from private.accounts_of(private.tenant_id()) u where private.may('read:people') and lower(u.email) = $1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.find_account(email text)
 RETURNS auth.users
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  account auth.users;
begin
  select u.* into account from private.account_index i join auth.users u on u.id = i.user_id
  where i.address = private.address_key($1) and lower(u.email) = lower($1) and u.deleted_at is null order by u.created_at limit 1;
  return account;
end $function$;
CREATE OR REPLACE FUNCTION private.record_account_event(account auth.users, type text, origin jsonb, details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', t.id, 'type', $2, 'actor', 'user:' || private.account_name(account.email, account.id), 'credential', 'none',
    'target', 'user:' || private.account_name(account.email, account.id), 'address', origin ->> 'address', 'request_id', origin ->> 'request_id',
    'details', $4))
  from public.tenants t where t.id = any (private.tenants_of_claims(account.raw_app_meta_data)) order by t.id;
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
    where o.operation = $1 and private.may(o.permission) and o.permission !~ ':(views|sessions|notifications)$'
      and (o.operation <> 'getWebhookDelivery' or not exists (select from private.event_kinds k where k.kind <> all (private.readable_events())))
  );
end $function$;
CREATE OR REPLACE FUNCTION private.own_address()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.principal_type() <> 'user' or auth.jwt() ->> 'sub' !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return null;
  end if;
  return (select u.email from auth.users u where u.id = (auth.jwt() ->> 'sub')::uuid);
end $function$;
CREATE OR REPLACE FUNCTION private.account_of_recipient(recipient text)
 RETURNS uuid
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when recipient like 'account:%' then substr(recipient, length('account:') + 1)::uuid end;
end $function$;
CREATE OR REPLACE FUNCTION private.gather_alerts(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  looked_at integer;
  bundle record;
begin
  -- Two at once would each make a bundle of what waits.
  perform pg_advisory_xact_lock(hashtextextended('gather_alerts', 0));
  with taken as (
    delete from private.alert_events q where (q.tenant_id, q.event_id) in (
      select x.tenant_id, x.event_id from private.alert_events x limit batch for update skip locked
    ) returning q.*
  ), happened as materialized (
    select t.tenant_id, e.id as event_id, t.actor, private.alert_kind(e.type, e.data) as kind, e.data,
      coalesce(e.data #>> '{exception,id}', e.data ->> 'id') as subject
    from taken t join public.events e on e.tenant_id = t.tenant_id and e.id = t.event_id
  ), person as materialized (
    select t.tenant_id, u.id, 'user:' || private.account_name(u.email, u.id) as reference, r.roles ? 'tenant_admin' as is_admin,
      coalesce(s.exception_breached, 'mine') as breached, coalesce(s.exception_at_risk, 'off') as at_risk,
      coalesce(s.assigned, true) as assigned, coalesce(s.mentioned, true) as mentioned,
      coalesce(s.webhook_failing, true) as webhook_failing, coalesce(s.api_key_expiring, true) as api_key_expiring
    from (select distinct h.tenant_id from happened h) t
    cross join lateral private.accounts_of(t.tenant_id) u
    cross join lateral (select private.roles_of_account(u.raw_app_meta_data, t.tenant_id) as roles) r
    left join public.notification_settings s on s.tenant_id = t.tenant_id and s.subject = u.id::text and s.is_account
    where u.email is not null and (u.banned_until is null or u.banned_until <= now()) and r.roles ?| private.roles()
  ), mailed as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, 'account:' || p.id, h.kind, h.event_id, h.subject
    from happened h join person p on p.tenant_id = h.tenant_id
    where case h.kind
      when 'exception_breached' then p.breached = 'all' or (p.breached = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'exception_at_risk' then p.at_risk = 'all' or (p.at_risk = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'assigned' then p.assigned and p.reference = h.data #>> '{exception,assigned_to}' and p.reference <> h.actor
      when 'mentioned' then p.mentioned and private.mentions(h.data) ? p.reference and p.reference <> h.actor
      when 'webhook_failing' then p.webhook_failing and p.is_admin
      when 'api_key_expiring' then p.api_key_expiring and p.is_admin
    end
    on conflict do nothing
  ), posted as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, c.id, h.kind, h.event_id, h.subject
    from happened h join public.alert_channels c on c.tenant_id = h.tenant_id and c.deleted_at is null and h.kind = any (c.kinds)
    on conflict do nothing
  )
  select count(*) into looked_at from taken;

  for bundle in
    with waiting as (
      select distinct a.tenant_id, a.recipient, a.kind from private.alerts a where a.bundle_id is null
    ), bundled as (
      insert into private.alert_bundles (tenant_id, recipient, kind)
      select w.tenant_id, w.recipient, w.kind from waiting w
      where not exists (
        select from private.alert_bundles b
        where b.tenant_id = w.tenant_id and b.recipient = w.recipient and b.kind = w.kind and b.created_at > now() - interval '50 seconds'
      )
      returning *
    ), filled as (
      update private.alerts a set bundle_id = b.id from bundled b
      where a.tenant_id = b.tenant_id and a.recipient = b.recipient and a.kind = b.kind and a.bundle_id is null
    )
    select * from bundled
  loop
    perform graphile_worker.add_job('send_alerts', json_build_object('tenant_id', bundle.tenant_id, 'bundle_id', bundle.id), max_attempts => 15);
  end loop;
  return looked_at;
end $function$;
CREATE OR REPLACE FUNCTION private.lasting_alerts(b private.alert_bundles)
 RETURNS SETOF private.alerts
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
  select a.* from private.alerts a
  where a.tenant_id = b.tenant_id and a.bundle_id = b.id and case a.kind
    when 'exception_breached' then exists (select from public.exceptions e
      where e.tenant_id = a.tenant_id and e.id = a.subject and e.status in ('open', 'in_review') and e.due_at <= now())
    when 'exception_at_risk' then exists (select from public.exceptions e
      where e.tenant_id = a.tenant_id and e.id = a.subject and e.status in ('open', 'in_review') and e.due_at > now() and e.paused_at is null)
    when 'assigned' then exists (select from public.exceptions e
      where e.tenant_id = a.tenant_id and e.id = a.subject and e.status in ('open', 'in_review') and (a.recipient not like 'account:%' or e.assigned_to = (
        select 'user:' || private.account_name(u.email, u.id) from auth.users u where u.id = private.account_of_recipient(a.recipient))))
    when 'webhook_failing' then exists (select from public.webhooks w
      where w.tenant_id = a.tenant_id and w.id = a.subject and w.deleted_at is null and (w.status = 'disabled' or w.failing_since is not null))
    when 'api_key_expiring' then exists (select from public.api_keys k
      where k.tenant_id = a.tenant_id and k.id = a.subject and k.revoked_at is null and k.rotated_to is null and k.expires_at > now())
    else true
  end
  order by a.event_id;
end $function$;
CREATE OR REPLACE FUNCTION private.open_alert_bundle(tenant_id text, bundle_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b private.alert_bundles;
  addressed jsonb;
  lasting jsonb;
begin
  select * into b from private.alert_bundles x where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or b.settled_at is not null then
    return null;
  end if;
  if b.recipient like 'account:%' then
    select jsonb_build_object('email', u.email) into addressed from auth.users u
    where u.id = private.account_of_recipient(b.recipient) and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, $1) ?| private.roles();
  else
    select jsonb_build_object('url_id', x.url_id, 'sealed', x.sealed) into addressed
    from public.alert_channels c join private.alert_channel_urls x on x.tenant_id = c.tenant_id and x.channel_id = c.id
    where c.tenant_id = $1 and c.id = b.recipient and c.deleted_at is null;
  end if;
  select jsonb_build_object('count', count(*), 'items', jsonb_agg(private.alert_line(a.alert) order by a.nth) filter (where a.nth <= 10)) into lasting
  from (select l as alert, row_number() over (order by l.event_id) as nth from private.lasting_alerts(b) l) a;
  if addressed is null or (lasting -> 'count')::integer = 0 then
    -- The channel's last message stays what it was: none was sent.
    update private.alert_bundles x set settled_at = now() where x.tenant_id = $1 and x.id = $2;
    return null;
  end if;
  return addressed || lasting || jsonb_build_object(
    'tenant_name', (select t.name from public.tenants t where t.id = $1), 'kind', b.kind, 'recipient', b.recipient
  );
end $function$;
grant execute on function private.emit_test(text,text,jsonb) to authenticated;
grant execute on function private.filter_conditions(jsonb,timestamp with time zone) to authenticated;
