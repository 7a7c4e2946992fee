import { SURFACES } from "../records/surfaces/every-surface.ts";
import { READ_ONLY_RESOURCES, SCOPED_RESOURCES, type Scope } from "./access.ts";

/** The scope catalogue. A write scope does not imply the read scope. */
export const SCOPES: readonly Scope[] = [
  ...[...SCOPED_RESOURCES, ...SURFACES.map(({ path }) => path)].flatMap((resource): Scope[] => [
    `read:${resource}`,
    `write:${resource}`,
  ]),
  ...READ_ONLY_RESOURCES.map((resource): Scope => `read:${resource}`),
];
