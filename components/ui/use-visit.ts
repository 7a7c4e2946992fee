import { useState } from "react";

/** Counts how often something was opened. As a key, it resets state with each visit. */
export function useVisit(open: boolean): number {
  const [known, setKnown] = useState({ open, visit: 0 });
  if (known.open !== open) setKnown({ open, visit: known.visit + Number(open) });
  return known.visit;
}
