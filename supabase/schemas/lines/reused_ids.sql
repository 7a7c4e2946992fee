-- Reused IDs: which lines of a file have an external_id that belongs to another line.

-- Banks reuse the IDs of their files: an ID is trusted only if amount, day and name agree (securo
-- #911, actual #608). The first line with an ID owns it; this marks the other staged lines of a
-- file in which one ID has several contents. The owner may be in the source already.
create function private.mark_ids_reused_in_file(tenant_id text, source_id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  with repeated as (
    select l.external_id from pg_temp.staged_lines l
    where l.external_id is not null
    group by l.external_id having count(*) > 1
  ), shared as (
    select l.external_id, (array_agg(l.position order by l.position))[1] as first_position,
      (array_agg(l.key order by l.position))[1] as key
    from pg_temp.staged_lines l join repeated on repeated.external_id = l.external_id
    group by l.external_id
    having count(distinct private.content_of_id(
      l.amount_minor, l.currency, l.value_date, l.counterparty, l.description
    )) > 1
  ), owned as (
    select shared.external_id, private.content_of_id(
      coalesce(known.amount_minor, f.amount_minor), coalesce(known.currency, f.currency),
      coalesce(known.value_date, f.value_date),
      case when known.id is null then f.counterparty else known.counterparty end,
      case when known.id is null then f.description else known.description end
    ) as content
    from shared
    join pg_temp.staged_lines f on f.position = shared.first_position
    left join public.lines known
      on known.tenant_id = $1 and known.id = private.line_identity($2, shared.key, 0)
  )
  update pg_temp.staged_lines l
  set id_is_shared = true, reused = owned.content <> private.content_of_id(
    l.amount_minor, l.currency, l.value_date, l.counterparty, l.description
  )
  from owned
  where l.external_id = owned.external_id;
end $$;

-- Marks the staged lines whose external_id the source gave to a line with another content, and
-- returns how many. They come in a second pass, so that only lines that seemed known are looked up.
create function private.mark_ids_reused_in_source(tenant_id text, source_id text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  marked bigint;
begin
  update pg_temp.staged_lines l set reused = true, is_second_pass = true
  from public.lines known
  where l.external_id is not null and not l.reused
    and known.tenant_id = $1 and known.id = private.line_identity($2, l.key, 0)
    and private.content_of_id(
      known.amount_minor, known.currency, known.value_date, known.counterparty, known.description
    ) <> private.content_of_id(
      l.amount_minor, l.currency, l.value_date, l.counterparty, l.description
    );
  get diagnostics marked = row_count;
  return marked;
end $$;
