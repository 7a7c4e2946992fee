/**
 * Differences between the stored totals of a tenant's pairs and the sums of their lines and
 * decisions. No row means that all is well. $1 is the tenant.
 */
export const BOOK_DIFFERENCES = `select d.* from pairs p
  cross join lateral private.books_differences(p.tenant_id, p.pair_no) d
  where p.tenant_id = $1 order by d.what, d.subject`;
