-- Line texts: what lines are searched by. An index of trigrams costs several times as much as the
-- lines themselves, so texts are written in the background; lines that wait for it are searched one
-- by one.

create table private.line_texts (
  tenant_id text not null,
  line_no bigint not null,
  source_no integer not null,
  text text not null,
  primary key (tenant_id, line_no)
);
create index line_texts_by_trigram on private.line_texts using gin (text extensions.gin_trgm_ops);

-- Lines of a source that wait: all of its lines between two numbers.
create table private.line_spans (
  tenant_id text not null,
  span_no bigint not null generated always as identity,
  source_no integer not null,
  first_line_no bigint not null,
  last_line_no bigint not null,
  primary key (tenant_id, span_no)
);

alter table private.line_texts enable row level security;
alter table private.line_spans enable row level security;

-- The texts of a line, and its amount in minor units followed by its sign: "rg-4711 kunde 17 gmbh
-- =1250-".
create function private.line_text(line public.lines) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return lower(concat_ws(' ', line.reference, line.counterparty, line.description,
    line.external_id)) || ' ='
    || abs(line.amount_minor)
    || case when line.amount_minor < 0 then '-' else '+' end;
end $$;

-- A word of a search as an amount in the currency's unit, with or without separators and sign: in
-- minor units; null if it is not one.
create function private.amount_of_word(word text) returns bigint
language plpgsql immutable set search_path = '' as $$
declare
  parts constant text[] := regexp_match(word, '^[-+]?(\d[\d.,'']*?)(?:[.,](\d{1,2}))?$');
  digits constant text := regexp_replace(parts[1], '\D', '', 'g')
    || rpad(coalesce(parts[2], ''), 2, '0');
begin
  return case when length(digits) <= 18 then digits::bigint end;
end $$;

-- The patterns of a search word, one of which a text must contain: the word itself, or the amount.
create function private.line_patterns(word text) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return private.word_patterns(word)
    || ('%=' || private.amount_of_word(word) || coalesce(substring(word from '^[-+]'), '_'));
end $$;

-- The SQL condition that a text, an SQL expression, has every word of q.
create function private.line_search(search text, text_of text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select string_agg('(' || (
      select string_agg(format('%s like %L', text_of, pattern), ' or ')
      from unnest(private.line_patterns(word)) pattern
      where pattern is not null
    ) || ')', ' and ')
    from regexp_split_to_table(lower(search), '\s+') word where word <> ''
  );
end $$;

-- Whether the trigram index can search for a word of q: for a pattern shorter than a trigram it
-- would return every line.
create function private.has_trigrams(search text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return exists (
    select from regexp_split_to_table(lower(search), '\s+') word
    where word <> ''
      and (select bool_and(pattern ~ '[[:alnum:]]{3}')
        from unnest(private.line_patterns(word)) pattern where pattern is not null)
  );
end $$;

-- The numbers of the caller's lines of these sources that q finds; null if there are more than
-- `most`. Which way is short depends on how many lines the tenant has, which the planner can't know
-- from statistics of all tenants, or from before a large file, so each statement leaves it one way.
-- With few lines all texts are read; with many, those that the trigram index names.
create function private.find_lines_of_caller(search text, source_nos integer[],
  max_count integer) returns bigint[]
language plpgsql stable security definer set search_path = '' set enable_seqscan = off as $$
declare
  tenant constant text := private.tenant_id();
  is_named constant boolean := private.has_trigrams(search)
    and (select sum(source.line_count) from public.sources source
      where source.tenant_id = tenant) > 50000;
  found bigint[];
  waiting bigint[];
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return '{}';
  end if;
  -- An expression has no index.
  execute format(
    'select array(
      select line_text.line_no from private.line_texts line_text
      where %s = $1 and line_text.source_no = any ($2) and %s limit $3)',
    case when is_named then $c$(line_text.tenant_id || '')$c$ else 'line_text.tenant_id' end,
    private.line_search(search,
      case when is_named then 'line_text.text' else $c$(line_text.text || '')$c$ end))
  into found using tenant, source_nos, max_count + 1;
  if cardinality(found) > max_count then
    return null;
  end if;
  execute 'select array(
      select line.line_no from private.line_spans span cross join lateral (
        select line.line_no, line.source_no, private.line_text(line) as text from public.lines line
        where line.tenant_id = $1 and line.line_no between span.first_line_no and span.last_line_no
        offset 0
      ) line
      where span.tenant_id = $1 and span.source_no = any ($2) and line.source_no = span.source_no
        and ' || private.line_search(search, 'line.text') || ' limit $3)'
  into waiting using tenant, source_nos, max_count + 1;
  return case when cardinality(found) + cardinality(waiting) <= max_count then found || waiting end;
end $$;

-- Writes the texts of at most `batch` waiting lines, shared among the tenants that have some.
-- Returns whether others still wait.
create function private.index_lines(batch integer default 5000) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  with recursive waiting as (
    (select span.tenant_id from private.line_spans span order by span.tenant_id limit 1)
    union all
    select (
      select span.tenant_id from private.line_spans span
      where span.tenant_id > tenant.tenant_id order by span.tenant_id limit 1
    ) from waiting tenant where tenant.tenant_id is not null
  ), tenants as materialized (
    select tenant.tenant_id, greatest(1, batch / count(*) over ()) as share
    from waiting tenant where tenant.tenant_id is not null limit batch
  ), held as materialized (
    select tenant.share, span.* from tenants tenant cross join lateral (
      select span.tenant_id, span.span_no, span.source_no, span.first_line_no, span.last_line_no
      from private.line_spans span
      where span.tenant_id = tenant.tenant_id
      order by span.span_no limit tenant.share for update skip locked
    ) span
  ), spans as materialized (
    -- The first part of a span that exceeds the share.
    select part.*,
      least(part.last_line_no, part.first_line_no + part.share - part.before - 1) as up_to from (
      select part.*, coalesce(sum(part.last_line_no - part.first_line_no + 1) over (
        partition by part.tenant_id
          order by part.span_no rows between unbounded preceding and 1 preceding),
          0)::bigint as before
      from held part
    ) part where part.before < part.share
  ), written as (
    insert into private.line_texts (tenant_id, line_no, source_no, text)
    select line.tenant_id, line.line_no, line.source_no, private.line_text(line)
    from spans part
    cross join lateral (
      select * from public.lines line
      where line.tenant_id = part.tenant_id
        and line.line_no between part.first_line_no and part.up_to offset 0
    ) line
    where line.source_no = part.source_no
    on conflict on constraint line_texts_pkey do nothing
  ), begun as (
    update private.line_spans span set first_line_no = part.up_to + 1 from spans part
    where part.up_to < part.last_line_no and span.tenant_id = part.tenant_id
      and span.span_no = part.span_no
  )
  delete from private.line_spans span using spans part
  where part.up_to = part.last_line_no and span.tenant_id = part.tenant_id
    and span.span_no = part.span_no;
  return exists (select from private.line_spans);
end $$;

grant execute
  on function private.line_text(public.lines), private.amount_of_word(text),
    private.line_patterns(text), private.line_search(text, text),
  private.find_lines_of_caller(text, integer[], integer)
to authenticated;
grant execute on function private.index_lines(integer) to service_role;
