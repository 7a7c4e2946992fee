import { cache } from "react";
import { withForms } from "#components/docs/code/forms-of-fence.ts";
import { GUIDE_GROUPS } from "#lib/guides/guides.ts";
import { type Guide, readGuide } from "#lib/guides/read-guide.ts";
import { EXAMPLE_ORIGIN } from "#lib/wire/product.ts";
import { origin } from "./origin.ts";
import { reference } from "./reference.ts";

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

/** By the text without them: parsing the examples of the longest guide takes several ms. */
const textsWithForms = new Map<string, string>();

/** The guide's text with its examples in every form. */
export function textWithForms({ text }: Guide): string {
  const known = textsWithForms.get(text);
  if (known !== undefined) return known;
  const operations = reference().resources.flatMap((resource) => resource.operations);
  const written = withForms(text, operations);
  textsWithForms.set(text, written);
  return written;
}
