import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ScriptServer, scriptServer } from "../../typescript/test/script-server.ts";
import { EXPORTS, type Exported } from "../src/commands/exported.ts";
import { createProgram } from "../src/program.ts";

type Paths = Record<string, Record<string, { operationId?: string }>>;

let server: ScriptServer;
let paths: Paths;
beforeAll(async () => {
  server = await scriptServer();
  vi.stubEnv("TIEOUT_URL", server.url);
  vi.stubEnv("TIEOUT_TENANT", "acme");
  vi.stubEnv("TIEOUT_TOKEN", "id.secret");
  vi.stubEnv("TIEOUT_CONFIG", join(import.meta.dirname, "none.json"));
  const file = join(import.meta.dirname, "../../../openapi.json");
  paths = JSON.parse(await readFile(file, "utf8")).paths;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const EXPORTS_OF_ROWS = Object.entries<Exported>(EXPORTS).filter(
  ([, { operationId }]) => operationId !== undefined,
);

test.each(EXPORTS_OF_ROWS)("%s calls the operation of its table", async (what, one) => {
  const [path = ""] =
    Object.entries(paths).find(([, { get }]) => get?.operationId === one.operationId) ?? [];
  server.script((response) => response.writeHead(404).end());
  const words = ["export", what, ...(one.idOf ? ["id_1"] : [])];
  const call = createProgram().parseAsync(words, { from: "user" });
  await expect(call).rejects.toMatchObject({ status: 404 });
  expect(server.received[0]?.url.split("?")[0]).toBe(path.replace("{id}", "id_1"));
});
