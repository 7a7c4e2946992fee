-- A run leaves an exception alone that somebody settled or decided while it looked.

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.regroup_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  x record;
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for x in
    select * from jsonb_to_recordset(rows) as s (exception_id text, merged text[], match_id uuid, line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    -- Somebody may have settled or decided it since the run looked. The next run looks again.
    continue when not exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = x.line_nos[1])
      or x.match_id is not null and not exists (
        select from public.matches m where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested'
      );
    update public.exceptions e set title = case when private.has_own_title(tenant, e.id) then e.title else x.title end, severity = x.severity,
      reason_code = x.reason_code, amount_minor = x.amount_minor, currency = x.currency,
      details = e.details - 'lines' - 'side' || x.details, line_no = l.line_no, line_id = l.id,
      suggested_match_id = x.match_id, grouped_match_id = x.match_id
    from public.lines l
    where l.tenant_id = tenant and l.line_no = x.line_nos[1] and e.tenant_id = tenant and e.id = x.exception_id and e.status in ('open', 'in_review');
    continue when not found;
    -- Without a line of its own it is no line's any more, whoever reopens it.
    update public.exceptions e set status = 'resolved', line_no = null, suggested_match_id = null, grouped_match_id = null,
      resolution = format('Merged into %s: a match is suggested for the lines of both.', x.exception_id)
    where e.tenant_id = tenant and e.id = any (x.merged) and e.status in ('open', 'in_review');
    delete from private.exception_lines y where y.tenant_id = tenant and y.exception_id = any (x.merged || x.exception_id);
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, x.exception_id from unnest(x.line_nos) n (line_no)
    on conflict do nothing;
  end loop;
end $function$;
