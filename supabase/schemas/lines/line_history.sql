-- A line's history: what happened to it and who did it, collected from where each thing is
-- recorded.

-- What matching and people decided about a line.
create function private.decisions_about_line(l public.lines) returns table (type text,
  at timestamptz, actor text, reconciliation_id text, match_id uuid, note text)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
begin
  return query
  with matched as materialized (
    select m.*
    from public.match_members mm
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
    where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no
  ), decided as materialized (
    select m.id as match_id, a.kind, a.reconciliation_id, a.created_at, a.created_by, a.undone_at,
      a.undone_by
    from matched m
    join private.acts a on a.tenant_id = m.tenant_id
      and a.reconciliation_id = m.reconciliation_id and m.id = any (a.match_ids)
  )
  -- Matches made by the engine: whatever was decided since then began as a suggestion.
  select case when m.state in ('suggested', 'rejected')
      or exists (select from decided d where d.match_id = m.id) then 'suggested' else 'matched' end,
    m.created_at, m.created_by, m.reconciliation_id, m.id, m.method
  from matched m where m.method <> 'manual'
  union all
  select case d.kind when 'match' then 'matched' when 'confirm' then 'confirmed'
      else 'rejected' end,
    d.created_at, d.created_by, d.reconciliation_id, d.match_id, null
  from decided d
  union all
  select 'undone', d.undone_at, d.undone_by, d.reconciliation_id, d.match_id, null
  from decided d where d.undone_at is not null
  union all
  select 'undone', m.decided_at, coalesce(m.decided_by, 'system'), m.reconciliation_id, m.id, null
  from matched m
  where m.state = 'undone'
    and not exists (select from decided d where d.match_id = m.id and d.undone_at = m.decided_at)
  union all
  select 'excluded', a.created_at, a.created_by, a.reconciliation_id, null, a.reason
  from private.acts a where a.tenant_id = l.tenant_id and a.line_id = l.id
  union all
  select 'included', a.undone_at, a.undone_by, a.reconciliation_id, null, null
  from private.acts a
  where a.tenant_id = l.tenant_id and a.line_id = l.id and a.undone_at is not null;
end $$;
grant execute on function private.decisions_about_line(public.lines) to authenticated;

-- Oldest first, the latest 200: { type, at, actor, reconciliation_id, match_id, exception_id,
-- import_id, note }; an import's note is its file's name. input: { id }. Refuses: not_found.
create function public.list_line_history(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  l public.lines;
begin
  perform private.begin_request(request, 'list_line_history');
  select * into l
  from public.lines x
  where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return (
    with about as materialized (
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.id = any (array(
        select x.exception_id from private.exception_lines x
        where x.tenant_id = l.tenant_id and x.line_no = l.line_no))
      union
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.line_no = l.line_no
    ), told (type, at, actor, reconciliation_id, match_id, exception_id, import_id, note) as (
      select 'added', l.created_at, i.created_by, null, null::uuid, null, i.id, i.file_name
      from (select 1) one
      left join public.imports i on i.tenant_id = l.tenant_id and i.id = l.import_id
      union all
      select d.type, d.at, d.actor, d.reconciliation_id, d.match_id, null, null, d.note
      from private.decisions_about_line(l) d
      union all
      select 'exception_opened', e.created_at, e.created_by, e.reconciliation_id, null, e.id, null,
        e.reason_code
      from about e
      union all
      select case e.status when 'dismissed' then 'exception_dismissed'
          else 'exception_resolved' end,
        e.closed_at, case when e.resolved_by_matching then 'system' end, e.reconciliation_id, null,
        e.id, null, e.resolution
      from about e where e.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', t.type,
      'at', private.iso(t.at), 'actor', t.actor, 'reconciliation_id', t.reconciliation_id,
      'match_id', private.match_id_text(t.match_id), 'exception_id', t.exception_id,
      'import_id', t.import_id, 'note', t.note) order by t.at, t.place), '[]'))
    from (
      select x.*, array_position(
        array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], x.type) as place
      from told x order by x.at desc limit 200
    ) t
  );
end $$;
