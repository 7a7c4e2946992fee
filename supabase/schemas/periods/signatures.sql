-- Signatures: who prepared a period and who reviewed it before it closes. A change of what they
-- signed revokes their signatures, with the reason. Revoked ones are kept.

create table public.period_signatures (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  number integer not null check (number >= 1),
  pair_no integer not null,
  period_end date not null,
  kind text not null check (kind in ('prepared', 'reviewed')),
  -- 0 is the preparer; the levels of review follow.
  level smallint not null check (level between 0 and 3),
  signed_by text not null default private.actor(),
  issuer text not null default private.actor_issuer(),
  subject text not null default private.actor_subject(),
  signed_at timestamptz(3) not null default now(),
  -- private.period_digest at the time of signing.
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  note text check (length(note) between 1 and 1000),
  revoked_at timestamptz(3),
  revoked_by text,
  revoked_reason text check (length(revoked_reason) between 1 and 1000),
  primary key (tenant_id, reconciliation_id, number),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id),
  check (num_nonnulls(revoked_at, revoked_by, revoked_reason) in (0, 3))
);
create index period_signatures_in_force
  on public.period_signatures (tenant_id, pair_no) where revoked_at is null;

alter table public.period_signatures enable row level security;
grant select on public.period_signatures to authenticated, service_role;
create policy period_signatures_read on public.period_signatures for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

create function private.period_signature_json(signature public.period_signatures) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('kind', signature.kind, 'level', signature.level,
    'signed_by', signature.signed_by,
    'issuer', signature.issuer, 'subject', signature.subject,
    'signed_at', private.iso(signature.signed_at),
    'digest', signature.digest, 'note', signature.note);
end $$;

-- How many levels of review a period needs before it closes; 0 if no signature is needed. The
-- highest number that the pair's policy has asked for since the period was opened.
create function private.review_levels(period public.reconciliations) returns integer
language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select max(rules_version.levels) from (
      select (rules_version.policy ->> 'review_levels')::integer as levels,
        lead(rules_version.created_at) over (order by rules_version.version) as until
      from public.pair_rules rules_version where rules_version.tenant_id = period.tenant_id
        and rules_version.pair_no = period.pair_no
    ) rules_version where coalesce(rules_version.until >= period.created_at, true)
  ), 0);
end $$;

-- { state, levels, signatures, revoked }: the signatures in force, or why the last ones were
-- revoked.
create function private.sign_off_json(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  levels constant integer := private.review_levels(period);
  signatures jsonb;
  reviews integer;
  revoked public.period_signatures;
begin
  select coalesce(jsonb_agg(private.period_signature_json(signature) order by signature.number),
    '[]'),
    count(*) filter (where signature.kind = 'reviewed')
  into signatures, reviews
  from public.period_signatures signature
  where signature.tenant_id = period.tenant_id and signature.pair_no = period.pair_no
    and signature.reconciliation_id = period.id
    and signature.revoked_at is null;
  if signatures = '[]' then
    select * into revoked from public.period_signatures signature
    where signature.tenant_id = period.tenant_id and signature.reconciliation_id = period.id
    order by signature.number desc limit 1;
  end if;
  return jsonb_build_object(
    'state', case when signatures = '[]' then 'open'
      when reviews > 0 and reviews >= levels then 'reviewed' else 'prepared' end,
    'levels', levels, 'signatures', signatures,
    'revoked', case when revoked.revoked_at is not null then jsonb_build_object(
      'at', private.iso(revoked.revoked_at), 'by', revoked.revoked_by,
      'reason', revoked.revoked_reason) end);
end $$;
grant execute on function
  private.period_signature_json(public.period_signatures),
  private.review_levels(public.reconciliations), private.sign_off_json(public.reconciliations)
to authenticated;

-- SHA-256 over what a person signs: the present statement, the confirmed matches and the
-- exclusions.
create function private.period_digest(period public.reconciliations) returns text
language plpgsql stable set search_path = '' as $$
begin
  return encode(sha256(convert_to(
    (private.statement_json(period) - 'as_of')::text || private.closing_digest(period.tenant_id,
      period.id),
    'UTF8')), 'hex');
end $$;

-- Revokes the signatures in force of these periods. Records: reconciliation.signatures_revoked for
-- each period.
create function private.revoke_signatures(tenant text, periods text[], reason text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  period text;
begin
  for period in
    with revoked as (
      update public.period_signatures signature set revoked_at = now(),
        revoked_by = coalesce(private.actor(), 'system'),
        revoked_reason = revoke_signatures.reason
      where signature.tenant_id = tenant and signature.reconciliation_id = any (periods)
        and signature.revoked_at is null
      returning signature.reconciliation_id
    )
    select distinct revoked.reconciliation_id from revoked order by 1
  loop
    perform private.record_security_event('reconciliation.signatures_revoked', period, reason, (
      select jsonb_build_object('name', reconciliations.name) from public.reconciliations
      where reconciliations.tenant_id = tenant and reconciliations.id = period));
  end loop;
end $$;

-- Revokes the signatures of a pair's open periods that end on or after this day. One that is being
-- closed keeps them: what arrives belongs to the next.
create function private.revoke_signatures_of_pair(tenant text, pair integer, since date,
  reason text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  periods constant text[] := array(
    select distinct signature.reconciliation_id from public.period_signatures signature
    join public.reconciliations period on period.tenant_id = signature.tenant_id
      and period.id = signature.reconciliation_id
      and period.closed_at is null
    where signature.tenant_id = tenant and signature.pair_no = pair and signature.revoked_at is null
      and signature.period_end >= since
      and not private.is_closing(tenant, pair, signature.reconciliation_id)
  );
begin
  if cardinality(periods) > 0 then
    perform private.revoke_signatures(tenant, periods, reason);
  end if;
end $$;

-- The same for every pair that the source belongs to.
create function private.revoke_signatures_of_source(tenant text, source integer, since date,
  reason text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.revoke_signatures_of_pair(tenant, pair.pair_no, since, reason)
  from public.pairs pair
  where pair.tenant_id = tenant and source in (pair.left_source_no, pair.right_source_no);
end $$;

-- The same for the periods that these matches belong to.
create function private.revoke_signatures_of_matches(tenant text, ids uuid[], reason text)
returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  periods constant text[] := array(
    select distinct match.reconciliation_id from public.matches match
    where match.tenant_id = tenant and match.id = any (ids)
      and exists (
        select from public.period_signatures signature
        where signature.tenant_id = tenant and signature.pair_no = match.pair_no
          and signature.reconciliation_id = match.reconciliation_id and signature.revoked_at is null
      )
  );
begin
  if cardinality(periods) > 0 then
    perform private.revoke_signatures(tenant, periods, reason);
  end if;
end $$;

-- Signs a period, which is locked, in the caller's name.
create function private.sign_period(period public.reconciliations, kind text, level integer,
  note text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.period_signatures (tenant_id, reconciliation_id, number, pair_no, period_end,
    kind, level, digest, note)
  select period.tenant_id, period.id, coalesce(max(signature.number), 0) + 1, period.pair_no,
    period.period_end,
    sign_period.kind, sign_period.level, private.period_digest(period), sign_period.note
  from public.period_signatures signature
  where signature.tenant_id = period.tenant_id and signature.reconciliation_id = period.id;
  perform private.record_security_event('reconciliation.' || kind, period.id, note,
    jsonb_build_object(
    'name', period.name, 'level', level));
end $$;

-- Refuses: conflict while a run could still change what is signed.
create function private.require_no_run(period public.reconciliations) returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.run_is_under_way(period) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is in progress. Sign when it is done.');
  end if;
end $$;

-- input: { id, note }. Refuses: not_found; conflict if it is prepared or closed already, a run is
-- under way, or a blocking check fails. Records and emits: reconciliation.prepared.
create function public.prepare_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'prepare_reconciliation');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.lock_period(private.tenant_id(), input ->> 'id');
  if private.sign_off_json(period) ->> 'state' <> 'open' then
    perform private.refuse_conflict('already_prepared',
      'The period is already prepared. Send it back first to prepare it again.');
  end if;
  perform private.require_no_run(period);
  perform private.require_checks(period);
  perform private.sign_period(period, 'prepared', 0, input ->> 'note');
  perform private.emit(period.tenant_id, 'reconciliation.prepared',
    jsonb_build_object('reconciliation', private.reconciliation_json(period)));
  return private.finish_request(request, private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period)));
end $$;

-- input: { id, note }. Refuses: not_found; conflict if it is not prepared, has all the reviews that
-- the policy asks for, or the caller has signed it already or, with four eyes, worked in it.
-- Records and emits: reconciliation.reviewed.
create function public.review_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'review_reconciliation');
  period public.reconciliations;
  sign_off jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.lock_period(private.tenant_id(), input ->> 'id');
  sign_off := private.sign_off_json(period);
  if sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('not_prepared',
      'The period is not prepared. Prepare it first.');
  elsif jsonb_array_length(sign_off -> 'signatures') > greatest((sign_off ->> 'levels')::integer, 1)
  then
    perform private.refuse_conflict('already_reviewed',
      'The period has all the reviews that its policy requires. Close it now.');
  elsif exists (
    select from jsonb_array_elements(sign_off -> 'signatures') signature
    where signature ->> 'issuer' = private.actor_issuer()
      and signature ->> 'subject' = private.actor_subject()
  ) then
    perform private.refuse_conflict('second_person_required',
      'You have signed this period already. Ask someone else to review it.');
  elsif private.requires_second_person(period) and private.worked_in_period(period) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. Someone who did not has to review it.');
  end if;
  perform private.require_no_run(period);
  perform private.sign_period(period, 'reviewed', jsonb_array_length(sign_off -> 'signatures'),
    input ->> 'note');
  perform private.emit(period.tenant_id, 'reconciliation.reviewed',
    jsonb_build_object('reconciliation', private.reconciliation_json(period)));
  return private.finish_request(request, private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period)));
end $$;

-- Returns a period to work by revoking its signatures. input: { id, reason }. Refuses: not_found;
-- conflict if it has no signature. Records: reconciliation.signatures_revoked.
create function public.return_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'return_reconciliation');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.lock_period(private.tenant_id(), input ->> 'id');
  if private.sign_off_json(period) ->> 'state' = 'open' then
    perform private.refuse_conflict('not_prepared',
      'Nobody has signed this period, so it can''t be sent back.');
  end if;
  perform private.revoke_signatures(period.tenant_id, array[period.id], input ->> 'reason');
  return private.finish_request(request, private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period)));
end $$;
