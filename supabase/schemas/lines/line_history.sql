-- A line's history: what happened to it and who did it, collected from where each thing is
-- recorded.

-- What matching and people decided about a line.
create function private.decisions_about_line(line public.lines) returns table (type text,
  at timestamptz, actor text, reconciliation_id text, match_id uuid, note text)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
begin
  return query
  with matched as materialized (
    select match.*
    from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id and match.id = member.match_id
    where member.tenant_id = line.tenant_id and member.line_no = line.line_no
  ), decided as materialized (
    select match.id as match_id, decision.kind, decision.reconciliation_id, decision.created_at,
      decision.created_by, decision.undone_at, decision.undone_by
    from matched match
    join private.decisions decision on decision.tenant_id = match.tenant_id
      and decision.reconciliation_id = match.reconciliation_id
      and match.id = any (decision.match_ids)
  )
  -- Matches made by the engine: whatever was decided since then began as a suggestion.
  select case when match.state in ('suggested', 'rejected')
      or exists (select from decided decision where decision.match_id = match.id)
      then 'suggested' else 'matched' end,
    match.created_at, match.created_by, match.reconciliation_id, match.id, match.method
  from matched match where match.method <> 'manual'
  union all
  select case decision.kind when 'match' then 'matched' when 'confirm' then 'confirmed'
      else 'rejected' end,
    decision.created_at, decision.created_by, decision.reconciliation_id, decision.match_id, null
  from decided decision
  union all
  select 'undone', decision.undone_at, decision.undone_by, decision.reconciliation_id,
    decision.match_id, null
  from decided decision where decision.undone_at is not null
  union all
  select 'undone', match.decided_at, coalesce(match.decided_by, 'system'), match.reconciliation_id,
    match.id, null
  from matched match
  where match.state = 'undone'
    and not exists (select from decided decision
      where decision.match_id = match.id and decision.undone_at = match.decided_at)
  union all
  select 'excluded', decision.created_at, decision.created_by, decision.reconciliation_id, null,
    decision.reason
  from private.decisions decision
  where decision.tenant_id = line.tenant_id and decision.line_id = line.id
  union all
  select 'included', decision.undone_at, decision.undone_by, decision.reconciliation_id, null, null
  from private.decisions decision
  where decision.tenant_id = line.tenant_id and decision.line_id = line.id
    and decision.undone_at is not null;
end $$;
grant execute on function private.decisions_about_line(public.lines) to authenticated;

-- Oldest first, the latest 200: { type, at, actor, reconciliation_id, match_id, exception_id,
-- import_id, note }; an import's note is its file's name. input: { id }. Refuses: not_found.
create function public.list_line_history(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  line public.lines;
begin
  perform private.begin_request(request, 'list_line_history');
  select * into line
  from public.lines
  where lines.tenant_id = private.tenant_id() and lines.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return (
    with about as materialized (
      select exception.* from public.exceptions exception
      where exception.tenant_id = line.tenant_id and exception.id = any (array(
        select exception_line.exception_id from private.exception_lines exception_line
        where exception_line.tenant_id = line.tenant_id and exception_line.line_no = line.line_no))
      union
      select exception.* from public.exceptions exception
      where exception.tenant_id = line.tenant_id and exception.line_no = line.line_no
    ), history (type, at, actor, reconciliation_id, match_id, exception_id, import_id, note) as (
      select 'added', line.created_at, import.created_by, null, null::uuid, null, import.id,
        import.file_name
      from (select 1) one
      left join public.imports import on import.tenant_id = line.tenant_id
        and import.id = line.import_id
      union all
      select decision.type, decision.at, decision.actor, decision.reconciliation_id,
        decision.match_id, null, null, decision.note
      from private.decisions_about_line(line) decision
      union all
      select 'exception_opened', exception.created_at, exception.created_by,
        exception.reconciliation_id, null, exception.id, null, exception.reason_code
      from about exception
      union all
      select case exception.status when 'dismissed' then 'exception_dismissed'
          else 'exception_resolved' end,
        exception.closed_at, case when exception.resolved_by_matching then 'system' end,
        exception.reconciliation_id, null, exception.id, null, exception.resolution
      from about exception where exception.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', item.type,
      'at', private.iso(item.at), 'actor', item.actor, 'reconciliation_id', item.reconciliation_id,
      'match_id', private.match_id_text(item.match_id), 'exception_id', item.exception_id,
      'import_id', item.import_id, 'note', item.note) order by item.at, item.place), '[]'))
    from (
      select item.*, array_position(
        array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], item.type) as place
      from history item order by item.at desc limit 200
    ) item
  );
end $$;
