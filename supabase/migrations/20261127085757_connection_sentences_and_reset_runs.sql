-- connection sentences and reset runs

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.start_run(r public.reconciliations, p public.pairs, queued public.runs, engine text, circumstances jsonb, calendar jsonb)
 RETURNS public.runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  begun public.runs := queued;
begin
  if begun.id is null then
    insert into public.runs (tenant_id, reconciliation_id, pair_no)
    select x.tenant_id, x.id, x.pair_no
    from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.id = r.id for key share
    returning * into begun;
  end if;
  update public.runs x
  set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version,
    engine_version = engine, conditions = circumstances,
    calendar_id = calendar ->> 'calendar_id',
    calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = x.attempt + 1
  where x.tenant_id = r.tenant_id and x.id = begun.id returning * into begun;
  return begun;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_run(tenant text, reconciliation text, asked text, engine text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  p public.pairs;
  waiting record;
  begun public.runs;
  last_ended public.runs;
  policy jsonb;
  calendar jsonb;
  circumstances jsonb;
  held_back jsonb;
  is_short boolean;
begin
  select * into r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  waiting := private.run_to_begin(r, asked);
  begun := waiting.run;
  select * into p from public.pairs x where x.tenant_id = tenant and x.pair_no = r.pair_no;
  if waiting.is_over or p.opening is not null or begun.id is null and asked is not null then
    return null;
  end if;
  policy := private.run_policy(p, begun.dry_run);
  calendar := private.open_days(tenant,
    case when begun.dry_run ? 'calendar_id' then begun.dry_run else policy end ->> 'calendar_id');
  circumstances := private.run_conditions(r, p, engine, policy, calendar);
  last_ended := private.newest_run(r, '{done,failed}');
  if begun.dry_run is null and begun.status is distinct from 'running'
    and private.has_nothing_new(r, last_ended, circumstances) then
    if begun.id is null then
      return null;
    elsif last_ended.exceptions_held_back = 0 then
      perform private.end_unchanged_run(tenant, begun.id, last_ended, 0, 0);
      return null;
    end if;
    held_back := private.reasons_held_back(r);
  end if;
  is_short := begun.id is null and private.may_be_short(r, last_ended, circumstances, policy);
  if is_short and not exists (select from private.new_open_lines(r, 1)) then
    perform private.queue_full_run(r);
    return null;
  end if;
  begun := private.start_run(r, p, begun, engine, circumstances, calendar);
  if begun.id is null then
    return null;
  end if;
  -- held_back: why lines are open, if only exceptions are left to open. short_after: the last run,
  -- if what is new may be decided first.
  return private.run_order(r, p, begun, policy, calendar) || jsonb_build_object(
    'held_back', held_back, 'short_after', case when is_short then to_jsonb(last_ended) end);
end $function$;
CREATE OR REPLACE FUNCTION private.require_connection(c public.connections)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  fitting constant text[] := case c.kind
    when 'https' then '{none,bearer,signed_query,password}'::text[]
    when 's3' then '{access_key}' when 'mail' then '{none}' else '{password,private_key}' end;
begin
  if (c.kind = 'mail') <> (cardinality(c.allowed_senders) > 0) then
    perform private.refuse_field('allowed_senders', 'Give at least one with mail, and only then.');
  elsif c.kind <> 'mail' and (c.kind = 'sftp') <> starts_with(c.address, 'sftp:') then
    perform private.refuse_field('address', case c.kind when 'sftp' then
      'Give an address of sftp, such as sftp://sftp.bank.example/outgoing.' else
      'Give an https address.' end);
  elsif c.auth <> all (fitting) then
    perform private.refuse_field('auth', format('With %s, give one of: %s.', c.kind,
      array_to_string(fitting, ', ')));
  elsif c.auth in ('password', 'private_key', 'access_key') and c.user_name is null then
    perform private.refuse_field('user_name', case c.kind when 's3' then
      'Give the ID of the access key.' else 'Give the name to sign in by.' end);
  elsif c.auth = 'signed_query' and strpos(c.address, '?') > 0 then
    perform private.refuse_field('address',
      'Leave the query out: it is a secret. Send it as the credential.');
  elsif c.kind = 's3' and c.region is null then
    perform private.refuse_field('region', 'Give the region of the bucket.');
  elsif c.kind in ('https', 'mail') and c.afterwards <> 'leave' then
    perform private.refuse_field('afterwards', format('With %s, it can only be leave.', c.kind));
  elsif (c.afterwards = 'move') <> (c.move_to is not null) then
    perform private.refuse_field('move_to', 'Give it with afterwards: move, and only then.');
  elsif c.host_key is not null and c.kind <> 'sftp' then
    perform private.refuse_field('host_key', 'Only sftp has a host key.');
  elsif c.schedule ->> 'calendar_id' is not null and private.current_calendar_no(c.tenant_id,
    c.schedule ->> 'calendar_id') is null then
    perform private.refuse_field('schedule.calendar_id', 'There is no such calendar.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_sandbox()
 RETURNS public.tenants
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  sandbox public.tenants;
begin
  select * into sandbox from public.tenants t
  where t.id = tenant and t.kind = 'sandbox' for no key update;
  if not found then
    perform private.refuse_conflict('tenant_kind',
      'Only a sandbox can be reset, and this tenant is live. Nothing was deleted.');
  end if;
  perform private.lock_sources_exclusively(tenant,
    array(select s.source_no from public.sources s where s.tenant_id = tenant));
  perform from public.pairs p where p.tenant_id = tenant order by p.pair_no for update;
  -- Otherwise a matcher could begin a run after the check below.
  perform from public.runs r where r.tenant_id = tenant and r.status = 'queued'
  order by r.id for update;
  if exists (select from public.runs r where r.tenant_id = tenant and r.status = 'running')
    or exists (select from public.imports i
      where i.tenant_id = tenant and i.status in ('reading', 'undoing'))
    or exists (select from public.pairs p where p.tenant_id = tenant and p.opening is not null)
    or exists (select from private.closing_requests q
      where q.tenant_id = tenant and q.failure is null) then
    perform private.refuse_conflict('sandbox_busy',
      'A run, an import or a closing is at work in this sandbox. Send the call again when it is done.');
  end if;
  return sandbox;
end $function$;
