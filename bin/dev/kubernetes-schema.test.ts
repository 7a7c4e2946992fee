import { execFileSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "ops/kubernetes");

type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: Record<string, unknown>;
};
type Model = new (data: unknown) => { validate: () => void };

const MANIFESTS = readdirSync(FOLDER)
  .filter((file) => file !== "kustomization.yaml")
  .flatMap((file) =>
    parseAllDocuments(readFileSync(join(FOLDER, file), "utf8")).map(
      (document) => document.toJS() as Manifest,
    ),
  );

const scratch = mkdtempSync(join(tmpdir(), "tieout-manifests-"));
symlinkSync(join(ROOT, "node_modules"), join(scratch, "node_modules"));
afterAll(() => rmSync(scratch, { recursive: true }));

/**
 * Validates against the OpenAPI schemas that Kubernetes publishes, which accept unknown fields.
 * @throws Error if one fails
 */
async function validate({ apiVersion, kind, ...rest }: Manifest): Promise<void> {
  const models = (await import(/* @vite-ignore */ `kubernetes-models/${apiVersion}`)) as Record<
    string,
    Model
  >;
  const Known = models[kind];
  if (!Known) throw new Error(`${apiVersion} has no ${kind}.`);
  new Known(rest).validate();
}

/**
 * Checks the manifests against the same schemas as types, which reject unknown fields. @returns the
 * compiler's errors
 */
function unknownFields(manifests: readonly Manifest[]): string {
  const literals = manifests.map(
    (manifest, nth) =>
      `import type { I${manifest.kind} as T${nth} } from "kubernetes-models/${manifest.apiVersion}";\nexport const m${nth}: T${nth} = ${JSON.stringify(manifest, null, 1)};\n`,
  );
  writeFileSync(join(scratch, "manifests.ts"), literals.join(""));
  const options = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "esnext",
    "--types",
    "",
  ];
  try {
    execFileSync(join(ROOT, "node_modules/.bin/tsc"), [...options, "manifests.ts"], {
      cwd: scratch,
      encoding: "utf8",
    });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe("the manifests for Kubernetes", () => {
  test.each(
    MANIFESTS.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const),
  )("%s is valid by Kubernetes' own schema", (_, manifest) => validate(manifest));

  test("have no field that Kubernetes doesn't know", () => {
    expect(unknownFields(MANIFESTS)).toBe("");
  });

  test("are rejected with a value of the wrong type or a misspelt field", async () => {
    const web = MANIFESTS.find(({ kind }) => kind === "Deployment") as Manifest;
    await expect(validate({ ...web, spec: { ...web.spec, replicas: "two" } })).rejects.toThrow(
      "/spec/replicas must be integer",
    );
    expect(unknownFields([{ ...web, spec: { ...web.spec, replica: 2 } }])).toContain(
      "'\"replica\"' does not exist",
    );
  });
});
