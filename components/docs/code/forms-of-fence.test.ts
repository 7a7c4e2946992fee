import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allOperations } from "../reference/whole-reference.test-support.ts";
import { type Forms, formsWriter, withForms } from "./forms-of-fence.ts";

const GUIDES = new URL("../../../docs/guides/", import.meta.url);
const OPERATIONS = allOperations();

/** The examples that have only a curl form: a part of the text of each, and the reason. */
const CURL_ONLY: [guide: string, part: string, reason: string][] = [
  ["cors", "-X OPTIONS", "A browser sends this request itself."],
  ["errors-and-limits", '"due": "tomorrow"', "It shows the status and headers of a refusal."],
  ["errors-and-limits", "limit=1", "It shows the headers of the rate limit."],
  ["idempotency", "curl -i", "It shows the status and headers of a replay."],
  ["identity-providers", "header.payload.signature", "It shows the status of a refusal."],
  ["key-protection", "export CREDENTIAL=", "It shows the status of a refusal."],
  ["key-rotation", "for CREDENTIAL in", "It shows only the status of each call."],
  [
    "key-rotation",
    'Bearer $OLD_CREDENTIAL" \\\n  -H "X-Tenant-Id: acme"\n',
    "It shows the status of a refusal.",
  ],
  ["pagination", "serverity", "The SDK's types don't allow the misspelt filter."],
  ["records", "cost_center", "It shows the ETag of a response."],
  ["records", "Stripe payouts, old", "It shows the status of a refusal."],
  ["self-hosting", "/readyz", "A load balancer calls it, without a credential."],
  ["supabase-keys", "-i https://tieout.example", "It shows the status of a refusal."],
  ["supabase-keys", "project.supabase.co", "It calls Supabase, not the API."],
  ["versioning", "openapi.json", "The document isn't a resource of the API."],
  ["webhooks", "http://localhost:8080", "It calls the receiver on the reader's machine."],
];

const textOf = (guide: string) => readFileSync(new URL(`${guide}.md`, GUIDES), "utf8");

function examplesOf(guide: string): { code: string; forms: Forms | null }[] {
  const write = formsWriter(OPERATIONS);
  return [...textOf(guide).matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, code = ""]) => ({ code, forms: write(code) }))
    .filter(({ code }) => /\bcurl /.test(code));
}

describe.each(readdirSync(GUIDES).map((file) => file.replace(/\.md$/, "")))("%s", (guide) => {
  test("each curl example has a form for the CLI and the SDK, or a listed reason", () => {
    const reasons = CURL_ONLY.filter(([name]) => name === guide);
    const curlOnly = examplesOf(guide)
      .filter(({ forms }) => forms === null)
      .map(({ code }) => code);
    const hasReason = (code: string) => reasons.some(([, part]) => code.includes(part));
    expect(curlOnly.filter((code) => !hasReason(code))).toEqual([]);
    const isUnused = ([, part]: (typeof reasons)[0]) =>
      !curlOnly.some((code) => code.includes(part));
    expect(reasons.filter(isUnused)).toEqual([]);
  });

  test("no other form contains curl syntax, and the SDK form contains no shell syntax", () => {
    for (const { forms } of examplesOf(guide)) {
      if (!forms) continue;
      expect(forms.cli).not.toMatch(/\bcurl\b|https:\/\/tieout\.example|-H /);
      expect(forms.sdk).not.toMatch(/[\uE000\uE001]|\bundefined\b|\$[A-Z]/);
      expect(Math.max(...forms.sdk.split("\n").map((line) => line.length))).toBeLessThanOrEqual(
        100,
      );
    }
  });
});

const formsOf = (...examples: string[]) => {
  const write = formsWriter(OPERATIONS);
  return examples.map(write).at(-1);
};
const HEADERS = `-H "Authorization: Bearer $TIEOUT_TOKEN" -H "X-Tenant-Id: acme"`;
const ADMIN = `-H "Authorization: Bearer $ADMIN_TOKEN" -H "X-Tenant-Id: acme.sandbox"`;

test("a call keeps its headers as options, and its body as an object", () => {
  const forms = formsOf(
    `curl https://tieout.example/v1/exceptions ${HEADERS} -H "Idempotency-Key: p-1" -d '{ "title": "It'"$NAME"'", "details": { "a-b": [1, null] } }'\n`,
  );
  expect(forms?.cli).toBe(
    `tieout api POST /v1/exceptions \\\n  --idempotency-key p-1 \\\n  --data '{ "title": "It'"$NAME"'", "details": { "a-b": [1, null] } }'\n`,
  );
  expect(forms?.sdk).toContain(
    [
      "const result = await tieout.exceptions.create({",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template of the example
      "  title: `It${process.env.NAME}`,",
      '  details: { "a-b": [1, null] },',
      '}, { idempotencyKey: "p-1" });',
      "console.log(result);",
    ].join("\n"),
  );
});

test("each form uses the credential and the tenant of the call", () => {
  const forms = formsOf(`curl -X POST https://tieout.example/v1/sandbox/reset ${ADMIN}\n`);
  expect(forms?.cli).toBe(
    'TIEOUT_TOKEN="$ADMIN_TOKEN" tieout api POST /v1/sandbox/reset --tenant acme.sandbox\n',
  );
  expect(forms?.sdk).toContain(
    '  tenant: "acme.sandbox",\n  key: process.env.ADMIN_TOKEN ?? "",\n',
  );
});

test("a later example uses what an earlier one saved", () => {
  const forms = formsOf(
    `curl "https://tieout.example/v1/exceptions?limit=2&severity=high,low" ${HEADERS} > late.json\n\ncat late.json\n`,
    `export LATE=$(node -p 'require("./late.json").items[0].id')\n`,
    `curl "https://tieout.example/v1/exceptions/$LATE" ${HEADERS}\n`,
  );
  expect(forms?.cli).toBe('tieout api GET "/v1/exceptions/$LATE"\n');
  expect(forms?.sdk).toContain("await tieout.exceptions.get(late.items[0].id);");
});

test("a list is read as one page, with filters in the types of the SDK", () => {
  const list = formsOf(
    `curl "https://tieout.example/v1/exceptions?limit=2&severity=high,low" ${HEADERS} > late.json\ncat late.json\n`,
  );
  expect(list?.sdk).toContain(
    'const late = await tieout.exceptions.list({ limit: 2, severity: ["high", "low"] }).page();\nconsole.log(late);',
  );
});

test("a file is saved by --output of the CLI and by bytes() of the SDK", () => {
  const forms = formsOf(
    `curl "https://tieout.example/v1/exceptions/export?format=csv" ${HEADERS} > exceptions.csv\n`,
  );
  expect(forms?.cli).toBe(
    'tieout api GET "/v1/exceptions/export?format=csv" --output exceptions.csv\n',
  );
  expect(forms?.sdk).toContain('await writeFile("exceptions.csv", rows.bytes());');
});

test.each([
  ["a status that is shown", `curl -i https://tieout.example/v1/me ${HEADERS}`],
  ["a pipe", `curl https://tieout.example/v1/me ${HEADERS} | jq`],
  ["a loop", `for N in 1 2; do curl https://tieout.example/v1/me ${HEADERS}; done`],
  ["an unknown path", `curl https://tieout.example/v1/nothing ${HEADERS}`],
  ["another server", `curl https://elsewhere.example/rest/v1/me ${HEADERS}`],
  ["a substitution", `curl https://tieout.example/v1/exceptions ${HEADERS} -d "$(cat body.json)"`],
  ["no call", "node seed.mjs"],
])("%s has no other form", (_, code) => {
  expect(formsOf(code)).toBeNull();
});

test("a guide shows the forms in tabs, and an example that has tabs is unchanged", () => {
  const call = `curl https://tieout.example/v1/me ${HEADERS}\n`;
  const text = withForms(`\`\`\`sh\n${call}\`\`\`\n\n\`\`\`sh tab=CLI\n${call}\`\`\``, OPERATIONS);
  expect([...text.matchAll(/^```\w.*$/gm)].map(([line]) => line)).toEqual([
    "```sh tab=curl",
    "```sh tab=CLI",
    "```ts tab=TypeScript",
    "```sh tab=CLI",
  ]);
  expect(text).toContain("```sh tab=CLI\ntieout whoami --json\n```");
});
