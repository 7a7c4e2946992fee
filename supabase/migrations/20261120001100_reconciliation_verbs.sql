-- Reconciliations over the wire: their states, and open exceptions counted when asked, so that no counter can be wrong.

grant insert (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count),
  update (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count)
on public.reconciliations to authenticated;
alter table public.reconciliations alter column tenant_id set default private.tenant_id();
create policy reconciliations_insert on public.reconciliations for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.allows('{tenant_admin,tenant_lead}', '{write:reconciliations}')));
create policy reconciliations_update on public.reconciliations for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.allows('{tenant_admin,tenant_lead}', '{write:reconciliations}')))
  with check (tenant_id = (select private.tenant_id()));

create index reconciliations_by_tenant on public.reconciliations (tenant_id, id desc);
create index exceptions_open_by_reconciliation on public.exceptions (tenant_id, reconciliation_id)
  where reconciliation_id is not null and status in ('open', 'in_review');

-- open and in_progress lead to each other; in_progress to completed; completed back to in_progress; archived is the end.
create function private.guard_reconciliation() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    if new.status <> old.status and (old.status, new.status) not in (
      ('open', 'in_progress'), ('in_progress', 'open'), ('in_progress', 'completed'), ('completed', 'in_progress'),
      ('open', 'archived'), ('in_progress', 'archived'), ('completed', 'archived')
    ) then
      perform private.refuse('invalid_transition', format('A reconciliation cannot move from %s to %s.', old.status, new.status));
    end if;
    new.updated_at := now();
  end if;
  if new.period_end < new.period_start then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "period_end", "message": "The period cannot end before it starts."}]');
  end if;
  return new;
end $$;
create trigger guard before insert or update on public.reconciliations
  for each row execute function private.guard_reconciliation();

create function private.reconciliation_json(r public.reconciliations) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'id', r.id, 'name', r.name, 'status', r.status, 'period_start', r.period_start, 'period_end', r.period_end,
    'left_source', r.left_source, 'right_source', r.right_source, 'matched_count', r.matched_count, 'unmatched_count', r.unmatched_count,
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at', private.iso(r.updated_at)
  );
$$;

create function public.create_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  created public.reconciliations;
begin
  perform private.enter(request, '{tenant_admin,tenant_lead}', '{write:reconciliations}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    input ->> 'left_source', input ->> 'right_source', coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0)
  )
  returning * into created;
  return private.remember(request, private.reconciliation_json(created));
end $$;

create function public.get_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:reconciliations}');
  select * into r from public.reconciliations x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such reconciliation.');
  end if;
  return private.reconciliation_json(r);
end $$;

-- input: { id, patch }.
create function public.update_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  before public.reconciliations;
  after public.reconciliations;
begin
  perform private.enter(request, '{tenant_admin,tenant_lead}', '{write:reconciliations}');
  select * into before from public.reconciliations x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id() for no key update;
  if not found then
    perform private.refuse('not_found', 'There is no such reconciliation.');
  end if;
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations x set
      name = after.name, status = after.status, period_start = after.period_start, period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count
    where x.id = before.id and x.tenant_id = before.tenant_id
    returning * into after;
  end if;
  return jsonb_build_object('replayed', false, 'body', private.reconciliation_json(after));
end $$;

-- Newest first. input: { limit, after: [id] | null, status, period_from, period_to }: periods that overlap the span.
create function public.list_reconciliations(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:reconciliations}');
  select jsonb_agg(private.reconciliation_json(r) order by r.id desc) into page
  from (
    select * from public.reconciliations x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'period_from' is null or x.period_end >= (input ->> 'period_from')::date)
      and (input ->> 'period_to' is null or x.period_start <= (input ->> 'period_to')::date)
    order by x.id desc
    limit page_size + 1
  ) r;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end);
end $$;

grant execute on function
  private.reconciliation_json(public.reconciliations), public.create_reconciliation(jsonb, jsonb), public.get_reconciliation(jsonb, jsonb),
  public.update_reconciliation(jsonb, jsonb), public.list_reconciliations(jsonb, jsonb)
to authenticated;
