-- Signed statements: what each close of a period stated, numbered. Reopening marks a statement as
-- reopened; nothing else changes or deletes one.

create table public.statements (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  number integer not null check (number >= 1),
  statement jsonb not null,
  -- As in closings; null for periods closed before there was one.
  digest text check (digest ~ '^[0-9a-f]{64}$'),
  closed_by text not null,
  -- Null for an earlier close that a migration took over, of which only the name is known.
  closer_issuer text,
  closer_subject text,
  closed_at timestamptz(3) not null,
  -- Who prepared and reviewed it, in the form of private.period_signature_json.
  signatures jsonb not null default '[]' check (jsonb_typeof(signatures) = 'array'),
  reopened_at timestamptz(3),
  reopened_by text,
  reason text check (length(reason) between 1 and 1000),
  primary key (tenant_id, reconciliation_id, number),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id),
  check (num_nonnulls(reopened_at, reopened_by, reason) in (0, 3))
);
alter table public.statements enable row level security;
grant select on public.statements to authenticated, service_role;
create policy statements_read on public.statements for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

-- Stores what a period closed with, in the name of the caller, who closes it.
create function private.sign_statement(closing public.closings) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.statements (tenant_id, reconciliation_id, number, statement, digest, closed_by,
    closer_issuer, closer_subject, closed_at, signatures)
  select closing.tenant_id, closing.reconciliation_id, coalesce(max(statements.number), 0) + 1,
    closing.statement,
    closing.digest, closing.closed_by, private.actor_issuer(), private.actor_subject(),
    closing.closed_at,
    (
      select coalesce(jsonb_agg(private.period_signature_json(signature) order by signature.number),
        '[]')
      from public.period_signatures signature
      where signature.tenant_id = closing.tenant_id
        and signature.reconciliation_id = closing.reconciliation_id
        and signature.revoked_at is null
    )
  from public.statements
  where statements.tenant_id = closing.tenant_id
    and statements.reconciliation_id = closing.reconciliation_id;
end $$;

-- Marks the statement of a period that is being reopened.
create function private.reopen_statement(period public.reconciliations, reason text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.statements set reopened_at = now(), reopened_by = private.actor(),
    reason = reopen_statement.reason
  where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
    and statements.reopened_at is null;
end $$;

create function private.signature_json(statement public.statements) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('number', statement.number, 'digest', statement.digest,
    'closed_by', statement.closed_by,
    'closer_issuer', statement.closer_issuer, 'closer_subject', statement.closer_subject,
    'closed_at', private.iso(statement.closed_at), 'signatures', statement.signatures,
    'reopened_at', private.iso(statement.reopened_at),
    'reopened_by', statement.reopened_by, 'reason', statement.reason);
end $$;
grant execute on function private.signature_json(public.statements) to authenticated;

-- Newest first. input: { id, limit, after: [number] | null }, `id` the reconciliation's.
-- Refuses: not_found, conflict.
create function public.list_signed_statements(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  period public.reconciliations;
  items jsonb;
begin
  perform private.begin_request(request, 'list_signed_statements');
  period := private.find_period(input ->> 'id');
  select jsonb_agg(private.signature_json(signed) order by signed.number desc) into items
  from (
    select * from public.statements
    where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
      and (input -> 'after' ->> 0 is null or statements.number < (input -> 'after' ->> 0)::integer)
    order by statements.number desc limit page_size + 1
  ) signed;
  return private.page(items, page_size, 'number');
end $$;

-- input: { id, number }, `id` the reconciliation's. Refuses: not_found, conflict.
create function public.get_signed_statement(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  period public.reconciliations;
  signed public.statements;
begin
  perform private.begin_request(request, 'get_signed_statement');
  period := private.find_period(input ->> 'id');
  select * into signed from public.statements
  where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
    and statements.number = (input ->> 'number')::integer;
  if not found then
    perform private.refuse_missing('statement');
  end if;
  return private.signature_json(signed) || jsonb_build_object('statement', signed.statement);
end $$;
