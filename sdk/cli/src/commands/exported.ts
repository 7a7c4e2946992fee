export type Exported = {
  /** The operation that it calls. A bundle needs several. */
  operationId?: string;
  /** The resource that the ID identifies, if one is needed. */
  idOf?: string;
};

/** What `tieout export` saves. The reference pages show these commands, so it imports nothing. */
export const EXPORTS = {
  exceptions: { operationId: "exportExceptions" },
  sla: { operationId: "exportSlaExceptions" },
  "sla-report": { operationId: "exportSlaReport" },
  "security-events": { operationId: "exportSecurityEvents" },
  matches: { operationId: "exportMatches", idOf: "reconciliation" },
  entries: { operationId: "exportEntries", idOf: "entry batch" },
  statement: { operationId: "exportStatement", idOf: "reconciliation" },
  bundle: { idOf: "reconciliation" },
} as const satisfies Record<string, Exported>;

export type ExportName = keyof typeof EXPORTS;

/** The name of the export that calls this operation. */
export function exportNamed(operationId: string): string | undefined {
  const found = Object.entries<Exported>(EXPORTS).find(
    ([, one]) => one.operationId === operationId,
  );
  return found?.[0];
}
