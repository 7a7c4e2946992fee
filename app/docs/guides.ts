import { cache } from "react";
import { GUIDE_GROUPS } from "#lib/guides/guides.ts";
import { type Guide, readGuide } from "#lib/guides/read-guide.ts";
import { EXAMPLE_ORIGIN } from "#lib/wire/product.ts";
import { origin } from "./origin.ts";

/** All guides, with examples that call this service. */
export const guideGroups = cache(async (): Promise<{ title: string; guides: Guide[] }[]> => {
  return Promise.all(
    GUIDE_GROUPS.map(async ({ title, slugs }) => ({
      title,
      guides: await Promise.all(slugs.map(readGuide)),
    })),
  );
});

export async function guides(): Promise<Guide[]> {
  const here = origin();
  return (await guideGroups())
    .flatMap((group) => group.guides)
    .map((guide) => ({ ...guide, text: guide.text.replaceAll(EXAMPLE_ORIGIN, here) }));
}
