import { useState } from "react";

/** Counts how often something was opened: as a key, it begins each visit anew. */
export function useVisit(open: boolean): number {
  const [known, setKnown] = useState({ open, visit: 0 });
  if (known.open !== open) setKnown({ open, visit: known.visit + Number(open) });
  return known.visit;
}
