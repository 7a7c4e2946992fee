-- Entry rules: the accounts to which a pair's adjustments, residuals, exclusions and carried lines
-- are posted in the ledger. Each change is a version; a close uses the newest.

create table public.entry_rules (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  version integer not null check (version >= 1),
  -- { kind: { account, counter_account, tax_code, cost_center, text } | null }
  -- (lib/entries/rules/contract.ts)
  rules jsonb not null check (jsonb_typeof(rules) = 'object'),
  -- What files for a ledger need to know about it: { datev_consultant, datev_client,
  -- datev_account_length, fiscal_year_month, sap_company_code,
  -- push: { connection_id, folder, format } | null }
  ledger jsonb not null check (jsonb_typeof(ledger) = 'object'),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no, version),
  foreign key (tenant_id, pair_no) references public.pairs (tenant_id, pair_no)
);

alter table public.entry_rules enable row level security;
grant select on public.entry_rules to authenticated, service_role;
create policy entry_rules_read on public.entry_rules for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

-- The newest version; without one, version 0 with no rule.
create function private.entry_rules_of(tenant text, pair integer) returns public.entry_rules
language plpgsql stable set search_path = '' as $$
declare
  found_rules public.entry_rules;
begin
  select * into found_rules from public.entry_rules
  where entry_rules.tenant_id = tenant and entry_rules.pair_no = pair
  order by entry_rules.version desc limit 1;
  if not found then
    found_rules.tenant_id := tenant;
    found_rules.pair_no := pair;
    found_rules.version := 0;
    found_rules.rules := '{}';
    found_rules.ledger := '{}';
  end if;
  return found_rules;
end $$;

create function private.entry_rules_json(rules public.entry_rules) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('rules', rules.rules, 'ledger', rules.ledger, 'version', rules.version,
    'updated_at', private.iso(rules.created_at), 'updated_by', rules.created_by);
end $$;
grant execute on function
  private.entry_rules_of(text, integer), private.entry_rules_json(public.entry_rules)
to authenticated;

-- input: { id }, the reconciliation's. Refuses: not_found, conflict.
create function public.get_entry_rules(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_entry_rules');
  period := private.find_period(input ->> 'id');
  return private.entry_rules_json(private.entry_rules_of(period.tenant_id, period.pair_no));
end $$;

-- input: { id, rules, ledger }, `id` the reconciliation's. Refuses: not_found, conflict,
-- precondition_failed, invalid_request. Records: entries.rules_updated.
create function public.put_entry_rules(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  period public.reconciliations;
  before public.entry_rules;
  ledger jsonb;
  rules public.entry_rules;
begin
  perform private.begin_request(request, 'put_entry_rules');
  period := private.find_period(input ->> 'id');
  perform private.lock_pair(period.tenant_id, period.pair_no);
  before := private.entry_rules_of(period.tenant_id, period.pair_no);
  perform private.require_version(before.version, request -> 'versions');
  ledger := coalesce(input -> 'ledger', before.ledger);
  perform private.check_push_settings(ledger);
  if before.version > 0 and (before.rules, before.ledger) = (input -> 'rules', ledger) then
    return private.entry_rules_json(before);
  end if;
  insert into public.entry_rules (tenant_id, pair_no, version, rules, ledger)
  values (period.tenant_id, period.pair_no, before.version + 1, input -> 'rules', ledger)
  returning * into rules;
  if rules.ledger <> before.ledger then
    perform private.retry_entry_pushes(rules.tenant_id, rules.pair_no);
    perform private.settle_push_failures(rules.tenant_id);
  end if;
  perform private.record_security_event('entries.rules_updated', period.id, null,
    jsonb_build_object(
    'from', private.entry_rules_json(before), 'to', private.entry_rules_json(rules)));
  return private.entry_rules_json(rules);
end $$;
