import { SQLSTATES } from "../db/sqlstates.ts";
import { ApiError } from "../wire/errors.ts";

/** Why the database refused a step, for example because of a quota; null for other errors. */
export function refusalOf(error: unknown): string | null {
  const { code, detail } = error as { code?: string; detail?: string };
  return code === SQLSTATES.refused ? (detail ?? "") : null;
}

/** Why a file can't be opened, as a sentence for the tenant; null for other errors. */
export function fileFaultOf(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  return error.errors?.map(({ message }) => message).join(" ") || error.message;
}
