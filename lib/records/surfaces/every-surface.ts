import { integrations } from "./integrations.ts";
import { releaseNotes } from "./release-notes.ts";
import { troubleshooting } from "./troubleshooting.ts";

/** The generic record surfaces. Adding one here adds it to the API and the dashboard. */
export const SURFACES = [integrations, troubleshooting, releaseNotes] as const;

export type SurfacePath = (typeof SURFACES)[number]["path"];
