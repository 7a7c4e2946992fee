drop function public.list_sla_exceptions(jsonb, jsonb); drop function private.exception_json(public.exceptions, timestamptz);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
create table public.notification_settings (
  tenant_id text not null default private.tenant_id(),
  subject text not null default (auth.jwt() ->> 'sub'::text),
  is_account boolean not null default false,
  exception_breached text not null default 'mine'::text,
  exception_at_risk text not null default 'off'::text,
  assigned boolean not null default true,
  mentioned boolean not null default true,
  webhook_failing boolean not null default true,
  api_key_expiring boolean not null default true
);
create table public.alert_channels (
  id text not null default private.new_id('ach'::text),
  tenant_id text not null default private.tenant_id(),
  name text not null,
  url_hint text not null,
  kinds text[] not null,
  last_sent_at timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  last_failure text,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  deleted_at timestamp(3) with time zone
);
create table private.alert_channel_urls (
  tenant_id text not null,
  channel_id text not null,
  url_id text not null,
  sealed text not null
);
create table private.alert_events (
  tenant_id text not null,
  event_id text not null,
  actor text not null default private.actor()
);
create table private.alert_bundles (
  tenant_id text not null,
  id text not null default private.new_id('alb'::text),
  recipient text not null,
  kind text not null,
  created_at timestamp(3) with time zone not null default now(),
  settled_at timestamp(3) with time zone
);
create table private.alerts (
  tenant_id text not null,
  recipient text not null,
  kind text not null,
  event_id text not null,
  subject text not null,
  created_at timestamp(3) with time zone not null default now(),
  bundle_id text
);
alter table private.alert_bundles add constraint alert_bundles_pkey PRIMARY KEY (tenant_id, id);
alter table private.alert_channel_urls add constraint alert_channel_urls_pkey PRIMARY KEY (tenant_id, channel_id);
alter table private.alert_events add constraint alert_events_pkey PRIMARY KEY (tenant_id, event_id);
alter table private.alerts add constraint alerts_pkey PRIMARY KEY (tenant_id, recipient, kind, event_id);
alter table public.alert_channels add constraint alert_channels_pkey PRIMARY KEY (tenant_id, id);
alter table public.notification_settings add constraint notification_settings_pkey PRIMARY KEY (tenant_id, subject, is_account);
alter table public.alert_channels add constraint alert_channels_kinds_check CHECK (((cardinality(kinds) >= 1) AND (cardinality(kinds) <= 4)));
alter table public.alert_channels add constraint alert_channels_kinds_check1 CHECK ((kinds <@ '{exception_breached,exception_at_risk,webhook_failing,api_key_expiring}'::text[]));
alter table public.alert_channels add constraint alert_channels_last_failure_check CHECK ((length(last_failure) <= 500));
alter table public.alert_channels add constraint alert_channels_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120)));
alter table public.alert_channels add constraint alert_channels_url_hint_check CHECK (((length(url_hint) >= 1) AND (length(url_hint) <= 300)));
alter table public.notification_settings add constraint notification_settings_exception_at_risk_check CHECK ((exception_at_risk = ANY (ARRAY['mine'::text, 'all'::text, 'off'::text])));
alter table public.notification_settings add constraint notification_settings_exception_breached_check CHECK ((exception_breached = ANY (ARRAY['mine'::text, 'all'::text, 'off'::text])));
CREATE INDEX alert_bundles_by_age ON private.alert_bundles USING btree (created_at);
CREATE INDEX alert_bundles_by_recipient ON private.alert_bundles USING btree (tenant_id, recipient, kind, created_at);
CREATE INDEX alerts_by_age ON private.alerts USING btree (created_at);
CREATE INDEX alerts_by_bundle ON private.alerts USING btree (tenant_id, bundle_id);
CREATE INDEX alerts_waiting ON private.alerts USING btree (tenant_id, recipient, kind) WHERE (bundle_id IS NULL);
CREATE INDEX alert_channels_by_tenant ON public.alert_channels USING btree (tenant_id, id DESC) WHERE (deleted_at IS NULL);
alter table private.alert_channel_urls add constraint alert_channel_urls_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES public.alert_channels(tenant_id, id);
alter table public.alert_channels add constraint alert_channels_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.notification_settings add constraint notification_settings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table private.alert_bundles enable row level security; alter table private.alert_bundles no force row level security;
alter table private.alert_channel_urls enable row level security; alter table private.alert_channel_urls no force row level security;
alter table private.alert_events enable row level security; alter table private.alert_events no force row level security;
alter table private.alerts enable row level security; alter table private.alerts no force row level security;
alter table public.alert_channels enable row level security; alter table public.alert_channels no force row level security;
alter table public.notification_settings enable row level security; alter table public.notification_settings no force row level security;
CREATE OR REPLACE FUNCTION private.tenants_of_email(email text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select private.tenants_of_claims(u.raw_app_meta_data) from auth.users u where lower(u.email) = lower($1) limit 1);
end $function$;
CREATE OR REPLACE FUNCTION private.line_no_of(id text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
AS $function$
declare
  sought constant uuid := private.line_id($1);
begin
  return (select x.line_no from public.lines x where x.tenant_id = private.tenant_id() and x.id >= sought and x.id <= sought order by x.id limit 1);
end $function$;
CREATE OR REPLACE FUNCTION private.own_lines(r public.reconciliations, input jsonb, source_nos integer[], most integer)
 RETURNS TABLE(n bigint, line_no bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  q constant text := nullif(btrim(input ->> 'q'), '');
  state constant text := input ->> 'state';
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- Of a line that is gone meanwhile: its day is begun anew.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1), 9223372036854775807);
  few bigint[];
  is_searched boolean := false;
  stands text;
  of_standing text;
  filters text;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if q is not null then
    few := private.find_own_lines(q, source_nos, 5000);
    is_searched := few is not null;
  end if;
  if few is null and r.pair_no is not null then
    few := private.few_own_lines(r, state, 5000);
  end if;
  stands := case when few is null and r.pair_no is not null and state in ('open', 'partly_matched', 'outstanding') then
    case when r.closed_at is null then 'private.open_lines w where w.tenant_id = $1 and w.pair_no = $3.pair_no'
    else 'public.carried_lines w where w.tenant_id = $1 and w.reconciliation_id = $3.id' end end;
  filters := concat_ws(' and ',
    case when q is not null and not is_searched then private.line_search(q, 'private.line_text(x)') end,
    case when stands is null and after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null then $c$x.import_id = $2 ->> 'import_id' and x.line_no between
      (select i.first_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id') and
      (select i.last_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end,
    case when r.id is not null then 'x.value_date <= $3.period_end' end,
    case when r.id is not null and stands is null then format('(%s or %s or %s)',
      private.line_was(case when r.closed_at is null then 'open' else 'carried' end), private.line_was('matched'), private.line_was('excluded')) end,
    case when r.closed_at is not null then case when stands is null or state <> 'outstanding' then private.line_state_was(state) end
      when stands is null and state is not null then private.line_state_is(state, exists (
        select from unnest(source_nos) x join public.pairs p on p.tenant_id = tenant and x in (p.left_source_no, p.right_source_no)
        where r.id is null group by x having count(*) > 1
      )) end,
    'true'
  );
  of_standing := concat_ws(' and ', 'w.side = s.side and w.value_date <= $3.period_end',
    case when after_date is not null then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when r.closed_at is null then
      case state when 'open' then 'w.open_minor = w.amount_minor' when 'partly_matched' then 'w.open_minor <> w.amount_minor' end end);
  return query execute format($sql$
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (
      select x.source_no, coalesce($3.pair_no, (
        select p.pair_no from public.pairs p where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no) limit 1
      )) as pair_no, case x.source_no when (
        select p.left_source_no from public.pairs p where p.tenant_id = $1 and p.pair_no = $3.pair_no) then 'left' else 'right' end as side
      from unnest($4) x (source_no)
    ) s cross join lateral (%s limit $8) l
    order by l.value_date desc, l.line_no desc limit $8 $sql$, case
    when few is not null then format($sql$
      select x.value_date, x.line_no from unnest($5) h (line_no)
      cross join lateral (select * from public.lines y where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
      where x.source_no = s.source_no and %s order by x.value_date desc, x.line_no desc $sql$, filters)
    when stands is not null then format($sql$
      select w.value_date, w.line_no from %s and %s and exists (
        select from (select * from public.lines y where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x where %s offset 0
      ) order by w.value_date desc, w.line_no desc $sql$, stands, of_standing, filters)
    else format($sql$
      select x.value_date, x.line_no from public.lines x
      where x.tenant_id = $1 and x.source_no = s.source_no and %s order by x.value_date desc, x.line_no desc $sql$, filters)
    end)
  using tenant, input, r, source_nos, few, after_date, after_no, most;
end $function$;
CREATE OR REPLACE FUNCTION public.list_open_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  q constant text := nullif(btrim(input ->> 'q'), '');
  r public.reconciliations;
  -- Of a line that is gone meanwhile: its day or amount is begun anew.
  after_no bigint;
  hits bigint[];
  items jsonb;
begin
  perform private.enter(request, 'list_open_lines');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return private.page(null, page_size, 'id');
  end if;
  if input ->> 'after' is not null then
    after_no := coalesce(private.line_no_of(input -> 'after' ->> 1), 0);
  end if;
  if q is not null then
    hits := private.find_own_lines(q, (
      select array[p.left_source_no, p.right_source_no] from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no), 5000);
  end if;
  select jsonb_agg(private.open_line_json(l, o.side, o.amount_minor, o.open_minor, r) order by o.n) into items
  from private.own_open_lines(r, input, hits, private.amount_of_word(q), after_no, page_size + 1) o
  cross join lateral (select * from public.lines y where y.tenant_id = r.tenant_id and y.line_no = o.line_no offset 0) l;
  return private.page(items, page_size, case input ->> 'sort' when 'amount' then 'open_minor' else 'value_date' end, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.extend_calendars(batch integer DEFAULT 20)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c record;
  extended integer := 0;
begin
  for c in
    select x.tenant_id, x.calendar_no from private.calendar_coverage x
    where x.covered_until < now() + interval '3 years' and (
      exists (
        select from public.exceptions e
        where e.tenant_id = x.tenant_id and e.calendar_no = x.calendar_no and e.status in ('open', 'in_review')
      ) or exists (
        select from public.sla_policies p, unnest(array['critical', 'high', 'medium', 'low']) severity
        where p.tenant_id = x.tenant_id
          and private.current_calendar_no(p.tenant_id, private.policy_calendar(p, severity)) = x.calendar_no
      )
    ) order by x.covered_until limit batch for update skip locked
  loop
    perform private.extend_business_time(c.tenant_id, c.calendar_no, now(), now() + interval '3 years 1 month');
    extended := extended + 1;
  end loop;
  return extended;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_json(e public.exceptions, as_of timestamp with time zone DEFAULT now())
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  is_open constant boolean := e.status in ('open', 'in_review');
  is_paused constant boolean := e.paused_at is not null and coalesce(e.paused_until > as_of, true);
  due_at constant timestamptz := case when e.paused_at is null then e.due_at else private.deadline(e, as_of) end;
  minutes constant bigint := case when is_open then private.minutes_to_breach(due_at, as_of) end;
begin
  return json_build_object(
    'id', e.id, 'title', e.title, 'severity', e.severity, 'assigned_to', e.assigned_to, 'due_at', private.iso(due_at),
    'minutes_to_breach', minutes, 'breach_risk', case when is_paused then 'low' when minutes is not null then private.breach_risk(minutes) end,
    'business_minutes_remaining', case when is_open and e.calendar_no is not null then private.business_minutes_remaining(e, as_of) end,
    'calendar_id', e.calendar_id, 'paused_at', case when is_paused then private.iso(e.paused_at) end,
    'paused_until', case when is_paused then private.iso(e.paused_until) end, 'pause_reason', case when is_paused then e.pause_reason end,
    'status', e.status, 'reason_code', e.reason_code, 'amount_minor', e.amount_minor, 'currency', e.currency,
    'reconciliation_id', e.reconciliation_id,
    'line_id', 'lin_' || replace(e.line_id::text, '-', ''), 'suggested_match_id', 'mat_' || replace(e.suggested_match_id::text, '-', ''), 'details', e.details, 'resolution', e.resolution,
    'created_at', private.iso(e.created_at), 'created_by', e.created_by, 'updated_at', private.iso(e.updated_at),
    'closed_at', private.iso(e.closed_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.versioned_exception_json(e public.exceptions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.exception_json(e)::jsonb || jsonb_build_object('version', private.exception_version(e));
end $function$;
CREATE OR REPLACE FUNCTION public.create_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_exception');
  created public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_reconciliation(input ->> 'reconciliation_id');
  select * into created from private.insert_exceptions(jsonb_build_array(input));
  return private.answer(request, private.versioned_exception_json(created));
end $function$;
CREATE OR REPLACE FUNCTION public.get_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
begin
  perform private.enter(request, 'get_exception');
  e := private.find_exception(input ->> 'id');
  return private.versioned_exception_json(e);
end $function$;
CREATE OR REPLACE FUNCTION public.update_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_exception');
  patch constant jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  select * into before from public.exceptions e where e.tenant_id = private.tenant_id() and e.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('exception');
  end if;
  perform private.require_version(private.exception_version(before), request -> 'versions');
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  after := private.patch_exception(before, patch);
  if after is distinct from before then
    update public.exceptions e set
      title = after.title, severity = after.severity, assigned_to = after.assigned_to, due_at = after.due_at,
      due_from_policy = after.due_from_policy, status = after.status, reason_code = after.reason_code, amount_minor = after.amount_minor,
      currency = after.currency, reconciliation_id = after.reconciliation_id, details = after.details, resolution = after.resolution
    where e.tenant_id = before.tenant_id and e.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.versioned_exception_json(after));
end $function$;
CREATE OR REPLACE FUNCTION public.pause_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'pause_exception');
  e public.exceptions;
  p public.sla_policies;
  fault text;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.hold_exception(input ->> 'id');
  select * into p from public.sla_policies x where x.tenant_id = e.tenant_id;
  perform private.require_pause_end((input ->> 'until')::timestamptz, p);
  fault := private.pause_fault(e, p);
  if fault is not null then
    perform private.refuse('conflict', fault);
  end if;
  update public.exceptions x set paused_at = now(), paused_until = (input ->> 'until')::timestamptz, pause_reason = input ->> 'reason'
  where x.tenant_id = e.tenant_id and x.id = e.id returning * into e;
  return private.answer(request, private.versioned_exception_json(e));
end $function$;
CREATE OR REPLACE FUNCTION public.resume_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'resume_exception');
  e public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.hold_exception(input ->> 'id');
  if e.paused_at is null then
    perform private.refuse('conflict', 'It is not paused.');
  end if;
  update public.exceptions x set paused_at = null where x.tenant_id = e.tenant_id and x.id = e.id returning * into e;
  return private.answer(request, private.versioned_exception_json(e));
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_exceptions(input jsonb, request jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  sort_by constant text := input ->> 'sort_by';
  sort_key constant text := concat_ws(', ', case sort_by when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to'
    when 'amount' then 'e.currency, e.amount_minor desc' end, 'e.due_at', 'e.id');
  -- As a cursor says it: nobody comes last.
  rank constant text := case sort_by
    when 'severity' then 'e.severity_rank::text' when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
    when 'amount' then 'private.amount_rank(e.currency, e.amount_minor)' else $q$''::text$q$
  end;
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and $q$ || private.exception_conditions(input, as_of);
  few text[];
  items json;
  last_place json;
  has_more boolean;
begin
  perform private.enter(request, 'list_sla_exceptions');
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  if input ->> 'q' is not null then
    few := private.few_with_words(input ->> 'q');
    conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($3)' end;
    perform set_config('enable_sort', (few is not null)::text, true);
  end if;
  execute (
    select format($q$
      select json_agg(private.exception_json(p.e, $1)) filter (where p.number <= $2),
        json_agg(json_build_array(p.rank, case when (p.e).due_at = 'infinity' then 'infinity' else private.iso((p.e).due_at) end, (p.e).id))
          filter (where p.number = $2) -> 0, max(p.number) > $2
      from (select o.*, row_number() over () as number
        from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $2 + 1) o) p
    $q$, string_agg(format('(select e, %s as rank from public.exceptions e where %s and %s and %s order by %s limit $2 + 1)', rank, conditions, a, v,
      sort_key), ' union all '))
    from unnest(private.stretches_after(sort_by, input -> 'after')) a cross join unnest(private.stretches_of(input, as_of)) v
  )
  into items, last_place, has_more using as_of, page_size, few;
  -- As json, whose texts are joined where jsonb's trees would be built anew at each step: half the time of this, the most frequent of lists.
  return json_build_object('items', coalesce(items, '[]'), 'next', case when has_more then last_place end,
    'summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.tenants_of_claims(claims jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case jsonb_typeof(claims -> 'tenants')
    when 'object' then array(select jsonb_object_keys(claims -> 'tenants'))
    when 'array' then array(select t #>> '{}' from jsonb_array_elements(claims -> 'tenants') t where jsonb_typeof(t) = 'string')
    else '{}'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.forget_password_reset(token_hash text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from private.password_resets r where r.token_hash = $1;
end $function$;
CREATE OR REPLACE FUNCTION public.list_requests(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
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
CREATE OR REPLACE FUNCTION public.get_request_stats(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
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
CREATE OR REPLACE FUNCTION private.alert_kind(type text, data jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case type
    when 'exception.sla.breached' then 'exception_breached'
    when 'exception.sla.at_risk' then 'exception_at_risk'
    when 'exception.created' then case when data #>> '{exception,assigned_to}' is not null then 'assigned' end
    when 'exception.updated' then case when data #>> '{changes,assigned_to,to}' is not null then 'assigned' end
    when 'exception.commented' then case when jsonb_array_length(private.mentions(data)) > 0 then 'mentioned' end
    when 'webhook.failing' then 'webhook_failing'
    when 'webhook.disabled' then 'webhook_failing'
    when 'api_key.expiring' then 'api_key_expiring'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.mentions(data jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  named constant jsonb := data #> '{comment,mentions}';
begin
  return case when jsonb_typeof(named) = 'array' then named else '[]' end;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_alert_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.alert_events (tenant_id, event_id)
  select e.tenant_id, e.id from emitted e
  -- A test of a webhook carries example data: nothing happened.
  where e.test_of is null and private.alert_kind(e.type, e.data) is not null;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.own_address()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select u.email from auth.users u where u.id::text = auth.jwt() ->> 'sub' and private.principal_type() = 'user');
end $function$;
CREATE OR REPLACE FUNCTION private.notification_settings_json(is_account boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  s public.notification_settings;
begin
  select * into s from public.notification_settings x
  where x.tenant_id = private.tenant_id() and x.subject = auth.jwt() ->> 'sub' and x.is_account = $1;
  return jsonb_build_object(
    'email', case when $1 then private.own_address() end,
    'exception_breached', coalesce(s.exception_breached, 'mine'), 'exception_at_risk', coalesce(s.exception_at_risk, 'off'),
    'assigned', coalesce(s.assigned, true), 'mentioned', coalesce(s.mentioned, true),
    'webhook_failing', coalesce(s.webhook_failing, true), 'api_key_expiring', coalesce(s.api_key_expiring, true)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.alert_channel_json(c public.alert_channels)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', c.id, 'name', c.name, 'url_hint', c.url_hint, 'kinds', c.kinds, 'last_sent_at', private.iso(c.last_sent_at),
    'last_failure_at', private.iso(c.last_failure_at), 'last_failure', c.last_failure, 'created_at', private.iso(c.created_at),
    'created_by', c.created_by, 'version', private.version_of(jsonb_build_array(c.name, c.url_hint, c.kinds, c.deleted_at))
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lock_alert_channel(id text, versions jsonb)
 RETURNS public.alert_channels
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.alert_channels;
begin
  select * into c from public.alert_channels x where x.tenant_id = private.tenant_id() and x.id = $1 and x.deleted_at is null for no key update;
  if not found then
    perform private.refuse_missing('alert channel');
  end if;
  perform private.require_version((private.alert_channel_json(c) ->> 'version')::bigint, versions);
  return c;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_alert_channel_url(channel_id text, url_id text, sealed text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not private.may('write:alert-channels') then
    perform private.refuse('role_required', 'This credential does not allow this operation.');
  end if;
  delete from private.alert_channel_urls x where x.tenant_id = private.tenant_id() and x.channel_id = $1;
  insert into private.alert_channel_urls (tenant_id, channel_id, url_id, sealed)
  select c.tenant_id, c.id, $2, $3 from public.alert_channels c where c.tenant_id = private.tenant_id() and c.id = $1 and $3 is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_test_alert(channel_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.may('write:alert-channels') then
    perform graphile_worker.add_job('send_test_alert', json_build_object('tenant_id', private.tenant_id(), 'channel_id', $1),
      max_attempts => 1, job_key => 'test-alert:' || private.tenant_id() || ':' || $1);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.get_notification_settings(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  settings jsonb;
begin
  perform private.enter(request, 'get_notification_settings');
  settings := private.notification_settings_json(coalesce((input ->> 'is_account')::boolean, false));
  return settings || jsonb_build_object('version', private.version_of(settings - 'email'));
end $function$;
CREATE OR REPLACE FUNCTION public.put_notification_settings(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'put_notification_settings');
  given constant jsonb := input -> 'settings';
  is_account constant boolean := coalesce((input ->> 'is_account')::boolean, false);
  settings jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  settings := private.notification_settings_json(is_account);
  perform private.require_version(private.version_of(settings - 'email'), request -> 'versions');
  insert into public.notification_settings as s (is_account, exception_breached, exception_at_risk, assigned, mentioned, webhook_failing, api_key_expiring)
  values (is_account, given ->> 'exception_breached', given ->> 'exception_at_risk', (given ->> 'assigned')::boolean, (given ->> 'mentioned')::boolean,
    (given ->> 'webhook_failing')::boolean, (given ->> 'api_key_expiring')::boolean)
  on conflict on constraint notification_settings_pkey do update set exception_breached = excluded.exception_breached, exception_at_risk = excluded.exception_at_risk,
    assigned = excluded.assigned, mentioned = excluded.mentioned, webhook_failing = excluded.webhook_failing,
    api_key_expiring = excluded.api_key_expiring;
  settings := private.notification_settings_json(is_account);
  return private.answer(request, settings || jsonb_build_object('version', private.version_of(settings - 'email')));
end $function$;
CREATE OR REPLACE FUNCTION public.list_alert_channels(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_alert_channels');
  select jsonb_agg(private.alert_channel_json(c) order by c.id desc) into items
  from (
    select * from public.alert_channels x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
    order by x.id desc limit page_size + 1
  ) c;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.create_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_alert_channel');
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  if (select count(*) from public.alert_channels x where x.tenant_id = private.tenant_id() and x.deleted_at is null) >= 20 then
    perform private.refuse('conflict', 'A tenant can have 20 alert channels. Delete one first.');
  end if;
  insert into public.alert_channels (name, url_hint, kinds) values (input ->> 'name', input ->> 'url_hint', private.text_array(input -> 'kinds'))
  returning * into c;
  perform private.keep_alert_channel_url(c.id, input ->> 'url_id', input ->> 'sealed');
  perform private.record_security_event('alert_channel.created', c.id, null, jsonb_build_object('name', c.name, 'url', c.url_hint, 'kinds', c.kinds));
  return private.answer(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.get_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.alert_channels;
begin
  perform private.enter(request, 'get_alert_channel');
  select * into c from public.alert_channels x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' and x.deleted_at is null;
  if not found then
    perform private.refuse_missing('alert channel');
  end if;
  return private.alert_channel_json(c);
end $function$;
CREATE OR REPLACE FUNCTION public.update_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_alert_channel');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  before public.alert_channels;
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  before := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels x set name = coalesce(patch ->> 'name', x.name), url_hint = coalesce(input ->> 'url_hint', x.url_hint),
    kinds = case when patch ? 'kinds' then private.text_array(patch -> 'kinds') else x.kinds end,
    last_failure = case when input ? 'sealed' then null else x.last_failure end,
    last_failure_at = case when input ? 'sealed' then null else x.last_failure_at end
  where x.tenant_id = before.tenant_id and x.id = before.id returning * into c;
  if input ? 'sealed' then
    perform private.keep_alert_channel_url(c.id, input ->> 'url_id', input ->> 'sealed');
  end if;
  perform private.record_security_event('alert_channel.updated', c.id, null, coalesce(private.changes(
    jsonb_build_object('name', before.name, 'url', before.url_hint, 'kinds', before.kinds),
    jsonb_build_object('name', c.name, 'url', c.url_hint, 'kinds', c.kinds)), '{}'));
  return private.answer(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'delete_alert_channel');
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  c := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels x set deleted_at = now() where x.tenant_id = c.tenant_id and x.id = c.id returning * into c;
  perform private.keep_alert_channel_url(c.id, null, null);
  perform private.record_security_event('alert_channel.deleted', c.id, null, jsonb_build_object('name', c.name, 'url', c.url_hint));
  return private.answer(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.test_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'test_alert_channel');
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  c := private.lock_alert_channel(input ->> 'id', null);
  perform private.queue_test_alert(c.id);
  return private.answer(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION private.alert_channel_url(tenant_id text, channel_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('url_id', x.url_id, 'sealed', x.sealed, 'name', c.name, 'tenant_name', t.name)
    from public.alert_channels c
    join private.alert_channel_urls x on x.tenant_id = c.tenant_id and x.channel_id = c.id
    join public.tenants t on t.id = c.tenant_id
    where c.tenant_id = $1 and c.id = $2 and c.deleted_at is null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.settle_test_alert(tenant_id text, channel_id text, failure text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.alert_channels c set
    last_sent_at = case when failure is null then now() else c.last_sent_at end,
    last_failure_at = case when failure is null then null else now() end, last_failure = left(failure, 500)
  where c.tenant_id = $1 and c.id = $2;
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
    select m.tenant_id, u.id, 'user:' || private.account_name(u.email, u.id) as reference, m.roles ? 'tenant_admin' as is_admin,
      coalesce(s.exception_breached, 'mine') as breached, coalesce(s.exception_at_risk, 'off') as at_risk,
      coalesce(s.assigned, true) as assigned, coalesce(s.mentioned, true) as mentioned,
      coalesce(s.webhook_failing, true) as webhook_failing, coalesce(s.api_key_expiring, true) as api_key_expiring
    from auth.users u
    cross join lateral (
      select k as tenant_id, private.roles_of_account(u.raw_app_meta_data, k) as roles from unnest(private.tenants_of_claims(u.raw_app_meta_data)) k
    ) m
    left join public.notification_settings s on s.tenant_id = m.tenant_id and s.subject = u.id::text and s.is_account
    where u.email is not null and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
      and m.tenant_id in (select h.tenant_id from happened h) and m.roles ?| private.roles()
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
        select 'user:' || private.account_name(u.email, u.id) from auth.users u where 'account:' || u.id = a.recipient)))
    when 'webhook_failing' then exists (select from public.webhooks w
      where w.tenant_id = a.tenant_id and w.id = a.subject and w.deleted_at is null and (w.status = 'disabled' or w.failing_since is not null))
    when 'api_key_expiring' then exists (select from public.api_keys k
      where k.tenant_id = a.tenant_id and k.id = a.subject and k.revoked_at is null and k.rotated_to is null and k.expires_at > now())
    else true
  end
  order by a.event_id;
end $function$;
CREATE OR REPLACE FUNCTION private.alert_line(a private.alerts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case
    when a.kind = 'webhook_failing' then (
      select jsonb_build_object('id', w.id, 'title', regexp_replace(w.url, '[?#].*$', ''), 'detail', case w.status when 'disabled' then 'Disabled' else 'Failing since ' || private.iso(w.failing_since) end)
      from public.webhooks w where w.tenant_id = a.tenant_id and w.id = a.subject)
    when a.kind = 'api_key_expiring' then (
      select jsonb_build_object('id', k.id, 'title', k.name, 'detail', 'Expires ' || private.iso(k.expires_at))
      from public.api_keys k where k.tenant_id = a.tenant_id and k.id = a.subject)
    else (
      select jsonb_build_object('id', e.id, 'title', e.title, 'detail',
        initcap(e.severity) || ', ' || case when e.paused_at is not null then 'paused' else 'due ' || private.iso(e.due_at) end
        || coalesce(', assigned to ' || substr(e.assigned_to, 6), ', unassigned'))
      from public.exceptions e where e.tenant_id = a.tenant_id and e.id = a.subject)
  end;
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
  total bigint;
begin
  select * into b from private.alert_bundles x where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or b.settled_at is not null then
    return null;
  end if;
  if b.recipient like 'account:%' then
    select jsonb_build_object('email', u.email) into addressed from auth.users u
    where 'account:' || u.id = b.recipient and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, $1) ?| private.roles();
  else
    select jsonb_build_object('url_id', x.url_id, 'sealed', x.sealed) into addressed
    from public.alert_channels c join private.alert_channel_urls x on x.tenant_id = c.tenant_id and x.channel_id = c.id
    where c.tenant_id = $1 and c.id = b.recipient and c.deleted_at is null;
  end if;
  select count(*) into total from private.lasting_alerts(b);
  if addressed is null or total = 0 then
    perform private.settle_alert_bundle($1, $2, null);
    return null;
  end if;
  return addressed || jsonb_build_object(
    'tenant_name', (select t.name from public.tenants t where t.id = $1), 'kind', b.kind, 'count', total, 'recipient', b.recipient,
    'items', (select jsonb_agg(private.alert_line(a)) from (select * from private.lasting_alerts(b) limit 10) a)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.settle_alert_bundle(tenant_id text, bundle_id text, failure text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b private.alert_bundles;
begin
  update private.alert_bundles x set settled_at = case when failure is null then now() end where x.tenant_id = $1 and x.id = $2 returning * into b;
  update public.alert_channels c set
    last_sent_at = case when failure is null then now() else c.last_sent_at end,
    last_failure_at = case when failure is null then null else now() end, last_failure = left(failure, 500)
  where c.tenant_id = $1 and c.id = b.recipient;
end $function$;
CREATE OR REPLACE FUNCTION private.purge_alerts(batch integer DEFAULT 10000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  deleted integer;
begin
  delete from private.alert_bundles where ctid = any (array(
    select ctid from private.alert_bundles where created_at < now() - interval '30 days' limit batch));
  delete from private.alerts where ctid = any (array(
    select ctid from private.alerts where created_at < now() - interval '30 days' limit batch));
  get diagnostics deleted = row_count;
  return deleted;
end $function$;
CREATE TRIGGER keep_alerts AFTER INSERT ON public.events REFERENCING NEW TABLE AS emitted FOR EACH STATEMENT EXECUTE FUNCTION private.keep_alert_events();
create policy alert_channels_insert on public.alert_channels as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:alert-channels'::text]) AS may)));
create policy alert_channels_read on public.alert_channels as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:alert-channels'::text]) AS may)));
create policy alert_channels_update on public.alert_channels as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:alert-channels'::text]) AS may)))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
create policy notification_settings_insert on public.notification_settings as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (subject = (( SELECT auth.jwt() AS jwt) ->> 'sub'::text)) AND ( SELECT private.may(VARIADIC ARRAY['write:notifications'::text]) AS may)));
create policy notification_settings_read on public.notification_settings as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (subject = (( SELECT auth.jwt() AS jwt) ->> 'sub'::text)) AND ( SELECT private.may(VARIADIC ARRAY['read:notifications'::text]) AS may)));
create policy notification_settings_update on public.notification_settings as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (subject = (( SELECT auth.jwt() AS jwt) ->> 'sub'::text)) AND ( SELECT private.may(VARIADIC ARRAY['write:notifications'::text]) AS may)))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
grant execute on function private.alert_channel_json(public.alert_channels) to authenticated;
grant execute on function private.alert_channel_url(text,text) to service_role;
grant execute on function private.exception_json(public.exceptions,timestamp with time zone) to authenticated;
grant execute on function private.forget_password_reset(text) to service_role;
grant execute on function private.gather_alerts(integer) to service_role;
grant execute on function private.keep_alert_channel_url(text,text,text) to authenticated;
grant execute on function private.line_no_of(text) to authenticated;
grant execute on function private.lock_alert_channel(text,jsonb) to authenticated;
grant execute on function private.notification_settings_json(boolean) to authenticated;
grant execute on function private.open_alert_bundle(text,text) to service_role;
grant execute on function private.own_address() to authenticated;
grant execute on function private.purge_alerts(integer) to service_role;
grant execute on function private.queue_test_alert(text) to authenticated;
grant execute on function private.settle_alert_bundle(text,text,text) to service_role;
grant execute on function private.settle_test_alert(text,text,text) to service_role;
grant execute on function private.versioned_exception_json(public.exceptions) to authenticated;
grant execute on function public.create_alert_channel(jsonb,jsonb) to authenticated;
grant execute on function public.delete_alert_channel(jsonb,jsonb) to authenticated;
grant execute on function public.get_alert_channel(jsonb,jsonb) to authenticated;
grant execute on function public.get_notification_settings(jsonb,jsonb) to authenticated;
grant execute on function public.list_alert_channels(jsonb,jsonb) to authenticated;
grant execute on function public.list_sla_exceptions(jsonb,jsonb) to authenticated;
grant execute on function public.put_notification_settings(jsonb,jsonb) to authenticated;
grant execute on function public.test_alert_channel(jsonb,jsonb) to authenticated;
grant execute on function public.update_alert_channel(jsonb,jsonb) to authenticated;
grant insert (kinds, name, url_hint) on public.alert_channels to authenticated;
grant insert (api_key_expiring, assigned, exception_at_risk, exception_breached, is_account, mentioned, webhook_failing) on public.notification_settings to authenticated;
grant select on public.alert_channels to authenticated;
grant select on public.notification_settings to authenticated;
grant update (deleted_at, kinds, last_failure, last_failure_at, name, url_hint) on public.alert_channels to authenticated;
grant update (api_key_expiring, assigned, exception_at_risk, exception_breached, mentioned, webhook_failing) on public.notification_settings to authenticated;
insert into private.permissions select (row_text::private.permissions).* from (values
  ('(close:reconciliations,{user},"{tenant_admin,tenant_lead}",)'),
  ('(decide:matches,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:reconciliations)'),
  ('(read:alert-channels,"{user,service_role}",{tenant_admin},)'),
  ('(read:api-keys,{user},{tenant_admin},)'),
  ('(read:calendars,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:first-steps,{user},{tenant_admin},)'),
  ('(read:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:integrations)'),
  ('(read:me,"{user,api_key,service_role,publishable_key}",,)'),
  ('(read:members,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:notifications,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
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
  ('(read:views,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:webhooks,"{user,api_key,service_role}",{tenant_admin},read:webhooks)'),
  ('(restore:integrations,"{user,service_role}",{tenant_admin},)'),
  ('(restore:release-notes,"{user,service_role}",{tenant_admin},)'),
  ('(restore:troubleshooting,"{user,service_role}",{tenant_admin},)'),
  ('(write:alert-channels,"{user,service_role}",{tenant_admin},)'),
  ('(write:api-keys,{user},{tenant_admin},)'),
  ('(write:calendars,"{user,service_role}",{tenant_admin},)'),
  ('(write:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:exceptions)'),
  ('(write:first-steps,{user},{tenant_admin},)'),
  ('(write:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:integrations)'),
  ('(write:notifications,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:people,{user},{tenant_admin},)'),
  ('(write:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:reconciliations)'),
  ('(write:release-notes,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:release-notes)'),
  ('(write:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:sla-policy,"{user,service_role}","{tenant_admin,tenant_lead}",)'),
  ('(write:troubleshooting,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:troubleshooting)'),
  ('(write:views,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:webhooks,"{user,api_key,service_role}",{tenant_admin},write:webhooks)')
) as given (row_text);
insert into private.operations select (row_text::private.operations).* from (values
  ('(add_lines,addLines,write:reconciliations)'),
  ('(close_reconciliation,closeReconciliation,close:reconciliations)'),
  ('(confirm_match,confirmMatch,decide:matches)'),
  ('(continue_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(create_alert_channel,createAlertChannel,write:alert-channels)'),
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
  ('(create_view,createView,write:views)'),
  ('(create_webhook,createWebhook,write:webhooks)'),
  ('(decide_matches,decideMatches,decide:matches)'),
  ('(delete_alert_channel,deleteAlertChannel,write:alert-channels)'),
  ('(delete_record,deleteIntegration,write:integrations)'),
  ('(delete_record,deleteReleaseNote,write:release-notes)'),
  ('(delete_record,deleteTroubleshootingGuide,write:troubleshooting)'),
  ('(delete_view,deleteView,write:views)'),
  ('(delete_webhook,deleteWebhook,write:webhooks)'),
  ('(drop_import,createImport,write:reconciliations)'),
  ('(enable_webhook,enableWebhook,write:webhooks)'),
  ('(end_sessions,endSessions,write:sessions)'),
  ('(estimate_api_key_impact,estimateApiKeyImpact,read:api-keys)'),
  ('(exclude_line,excludeLine,write:reconciliations)'),
  ('(get_alert_channel,getAlertChannel,read:alert-channels)'),
  ('(get_api_key,getApiKey,read:api-keys)'),
  ('(get_api_key_usage,getApiKeyUsage,read:api-keys)'),
  ('(get_calendar,getCalendar,read:calendars)'),
  ('(get_calendar,getCalendarIcs,read:calendars)'),
  ('(get_exception,getException,read:exceptions)'),
  ('(get_exception_ledger,getExceptionLedger,read:exceptions)'),
  ('(get_first_steps,getFirstSteps,read:first-steps)'),
  ('(get_import,getImport,read:reconciliations)'),
  ('(get_invitation,getInvitation,read:people)'),
  ('(get_line,getLine,read:reconciliations)'),
  ('(get_match,getMatch,read:reconciliations)'),
  ('(get_me,getMe,read:me)'),
  ('(get_notification_settings,getNotificationSettings,read:notifications)'),
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
  ('(get_sla_facets,getSlaFacets,read:sla)'),
  ('(get_sla_policy,getSlaPolicy,read:sla-policy)'),
  ('(get_sla_report,exportSlaReport,read:sla)'),
  ('(get_sla_report,getSlaReport,read:sla)'),
  ('(get_source,addLines,write:reconciliations)'),
  ('(get_source,getSource,read:reconciliations)'),
  ('(get_statement,getStatement,read:reconciliations)'),
  ('(get_tenant_member,getTenantMember,read:people)'),
  ('(get_time_to_breach,getTimeToBreach,read:sla)'),
  ('(get_view,getView,read:views)'),
  ('(get_webhook,getWebhook,read:webhooks)'),
  ('(get_webhook_delivery,getWebhookDelivery,read:webhooks)'),
  ('(get_webhook_stats,getWebhookStats,read:webhooks)'),
  ('(import_exceptions,importExceptions,write:exceptions)'),
  ('(include_line,includeLine,write:reconciliations)'),
  ('(keep_import_chunk,createImport,write:reconciliations)'),
  ('(list_alert_channels,listAlertChannels,read:alert-channels)'),
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
  ('(list_sla_changes,listSlaChanges,read:sla)'),
  ('(list_sla_exceptions,exportSlaExceptions,read:sla)'),
  ('(list_sla_exceptions,listSlaExceptions,read:sla)'),
  ('(list_sources,listSources,read:reconciliations)'),
  ('(list_suggestion_bands,listSuggestionBands,read:reconciliations)'),
  ('(list_tenant_members,listTenantMembers,read:people)'),
  ('(list_views,listViews,read:views)'),
  ('(list_webhook_deliveries,listWebhookDeliveries,read:webhooks)'),
  ('(list_webhooks,listWebhooks,read:webhooks)'),
  ('(open_import,createImport,write:reconciliations)'),
  ('(open_security_event_chain,verifySecurityEvents,read:security-events)'),
  ('(open_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(pause_exception,pauseException,write:exceptions)'),
  ('(preview_import,createImport,write:reconciliations)'),
  ('(put_calendar,putCalendar,write:calendars)'),
  ('(put_first_steps,putFirstSteps,write:first-steps)'),
  ('(put_notification_settings,putNotificationSettings,write:notifications)'),
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
  ('(test_alert_channel,testAlertChannel,write:alert-channels)'),
  ('(test_webhook,testWebhook,write:webhooks)'),
  ('(undo_decision,undoDecision,decide:matches)'),
  ('(undo_import,undoImport,write:reconciliations)'),
  ('(undo_match,undoMatch,write:reconciliations)'),
  ('(update_alert_channel,updateAlertChannel,write:alert-channels)'),
  ('(update_api_key,updateApiKey,write:api-keys)'),
  ('(update_exception,updateException,write:exceptions)'),
  ('(update_exceptions,updateExceptions,write:exceptions)'),
  ('(update_reconciliation,updateReconciliation,write:reconciliations)'),
  ('(update_record,updateIntegration,write:integrations)'),
  ('(update_record,updateReleaseNote,write:release-notes)'),
  ('(update_record,updateTroubleshootingGuide,write:troubleshooting)'),
  ('(update_source,updateSource,write:reconciliations)'),
  ('(update_tenant_member,updateTenantMember,write:people)'),
  ('(update_view,updateView,write:views)'),
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
