import { listQuery, resourceKey } from "#components/kit/query.ts";
import { listEvidenceContract } from "#lib/evidence/contract.ts";

/** The maximum number of files of a subject. */
const PAGE_SIZE = 50;

/** The cache key of a tenant's evidence. */
export const evidenceKey = (tenant: string) => resourceKey(tenant, "evidence");

/** The files of an exception, a match, a line or a period. */
export function evidencePages(tenant: string, subjectId: string) {
  return listQuery({
    keyPrefix: evidenceKey(tenant),
    contract: listEvidenceContract,
    call: { tenant, query: { subject_id: subjectId, limit: PAGE_SIZE } },
  });
}
