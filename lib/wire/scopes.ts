import { SURFACES } from "../records/surfaces/every-surface.ts";
import { SCOPED_RESOURCES, type Scope } from "./access.ts";

/** The scope catalogue. A write scope does not imply the read scope. */
export const SCOPES = [...SCOPED_RESOURCES, ...SURFACES.map(({ path }) => path)].flatMap((resource): Scope[] => [
  `read:${resource}`,
  `write:${resource}`,
]);
