import {
  RECORD_CONTRACTS,
  type RecordContracts,
  type StoredRecord,
} from "#lib/records/contract.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";
import type { Surface } from "#lib/records/surfaces/surface.ts";

export type KnownSurface = { surface: Surface; contracts: RecordContracts };

export function findSurface(path: string): KnownSurface | null {
  const surface = SURFACES.find((known) => known.path === path);
  const contracts = RECORD_CONTRACTS.get(path);
  return surface && contracts ? { surface, contracts } : null;
}

/** @throws Error for an undeclared surface; pages return 404 before. */
export function surfaceOf(path: string): KnownSurface {
  const known = findSurface(path);
  if (!known) throw new Error(`There is no surface ${path}.`);
  return known;
}

/** A record's title: its heading field, or the operation it was posted for. */
export function nameOf({ columns: [heading] }: Surface, record: StoredRecord): string {
  const name = [record[heading], record.operation].find(
    (value) => typeof value === "string" && value.trim() !== "",
  );
  return typeof name === "string" ? name : `Untitled ${record.id.slice(-6)}`;
}

const SERVER_FIELDS = [
  "id",
  "created_at",
  "created_by",
  "updated_at",
  "soft_delete",
  "deleted_at",
  "purge_at",
];
/** Fixed at creation. */
const FIXED_FIELDS = ["tenantId", "idempotencyKey"];

/** The editable part of a record. */
export function editable(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(
      ([name]) => !SERVER_FIELDS.includes(name) && !FIXED_FIELDS.includes(name),
    ),
  );
}
