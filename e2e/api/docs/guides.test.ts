import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { GUIDE_SLUGS } from "#lib/guides/guides.ts";
import { differences, httpDifferences, normalized } from "./differences.ts";
import { type Fence, fencesOf, fileName, includedFile, isOutput, isRun } from "./fences.ts";
import { examplesOf, formsOf, savedNames } from "./forms.ts";
import { runGuide } from "./guide-run.ts";
import { installSdk } from "./install-sdk.ts";
import { typeErrors } from "./type-errors.ts";

const DOCS = fileURLToPath(new URL("../../../docs/", import.meta.url));
const textOf = (slug: string) => readFileSync(`${DOCS}guides/${slug}.md`, "utf8");

let web: WebProcess;
let receiver: Receiver;

beforeAll(async () => {
  [web, receiver] = await Promise.all([
    startWebProcess({ RATE_LIMIT_PER_MINUTE: "1200", WEBHOOK_ALLOW_HOSTS: "127.0.0.1" }),
    Receiver.start(),
  ]);
});
afterAll(() => Promise.all([web.stop(), receiver.stop()]));

it("every guide is in the navigation, and every page of the navigation is written", () => {
  const files = readdirSync(`${DOCS}guides`).map((file) => file.replace(/\.md$/, ""));
  expect(files.sort()).toEqual([...GUIDE_SLUGS].sort());
});

it("every example by the SDK is sound TypeScript", async () => {
  const results = fileURLToPath(new URL("../../../test-results", import.meta.url));
  mkdirSync(results, { recursive: true });
  const folder = mkdtempSync(join(results, "guide-types-"));
  try {
    await installSdk(folder);
    const files = GUIDE_SLUGS.flatMap((slug) => writeModules(folder, slug));
    expect(files.length).toBeGreaterThan(40);
    expect(typeErrors(folder, files)).toBe("");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A later example uses the results of earlier ones, of any type. */
function writeModules(folder: string, slug: string): string[] {
  const results = new Set<string>();
  return examplesOf(textOf(slug), "TypeScript")
    .filter(({ language }) => language === "ts")
    .map(({ line, code }) => {
      const own = savedNames(code);
      const others = [...results].filter((name) => !own.includes(name));
      for (const name of own) results.add(name);
      const file = `${slug}-${line}.mts`;
      const declared = others.map((name) => `declare const ${name}: any;`);
      writeFileSync(join(folder, file), [...declared, code].join("\n"));
      return file;
    });
}

describe.each(GUIDE_SLUGS)("%s", (slug) => {
  it("shows no example that is not run, compared, or a file that is tested elsewhere", () => {
    const fences = fencesOf(textOf(slug));
    const idle = fences.filter(
      (fence) => !isRun(fence) && !isOutput(fence) && !includedFile(fence),
    );
    expect(idle.map(({ line, code }) => `${line}: ${code}`)).toEqual([]);
    const ran = fences.filter(isRun).map(({ code }) => code);
    const named = fences.flatMap((fence) => fileName(fence) ?? []);
    expect(named.filter((name) => !ran.some((code) => code.includes(name)))).toEqual([]);
    expect(fences.filter(isRun).length).toBeGreaterThan(0);
  });

  it.each(formsOf(textOf(slug)))("has the documented effect and response by %s", async (form) => {
    const ran = await runGuide(slug, form, { url: web.url, receiver });
    const wrong = ran.flatMap(({ output, shown }) =>
      shown.flatMap((answer) =>
        faults(answer, output).map((fault) => `line ${answer.line}: ${fault}`),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

function faults({ language, meta, code }: Fence, output: string): string[] {
  const options = { partial: meta.includes("partial") };
  if (language === "json") return differences(JSON.parse(code), JSON.parse(output), options);
  if (language === "http") return httpDifferences(code, output, options);
  return normalized(code.trim()) === normalized(output.trim())
    ? []
    : [`shown:\n${code}\nactual:\n${output}`];
}
