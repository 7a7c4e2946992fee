alter table private.quotas rename column most to maximum;
alter table private.quotas rename constraint quotas_most_check to quotas_maximum_check;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.quota_of(tenant_id text, kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return least((select q.maximum from private.quotas q where q.kind = $2),
    case when private.is_sandbox($1) then
      case kind when 'lines' then 50000 when 'exceptions' then 5000 when 'records' then 5000
        when 'evidence_mib' then 100 else 50 end
    end);
end $function$;
CREATE OR REPLACE FUNCTION public.review_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'review_reconciliation');
  r public.reconciliations;
  sign_off jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.lock_period(private.tenant_id(), input ->> 'id');
  sign_off := private.sign_off_json(r);
  if sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('not_prepared',
      'The period is not prepared. Prepare it first.');
  elsif jsonb_array_length(sign_off -> 'signatures') > greatest((sign_off ->> 'levels')::integer, 1)
  then
    perform private.refuse_conflict('already_reviewed',
      'The period is reviewed by as many as its policy asks for. Close it now.');
  elsif exists (
    select from jsonb_array_elements(sign_off -> 'signatures') s
    where s ->> 'issuer' = private.actor_issuer() and s ->> 'subject' = private.actor_subject()
  ) then
    perform private.refuse_conflict('second_person_required',
      'You have signed this period already. Ask someone else to review it.');
  elsif private.requires_second_person(r) and private.worked_in_period(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. Someone who did not has to review it.');
  end if;
  perform private.require_no_run(r);
  perform private.sign_period(r, 'reviewed', jsonb_array_length(sign_off -> 'signatures'),
    input ->> 'note');
  perform private.emit(r.tenant_id, 'reconciliation.reviewed',
    jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return private.finish_request(request, private.reconciliation_json(r)
    || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_people(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_array(
    private.check_json('second_person',
      not (private.requires_second_person(r) and private.worked_in_period(r)), 'block', null,
      case when not private.requires_second_person(r) then 'The policy asks for no second person.'
        when private.worked_in_period(r) then 'You worked in this period. Someone else closes it.'
        else 'You did not work in this period.' end),
    (
      select private.check_json('signatures',
        s.levels = 0 or s.reviews >= s.levels, 'block', s.reviews,
        case when s.levels = 0 then 'The policy asks for no review.'
          when s.state = 'open' then 'The period is not prepared.'
          else format('%s of %s signed.', s.reviews,
            private.counted(s.levels, 'review is', 'reviews are')) end)
      from (
        select (o ->> 'levels')::integer as levels, o ->> 'state' as state,
          (select count(*) from jsonb_array_elements(o -> 'signatures') x
            where x ->> 'kind' = 'reviewed') as reviews
        from private.sign_off_json(r) o
      ) s
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_signatures(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  sign_off constant jsonb := private.sign_off_json(r);
begin
  if (sign_off ->> 'levels')::integer = 0 or sign_off ->> 'state' = 'reviewed' then
    return;
  elsif sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('signatures_missing', coalesce(
      format('The signatures were revoked: %s ', sign_off #>> '{revoked,reason}'), '')
      || 'The period has to be prepared and reviewed before it closes.');
  end if;
  perform private.refuse_conflict('signatures_missing', format(
    'The period needs %s reviews before it closes, and has %s. Ask someone else to review it.',
    sign_off ->> 'levels', jsonb_array_length(sign_off -> 'signatures') - 1));
end $function$;
CREATE OR REPLACE FUNCTION private.require_closable(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end < r.period_start
      and x.closed_at is null and x.status <> 'archived'
  ) then
    perform private.refuse_conflict('earlier_period_open',
      'An earlier period of these sources is open. Close that one first.');
  elsif private.run_is_under_way(r) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs p join public.imports i
      on i.tenant_id = p.tenant_id and i.source_no in (p.left_source_no, p.right_source_no)
        and i.status = 'undoing'
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) then
    perform private.refuse_conflict('lines_changing',
      'An import of its sources is being undone. Close it when that is done.');
  end if;
  perform private.require_signatures(r);
  perform private.require_checks(r);
  if private.requires_second_person(r) and private.worked_in_period(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added '
      'lines in this period. Someone who did not has to close it.');
  end if;
end $function$;
