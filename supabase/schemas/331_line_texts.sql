-- Line texts: what lines are searched by. An index of trigrams costs several times what the lines themselves do, so texts are written in
-- the background; the lines that wait for it are searched one by one.

create table private.line_texts (
  tenant_id text not null,
  line_no bigint not null,
  source_no integer not null,
  text text not null,
  primary key (tenant_id, line_no)
);
create index line_texts_by_trigram on private.line_texts using gin (text extensions.gin_trgm_ops);

-- Lines of a source that wait: all of its between two numbers.
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

-- The texts of a line, and its amount in minor units with the sign behind it: "rg-4711 kunde 17 gmbh =1250-".
create function private.line_text(l public.lines) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return lower(concat_ws(' ', l.reference, l.counterparty, l.description, l.external_id)) || ' =' || abs(l.amount_minor)
    || case when l.amount_minor < 0 then '-' else '+' end;
end $$;

-- A word of a search as patterns, one of which a text has to have: it stands in a text, or is the amount in the currency's unit, with or
-- without separators and sign.
create function private.line_patterns(word text) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  parts constant text[] := regexp_match(word, '^([-+]?)(\d[\d.,'']*?)(?:[.,](\d{1,2}))?$');
  digits constant text := regexp_replace(parts[2], '\D', '', 'g') || rpad(coalesce(parts[3], ''), 2, '0');
begin
  return private.word_patterns(word)
    || case when length(digits) <= 18 then '%=' || coalesce(nullif(ltrim(digits, '0'), ''), '0') || case parts[1] when '' then '_' else parts[1] end end;
end $$;

-- SQL that says whether a text, an expression of SQL, has every word of q.
create function private.line_search(q text, text_of text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select string_agg('(' || (
      select string_agg(format('%s like %L', text_of, pattern), ' or ') from unnest(private.line_patterns(word)) pattern where pattern is not null
    ) || ')', ' and ')
    from regexp_split_to_table(lower(q), '\s+') word where word <> ''
  );
end $$;

-- The numbers of the caller's own lines of these sources that q finds; null where there are more than `most`.
create function private.find_own_lines(q text, source_nos integer[], most integer) returns bigint[]
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  found bigint[];
  waiting bigint[];
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return '{}';
  end if;
  execute 'select array(select t.line_no from private.line_texts t where t.tenant_id = $1 and t.source_no = any ($2) and '
    || private.line_search(q, 't.text') || ' limit $3)'
  into found using tenant, source_nos, most + 1;
  if cardinality(found) > most then
    return null;
  end if;
  execute 'select array(
      select l.line_no from private.line_spans s
      join public.lines l on l.tenant_id = s.tenant_id and l.line_no between s.first_line_no and s.last_line_no and l.source_no = s.source_no
      where s.tenant_id = $1 and s.source_no = any ($2) and ' || private.line_search(q, 'private.line_text(l)') || ' limit $3)'
  into waiting using tenant, source_nos, most + 1;
  return case when cardinality(found) + cardinality(waiting) <= most then found || waiting end;
end $$;

-- Writes the texts of some lines that wait, whosever they are. Answers whether others still do.
create function private.index_lines(batch integer default 5000) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  s private.line_spans;
  last_no bigint;
begin
  select * into s from private.line_spans x order by x.span_no limit 1 for update skip locked;
  if not found then
    return false;
  end if;
  select max(x.line_no) into last_no from (
    select l.line_no from public.lines l
    where l.tenant_id = s.tenant_id and l.line_no between s.first_line_no and s.last_line_no order by l.line_no limit batch
  ) x;
  insert into private.line_texts (tenant_id, line_no, source_no, text)
  select l.tenant_id, l.line_no, l.source_no, private.line_text(l) from public.lines l
  where l.tenant_id = s.tenant_id and l.line_no between s.first_line_no and last_no and l.source_no = s.source_no
  on conflict on constraint line_texts_pkey do nothing;
  if last_no < s.last_line_no then
    update private.line_spans x set first_line_no = last_no + 1 where x.tenant_id = s.tenant_id and x.span_no = s.span_no;
  else
    delete from private.line_spans x where x.tenant_id = s.tenant_id and x.span_no = s.span_no;
  end if;
  return exists (select from private.line_spans);
end $$;

grant execute on function private.line_text(public.lines), private.line_patterns(text), private.line_search(text, text),
  private.find_own_lines(text, integer[], integer)
to authenticated;
grant execute on function private.index_lines(integer) to service_role;
