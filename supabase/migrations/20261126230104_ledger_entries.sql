-- ledger entries

-- From here on written by `npm run migration`, anew each time. Above is by hand.

create table public.entry_rules (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  version integer not null,
  rules jsonb not null,
  ledger jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor()
);
create table public.entry_batches (
  tenant_id text not null default private.tenant_id(),
  id text not null default private.new_id('bat'::text),
  pair_no integer not null,
  reconciliation_id text not null,
  statement_number integer not null,
  posting_date date not null,
  number integer,
  year integer not null generated always as ((EXTRACT(year FROM posting_date))::integer) stored,
  entry_count integer not null,
  reversal_count integer not null,
  sums jsonb not null,
  digest text not null,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  exported_at timestamp(3) with time zone,
  exported_by text,
  ledger_reference text
);
create table public.entries (
  tenant_id text not null default private.tenant_id(),
  batch_id text not null,
  place integer not null,
  pair_no integer not null,
  reconciliation_id text not null,
  kind text not null,
  subject_id text not null,
  subject_place integer not null,
  currency text not null,
  amount_minor bigint not null,
  difference_minor bigint not null,
  debit_account text not null,
  credit_account text not null,
  tax_code text,
  cost_center text,
  text text not null,
  value_date date not null,
  reference text,
  counterparty text,
  reverses_batch text,
  reverses_place integer
);
create table private.entry_batch_numbers (
  tenant_id text not null,
  year integer not null,
  last_number integer not null
);
alter table private.entry_batch_numbers add constraint entry_batch_numbers_pkey PRIMARY KEY (tenant_id, year);
alter table public.entries add constraint entries_pkey PRIMARY KEY (tenant_id, batch_id, place);
alter table public.entry_batches add constraint entry_batches_pkey PRIMARY KEY (tenant_id, id);
alter table public.entry_rules add constraint entry_rules_pkey PRIMARY KEY (tenant_id, pair_no, version);
alter table public.entry_batches add constraint entry_batches_tenant_id_reconciliation_id_statement_number_key UNIQUE (tenant_id, reconciliation_id, statement_number);
alter table public.entry_batches add constraint entry_batches_tenant_id_year_number_key UNIQUE (tenant_id, year, number);
alter table private.entry_batch_numbers add constraint entry_batch_numbers_last_number_check CHECK ((last_number >= 1));
alter table public.entries add constraint entries_amount_minor_check CHECK (((amount_minor >= 1) AND (amount_minor <= '9007199254740991'::bigint)));
alter table public.entries add constraint entries_check CHECK ((abs(difference_minor) = amount_minor));
alter table public.entries add constraint entries_check1 CHECK ((num_nonnulls(reverses_batch, reverses_place) = ANY (ARRAY[0, 2])));
alter table public.entries add constraint entries_place_check CHECK ((place >= 1));
alter table public.entry_batches add constraint entry_batches_check CHECK ((num_nonnulls(exported_at, exported_by) = ANY (ARRAY[0, 2])));
alter table public.entry_batches add constraint entry_batches_check1 CHECK (((exported_at IS NOT NULL) OR (ledger_reference IS NULL)));
alter table public.entry_batches add constraint entry_batches_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text));
alter table public.entry_batches add constraint entry_batches_entry_count_check CHECK ((entry_count >= 1));
alter table public.entry_batches add constraint entry_batches_ledger_reference_check CHECK (((length(ledger_reference) >= 1) AND (length(ledger_reference) <= 200)));
alter table public.entry_batches add constraint entry_batches_number_check CHECK ((number >= 1));
alter table public.entry_batches add constraint entry_batches_reversal_count_check CHECK ((reversal_count >= 0));
alter table public.entry_batches add constraint entry_batches_statement_number_check CHECK ((statement_number >= 1));
alter table public.entry_batches add constraint entry_batches_sums_check CHECK ((jsonb_typeof(sums) = 'array'::text));
alter table public.entry_rules add constraint entry_rules_ledger_check CHECK ((jsonb_typeof(ledger) = 'object'::text));
alter table public.entry_rules add constraint entry_rules_rules_check CHECK ((jsonb_typeof(rules) = 'object'::text));
alter table public.entry_rules add constraint entry_rules_version_check CHECK ((version >= 1));
CREATE INDEX entries_by_pair ON public.entries USING btree (tenant_id, pair_no, reconciliation_id) WHERE (reverses_batch IS NULL);
CREATE UNIQUE INDEX entries_reversing ON public.entries USING btree (tenant_id, reverses_batch, reverses_place) WHERE (reverses_batch IS NOT NULL);
alter table private.entry_batch_numbers add constraint entry_batch_numbers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.entry_batches add constraint entry_batches_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table public.entry_rules add constraint entry_rules_tenant_id_pair_no_fkey FOREIGN KEY (tenant_id, pair_no) REFERENCES public.pairs(tenant_id, pair_no);
alter table private.entry_batch_numbers enable row level security; alter table private.entry_batch_numbers no force row level security;
alter table public.entries enable row level security; alter table public.entries no force row level security;
alter table public.entry_batches enable row level security; alter table public.entry_batches no force row level security;
alter table public.entry_rules enable row level security; alter table public.entry_rules no force row level security;
CREATE OR REPLACE FUNCTION private.currency_decimals(currency text)
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when currency = any ('{BHD,IQD,JOD,KWD,LYD,OMR,TND}'::text[])
      then 3
    when currency = any ('{BIF,CLP,DJF,GNF,ISK,JPY,KMF,KRW,PYG,RWF,UGX,UYI,VND,VUV,XAF,XOF,XPF}'::text[])
      then 0
    when currency = any ('{CLF,UYW}'::text[])
      then 4
    else 2 end;
end $function$;
CREATE OR REPLACE FUNCTION private.write_closing(r public.reconciliations, closed_by text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  statement jsonb;
  unexplained jsonb;
begin
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor,
    currency, value_date)
  select o.tenant_id, r.id, o.line_no, o.side, o.open_minor, o.currency, o.value_date
  from private.open_in_period(r) o
  order by o.line_no;
  r.closed_at := now();
  r.closed_by := write_closing.closed_by;
  statement := private.statement_json(r)
    || jsonb_build_object('evidence', private.list_evidence_on_statement(r))
    || private.write_entries(r);
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse_conflict('proof_broken',
      'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  select d into unexplained
  from jsonb_array_elements(statement -> 'differences') d
  where d -> 'difference_minor' <> '0'
  limit 1;
  if found then
    perform private.refuse_conflict('difference_unexplained',
      format(
        'The statement leaves a difference of %s in minor units of %s, which nothing explains. '
      'Reopen and look at earlier periods of these sources, or tell us before you close.',
      unexplained ->> 'difference_minor', unexplained ->> 'currency'));
  end if;
  insert into public.closings (tenant_id, reconciliation_id, statement, closed_at, closed_by)
  values (r.tenant_id, r.id, statement, r.closed_at, r.closed_by);
  update public.closings c set digest = private.closing_digest(r.tenant_id, r.id)
  where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_closing(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  delete from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  perform private.withdraw_evidence_of_closing(r);
  perform private.withdraw_entries(r);
end $function$;
CREATE OR REPLACE FUNCTION private.complete_closing(before public.reconciliations)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.closings;
  r public.reconciliations;
begin
  select * into strict c
  from public.closings x
  where x.tenant_id = before.tenant_id and x.reconciliation_id = before.id;
  delete
  from private.closing_requests q
  where q.tenant_id = before.tenant_id and q.reconciliation_id = before.id;
  perform private.carry_forward(before);
  perform private.sign_statement(c);
  if before.status = 'open' then
    update public.reconciliations x
    set status = 'in_progress'
    where x.tenant_id = before.tenant_id and x.id = before.id;
  end if;
  update public.reconciliations x
  set status = 'completed', closed_at = c.closed_at, closed_by = c.closed_by
  where x.tenant_id = before.tenant_id and x.id = before.id
  returning * into r;
  perform private.complete_last_run(r);
  perform private.record_security_event('reconciliation.closed', r.id, null,
    jsonb_build_object('name', r.name, 'digest', c.digest,
      'open_lines', c.statement -> 'outstanding_count', 'open_money', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', b -> 'currency', 'side',
          b -> 'side', 'open_minor', b -> 'outstanding_minor')), '[]')
        from jsonb_array_elements(c.statement -> 'balances') b
        where b -> 'outstanding_minor' <> '0'
      )) || private.complete_entry_batch(r));
  perform private.queue_book_recount(r.tenant_id, r.pair_no);
  perform private.emit(r.tenant_id, 'reconciliation.closed',
    jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.entry_rules_of(tenant text, pair integer)
 RETURNS public.entry_rules
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  e public.entry_rules;
begin
  select * into e from public.entry_rules x
  where x.tenant_id = tenant and x.pair_no = pair
  order by x.version desc limit 1;
  if not found then
    e.tenant_id := tenant;
    e.pair_no := pair;
    e.version := 0;
    e.rules := '{}';
    e.ledger := '{}';
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.entry_rules_json(e public.entry_rules)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('rules', e.rules, 'ledger', e.ledger, 'version', e.version,
    'updated_at', private.iso(e.created_at), 'updated_by', e.created_by);
end $function$;
CREATE OR REPLACE FUNCTION public.get_entry_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_entry_rules');
  r := private.find_period(input ->> 'id');
  return private.entry_rules_json(private.entry_rules_of(r.tenant_id, r.pair_no));
end $function$;
CREATE OR REPLACE FUNCTION public.put_entry_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  before public.entry_rules;
  ledger jsonb;
  e public.entry_rules;
begin
  perform private.begin_request(request, 'put_entry_rules');
  r := private.find_period(input ->> 'id');
  perform private.lock_pair(r.tenant_id, r.pair_no);
  before := private.entry_rules_of(r.tenant_id, r.pair_no);
  perform private.require_version(before.version, request -> 'versions');
  ledger := coalesce(input -> 'ledger', before.ledger);
  if before.version > 0 and (before.rules, before.ledger) = (input -> 'rules', ledger) then
    return private.entry_rules_json(before);
  end if;
  insert into public.entry_rules (tenant_id, pair_no, version, rules, ledger)
  values (r.tenant_id, r.pair_no, before.version + 1, input -> 'rules', ledger)
  returning * into e;
  perform private.record_security_event('entries.rules_updated', r.id, null, jsonb_build_object(
    'from', private.entry_rules_json(before), 'to', private.entry_rules_json(e)));
  return private.entry_rules_json(e);
end $function$;
CREATE OR REPLACE FUNCTION private.decimal_text(minor bigint, currency text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  decimals constant integer := private.currency_decimals(currency);
  digits constant text := lpad(abs(minor)::text, greatest(length(abs(minor)::text), decimals + 1),
    '0');
begin
  return case when minor < 0 then '-' else '' end
    || case when decimals = 0 then digits
      else left(digits, -decimals) || '.' || right(digits, decimals) end;
end $function$;
CREATE OR REPLACE FUNCTION private.entry_text(template text, fields jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select left(btrim(regexp_replace(string_agg(
      case when p.part[1] like '{%' then coalesce(fields ->> btrim(p.part[1], '{}'), '')
        else p.part[1] end, '' order by p.place), '\s+', ' ', 'g')), 500)
    from regexp_matches(template, '\{[a-z]+\}|[^{]+', 'g') with ordinality as p (part, place)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.entry_items(r public.reconciliations, kinds text[])
 RETURNS TABLE(kind text, match_id uuid, place integer, currency text, difference_minor bigint, line_no bigint, note text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select a.kind, m.id, a.place, m.currency, a.minor, (
      select mm.line_no from public.match_members mm
      where mm.tenant_id = m.tenant_id and mm.match_id = m.id
      order by abs(mm.allocated_minor) desc, mm.line_no limit 1
    ), coalesce(a.note, m.note)
  from public.matches m
  cross join lateral (
    select j.value ->> 'kind' as kind, j.place::integer as place,
      (j.value ->> 'amount_minor')::bigint as minor, j.value ->> 'note' as note
    from jsonb_array_elements(m.adjustments) with ordinality as j (value, place)
    union all
    select 'residual', 0, m.residual_minor, null
  ) a
  where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
    and (m.adjustments <> '[]' or m.residual_minor <> 0)
    and a.minor <> 0 and a.kind = any (kinds)
  union all
  select 'excluded_' || x.side, null::uuid, 0, x.currency,
    case x.side when 'left' then x.excluded_minor else -x.excluded_minor end, x.line_no, x.reason
  from public.exclusions x
  where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
    and 'excluded_' || x.side = any (kinds);
  if kinds && '{carried_left,carried_right}'::text[] then
    return query
    select 'carried_' || o.side, null::uuid, 0, o.currency,
      case o.side when 'left' then o.open_minor else -o.open_minor end, o.line_no, null
    from private.outstanding_of(r) o
    where 'carried_' || o.side = any (kinds) and o.open_minor <> 0;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.kinds_with_rule(rules jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return array(select k.key from jsonb_each(rules) k where k.value <> 'null' order by k.key);
end $function$;
CREATE OR REPLACE FUNCTION private.entry_drafts(r public.reconciliations, rules jsonb)
 RETURNS TABLE(kind text, subject_id text, subject_place integer, currency text, difference_minor bigint, amount_minor bigint, debit_account text, credit_account text, tax_code text, cost_center text, body text, value_date date, reference text, counterparty text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select i.kind, coalesce(private.match_id_text(i.match_id), private.line_id_text(l.id)), i.place,
    i.currency, i.difference_minor, abs(i.difference_minor),
    u.rule ->> case when i.difference_minor < 0 then 'account' else 'counter_account' end,
    u.rule ->> case when i.difference_minor < 0 then 'counter_account' else 'account' end,
    u.rule ->> 'tax_code', u.rule ->> 'cost_center',
    private.entry_text(u.rule ->> 'text', jsonb_build_object(
      'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
      'note', i.note, 'date', l.value_date, 'currency', i.currency,
      'amount', private.decimal_text(abs(i.difference_minor), i.currency),
      'kind', replace(i.kind, '_', ' '), 'reconciliation', r.name,
      'period', to_char(r.period_end, 'YYYY-MM'))),
    l.value_date, l.reference, l.counterparty
  from private.entry_items(r, private.kinds_with_rule(rules)) i
  cross join lateral (select rules -> i.kind) u (rule)
  cross join lateral (
    select x.id, x.reference, x.counterparty, x.description, x.value_date from public.lines x
    where x.tenant_id = r.tenant_id and x.line_no = i.line_no offset 0
  ) l;
end $function$;
CREATE OR REPLACE FUNCTION private.entries_preview_json(r public.reconciliations, rules jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  ruled constant text[] := private.kinds_with_rule(rules);
begin
  return (
    with drafts as materialized (select * from private.entry_drafts(r, rules))
    select jsonb_build_object('sums', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'entry_count', s.n,
          'debit_minor', private.exact_sum(s.minor), 'credit_minor', private.exact_sum(s.minor))
          order by s.currency), '[]')
        from (select d.currency, count(*) as n, sum(d.amount_minor) as minor
          from drafts d group by d.currency) s
      ), 'entries', (
        select coalesce(jsonb_agg(to_jsonb(d) - 'body' || jsonb_build_object('text', d.body)
          order by d.kind, d.subject_id, d.subject_place), '[]')
        from (select * from drafts x order by x.kind, x.subject_id, x.subject_place limit 100) d
      ), 'without_rule', (
        select coalesce(jsonb_agg(jsonb_build_object('kind', u.kind, 'currency', u.currency,
          'count', u.n, 'difference_minor', private.exact_sum(u.minor))
          order by u.kind, u.currency), '[]')
        from (
          select i.kind, i.currency, count(*) as n, sum(i.difference_minor) as minor
          from private.entry_items(r, array(
            select k from unnest('{fee,fx,rounding,write_off,other,residual,excluded_left,
              excluded_right,carried_left,carried_right}'::text[]) k where k <> all (ruled))) i
          group by i.kind, i.currency
        ) u
      ))
  );
end $function$;
CREATE OR REPLACE FUNCTION public.preview_entries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'preview_entries');
  r public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  r := private.find_period(input ->> 'id');
  return private.finish_request(request, private.entries_preview_json(r, coalesce(
    nullif(input -> 'rules', 'null'), (private.entry_rules_of(r.tenant_id, r.pair_no)).rules)));
end $function$;
CREATE OR REPLACE FUNCTION private.entry_row(e public.entries)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return row(e.place, e.kind, e.subject_id, e.subject_place, e.currency, e.amount_minor,
    e.debit_account, e.credit_account, e.tax_code, e.cost_center, e.text, e.value_date::text,
    e.reverses_batch, e.reverses_place)::text;
end $function$;
CREATE OR REPLACE FUNCTION private.standing_entries(r public.reconciliations)
 RETURNS SETOF public.entries
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select e.* from public.entries e
  where e.tenant_id = r.tenant_id and e.pair_no = r.pair_no and e.reverses_batch is null
    and (e.reconciliation_id = r.id or e.kind in ('carried_left', 'carried_right'))
    and not exists (
      select from public.entries x
      where x.tenant_id = e.tenant_id and x.reverses_batch = e.batch_id
        and x.reverses_place = e.place
    );
end $function$;
CREATE OR REPLACE FUNCTION private.insert_entries(r public.reconciliations, batch text, rules jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  written integer;
begin
  insert into public.entries (tenant_id, batch_id, place, pair_no, reconciliation_id, kind,
    subject_id, subject_place, currency, amount_minor, difference_minor, debit_account,
    credit_account, tax_code, cost_center, text, value_date, reference, counterparty,
    reverses_batch, reverses_place)
  with drafts as materialized (
    select * from private.entry_drafts(r, rules)
  ), standing as materialized (
    select * from private.standing_entries(r)
  ), kept as materialized (
    select kind, subject_id, subject_place
    from standing s join drafts d using (kind, subject_id, subject_place)
    where (s.difference_minor, s.currency, s.debit_account, s.credit_account)
        = (d.difference_minor, d.currency, d.debit_account, d.credit_account)
      and (s.tax_code, s.cost_center) is not distinct from (d.tax_code, d.cost_center)
  ), posted as (
    select 0 as phase, s.kind, s.subject_id, s.subject_place, s.currency, s.amount_minor,
      -s.difference_minor as difference_minor, s.credit_account as debit, s.debit_account as credit,
      s.tax_code, s.cost_center, s.text, s.value_date, s.reference, s.counterparty,
      s.batch_id as reversed_batch, s.place as reversed_place
    from standing s left join kept k using (kind, subject_id, subject_place)
    where k.kind is null
    union all
    select 1, d.kind, d.subject_id, d.subject_place, d.currency, d.amount_minor,
      d.difference_minor, d.debit_account, d.credit_account, d.tax_code, d.cost_center, d.body,
      d.value_date, d.reference, d.counterparty, null, null
    from drafts d left join kept k using (kind, subject_id, subject_place)
    where k.kind is null
  )
  select r.tenant_id, batch,
    row_number() over (order by p.phase, p.kind, p.subject_id, p.subject_place), r.pair_no, r.id,
    p.kind, p.subject_id, p.subject_place, p.currency, p.amount_minor, p.difference_minor,
    p.debit, p.credit, p.tax_code, p.cost_center, p.text, p.value_date, p.reference,
    p.counterparty, p.reversed_batch, p.reversed_place
  from posted p;
  get diagnostics written = row_count;
  return written;
end $function$;
CREATE OR REPLACE FUNCTION private.entry_sums(tenant text, batch text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('currency', s.currency, 'entry_count', s.n,
      'debit_minor', private.exact_sum(s.minor), 'credit_minor', private.exact_sum(s.minor))
      order by s.currency)
    from (
      select e.currency, count(*) as n, sum(e.amount_minor) as minor
      from public.entries e where e.tenant_id = tenant and e.batch_id = batch
      group by e.currency
    ) s
  );
end $function$;
CREATE OR REPLACE FUNCTION private.write_entries(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  batch constant text := private.new_id('bat');
  rules constant jsonb := (private.entry_rules_of(r.tenant_id, r.pair_no)).rules;
  b public.entry_batches;
begin
  if private.kinds_with_rule(rules) = '{}' and not exists (
    select from public.entries e where e.tenant_id = r.tenant_id and e.pair_no = r.pair_no
  ) then
    return '{}';
  end if;
  if private.insert_entries(r, batch, rules) = 0 then
    return '{}';
  end if;
  insert into public.entry_batches (tenant_id, id, pair_no, reconciliation_id, statement_number,
    posting_date, entry_count, reversal_count, sums, digest, created_by)
  select r.tenant_id, batch, r.pair_no, r.id, coalesce((
      select max(s.number) from public.statements s
      where s.tenant_id = r.tenant_id and s.reconciliation_id = r.id), 0) + 1,
    r.period_end, count(*), count(e.reverses_batch), private.entry_sums(r.tenant_id, batch),
    encode(sha256(string_agg(sha256(convert_to(private.entry_row(e), 'UTF8')), ''::bytea
      order by e.place)), 'hex'), r.closed_by
  from public.entries e where e.tenant_id = r.tenant_id and e.batch_id = batch
  returning * into b;
  return jsonb_build_object('entries',
    jsonb_build_object('count', b.entry_count, 'sha256', b.digest));
end $function$;
CREATE OR REPLACE FUNCTION private.withdraw_entries(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.entries e using public.entry_batches b
  where b.tenant_id = r.tenant_id and b.reconciliation_id = r.id and b.number is null
    and e.tenant_id = b.tenant_id and e.batch_id = b.id;
  delete from public.entry_batches b
  where b.tenant_id = r.tenant_id and b.reconciliation_id = r.id and b.number is null;
end $function$;
CREATE OR REPLACE FUNCTION private.entry_batch_name(b public.entry_batches)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format('%s-%s', b.year, lpad(b.number::text, greatest(4, length(b.number::text)), '0'));
end $function$;
CREATE OR REPLACE FUNCTION private.entry_batch_json(b public.entry_batches)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('id', b.id, 'number', private.entry_batch_name(b),
      'state', case when b.exported_at is null then 'ready' else 'exported' end,
      'reconciliation_id', b.reconciliation_id, 'reconciliation_name', r.name,
      'statement_number', b.statement_number, 'posting_date', b.posting_date,
      'entry_count', b.entry_count, 'reversal_count', b.reversal_count, 'sums', b.sums,
      'digest', b.digest, 'closing_digest', s.digest, 'created_at', private.iso(b.created_at),
      'created_by', b.created_by, 'exported_at', private.iso(b.exported_at),
      'exported_by', b.exported_by, 'ledger_reference', b.ledger_reference)
    from public.reconciliations r
    left join public.statements s on s.tenant_id = b.tenant_id
      and s.reconciliation_id = b.reconciliation_id and s.number = b.statement_number
    where r.tenant_id = b.tenant_id and r.id = b.reconciliation_id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.complete_entry_batch(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  b public.entry_batches;
  numbered integer;
begin
  select * into b from public.entry_batches x
  where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.number is null;
  if not found then
    return '{}';
  end if;
  -- The row stays locked until the closing commits, so that a number is missing only if none
  -- follows it.
  insert into private.entry_batch_numbers as n (tenant_id, year, last_number)
  values (b.tenant_id, b.year, 1)
  on conflict (tenant_id, year) do update set last_number = n.last_number + 1
  returning n.last_number into numbered;
  update public.entry_batches x set number = numbered
  where x.tenant_id = b.tenant_id and x.id = b.id
  returning * into b;
  perform private.emit(b.tenant_id, 'entries.ready',
    jsonb_build_object('batch', private.entry_batch_json(b)));
  return jsonb_build_object('batch_number', private.entry_batch_name(b));
end $function$;
CREATE OR REPLACE FUNCTION private.find_entry_batch(id text)
 RETURNS public.entry_batches
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  b public.entry_batches;
begin
  select * into b from public.entry_batches x
  where x.tenant_id = private.tenant_id() and x.id = $1 and x.number is not null;
  if not found then
    perform private.refuse_missing('entry batch');
  end if;
  return b;
end $function$;
CREATE OR REPLACE FUNCTION public.get_entry_batch(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_entry_batch');
  return private.entry_batch_json(private.find_entry_batch(input ->> 'id'));
end $function$;
CREATE OR REPLACE FUNCTION public.list_entry_batches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_entry_batches');
  select jsonb_agg(private.entry_batch_json(b) order by b.id desc) into items
  from (
    select * from public.entry_batches x
    where x.tenant_id = private.tenant_id() and x.number is not null
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'state' is null or (input ->> 'state' = 'ready') = (x.exported_at is null))
      and (input ->> 'year' is null or x.year = (input ->> 'year')::integer)
      and (input ->> 'reconciliation_id' is null
        or x.reconciliation_id = input ->> 'reconciliation_id')
    order by x.id desc limit page_size + 1
  ) b;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.entry_json(e public.entries)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('place', e.place, 'kind', e.kind, 'subject_id', e.subject_id,
    'currency', e.currency, 'amount_minor', e.amount_minor,
    'difference_minor', e.difference_minor, 'debit_account', e.debit_account,
    'credit_account', e.credit_account, 'tax_code', e.tax_code, 'cost_center', e.cost_center,
    'text', e.text, 'value_date', e.value_date, 'reference', e.reference,
    'counterparty', e.counterparty, 'reverses', (
      select private.entry_batch_name(b) || '/' || e.reverses_place from public.entry_batches b
      where b.tenant_id = e.tenant_id and b.id = e.reverses_batch
    ));
end $function$;
CREATE OR REPLACE FUNCTION public.list_entries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  b public.entry_batches;
  items jsonb;
begin
  perform private.begin_request(request, 'list_entries');
  b := private.find_entry_batch(input ->> 'id');
  select jsonb_agg(private.entry_json(e) order by e.place) into items
  from (
    select * from public.entries x
    where x.tenant_id = b.tenant_id and x.batch_id = b.id
      and x.place > coalesce((input -> 'after' ->> 0)::integer, 0)
      and (input ->> 'currency' is null or x.currency = input ->> 'currency')
    order by x.place limit page_size + 1
  ) e;
  return private.page(items, page_size, 'place');
end $function$;
CREATE OR REPLACE FUNCTION public.open_ledger_file(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  b public.entry_batches;
begin
  perform private.begin_request(request, 'open_ledger_file');
  b := private.find_entry_batch(input ->> 'id');
  return jsonb_build_object('batch', private.entry_batch_json(b),
    'ledger', (private.entry_rules_of(b.tenant_id, b.pair_no)).ledger);
end $function$;
CREATE OR REPLACE FUNCTION private.caller_or_holder_worked_in(r public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  lineage constant text := substr(auth.jwt() ->> 'principal_id', length('api_key:') + 1);
begin
  return private.worked_in_period(r) or private.principal_type() = 'api_key' and exists (
    select from public.api_keys k
    join private.period_workers w on w.tenant_id = k.tenant_id and w.reconciliation_id = r.id
    where k.tenant_id = r.tenant_id and k.lineage_id = lineage
      and ((w.issuer, w.subject) = (k.creator_issuer, k.creator_subject)
        or k.creator_subject is null)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.mark_entry_batch_exported(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'mark_entry_batch_exported');
  r public.reconciliations;
  b public.entry_batches;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform from public.entry_batches x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for update;
  b := private.find_entry_batch(input ->> 'id');
  select * into strict r from public.reconciliations x
  where x.tenant_id = private.tenant_id() and x.id = b.reconciliation_id;
  if b.exported_at is not null then
    perform private.refuse_conflict('already_exported', format(
      'Batch %s was marked as exported by %s. Do not post it again.',
      private.entry_batch_name(b), b.exported_by));
  elsif private.requires_second_person(r) and private.caller_or_holder_worked_in(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. '
      'Ask somebody who did not to export its entries.');
  end if;
  update public.entry_batches x set exported_at = now(), exported_by = private.actor(),
    ledger_reference = input ->> 'ledger_reference'
  where x.tenant_id = private.tenant_id() and x.id = b.id
  returning * into b;
  perform private.record_security_event('entries.exported', b.id, null, jsonb_build_object(
    'name', private.entry_batch_name(b), 'reconciliation_id', r.id, 'digest', b.digest,
    'entry_count', b.entry_count, 'sums', b.sums, 'ledger_reference', b.ledger_reference));
  return private.finish_request(request, private.entry_batch_json(b));
end $function$;
CREATE OR REPLACE FUNCTION private.entry_rows(s public.statements, after integer, page_size integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('next', max(e.place)::text,
      'rows', coalesce(jsonb_agg(private.entry_row(e) order by e.place), '[]'))
    from (
      select x.* from public.entry_batches b
      join public.entries x on x.tenant_id = b.tenant_id and x.batch_id = b.id
      where b.tenant_id = s.tenant_id and b.reconciliation_id = s.reconciliation_id
        and b.statement_number = s.number and x.place > after
      order by x.place limit page_size
    ) e
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_statement_bundle(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  numbered constant integer := (input ->> 'number')::integer;
  place integer;
  s public.statements;
  contents jsonb;
  next_key text;
begin
  perform private.begin_request(request || '{"continues": true}', 'list_statement_bundle');
  select * into s from public.statements x
  where x.tenant_id = tenant and x.reconciliation_id = input ->> 'id' and x.number = numbered;
  if not found then
    perform private.refuse_missing('statement');
  elsif input ->> 'kind' = 'evidence' then
    return jsonb_build_object('next', null, 'rows', (
      select coalesce(jsonb_agg(e.content order by e.evidence_id), '[]')
      from public.statement_evidence e
      where e.tenant_id = tenant and e.reconciliation_id = s.reconciliation_id
        and e.number = numbered
    ));
  elsif input ->> 'kind' = 'entries' then
    return private.entry_rows(s, coalesce((input ->> 'after')::integer, 0),
      (input ->> 'limit')::integer);
  elsif s.reopened_at is not null then
    place := coalesce((input ->> 'after')::integer + 1, 0);
    contents := to_jsonb(
      private.reopened_rows(s.reconciliation_id, numbered, input ->> 'kind', place));
    return jsonb_build_object('rows', coalesce(contents, '[]'),
      'next', case when contents is not null then place::text end);
  end if;
  select jsonb_agg(x.content order by x.n), (array_agg(x.key order by x.n desc))[1]
  into contents, next_key
  from (
    select y.*, row_number() over () as n
    from private.signed_rows(tenant, s.reconciliation_id, input ->> 'kind', input ->> 'after',
      (input ->> 'limit')::integer) y
  ) x;
  return jsonb_build_object('rows', coalesce(contents, '[]'), 'next', next_key);
end $function$;
create policy entries_read on public.entries as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy entry_batches_read on public.entry_batches as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (number IS NOT NULL) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy entry_rules_read on public.entry_rules as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
grant execute on function private.currency_decimals(text) to authenticated;
grant execute on function private.decimal_text(bigint,text) to authenticated;
grant execute on function private.entries_preview_json(public.reconciliations,jsonb) to authenticated;
grant execute on function private.entry_batch_json(public.entry_batches) to authenticated;
grant execute on function private.entry_batch_name(public.entry_batches) to authenticated;
grant execute on function private.entry_drafts(public.reconciliations,jsonb) to authenticated;
grant execute on function private.entry_items(public.reconciliations,text[]) to authenticated;
grant execute on function private.entry_json(public.entries) to authenticated;
grant execute on function private.entry_row(public.entries) to authenticated;
grant execute on function private.entry_rows(public.statements,integer,integer) to authenticated;
grant execute on function private.entry_rules_json(public.entry_rules) to authenticated;
grant execute on function private.entry_rules_of(text,integer) to authenticated;
grant execute on function private.entry_text(text,jsonb) to authenticated;
grant execute on function private.find_entry_batch(text) to authenticated;
grant execute on function private.kinds_with_rule(jsonb) to authenticated;
grant execute on function public.get_entry_batch(jsonb,jsonb) to authenticated;
grant execute on function public.get_entry_rules(jsonb,jsonb) to authenticated;
grant execute on function public.list_entries(jsonb,jsonb) to authenticated;
grant execute on function public.list_entry_batches(jsonb,jsonb) to authenticated;
grant execute on function public.mark_entry_batch_exported(jsonb,jsonb) to authenticated;
grant execute on function public.open_ledger_file(jsonb,jsonb) to authenticated;
grant execute on function public.preview_entries(jsonb,jsonb) to authenticated;
grant execute on function public.put_entry_rules(jsonb,jsonb) to authenticated;
grant select on public.entries to authenticated;
grant select on public.entries to service_role;
grant select on public.entry_batches to authenticated;
grant select on public.entry_batches to service_role;
grant select on public.entry_rules to authenticated;
grant select on public.entry_rules to service_role;
insert into private.operations select ('(get_entry_batch,exportEntries,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_entry_batch,getEntryBatch,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_entry_rules,getEntryRules,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_entries,exportEntries,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_entries,getLedgerFile,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_entries,listEntries,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_entry_batches,listEntryBatches,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(mark_entry_batch_exported,markEntryBatchExported,write:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(open_ledger_file,getLedgerFile,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(preview_entries,previewEntries,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(put_entry_rules,putEntryRules,write:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.event_kinds select ('(entries.ready,read:reconciliations)'::private.event_kinds).* on conflict (kind) do update set permission = excluded.permission;
