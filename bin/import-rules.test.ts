import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const CONFIG = ".dependency-cruiser.cjs";

/** Files that exist, so that the forbidden imports resolve. */
const PRESENT = {
  "app/v1/me/route.ts": "",
  "components/ui/button.tsx": "",
  "components/kit/page.tsx": "",
  "components/people/person.tsx": "",
  "components/exceptions/labels.tsx": "",
  "lib/loose.ts": "",
  "lib/wire/contract.ts": "",
  "lib/request/context.ts": "",
  "lib/db/client.ts": "",
  "lib/http/endpoint.ts": "",
  "lib/exceptions/contract.ts": "",
  "lib/exceptions/get-exception.ts": "",
  "supabase/local/postgres.ts": "",
  "e2e/fixtures.ts": "",
  "lib/webhooks/index.ts": "",
  "engine/rules.ts": "",
  "engine/engine.ts": "",
  "lib/webhooks/utils/text.ts": "",
};

/** For each rule, a file with one forbidden import. */
const FORBIDDEN: Record<string, [file: string, source: string]> = {
  "no-circles": ["lib/auth/circle.ts", 'import "./round.ts";'],
  resolvable: ["lib/auth/nowhere.ts", 'import "#lib/auth/no-such-file.ts";'],
  "declared-packages": ["lib/auth/undeclared.ts", 'import "acorn-walk";'],
  "no-dev-packages-in-the-product": ["lib/auth/dev-package.ts", 'import fc from "fast-check";'],
  "product-imports-no-tooling": [
    "lib/auth/local.ts",
    'import { Postgres } from "../../supabase/local/postgres.ts";',
  ],
  "engine-is-pure": [
    "matcher/engine/clock.ts",
    'import { setTimeout } from "node:timers/promises";',
  ],
  "engine-for-matching": ["lib/records/engine.ts", 'import "../../matcher/engine/engine.ts";'],
  "lib-is-below": ["lib/auth/above.ts", 'import { Button } from "#components/ui/button.tsx";'],
  "app-through-domains": ["app/page.tsx", 'import type { Db } from "#lib/db/client.ts";'],
  "routes-show-nothing": [
    "app/v1/page/route.ts",
    'import { Button } from "#components/ui/button.tsx";',
  ],
  "worker-without-web": [
    "worker/tasks/deliver.ts",
    'import { endpoint } from "#lib/http/endpoint.ts";',
  ],
  "components-know-the-wire-only": [
    "components/exceptions/board.tsx",
    'import { get } from "#lib/exceptions/get-exception.ts";',
  ],
  "ui-knows-no-data": ["components/ui/list.tsx", 'import "@tanstack/react-query";'],
  "kit-knows-no-domain": ["components/api-client.ts", 'import "./exceptions/labels.tsx";'],
  "people-above-the-kit": ["components/people/picker.tsx", 'import "../exceptions/labels.tsx";'],
  "domains-of-pages-stand-apart": [
    "components/webhooks/list.tsx",
    'import "#components/exceptions/labels.tsx";',
  ],
  "contracts-are-data": ["lib/records/contract.ts", 'import { createHash } from "node:crypto";'],
  "domain-without-http": [
    "lib/records/get-record.ts",
    'const { cookies } = await import("next/headers");',
  ],
  "domain-outside-only": [
    "lib/records/list-records.ts",
    'import { get } from "../exceptions/get-exception.ts";',
  ],
  "plumbing-knows-no-domain": [
    "lib/http/domain.ts",
    'import { get } from "../exceptions/get-exception.ts";',
  ],
  "database-without-http": ["lib/db/http.ts", 'import { endpoint } from "../http/endpoint.ts";'],
  "lib-has-rooms": ["lib/auth/loose.ts", 'import "../loose.ts";'],
  "wire-and-runtime-are-the-ground": [
    "lib/wire/request.ts",
    'import type { Context } from "../request/context.ts";',
  ],
  "description-without-pipeline": [
    "lib/openapi/pipeline.ts",
    'import { endpoint } from "../http/endpoint.ts";',
  ],
  "no-test-code-in-the-product": [
    "lib/auth/test-code.ts",
    'import { api } from "#e2e/fixtures.ts";',
  ],
  "no-barrels": ["lib/webhooks/barrel.ts", 'export * from "./index.ts";'],
  "named-for-what-it-does-from": ["lib/webhooks/helpers.ts", 'import "./contract.ts";'],
  "named-for-what-it-does-to": ["lib/webhooks/vague.ts", 'import "./utils/text.ts";'],
};

/** Similar imports that are allowed. */
const ALLOWED: Record<string, string> = {
  "app/v1/exceptions/route.ts":
    'import { get } from "#lib/exceptions/get-exception.ts"; import "#lib/http/endpoint.ts";',
  "components/exceptions/table.tsx":
    'import type { C } from "#lib/exceptions/contract.ts"; import "../ui/button.tsx"; import "./labels.tsx";',
  "components/webhooks/table.tsx":
    'import "../kit/page.tsx"; import "../people/person.tsx"; import "#components/ui/button.tsx";',
  "components/shell/commands.tsx": 'import "../exceptions/labels.tsx";',
  "lib/reconciliations/contract.ts":
    'import { z } from "zod"; import { RULE_KINDS } from "../../matcher/engine/rules.ts";',
  "engine/engine.ts": 'import "./rules.ts";',
  "lib/webhooks/contract.ts":
    'import { z } from "zod"; import "../wire/contract.ts"; import "../exceptions/contract.ts";',
  "lib/webhooks/list-webhooks.ts":
    'import "../db/client.ts"; import "../exceptions/contract.ts"; import "./contract.ts";',
  "lib/webhooks/list-webhooks.test.ts": 'import { test } from "vitest"; import "#e2e/fixtures.ts";',
};

type Violation = { from: string; rule: { name: string } };

describe("import rules", () => {
  const tree = mkdtempSync(join(tmpdir(), "import-rules-"));
  let violations: Violation[];

  beforeAll(() => {
    symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
    for (const file of [CONFIG, "package.json"]) cpSync(join(ROOT, file), join(tree, file));
    const sources = {
      ...PRESENT,
      ...ALLOWED,
      ...Object.fromEntries(Object.values(FORBIDDEN)),
      "lib/auth/round.ts": 'import "./circle.ts";',
    };
    for (const [file, source] of Object.entries(sources)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), source);
    }
    const folders = ["app", "components", "lib", "matcher", "worker", "e2e", "supabase"];
    const report = execFileSync(
      join(ROOT, "node_modules/.bin/depcruise"),
      ["--config", CONFIG, "-T", "json", ...folders],
      {
        cwd: tree,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
        maxBuffer: 64 * 1024 * 1024,
        env: { ...process.env, PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}` },
      },
    );
    violations = JSON.parse(report).summary.violations;
  });

  afterAll(() => rmSync(tree, { recursive: true }));

  const rules: { name: string }[] = createRequire(import.meta.url)(join(ROOT, CONFIG)).forbidden;

  test.each(rules.map(({ name }) => name))("%s catches its violation", (rule) => {
    const [file] = FORBIDDEN[rule] ?? [];
    expect(
      violations.filter(({ from }) => from === file).map((violation) => violation.rule.name),
    ).toContain(rule);
  });

  test("accepts the allowed imports", () => {
    expect(violations.filter(({ from }) => from in ALLOWED)).toEqual([]);
  });
});
