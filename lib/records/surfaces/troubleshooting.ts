import { flag, line, prose, surface } from "./surface.ts";

export const troubleshooting = surface({
  path: "troubleshooting",
  title: "Troubleshooting",
  noun: "troubleshooting guide",
  description: "Problems, their symptoms and how to resolve them.",
  public: true,
  fields: {
    title: line("Title"),
    symptom: prose("Symptom"),
    resolution: prose("Resolution"),
    published: flag("Published"),
  },
  columns: ["title", "symptom", "published"],
  example: {
    title: "A payout is missing",
    symptom: "The payout shows on the left side only.",
    resolution: "Wait for the bank's next statement, then match again.",
    published: true,
  },
});
