-- Open lines: the open amount of each line in each pair of its source. A row exists only while some
-- of the line is open, so that a run reads only what is open.

-- Amounts are effective: negated if the source's sign is inverted. Only our functions write here,
-- after finding the pair and the line: foreign keys would be checked again for each of millions.
create table private.open_lines (
  tenant_id text not null,
  pair_no integer not null,
  line_no bigint not null,
  side text not null check (side in ('left', 'right')),
  currency text not null,
  amount_minor bigint not null,
  -- Has the sign of amount_minor, and is never larger.
  open_minor bigint not null check (
    open_minor between least(amount_minor, 0) and greatest(amount_minor, 0)),
  value_date date not null,
  primary key (tenant_id, pair_no, line_no)
) with (fillfactor = 95, autovacuum_vacuum_scale_factor = 0.05);
-- The two sort orders of the workbench.
create index open_lines_by_date
  on private.open_lines (tenant_id, pair_no, side, value_date, line_no);
create index open_lines_by_amount
  on private.open_lines (tenant_id, pair_no, side, (-abs(open_minor)), line_no);
-- Few of many open lines are partly matched.
create index open_lines_partly_matched
  on private.open_lines (tenant_id, pair_no, side, value_date, line_no)
where open_minor <> amount_minor;
alter table private.open_lines enable row level security;
grant select on private.open_lines to authenticated;
create policy open_lines_read on private.open_lines for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));
