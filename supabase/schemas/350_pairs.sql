-- Pairs: the left and the right source that reconciliations of successive periods compare. Made with the first of them.

create table public.pairs (
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  -- What narrow tables hold; never leaves the database.
  pair_no integer not null generated always as identity,
  left_source_no integer not null,
  right_source_no integer not null,
  -- Of the newest row of pair_rules; 0: the defaults.
  rules_version integer not null default 0,
  -- What people's decisions taught (matcher/engine/weights.ts); null: nothing yet.
  weights jsonb,
  -- How far the lines that came before it are open: { source_no, value_date, line_no }, {}: none yet; null: all of them.
  opening jsonb,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no),
  unique (tenant_id, left_source_no, right_source_no),
  check (left_source_no <> right_source_no),
  foreign key (tenant_id, left_source_no) references public.sources (tenant_id, source_no),
  foreign key (tenant_id, right_source_no) references public.sources (tenant_id, source_no)
);
create index pairs_by_right_source on public.pairs (tenant_id, right_source_no);

-- The rules of a pair and what goes with them, each change a version.
create table public.pair_rules (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  version integer not null check (version >= 1),
  rules jsonb not null check (jsonb_typeof(rules) = 'array'),
  -- { automatic, four_eyes, calendar_id, exceptions: { assigned_to, severities, most_a_run } } (lib/matching/rules/contract.ts)
  policy jsonb not null check (jsonb_typeof(policy) = 'object'),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no, version),
  foreign key (tenant_id, pair_no) references public.pairs (tenant_id, pair_no)
);

create index reconciliations_by_pair on public.reconciliations (tenant_id, pair_no, period_end) where pair_no is not null;

alter table public.pairs enable row level security;
alter table public.pair_rules enable row level security;
grant select on public.pairs, public.pair_rules to authenticated, service_role;
create policy pairs_read on public.pairs for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy pair_rules_read on public.pair_rules for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

-- Opens what the next lines of each source have open in the pair, at most so many of each. Answers whether all are open.
create function private.open_earlier_lines(pair public.pairs, most integer) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  side record;
  opened record;
begin
  if pair.opening is null then
    return true;
  end if;
  for side in
    select s.source_no, case s.source_no when pair.left_source_no then 'left' else 'right' end as name,
      case s.sign when 'inverted' then -1 else 1 end as factor,
      case s.source_no when (pair.opening ->> 'source_no')::integer then (pair.opening ->> 'value_date')::date else '-infinity' end as after_date,
      coalesce((pair.opening ->> 'line_no')::bigint, 0) as after_no
    from public.sources s
    where s.tenant_id = pair.tenant_id and s.source_no in (pair.left_source_no, pair.right_source_no)
      and s.source_no >= coalesce((pair.opening ->> 'source_no')::integer, 0)
    order by s.source_no
  loop
    with next as materialized (
      select l.source_no, l.value_date, l.line_no, l.currency, side.factor * l.amount_minor as effective
      from public.lines l
      where l.tenant_id = pair.tenant_id and l.source_no = side.source_no and (l.value_date, l.line_no) > (side.after_date, side.after_no)
      order by l.value_date, l.line_no limit most
    ), written as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
      select pair.tenant_id, pair.pair_no, n.line_no, side.name, n.currency, n.effective, n.effective, n.value_date from next n
      -- It came after the pair was made.
      on conflict do nothing
    )
    select (select count(*) from next) as lines, (
      select jsonb_build_object('source_no', n.source_no, 'value_date', n.value_date, 'line_no', n.line_no)
      from next n order by n.value_date desc, n.line_no desc limit 1
    ) as up_to
    into opened;
    if opened.lines = most then
      update public.pairs p set opening = opened.up_to where p.tenant_id = pair.tenant_id and p.pair_no = pair.pair_no;
      return false;
    end if;
  end loop;
  update public.pairs p set opening = null where p.tenant_id = pair.tenant_id and p.pair_no = pair.pair_no;
  return true;
end $$;

-- The caller's pair of these sources, made where there is none: what their lines have open is open in it from then on, of so many of each that were
-- there before. Refuses: invalid_request for a source the tenant does not have; conflict while lines of them come in.
create function private.open_own_pair(left_source_id text, right_source_id text, most integer) returns table (pair_no integer, is_open boolean)
language plpgsql volatile security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  left_no integer;
  right_no integer;
  pair public.pairs;
begin
  select s.source_no into left_no from public.sources s where s.tenant_id = tenant and s.id = $1;
  select s.source_no into right_no from public.sources s where s.tenant_id = tenant and s.id = $2;
  if left_no is null then
    perform private.refuse_field('left_source_id', 'There is no such source.');
  elsif right_no is null then
    perform private.refuse_field('right_source_id', 'There is no such source.');
  elsif left_no = right_no then
    perform private.refuse_field('right_source_id', 'Name two sources: a source is not compared with itself.');
  end if;
  perform private.hold_sources_alone(tenant, array[left_no, right_no]);
  select * into pair from public.pairs p where p.tenant_id = tenant and p.left_source_no = left_no and p.right_source_no = right_no;
  if not found then
    -- None is made but for a reconciliation.
    perform private.require_quota('reconciliations');
    insert into public.pairs (tenant_id, left_source_no, right_source_no, opening) values (tenant, left_no, right_no, '{}') returning * into pair;
  end if;
  return query select pair.pair_no, private.open_earlier_lines(pair, most);
end $$;

-- The same for a reconciliation, which compares all lines of its sources.
create function private.pair_of_own_sources(left_source_id text, right_source_id text) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  pair record;
begin
  select * into pair from private.open_own_pair($1, $2, 1000);
  if not pair.is_open then
    perform private.refuse('conflict', 'Lines of these sources came in at the same moment. Send the call again.');
  end if;
  return pair.pair_no;
end $$;
grant execute on function private.open_own_pair(text, text, integer), private.pair_of_own_sources(text, text) to authenticated;

-- What stands where nobody changed it.
create function private.default_policy() returns jsonb
language sql immutable set search_path = ''
return '{"automatic": "earned", "four_eyes": false, "calendar_id": null, "exceptions": {"assigned_to": null, "most_a_run": 1000, "severities": [
  {"from_minor": 0, "severity": "low"}, {"from_minor": 100000, "severity": "medium"}, {"from_minor": 1000000, "severity": "high"},
  {"from_minor": 10000000, "severity": "critical"}]}}'::jsonb;

create function private.policy_of_pair(tenant text, pair integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.default_policy() || coalesce((
    select r.policy from public.pairs p join public.pair_rules r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no and r.version = p.rules_version
    where p.tenant_id = tenant and p.pair_no = pair
  ), '{}');
end $$;
grant execute on function private.default_policy(), private.policy_of_pair(text, integer) to authenticated;
