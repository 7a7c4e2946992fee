import type { BulkGroup } from "../undo.ts";
import { changeInBulk } from "./change-in-bulk.ts";

const UNSEEN = { onProgress: () => {}, signal: new AbortController().signal };

/**
 * Undoes a change of many exceptions. `refused` counts those that were not undone, because
 * someone else has changed them since; `isUnchanged`: nobody has, as far as is known.
 * @throws the error of a call that failed
 */
export async function undoInBulk(
  tenant: string,
  groups: readonly BulkGroup[],
  isUnchanged: (id: string) => boolean,
): Promise<{ refused: number }> {
  const refused = new Set<string>();
  for (const { ids, steps } of groups) {
    let left = ids.filter(isUnchanged);
    for (const id of ids) if (!left.includes(id)) refused.add(id);
    for (const change of steps) {
      const outcome = await changeInBulk({ tenant, ids: left, change }, UNSEEN);
      if (outcome.error) throw outcome.error;
      for (const { id } of outcome.refused) refused.add(id);
      left = outcome.changed;
    }
  }
  return { refused: refused.size };
}
