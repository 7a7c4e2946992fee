-- quotas of ones own

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.require_quota(text,bigint,text);
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
  if kind in ('api_keys', 'webhooks', 'reconciliations', 'sources') then
    perform pg_advisory_xact_lock(hashtextextended('quota ' || $1 || ' ' || kind, 0));
  end if;
  if coalesce(private.used_of_quota($1, kind), 0) + added > quota then
    perform private.refuse('conflict', format('A tenant can have at most %s %s (QUOTA_%s). %s, or ask your operator for a larger quota.',
      quota,
      case kind when 'api_keys' then 'active API keys' when 'exceptions' then 'open exceptions' else kind end,
      upper(kind),
      case kind when 'api_keys' then 'Revoke one' when 'exceptions' then 'Resolve or dismiss some' when 'webhooks' then 'Delete one'
        when 'records' then 'Delete some: they count until they are purged' when 'lines' then 'Undo an import' else 'Use those you have' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.require_quota(kind text, added bigint DEFAULT 1)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.hold_to_quota(private.tenant_id(), kind, added);
end $function$;
CREATE OR REPLACE FUNCTION private.keep_staged_lines(tenant_id text, source_no integer, import_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  accepted bigint;
  kept_ids uuid[];
  conflicts jsonb := '[]';
  conflict_count bigint := 0;
  items jsonb;
begin
  -- Held against who makes a pair of it just then: they wait, or have opened in it what was there.
  select * into strict s from public.sources x where x.tenant_id = $1 and x.source_no = $2 for key share;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  insert into pg_temp.repeated_lines (position, nth)
  select l.position, row_number() over (partition by l.key order by l.position)
  from pg_temp.staged_lines l
  where l.key in (select g.key from pg_temp.staged_lines g group by g.key having count(*) > 1);

  -- Where nothing can be there yet, nothing is looked for: half the time. Should others add to the source meanwhile, it is.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null) into accepted, kept_ids using $1, $2, $3, s.id, s.sign;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids using $1, $2, $3, s.id, s.sign;
  end;

  if accepted < staged then
    select count(*), coalesce(jsonb_agg(to_jsonb(c) - 'n' order by c.position) filter (where c.n <= 100), '[]') into conflict_count, conflicts
    from (
      select row_number() over (order by l.position) as n, l.position, l.file_line, l.external_id,
        l.amount_minor || ' ' || l.currency as found, k.amount_minor || ' ' || k.currency as wanted
      from pg_temp.staged_lines l
      join public.lines k on k.tenant_id = $1 and k.id = private.line_identity(s.id, l.key, 0)
      where l.external_id is not null and (k.amount_minor, k.currency) is distinct from (l.amount_minor, l.currency)
    ) c;
  end if;
  if $3 is null then
    select jsonb_agg(jsonb_build_object('index', i.position, 'id', private.line_id_text(i.id), 'duplicate', i.nth > 1 or i.id <> all (kept_ids)) order by i.position)
    into items
    from (
      select l.position, case when l.external_id is null then 1 else coalesce(r.nth, 1) end as nth,
        private.line_identity(s.id, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end) as id
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
    ) i;
  end if;

  if accepted > 0 then
    perform private.hold_to_quota($1, 'lines', accepted);
    update public.sources x set line_count = x.line_count + accepted where x.tenant_id = $1 and x.source_no = $2;
    perform private.lines_arrived($1, $2);
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count, 'conflicts', conflicts,
    'conflict_count', conflict_count, 'items', items
  );
end $function$;
grant execute on function private.require_quota(text,bigint) to authenticated;
grant execute on function private.require_quota(text,bigint) to service_role;
