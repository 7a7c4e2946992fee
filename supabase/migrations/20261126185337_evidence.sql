alter table private.quotas drop constraint quotas_kind_check, add constraint quotas_kind_check check (kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'records', 'exceptions', 'lines', 'members', 'evidence_mib'));

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.weekdays_between(date,date);
create table public.evidence (
  tenant_id text not null default private.tenant_id(),
  id text not null default private.new_id('evd'::text),
  subject_type text not null,
  subject_id text not null,
  file_name text not null,
  media_type text not null,
  bytes integer not null,
  sha256 text not null,
  bucket text,
  supersedes text,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
  removed_at timestamp(3) with time zone,
  removed_by text,
  removed_reason text
);
create table private.evidence_contents (
  tenant_id text not null,
  evidence_id text not null,
  content bytea not null
);
create table public.statement_evidence (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  number integer not null,
  evidence_id text not null,
  content text not null
);
alter table private.evidence_contents add constraint evidence_contents_pkey PRIMARY KEY (tenant_id, evidence_id);
alter table public.evidence add constraint evidence_pkey PRIMARY KEY (tenant_id, id);
alter table public.statement_evidence add constraint statement_evidence_pkey PRIMARY KEY (tenant_id, reconciliation_id, number, evidence_id);
alter table private.evidence_contents add constraint evidence_contents_content_check CHECK (((octet_length(content) >= 1) AND (octet_length(content) <= 10485760)));
alter table public.evidence add constraint evidence_bucket_check CHECK (((length(bucket) >= 1) AND (length(bucket) <= 100)));
alter table public.evidence add constraint evidence_bytes_check CHECK (((bytes >= 1) AND (bytes <= 10485760)));
alter table public.evidence add constraint evidence_check CHECK ((num_nonnulls(removed_at, removed_by, removed_reason) = ANY (ARRAY[0, 3])));
alter table public.evidence add constraint evidence_file_name_check CHECK (((length(file_name) >= 1) AND (length(file_name) <= 255)));
alter table public.evidence add constraint evidence_media_type_check CHECK (((length(media_type) >= 1) AND (length(media_type) <= 100)));
alter table public.evidence add constraint evidence_removed_reason_check CHECK (((length(removed_reason) >= 1) AND (length(removed_reason) <= 500)));
alter table public.evidence add constraint evidence_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text));
alter table public.evidence add constraint evidence_subject_type_check CHECK ((subject_type = ANY (ARRAY['exception'::text, 'match'::text, 'line'::text, 'reconciliation'::text])));
alter table public.statement_evidence add constraint statement_evidence_number_check CHECK ((number >= 1));
CREATE INDEX evidence_by_subject ON public.evidence USING btree (tenant_id, subject_id, id) WHERE (removed_at IS NULL);
CREATE UNIQUE INDEX evidence_superseding ON public.evidence USING btree (tenant_id, supersedes) WHERE (removed_at IS NULL);
CREATE INDEX statement_evidence_by_file ON public.statement_evidence USING btree (tenant_id, evidence_id);
alter table private.evidence_contents add constraint evidence_contents_tenant_id_evidence_id_fkey FOREIGN KEY (tenant_id, evidence_id) REFERENCES public.evidence(tenant_id, id);
alter table public.evidence add constraint evidence_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.evidence add constraint evidence_tenant_id_supersedes_fkey FOREIGN KEY (tenant_id, supersedes) REFERENCES public.evidence(tenant_id, id);
alter table public.statement_evidence add constraint statement_evidence_tenant_id_evidence_id_fkey FOREIGN KEY (tenant_id, evidence_id) REFERENCES public.evidence(tenant_id, id);
alter table public.statement_evidence add constraint statement_evidence_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table private.evidence_contents enable row level security; alter table private.evidence_contents no force row level security;
alter table public.evidence enable row level security; alter table public.evidence no force row level security;
alter table public.statement_evidence enable row level security; alter table public.statement_evidence no force row level security;
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
        and (k.expires_at is null or k.expires_at > now())
        and (k.grace_expires_at is null or k.grace_expires_at > now()))
    when 'webhooks' then (select count(*) from public.webhooks w
      where w.tenant_id = $1 and w.deleted_at is null)
    when 'reconciliations' then (select count(*) from public.reconciliations r
      where r.tenant_id = $1)
    when 'sources' then (select count(*) from public.sources s where s.tenant_id = $1)
    when 'exceptions' then (select sum(c.breached + c.at_risk + c.on_track)
      from private.sla_counts c where c.tenant_id = $1)
    when 'members' then (
      select count(*) from private.accounts_of($1)
    ) + (
      select count(*)
      from public.invitations i
      where i.tenant_id = $1 and private.invitation_status(i) = 'pending')
    when 'lines' then (select sum(s.line_count) from public.sources s where s.tenant_id = $1)
    when 'evidence_mib' then (
      select ceil(sum(e.bytes)::numeric / 1048576) from public.evidence e
      where e.tenant_id = $1 and e.removed_at is null)
    else (select sum(c.rows) from private.row_counts c where c.tenant_id = $1 and c.kind = $2)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.enforce_quota(tenant_id text, kind text, added bigint)
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
    perform private.refuse_conflict('quota',
      format(
        'A tenant can have at most %s %s (QUOTA_%s). %s, or ask your operator for a larger quota.',
      quota,
      case kind when 'api_keys' then 'active API keys' when 'exceptions' then 'open exceptions'
        when 'members' then 'members and open invitations'
        when 'evidence_mib' then 'MiB of evidence' else kind end,
      upper(kind),
      case kind when 'api_keys' then 'Revoke one' when 'exceptions' then 'Resolve or dismiss some'
        when 'webhooks' then 'Delete one'
        when 'members' then 'Remove a member, or revoke an invitation'
        when 'records' then 'Delete some: they count until they are purged' when 'lines'
          then 'Undo an import'
        when 'evidence_mib' then 'Remove files'
        else 'Use those you have' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.target_name(tenant text, target text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return left(case left(target, 4)
    when 'key_' then (
      select k.name from public.api_keys k where k.tenant_id = tenant and k.id = target)
    when 'whk_' then (
      select w.url from public.webhooks w where w.tenant_id = tenant and w.id = target)
    when 'rcn_' then (
      select r.name from public.reconciliations r where r.tenant_id = tenant and r.id = target)
    when 'src_' then (
      select s.name from public.sources s where s.tenant_id = tenant and s.id = target)
    when 'exc_' then (
      select e.title from public.exceptions e where e.tenant_id = tenant and e.id = target)
    when 'cal_' then (
      select c.name from public.calendars c where c.tenant_id = tenant and c.id = target)
    when 'ach_' then (
      select c.name from public.alert_channels c where c.tenant_id = tenant and c.id = target)
    when 'viw_' then (
      select v.name from public.views v where v.tenant_id = tenant and v.id = target)
    when 'lin_' then (
      select coalesce(l.reference, l.counterparty, l.description) from public.lines l
      where l.tenant_id = tenant and l.id = private.line_id(target))
  end, 200);
end $function$;
CREATE OR REPLACE FUNCTION private.names_of_event(tenant text, target text, details jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period constant text := details ->> 'reconciliation_id';
  is_named constant boolean := exists (
    select from unnest('{name,file_name,url}'::text[]) field
    where jsonb_typeof(details -> field) = 'string'
  );
begin
  return jsonb_strip_nulls(jsonb_build_object(
    'target_name', case when not is_named then private.target_name(tenant, target) end,
    'reconciliation_name', case when period is distinct from target
      then private.target_name(tenant, period) end));
end $function$;
CREATE OR REPLACE FUNCTION private.write_security_event(id text, tenant_id text, type text, target text, reason text, details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.security_events
    (id, tenant_id, type, actor, actor_issuer, actor_subject, operation, target, address,
      request_id, reason, details)
  values (
    $1, $2, $3, private.actor(), private.actor_issuer(), private.actor_subject(),
    nullif(current_setting('tieout.operation', true), ''), $4,
    nullif(current_setting('tieout.address', true), '')::inet,
    nullif(current_setting('tieout.request_id', true), ''), $5,
    $6 || private.names_of_event($2, $4, $6)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.security_event_search_text(e public.security_events)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return lower(concat_ws(' ', e.actor, e.target, e.reason, e.details ->> 'name',
    e.details ->> 'target_name', e.details ->> 'reconciliation_name', e.details ->> 'file_name',
    e.details ->> 'email', e.details ->> 'url'));
end $function$;
CREATE OR REPLACE FUNCTION private.security_events_page(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  kind constant text := case when input ->> 'type' like '%.*' then left(input ->> 'type', -1) end;
  words constant text[] := private.word_patterns(input ->> 'q');
  items jsonb;
begin
  select jsonb_agg(private.security_event_json(e) order by e.at desc, e.seq desc) into items
  from (
    select * from public.security_events x
    where x.tenant_id = private.tenant_id() and x.seq is not null
      and (input -> 'after' ->> 0 is null
      or (x.at, x.seq) < ((input -> 'after' ->> 0)::timestamptz, (input -> 'after' ->> 1)::bigint))
      and (input ->> 'through' is null or x.seq <= (input ->> 'through')::bigint)
      and (input ->> 'type' is null or kind is not null or x.type = input ->> 'type')
      and (kind is null or starts_with(x.type, kind))
      and (input ->> 'actor' is null or x.actor = input ->> 'actor')
      and (input ->> 'target' is null or x.target = input ->> 'target')
      and (words = '{}' or private.security_event_search_text(x) like all (words))
      and (input ->> 'cross_tenant' is null or x.cross_tenant = (input ->> 'cross_tenant')::boolean)
      and (input ->> 'since' is null or x.at >= (input ->> 'since')::timestamptz)
      and (input ->> 'until' is null or x.at < (input ->> 'until')::timestamptz)
    order by x.at desc, x.seq desc
    limit page_size + 1
  ) e;
  return private.page(items, page_size, 'at', 'seq');
end $function$;
CREATE OR REPLACE FUNCTION private.default_policy()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '{"fees": "deduct", "checks": {"files": "warn", "balances": "warn", "evidence": "warn", "difference": "warn", "exceptions": "warn", "period_over": "warn", "suggestions": "warn"}, "automatic": "earned", "four_eyes": false, "close_days": 5, "exceptions": {"most_a_run": 1000, "severities": [{"severity": "low", "from_minor": 0}, {"severity": "medium", "from_minor": 100000}, {"severity": "high", "from_minor": 1000000}, {"severity": "critical", "from_minor": 10000000}], "assigned_to": null}, "calendar_id": null, "review_levels": 0, "evidence_from_minor": null}'::jsonb;
CREATE OR REPLACE FUNCTION private.matches_since(r public.reconciliations, since timestamp with time zone)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  first_ms constant bigint := extract(epoch from since - interval '10 minutes') * 1000;
  first_id constant uuid := rpad(lpad(to_hex(greatest(first_ms, 0)), 12, '0'), 32, '0');
  most constant integer := 50000;
  ids constant uuid[] := array(
    select x.id from (
      (
        select m.id from public.matches m
        where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.id >= first_id
          and m.created_at >= since
        limit most + 1
      )
      union
      select m.id from public.matches m
      where m.tenant_id = r.tenant_id and m.pair_no = r.pair_no and m.decided_by is not null
        and m.method <> 'manual' and m.reconciliation_id = r.id and m.decided_at >= since
      union
      select m.id from public.matches m
      where m.tenant_id = r.tenant_id and m.pair_no = r.pair_no and m.decided_by is not null
        and m.state in ('rejected', 'undone') and m.reconciliation_id = r.id
        and m.decided_at >= since
    ) x
    limit most + 1
  );
begin
  return case when cardinality(ids) <= most then ids end;
end $function$;
CREATE OR REPLACE FUNCTION public.list_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  tenant constant text := private.tenant_id();
  behind constant uuid := private.match_id(input -> 'after' ->> 0);
  of_line constant text := private.requested_line(input);
  r public.reconciliations;
  few bigint[];
  changed uuid[];
  filters text;
  items jsonb;
begin
  perform private.begin_request(request, 'list_matches');
  r := private.find_period(input ->> 'id');
  if of_line is not null then
    few := private.narrow_by_filters(r, input, 5000);
  end if;
  if input ->> 'updated_since' is not null then
    changed := private.matches_since(r, (input ->> 'updated_since')::timestamptz);
  end if;
  -- The state is a literal, since suggestions have a separate index. Conditions on a line are
  -- looked up match by match, by whole keys.
  filters := concat_ws(' and ', 'm.tenant_id = $1 and m.reconciliation_id = $2',
    case when behind is not null then 'm.id < $3' end,
    case when changed is not null then 'm.id = any ($7)'
      when input ->> 'updated_since' is not null then $c$(
        m.created_at >= ($4 ->> 'updated_since')::timestamptz
        or m.decided_at >= ($4 ->> 'updated_since')::timestamptz)$c$
    end,
    case when input ->> 'state' is not null then format('m.state = %L', input ->> 'state') end,
    -- Suggestions that wait for the next period do not belong to a closed one.
    case when r.closed_at is not null then $c$m.state <> 'suggested'$c$ end,
    case when input ->> 'method' is not null then $c$m.method = $4 ->> 'method'$c$ end,
    case when input ->> 'shape' is not null then $c$m.shape = $4 ->> 'shape'$c$ end,
    case when input ->> 'run_id' is not null then $c$m.run_id = $4 ->> 'run_id'$c$ end,
    case
      when input ->> 'amount_from' is not null then $c$m.amount_minor >= (
        $4 ->> 'amount_from')::bigint$c$
      end,
    case
      when input ->> 'amount_to' is not null then $c$m.amount_minor <= (
        $4 ->> 'amount_to')::bigint$c$
      end,
    'exists (
      select from public.match_members mm
      cross join lateral (select * from public.lines x where x.tenant_id = $1 and x.line_no = mm.line_no offset 0) l
      where mm.tenant_id = $1 and mm.match_id = m.id and ' || of_line || ' offset 0)');
  execute format('select jsonb_agg(private.match_json(x) order by x.id desc) from (
      select m.* from %s where %s order by m.id desc limit $6
    ) x', case when few is null then 'public.matches m' else '(
      select distinct mm.match_id from public.match_members mm where mm.tenant_id = $1 and mm.line_no = any ($5)
    ) f cross join lateral (select * from public.matches y where y.tenant_id = $1 and y.id = f.match_id offset 0) m' end, filters)
  into items using tenant, r.id, behind, input, few, page_size + 1, changed;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.put_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := coalesce((input ->> 'dry_run')::boolean, false);
  r public.reconciliations;
  p public.pairs;
  -- Settings that are left out stay.
  policy constant jsonb := coalesce((
    select jsonb_object_agg(k, input -> k)
    from unnest('{automatic,fees,four_eyes,review_levels,close_days,checks,evidence_from_minor,
      calendar_id,exceptions}'::text[]) k
    where input ? k),
      '{}');
begin
  perform private.begin_request(request, 'put_rules');
  r := private.find_period(input ->> 'id');
  if dry_run then
    select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
    return private.rules_json(p) || policy
      || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.request_run(r.id, private.trial_of(input))).id);
  end if;
  perform private.require_calendar(input);
  p := private.set_rules(r.id, input -> 'rules', policy,
    coalesce((input ->> 'reset_learning')::boolean, false),
    coalesce(input -> 'forget_names', '[]'), request -> 'versions');
  return private.rules_json(p) || jsonb_build_object('dry_run', false, 'run_id', null);
end $function$;
CREATE OR REPLACE FUNCTION private.coverage_of(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'side', x.side, 'name', x.name, 'until', x.until,
      'missing_days', private.business_days_between(r.tenant_id,
        private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'calendar_id',
        coalesce(x.until, r.period_start - 1), r.period_end),
      'breaks', private.balance_breaks(r.tenant_id, x.source_no, x.currency, r.period_start,
        r.period_end),
      'has_balance', exists (
        select from private.balance_on(r.tenant_id, x.source_no, x.currency, r.period_end))
    ) order by x.side)
    from (
      select s.source_no, s.name, s.currency,
        case s.source_no when p.left_source_no then 'left' else 'right' end as side,
        greatest(
          (select max(l.value_date) from public.lines l
            where l.tenant_id = s.tenant_id and l.source_no = s.source_no),
          (select max(b.period_end) from public.source_balances b
            where b.tenant_id = s.tenant_id and b.source_no = s.source_no)) as until
      from public.pairs p
      join public.sources s on s.tenant_id = p.tenant_id
        and s.source_no in (p.left_source_no, p.right_source_no)
      where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    ) x
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  weights constant jsonb := private.policy_of_pair(r.tenant_id, r.pair_no) -> 'checks';
  preview constant jsonb := private.close_preview(r);
  coverage constant jsonb := private.coverage_of(r);
  totals constant jsonb := private.statement_totals(r);
  missing_days bigint;
  late text;
  break_count bigint;
  without_balance text;
  unexplained bigint;
begin
  select sum((c ->> 'missing_days')::bigint),
    string_agg(format('%s has nothing after %s', c ->> 'name',
      coalesce(c ->> 'until', 'the period began')), '; ')
      filter (where (c ->> 'missing_days')::bigint > 0),
    sum(jsonb_array_length(c -> 'breaks')),
    string_agg(c ->> 'name', ' and ') filter (where not (c ->> 'has_balance')::boolean)
  into missing_days, late, break_count, without_balance
  from jsonb_array_elements(coverage) c;
  select count(*) into unexplained from jsonb_array_elements(totals -> 'differences') d
  where coalesce(nullif(d -> 'unexplained_minor', 'null'), d -> 'difference_minor') <> '0';
  return jsonb_build_array(
    private.check_json('period_over', preview -> 'days_until_over' = '0',
      weights ->> 'period_over', (preview ->> 'days_until_over')::bigint,
      case when preview -> 'days_until_over' = '0' then 'The period is over.'
        else format('The period is over in %s.',
          private.counted((preview ->> 'days_until_over')::bigint, 'day', 'days')) end),
    private.check_json('files', missing_days = 0, weights ->> 'files', missing_days,
      coalesce(late || '.', 'Both sides are in to the last business day.')),
    private.check_json('balances', break_count = 0 and without_balance is null,
      weights ->> 'balances', break_count,
      case when without_balance is not null
          then format('No balance is stated for %s. State one, or import a file that has it.',
            without_balance)
        when break_count > 0 then private.counted(break_count,
          'statement does not follow the one before.', 'statements do not follow the one before.')
        else 'Balances are stated and follow one another.' end),
    private.check_json('suggestions', preview -> 'suggestions_count' = '0',
      weights ->> 'suggestions', (preview ->> 'suggestions_count')::bigint,
      case when preview -> 'suggestions_count' = '0' then 'No suggestion waits.'
        else private.counted((preview ->> 'suggestions_count')::bigint,
          'suggestion waits for a decision and moves to the next period.',
          'suggestions wait for a decision and move to the next period.') end),
    private.check_json('exceptions', preview -> 'open_exceptions' = '0',
      weights ->> 'exceptions', (preview ->> 'open_exceptions')::bigint,
      case when preview -> 'open_exceptions' = '0' then 'No exception is open.'
        else private.counted((preview ->> 'open_exceptions')::bigint,
          'exception is open and moves to the next period with its lines.',
          'exceptions are open and move to the next period with their lines.') end),
    private.check_json('difference', unexplained = 0, weights ->> 'difference', unexplained,
      case when unexplained = 0 then 'Nothing is unexplained.'
        else format('A difference is unexplained in %s.',
          private.counted(unexplained, 'currency', 'currencies')) end),
    (
      select private.check_json('evidence', x.missing = 0,
        coalesce(weights ->> 'evidence', 'warn'), x.missing,
        case when x.missing = 0 then 'No required evidence is missing.'
          else private.counted(x.missing, 'adjusted match has no evidence.',
            'adjusted matches have no evidence.') end)
      from private.missing_evidence(r) x (missing)
    ),
    private.check_json('second_person',
      not (private.requires_second_person(r) and private.worked_in_period(r)), 'block', null,
      case when not private.requires_second_person(r) then 'The policy asks for no second person.'
        when private.worked_in_period(r) then 'You worked in this period. Somebody else closes it.'
        else 'You did not work in this period.' end),
    (
      select private.check_json('signatures',
        s.levels = 0 or s.reviews >= s.levels, 'block', s.reviews,
        case when s.levels = 0 then 'The policy asks for no review.'
          when s.state = 'open' then 'The period is not prepared.'
          else format('%s of %s signed.', s.reviews,
            private.counted(s.levels, 'review is', 'reviews are')) end)
      from (
        select (o ->> 'levels')::integer as levels, o ->> 'state' as state,
          (select count(*) from jsonb_array_elements(o -> 'signatures') x
            where x ->> 'kind' = 'reviewed') as reviews
        from private.sign_off_json(r) o
      ) s
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.write_closing(r public.reconciliations, closed_by text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  statement jsonb;
  unexplained jsonb;
begin
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor,
    currency, value_date)
  select o.tenant_id, r.id, o.line_no, o.side, o.open_minor, o.currency, o.value_date
  from private.open_in_period(r) o
  order by o.line_no;
  r.closed_at := now();
  r.closed_by := write_closing.closed_by;
  statement := private.statement_json(r)
    || jsonb_build_object('evidence', private.list_evidence_on_statement(r));
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse_conflict('proof_broken',
      'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  select d into unexplained
  from jsonb_array_elements(statement -> 'differences') d
  where d -> 'difference_minor' <> '0'
  limit 1;
  if found then
    perform private.refuse_conflict('difference_unexplained',
      format(
        'The statement leaves a difference of %s in minor units of %s, which nothing explains. '
      'Reopen and look at earlier periods of these sources, or tell us before you close.',
      unexplained ->> 'difference_minor', unexplained ->> 'currency'));
  end if;
  insert into public.closings (tenant_id, reconciliation_id, statement, closed_at, closed_by)
  values (r.tenant_id, r.id, statement, r.closed_at, r.closed_by);
  update public.closings c set digest = private.closing_digest(r.tenant_id, r.id)
  where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_closing(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  delete from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  perform private.withdraw_evidence_of_closing(r);
end $function$;
CREATE OR REPLACE FUNCTION public.list_statement_bundle(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  numbered constant integer := (input ->> 'number')::integer;
  place integer;
  s public.statements;
  contents jsonb;
  next_key text;
begin
  perform private.begin_request(request || '{"continues": true}', 'list_statement_bundle');
  select * into s from public.statements x
  where x.tenant_id = tenant and x.reconciliation_id = input ->> 'id' and x.number = numbered;
  if not found then
    perform private.refuse_missing('statement');
  elsif input ->> 'kind' = 'evidence' then
    return jsonb_build_object('next', null, 'rows', (
      select coalesce(jsonb_agg(e.content order by e.evidence_id), '[]')
      from public.statement_evidence e
      where e.tenant_id = tenant and e.reconciliation_id = s.reconciliation_id
        and e.number = numbered
    ));
  elsif s.reopened_at is not null then
    place := coalesce((input ->> 'after')::integer + 1, 0);
    contents := to_jsonb(
      private.reopened_rows(s.reconciliation_id, numbered, input ->> 'kind', place));
    return jsonb_build_object('rows', coalesce(contents, '[]'),
      'next', case when contents is not null then place::text end);
  end if;
  select jsonb_agg(x.content order by x.n), (array_agg(x.key order by x.n desc))[1]
  into contents, next_key
  from (
    select y.*, row_number() over () as n
    from private.signed_rows(tenant, s.reconciliation_id, input ->> 'kind', input ->> 'after',
      (input ->> 'limit')::integer) y
  ) x;
  return jsonb_build_object('rows', coalesce(contents, '[]'), 'next', next_key);
end $function$;
CREATE OR REPLACE FUNCTION private.business_day_after(tenant text, calendar text, day date, days integer)
 RETURNS date
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  open_days constant jsonb := private.open_days(tenant, calendar) -> 'open_days';
begin
  if days = 0 then
    return day;
  end if;
  return (
    select d::date
    from generate_series(day + 1, day + 731, interval '1 day') d
    where private.is_business_day(open_days, d::date)
    order by d offset days - 1 limit 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.is_business_day(open_days jsonb, day date)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  number constant jsonb := to_jsonb(day - date '1970-01-01');
  weekday constant integer := extract(isodow from day);
begin
  return case when open_days is null then weekday < 6
    else open_days -> 'opened' @> number
      or open_days -> 'weekdays' @> to_jsonb(weekday) and not open_days -> 'closed' @> number end;
end $function$;
CREATE OR REPLACE FUNCTION private.business_days_between(tenant text, calendar text, after date, until date)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  open_days constant jsonb := private.open_days(tenant, calendar) -> 'open_days';
begin
  return (
    select count(*) from generate_series(after + 1, until, interval '1 day') d
    where private.is_business_day(open_days, d::date)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.evidence_json(e public.evidence)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', e.id, 'subject_type', e.subject_type, 'subject_id', e.subject_id,
    'file_name', e.file_name, 'media_type', e.media_type, 'bytes', e.bytes, 'sha256', e.sha256,
    'supersedes', e.supersedes,
    'superseded_by', (
      select x.id from public.evidence x
      where x.tenant_id = e.tenant_id and x.supersedes = e.id and x.removed_at is null
    ),
    'is_signed', exists (
      select from public.statement_evidence s
      where s.tenant_id = e.tenant_id and s.evidence_id = e.id
    ),
    'created_at', private.iso(e.created_at), 'created_by', e.created_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.find_evidence(id text)
 RETURNS public.evidence
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  e public.evidence;
begin
  select * into e from public.evidence x
  where x.tenant_id = private.tenant_id() and x.id = $1 and x.removed_at is null;
  if not found or e.subject_type = 'exception'
    and not private.may('read:exceptions', 'write:exceptions') then
    perform private.refuse_missing('evidence');
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.evidence_part(id text, start integer, size integer)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select encode(substring(c.content from start + 1 for size), 'base64')
    from private.evidence_contents c
    where c.tenant_id = private.tenant_id() and c.evidence_id = $1
      and private.may('read:evidence', 'write:evidence')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.evidence_row(e public.evidence)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return row(e.id, e.subject_type, e.subject_id, e.file_name, e.media_type, e.bytes, e.sha256,
    e.created_by, private.iso(e.created_at))::text;
end $function$;
CREATE OR REPLACE FUNCTION private.is_line_of_period(r public.reconciliations, line text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  no constant bigint := (select l.line_no from public.lines l
    where l.tenant_id = r.tenant_id and l.id = private.line_id(line));
begin
  return exists (
    select from public.match_members mm
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
    where mm.tenant_id = r.tenant_id and mm.line_no = no and mm.pair_no = r.pair_no
      and m.reconciliation_id = r.id and m.state = 'confirmed'
  ) or exists (
    select from public.exclusions x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = no
      and x.reconciliation_id = r.id
  ) or exists (
    select from public.carried_lines c
    where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id and c.line_no = no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.list_evidence_on_statement(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  next_number constant integer := (
    select coalesce(max(s.number), 0) + 1 from public.statements s
    where s.tenant_id = r.tenant_id and s.reconciliation_id = r.id
  );
  e public.evidence;
begin
  for e in
    select * from public.evidence x
    where x.tenant_id = r.tenant_id and x.removed_at is null
      and case x.subject_type
        when 'reconciliation' then x.subject_id = r.id
        when 'exception' then exists (
          select from public.exceptions o
          where o.tenant_id = r.tenant_id and o.id = x.subject_id and o.reconciliation_id = r.id)
        when 'match' then exists (
          select from public.matches m
          where m.tenant_id = r.tenant_id and m.id = private.match_id(x.subject_id)
            and m.reconciliation_id = r.id and m.state = 'confirmed')
        else private.is_line_of_period(r, x.subject_id) end
    order by x.id
    -- Nobody removes one that the statement lists.
    for share of x
  loop
    insert into public.statement_evidence (tenant_id, reconciliation_id, number, evidence_id,
      content)
    values (r.tenant_id, r.id, next_number, e.id, private.evidence_row(e));
  end loop;
  return (
    select jsonb_build_object('count', count(*), 'sha256', encode(sha256(
      coalesce(string_agg(sha256(convert_to(s.content, 'UTF8')), ''::bytea
        order by s.evidence_id), '')
    ), 'hex'))
    from public.statement_evidence s
    where s.tenant_id = r.tenant_id and s.reconciliation_id = r.id and s.number = next_number
  );
end $function$;
CREATE OR REPLACE FUNCTION private.withdraw_evidence_of_closing(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.statement_evidence e
  where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id
    and not exists (
      select from public.statements s
      where s.tenant_id = e.tenant_id and s.reconciliation_id = e.reconciliation_id
        and s.number = e.number
    );
end $function$;
CREATE OR REPLACE FUNCTION private.missing_evidence(r public.reconciliations)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  asked_from constant bigint := (
    private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'evidence_from_minor')::bigint;
begin
  if asked_from is null then
    return 0;
  end if;
  return (
    select count(*) from public.matches m
    where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
      and m.method = 'manual' and m.adjustments <> '[]'
      and exists (
        select from jsonb_array_elements(m.adjustments) a
        where abs((a ->> 'amount_minor')::bigint) >= asked_from
      )
      and not exists (
        select from public.evidence e
        where e.tenant_id = m.tenant_id and e.removed_at is null
          and e.subject_id = private.match_id_text(m.id)
      )
      and not exists (
        select from public.match_members mm
        join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
        join public.evidence e on e.tenant_id = mm.tenant_id and e.removed_at is null
          and e.subject_id = private.line_id_text(l.id)
        where mm.tenant_id = m.tenant_id and mm.match_id = m.id
      )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.evidence_subject(id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  subject jsonb;
begin
  case left(id, 4)
    when 'exc_' then
      if not private.may('write:exceptions') then
        perform private.refuse('scope_required',
          'Evidence of an exception also requires the scope write:exceptions.');
      end if;
      select jsonb_build_object('type', 'exception', 'name', e.title,
        'reconciliation_id', e.reconciliation_id) into subject
      from public.exceptions e where e.tenant_id = private.tenant_id() and e.id = $1;
    when 'mat_' then
      select jsonb_build_object('type', 'match', 'name', r.name,
        'reconciliation_id', m.reconciliation_id) into subject
      from public.matches m
      join public.reconciliations r on r.tenant_id = m.tenant_id and r.id = m.reconciliation_id
      where m.tenant_id = private.tenant_id() and m.id = private.match_id($1);
    when 'lin_' then
      select jsonb_build_object('type', 'line',
        'name', left(coalesce(l.reference, l.counterparty, l.description), 200)) into subject
      from public.lines l
      where l.tenant_id = private.tenant_id() and l.line_no = private.line_no_of($1);
    else
      select jsonb_build_object('type', 'reconciliation', 'name', r.name,
        'reconciliation_id', r.id) into subject
      from public.reconciliations r where r.tenant_id = private.tenant_id() and r.id = $1;
  end case;
  if subject is null then
    perform private.refuse_missing(case left(id, 4) when 'exc_' then 'exception'
      when 'mat_' then 'match' when 'lin_' then 'line' else 'reconciliation' end);
  end if;
  return subject;
end $function$;
CREATE OR REPLACE FUNCTION private.require_evidence_room(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  subject constant jsonb := private.evidence_subject(input ->> 'subject_id');
  before public.evidence;
begin
  perform private.serialize_counting('evidence');
  if (select count(*) from public.evidence e
    where e.tenant_id = tenant and e.subject_id = input ->> 'subject_id'
      and e.removed_at is null) >= 50
  then
    perform private.refuse_conflict('quota', format(
      'There can be at most 50 files of evidence for one %s. Remove one, or pack several in a PDF.',
      subject ->> 'type'));
  end if;
  perform private.require_quota('evidence_mib',
    ceil((input ->> 'bytes')::numeric / 1048576)::bigint);
  if input ->> 'supersedes' is not null then
    before := private.find_evidence(input ->> 'supersedes');
    if before.subject_id <> input ->> 'subject_id' then
      perform private.refuse_field('supersedes', 'Give a file of the same subject.');
    elsif exists (select from public.evidence e where e.tenant_id = tenant
      and e.supersedes = before.id and e.removed_at is null) then
      perform private.refuse_conflict('already_superseded',
        'Another file has superseded this one. Supersede the newest.');
    end if;
  end if;
  return subject;
end $function$;
CREATE OR REPLACE FUNCTION public.open_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'open_evidence');
  perform private.evidence_subject(input ->> 'subject_id');
  return jsonb_build_object('id', private.new_id('evd'));
end $function$;
CREATE OR REPLACE FUNCTION public.add_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'add_evidence');
  subject jsonb;
  e public.evidence;
begin
  if replayed is not null then
    return replayed;
  end if;
  subject := private.require_evidence_room(input);
  insert into public.evidence (id, subject_type, subject_id, file_name, media_type, bytes, sha256,
    bucket, supersedes)
  values (input ->> 'id', subject ->> 'type', input ->> 'subject_id', input ->> 'file_name',
    input ->> 'media_type', (input ->> 'bytes')::integer, input ->> 'sha256', input ->> 'bucket',
    input ->> 'supersedes')
  returning * into e;
  if e.bucket is null then
    insert into private.evidence_contents (tenant_id, evidence_id, content)
    values (e.tenant_id, e.id, decode(input ->> 'content', 'base64'));
  end if;
  perform private.record_evidence('evidence.added', e, subject);
  return private.finish_request(request, private.evidence_json(e)
    || jsonb_build_object('version', private.version_of(private.evidence_json(e))));
end $function$;
CREATE OR REPLACE FUNCTION private.record_evidence(type text, e public.evidence, subject jsonb, reason text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.record_security_event(type, e.subject_id, reason, jsonb_build_object(
    'name', subject -> 'name', 'subject_type', e.subject_type,
    'reconciliation_id', subject -> 'reconciliation_id', 'evidence_id', e.id,
    'file_name', e.file_name, 'media_type', e.media_type, 'bytes', e.bytes, 'sha256', e.sha256,
    'supersedes', e.supersedes));
end $function$;
CREATE OR REPLACE FUNCTION public.remove_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_evidence');
  tenant constant text := private.tenant_id();
  subject jsonb;
  e public.evidence;
  answer jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  e := private.find_evidence(input ->> 'id');
  subject := private.evidence_subject(e.subject_id);
  perform from public.evidence x where x.tenant_id = tenant and x.id = e.id for update;
  e := private.find_evidence(e.id);
  answer := private.evidence_json(e);
  perform private.require_version(private.version_of(answer), request -> 'versions');
  if (answer ->> 'is_signed')::boolean then
    perform private.refuse_conflict('evidence_signed',
      'A signed statement lists this file, so it stays. Add another file that supersedes it.');
  elsif answer ->> 'superseded_by' is not null then
    perform private.refuse_conflict('already_superseded',
      'Another file has superseded this one. Remove that one first.');
  end if;
  delete from private.evidence_contents c where c.tenant_id = tenant and c.evidence_id = e.id;
  update public.evidence x set removed_at = now(), removed_by = private.actor(),
    removed_reason = input ->> 'reason'
  where x.tenant_id = tenant and x.id = e.id;
  if subject ->> 'reconciliation_id' is not null then
    perform private.revoke_signatures(tenant, array(
      select r.id from public.reconciliations r
      where r.tenant_id = tenant and r.id = subject ->> 'reconciliation_id'
        and r.closed_at is null
    ), left(format('Evidence was removed: %s', e.file_name), 1000));
  end if;
  perform private.record_evidence('evidence.removed', e, subject, input ->> 'reason');
  return private.finish_request(request, answer
    || jsonb_build_object('version', private.version_of(answer), 'bucket', e.bucket));
end $function$;
CREATE OR REPLACE FUNCTION public.list_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_evidence');
  select jsonb_agg(private.evidence_json(e) order by e.id desc) into items
  from (
    select * from public.evidence x
    where x.tenant_id = private.tenant_id() and x.removed_at is null
      and x.subject_id = input ->> 'subject_id'
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
    order by x.id desc limit page_size + 1
  ) e;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.get_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
begin
  perform private.begin_request(request, 'get_evidence');
  answer := private.evidence_json(private.find_evidence(input ->> 'id'));
  return answer || jsonb_build_object('version', private.version_of(answer));
end $function$;
CREATE OR REPLACE FUNCTION public.open_evidence_content(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.evidence;
begin
  perform private.begin_request(request, 'open_evidence_content');
  e := private.find_evidence(input ->> 'id');
  return jsonb_build_object('file_name', e.file_name, 'bytes', e.bytes, 'bucket', e.bucket);
end $function$;
CREATE OR REPLACE FUNCTION public.read_evidence_part(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request || '{"continues": true}', 'read_evidence_part');
  return jsonb_build_object('part', private.evidence_part(
    (private.find_evidence(input ->> 'id')).id, (input ->> 'start')::integer,
    (input ->> 'size')::integer));
end $function$;
create policy evidence_read on public.evidence as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:evidence'::text, 'write:evidence'::text]) AS may) AND ((subject_type <> 'exception'::text) OR ( SELECT private.may(VARIADIC ARRAY['read:exceptions'::text, 'write:exceptions'::text]) AS may))));
create policy statement_evidence_read on public.statement_evidence as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
grant execute on function private.business_days_between(text,text,date,date) to authenticated;
grant execute on function private.evidence_json(public.evidence) to authenticated;
grant execute on function private.evidence_part(text,integer,integer) to authenticated;
grant execute on function private.find_evidence(text) to authenticated;
grant execute on function private.is_business_day(jsonb,date) to authenticated;
grant execute on function private.matches_since(public.reconciliations,timestamp with time zone) to authenticated;
grant execute on function private.missing_evidence(public.reconciliations) to authenticated;
grant execute on function private.security_event_search_text(public.security_events) to authenticated;
grant execute on function public.add_evidence(jsonb,jsonb) to authenticated;
grant execute on function public.get_evidence(jsonb,jsonb) to authenticated;
grant execute on function public.list_evidence(jsonb,jsonb) to authenticated;
grant execute on function public.open_evidence(jsonb,jsonb) to authenticated;
grant execute on function public.open_evidence_content(jsonb,jsonb) to authenticated;
grant execute on function public.read_evidence_part(jsonb,jsonb) to authenticated;
grant execute on function public.remove_evidence(jsonb,jsonb) to authenticated;
grant select on public.evidence to authenticated;
grant select on public.evidence to service_role;
grant select on public.statement_evidence to authenticated;
grant select on public.statement_evidence to service_role;
insert into private.permissions select ('(read:evidence,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead,tenant_auditor}",read:reconciliations)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(read:security-events,"{user,api_key,service_role}","{tenant_admin,tenant_auditor}",read:security-events)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(write:evidence,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:reconciliations)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.operations select ('(add_evidence,addEvidence,write:evidence)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_evidence,getEvidence,read:evidence)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_evidence,listEvidence,read:evidence)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(open_evidence,addEvidence,write:evidence)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(open_evidence_content,getEvidenceContent,read:evidence)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(read_evidence_part,getEvidenceContent,read:evidence)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(remove_evidence,removeEvidence,write:evidence)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
