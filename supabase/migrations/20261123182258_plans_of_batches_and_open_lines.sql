-- plans of batches and open lines

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.own_open_lines(r public.reconciliations, input jsonb, hits bigint[], amount bigint, after_no bigint, most integer)
 RETURNS TABLE(n bigint, line_no bigint, side text, amount_minor bigint, open_minor bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  by_amount constant boolean := input ->> 'sort' = 'amount';
  q constant text := nullif(btrim(input ->> 'q'), '');
  sort_key constant text := case when by_amount then '(-abs(x.open_minor))' else 'x.value_date' end;
  filters constant text := concat_ws(' and ',
    'x.tenant_id = $1 and x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case when hits is not null then '(x.line_no = any ($5)' || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when q is not null then 'exists (select from public.lines l where l.tenant_id = $1 and l.line_no = x.line_no and '
        || private.line_search(q, 'private.line_text(l)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when by_amount then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$ else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.open_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case (input ->> 'suggested')::boolean
      -- Few have one: they are looked up.
      when true then $c$x.line_no = any (array(
        select mm.line_no from public.matches m join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
        where m.tenant_id = $1 and m.reconciliation_id = $8 and m.state = 'suggested'))$c$
      -- By a lookup for each line until the page is full.
      when false then $c$(
        select true from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3 and m.state = 'suggested' and m.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  -- Planned for what is asked, each side in the order of its index until the page is full. How many lines have a suggestion the planner cannot know: taking
  -- them for few, it would read and sort them all.
  perform set_config('enable_bitmapscan', (hits is not null)::text, true), set_config('enable_seqscan', (hits is not null)::text, true);
  return query execute format($sql$
    select row_number() over (order by o.sort_key, o.line_no), o.line_no, o.side, o.amount_minor, o.open_minor
    from unnest($9) s (side) cross join lateral (
      select x.line_no, x.side, x.amount_minor, x.open_minor, %2$s as sort_key from private.open_lines x
      where %1$s order by %2$s, x.line_no limit $10
    ) o order by o.sort_key, o.line_no limit $10 $sql$, filters, sort_key)
  using private.tenant_id(), input, r.pair_no, r.period_end, hits, amount, after_no, r.id,
    case when input ->> 'side' is null then array['left', 'right'] else array[input ->> 'side'] end, most;
  perform set_config('enable_bitmapscan', 'true', true), set_config('enable_seqscan', 'true', true);
end $function$;
CREATE OR REPLACE FUNCTION private.take_alert_events(batch integer)
 RETURNS SETOF private.alert_events
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  return query
  delete from private.alert_events q where (q.tenant_id, q.event_id) in (
    select x.tenant_id, x.event_id from private.alert_events x limit batch for update skip locked
  ) returning q.*;
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
  with taken as materialized (
    select * from private.take_alert_events(batch)
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
