/**
 * Differences between what is shown of a tenant's pairs and what their lines and decisions add up
 * to: no row if all is well. $1: the tenant.
 */
export const BOOK_DIFFERENCES = `select d.* from pairs p
  cross join lateral private.books_differences(p.tenant_id, p.pair_no) d
  where p.tenant_id = $1 order by d.what, d.subject`;
