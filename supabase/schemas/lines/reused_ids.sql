-- Reused IDs: which lines of a file have an external_id that belongs to another line.

-- Banks reuse the IDs of their files: an ID is trusted only if amount, day and name agree (securo
-- #911, actual #608). The first line with an ID owns it; this marks the other staged lines of a
-- file in which one ID has several contents. The owner may be in the source already.
create function private.mark_ids_reused_in_file(tenant_id text, source_id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  with repeated as (
    select reused.external_id from pg_temp.staged_lines reused
    where reused.external_id is not null
    group by reused.external_id having count(*) > 1
  ), shared as (
    select reused.external_id,
      (array_agg(reused.position order by reused.position))[1] as first_position,
      (array_agg(reused.key order by reused.position))[1] as key
    from pg_temp.staged_lines reused join repeated on repeated.external_id = reused.external_id
    group by reused.external_id
    having count(distinct private.content_of_id(
      reused.amount_minor, reused.currency, reused.value_date, reused.counterparty,
      reused.description
    )) > 1
  ), owned as (
    select shared.external_id, private.content_of_id(
      coalesce(known.amount_minor, staged_lines.amount_minor),
      coalesce(known.currency, staged_lines.currency),
      coalesce(known.value_date, staged_lines.value_date),
      case when known.id is null then staged_lines.counterparty else known.counterparty end,
      case when known.id is null then staged_lines.description else known.description end
    ) as content
    from shared
    join pg_temp.staged_lines on staged_lines.position = shared.first_position
    left join public.lines known
      on known.tenant_id = $1 and known.id = private.line_identity($2, shared.key, 0)
  )
  update pg_temp.staged_lines line
  set id_is_shared = true, reused = owned.content <> private.content_of_id(
    line.amount_minor, line.currency, line.value_date, line.counterparty, line.description
  )
  from owned
  where line.external_id = owned.external_id;
end $$;

-- Marks the staged lines whose external_id the source gave to a line with another content, and
-- returns how many. They come in a second pass, so that only lines that seemed known are looked up.
create function private.mark_ids_reused_in_source(tenant_id text, source_id text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  marked bigint;
begin
  update pg_temp.staged_lines set reused = true, is_second_pass = true
  from public.lines known
  where staged_lines.external_id is not null and not staged_lines.reused
    and known.tenant_id = $1 and known.id = private.line_identity($2, staged_lines.key, 0)
    and private.content_of_id(
      known.amount_minor, known.currency, known.value_date, known.counterparty, known.description
    ) <> private.content_of_id(
      staged_lines.amount_minor, staged_lines.currency, staged_lines.value_date,
      staged_lines.counterparty, staged_lines.description
    );
  get diagnostics marked = row_count;
  return marked;
end $$;
