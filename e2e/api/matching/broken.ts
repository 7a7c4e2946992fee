/** What of "what must always hold" (docs/decisions/0013) a tenant's tables break, read from the tables themselves: no row where all of it holds. $1: the tenant. */
export const BROKEN = `select 'a match does not add up' as what, m.id::text as of from matches m join match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
 where m.tenant_id = $1 and m.state in ('confirmed', 'suggested')
 group by m.id, m.residual_minor, m.adjustments
 having sum(case mm.side when 'left' then mm.allocated_minor else -mm.allocated_minor end)
   <> m.residual_minor + coalesce((select sum((a ->> 'amount_minor')::bigint) from jsonb_array_elements(m.adjustments) a), 0)
 union all
 select 'a line is not given once', l.external_id from lines l
 join pairs p on p.tenant_id = l.tenant_id and l.source_no in (p.left_source_no, p.right_source_no)
 cross join lateral (
   select coalesce(sum(mm.allocated_minor), 0) as minor from match_members mm join matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
   where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and mm.pair_no = p.pair_no and m.state = 'confirmed'
 ) matched
 left join private.open_lines o on o.tenant_id = l.tenant_id and o.pair_no = p.pair_no and o.line_no = l.line_no
 left join exclusions x on x.tenant_id = l.tenant_id and x.pair_no = p.pair_no and x.line_no = l.line_no
 where l.tenant_id = $1
   and (l.amount_minor <> matched.minor + coalesce(o.open_minor, 0) + coalesce(x.excluded_minor, 0)
     or abs(matched.minor) > abs(l.amount_minor) or matched.minor * sign(l.amount_minor) < 0)
 union all
 select 'a suggestion shares a line with a match, or with another', mm.line_no::text
 from match_members mm join matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
 left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no and o.line_no = mm.line_no
 where m.tenant_id = $1 and m.state = 'suggested'
 group by mm.line_no having count(*) > 1 or bool_or(o.line_no is null)
 union all
 select 'a line has several open exceptions', e.line_no::text from exceptions e
 where e.tenant_id = $1 and e.line_no is not null and e.status in ('open', 'in_review') group by e.line_no having count(*) > 1
 union all
 select 'an open exception of lines that are settled', e.id from exceptions e
 where e.tenant_id = $1 and e.line_no is not null and e.status in ('open', 'in_review')
   and not exists (
     select from private.exception_lines x join private.open_lines o on o.tenant_id = x.tenant_id and o.pair_no = x.pair_no and o.line_no = x.line_no
     where x.tenant_id = e.tenant_id and x.exception_id = e.id)
 union all
 select 'the count of matched lines is wrong', c.lines::text from private.matched_counts c
 where c.tenant_id = $1 and c.lines <> (
   select count(*) from matches m join match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
   where m.tenant_id = c.tenant_id and m.reconciliation_id = c.reconciliation_id and m.state = 'confirmed')`;
