-- Evidence: files that support an exception, a match, a line or a reconciliation's period. A file
-- that a signed statement lists is never deleted, only superseded.

create table public.evidence (
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  id text not null default private.new_id('evd'),
  subject_type text not null check (
    subject_type in ('exception', 'match', 'line', 'reconciliation')),
  -- As on the wire.
  subject_id text not null,
  file_name text not null check (length(file_name) between 1 and 255),
  -- Decided by the content, not by the caller or the name.
  media_type text not null check (length(media_type) between 1 and 100),
  bytes integer not null check (bytes between 1 and 10485760),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  -- The bucket of Supabase Storage that has the content; null: private.evidence_contents has it.
  bucket text check (length(bucket) between 1 and 100),
  -- The older file that it took the place of.
  supersedes text,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
  -- Removing a file deletes its content; this row stays.
  removed_at timestamptz(3),
  removed_by text,
  removed_reason text check (length(removed_reason) between 1 and 500),
  primary key (tenant_id, id),
  foreign key (tenant_id, supersedes) references public.evidence (tenant_id, id),
  check (num_nonnulls(removed_at, removed_by, removed_reason) in (0, 3))
);
create index evidence_by_subject on public.evidence (tenant_id, subject_id, id)
  where removed_at is null;
create unique index evidence_superseding on public.evidence (tenant_id, supersedes)
  where removed_at is null;

create table private.evidence_contents (
  tenant_id text not null,
  evidence_id text not null,
  content bytea not null check (octet_length(content) between 1 and 10485760),
  primary key (tenant_id, evidence_id),
  foreign key (tenant_id, evidence_id) references public.evidence (tenant_id, id)
);

-- The files that a statement lists. They are listed as soon as the closing is written.
create table public.statement_evidence (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  number integer not null check (number >= 1),
  evidence_id text not null,
  -- The text of which the statement has the hash: private.evidence_row at that moment.
  content text not null,
  primary key (tenant_id, reconciliation_id, number, evidence_id),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id),
  foreign key (tenant_id, evidence_id) references public.evidence (tenant_id, id)
);
create index statement_evidence_by_file on public.statement_evidence (tenant_id, evidence_id);

alter table public.evidence enable row level security;
alter table private.evidence_contents enable row level security;
alter table public.statement_evidence enable row level security;
grant select on public.evidence, public.statement_evidence to authenticated, service_role;
create policy evidence_read on public.evidence for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:evidence', 'write:evidence'))
    and (subject_type <> 'exception'
      or (select private.may('read:exceptions', 'write:exceptions'))));
create policy statement_evidence_read on public.statement_evidence for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

create function private.evidence_json(attachment public.evidence) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', attachment.id, 'subject_type', attachment.subject_type,
    'subject_id', attachment.subject_id,
    'file_name', attachment.file_name, 'media_type', attachment.media_type,
    'bytes', attachment.bytes, 'sha256', attachment.sha256,
    'supersedes', attachment.supersedes,
    'superseded_by', (
      select evidence.id from public.evidence
      where evidence.tenant_id = attachment.tenant_id and evidence.supersedes = attachment.id
        and evidence.removed_at is null
    ),
    'is_signed', exists (
      select from public.statement_evidence listing
      where listing.tenant_id = attachment.tenant_id and listing.evidence_id = attachment.id
    ),
    'created_at', private.iso(attachment.created_at), 'created_by', attachment.created_by
  );
end $$;

-- The file of the caller's tenant. Refuses: not_found.
create function private.find_evidence(id text) returns public.evidence
language plpgsql stable set search_path = '' as $$
declare
  attachment public.evidence;
begin
  select * into attachment from public.evidence
  where evidence.tenant_id = private.tenant_id() and evidence.id = $1
    and evidence.removed_at is null;
  if not found or attachment.subject_type = 'exception'
    and not private.may('read:exceptions', 'write:exceptions') then
    perform private.refuse_missing('evidence');
  end if;
  return attachment;
end $$;

-- Part of the content of a file of the caller's tenant, from a byte on, in base64.
create function private.evidence_part(id text, start integer, size integer) returns text
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select encode(substring(contents.content from start + 1 for size), 'base64')
    from private.evidence_contents contents
    where contents.tenant_id = private.tenant_id() and contents.evidence_id = $1
      and private.may('read:evidence', 'write:evidence')
  );
end $$;
grant execute on function
  private.evidence_json(public.evidence), private.find_evidence(text),
  private.evidence_part(text, integer, integer)
to authenticated;

-- A file as text, as a statement lists it.
create function private.evidence_row(attachment public.evidence) returns text
language plpgsql stable set search_path = '' as $$
begin
  return row(attachment.id, attachment.subject_type, attachment.subject_id, attachment.file_name,
    attachment.media_type, attachment.bytes, attachment.sha256,
    attachment.created_by, private.iso(attachment.created_at))::text;
end $$;

-- Whether a line is matched, excluded or carried on in a period.
create function private.is_line_of_period(period public.reconciliations, line text) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  no constant bigint := (select lines.line_no from public.lines
    where lines.tenant_id = period.tenant_id and lines.id = private.line_id(line));
begin
  return exists (
    select from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id and match.id = member.match_id
    where member.tenant_id = period.tenant_id and member.line_no = no
      and member.pair_no = period.pair_no
      and match.reconciliation_id = period.id and match.state = 'confirmed'
  ) or exists (
    select from public.exclusions exclusion
    where exclusion.tenant_id = period.tenant_id and exclusion.pair_no = period.pair_no
      and exclusion.line_no = no and exclusion.reconciliation_id = period.id
  ) or exists (
    select from public.carried_lines carried_line
    where carried_line.tenant_id = period.tenant_id and carried_line.reconciliation_id = period.id
      and carried_line.line_no = no
  );
end $$;

-- Lists the evidence of a period that is being closed on the statement with the next number.
-- Returns { count, sha256 }; the hash covers the hashes of the listed texts, in order.
create function private.list_evidence_on_statement(period public.reconciliations) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  next_number constant integer := (
    select coalesce(max(statements.number), 0) + 1 from public.statements
    where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
  );
  attachment public.evidence;
begin
  for attachment in
    select * from public.evidence
    where evidence.tenant_id = period.tenant_id and evidence.removed_at is null
      and case evidence.subject_type
        when 'reconciliation' then evidence.subject_id = period.id
        when 'exception' then exists (
          select from public.exceptions exception
          where exception.tenant_id = period.tenant_id and exception.id = evidence.subject_id
            and exception.reconciliation_id = period.id)
        when 'match' then exists (
          select from public.matches match
          where match.tenant_id = period.tenant_id
            and match.id = private.match_id(evidence.subject_id)
            and match.reconciliation_id = period.id and match.state = 'confirmed')
        else private.is_line_of_period(period, evidence.subject_id) end
    order by evidence.id
    -- Nobody removes one that the statement lists.
    for share of evidence
  loop
    insert into public.statement_evidence (tenant_id, reconciliation_id, number, evidence_id,
      content)
    values (period.tenant_id, period.id, next_number, attachment.id,
      private.evidence_row(attachment));
  end loop;
  return (
    select jsonb_build_object('count', count(*), 'sha256', encode(sha256(
      coalesce(string_agg(sha256(convert_to(listed.content, 'UTF8')), ''::bytea
        order by listed.evidence_id), '')
    ), 'hex'))
    from public.statement_evidence listed
    where listed.tenant_id = period.tenant_id and listed.reconciliation_id = period.id
      and listed.number = next_number
  );
end $$;

-- Removes the list of a closing that failed.
create function private.withdraw_evidence_of_closing(period public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from public.statement_evidence listing
  where listing.tenant_id = period.tenant_id and listing.reconciliation_id = period.id
    and not exists (
      select from public.statements
      where statements.tenant_id = listing.tenant_id
        and statements.reconciliation_id = listing.reconciliation_id
        and statements.number = listing.number
    );
end $$;

-- Whether a match lacks required evidence: adjustments by hand reach the amount from which evidence
-- is required, and neither the match nor one of its lines has any. Runs as its owner, because a key
-- that closes need not have the scope that reads evidence.
create function private.lacks_evidence(match public.matches, required_from bigint) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return match.tenant_id = private.tenant_id()
    and exists (
      select from jsonb_array_elements(match.adjustments) adjustment
      where abs((adjustment ->> 'amount_minor')::bigint) >= required_from
    )
    and not exists (
      select from public.evidence evidence
      where evidence.tenant_id = match.tenant_id and evidence.removed_at is null
        and evidence.subject_id = private.match_id_text(match.id)
    )
    and not exists (
      select from public.match_members member
      join public.lines line on line.tenant_id = member.tenant_id
        and line.line_no = member.line_no
      join public.evidence evidence on evidence.tenant_id = member.tenant_id
        and evidence.removed_at is null and evidence.subject_id = private.line_id_text(line.id)
      where member.tenant_id = match.tenant_id and member.match_id = match.id
    );
end $$;
grant execute on function private.lacks_evidence(public.matches, bigint) to authenticated;

-- The amount from which the policy of a period's pair requires evidence; null if it requires none.
create function private.evidence_required_from(period public.reconciliations) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return (private.policy_of_pair(period.tenant_id, period.pair_no)
    ->> 'evidence_from_minor')::bigint;
end $$;
grant execute
  on function private.evidence_required_from(public.reconciliations) to authenticated;

-- How many confirmed matches of a period lack required evidence.
create function private.missing_evidence(period public.reconciliations) returns bigint
language plpgsql stable set search_path = '' as $$
declare
  required_from constant bigint := private.evidence_required_from(period);
begin
  if required_from is null then
    return 0;
  end if;
  return (
    select count(*) from public.matches match
    where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
      and match.state = 'confirmed' and match.method = 'manual' and match.adjustments <> '[]'
      and private.lacks_evidence(match, required_from)
  );
end $$;
grant execute on function private.missing_evidence(public.reconciliations) to authenticated;
