create schema partitions;
alter table public.events add column test_of text;
create index events_by_request on public.events (tenant_id, request_id) where request_id is not null;
alter table private.quotas drop constraint quotas_kind_check, add constraint quotas_kind_check check (kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'records', 'exceptions', 'lines', 'members'));

-- From here on written by `npm run migration`, anew each time. Above is by hand.

delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
create table private.open_by_deadline (
  tenant_id text not null,
  due_from timestamp with time zone not null,
  assigned_to text not null,
  currency text not null,
  shard integer not null,
  open_count bigint not null,
  amount_minor numeric not null
) with (fillfactor=70);
create table private.open_by_assignee (
  tenant_id text not null,
  assigned_to text not null,
  currency text not null,
  shard integer not null,
  open_count bigint not null,
  amount_minor numeric not null
) with (fillfactor=70);
create table private.open_by_reconciliation (
  tenant_id text not null,
  reconciliation_id text not null,
  currency text not null,
  shard integer not null,
  open_count bigint not null,
  amount_minor numeric not null
) with (fillfactor=70);
create table private.exception_hours (
  tenant_id text not null,
  hour timestamp with time zone not null,
  shard integer not null,
  breached_count bigint not null,
  closed_count bigint not null
) with (fillfactor=70);
create table public.exception_comments (
  id text not null default private.new_id('cmt'::text),
  tenant_id text not null default private.tenant_id(),
  exception_id text not null,
  body text not null,
  mentions text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
  request_id text default NULLIF(current_setting('tieout.request_id'::text, true), ''::text)
);
create table public.invitations (
  id text not null default private.new_id('inv'::text),
  tenant_id text not null default private.tenant_id(),
  email text not null,
  roles text[] not null,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  requested_at timestamp(3) with time zone not null default now(),
  sent_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null default (now() + '7 days'::interval),
  accepted_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  revoked_by text
);
create table private.invitation_tokens (
  token_hash text not null,
  tenant_id text not null,
  invitation_id text not null
);
create table private.password_resets (
  token_hash text not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null default (now() + '01:00:00'::interval)
);
create table public.request_log (
  id text not null,
  tenant_id text not null,
  at timestamp(3) with time zone not null,
  operation text,
  method text not null,
  path text not null,
  query text not null default ''::text,
  resource text,
  status smallint not null,
  error_code text,
  duration_ms integer not null,
  credential text not null,
  actor text,
  api_key_id text,
  address inet,
  request jsonb not null,
  response jsonb not null
) partition by RANGE (at);
alter table private.exception_hours add constraint exception_hours_pkey PRIMARY KEY (tenant_id, hour, shard);
alter table private.invitation_tokens add constraint invitation_tokens_pkey PRIMARY KEY (token_hash);
alter table private.open_by_assignee add constraint open_by_assignee_pkey PRIMARY KEY (tenant_id, assigned_to, currency, shard);
alter table private.open_by_deadline add constraint open_by_deadline_pkey PRIMARY KEY (tenant_id, due_from, assigned_to, currency, shard);
alter table private.open_by_reconciliation add constraint open_by_reconciliation_pkey PRIMARY KEY (tenant_id, reconciliation_id, currency, shard);
alter table private.password_resets add constraint password_resets_pkey PRIMARY KEY (token_hash);
alter table public.exception_comments add constraint exception_comments_pkey PRIMARY KEY (tenant_id, exception_id, id);
alter table public.invitations add constraint invitations_pkey PRIMARY KEY (tenant_id, id);
alter table public.request_log add constraint request_log_pkey PRIMARY KEY (tenant_id, id, at);
alter table private.invitation_tokens add constraint invitation_tokens_tenant_id_invitation_id_key UNIQUE (tenant_id, invitation_id);
alter table private.invitation_tokens add constraint invitation_tokens_token_hash_check CHECK ((token_hash ~ '^[0-9a-f]{64}$'::text));
alter table private.password_resets add constraint password_resets_token_hash_check CHECK ((token_hash ~ '^[0-9a-f]{64}$'::text));
alter table public.exception_comments add constraint exception_comments_body_check CHECK (((length(body) >= 1) AND (length(body) <= 4000)));
alter table public.exception_comments add constraint exception_comments_mentions_check CHECK ((cardinality(mentions) <= 20));
alter table public.invitations add constraint invitations_check CHECK (((accepted_at IS NULL) OR (revoked_at IS NULL)));
alter table public.invitations add constraint invitations_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254)));
alter table public.invitations add constraint invitations_email_check1 CHECK ((email = lower(email)));
alter table public.invitations add constraint invitations_roles_check CHECK (((cardinality(roles) >= 1) AND (cardinality(roles) <= 3)));
alter table public.request_log add constraint request_log_credential_check CHECK ((credential = ANY (ARRAY['session'::text, 'token'::text, 'api_key'::text, 'publishable_key'::text, 'service_role'::text])));
CREATE INDEX open_by_assignee_unfolded ON private.open_by_assignee USING btree (tenant_id) WHERE (shard <> 0);
CREATE INDEX open_by_deadline_unfolded ON private.open_by_deadline USING btree (tenant_id) WHERE (shard <> 0);
CREATE INDEX open_by_reconciliation_unfolded ON private.open_by_reconciliation USING btree (tenant_id) WHERE (shard <> 0);
CREATE INDEX password_resets_by_age ON private.password_resets USING btree (created_at);
CREATE INDEX password_resets_by_user ON private.password_resets USING btree (user_id, created_at);
CREATE UNIQUE INDEX invitations_open ON public.invitations USING btree (tenant_id, email) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL));
CREATE INDEX invitations_requested ON public.invitations USING btree (tenant_id, requested_at);
CREATE INDEX request_log_by_resource ON public.request_log USING btree (tenant_id, resource, at DESC) WHERE (resource IS NOT NULL);
CREATE INDEX request_log_by_time ON public.request_log USING btree (tenant_id, at DESC, id DESC) INCLUDE (status, duration_ms, operation, actor, api_key_id, credential, error_code);
alter table private.invitation_tokens add constraint invitation_tokens_tenant_id_invitation_id_fkey FOREIGN KEY (tenant_id, invitation_id) REFERENCES public.invitations(tenant_id, id);
alter table public.exception_comments add constraint exception_comments_tenant_id_exception_id_fkey FOREIGN KEY (tenant_id, exception_id) REFERENCES public.exceptions(tenant_id, id);
alter table public.invitations add constraint invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table private.exception_hours enable row level security; alter table private.exception_hours no force row level security;
alter table private.invitation_tokens enable row level security; alter table private.invitation_tokens no force row level security;
alter table private.open_by_assignee enable row level security; alter table private.open_by_assignee no force row level security;
alter table private.open_by_deadline enable row level security; alter table private.open_by_deadline no force row level security;
alter table private.open_by_reconciliation enable row level security; alter table private.open_by_reconciliation no force row level security;
alter table private.password_resets enable row level security; alter table private.password_resets no force row level security;
alter table public.exception_comments enable row level security; alter table public.exception_comments no force row level security;
alter table public.invitations enable row level security; alter table public.invitations no force row level security;
alter table public.request_log enable row level security; alter table public.request_log no force row level security;
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
      select count(*) from auth.users u where u.deleted_at is null and private.roles_of_account(u.raw_app_meta_data, $1) is not null
    ) + (
      select count(*) from public.invitations i where i.tenant_id = $1 and private.invitation_status(i) = 'pending')
    when 'lines' then (select sum(s.line_count) from public.sources s where s.tenant_id = $1)
    else (select sum(c.rows) from private.row_counts c where c.tenant_id = $1 and c.kind = $2)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.hold_to_quota(tenant_id text, kind text, added bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  quota constant bigint := (select q.most from private.quotas q where q.kind = $2);
begin
  if quota is null then
    return;
  end if;
  if kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'members') then
    perform pg_advisory_xact_lock(hashtextextended('quota ' || $1 || ' ' || kind, 0));
  end if;
  if coalesce(private.used_of_quota($1, kind), 0) + added > quota then
    perform private.refuse('conflict', format('A tenant can have at most %s %s (QUOTA_%s). %s, or ask your operator for a larger quota.',
      quota,
      case kind when 'api_keys' then 'active API keys' when 'exceptions' then 'open exceptions'
        when 'members' then 'members and open invitations' else kind end,
      upper(kind),
      case kind when 'api_keys' then 'Revoke one' when 'exceptions' then 'Resolve or dismiss some' when 'webhooks' then 'Delete one'
        when 'members' then 'Remove a member, or revoke an invitation'
        when 'records' then 'Delete some: they count until they are purged' when 'lines' then 'Undo an import' else 'Use those you have' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.score(given text)
 RETURNS real
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select round(given::numeric, 6)::real $function$;
CREATE OR REPLACE FUNCTION public.decide_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'decide_matches');
  tenant constant text := private.tenant_id();
  action constant text := input ->> 'action';
  filter constant jsonb := nullif(input -> 'filter', 'null');
  found_ids uuid[];
  missing jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  if action = 'undo' and not private.may('write:reconciliations') then
    perform private.refuse('role_required', 'This credential may confirm and reject suggestions, and not undo matches.');
  end if;
  if filter is null then
    select array_agg(private.match_id(i.id) order by i.n),
      jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n)
        filter (where private.match_id(i.id) is null)
    into found_ids, missing
    from jsonb_array_elements_text(input -> 'ids') with ordinality as i (id, n);
    if missing is not null then
      perform private.refuse('not_found', 'There is no such match.', missing);
    end if;
  else
    perform private.find_period(filter ->> 'reconciliation_id');
    select coalesce(array_agg(m.id order by m.id), '{}') into found_ids
    from (
      select x.id from public.matches x
      where x.tenant_id = tenant and x.reconciliation_id = filter ->> 'reconciliation_id'
        and x.state = case action when 'undo' then 'confirmed' else 'suggested' end
        and (filter ->> 'method' is null or x.method = filter ->> 'method')
        and (filter ->> 'shape' is null or x.shape = filter ->> 'shape')
        and (filter ->> 'run_id' is null or x.run_id = filter ->> 'run_id')
        and (filter ->> 'score_from' is null or x.score >= private.score(filter ->> 'score_from'))
        and (filter ->> 'score_below' is null or x.score < private.score(filter ->> 'score_below'))
      order by x.id limit 5001
    ) m;
    if cardinality(found_ids) > 5000 then
      perform private.refuse_field('filter', 'The filter finds more than 5,000 matches. Narrow it.');
    elsif cardinality(found_ids) <> (input ->> 'expected_count')::integer then
      perform private.refuse('conflict', format('The filter finds %s matches, not %s. Look at them again. Nothing was changed.',
        cardinality(found_ids), input ->> 'expected_count'));
    end if;
  end if;
  return private.answer(request, (
    select jsonb_build_object('count', count(*), 'items', coalesce(jsonb_agg(private.match_json(m) order by d.ordinality) filter (where d.ordinality <= 500), '[]'))
    from private.decide_own_matches(action, found_ids, filter is null) with ordinality d
    join public.matches m on m.tenant_id = d.tenant_id and m.id = d.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.sample_suggestions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
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
CREATE OR REPLACE FUNCTION private.count_open(tenants text[], due_ats timestamp with time zone[], assignees text[], reconciliations text[], currencies text[], amounts bigint[], signs integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  own constant integer := private.own_shard();
begin
  perform from private.sla_counts c where c.tenant_id = any (tenants) and c.shard = own order by c.tenant_id for update;
  with changed as materialized (
    select c.tenant_id, date_trunc('hour', c.due_at, 'UTC') as due_from, coalesce(c.assigned_to, '') as assigned_to,
      coalesce(c.reconciliation_id, '') as reconciliation_id, coalesce(c.currency, '') as currency, c.sign,
      c.sign * coalesce(c.amount_minor, 0)::numeric as minor
    from unnest(tenants, due_ats, assignees, reconciliations, currencies, amounts, signs)
      as c (tenant_id, due_at, assigned_to, reconciliation_id, currency, amount_minor, sign)
  ), by_deadline as (
    insert into private.open_by_deadline as o (tenant_id, due_from, assigned_to, currency, shard, open_count, amount_minor)
    select c.tenant_id, c.due_from, c.assigned_to, c.currency, own, sum(c.sign), sum(c.minor)
    from changed c group by 1, 2, 3, 4 having sum(c.sign) <> 0 or sum(c.minor) <> 0 order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  ), by_assignee as (
    insert into private.open_by_assignee as o (tenant_id, assigned_to, currency, shard, open_count, amount_minor)
    select c.tenant_id, c.assigned_to, c.currency, own, sum(c.sign), sum(c.minor)
    from changed c group by 1, 2, 3 having sum(c.sign) <> 0 or sum(c.minor) <> 0 order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  insert into private.open_by_reconciliation as o (tenant_id, reconciliation_id, currency, shard, open_count, amount_minor)
  select c.tenant_id, c.reconciliation_id, c.currency, own, sum(c.sign), sum(c.minor)
  from changed c group by 1, 2, 3 having sum(c.sign) <> 0 or sum(c.minor) <> 0 order by 1, 2, 3
  on conflict on constraint open_by_reconciliation_pkey do update set
    open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor;
end $function$;
CREATE OR REPLACE FUNCTION private.count_inserted_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c record;
begin
  select array_agg(a.tenant_id) as tenants, array_agg(a.due_at) as due_ats, array_agg(a.assigned_to) as assignees,
    array_agg(a.reconciliation_id) as reconciliations, array_agg(a.currency) as currencies, array_agg(a.amount_minor) as amounts,
    array_agg(1) as signs
  into c from added a where a.status in ('open', 'in_review');
  if c.tenants is not null then
    perform private.count_open(c.tenants, c.due_ats, c.assignees, c.reconciliations, c.currencies, c.amounts, c.signs);
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.count_updated_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c record;
begin
  with changed as (
    select o as before, n as after
    from after_update n join before_update o on o.tenant_id = n.tenant_id and o.id = n.id
    where (o.status in ('open', 'in_review'), o.due_at, o.assigned_to, o.reconciliation_id, o.currency, o.amount_minor)
      is distinct from (n.status in ('open', 'in_review'), n.due_at, n.assigned_to, n.reconciliation_id, n.currency, n.amount_minor)
  )
  select array_agg(x.tenant_id) as tenants, array_agg(x.due_at) as due_ats, array_agg(x.assigned_to) as assignees,
    array_agg(x.reconciliation_id) as reconciliations, array_agg(x.currency) as currencies, array_agg(x.amount_minor) as amounts,
    array_agg(x.sign) as signs
  into c
  from (select (before).*, -1 as sign from changed union all select (after).*, 1 from changed) x
  where x.status in ('open', 'in_review');
  if c.tenants is not null then
    perform private.count_open(c.tenants, c.due_ats, c.assignees, c.reconciliations, c.currencies, c.amounts, c.signs);
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.is_breach(kind text, threshold_minutes integer)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return kind = 'crossed' and threshold_minutes = 0;
end $function$;
CREATE OR REPLACE FUNCTION private.count_ledger_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.exception_hours as h (tenant_id, hour, shard, breached_count, closed_count)
  select l.tenant_id, date_trunc('hour', l.at, 'UTC'), private.own_shard(),
    count(*) filter (where l.kind = 'crossed'), count(*) filter (where l.kind <> 'crossed')
  from written l
  where (private.is_breach(l.kind, l.threshold_minutes) or l.kind in ('resolved', 'dismissed')) and not exists (
    select from public.exception_ledger x
    where x.tenant_id = l.tenant_id and x.exception_id = l.exception_id and x.id < l.id and x.at >= date_trunc('day', l.at, 'UTC')
      and case when l.kind = 'crossed' then private.is_breach(x.kind, x.threshold_minutes) else x.kind in ('resolved', 'dismissed') end
  )
  group by 1, 2 order by 1, 2
  on conflict on constraint exception_hours_pkey do update set
    breached_count = h.breached_count + excluded.breached_count, closed_count = h.closed_count + excluded.closed_count;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.fold_exception_counters(batch integer DEFAULT 10000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this_hour constant timestamptz := date_trunc('hour', now(), 'UTC');
  deadlines integer;
  assignees integer;
  reconciliations integer;
  hours integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('fold_exception_counters', 0)) then
    return 0;
  end if;
  with gone as (
    delete from private.open_by_deadline d where d.ctid = any (array(
      select x.ctid from private.open_by_deadline x
      where x.shard <> 0 or (x.due_from < this_hour and x.due_from > '-infinity') limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_deadline as o (tenant_id, due_from, assigned_to, currency, shard, open_count, amount_minor)
    select g.tenant_id, case when g.due_from < this_hour then '-infinity' else g.due_from end, g.assigned_to, g.currency, 0,
      sum(g.open_count), sum(g.amount_minor)
    from gone g group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into deadlines from gone;
  with gone as (
    delete from private.open_by_assignee d where d.ctid = any (array(
      select x.ctid from private.open_by_assignee x where x.shard <> 0 limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_assignee as o (tenant_id, assigned_to, currency, shard, open_count, amount_minor)
    select g.tenant_id, g.assigned_to, g.currency, 0, sum(g.open_count), sum(g.amount_minor) from gone g group by 1, 2, 3 order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into assignees from gone;
  with gone as (
    delete from private.open_by_reconciliation d where d.ctid = any (array(
      select x.ctid from private.open_by_reconciliation x where x.shard <> 0 limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_reconciliation as o (tenant_id, reconciliation_id, currency, shard, open_count, amount_minor)
    select g.tenant_id, g.reconciliation_id, g.currency, 0, sum(g.open_count), sum(g.amount_minor) from gone g group by 1, 2, 3 order by 1, 2, 3
    on conflict on constraint open_by_reconciliation_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into reconciliations from gone;
  with gone as (
    delete from private.exception_hours d where d.ctid = any (array(
      select x.ctid from private.exception_hours x
      where x.shard <> 0 and x.hour < this_hour or x.hour < now() - interval '31 days' limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.exception_hours as o (tenant_id, hour, shard, breached_count, closed_count)
    select g.tenant_id, g.hour, 0, sum(g.breached_count), sum(g.closed_count)
    from gone g where g.hour >= now() - interval '31 days' group by 1, 2 order by 1, 2
    on conflict on constraint exception_hours_pkey do update set
      breached_count = o.breached_count + excluded.breached_count, closed_count = o.closed_count + excluded.closed_count
  )
  select count(*) into hours from gone;
  delete from private.open_by_deadline d where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  delete from private.open_by_assignee d where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  delete from private.open_by_reconciliation d where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  return case when greatest(deadlines, assignees, reconciliations, hours) >= batch then deadlines + assignees + reconciliations + hours else 0 end;
end $function$;
CREATE OR REPLACE FUNCTION private.recount_exceptions()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  lock table public.exceptions, public.exception_ledger in share row exclusive mode;
  delete from private.open_by_deadline;
  insert into private.open_by_deadline (tenant_id, due_from, assigned_to, currency, shard, open_count, amount_minor)
  select e.tenant_id, date_trunc('hour', e.due_at, 'UTC'), coalesce(e.assigned_to, ''), coalesce(e.currency, ''), 0, count(*), coalesce(sum(e.amount_minor), 0)
  from public.exceptions e where e.status in ('open', 'in_review') group by 1, 2, 3, 4;
  delete from private.open_by_assignee;
  insert into private.open_by_assignee (tenant_id, assigned_to, currency, shard, open_count, amount_minor)
  select o.tenant_id, o.assigned_to, o.currency, 0, sum(o.open_count), sum(o.amount_minor) from private.open_by_deadline o group by 1, 2, 3;
  delete from private.open_by_reconciliation;
  insert into private.open_by_reconciliation (tenant_id, reconciliation_id, currency, shard, open_count, amount_minor)
  select e.tenant_id, coalesce(e.reconciliation_id, ''), coalesce(e.currency, ''), 0, count(*), coalesce(sum(e.amount_minor), 0)
  from public.exceptions e where e.status in ('open', 'in_review') group by 1, 2, 3;
  delete from private.exception_hours;
  insert into private.exception_hours (tenant_id, hour, shard, breached_count, closed_count)
  select x.tenant_id, x.hour, 0, count(*) filter (where x.is_breach), count(*) filter (where not x.is_breach)
  from (
    select distinct on (l.tenant_id, l.exception_id, l.kind = 'crossed', date_trunc('day', l.at, 'UTC'))
      l.tenant_id, date_trunc('hour', l.at, 'UTC') as hour, l.kind = 'crossed' as is_breach
    from public.exception_ledger l
    where l.at >= now() - interval '31 days' and (private.is_breach(l.kind, l.threshold_minutes) or l.kind in ('resolved', 'dismissed'))
    order by l.tenant_id, l.exception_id, l.kind = 'crossed', date_trunc('day', l.at, 'UTC'), l.at
  ) x
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.usage_week()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return date_trunc('day', now(), 'UTC') - make_interval(hours => 6 * 24);
end $function$;
CREATE OR REPLACE FUNCTION public.get_api_key_usage(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  k public.api_keys;
begin
  perform private.enter(request, 'get_api_key_usage');
  k := private.find_own_api_key(input ->> 'id');
  return jsonb_build_object(
    'as_of', private.iso(now()),
    'hours', coalesce((
      select jsonb_agg(jsonb_build_object('start', private.iso(h.hour), 'accepted', h.accepted, 'refused', h.calls - h.accepted) order by h.hour)
      from (
        select u.hour, sum(u.calls) as calls, coalesce(sum(u.calls) filter (where u.outcome like 'accepted%'), 0) as accepted
        from public.api_key_usage_hourly u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week() group by 1
      ) h
    ), '[]'),
    'days', coalesce((
      select jsonb_agg(jsonb_build_object('start', private.iso(d.day::timestamp at time zone 'UTC'), 'accepted', d.accepted, 'refused', d.calls - d.accepted) order by d.day)
      from (
        select u.day, sum(u.calls) as calls, coalesce(sum(u.calls) filter (where u.outcome like 'accepted%'), 0) as accepted
        from public.api_key_usage_daily u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.day > (now() at time zone 'UTC')::date - 90 group by 1
      ) d
    ), '[]'),
    'addresses', coalesce((
      select jsonb_agg(jsonb_build_object('address', host(a.address), 'calls', a.calls, 'in_grace', a.in_grace, 'last_seen_at', private.iso(a.last_seen)) order by a.last_seen desc)
      from (
        select u.address, sum(u.calls) as calls, coalesce(sum(u.calls) filter (where u.outcome = 'accepted_in_grace'), 0) as in_grace,
          max(u.last_seen_at) as last_seen
        from public.api_key_usage_hourly u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week() and u.outcome like 'accepted%'
        group by 1 order by max(u.last_seen_at) desc limit 100
      ) a
    ), '[]'),
    'refusals', coalesce((
      select jsonb_object_agg(r.outcome, r.calls)
      from (
        select u.outcome, sum(u.calls) as calls from public.api_key_usage_daily u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.day > (now() at time zone 'UTC')::date - 90 and u.outcome not like 'accepted%'
        group by 1
      ) r
    ), '{}')
  );
end $function$;
CREATE OR REPLACE FUNCTION public.estimate_api_key_impact(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'estimate_api_key_impact');
  k public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  k := private.find_own_api_key(input ->> 'id');
  return private.answer(request, jsonb_build_object(
    'since', private.iso(private.usage_week()),
    'calls', coalesce((
      select jsonb_agg(jsonb_build_object(
        'operation', u.operation, 'address', host(u.address), 'hour', private.iso(u.hour), 'calls', u.calls, 'last_seen_at', private.iso(u.last_seen_at)
      ))
      from public.api_key_usage_hourly u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week() and u.outcome like 'accepted%'
    ), '[]'),
    'webhooks', coalesce((
      select jsonb_agg(jsonb_build_object('id', w.id, 'url', w.url) order by w.id)
      from public.webhooks w where w.tenant_id = k.tenant_id and w.id = any (private.webhooks_of_api_key(k))
    ), '[]')
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.emit_test(webhook_id text, type text, data jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.events (tenant_id, type, data, test_of) values (private.tenant_id(), $2, $3, $1);
end $function$;
CREATE OR REPLACE FUNCTION private.guard_exception_comment()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.mentions := array(select distinct m[1] from regexp_matches(new.body, '<@(user:[^[:space:]<>]{1,120})>', 'g') m order by 1);
  if cardinality(new.mentions) > 20 then
    perform private.refuse_field('body', 'Mention at most 20 people.');
  elsif (select count(*) from public.exception_comments c where c.tenant_id = new.tenant_id and c.exception_id = new.exception_id) >= 1000 then
    perform private.refuse('conflict', 'An exception can have at most 1,000 comments.');
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_comment_json(c public.exception_comments)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', c.id, 'exception_id', c.exception_id, 'body', c.body, 'mentions', c.mentions, 'created_at', private.iso(c.created_at),
    'created_by', c.created_by, 'actor_issuer', c.actor_issuer, 'actor_subject', c.actor_subject);
end $function$;
CREATE OR REPLACE FUNCTION private.tell_exception_comments()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.events (tenant_id, type, data)
  select c.tenant_id, 'exception.commented', jsonb_build_object('exception', private.exception_json(e), 'comment', private.exception_comment_json(c))
  from added a
  join public.exception_comments c on c.tenant_id = a.tenant_id and c.exception_id = a.exception_id and c.id = a.id
  join public.exceptions e on e.tenant_id = a.tenant_id and e.id = a.exception_id
  order by c.id;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.list_exception_comments(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  e public.exceptions;
  items jsonb;
begin
  perform private.enter(request, 'list_exception_comments');
  e := private.find_exception(input ->> 'id');
  select jsonb_agg(private.exception_comment_json(c) order by c.id desc) into items
  from (
    select * from public.exception_comments x
    where x.tenant_id = e.tenant_id and x.exception_id = e.id
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
    order by x.id desc limit page_size + 1
  ) c;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.create_exception_comment(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_exception_comment');
  e public.exceptions;
  c public.exception_comments;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.find_exception(input ->> 'id');
  insert into public.exception_comments (exception_id, body) values (e.id, input ->> 'body') returning * into c;
  return private.answer(request, private.exception_comment_json(c));
end $function$;
CREATE OR REPLACE FUNCTION private.fan_out_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  awaiting record;
begin
  for awaiting in
    with fanned_out as (
      insert into public.webhook_deliveries (tenant_id, webhook_id, event_id, type, status, failure_kind, next_attempt_at)
      select e.tenant_id, w.id, e.id, e.type,
        case w.status when 'active' then 'pending' else 'failed' end,
        case w.status when 'disabled' then 'webhook_disabled' end,
        case w.status when 'active' then now() end
      from emitted e join public.webhooks w on w.tenant_id = e.tenant_id
      where w.deleted_at is null and case
        when e.test_of is not null then w.id = e.test_of
        when e.type = 'webhook.test' then w.id = e.data ->> 'id'
        when e.type in ('webhook.failing', 'webhook.disabled') then e.type = any (w.events) and w.id <> e.data ->> 'id'
        else e.type = any (w.events)
      end
      returning webhook_id, status
    )
    select distinct webhook_id from fanned_out where status = 'pending' order by webhook_id
  loop
    perform private.wake_webhook(awaiting.webhook_id);
  end loop;
  return null;
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
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(w);
  if input ->> 'type' <> 'webhook.test' then
    perform private.require_readable_events(array[input ->> 'type']);
  end if;
  perform private.emit_test(w.id, input ->> 'type', coalesce(nullif(input -> 'data', 'null'),
    jsonb_build_object('id', w.id, 'message', 'It works.', 'sent_by', private.actor())));
  -- The webhook is locked: no other test of it can be the newest.
  select * into d from public.webhook_deliveries x
  where x.tenant_id = w.tenant_id and x.webhook_id = w.id and x.type = input ->> 'type' order by x.id desc limit 1;
  return private.answer(request, private.delivery_json(d));
end $function$;
CREATE OR REPLACE FUNCTION public.get_webhook_stats(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  w public.webhooks;
begin
  perform private.enter(request, 'get_webhook_stats');
  w := private.find_webhook(input ->> 'id');
  return jsonb_build_object('as_of', private.iso(now()), 'hours', coalesce((
    with counted as (
      select t.hour, t.succeeded, t.bucket, t.attempts,
        sum(t.attempts) filter (where t.bucket >= 0) over (partition by t.hour order by t.bucket) as up_to,
        sum(t.attempts) filter (where t.bucket >= 0) over (partition by t.hour) as total
      from public.webhook_answer_times t
      where t.tenant_id = w.tenant_id and t.webhook_id = w.id and t.hour > now() - interval '7 days'
    )
    select jsonb_agg(h.found order by h.hour) from (
      select c.hour, jsonb_build_object(
        'start', private.iso(c.hour),
        'succeeded', coalesce(sum(c.attempts) filter (where c.succeeded), 0), 'failed', coalesce(sum(c.attempts) filter (where not c.succeeded), 0),
        'p50_ms', round(1.1 ^ (min(c.bucket) filter (where c.bucket >= 0 and c.up_to >= c.total * 0.5) + 0.5)),
        'p95_ms', round(1.1 ^ (min(c.bucket) filter (where c.bucket >= 0 and c.up_to >= c.total * 0.95) + 0.5))
      ) as found
      from counted c group by c.hour
    ) h
  ), '[]'));
end $function$;
CREATE OR REPLACE FUNCTION private.deliveries_page(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted constant text := input ->> 'status';
  items jsonb;
begin
  execute format($q$
    select jsonb_agg(private.delivery_json(p.d) order by (p.d).id desc)
    from (select d from public.webhook_deliveries d where %s order by d.id desc limit $1 + 1) p
  $q$, concat_ws(' and ',
    format('d.tenant_id = %L', private.tenant_id()),
    (
      select string_agg(format('d.%I = %L', name, input ->> name), ' and ')
      from unnest('{webhook_id,type,event_id}'::text[]) name where input ->> name is not null
    ),
    case when input -> 'after' ->> 0 is not null then format('d.id < %L', input -> 'after' ->> 0) end,
    case when wanted in ('delivered', 'failed') then format('d.status = %L', wanted)
      when wanted is not null then format('d.status = ''pending'' and private.delivery_status(d) = %L', wanted) end,
    case when input ->> 'request_id' is not null then
      format('d.event_id in (select e.id from public.events e where e.tenant_id = %L and e.request_id = %L)', private.tenant_id(), input ->> 'request_id') end,
    case when input ->> 'since' is not null then format('d.created_at >= %L::timestamptz', input ->> 'since') end,
    case when input ->> 'until' is not null then format('d.created_at < %L::timestamptz', input ->> 'until') end
  )) into items using page_size;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION public.list_webhook_deliveries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'list_webhook_deliveries');
  return private.deliveries_page(input || jsonb_build_object('webhook_id', (private.find_webhook(input ->> 'id')).id));
end $function$;
CREATE OR REPLACE FUNCTION public.list_deliveries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'list_deliveries');
  return private.deliveries_page(input);
end $function$;
CREATE OR REPLACE FUNCTION public.get_webhook_delivery(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  d public.webhook_deliveries;
begin
  perform private.enter(request, 'get_webhook_delivery');
  perform private.find_webhook(input ->> 'id');
  d := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  return private.delivery_json(d) || jsonb_build_object(
    'payload', (
      select jsonb_build_object('type', e.type, 'timestamp', private.iso(e.at), 'data', e.data)
        || case when e.test_of is not null then '{"test": true}' else '{}'::jsonb end
      from public.events e where e.tenant_id = d.tenant_id and e.id = d.event_id
    ),
    'request_id', (select e.request_id from public.events e where e.tenant_id = d.tenant_id and e.id = d.event_id),
    'attempts', coalesce((
      select jsonb_agg(private.attempt_json(a) || jsonb_build_object(
        'response', case when a.status_code is not null then jsonb_build_object(
          'headers', coalesce(a.response_headers, '{}'), 'body', coalesce(a.response_body, ''), 'truncated', coalesce(a.response_truncated, false)
        ) end
      ) order by a.number)
      from public.webhook_attempts a where a.tenant_id = d.tenant_id and a.delivery_id = d.id
    ), '[]')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.claim_webhook_deliveries(webhook_ids text[], room integer)
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint, type text, request_id text)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  inactive text[];
begin
  -- One claim at a time: the caps hold over all workers.
  perform pg_advisory_xact_lock(hashtextextended('tieout.claim_webhook_deliveries', 0));

  perform private.interrupt_lapsed_attempts(webhook_ids);
  inactive := array(select w.id from public.webhooks w where w.id = any (webhook_ids) and (w.status <> 'active' or w.deleted_at is not null));
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries d set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where d.webhook_id = any (inactive) and d.status = 'pending' and d.next_attempt_at <= now();
  end if;

  return query
  with asked as (
    select w.id, w.tenant_id, w.url, case when w.failing_since is null then 20 else 2 end as cap
    from public.webhooks w
    where w.id = any (webhook_ids) and w.status = 'active' and w.deleted_at is null
  ), busy as (
    select d.tenant_id, d.webhook_id, count(*) as deliveries from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at > now() and d.tenant_id in (select tenant_id from asked)
    group by 1, 2
  ), due as (
    select a.tenant_id, a.id as webhook_id, a.url, d.id, d.next_attempt_at,
      coalesce(b.deliveries, 0) + row_number() over (partition by a.id order by d.next_attempt_at) as place
    from asked a
    left join busy b on b.webhook_id = a.id
    cross join lateral (
      select x.id, x.next_attempt_at from public.webhook_deliveries x
      where x.webhook_id = a.id and x.status = 'pending' and x.next_attempt_at <= now()
      order by x.next_attempt_at limit greatest(0, a.cap - coalesce(b.deliveries, 0))
      for no key update skip locked
    ) d
  ), ranked as (
    select *, coalesce((select sum(b.deliveries - 1) from busy b where b.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place, next_attempt_at, id) as beyond_the_first
    from due
  ), chosen as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit room
  ), leased as (
    update public.webhook_deliveries d set
      lease = nextval('public.webhook_attempts_id_seq'), next_attempt_at = now() + interval '23 seconds', attempt_count = d.attempt_count + 1
    from chosen c where d.tenant_id = c.tenant_id and d.id = c.id
    returning d.id, d.tenant_id, d.webhook_id, d.event_id, d.lease, d.attempt_count, d.cause, c.url, c.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select l.lease, l.tenant_id, l.id, l.attempt_count, l.cause from leased l
  )
  select l.lease, l.id, l.webhook_id, l.tenant_id, l.event_id, l.url,
    format('{"type":%s,"timestamp":%s,%s"data":%s}', to_json(e.type), to_json(private.iso(e.at)),
      case when e.test_of is not null then '"test":true,' end, e.data),
    (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', s.sealed) order by s.created_at desc)
      from private.webhook_secrets s
      where s.tenant_id = l.tenant_id and s.webhook_id = l.webhook_id and (s.expires_at is null or s.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint, e.type, e.request_id
  from leased l join public.events e on e.tenant_id = l.tenant_id and e.id = l.event_id
  order by l.place;
end $function$;
CREATE OR REPLACE FUNCTION private.account_name(email text, id uuid)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return left(regexp_replace(btrim(case when strpos(email, '@') > 1 then split_part(email, '@', 1) else id::text end), '\s+', '_', 'g'), 120);
end $function$;
CREATE OR REPLACE FUNCTION private.roles_of_account(claims jsonb, tenant text)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  roles constant jsonb := case jsonb_typeof(claims -> 'tenants')
    when 'object' then claims -> 'tenants' -> tenant
    when 'array' then case when claims -> 'tenants' ? tenant then coalesce(claims -> 'roles', '[]') end
  end;
begin
  return case when jsonb_typeof(roles) = 'array' then roles end;
end $function$;
CREATE OR REPLACE FUNCTION private.claims_with_roles(claims jsonb, tenant text, roles jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  base jsonb := coalesce(claims, '{}');
  tenants jsonb;
begin
  if jsonb_typeof(base -> 'tenants') = 'array' then
    base := base - 'roles' || jsonb_build_object('tenants', coalesce((
      select jsonb_object_agg(t, coalesce(base -> 'roles', '[]')) from jsonb_array_elements_text(base -> 'tenants') t
    ), '{}'));
  end if;
  tenants := (case jsonb_typeof(base -> 'tenants') when 'object' then base -> 'tenants' else '{}' end) - tenant;
  return base || jsonb_build_object('tenants', case when roles is null then tenants else tenants || jsonb_build_object(tenant, roles) end);
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
    from auth.users u
    cross join lateral (select private.roles_of_account(u.raw_app_meta_data, tenant) as roles) m
    left join lateral unnest(private.roles()) as r (role) on m.roles ? r.role
    where m.roles is not null and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
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
  select * into account from auth.users u where lower(u.email) = lower($2) and u.deleted_at is null for no key update;
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
CREATE OR REPLACE FUNCTION private.find_session_user(user_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('app_metadata', coalesce(u.raw_app_meta_data, '{}'), 'email', u.email)
    from auth.users u
    where u.id = user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  );
end $function$;
CREATE OR REPLACE FUNCTION private.account_json(u auth.users, tenant text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  name constant text := private.account_name(u.email, u.id);
  roles constant jsonb := private.roles_of_account(u.raw_app_meta_data, tenant);
begin
  return jsonb_build_object(
    'id', u.id, 'name', name, 'user', 'user:' || name, 'email', u.email,
    'roles', to_jsonb(array(select r from unnest(private.roles()) r where roles ? r)),
    'status', case when u.banned_until > now() then 'suspended' else 'active' end,
    'created_at', private.iso(u.created_at), 'last_sign_in_at', private.iso(u.last_sign_in_at),
    'open_exceptions', (select count(*) from (
      select from public.exceptions e
      where e.tenant_id = tenant and e.assigned_to = 'user:' || name and e.status in ('open', 'in_review') limit 1000
    ) counted),
    'version', private.version_of(roles)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.tenant_accounts()
 RETURNS SETOF auth.users
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.may('read:people') then
    return query
    select * from auth.users u where u.deleted_at is null and private.roles_of_account(u.raw_app_meta_data, private.tenant_id()) is not null;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.tenant_account(id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select private.account_json(u, private.tenant_id()) from auth.users u
    where u.id = $1 and private.may('read:people') and u.deleted_at is null
      and private.roles_of_account(u.raw_app_meta_data, private.tenant_id()) is not null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.tenant_account_page(after text, sought text, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(private.account_json(u.account, private.tenant_id()) || jsonb_build_object('key', u.key) order by u.key)
    from (
      select a as account, coalesce(a.email, '') || ' ' || a.id as key from private.tenant_accounts() a
      where (after is null or coalesce(a.email, '') || ' ' || a.id > after) and (sought is null or strpos(lower(a.email), sought) > 0)
      order by 2 limit most
    ) u
  );
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
    select from auth.users u
    where u.id <> account.id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
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
    select count(*) > 1 from auth.users u
    where private.may('read:people') and u.deleted_at is null and private.account_name(u.email, u.id) = $1
      and private.roles_of_account(u.raw_app_meta_data, private.tenant_id()) is not null
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_tenant_members(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
begin
  perform private.enter(request, 'list_tenant_members');
  return private.page(private.tenant_account_page(input -> 'after' ->> 0, lower(input ->> 'q'), page_size + 1), page_size, 'key');
end $function$;
CREATE OR REPLACE FUNCTION public.get_tenant_member(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  member jsonb;
begin
  perform private.enter(request, 'get_tenant_member');
  member := private.tenant_account((input ->> 'id')::uuid);
  if member is null then
    perform private.refuse_missing('member');
  end if;
  return member;
end $function$;
CREATE OR REPLACE FUNCTION public.update_tenant_member(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  changed jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  changed := private.change_account(member, input -> 'roles', request -> 'versions', input ->> 'issuer');
  if changed -> 'before' <> input -> 'roles' then
    perform private.record_security_event('member.role_changed', 'user:' || (changed ->> 'name'), null, jsonb_build_object(
      'member_id', member, 'roles', jsonb_build_object('from', changed -> 'before', 'to', input -> 'roles')));
  end if;
  return private.answer(request, private.tenant_account(member));
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
CREATE OR REPLACE FUNCTION private.invitation_status(i public.invitations)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
    when i.expires_at <= now() then 'expired' else 'pending' end;
end $function$;
CREATE OR REPLACE FUNCTION private.invitation_json(i public.invitations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', i.id, 'email', i.email, 'roles', i.roles, 'status', private.invitation_status(i), 'created_at', private.iso(i.created_at),
    'created_by', i.created_by, 'sent_at', private.iso(i.sent_at), 'expires_at', private.iso(i.expires_at),
    'accepted_at', private.iso(i.accepted_at), 'revoked_at', private.iso(i.revoked_at), 'revoked_by', i.revoked_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.invitation_version(i public.invitations)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(i.requested_at, i.accepted_at, i.revoked_at));
end $function$;
CREATE OR REPLACE FUNCTION private.lock_invitation(id text)
 RETURNS public.invitations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  found_one public.invitations;
begin
  select * into found_one from public.invitations i where i.tenant_id = private.tenant_id() and i.id = $1 for no key update;
  if not found then
    perform private.refuse_missing('invitation');
  end if;
  return found_one;
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
  perform graphile_worker.add_job('send_invitation', json_build_object('tenant_id', tenant, 'invitation_id', i.id),
    max_attempts => 12, job_key => 'invitation:' || tenant || ':' || i.id)
  from public.invitations i where i.tenant_id = tenant and i.id = $1;
end $function$;
CREATE OR REPLACE FUNCTION private.end_invitation_link(id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from private.invitation_tokens t where t.tenant_id = private.tenant_id() and t.invitation_id = $1 and private.may('write:people');
end $function$;
CREATE OR REPLACE FUNCTION private.is_member_address(email text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from auth.users u
    where private.may('read:people') and u.deleted_at is null and lower(u.email) = $1
      and private.roles_of_account(u.raw_app_meta_data, private.tenant_id()) is not null
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_invitations(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_invitations');
  select jsonb_agg(private.invitation_json(i) order by i.id desc) into items
  from (
    select * from public.invitations x
    where x.tenant_id = private.tenant_id() and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or private.invitation_status(x) = input ->> 'status')
    order by x.id desc limit page_size + 1
  ) i;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.create_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_invitation');
  created public.invitations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_quota('members');
  if private.is_member_address(input ->> 'email') then
    perform private.refuse('conflict', 'This person is a member already. Change their roles instead.');
  end if;
  update public.invitations i set revoked_at = now(), revoked_by = private.actor()
  where i.tenant_id = private.tenant_id() and i.email = input ->> 'email' and i.accepted_at is null and i.revoked_at is null
    and i.expires_at <= now();
  insert into public.invitations (email, roles) values (input ->> 'email', private.text_array(input -> 'roles'))
  on conflict (tenant_id, email) where accepted_at is null and revoked_at is null do nothing
  returning * into created;
  if not found then
    perform private.refuse('conflict', 'This address has an invitation that is still open. Resend that one, or revoke it first.');
  end if;
  perform private.send_invitation(created.id);
  perform private.record_security_event('member.invited', created.id, null, jsonb_build_object('email', created.email, 'roles', created.roles));
  return private.answer(request, private.invitation_json(created) || jsonb_build_object('version', private.invitation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.resend_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'resend_invitation');
  i public.invitations;
begin
  if kept is not null then
    return kept;
  end if;
  i := private.lock_invitation(input ->> 'id');
  if private.invitation_status(i) not in ('pending', 'expired') then
    perform private.refuse('conflict', format('This invitation was %s. Create a new one.', private.invitation_status(i)));
  elsif i.requested_at > now() - interval '1 minute' then
    perform private.refuse('rate_limited', 'This invitation was sent less than a minute ago. Try again in a minute.');
  end if;
  update public.invitations x set requested_at = now(), expires_at = now() + interval '7 days', sent_at = null
  where x.tenant_id = i.tenant_id and x.id = i.id returning * into i;
  perform private.end_invitation_link(i.id);
  perform private.send_invitation(i.id);
  perform private.record_security_event('member.invited', i.id, null, jsonb_build_object('email', i.email, 'roles', i.roles, 'again', true));
  return private.answer(request, private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
end $function$;
CREATE OR REPLACE FUNCTION public.revoke_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'revoke_invitation');
  i public.invitations;
begin
  if kept is not null then
    return kept;
  end if;
  i := private.lock_invitation(input ->> 'id');
  perform private.require_version(private.invitation_version(i), request -> 'versions');
  if i.accepted_at is not null then
    perform private.refuse('conflict', 'This invitation was accepted. Remove the member instead.');
  elsif i.revoked_at is null then
    update public.invitations x set revoked_at = now(), revoked_by = private.actor()
    where x.tenant_id = i.tenant_id and x.id = i.id returning * into i;
    perform private.end_invitation_link(i.id);
    perform private.record_security_event('member.invitation_revoked', i.id, null, jsonb_build_object('email', i.email));
  end if;
  return private.answer(request, private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
end $function$;
CREATE OR REPLACE FUNCTION private.begin_invitation_mail(tenant_id text, invitation_id text, token_hash text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.invitations;
begin
  select * into i from public.invitations x where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or private.invitation_status(i) <> 'pending' then
    return null;
  end if;
  delete from private.invitation_tokens t where t.tenant_id = $1 and t.invitation_id = $2;
  insert into private.invitation_tokens (token_hash, tenant_id, invitation_id) values ($3, $1, $2);
  return jsonb_build_object('email', i.email, 'tenant_name', (select t.name from public.tenants t where t.id = $1), 'invited_by', i.created_by,
    'roles', i.roles, 'expires_at', private.iso(i.expires_at));
end $function$;
CREATE OR REPLACE FUNCTION private.end_invitation_mail(tenant_id text, invitation_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.invitations i set sent_at = now() where i.tenant_id = $1 and i.id = $2;
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
  select * into account from auth.users u where lower(u.email) = lower($1) and u.deleted_at is null order by u.created_at limit 1;
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
  from public.tenants t where t.id = any (private.tenants_of_email(account.email)) order by t.id;
end $function$;
CREATE OR REPLACE FUNCTION private.set_password(account auth.users, password_hash text, issuer text, kept_session text)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  ended text[];
begin
  update auth.users u set encrypted_password = $2, updated_at = now() where u.id = account.id;
  delete from private.password_resets r where r.user_id = account.id;
  -- Supabase Auth's own, which refresh its tokens.
  if to_regclass('auth.sessions') is not null then
    execute 'delete from auth.sessions where user_id = $1' using account.id;
  end if;
  with gone as (
    update private.sessions s set ended_at = now()
    where s.issuer = $3 and s.subject = account.id::text and s.ended_at is null and s.id is distinct from kept_session returning s.id
  )
  select coalesce(array_agg(g.id), '{}') into ended from gone g;
  return ended;
end $function$;
CREATE OR REPLACE FUNCTION private.request_password_reset(email text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('send_password_reset', json_build_object('email', lower($1)), max_attempts => 6);
end $function$;
CREATE OR REPLACE FUNCTION private.begin_password_reset_mail(email text, token_hash text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  account constant auth.users := private.find_account($1);
begin
  if account.id is null or account.banned_until > now() or (
    select count(*) from private.password_resets r where r.user_id = account.id and r.created_at > now() - interval '1 hour'
  ) >= 5 then
    return null;
  end if;
  delete from private.password_resets r where r.created_at < now() - interval '1 day';
  insert into private.password_resets (token_hash, user_id) values ($2, account.id);
  return jsonb_build_object('email', account.email);
end $function$;
CREATE OR REPLACE FUNCTION private.reset_password(token_hash text, password_hash text, issuer text, origin jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  account auth.users;
  ended text[];
begin
  select u.* into account from private.password_resets r join auth.users u on u.id = r.user_id
  where r.token_hash = $1 and r.expires_at > now() and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  for no key update of u;
  -- Of two at once, the second finds it gone.
  delete from private.password_resets r where r.token_hash = $1;
  if account.id is null or not found then
    return null;
  end if;
  ended := private.set_password(account, $2, $3, null);
  perform private.record_account_event(account, 'member.password_reset', $4, jsonb_build_object('sessions_ended', cardinality(ended)));
  return jsonb_build_object('id', account.id, 'ended', to_jsonb(ended));
end $function$;
CREATE OR REPLACE FUNCTION private.is_password_reset(token_hash text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from private.password_resets r where r.token_hash = $1 and r.expires_at > now());
end $function$;
CREATE OR REPLACE FUNCTION private.change_password(user_id uuid, password_hash text, issuer text, kept_session text, origin jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  account auth.users;
  ended text[];
begin
  select * into account from auth.users u where u.id = $1 and u.deleted_at is null for no key update;
  if not found then
    return null;
  end if;
  ended := private.set_password(account, $2, $3, $4);
  perform private.record_account_event(account, 'member.password_changed', $5, jsonb_build_object('sessions_ended', cardinality(ended)));
  return jsonb_build_object('id', account.id, 'ended', to_jsonb(ended));
end $function$;
CREATE OR REPLACE FUNCTION private.open_invitation(token_hash text)
 RETURNS public.invitations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  found_one public.invitations;
begin
  select i.* into found_one
  from private.invitation_tokens t join public.invitations i on i.tenant_id = t.tenant_id and i.id = t.invitation_id
  where t.token_hash = $1 and private.invitation_status(i) = 'pending'
  for no key update of i;
  return found_one;
end $function$;
CREATE OR REPLACE FUNCTION private.find_invitation(token_hash text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i constant public.invitations := private.open_invitation($1);
begin
  if i.id is null then
    return null;
  end if;
  return jsonb_build_object('tenant_id', i.tenant_id, 'tenant_name', (select t.name from public.tenants t where t.id = i.tenant_id),
    'email', i.email, 'roles', i.roles, 'invited_by', i.created_by, 'expires_at', private.iso(i.expires_at),
    'account_id', (private.find_account(i.email)).id);
end $function$;
CREATE OR REPLACE FUNCTION private.create_account(email text, password_hash text)
 RETURNS auth.users
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  account auth.users;
begin
  insert into auth.users (
    instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
    confirmation_token, recovery_token, email_change, email_change_token_new, email_change_token_current,
    phone_change, phone_change_token, reauthentication_token, created_at, updated_at
  ) values (
    '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', $1, $2, now(),
    '{"provider": "email", "providers": ["email"]}', '{}', '', '', '', '', '', '', '', '', now(), now()
  ) returning * into account;
  insert into auth.identities (id, provider, provider_id, user_id, identity_data, last_sign_in_at, created_at, updated_at)
  values (gen_random_uuid(), 'email', account.id::text, account.id,
    jsonb_build_object('sub', account.id, 'email', account.email, 'email_verified', true), now(), now(), now());
  return account;
end $function$;
CREATE OR REPLACE FUNCTION private.accept_invitation(token_hash text, user_id uuid, password_hash text, origin jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i constant public.invitations := private.open_invitation($1);
  account auth.users;
  before jsonb;
begin
  if i.id is null then
    return null;
  end if;
  -- Two links to one address make one account.
  perform pg_advisory_xact_lock(hashtextextended('account ' || i.email, 0));
  account := private.find_account(i.email);
  if account.id is null and $3 is not null then
    account := private.create_account(i.email, $3);
  elsif account.id is null or $2 is distinct from account.id or account.banned_until > now() then
    return jsonb_build_object('outcome', 'sign_in');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('members ' || i.tenant_id, 0));
  before := coalesce(private.roles_of_account(account.raw_app_meta_data, i.tenant_id), '[]');
  update auth.users u set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, i.tenant_id, to_jsonb(i.roles)), updated_at = now()
  where u.id = account.id;
  update public.invitations x set accepted_at = now() where x.tenant_id = i.tenant_id and x.id = i.id;
  delete from private.invitation_tokens t where t.tenant_id = i.tenant_id and t.invitation_id = i.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', i.tenant_id, 'type', 'member.admitted', 'actor', 'user:' || private.account_name(account.email, account.id),
    'credential', 'none', 'target', 'user:' || private.account_name(account.email, account.id), 'address', $4 ->> 'address',
    'request_id', $4 ->> 'request_id', 'details', jsonb_build_object('invitation', i.id, 'invited_by', i.created_by, 'email', i.email,
      'roles', jsonb_build_object('from', before, 'to', to_jsonb(i.roles)))));
  return jsonb_build_object('outcome', 'accepted', 'tenant_id', i.tenant_id, 'id', account.id);
end $function$;
CREATE OR REPLACE FUNCTION public.request_password_reset(email text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.request_password_reset(email);
end $function$;
CREATE OR REPLACE FUNCTION public.is_password_reset(token_hash text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.is_password_reset(token_hash);
end $function$;
CREATE OR REPLACE FUNCTION public.reset_password(token_hash text, password_hash text, issuer text, origin jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.reset_password(token_hash, password_hash, issuer, origin);
end $function$;
CREATE OR REPLACE FUNCTION public.change_password(user_id uuid, password_hash text, issuer text, kept_session text, origin jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.change_password(user_id, password_hash, issuer, kept_session, origin);
end $function$;
CREATE OR REPLACE FUNCTION public.find_invitation(token_hash text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.find_invitation(token_hash);
end $function$;
CREATE OR REPLACE FUNCTION public.accept_invitation(token_hash text, user_id uuid, password_hash text, origin jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.accept_invitation(token_hash, user_id, password_hash, origin);
end $function$;
CREATE OR REPLACE FUNCTION private.due_sums(as_of timestamp with time zone, hours integer)
 RETURNS TABLE(assigned_to text, currency text, due_before timestamp with time zone, open_count bigint, amount_minor numeric)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
CREATE OR REPLACE FUNCTION private.overview_exceptions(as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  -- Clock hours that the outlook covers; with the one running it is eight hours and a part.
  hours constant integer := 9;
  this_hour constant timestamptz := date_trunc('hour', as_of, 'UTC');
  rate_since constant timestamptz := this_hour - interval '8 hours';
  until constant timestamptz := this_hour + make_interval(hours => hours);
begin
  return (
    with sums as materialized (
      select * from private.due_sums(as_of, hours)
    ), totals as materialized (
      select o.assigned_to, o.currency, sum(o.open_count) as open_count, sum(o.amount_minor) as amount_minor
      from private.open_by_assignee o where o.tenant_id = tenant group by 1, 2
    ), hourly as materialized (
      select h.hour, sum(h.breached_count) as breached, sum(h.closed_count) as closed
      from private.exception_hours h where h.tenant_id = tenant and h.hour >= date_trunc('day', as_of, 'UTC') - interval '29 days' group by 1
    )
    select jsonb_build_object(
      'summary', private.sla_summary(as_of),
      'mine', (
        select jsonb_build_object('breached_count', coalesce(sum(s.open_count) filter (where s.due_before <= as_of), 0),
          'due_count', coalesce(sum(s.open_count) filter (where s.due_before > as_of), 0),
          'open_count', (select coalesce(sum(t.open_count), 0) from totals t where t.assigned_to = self))
        from sums s where s.assigned_to = self
      ),
      'unassigned_count', (select coalesce(sum(t.open_count), 0) from totals t where t.assigned_to = ''),
      'money', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', m.currency, 'open_count', m.open_count, 'open_minor', private.exact_sum(m.minor),
          'breached_count', m.breached_count, 'breached_minor', private.exact_sum(m.breached_minor),
          'due_count', m.due_count, 'due_minor', private.exact_sum(m.due_minor)) order by m.open_count desc, m.currency), '[]')
        from (
          select t.*, d.*
          from (
            select x.currency, sum(x.open_count) as open_count, sum(x.amount_minor) as minor
            from totals x where x.currency <> '' group by 1 having sum(x.open_count) > 0
          ) t cross join lateral (
            select coalesce(sum(s.open_count) filter (where s.due_before <= as_of), 0) as breached_count,
              coalesce(sum(s.amount_minor) filter (where s.due_before <= as_of), 0) as breached_minor,
              coalesce(sum(s.open_count) filter (where s.due_before > as_of), 0) as due_count,
              coalesce(sum(s.amount_minor) filter (where s.due_before > as_of), 0) as due_minor
            from sums s where s.currency = t.currency
          ) d
        ) m
      ),
      'outlook', jsonb_build_object(
        'rate_since', private.iso(rate_since),
        'closed_count', (select coalesce(sum(h.closed), 0) from hourly h where h.hour >= rate_since),
        'closed_per_hour', round((select coalesce(sum(h.closed), 0) from hourly h where h.hour >= rate_since)
          / (extract(epoch from as_of - rate_since) / 3600)::numeric, 2),
        'hours', (
          select jsonb_agg(jsonb_build_object('due_before', private.iso(t.due_before), 'due_count', coalesce(d.due_count, 0)) order by t.due_before)
          from generate_series(this_hour + interval '1 hour', until, interval '1 hour') as t (due_before)
          left join (select s.due_before, sum(s.open_count) as due_count from sums s group by 1) d on d.due_before = t.due_before
        )
      ),
      'days', (
        select jsonb_agg(jsonb_build_object('day', to_char(t.day at time zone 'UTC', 'YYYY-MM-DD'), 'breached_count', coalesce(d.breached, 0),
          'closed_count', coalesce(d.closed, 0)) order by t.day)
        from generate_series(date_trunc('day', as_of, 'UTC') - interval '29 days', as_of, interval '1 day') as t (day)
        left join (
          select date_trunc('day', h.hour, 'UTC') as day, sum(h.breached) as breached, sum(h.closed) as closed from hourly h group by 1
        ) d on d.day = t.day
      )
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_reconciliations(most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return (
    with sums as materialized (
      select o.reconciliation_id, o.currency, sum(o.open_count) as open_count, sum(o.amount_minor) as minor
      from private.open_by_reconciliation o where o.tenant_id = tenant and o.reconciliation_id <> '' group by 1, 2 having sum(o.open_count) > 0
    ), foremost as (
      select s.reconciliation_id, sum(s.open_count) as open_count from sums s group by 1 order by 2 desc, 1 limit most
    )
    select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'open_count', f.open_count, 'money', (
      select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'open_count', s.open_count, 'open_minor', private.exact_sum(s.minor))
        order by s.open_count desc, s.currency), '[]')
      from sums s where s.reconciliation_id = f.reconciliation_id and s.currency <> ''
    )) order by f.open_count desc, r.id), '[]')
    from foremost f join public.reconciliations r on r.tenant_id = tenant and r.id = f.reconciliation_id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_keys(as_of timestamp with time zone, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  since constant date := (as_of at time zone 'UTC')::date - 6;
begin
  return jsonb_build_object(
    'since', private.iso(since::timestamp at time zone 'UTC'),
    'calls', (
      select coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'name', k.name, 'call_count', u.calls, 'refused_count', u.refused)
        order by u.calls desc, k.id), '[]')
      from (
        select d.api_key_id, sum(d.calls) as calls, coalesce(sum(d.calls) filter (where d.outcome not like 'accepted%'), 0) as refused
        from public.api_key_usage_daily d where d.tenant_id = tenant and d.day >= since group by 1 order by 2 desc, 1 limit most
      ) u join public.api_keys k on k.tenant_id = tenant and k.id = u.api_key_id
    ),
    'expiring', (
      select coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'name', k.name, 'expires_at', private.iso(k.expires_at)) order by k.expires_at, k.id), '[]')
      from (
        select x.id, x.name, x.expires_at from public.api_keys x
        where x.tenant_id = tenant and x.revoked_at is null and x.rotated_to is null and x.expires_at > as_of and x.expires_at <= as_of + interval '14 days'
        order by x.expires_at, x.id limit most
      ) k
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_webhooks(as_of timestamp with time zone, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return (
    with hooks as materialized (
      select w.id, w.url, w.status, w.failing_since, t.attempts, t.failures
      from public.webhooks w
      cross join lateral (
        select coalesce(sum(a.attempts), 0) as attempts, coalesce(sum(a.attempts) filter (where not a.succeeded), 0) as failures
        from public.webhook_answer_times a where a.tenant_id = w.tenant_id and a.webhook_id = w.id and a.hour > as_of - interval '24 hours'
      ) t
      where w.tenant_id = tenant and w.deleted_at is null
    )
    select jsonb_build_object(
      'active_count', (select count(*) from hooks h where h.status = 'active'),
      'disabled_count', (select count(*) from hooks h where h.status = 'disabled'),
      'items', coalesce((
        select jsonb_agg(jsonb_build_object('id', x.id, 'url', x.url, 'status', x.status, 'failing_since', private.iso(x.failing_since),
          'attempt_count', x.attempts, 'failure_count', x.failures) order by x.place, x.failures desc, x.id desc)
        from (
          select h.*, case when h.failing_since is not null and h.status = 'active' then 0 when h.status = 'disabled' then 1 else 2 end as place
          from hooks h order by place, h.failures desc, h.id desc limit most
        ) x
      ), '[]')
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_overview(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  shown constant integer := 5;
begin
  perform private.enter(request, 'get_overview');
  return private.overview_exceptions(as_of) || jsonb_build_object(
    'next', (
      select coalesce(jsonb_agg(private.exception_json(x, as_of) order by x.due_at, x.id), '[]')
      from (
        select * from public.exceptions e
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at > as_of and e.due_at < 'infinity'
        order by e.due_at, e.id limit shown
      ) x
    ),
    'my_next', (
      select coalesce(jsonb_agg(private.exception_json(x, as_of) order by x.due_at, x.id), '[]')
      from (
        select * from public.exceptions e
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.assigned_to = self
        order by e.due_at, e.id limit shown
      ) x
    ),
    'reconciliations', private.overview_reconciliations(8),
    'imports', (
      select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'source_id', s.id, 'source_name', s.name, 'file_name', i.file_name, 'status', i.status,
        'accepted_count', i.accepted_count, 'refused_count', i.refused_count, 'created_at', private.iso(i.created_at)) order by i.id desc), '[]')
      from (select * from public.imports x where x.tenant_id = tenant and x.status <> 'receiving' order by x.id desc limit shown) i
      join public.sources s on s.tenant_id = i.tenant_id and s.source_no = i.source_no
    ),
    'runs', (
      select coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'reconciliation_id', x.reconciliation_id, 'reconciliation_name', r.name, 'status', x.status,
        'suggested_count', x.suggested_count, 'open_count', x.open_count, 'exceptions_opened', x.exceptions_opened,
        'created_at', private.iso(x.created_at)) order by x.id desc), '[]')
      from (select * from public.runs y where y.tenant_id = tenant and y.dry_run is null order by y.id desc limit shown) x
      join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
    ),
    'keys', case when private.may('read:api-keys') then private.overview_keys(as_of, shown) end,
    'webhooks', case when private.may('read:webhooks') then private.overview_webhooks(as_of, shown) end,
    'as_of', private.iso(as_of)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_request_log_day(day date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  name constant text := 'request_log_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass('partitions.' || name) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('request_log', 0));
  if to_regclass('partitions.' || name) is not null then
    return;
  end if;
  execute format('create table partitions.%I (like public.request_log including all)', name);
  execute format('alter table partitions.%I enable row level security', name);
  execute format('alter table public.request_log attach partition partitions.%I for values from (%L) to (%L)',
    name, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
end $function$;
CREATE OR REPLACE FUNCTION private.record_requests(batch uuid, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  written integer;
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return 0;
  end if;
  perform private.open_request_log_day(d::date)
  from (
    select distinct date_trunc('day', (now() - make_interval(secs => (r ->> 'age_ms')::double precision / 1000)) at time zone 'UTC') as d
    from jsonb_array_elements(rows) r
  ) days;
  insert into public.request_log (id, tenant_id, at, operation, method, path, query, resource, status, error_code, duration_ms, credential,
    actor, api_key_id, address, request, response)
  select r.id, t.id, now() - make_interval(secs => r.age_ms / 1000.0), r.operation, r.method, r.path, r.query, r.resource, r.status,
    r.error_code, r.duration_ms, r.credential, r.actor, coalesce(r.api_key_id, s.api_key_id), r.address, r.request, r.response
  from jsonb_to_recordset(rows) as r (
    id text, tenant_id text, key_id text, age_ms bigint, operation text, method text, path text, query text, resource text, status smallint,
    error_code text, duration_ms integer, credential text, actor text, api_key_id text, address inet, request jsonb, response jsonb
  )
  left join private.api_key_secrets s on r.tenant_id is null and s.key_id = r.key_id
  join public.tenants t on t.id = coalesce(r.tenant_id, s.tenant_id);
  get diagnostics written = row_count;
  return written;
end $function$;
CREATE OR REPLACE FUNCTION public.record_requests(batch uuid, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.record_requests(batch, rows);
end $function$;
CREATE OR REPLACE FUNCTION private.roll_request_log()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '2s'
AS $function$
declare
  today constant date := (now() at time zone 'UTC')::date;
  oldest text;
begin
  perform private.open_request_log_day(today + n) from generate_series(0, 2) n;
  select c.relname into oldest
  from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'public.request_log'::regclass and c.relname < 'request_log_' || to_char(today - 14, 'YYYYMMDD')
  order by c.relname limit 1;
  if oldest is null then
    return 0;
  end if;
  execute format('drop table partitions.%I', oldest);
  return 1;
end $function$;
CREATE OR REPLACE FUNCTION private.may_call(operation text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return operation is null or exists (select from private.operations o where o.operation = $1 and private.may(o.permission));
end $function$;
CREATE OR REPLACE FUNCTION private.logged_request_json(r public.request_log)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', r.id, 'at', private.iso(r.at), 'operation', r.operation, 'method', r.method, 'path', r.path, 'query', r.query,
    'resource', r.resource, 'status', r.status, 'error_code', r.error_code, 'duration_ms', r.duration_ms, 'credential', r.credential,
    'actor', r.actor, 'api_key_id', r.api_key_id, 'address', host(r.address)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.request_log_conditions(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  wanted constant text := input ->> 'status';
begin
  return concat_ws(' and ',
    format('r.tenant_id = %L', private.tenant_id()),
    case when wanted = 'failed' then 'r.status >= 400'
      when wanted is not null then format('r.status between %s and %s', left(wanted, 1) || '00', left(wanted, 1) || '99') end,
    (
      select string_agg(format('r.%I = %L', name, input ->> name), ' and ')
      from unnest('{operation,credential,api_key_id,actor,error_code,resource}'::text[]) name where input ->> name is not null
    ),
    case when input ->> 'since' is not null then format('r.at >= %L::timestamptz', input ->> 'since') end,
    case when input ->> 'until' is not null then format('r.at < %L::timestamptz', input ->> 'until') end
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_requests(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_requests');
  execute format($q$
    select jsonb_agg(private.logged_request_json(p.r) order by (p.r).at desc, (p.r).id desc)
    from (select r from public.request_log r where %s order by r.at desc, r.id desc limit $1 + 1) p
  $q$, concat_ws(' and ', private.request_log_conditions(input),
    case when input ->> 'request_id' is not null then format('r.id = %L', input ->> 'request_id') end,
    case when input -> 'after' ->> 0 is not null
      then format('(r.at, r.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0, input -> 'after' ->> 1) end
  )) into items using page_size;
  return private.page(items, page_size, 'at', 'id') || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION public.get_request(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.request_log;
  readable boolean;
begin
  perform private.enter(request, 'get_request');
  select * into r from public.request_log x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('request');
  end if;
  readable := private.may_call(r.operation);
  return private.logged_request_json(r) || jsonb_build_object(
    'request', case when readable then r.request end, 'response', case when readable then r.response end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.chart_step(span interval)
 RETURNS interval
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when span <= interval '2 hours' then interval '1 minute'
    when span <= interval '8 hours' then interval '5 minutes'
    when span <= interval '1 day' then interval '15 minutes'
    when span <= interval '4 days' then interval '1 hour'
    else interval '3 hours'
  end;
end $function$;
CREATE OR REPLACE FUNCTION public.get_request_stats(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  until constant timestamptz := coalesce((input ->> 'until')::timestamptz, now());
  since constant timestamptz := coalesce((input ->> 'since')::timestamptz, until - interval '1 day');
  step constant interval := private.chart_step(until - since);
  steps jsonb;
begin
  perform private.enter(request, 'get_request_stats');
  execute format($q$
    select jsonb_agg(jsonb_build_object(
      'start', private.iso(s.start), 'calls', s.calls, 'client_errors', s.client_errors, 'server_errors', s.server_errors,
      'p50_ms', s.times[1], 'p99_ms', s.times[2]
    ) order by s.start)
    from (
      select date_bin($1, r.at, 'epoch') as start, count(*) as calls, count(*) filter (where r.status between 400 and 499) as client_errors,
        count(*) filter (where r.status >= 500) as server_errors,
        percentile_disc('{0.5,0.99}'::double precision[]) within group (order by r.duration_ms) as times
      from public.request_log r where %s group by 1
    ) s
  $q$, private.request_log_conditions(input || jsonb_build_object('since', private.iso(since), 'until', private.iso(until))))
  into steps using step;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'since', private.iso(since), 'until', private.iso(until),
    'step_seconds', extract(epoch from step)::integer, 'steps', coalesce(steps, '[]')
  );
end $function$;
CREATE TRIGGER count_inserted AFTER INSERT ON public.exceptions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.count_inserted_exceptions();
CREATE TRIGGER count_updated AFTER UPDATE ON public.exceptions REFERENCING OLD TABLE AS before_update NEW TABLE AS after_update FOR EACH STATEMENT EXECUTE FUNCTION private.count_updated_exceptions();
CREATE TRIGGER count_written AFTER INSERT ON public.exception_ledger REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION private.count_ledger_rows();
CREATE TRIGGER guard BEFORE INSERT ON public.exception_comments FOR EACH ROW EXECUTE FUNCTION private.guard_exception_comment();
CREATE TRIGGER tell AFTER INSERT ON public.exception_comments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.tell_exception_comments();
create policy exception_comments_insert on public.exception_comments as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:exceptions'::text]) AS may)));
create policy exception_comments_read on public.exception_comments as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:exceptions'::text, 'write:exceptions'::text]) AS may)));
create policy invitations_insert on public.invitations as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:people'::text]) AS may)));
create policy invitations_read on public.invitations as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:people'::text]) AS may)));
create policy invitations_update on public.invitations as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:people'::text]) AS may)))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
create policy request_log_read on public.request_log as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:requests'::text]) AS may)));
grant execute on function private.accept_invitation(text,uuid,text,jsonb) to service_role;
grant execute on function private.begin_invitation_mail(text,text,text) to service_role;
grant execute on function private.begin_password_reset_mail(text,text) to service_role;
grant execute on function private.change_account(uuid,jsonb,jsonb,text) to authenticated;
grant execute on function private.change_password(uuid,text,text,text,jsonb) to service_role;
grant execute on function private.chart_step(interval) to authenticated;
grant execute on function private.deliveries_page(jsonb) to authenticated;
grant execute on function private.due_sums(timestamp with time zone,integer) to authenticated;
grant execute on function private.emit_test(text,text,jsonb) to authenticated;
grant execute on function private.end_invitation_link(text) to authenticated;
grant execute on function private.end_invitation_mail(text,text) to service_role;
grant execute on function private.exception_comment_json(public.exception_comments) to authenticated;
grant execute on function private.find_invitation(text) to service_role;
grant execute on function private.fold_exception_counters(integer) to service_role;
grant execute on function private.has_namesake(text) to authenticated;
grant execute on function private.invitation_json(public.invitations) to authenticated;
grant execute on function private.invitation_status(public.invitations) to authenticated;
grant execute on function private.invitation_version(public.invitations) to authenticated;
grant execute on function private.is_member_address(text) to authenticated;
grant execute on function private.is_password_reset(text) to service_role;
grant execute on function private.lock_invitation(text) to authenticated;
grant execute on function private.logged_request_json(public.request_log) to authenticated;
grant execute on function private.may_call(text) to authenticated;
grant execute on function private.overview_exceptions(timestamp with time zone) to authenticated;
grant execute on function private.overview_keys(timestamp with time zone,integer) to authenticated;
grant execute on function private.overview_reconciliations(integer) to authenticated;
grant execute on function private.overview_webhooks(timestamp with time zone,integer) to authenticated;
grant execute on function private.record_requests(uuid,jsonb) to service_role;
grant execute on function private.request_log_conditions(jsonb) to authenticated;
grant execute on function private.request_password_reset(text) to service_role;
grant execute on function private.reset_password(text,text,text,jsonb) to service_role;
grant execute on function private.roll_request_log() to service_role;
grant execute on function private.score(text) to authenticated;
grant execute on function private.send_invitation(text) to authenticated;
grant execute on function private.tenant_account(uuid) to authenticated;
grant execute on function private.tenant_account_page(text,text,integer) to authenticated;
grant execute on function private.usage_week() to authenticated;
grant execute on function public.accept_invitation(text,uuid,text,jsonb) to service_role;
grant execute on function public.change_password(uuid,text,text,text,jsonb) to service_role;
grant execute on function public.create_exception_comment(jsonb,jsonb) to authenticated;
grant execute on function public.create_invitation(jsonb,jsonb) to authenticated;
grant execute on function public.find_invitation(text) to service_role;
grant execute on function public.get_overview(jsonb,jsonb) to authenticated;
grant execute on function public.get_request(jsonb,jsonb) to authenticated;
grant execute on function public.get_request_stats(jsonb,jsonb) to authenticated;
grant execute on function public.get_tenant_member(jsonb,jsonb) to authenticated;
grant execute on function public.get_webhook_stats(jsonb,jsonb) to authenticated;
grant execute on function public.is_password_reset(text) to service_role;
grant execute on function public.list_deliveries(jsonb,jsonb) to authenticated;
grant execute on function public.list_exception_comments(jsonb,jsonb) to authenticated;
grant execute on function public.list_invitations(jsonb,jsonb) to authenticated;
grant execute on function public.list_requests(jsonb,jsonb) to authenticated;
grant execute on function public.list_tenant_members(jsonb,jsonb) to authenticated;
grant execute on function public.record_requests(uuid,jsonb) to service_role;
grant execute on function public.remove_tenant_member(jsonb,jsonb) to authenticated;
grant execute on function public.request_password_reset(text) to service_role;
grant execute on function public.resend_invitation(jsonb,jsonb) to authenticated;
grant execute on function public.reset_password(text,text,text,jsonb) to service_role;
grant execute on function public.revoke_invitation(jsonb,jsonb) to authenticated;
grant execute on function public.update_tenant_member(jsonb,jsonb) to authenticated;
grant insert (body, exception_id) on public.exception_comments to authenticated;
grant insert (email, roles) on public.invitations to authenticated;
grant select on public.exception_comments to authenticated;
grant select on public.exception_comments to service_role;
grant select on public.invitations to authenticated;
grant select on public.request_log to authenticated;
grant select on public.request_log to service_role;
grant update (expires_at, requested_at, revoked_at, revoked_by, sent_at) on public.invitations to authenticated;
insert into private.permissions select (row_text::private.permissions).* from (values
  ('(close:reconciliations,{user},"{tenant_admin,tenant_lead}",)'),
  ('(decide:matches,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:reconciliations)'),
  ('(read:api-keys,{user},{tenant_admin},)'),
  ('(read:calendars,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:first-steps,{user},{tenant_admin},)'),
  ('(read:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:integrations)'),
  ('(read:me,"{user,api_key,service_role,publishable_key}",,)'),
  ('(read:members,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:overview,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:people,{user},{tenant_admin},)'),
  ('(read:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:reconciliations)'),
  ('(read:release-notes,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:release-notes)'),
  ('(read:requests,"{user,api_key,service_role}",{tenant_admin},read:requests)'),
  ('(read:security-events,"{user,service_role}",{tenant_admin},)'),
  ('(read:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla-policy,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:troubleshooting,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:troubleshooting)'),
  ('(read:webhooks,"{user,api_key,service_role}",{tenant_admin},read:webhooks)'),
  ('(restore:integrations,"{user,service_role}",{tenant_admin},)'),
  ('(restore:release-notes,"{user,service_role}",{tenant_admin},)'),
  ('(restore:troubleshooting,"{user,service_role}",{tenant_admin},)'),
  ('(write:api-keys,{user},{tenant_admin},)'),
  ('(write:calendars,"{user,service_role}",{tenant_admin},)'),
  ('(write:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:exceptions)'),
  ('(write:first-steps,{user},{tenant_admin},)'),
  ('(write:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:integrations)'),
  ('(write:people,{user},{tenant_admin},)'),
  ('(write:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:reconciliations)'),
  ('(write:release-notes,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:release-notes)'),
  ('(write:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:sla-policy,"{user,service_role}","{tenant_admin,tenant_lead}",)'),
  ('(write:troubleshooting,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:troubleshooting)'),
  ('(write:webhooks,"{user,api_key,service_role}",{tenant_admin},write:webhooks)')
) as given (row_text);
insert into private.operations select (row_text::private.operations).* from (values
  ('(add_lines,addLines,write:reconciliations)'),
  ('(close_reconciliation,closeReconciliation,close:reconciliations)'),
  ('(confirm_match,confirmMatch,decide:matches)'),
  ('(continue_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(create_api_key,createApiKey,write:api-keys)'),
  ('(create_calendar,createCalendar,write:calendars)'),
  ('(create_exception,createException,write:exceptions)'),
  ('(create_exception_comment,createExceptionComment,write:exceptions)'),
  ('(create_import,createImport,write:reconciliations)'),
  ('(create_invitation,createInvitation,write:people)'),
  ('(create_match,createMatch,write:reconciliations)'),
  ('(create_reconciliation,createReconciliation,write:reconciliations)'),
  ('(create_record,createIntegration,write:integrations)'),
  ('(create_record,createReleaseNote,write:release-notes)'),
  ('(create_record,createTroubleshootingGuide,write:troubleshooting)'),
  ('(create_run,createRun,write:reconciliations)'),
  ('(create_source,createSource,write:reconciliations)'),
  ('(create_webhook,createWebhook,write:webhooks)'),
  ('(decide_matches,decideMatches,decide:matches)'),
  ('(delete_record,deleteIntegration,write:integrations)'),
  ('(delete_record,deleteReleaseNote,write:release-notes)'),
  ('(delete_record,deleteTroubleshootingGuide,write:troubleshooting)'),
  ('(delete_webhook,deleteWebhook,write:webhooks)'),
  ('(drop_import,createImport,write:reconciliations)'),
  ('(enable_webhook,enableWebhook,write:webhooks)'),
  ('(end_sessions,endSessions,write:sessions)'),
  ('(estimate_api_key_impact,estimateApiKeyImpact,read:api-keys)'),
  ('(exclude_line,excludeLine,write:reconciliations)'),
  ('(get_api_key,getApiKey,read:api-keys)'),
  ('(get_api_key_usage,getApiKeyUsage,read:api-keys)'),
  ('(get_calendar,getCalendar,read:calendars)'),
  ('(get_calendar,getCalendarIcs,read:calendars)'),
  ('(get_exception,getException,read:exceptions)'),
  ('(get_exception_ledger,getExceptionLedger,read:exceptions)'),
  ('(get_first_steps,getFirstSteps,read:first-steps)'),
  ('(get_import,getImport,read:reconciliations)'),
  ('(get_line,getLine,read:reconciliations)'),
  ('(get_match,getMatch,read:reconciliations)'),
  ('(get_me,getMe,read:me)'),
  ('(get_overview,getOverview,read:overview)'),
  ('(get_proof,getProof,read:reconciliations)'),
  ('(get_reconciliation,getReconciliation,read:reconciliations)'),
  ('(get_record,getIntegration,read:integrations)'),
  ('(get_record,getReleaseNote,read:release-notes)'),
  ('(get_record,getTroubleshootingGuide,read:troubleshooting)'),
  ('(get_request,getRequest,read:requests)'),
  ('(get_request_stats,getRequestStats,read:requests)'),
  ('(get_rules,getRules,read:reconciliations)'),
  ('(get_run,getRun,read:reconciliations)'),
  ('(get_security_event,getSecurityEvent,read:security-events)'),
  ('(get_sla_policy,getSlaPolicy,read:sla-policy)'),
  ('(get_sla_report,exportSlaReport,read:sla)'),
  ('(get_sla_report,getSlaReport,read:sla)'),
  ('(get_source,addLines,write:reconciliations)'),
  ('(get_source,getSource,read:reconciliations)'),
  ('(get_statement,getStatement,read:reconciliations)'),
  ('(get_tenant_member,getTenantMember,read:people)'),
  ('(get_time_to_breach,getTimeToBreach,read:sla)'),
  ('(get_webhook,getWebhook,read:webhooks)'),
  ('(get_webhook_delivery,getWebhookDelivery,read:webhooks)'),
  ('(get_webhook_stats,getWebhookStats,read:webhooks)'),
  ('(import_exceptions,importExceptions,write:exceptions)'),
  ('(include_line,includeLine,write:reconciliations)'),
  ('(keep_import_chunk,createImport,write:reconciliations)'),
  ('(list_api_keys,listApiKeys,read:api-keys)'),
  ('(list_calendar_versions,listCalendarVersions,read:calendars)'),
  ('(list_calendars,listCalendars,read:calendars)'),
  ('(list_decisions,listDecisions,read:reconciliations)'),
  ('(list_deliveries,listDeliveries,read:webhooks)'),
  ('(list_exception_comments,listExceptionComments,read:exceptions)'),
  ('(list_exception_history,listExceptionHistory,read:exceptions)'),
  ('(list_exceptions,listExceptions,read:exceptions)'),
  ('(list_holidays,listHolidayCountries,read:calendars)'),
  ('(list_holidays,listHolidays,read:calendars)'),
  ('(list_imports,listImports,read:reconciliations)'),
  ('(list_invitations,listInvitations,read:people)'),
  ('(list_line_history,listLineHistory,read:reconciliations)'),
  ('(list_line_suggestions,listLineSuggestions,read:reconciliations)'),
  ('(list_lines,listLines,read:reconciliations)'),
  ('(list_matches,listMatches,read:reconciliations)'),
  ('(list_members,listMembers,read:members)'),
  ('(list_open_hours,listOpenHours,read:calendars)'),
  ('(list_open_lines,listOpenLines,read:reconciliations)'),
  ('(list_outstanding_lines,exportStatement,read:reconciliations)'),
  ('(list_reconciliations,listReconciliations,read:reconciliations)'),
  ('(list_records,listIntegrations,read:integrations)'),
  ('(list_records,listReleaseNotes,read:release-notes)'),
  ('(list_records,listTroubleshooting,read:troubleshooting)'),
  ('(list_requests,listRequests,read:requests)'),
  ('(list_runs,listRuns,read:reconciliations)'),
  ('(list_security_events,listSecurityEvents,read:security-events)'),
  ('(list_sessions,listSessions,read:sessions)'),
  ('(list_sla_exceptions,exportSlaExceptions,read:sla)'),
  ('(list_sla_exceptions,listSlaExceptions,read:sla)'),
  ('(list_sources,listSources,read:reconciliations)'),
  ('(list_suggestion_bands,listSuggestionBands,read:reconciliations)'),
  ('(list_tenant_members,listTenantMembers,read:people)'),
  ('(list_webhook_deliveries,listWebhookDeliveries,read:webhooks)'),
  ('(list_webhooks,listWebhooks,read:webhooks)'),
  ('(open_import,createImport,write:reconciliations)'),
  ('(open_security_event_chain,verifySecurityEvents,read:security-events)'),
  ('(open_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(pause_exception,pauseException,write:exceptions)'),
  ('(preview_import,createImport,write:reconciliations)'),
  ('(put_calendar,putCalendar,write:calendars)'),
  ('(put_first_steps,putFirstSteps,write:first-steps)'),
  ('(put_rules,putRules,write:reconciliations)'),
  ('(put_sla_policy,putSlaPolicy,write:sla-policy)'),
  ('(read_ics,readIcs,write:calendars)'),
  ('(recover_webhook,recoverWebhook,write:webhooks)'),
  ('(reject_match,rejectMatch,decide:matches)'),
  ('(remove_tenant_member,removeTenantMember,write:people)'),
  ('(reopen_reconciliation,reopenReconciliation,close:reconciliations)'),
  ('(resend_invitation,resendInvitation,write:people)'),
  ('(resend_webhook_delivery,resendWebhookDelivery,write:webhooks)'),
  ('(restore_record,restoreIntegration,restore:integrations)'),
  ('(restore_record,restoreReleaseNote,restore:release-notes)'),
  ('(restore_record,restoreTroubleshootingGuide,restore:troubleshooting)'),
  ('(resume_exception,resumeException,write:exceptions)'),
  ('(revoke_api_key,revokeApiKey,write:api-keys)'),
  ('(revoke_invitation,revokeInvitation,write:people)'),
  ('(rotate_api_key,rotateApiKey,write:api-keys)'),
  ('(rotate_webhook_secret,rotateWebhookSecret,write:webhooks)'),
  ('(sample_suggestions,sampleSuggestions,read:reconciliations)'),
  ('(test_webhook,testWebhook,write:webhooks)'),
  ('(undo_decision,undoDecision,decide:matches)'),
  ('(undo_import,undoImport,write:reconciliations)'),
  ('(undo_match,undoMatch,write:reconciliations)'),
  ('(update_api_key,updateApiKey,write:api-keys)'),
  ('(update_exception,updateException,write:exceptions)'),
  ('(update_exceptions,updateExceptions,write:exceptions)'),
  ('(update_reconciliation,updateReconciliation,write:reconciliations)'),
  ('(update_record,updateIntegration,write:integrations)'),
  ('(update_record,updateReleaseNote,write:release-notes)'),
  ('(update_record,updateTroubleshootingGuide,write:troubleshooting)'),
  ('(update_source,updateSource,write:reconciliations)'),
  ('(update_tenant_member,updateTenantMember,write:people)'),
  ('(update_webhook,updateWebhook,write:webhooks)'),
  ('(walk_security_event_chain,verifySecurityEvents,read:security-events)')
) as given (row_text);
insert into private.event_kinds select (row_text::private.event_kinds).* from (values
  ('(api_key.expiring,read:api-keys)'),
  ('(api_key.revoked,read:api-keys)'),
  ('(exception.commented,read:exceptions)'),
  ('(exception.created,read:exceptions)'),
  ('(exception.paused,read:exceptions)'),
  ('(exception.resolved,read:exceptions)'),
  ('(exception.resumed,read:exceptions)'),
  ('(exception.sla.at_risk,read:exceptions)'),
  ('(exception.sla.breached,read:exceptions)'),
  ('(exception.updated,read:exceptions)'),
  ('(import.done,read:reconciliations)'),
  ('(match.undone,read:reconciliations)'),
  ('(reconciliation.closed,read:reconciliations)'),
  ('(reconciliation.reopened,read:reconciliations)'),
  ('(run.done,read:reconciliations)'),
  ('(webhook.disabled,read:webhooks)'),
  ('(webhook.failing,read:webhooks)'),
  ('(webhook.test,read:webhooks)')
) as given (row_text);
