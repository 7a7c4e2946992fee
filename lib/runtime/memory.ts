import { totalmem } from "node:os";

/** The memory limit of this process in bytes: its container's, or else the machine's memory. */
export function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
