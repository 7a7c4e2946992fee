-- Evidence over the wire. Adding a file has two steps of one request: open_evidence, before its
-- content is read, and add_evidence.

-- What a file is attached to in the caller's tenant: { type, name, reconciliation_id }, for a line
-- { type, name, source_no, value_date }. Refuses: not_found; scope_required for an exception, if
-- the key may not change exceptions.
create function private.evidence_subject(id text) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  subject jsonb;
begin
  case left(id, 4)
    when 'exc_' then
      if not private.may('write:exceptions') then
        perform private.refuse('scope_required',
          'Evidence of an exception also requires the scope write:exceptions.');
      end if;
      select jsonb_build_object('type', 'exception', 'name', exception.title,
        'reconciliation_id', exception.reconciliation_id) into subject
      from public.exceptions exception where exception.tenant_id = private.tenant_id()
        and exception.id = $1;
    when 'mat_' then
      select jsonb_build_object('type', 'match', 'name', period.name,
        'reconciliation_id', match.reconciliation_id) into subject
      from public.matches match
      join public.reconciliations period on period.tenant_id = match.tenant_id
        and period.id = match.reconciliation_id
      where match.tenant_id = private.tenant_id() and match.id = private.match_id($1);
    when 'lin_' then
      select jsonb_build_object('type', 'line',
        'name', left(coalesce(line.reference, line.counterparty, line.description), 200),
        'source_no', line.source_no, 'value_date', line.value_date) into subject
      from public.lines line
      where line.tenant_id = private.tenant_id() and line.line_no = private.line_no_of($1);
    else
      select jsonb_build_object('type', 'reconciliation', 'name', period.name,
        'reconciliation_id', period.id) into subject
      from public.reconciliations period
      where period.tenant_id = private.tenant_id() and period.id = $1;
  end case;
  if subject is null then
    perform private.refuse_missing(case left(id, 4) when 'exc_' then 'exception'
      when 'mat_' then 'match' when 'lin_' then 'line' else 'reconciliation' end);
  end if;
  return subject;
end $$;

-- The subject to which a file of this size may be added. Refuses: not_found, scope_required;
-- conflict beyond 50 files of the subject, beyond the tenant's quota, or if another file has
-- superseded the same.
create function private.require_evidence_room(input jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  subject constant jsonb := private.evidence_subject(input ->> 'subject_id');
  before public.evidence;
begin
  perform private.serialize_counting('evidence');
  if (select count(*) from public.evidence
    where evidence.tenant_id = tenant and evidence.subject_id = input ->> 'subject_id'
      and evidence.removed_at is null) >= 50
  then
    perform private.refuse_conflict('quota', format(
      'There can be at most 50 files of evidence for one %s. Remove one, or combine several in a PDF.',
      subject ->> 'type'));
  end if;
  perform private.require_quota('evidence_mib',
    ceil((input ->> 'bytes')::numeric / 1048576)::bigint);
  if input ->> 'supersedes' is not null then
    before := private.find_evidence(input ->> 'supersedes');
    if before.subject_id <> input ->> 'subject_id' then
      perform private.refuse_field('supersedes', 'Name a file of the same subject.');
    elsif exists (select from public.evidence where evidence.tenant_id = tenant
      and evidence.supersedes = before.id and evidence.removed_at is null) then
      perform private.refuse_conflict('already_superseded',
        'Another file has superseded this one. Supersede the newest.');
    end if;
  end if;
  return subject;
end $$;

-- input: { subject_id }. Returns { id }, the ID of the file to be added. Only add_evidence checks
-- the limits, so that a repeated call gets the first one's response. Refuses: not_found,
-- scope_required.
create function public.open_evidence(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.begin_request(request, 'open_evidence');
  perform private.evidence_subject(input ->> 'subject_id');
  return jsonb_build_object('id', private.new_id('evd'));
end $$;

-- Locks the pairs that a subject's evidence is signed with. Refuses: conflict while one of their
-- periods is being closed.
create function private.lock_evidence_subject(subject jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if subject ->> 'source_no' is not null then
    perform private.lock_pairs_of_open_source(private.tenant_id(),
      (subject ->> 'source_no')::integer);
  elsif subject ->> 'reconciliation_id' is not null then
    perform private.lock_pair_of(subject ->> 'reconciliation_id');
    perform private.require_not_closing(period.tenant_id, period.pair_no)
    from public.reconciliations period
    where period.tenant_id = private.tenant_id() and period.id = subject ->> 'reconciliation_id';
  end if;
end $$;

-- Revokes the signatures of the open periods that a subject, which is locked, belongs to.
create function private.revoke_signatures_of_subject(subject jsonb, reason text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  if subject ->> 'source_no' is not null then
    perform private.revoke_signatures_of_source(tenant, (subject ->> 'source_no')::integer,
      (subject ->> 'value_date')::date, left(reason, 1000));
  elsif subject ->> 'reconciliation_id' is not null then
    perform private.revoke_signatures(tenant, array(
      select period.id from public.reconciliations period
      where period.tenant_id = tenant and period.id = subject ->> 'reconciliation_id'
        and period.closed_at is null
    ), left(reason, 1000));
  end if;
end $$;

-- input: { id, subject_id, file_name, media_type, bytes, sha256, supersedes, content | bucket }:
-- the content in base64, or the bucket that it lies in. Refuses: as require_evidence_room. Records:
-- evidence.added, reconciliation.signatures_revoked.
create function public.add_evidence(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'add_evidence');
  subject jsonb;
  attachment public.evidence;
begin
  if replayed is not null then
    return replayed;
  end if;
  if input ->> 'supersedes' is not null then
    perform private.lock_evidence_subject(private.evidence_subject(input ->> 'subject_id'));
  end if;
  subject := private.require_evidence_room(input);
  insert into public.evidence (id, subject_type, subject_id, file_name, media_type, bytes, sha256,
    bucket, supersedes)
  values (input ->> 'id', subject ->> 'type', input ->> 'subject_id', input ->> 'file_name',
    input ->> 'media_type', (input ->> 'bytes')::integer, input ->> 'sha256', input ->> 'bucket',
    input ->> 'supersedes')
  returning * into attachment;
  if attachment.bucket is null then
    insert into private.evidence_contents (tenant_id, evidence_id, content)
    values (attachment.tenant_id, attachment.id, decode(input ->> 'content', 'base64'));
  end if;
  if attachment.supersedes is not null then
    perform private.revoke_signatures_of_subject(subject,
      format('Evidence was superseded by %s', attachment.file_name));
  end if;
  perform private.record_evidence('evidence.added', attachment, subject);
  return private.finish_request(request, private.evidence_json(attachment)
    || jsonb_build_object('version', private.version_of(private.evidence_json(attachment))));
end $$;

-- Records what was done with a file, with the subject as its target.
create function private.record_evidence(type text, attachment public.evidence, subject jsonb,
  reason text default null) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.record_security_event(type, attachment.subject_id, reason, jsonb_build_object(
    'name', subject -> 'name', 'subject_type', attachment.subject_type,
    'reconciliation_id', subject -> 'reconciliation_id', 'evidence_id', attachment.id,
    'file_name', attachment.file_name, 'media_type', attachment.media_type,
    'bytes', attachment.bytes, 'sha256', attachment.sha256,
    'supersedes', attachment.supersedes));
end $$;

-- input: { id, reason }. Deletes the content and returns where it was stored. Refuses: not_found,
-- scope_required, precondition_failed; conflict for a file that a statement lists, or that
-- supersedes such a file. Records: evidence.removed, reconciliation.signatures_revoked.
create function public.remove_evidence(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_evidence');
  tenant constant text := private.tenant_id();
  subject jsonb;
  attachment public.evidence;
  answer jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  attachment := private.find_evidence(input ->> 'id');
  subject := private.evidence_subject(attachment.subject_id);
  perform private.lock_evidence_subject(subject);
  perform from public.evidence where evidence.tenant_id = tenant and evidence.id = attachment.id
    for update;
  attachment := private.find_evidence(attachment.id);
  answer := private.evidence_json(attachment);
  perform private.require_version(private.version_of(answer), request -> 'versions');
  if (answer ->> 'is_signed')::boolean then
    perform private.refuse_conflict('evidence_signed',
      'A signed statement lists this file, so it can''t be removed. Add another file that supersedes it.');
  elsif answer ->> 'superseded_by' is not null then
    perform private.refuse_conflict('already_superseded',
      'Another file has superseded this one. Remove that one first.');
  end if;
  delete from private.evidence_contents contents
  where contents.tenant_id = tenant and contents.evidence_id = attachment.id;
  update public.evidence set removed_at = now(), removed_by = private.actor(),
    removed_reason = input ->> 'reason'
  where evidence.tenant_id = tenant and evidence.id = attachment.id;
  perform private.revoke_signatures_of_subject(subject,
    format('Evidence was removed: %s', attachment.file_name));
  perform private.record_evidence('evidence.removed', attachment, subject, input ->> 'reason');
  return private.finish_request(request, answer
    || jsonb_build_object('version', private.version_of(answer), 'bucket', attachment.bucket));
end $$;

-- Newest first. input: { subject_id, limit, after: [id] | null }.
create function public.list_evidence(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_evidence');
  select jsonb_agg(private.evidence_json(evidence) order by evidence.id desc) into items
  from (
    select * from public.evidence
    where evidence.tenant_id = private.tenant_id() and evidence.removed_at is null
      and evidence.subject_id = input ->> 'subject_id'
      and (input -> 'after' ->> 0 is null or evidence.id < input -> 'after' ->> 0)
    order by evidence.id desc limit page_size + 1
  ) evidence;
  return private.page(items, page_size, 'id');
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_evidence(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
begin
  perform private.begin_request(request, 'get_evidence');
  answer := private.evidence_json(private.find_evidence(input ->> 'id'));
  return answer || jsonb_build_object('version', private.version_of(answer));
end $$;

-- input: { id }. Returns where the content is stored: { file_name, bytes, bucket }. Refuses:
-- not_found.
create function public.open_evidence_content(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  attachment public.evidence;
begin
  perform private.begin_request(request, 'open_evidence_content');
  attachment := private.find_evidence(input ->> 'id');
  return jsonb_build_object('file_name', attachment.file_name, 'bytes', attachment.bytes,
    'bucket', attachment.bucket);
end $$;

-- A later step of open_evidence_content. input: { id, start, size }. Returns { part } in base64.
-- Refuses: not_found.
create function public.read_evidence_part(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request || '{"continues": true}', 'read_evidence_part');
  return jsonb_build_object('part', private.evidence_part(
    (private.find_evidence(input ->> 'id')).id, (input ->> 'start')::integer,
    (input ->> 'size')::integer));
end $$;
