-- workbench

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.match_own_lines(text,jsonb,jsonb,text);
delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
create table private.acts (
  tenant_id text not null,
  id text not null default private.new_id('dec'::text),
  reconciliation_id text not null,
  kind text not null,
  match_ids uuid[] not null default '{}'::uuid[],
  line_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null,
  undone_at timestamp(3) with time zone,
  undone_by text
);
alter table private.acts add constraint acts_pkey PRIMARY KEY (tenant_id, id);
alter table private.acts add constraint acts_kind_check CHECK ((kind = ANY (ARRAY['confirm'::text, 'reject'::text, 'match'::text, 'exclude'::text])));
CREATE INDEX acts_by_reconciliation ON private.acts USING btree (tenant_id, reconciliation_id, id);
alter table private.acts enable row level security; alter table private.acts no force row level security;
CREATE OR REPLACE FUNCTION private.remember_act(kind text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.acts (tenant_id, reconciliation_id, kind, match_ids, created_by)
  select m.tenant_id, m.reconciliation_id, remember_act.kind, array_agg(m.id order by m.id), private.actor()
  from public.matches m where m.tenant_id = private.tenant_id() and m.id = any (ids)
  group by m.tenant_id, m.reconciliation_id order by m.reconciliation_id;
end $function$;
CREATE OR REPLACE FUNCTION private.act_json(a private.acts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', a.id, 'reconciliation_id', a.reconciliation_id, 'action', a.kind,
    'match_ids', (select coalesce(jsonb_agg(private.match_id_text(m) order by m), '[]') from unnest(a.match_ids) m),
    'line_id', private.line_id_text(a.line_id), 'created_at', private.iso(a.created_at), 'created_by', a.created_by,
    'undone_at', private.iso(a.undone_at), 'undone_by', a.undone_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.decide_own_matches(action text, ids uuid[])
 RETURNS SETOF public.matches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  who constant text := private.actor();
  wanted constant text := case action when 'undo' then 'confirmed' else 'suggested' end;
  touched record;
  refused jsonb;
begin
  for touched in
    select m.pair_no, array_agg(distinct m.reconciliation_id) as periods from public.matches m
    where m.tenant_id = tenant and m.id = any (ids) group by m.pair_no order by m.pair_no
  loop
    perform private.hold_period(tenant, p.id) from unnest(touched.periods) as p (id);
  end loop;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) left join public.matches m on m.tenant_id = tenant and m.id = i.id where m.id is null;
  if refused is not null then
    perform private.refuse('not_found', 'There is no such match.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('This match is %s: only one that is %s can be %s.', m.state, wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end)) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id where m.state <> wanted;
  if refused is not null then
    perform private.refuse('invalid_transition', format('Only a match that is %s can be %s. Nothing was changed.', wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end), refused);
  end if;
  for touched in
    select m.pair_no, array_agg(m.id order by m.id) as ids from public.matches m
    where m.tenant_id = tenant and m.id = any (decide_own_matches.ids) group by m.pair_no order by m.pair_no
  loop
    case action
      when 'confirm' then perform private.confirm_matches(tenant, touched.pair_no, touched.ids, who);
      when 'reject' then perform private.reject_matches(tenant, touched.ids, who);
      when 'undo' then perform private.undo_matches(tenant, touched.ids, who);
    end case;
  end loop;
  if action <> 'undo' then
    perform private.remember_act(action, decide_own_matches.ids);
  end if;
  return query
  select m.* from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id order by i.n;
end $function$;
CREATE OR REPLACE FUNCTION private.match_own_lines(period text, line_ids jsonb, adjustments jsonb, note text, split text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  bad jsonb;
  asked record;
  made public.matches;
  difference bigint;
  split_no bigint;
  split_side text;
  split_open bigint;
  -- What the match takes of the split line: all that is open, less the difference.
  split_minor bigint;
begin
  r := private.hold_period(tenant, period);
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (l.n - 1), 'message', case
      when o.line_no is null then 'This line is matched or excluded already.'
      else format('This line is dated after the period, which ends on %s.', r.period_end) end) order by l.n) into bad
  from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
  where o.line_no is null or l.value_date > r.period_end;
  if bad is not null then
    perform private.refuse('conflict', 'Not all of these lines are open in the period. Nothing was changed.', bad);
  end if;
  select count(*) filter (where l.side = 'left') as lefts, count(*) filter (where l.side = 'right') as rights, count(distinct l.currency) as currencies,
    min(l.currency) as currency, coalesce(sum(l.open_minor) filter (where l.side = 'left'), 0) as left_minor,
    coalesce(sum(l.open_minor) filter (where l.side = 'right'), 0) as right_minor,
    sum(greatest(l.open_minor, 0)) as positive_minor
  into asked from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l;
  if asked.currencies > 1 then
    perform private.refuse_field('line_ids', 'All lines of a match need one currency.');
  end if;
  select asked.left_minor - asked.right_minor - coalesce(sum((a ->> 'amount_minor')::bigint), 0) into difference
  from jsonb_array_elements(coalesce(match_own_lines.adjustments, '[]')) a;
  if split is not null then
    select l.line_no, l.side, l.open_minor, l.open_minor - case l.side when 'left' then difference else -difference end
    into split_no, split_side, split_open, split_minor
    from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l
    join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no and x.id = private.line_id(split);
    if not found then
      perform private.refuse_field('split_line_id', 'Name one of line_ids.');
    elsif asked.lefts = 0 or asked.rights = 0 then
      perform private.refuse_field('split_line_id', 'Only a match of both sides can leave part of a line open.');
    elsif difference = 0 or sign(split_minor) <> sign(split_open) or abs(split_minor) >= abs(split_open) then
      perform private.refuse_field('split_line_id', format(
        'Left − right is %s in minor units of %s, which is no part of this line. Choose the larger line.', difference, asked.currency));
    end if;
  elsif difference <> 0 then
    perform private.refuse_field('adjustments', format(
      'Left is %s and right is %s in minor units of %s: %s is not explained. Add adjustments of %s, or choose other lines.',
      asked.left_minor, asked.right_minor, asked.currency, difference, difference));
  end if;
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method, currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    case when asked.lefts = 0 or asked.rights = 0 then 'reversal' when asked.lefts = 1 and asked.rights = 1 then '1:1'
      when asked.lefts = 1 then '1:n' when asked.rights = 1 then 'n:1' else 'n:m' end,
    'manual', asked.currency, case
      when asked.lefts = 0 or asked.rights = 0 then asked.positive_minor
      when split_side = 'left' then asked.left_minor - difference
      else asked.left_minor end,
    coalesce(match_own_lines.adjustments, '[]'), match_own_lines.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, l.line_no, l.side, case when l.line_no = split_no then split_minor else l.open_minor end
  from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  perform private.remember_act('match', array[made.id]);
  return made;
end $function$;
CREATE OR REPLACE FUNCTION public.create_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_match');
begin
  if kept is not null then
    return kept;
  end if;
  if private.principal_type() <> 'user' and input -> 'adjustments' @> '[{"kind": "write_off"}]' then
    perform private.refuse('role_required', 'A write-off is a person''s to decide: sign in as tenant_admin or tenant_lead.');
  end if;
  return private.answer(request, private.match_json(
    private.match_own_lines(input ->> 'id', input -> 'line_ids', nullif(input -> 'adjustments', 'null'), input ->> 'note',
      input ->> 'split_line_id')));
end $function$;
CREATE OR REPLACE FUNCTION private.exclude_own_line(id text, period text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
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
  insert into public.exclusions (tenant_id, pair_no, line_no, reconciliation_id, side, currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3);
  perform private.drop_suggestions(tenant, r.pair_no, array[o.line_no]);
  perform private.resolve_line_exceptions(tenant, r.pair_no, array[o.line_no], left('Excluded: ' || $3, 1000));
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, created_by) values (tenant, r.id, 'exclude', private.line_id($1), private.actor());
  perform private.record_security_event('line.excluded', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
end $function$;
CREATE OR REPLACE FUNCTION public.list_decisions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  items jsonb;
begin
  perform private.enter(request, 'list_decisions');
  r := private.find_period(input ->> 'id');
  select jsonb_agg(private.act_json(x) order by x.id desc) into items
  from (
    select * from private.acts a
    where a.tenant_id = r.tenant_id and a.reconciliation_id = r.id and (input -> 'after' ->> 0 is null or a.id < input -> 'after' ->> 0)
    order by a.id desc limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.take_back_own_act(id text)
 RETURNS private.acts
 LANGUAGE plpgsql
 SECURITY DEFINER
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
    when 'exclude' then perform private.include_own_line(private.line_id_text(a.line_id), r.id, 'Undone');
  end case;
  update private.acts x set undone_at = now(), undone_by = private.actor() where x.tenant_id = tenant and x.id = a.id returning * into a;
  -- Suggestions that had to go for it may come again.
  if r.auto_run then
    perform private.ask_for_runs(tenant, r.pair_no);
  end if;
  return a;
end $function$;
CREATE OR REPLACE FUNCTION private.suggest_again(tenant text, pair integer, ids uuid[], taken boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line_nos bigint[];
begin
  select array_agg(distinct mm.line_no) into line_nos from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  if taken then
    perform private.give_back(tenant, ids);
    insert into public.events (tenant_id, type, data)
    select m.tenant_id, 'match.undone', jsonb_build_object('match', private.match_event(m), 'undone_by', private.actor())
    from public.matches m where m.tenant_id = tenant and m.id = any (ids) order by m.id;
  elsif exists (
    select from public.match_members mm
    left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no and o.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = any (ids)
      and coalesce(mm.allocated_minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0), true)
  ) then
    perform private.refuse('conflict', 'A line of it is not open any more. Nothing was changed.');
  end if;
  delete from private.decisions d where d.tenant_id = tenant and d.pair_no = pair and d.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos);
  update public.matches m set state = 'suggested', decided_by = null, decided_at = null where m.tenant_id = tenant and m.id = any (ids);
  if taken then
    perform private.reopen_line_exceptions(tenant, pair, line_nos);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.undo_decision(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'undo_decision');
  a private.acts;
begin
  if kept is not null then
    return kept;
  end if;
  select * into a from private.acts x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('decision');
  elsif (a.created_by <> private.actor() or a.kind in ('match', 'exclude')) and not private.may('write:reconciliations') then
    perform private.refuse('role_required', 'You can undo what you confirmed or rejected yourself. Ask an admin or a lead to undo this.');
  end if;
  return private.answer(request, private.act_json(private.take_back_own_act(a.id)));
end $function$;
CREATE OR REPLACE FUNCTION public.list_open_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  by_amount constant boolean := input ->> 'sort' = 'amount';
  patterns constant text[] := private.word_patterns(coalesce(input ->> 'q', ''));
  wants constant boolean := (input ->> 'suggested')::boolean;
  r public.reconciliations;
  after_no bigint;
  items jsonb;
begin
  perform private.enter(request, 'list_open_lines');
  r := private.find_period(input ->> 'id');
  if input ->> 'after' is not null then
    -- Of a line that is gone meanwhile: its day or amount is begun anew.
    after_no := coalesce((
      select x.line_no from public.lines x where x.tenant_id = r.tenant_id and x.id = private.line_id(input -> 'after' ->> 1)), 0);
  end if;
  select jsonb_agg(f.line order by f.n) into items
  from (
    select row_number() over (
      order by case when by_amount then -abs(o.open_minor) end, case when not by_amount then o.value_date end, o.line_no) as n, private.open_line_json(l, o.side, o.amount_minor, o.open_minor, r) as line
    from (
      select x.* from private.open_lines x
      where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.value_date <= r.period_end and r.closed_at is null
        and (input ->> 'side' is null or x.side = input ->> 'side')
        and (input ->> 'currency' is null or x.currency = input ->> 'currency')
        and (input ->> 'date_from' is null or x.value_date >= (input ->> 'date_from')::date)
        and (input ->> 'date_to' is null or x.value_date <= (input ->> 'date_to')::date)
        and (input ->> 'amount_from' is null or x.open_minor >= (input ->> 'amount_from')::bigint)
        and (input ->> 'amount_to' is null or x.open_minor <= (input ->> 'amount_to')::bigint)
        and (after_no is null or case when by_amount
          then (-abs(x.open_minor), x.line_no) > (-abs((input -> 'after' ->> 0)::bigint), after_no)
          else (x.value_date, x.line_no) > ((input -> 'after' ->> 0)::date, after_no) end)
        and (cardinality(patterns) = 0 or exists (
          select from public.lines t
          where t.tenant_id = r.tenant_id and t.line_no = x.line_no
            and lower(concat_ws(' ', t.reference, t.counterparty, t.description, t.external_id, x.open_minor)) like all (patterns)
        ))
        and (wants is null or wants = exists (
          select from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
          where mm.tenant_id = r.tenant_id and mm.line_no = x.line_no and mm.pair_no = r.pair_no and m.state = 'suggested' and m.reconciliation_id = r.id
        ))
      order by case when by_amount then -abs(x.open_minor) end, case when not by_amount then x.value_date end, x.line_no
      limit page_size + 1
    ) o
    join public.lines l on l.tenant_id = r.tenant_id and l.line_no = o.line_no
  ) f;
  return private.page(items, page_size, case when by_amount then 'open_minor' else 'value_date' end, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_json(l public.lines, side text, amount_minor bigint, open_minor bigint, r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', private.line_id_text(l.id), 'side', side, 'currency', l.currency, 'amount_minor', amount_minor, 'open_minor', open_minor,
    'value_date', l.value_date, 'booked_date', l.booked_date, 'reference', l.reference, 'counterparty', l.counterparty,
    'description', l.description, 'group_key', l.group_key, 'external_id', l.external_id,
    'suggestion', (
      select jsonb_build_object('match_id', private.match_id_text(m.id), 'score', m.score, 'shape', m.shape)
      from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and mm.pair_no = r.pair_no and m.state = 'suggested' and m.reconciliation_id = r.id
      order by m.score desc nulls last, m.id limit 1
    ),
    'exception_id', (
      select e.id from public.exceptions e
      where e.tenant_id = l.tenant_id and e.line_no = l.line_no and e.pair_no = r.pair_no and e.status in ('open', 'in_review')
      order by e.id desc limit 1
    )
  );
end $function$;
create policy acts_read on private.acts as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
grant execute on function private.act_json(private.acts) to authenticated;
grant execute on function private.match_own_lines(text,jsonb,jsonb,text,text) to authenticated;
grant execute on function private.open_line_json(public.lines,text,bigint,bigint,public.reconciliations) to authenticated;
grant execute on function private.take_back_own_act(text) to authenticated;
grant execute on function public.list_decisions(jsonb,jsonb) to authenticated;
grant execute on function public.list_open_lines(jsonb,jsonb) to authenticated;
grant execute on function public.undo_decision(jsonb,jsonb) to authenticated;
grant select on private.acts to authenticated;
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
  ('(read:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:reconciliations)'),
  ('(read:release-notes,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:release-notes)'),
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
  ('(create_import,createImport,write:reconciliations)'),
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
  ('(get_proof,getProof,read:reconciliations)'),
  ('(get_reconciliation,getReconciliation,read:reconciliations)'),
  ('(get_record,getIntegration,read:integrations)'),
  ('(get_record,getReleaseNote,read:release-notes)'),
  ('(get_record,getTroubleshootingGuide,read:troubleshooting)'),
  ('(get_rules,getRules,read:reconciliations)'),
  ('(get_run,getRun,read:reconciliations)'),
  ('(get_security_event,getSecurityEvent,read:security-events)'),
  ('(get_sla_policy,getSlaPolicy,read:sla-policy)'),
  ('(get_sla_report,exportSlaReport,read:sla)'),
  ('(get_sla_report,getSlaReport,read:sla)'),
  ('(get_source,addLines,write:reconciliations)'),
  ('(get_source,getSource,read:reconciliations)'),
  ('(get_statement,getStatement,read:reconciliations)'),
  ('(get_time_to_breach,getTimeToBreach,read:sla)'),
  ('(get_webhook,getWebhook,read:webhooks)'),
  ('(get_webhook_delivery,getWebhookDelivery,read:webhooks)'),
  ('(import_exceptions,importExceptions,write:exceptions)'),
  ('(include_line,includeLine,write:reconciliations)'),
  ('(keep_import_chunk,createImport,write:reconciliations)'),
  ('(list_api_keys,listApiKeys,read:api-keys)'),
  ('(list_calendars,listCalendars,read:calendars)'),
  ('(list_decisions,listDecisions,read:reconciliations)'),
  ('(list_exception_history,listExceptionHistory,read:exceptions)'),
  ('(list_exceptions,listExceptions,read:exceptions)'),
  ('(list_holidays,listHolidayCountries,read:calendars)'),
  ('(list_holidays,listHolidays,read:calendars)'),
  ('(list_imports,listImports,read:reconciliations)'),
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
  ('(list_runs,listRuns,read:reconciliations)'),
  ('(list_security_events,listSecurityEvents,read:security-events)'),
  ('(list_sessions,listSessions,read:sessions)'),
  ('(list_sla_exceptions,exportSlaExceptions,read:sla)'),
  ('(list_sla_exceptions,listSlaExceptions,read:sla)'),
  ('(list_sources,listSources,read:reconciliations)'),
  ('(list_webhook_deliveries,listWebhookDeliveries,read:webhooks)'),
  ('(list_webhooks,listWebhooks,read:webhooks)'),
  ('(open_import,createImport,write:reconciliations)'),
  ('(open_security_event_chain,verifySecurityEvents,read:security-events)'),
  ('(open_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(preview_import,createImport,write:reconciliations)'),
  ('(put_calendar,putCalendar,write:calendars)'),
  ('(put_first_steps,putFirstSteps,write:first-steps)'),
  ('(put_rules,putRules,write:reconciliations)'),
  ('(put_sla_policy,putSlaPolicy,write:sla-policy)'),
  ('(read_ics,readIcs,write:calendars)'),
  ('(recover_webhook,recoverWebhook,write:webhooks)'),
  ('(reject_match,rejectMatch,decide:matches)'),
  ('(reopen_reconciliation,reopenReconciliation,close:reconciliations)'),
  ('(resend_webhook_delivery,resendWebhookDelivery,write:webhooks)'),
  ('(restore_record,restoreIntegration,restore:integrations)'),
  ('(restore_record,restoreReleaseNote,restore:release-notes)'),
  ('(restore_record,restoreTroubleshootingGuide,restore:troubleshooting)'),
  ('(revoke_api_key,revokeApiKey,write:api-keys)'),
  ('(rotate_api_key,rotateApiKey,write:api-keys)'),
  ('(rotate_webhook_secret,rotateWebhookSecret,write:webhooks)'),
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
  ('(update_webhook,updateWebhook,write:webhooks)'),
  ('(walk_security_event_chain,verifySecurityEvents,read:security-events)')
) as given (row_text);
insert into private.event_kinds select (row_text::private.event_kinds).* from (values
  ('(api_key.expiring,read:api-keys)'),
  ('(api_key.revoked,read:api-keys)'),
  ('(exception.created,read:exceptions)'),
  ('(exception.resolved,read:exceptions)'),
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
