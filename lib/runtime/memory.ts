import { totalmem } from "node:os";

/** Bytes that this process may have: its container's, or else the machine's. */
export function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
