-- Open lines: what is open of each line in each pair its source stands in. A row exists only while
-- something is, so that a run reads what is open and not all there ever was.

-- Amounts are effective: negated where the source's sign is inverted. Written by our functions
-- alone, which have found the pair and the line: foreign keys would check each of millions again.
create table private.open_lines (
  tenant_id text not null,
  pair_no integer not null,
  line_no bigint not null,
  side text not null check (side in ('left', 'right')),
  currency text not null,
  amount_minor bigint not null,
  -- Of the sign of amount_minor, and not beyond it.
  open_minor bigint not null check (
    open_minor between least(amount_minor, 0) and greatest(amount_minor, 0)),
  value_date date not null,
  primary key (tenant_id, pair_no, line_no)
) with (fillfactor = 95, autovacuum_vacuum_scale_factor = 0.05);
-- The two orders of a workbench.
create index open_lines_by_date
  on private.open_lines (tenant_id, pair_no, side, value_date, line_no);
create index open_lines_by_amount
  on private.open_lines (tenant_id, pair_no, side, (-abs(open_minor)), line_no);
alter table private.open_lines enable row level security;
grant select on private.open_lines to authenticated;
create policy open_lines_read on private.open_lines for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));
