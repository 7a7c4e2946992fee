import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { route } from "#lib/http/route.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";

const APP = join(import.meta.dirname, "../../../app");
/** The route that responds to every other path of /v1. */
const WITHOUT_CONTRACT = ["/v1/[[...path]]"];

/** The paths that a route file serves: one file may serve the same path of every surface. */
const pathsOf = (file: string) =>
  file.includes("[surface]") ? SURFACES.map(({ path }) => file.replace("[surface]", path)) : [file];

const files = readdirSync(join(APP, "v1"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith("route.ts"))
  .map((file) => `/v1/${file.replace(/\/?route\.ts$/, "")}`)
  .filter((path) => !WITHOUT_CONTRACT.includes(path));

const routes = files.flatMap((file) =>
  pathsOf(file).map((path) => ({
    file,
    path: path.replace(/\[(\w+)\]/g, "{$1}") as `/v1/${string}`,
  })),
);

const methodsByPath = Map.groupBy(CONTRACTS, ({ path }) => path);

describe("contracts and routes", () => {
  test("every route file has a contract, and every contract a route file", () => {
    expect(routes.map(({ path }) => path).sort()).toEqual([...methodsByPath.keys()].sort());
  });

  test.each(routes)(
    "$path serves the methods of its contracts and no other",
    async ({ file, path }) => {
      const served = await import(join(APP, file, "route.ts"));
      const declared = methodsByPath.get(path) ?? [];
      const params = Promise.resolve({ surface: path.split("/")[2] });
      const { headers } = await served.OPTIONS(new Request("http://localhost/"), { params });
      const expected = await route(
        ...declared.map((contract) => ({ contract, serve: async () => new Response() })),
      ).OPTIONS(new Request("http://localhost/"), { params: Promise.resolve({}) });
      expect(headers.get("allow").split(", ").sort()).toEqual(
        expected.headers.get("allow")?.split(", ").sort(),
      );
    },
  );

  test("an operationId names one operation", () => {
    expect(new Set(CONTRACTS.map(({ operationId }) => operationId)).size).toBe(CONTRACTS.length);
  });

  test("a path and method have one contract", () => {
    expect(new Set(CONTRACTS.map(({ method, path }) => `${method} ${path}`)).size).toBe(
      CONTRACTS.length,
    );
  });

  test.each(CONTRACTS)("$operationId declares the parameters of its path", ({ path, params }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(params.shape).sort()).toEqual(named.sort());
  });

  test.each(CONTRACTS.filter(({ method }) => method === "POST"))(
    "$operationId takes an idempotency key, as every POST does",
    (declared) => {
      expect(declared.idempotency).not.toBeNull();
    },
  );

  test.each(CONTRACTS.filter(({ method }) => ["PATCH", "PUT", "DELETE"].includes(method)))(
    "$operationId honors If-Match, as every change does",
    ({ resource }) => {
      expect(resource).toBe("versioned");
    },
  );
});
