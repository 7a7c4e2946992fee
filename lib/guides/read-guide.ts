import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { GuideSlug } from "./guides.ts";

export type Guide = { slug: GuideSlug; href: string; title: string; lead: string; text: string };

const DOCS = join(process.cwd(), "docs");
const INCLUDE = /^```(\w+) file=([\w./-]+)(.*)\n```$/gm;

/** Reads a guide: its title, its first paragraph, and the rest with its included files. */
export async function readGuide(slug: GuideSlug): Promise<Guide> {
  const source = await withIncludes(await readFile(join(DOCS, "guides", `${slug}.md`), "utf8"));
  const [, title = slug, lead = "", text = ""] =
    /^# (.+)\n\n([^\n]+(?:\n[^\n]+)*)\n\n([\s\S]*)$/.exec(source) ?? [];
  return { slug, href: `/docs/guides/${slug}`, title, lead: lead.replaceAll("\n", " "), text };
}

/**
 * Replaces ```` ```js file=webhooks/verify.mjs ```` with that file of docs/; adjacent blocks with
 * `tab=Node` become one block with tabs.
 */
async function withIncludes(text: string): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  for (const found of text.matchAll(INCLUDE)) {
    const [fence, language, path = "", rest = ""] = found;
    const included = await readFile(join(DOCS, path), "utf8");
    parts.push(
      text.slice(at, found.index),
      `\`\`\`${language} ${path.split("/").at(-1)}${rest}\n${included.trimEnd()}\n\`\`\``,
    );
    at = found.index + fence.length;
  }
  return [...parts, text.slice(at)].join("");
}
