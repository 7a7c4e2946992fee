import type { Task } from "graphile-worker";
import { callForValue } from "../runs/call.ts";

/**
 * Copies what the statements of large periods were made of, page by page, so that a period can be
 * reopened within a call. A closed period doesn't change, so each page is committed separately.
 */
export const copySignedItems: Task = async (_payload, { query, abortSignal }) => {
  const client = { query: (text: string, values: unknown[]) => query(text, values) };
  while (!abortSignal?.aborted)
    if (!(await callForValue<boolean>(client, "copy_next_signed_pages", {}))) return;
};
