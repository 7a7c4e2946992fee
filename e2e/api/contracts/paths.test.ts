import { describe, expect, test } from "vitest";
import { api, createTenant, userToken } from "#e2e/fixtures.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { expectProblem } from "./conformance.ts";
import { createFixture, pathOf } from "./operation.ts";
import { sampleFor } from "./samples.ts";

describe("a path of /v1", () => {
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
  const paths = [...Map.groupBy(CONTRACTS, ({ path }) => path)].map(([path, own]) => ({
    path,
    contract: own[0],
    taken: own.map(({ method }) => method),
  }));

  test.each(paths)(
    "$path refuses other methods with 405 and names its own",
    async ({ contract, taken }) => {
      if (!contract) throw new Error("A path without a contract.");
      const fixture = await createFixture();
      const path = pathOf(contract, (await sampleFor(contract, fixture)).params);
      const allowed = taken
        .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
        .sort();
      const named = (allow: string | null) => allow?.split(/, */).sort();
      for (const method of methods.filter(
        (item) => !taken.includes(item as (typeof taken)[number]),
      )) {
        const answer = await api(method, path, { bearer: fixture.admin, tenant: fixture.tenant });
        expectProblem(answer, "method_not_allowed");
        expect(named(answer.headers.get("allow"))).toEqual(allowed);
      }
      const options = await api("OPTIONS", path);
      expect(options.status).toBe(204);
      expect(named(options.headers.get("allow"))).toEqual([...allowed, "OPTIONS"].sort());
      expect(options.headers.get("access-control-allow-origin")).toBeNull();
    },
  );

  test("that isn't declared is 404 for every method", async () => {
    const tenant = await createTenant();
    for (const method of methods) {
      for (const path of [
        "/v1",
        "/v1/no-such-thing",
        "/v1/exceptions/a/b/c",
        "/v1/exceptions/sla/x",
      ]) {
        expectProblem(
          await api(method, path, { bearer: await userToken(tenant, ["tenant_admin"]), tenant }),
          "not_found",
        );
      }
    }
  });
});
