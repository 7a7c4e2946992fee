import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { api, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { fencesOf } from "./fences.ts";
import { Shell } from "./shell.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const COMMANDS = readFileSync(join(ROOT, "docs/commands.md"), "utf8");

const commandsOf = (section: string) =>
  fencesOf(README.split(`\n## ${section}\n`)[1]?.split("\n## ")[0] ?? "");

it("the README's calls work as they are written", async () => {
  const body = { name: uniqueName("Key"), scopes: ["read:reconciliations"] };
  const { json } = await api("POST", "/v1/tenants/acme/api-keys", {
    bearer: await userToken("acme", ["tenant_admin"]),
    tenant: "acme",
    body,
  });
  const { key_id, key_secret } = json as { key_id: string; key_secret: string };
  const examples = commandsOf("Call the API");
  expect(examples.length).toBeGreaterThan(1);
  const shell = new Shell(ROOT, {});
  try {
    await shell.run('curl() { command curl --silent --show-error --fail-with-body "$@"; }');
    for (const { code } of examples) {
      await shell.run(
        code
          .replaceAll("http://localhost:3000", stack.url)
          .replaceAll("<key_id>.<key_secret>", `${key_id}.${key_secret}`),
      );
    }
  } finally {
    await shell.end();
  }
});

it("docs/commands.md lists every command, and no other", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = [...COMMANDS.matchAll(/`npm (?:run (?:-s )?)?([a-z:-]+)/g)].map(
    ([, name = ""]) => name,
  );
  expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
  expect(Object.keys(scripts).filter((name) => !named.includes(name))).toEqual([]);
});

it("every file that the README and the guides link to is there", () => {
  for (const [, path = ""] of README.matchAll(/\]\((?!https?:|#)([^)#]+)/g))
    expect(() => readFileSync(join(ROOT, path)), path).not.toThrow();
});
