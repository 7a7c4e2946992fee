-- Decisions of people in a period. Each is undone as one, however many matches it covers.

create table private.decisions (
  tenant_id text not null,
  id text not null default private.new_id('dec'),
  reconciliation_id text not null,
  kind text not null check (kind in ('confirm', 'reject', 'match', 'exclude')),
  match_ids uuid[] not null default '{}',
  -- The line of an exclusion.
  line_id uuid,
  reason text,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  -- The person by issuer and subject, whatever their display name; null for a key, and for
  -- decisions from before this was recorded.
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
  undone_at timestamptz(3),
  undone_by text,
  primary key (tenant_id, id)
);
create index decisions_by_reconciliation on private.decisions (tenant_id, reconciliation_id, id);
create index decisions_by_undoing on private.decisions (tenant_id, undone_at)
  where undone_at is not null;
create index decisions_by_line on private.decisions (tenant_id, line_id) where line_id is not null;
alter table private.decisions enable row level security;
grant select on private.decisions to authenticated;
create policy decisions_read on private.decisions for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

-- Records what a person did with matches of one or several periods.
create function private.record_decision(kind text, ids uuid[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.decisions (tenant_id, reconciliation_id, kind, match_ids, created_by)
  select match.tenant_id, match.reconciliation_id, record_decision.kind,
    array_agg(match.id order by match.id),
    private.actor()
  from public.matches match where match.tenant_id = private.tenant_id() and match.id = any (ids)
  group by match.tenant_id, match.reconciliation_id order by match.reconciliation_id;
end $$;

-- The first 500 of its matches: a decision by filter may have thousands.
create function private.decision_json(decision private.decisions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', decision.id, 'reconciliation_id', decision.reconciliation_id, 'action', decision.kind,
    'match_count', cardinality(decision.match_ids),
    'match_ids',
    (select coalesce(jsonb_agg(private.match_id_text(match_id) order by match_id), '[]')
      from unnest(decision.match_ids[:500]) match_id),
    'line_id', private.line_id_text(decision.line_id),
    'created_at', private.iso(decision.created_at),
    'created_by', decision.created_by,
    'undone_at', private.iso(decision.undone_at), 'undone_by', decision.undone_by
  );
end $$;
grant execute on function private.decision_json(private.decisions) to authenticated;

-- One security event for a decision on matches, however many there are. Records:
-- matching.confirmed, matching.rejected, matching.undone.
create function private.record_decided_matches(action text, ids uuid[], details jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  target constant text := case when cardinality(ids) = 1 then private.match_id_text(ids[1]) end;
  periods constant text[] := array(
    select distinct match.reconciliation_id
    from public.matches match
    where match.tenant_id = private.tenant_id() and match.id = any (ids)
    order by match.reconciliation_id);
  event_details constant jsonb := details || jsonb_build_object('count', cardinality(ids),
    'reconciliation_id', case when cardinality(periods) = 1 then periods[1] end);
begin
  if cardinality(ids) = 0 then
    return;
  end if;
  if action in ('confirm', 'undo') then
    perform private.record_period_work(decided.id) from unnest(periods) as decided (id);
  end if;
  case action
    when 'confirm' then perform private.record_security_event('matching.confirmed', target, null,
      event_details);
    when 'reject' then perform private.record_security_event('matching.rejected', target, null,
      event_details);
    when 'undo' then perform private.record_security_event('matching.undone', target, null,
      event_details);
  end case;
end $$;

-- The same for a match by hand. Records: matching.written_off if part of it is written off, else
-- matching.matched.
create function private.record_hand_match(match public.matches) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  event_details constant jsonb := jsonb_build_object('reconciliation_id', match.reconciliation_id,
    'currency', match.currency, 'amount_minor', match.amount_minor,
    'adjustments', match.adjustments);
begin
  perform private.record_period_work(match.reconciliation_id);
  if match.adjustments @> '[{"kind": "write_off"}]' then
    perform private.record_security_event('matching.written_off', private.match_id_text(match.id),
      match.note, event_details);
  else
    perform private.record_security_event('matching.matched', private.match_id_text(match.id),
      match.note,
      event_details);
  end if;
end $$;
