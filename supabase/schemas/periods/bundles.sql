-- Bundles: what a signed statement was made of, so that an auditor can verify it independently.
-- While the statement is in force it is read from the period; before a reopening it is copied.

create table private.reopened_items (
  tenant_id text not null,
  reconciliation_id text not null,
  number integer not null,
  kind text not null check (kind in ('matches', 'members', 'exclusions', 'carried')),
  seq integer not null,
  -- In the form and order of private.signed_rows.
  rows text[] not null,
  primary key (tenant_id, reconciliation_id, number, kind, seq),
  foreign key (tenant_id, reconciliation_id, number)
    references public.statements (tenant_id, reconciliation_id, number)
);
alter table private.reopened_items enable row level security;

-- The texts over which private.closing_digest is computed, in its order, after a key.
create function private.signed_rows(tenant text, reconciliation text, kind text, after text,
  page_size integer) returns table (key text, content text)
language plpgsql stable set search_path = '' as $$
begin
  case kind
    when 'matches' then
      return query
      select match.id::text,
        row(match.id, match.shape, match.method, match.currency, match.amount_minor,
          match.residual_minor, match.adjustments, match.note, match.decided_by,
          match.created_by)::text
      from public.matches match
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed' and (after is null or match.id > after::uuid)
      order by match.id limit page_size;
    when 'members' then
      return query
      select member.match_id || ' ' || member.line_no,
        row(member.match_id, member.line_no, member.side, member.allocated_minor)::text
      from public.matches match
      join public.match_members member on member.tenant_id = match.tenant_id
        and member.match_id = match.id
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed'
        and (after is null or match.id >= split_part(after, ' ', 1)::uuid
          and (member.match_id, member.line_no)
            > (split_part(after, ' ', 1)::uuid, split_part(after, ' ', 2)::bigint))
      order by member.match_id, member.line_no limit page_size;
    when 'exclusions' then
      return query
      select exclusion.line_no::text,
        row(exclusion.line_no, exclusion.side, exclusion.currency, exclusion.excluded_minor,
          exclusion.reason, exclusion.created_by)::text
      from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.reconciliation_id = reconciliation
        and (after is null or exclusion.line_no > after::bigint)
      order by exclusion.line_no limit page_size;
    when 'carried' then
      return query
      select carried_line.line_no::text,
        row(carried_line.line_no, carried_line.side, carried_line.currency, carried_line.open_minor,
          carried_line.value_date::text)::text
      from public.carried_lines carried_line
      where carried_line.tenant_id = tenant and carried_line.reconciliation_id = reconciliation
        and (after is null or carried_line.line_no > after::bigint)
      order by carried_line.line_no limit page_size;
  end case;
end $$;

-- How far what a statement in force was made of is copied. A period with many lines is copied by a
-- matcher once it is closed, as reopening it within a call would take too long; another one when it
-- is reopened.
create table private.signed_copies (
  tenant_id text not null,
  reconciliation_id text not null,
  number integer not null,
  -- Where it goes on: the kind, as in private.signed_kinds, after a key; the next page of the kind.
  kind_no integer not null default 1,
  after text,
  seq integer not null default 0,
  is_complete boolean not null default false,
  primary key (tenant_id, reconciliation_id, number),
  foreign key (tenant_id, reconciliation_id, number)
    references public.statements (tenant_id, reconciliation_id, number)
);
create index signed_copies_incomplete on private.signed_copies (tenant_id, reconciliation_id)
where not is_complete;
alter table private.signed_copies enable row level security;

create function private.signed_kinds() returns text[]
language sql immutable set search_path = ''
return '{matches,members,exclusions,carried}'::text[];

-- Has a matcher copy what the statement in force was made of, if its period has many lines.
create function private.request_signed_copy(period public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.signed_copies (tenant_id, reconciliation_id, number)
  select signed.tenant_id, signed.reconciliation_id, signed.number
  from public.statements signed
  where signed.tenant_id = period.tenant_id and signed.reconciliation_id = period.id
    and signed.reopened_at is null and private.max_lines_in_request() < (
      select count(*) from public.carried_lines carried_line
      where carried_line.tenant_id = period.tenant_id
        and carried_line.reconciliation_id = period.id
    ) + (
      select coalesce(sum(matched_count.lines), 0) from private.matched_counts matched_count
      where matched_count.tenant_id = period.tenant_id
        and matched_count.reconciliation_id = period.id
    )
  order by signed.number desc limit 1;
  if found then
    perform graphile_worker.add_job('copy_signed_items', job_key => 'copy_signed_items');
  end if;
end $$;

-- Copies the next pages of 5,000 rows. Returns whether the copy is complete.
create function private.copy_signed_pages(copy private.signed_copies, pages integer) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  kinds constant text[] := private.signed_kinds();
  contents text[];
  last_key text;
begin
  for page in 1..pages loop
    exit when copy.kind_no > cardinality(kinds);
    select array_agg(item.content order by item.place),
      (array_agg(item.key order by item.place desc))[1]
    into contents, last_key
    from (
      select item.*, row_number() over () as place
      from private.signed_rows(copy.tenant_id, copy.reconciliation_id, kinds[copy.kind_no],
        copy.after, 5000) item
    ) item;
    if contents is null then
      copy.kind_no := copy.kind_no + 1;
      copy.after := null;
      copy.seq := 0;
      continue;
    end if;
    insert into private.reopened_items (tenant_id, reconciliation_id, number, kind, seq, rows)
    values (copy.tenant_id, copy.reconciliation_id, copy.number, kinds[copy.kind_no], copy.seq,
      contents);
    copy.seq := copy.seq + 1;
    copy.after := last_key;
  end loop;
  update private.signed_copies signed_copy
  set kind_no = copy.kind_no, after = copy.after, seq = copy.seq,
    is_complete = copy.kind_no > cardinality(kinds)
  where signed_copy.tenant_id = copy.tenant_id
    and signed_copy.reconciliation_id = copy.reconciliation_id and signed_copy.number = copy.number;
  return copy.kind_no > cardinality(kinds);
end $$;

-- Copies the next pages of one statement. Returns whether there was one to copy.
create function private.copy_next_signed_pages() returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  copy private.signed_copies;
begin
  select * into copy from private.signed_copies signed_copy
  where not signed_copy.is_complete
  order by signed_copy.tenant_id, signed_copy.reconciliation_id
  limit 1 for update skip locked;
  if copy.tenant_id is null then
    return false;
  end if;
  perform private.copy_signed_pages(copy, 4);
  return true;
end $$;
grant execute on function private.copy_next_signed_pages() to service_role;

-- Copies what the statement in force was made of, before its period is reopened. Refuses: conflict
-- while a matcher copies it.
create function private.store_signed_items(period public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
declare
  copy private.signed_copies;
  signed constant integer := (
    select max(statements.number) from public.statements
    where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
      and statements.reopened_at is null
  );
begin
  if signed is null then
    return;
  end if;
  select * into copy from private.signed_copies signed_copy
  where signed_copy.tenant_id = period.tenant_id and signed_copy.reconciliation_id = period.id
    and signed_copy.number = signed
  for update;
  if copy.tenant_id is null then
    insert into private.signed_copies (tenant_id, reconciliation_id, number)
    values (period.tenant_id, period.id, signed) returning * into copy;
    while not private.copy_signed_pages(copy, 10) loop
      select * into copy from private.signed_copies signed_copy
      where signed_copy.tenant_id = period.tenant_id and signed_copy.reconciliation_id = period.id
        and signed_copy.number = signed;
    end loop;
  elsif not copy.is_complete then
    perform private.refuse_conflict('closing',
      'What was signed is still being copied: reopening keeps it. Try again in a minute.');
  end if;
end $$;

-- input: { id, number }. Returns { statement, signature, rules, engine_versions, audit }.
-- `statement` is the text that the digest covers; `audit`, for callers who may read the audit log,
-- is { from, through, checkpoints } of its slice. Refuses: not_found, conflict.
create function public.open_statement_bundle(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  period public.reconciliations;
  signed public.statements;
  chain jsonb;
  closed_seq bigint;
begin
  perform private.begin_request(request, 'open_statement_bundle');
  period := private.find_period(input ->> 'id');
  select * into signed from public.statements
  where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
    and statements.number = (input ->> 'number')::integer;
  if not found then
    perform private.refuse_missing('statement');
  end if;
  chain := private.chain_state_of_caller();
  select max(event.seq) into closed_seq from public.security_events event
  where event.tenant_id = period.tenant_id and event.chain = period.tenant_id
    and event.target = period.id
    and event.type = 'reconciliation.closed' and event.details ->> 'digest' = signed.digest;
  return jsonb_build_object(
    'statement', signed.statement::text, 'signature', private.signature_json(signed),
    'closed_ms_ago', extract(epoch from now() - signed.closed_at) * 1000,
    'rules', (
      select jsonb_build_object('version', pair_rules.version, 'rules', pair_rules.rules,
        'policy', pair_rules.policy)
      from public.pair_rules
      where pair_rules.tenant_id = period.tenant_id and pair_rules.pair_no = period.pair_no
        and pair_rules.created_at <= signed.closed_at
      order by pair_rules.version desc limit 1
    ),
    'engine_versions', (
      select coalesce(jsonb_agg(distinct run.engine_version), '[]') from public.runs run
      where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
        and run.engine_version is not null
    ),
    'audit', case when closed_seq is not null then jsonb_build_object(
      'from', closed_seq,
      'through', (
        select max((checkpoint ->> 'seq')::bigint)
        from jsonb_array_elements(chain -> 'checkpoints') checkpoint
        where checkpoint ->> 'kind' = 'head'
      ),
      'checkpoints', chain -> 'checkpoints') end);
end $$;

-- The copied rows of a statement of the caller's tenant whose period was reopened.
create function private.reopened_rows(reconciliation text, numbered integer, kind text,
  place integer) returns text[]
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select reopened_item.rows from private.reopened_items reopened_item
    where reopened_item.tenant_id = private.tenant_id()
      and reopened_item.reconciliation_id = reconciliation
      and reopened_item.number = numbered and reopened_item.kind = reopened_rows.kind
      and reopened_item.seq = place
      and private.may('read:reconciliations')
  );
end $$;
grant execute on function
  private.signed_rows(text, text, text, text, integer),
  private.reopened_rows(text, integer, text, integer)
to authenticated;

-- A page of the entries of a statement of the caller's tenant, after a place.
create function private.entry_rows(statement public.statements, after integer, page_size integer)
returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('next', max(batch.place)::text,
      'rows', coalesce(jsonb_agg(private.entry_row(batch) order by batch.place), '[]'))
    from (
      select entry.* from public.entry_batches batch
      join public.entries entry on entry.tenant_id = batch.tenant_id and entry.batch_id = batch.id
      where batch.tenant_id = statement.tenant_id
        and batch.reconciliation_id = statement.reconciliation_id
        and batch.statement_number = statement.number and entry.place > after
      order by entry.place limit page_size
    ) batch
  );
end $$;
grant execute on function private.entry_rows(public.statements, integer, integer) to authenticated;

-- A later step of open_statement_bundle. input: { id, number, kind, after, limit }, `kind` matches,
-- members, exclusions, carried or entries; or evidence, which is returned whole. Returns { rows,
-- next }.
create function public.list_statement_bundle(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  numbered constant integer := (input ->> 'number')::integer;
  place integer;
  signed public.statements;
  contents jsonb;
  next_key text;
begin
  perform private.begin_request(request || '{"continues": true}', 'list_statement_bundle');
  select * into signed from public.statements
  where statements.tenant_id = tenant and statements.reconciliation_id = input ->> 'id'
    and statements.number = numbered;
  if not found then
    perform private.refuse_missing('statement');
  elsif input ->> 'kind' = 'evidence' then
    return jsonb_build_object('next', null, 'rows', (
      select coalesce(jsonb_agg(evidence.content order by evidence.evidence_id), '[]')
      from public.statement_evidence evidence
      where evidence.tenant_id = tenant and evidence.reconciliation_id = signed.reconciliation_id
        and evidence.number = numbered
    ));
  elsif input ->> 'kind' = 'entries' then
    return private.entry_rows(signed, coalesce((input ->> 'after')::integer, 0),
      (input ->> 'limit')::integer);
  elsif signed.reopened_at is not null then
    place := coalesce((input ->> 'after')::integer + 1, 0);
    contents := to_jsonb(
      private.reopened_rows(signed.reconciliation_id, numbered, input ->> 'kind', place));
    return jsonb_build_object('rows', coalesce(contents, '[]'),
      'next', case when contents is not null then place::text end);
  end if;
  select jsonb_agg(item.content order by item.place),
    (array_agg(item.key order by item.place desc))[1]
  into contents, next_key
  from (
    select item.*, row_number() over () as place
    from private.signed_rows(tenant, signed.reconciliation_id,
      input ->> 'kind', input ->> 'after',
      (input ->> 'limit')::integer) item
  ) item;
  return jsonb_build_object('rows', coalesce(contents, '[]'), 'next', next_key);
end $$;

-- A later step of open_statement_bundle, for callers who may read the audit log. input: { after:
-- seq, through: seq, limit }. Returns events as the texts that their hash covers.
create function public.list_bundle_events(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request || '{"continues": true}', 'list_bundle_events');
  return coalesce(private.security_event_texts((input ->> 'after')::bigint,
    (input ->> 'through')::bigint, (input ->> 'limit')::integer), '[]');
end $$;
