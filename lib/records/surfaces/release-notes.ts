import { flag, line, markdown, moment, surface } from "./surface.ts";

export const releaseNotes = surface({
  path: "release-notes",
  title: "Release notes",
  noun: "release note",
  description: "What changed, for your users.",
  public: true,
  fields: {
    title: line("Title"),
    version: line("Version", 64),
    body: markdown("Body"),
    published: flag("Published"),
    published_at: moment("Published at"),
  },
  columns: ["title", "version", "published", "published_at"],
  example: {
    title: "Faster matching",
    version: "2.4.0",
    body: "Matching of **large** statements takes half the time.",
    published: true,
    published_at: "2026-11-20T09:30:00.000Z",
  },
});
