alter table public.api_keys add column creator_issuer text, add column creator_subject text; alter table public.api_keys alter column creator_issuer set default private.actor_issuer(), alter column creator_subject set default private.actor_subject();

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.worked_in_period(public.reconciliations,text);
drop function private.queue_import(text,jsonb,bigint);
create table private.period_workers (
  tenant_id text not null,
  reconciliation_id text not null,
  issuer text not null default ''::text,
  subject text not null default ''::text,
  name text not null default ''::text,
  is_service_role boolean not null default false
);
alter table private.period_workers add constraint period_workers_pkey PRIMARY KEY (tenant_id, reconciliation_id, issuer, subject, name, is_service_role);
alter table private.period_workers add constraint period_workers_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id) ON DELETE CASCADE;
alter table private.period_workers enable row level security; alter table private.period_workers no force row level security;
CREATE OR REPLACE FUNCTION public.create_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_reconciliation');
  pair integer;
  is_open boolean;
  created public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  if input ->> 'left_source_id' is not null then
    if input ? 'matched_count' or input ? 'unmatched_count' then
      perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select o.pair_no, o.is_open into pair, is_open from private.open_pair(input ->> 'left_source_id', input ->> 'right_source_id') o;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id', coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  perform private.record_security_event('reconciliation.created', created.id, null,
    jsonb_build_object('name', created.name, 'period_start', created.period_start,
      'period_end', created.period_end, 'left_source_id', created.left_source_id,
      'right_source_id', created.right_source_id));
  if is_open then
    perform private.ask_for_runs(private.tenant_id(), pair);
  elsif pair is not null then
    perform private.queue_preparing(private.tenant_id(), pair, interval '0');
  end if;
  return private.answer(request, private.reconciliation_json(created) || jsonb_build_object('version', private.reconciliation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION private.source_facts(s public.sources)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('name', s.name, 'kind', s.kind, 'currency', s.currency,
    'time_zone', s.time_zone, 'sign', s.sign, 'grace_days', s.grace_days, 'mapping', s.mapping);
end $function$;
CREATE OR REPLACE FUNCTION public.create_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_source');
  created public.sources;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_quota('sources');
  insert into public.sources (name, kind, currency, time_zone, sign, mapping, grace_days)
  values (
    input ->> 'name', input ->> 'kind', input ->> 'currency', coalesce(input ->> 'time_zone', 'UTC'), coalesce(input ->> 'sign', 'as_is'),
    nullif(input -> 'mapping', 'null'), coalesce((input ->> 'grace_days')::smallint, 3)
  )
  returning * into created;
  perform private.record_security_event('source.created', created.id, null,
    private.source_facts(created));
  return private.answer(request, private.source_json(created) || jsonb_build_object('version', private.source_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_source');
  before public.sources;
  after public.sources;
begin
  if kept is not null then
    return kept;
  end if;
  -- Alone where its currency or sign is to change, by which its lines are read.
  perform private.hold_sources_alone(s.tenant_id, array[s.source_no]) from public.sources s
  where s.tenant_id = private.tenant_id() and s.id = input ->> 'id'
    and (coalesce(input #>> '{patch,currency}', s.currency), coalesce(input #>> '{patch,sign}', s.sign)) <> (s.currency, s.sign);
  select * into before from public.sources x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('source');
  end if;
  perform private.require_version(private.source_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  after.mapping := nullif(after.mapping, 'null');
  if after is distinct from before then
    update public.sources x set
      name = after.name, kind = after.kind, currency = after.currency, time_zone = after.time_zone, sign = after.sign,
      mapping = after.mapping, grace_days = after.grace_days
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
    perform private.record_security_event('source.updated', after.id, null, (
      select jsonb_build_object('name', after.name, 'changes', coalesce(jsonb_object_agg(
        n.key, jsonb_build_object('from', o.value, 'to', n.value)), '{}'))
      from jsonb_each(private.source_facts(after)) n
      join jsonb_each(private.source_facts(before)) o on o.key = n.key
      where o.value is distinct from n.value
    ));
  end if;
  return private.answer(request, private.source_json(after) || jsonb_build_object('version', private.source_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.add_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'add_lines');
  s public.sources;
  added jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  s := private.find_source(input ->> 'source_id');
  perform private.record_source_work(s.source_no);
  added := private.add_lines(s.source_no, (
    select jsonb_agg(jsonb_build_object('currency', s.currency) || l.line order by l.n)
    from jsonb_array_elements(input -> 'lines') with ordinality l (line, n)
  ));
  return private.answer(request, jsonb_build_object(
    'accepted_count', added -> 'accepted', 'duplicate_count', added -> 'duplicates', 'items', added -> 'items'
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.queue_import(import_id text, mapping jsonb, bytes bigint, sha256 text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  queued public.imports;
begin
  update public.imports i set status = 'queued', mapping = queue_import.mapping, bytes_total = bytes, bytes_read = 0
  where i.tenant_id = private.tenant_id() and i.id = $1 and i.status = 'receiving'
  returning * into queued;
  if not found then
    perform private.refuse_missing('import');
  end if;
  perform private.record_source_work(queued.source_no);
  perform private.record_security_event('import.created', queued.id, null, jsonb_build_object(
    'file_name', queued.file_name, 'format', queued.format, 'bytes', bytes, 'sha256', sha256,
    'source_id', (
      select s.id from public.sources s
      where s.tenant_id = queued.tenant_id and s.source_no = queued.source_no
    )
  ));
  -- One file of a source at a time: two with the same lines would wait for each other.
  perform graphile_worker.add_job(
    'read_import', private.of_request(jsonb_build_object('tenant_id', queued.tenant_id, 'import_id', queued.id)),
    queue_name => 'source:' || queued.tenant_id || ':' || queued.source_no, max_attempts => 6, flags => private.places_of(queued.tenant_id, 'lines')
  );
  return queued;
end $function$;
CREATE OR REPLACE FUNCTION public.create_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_import');
begin
  if kept is not null then
    perform private.drop_received(input ->> 'id');
    return kept;
  end if;
  return private.answer(request, private.import_json(
    private.queue_import(input ->> 'id', nullif(input -> 'mapping', 'null'), (input ->> 'bytes')::bigint,
      input ->> 'sha256')
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.undo_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'undo_import');
  i public.imports;
begin
  if kept is not null then
    return kept;
  end if;
  i := private.begin_undoing(input ->> 'id');
  perform private.record_security_event('import.undone', i.id, null, jsonb_build_object(
    'file_name', i.file_name, 'accepted_count', i.accepted_count
  ));
  return private.answer(request, private.import_json(i));
end $function$;
CREATE OR REPLACE FUNCTION private.record_decided_matches(action text, ids uuid[], details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  target constant text := case when cardinality(ids) = 1 then private.match_id_text(ids[1]) end;
  periods constant text[] := array(
    select distinct m.reconciliation_id from public.matches m where m.tenant_id = private.tenant_id() and m.id = any (ids));
  told constant jsonb := details || jsonb_build_object('count', cardinality(ids),
    'reconciliation_id', case when cardinality(periods) = 1 then periods[1] end);
begin
  if cardinality(ids) = 0 then
    return;
  end if;
  if action in ('confirm', 'undo') then
    perform private.record_period_work(p.id) from unnest(periods) as p (id);
  end if;
  case action
    when 'confirm' then perform private.record_security_event('matching.confirmed', target, null, told);
    when 'reject' then perform private.record_security_event('matching.rejected', target, null, told);
    when 'undo' then perform private.record_security_event('matching.undone', target, null, told);
  end case;
end $function$;
CREATE OR REPLACE FUNCTION private.record_hand_match(m public.matches)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  told constant jsonb := jsonb_build_object('reconciliation_id', m.reconciliation_id, 'currency', m.currency, 'amount_minor', m.amount_minor,
    'adjustments', m.adjustments);
begin
  perform private.record_period_work(m.reconciliation_id);
  if m.adjustments @> '[{"kind": "write_off"}]' then
    perform private.record_security_event('matching.written_off', private.match_id_text(m.id), m.note, told);
  else
    perform private.record_security_event('matching.matched', private.match_id_text(m.id), m.note, told);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.exclude_line(id text, period text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  o private.open_lines;
begin
  r := private.hold_period(tenant, period);
  delete from private.open_lines x using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and x.tenant_id = tenant and x.pair_no = r.pair_no and x.line_no = l.line_no
    and x.value_date <= r.period_end
  returning x.* into o;
  if not found then
    perform private.refuse('conflict', 'Nothing of this line is open in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone since.
  insert into public.exclusions as e (tenant_id, pair_no, line_no, reconciliation_id, side, currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no) do update set excluded_minor = e.excluded_minor + excluded.excluded_minor, reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where e.reconciliation_id = excluded.reconciliation_id;
  if not found then
    perform private.refuse('conflict', 'Another period excluded part of this line. Include it there first, or match what is open of it.');
  end if;
  perform private.drop_suggestions(tenant, r.pair_no, array[o.line_no]);
  perform private.resolve_line_exceptions(tenant, r.pair_no, array[o.line_no], left('Excluded: ' || $3, 1000));
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, r.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_period_work(r.id);
  perform private.record_security_event('line.excluded', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
end $function$;
CREATE OR REPLACE FUNCTION private.include_line(id text, period text, reason text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  x public.exclusions;
begin
  select r2.* into r from public.lines l
  join public.exclusions e on e.tenant_id = l.tenant_id and e.line_no = l.line_no
  join public.reconciliations r2 on r2.tenant_id = e.tenant_id and r2.id = e.reconciliation_id
  where l.tenant_id = tenant and l.id = private.line_id($1) and (period is null or r2.id = period)
  order by r2.period_end desc limit 1;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  r := private.hold_period(tenant, r.id);
  delete from public.exclusions e using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and e.tenant_id = tenant and e.pair_no = r.pair_no and e.line_no = l.line_no
  returning e.* into x;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
  select tenant, x.pair_no, l.line_no, x.side, l.currency, case s.sign when 'inverted' then -l.amount_minor else l.amount_minor end,
    x.excluded_minor, l.value_date
  from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  where l.tenant_id = tenant and l.line_no = x.line_no
  on conflict (tenant_id, pair_no, line_no) do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, x.pair_no, array[x.line_no]);
  update private.acts a set undone_at = now(), undone_by = private.actor()
  where a.tenant_id = tenant and a.line_id = private.line_id($1) and a.reconciliation_id = r.id and a.undone_at is null;
  perform private.record_period_work(r.id);
  perform private.record_security_event('line.included', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
  return r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.take_back_act(id text)
 RETURNS private.acts
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  a private.acts;
  r public.reconciliations;
  wanted text;
begin
  select * into a from private.acts x where x.tenant_id = tenant and x.id = $1;
  r := private.hold_period(tenant, a.reconciliation_id);
  select * into a from private.acts x where x.tenant_id = tenant and x.id = $1 for update;
  if a.undone_at is not null then
    perform private.refuse('conflict', 'This decision was undone already.');
  end if;
  wanted := case a.kind when 'reject' then 'rejected' else 'confirmed' end;
  if (select count(*) from public.matches m where m.tenant_id = tenant and m.id = any (a.match_ids) and m.state = wanted) <> cardinality(a.match_ids) then
    perform private.refuse('conflict', format('Not all of its matches are still %s. Nothing was changed.', wanted));
  end if;
  case a.kind
    when 'confirm' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, true);
    when 'reject' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, false);
    when 'match' then perform private.undo_matches(tenant, a.match_ids, private.actor());
    when 'exclude' then perform private.include_line(private.line_id_text(a.line_id), r.id, 'Undone');
  end case;
  perform private.record_period_work(a.reconciliation_id);
  update private.acts x set undone_at = now(), undone_by = private.actor() where x.tenant_id = tenant and x.id = a.id returning * into a;
  if a.kind <> 'exclude' then
    perform private.record_security_event('matching.undone', a.id, null, jsonb_build_object(
      'decision', a.kind, 'count', cardinality(a.match_ids), 'reconciliation_id', a.reconciliation_id));
  end if;
  -- Suggestions that had to go for it may come again.
  if r.auto_run then
    perform private.ask_for_runs(tenant, r.pair_no);
  end if;
  return a;
end $function$;
CREATE OR REPLACE FUNCTION private.require_closable(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end < r.period_start and x.closed_at is null and x.status <> 'archived'
  ) then
    perform private.refuse('conflict', 'An earlier period of these sources is open. Close that one first.');
  elsif exists (
    select from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status in ('queued', 'running') and x.dry_run is null
  ) then
    perform private.refuse('conflict', 'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs p join public.imports i
      on i.tenant_id = p.tenant_id and i.source_no in (p.left_source_no, p.right_source_no) and i.status = 'undoing'
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) then
    perform private.refuse('conflict', 'An import of its sources is being undone. Close it when that is done.');
  end if;
  if private.needs_other_eyes(r) and private.worked_in_period(r) then
    perform private.refuse('conflict', 'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added lines in this period. Ask somebody who did not to close it.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.record_period_work(reconciliation_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  caller constant text := private.principal_type();
  lineage constant text := substr(auth.jwt() ->> 'principal_id', length('api_key:') + 1);
begin
  if caller = 'user' then
    insert into private.period_workers (tenant_id, reconciliation_id, issuer, subject)
    values (tenant, $1, private.actor_issuer(), private.actor_subject())
    on conflict do nothing;
  elsif caller = 'api_key' then
    insert into private.period_workers (tenant_id, reconciliation_id, issuer, subject, name)
    select distinct tenant, $1, coalesce(k.creator_issuer, ''), coalesce(k.creator_subject, ''),
      case when k.creator_subject is null then k.created_by else '' end
    from public.api_keys k where k.tenant_id = tenant and k.lineage_id = lineage
    on conflict do nothing;
  elsif caller = 'service_role' then
    insert into private.period_workers (tenant_id, reconciliation_id, is_service_role)
    values (tenant, $1, true)
    on conflict do nothing;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.record_source_work(source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period record;
begin
  for period in
    select r.id from public.pairs p
    join public.reconciliations r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no
    where p.tenant_id = private.tenant_id() and $1 in (p.left_source_no, p.right_source_no)
      and r.closed_at is null and r.status <> 'archived'
    order by r.id
  loop
    perform private.record_period_work(period.id);
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.worked_in_period(r public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  who constant text := private.actor();
  is_admin constant boolean := auth.jwt() -> 'roles' ? 'tenant_admin';
begin
  return exists (
    select from private.period_workers w
    where w.tenant_id = r.tenant_id and w.reconciliation_id = r.id
      and ((w.issuer, w.subject) = (private.actor_issuer(), private.actor_subject())
        or w.name = who or w.is_service_role and is_admin)
  ) or exists (
    select from public.matches m where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id
      and (m.method = 'manual' and m.created_by = who or m.state = 'undone' and m.decided_by = who)
  ) or exists (
    select from private.acts a where a.tenant_id = r.tenant_id and a.reconciliation_id = r.id
      and (a.kind in ('match', 'exclude') and a.created_by = who or a.undone_by = who)
  );
end $function$;
