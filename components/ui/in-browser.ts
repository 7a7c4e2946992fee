import { useSyncExternalStore } from "react";

const never = () => () => {};
const yes = () => true;
const no = () => false;

/**
 * False during server rendering and hydration, true afterwards: for what the server can't know, or
 * writes in another version, such as names from its own ICU.
 */
export function useInBrowser(): boolean {
  return useSyncExternalStore(never, yes, no);
}
