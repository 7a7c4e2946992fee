import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestDatabaseUrl } from "#e2e/fixtures.ts";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { createFixture, pathOf } from "../contracts/operation.ts";
import { type Fixture, sampleFor } from "../contracts/samples.ts";

// Which reads a read replica, which refuses writes, could answer (docs/growth.md).

let web: WebProcess;
let fixture: Fixture;
beforeAll(async () => {
  const readOnly = new URL(requestDatabaseUrl());
  readOnly.searchParams.set("options", "-c default_transaction_read_only=on");
  [web, fixture] = await Promise.all([
    startWebProcess({ REQUEST_DATABASE_URL: readOnly.href }),
    createFixture(),
  ]);
});
afterAll(() => web.stop());

const reads = CONTRACTS.filter(({ method }) => method === "GET");
const isRecorded = ({ file, operationId }: (typeof CONTRACTS)[number]) =>
  file !== null || operationId === "getLedgerFile";

describe("a web process whose database takes no writes", () => {
  test.each(reads.filter((read) => !isRecorded(read)))("answers $operationId", async (contract) => {
    expect(await get(contract)).toEqual([contract.status, expect.any(String)]);
  });

  test.each(reads.filter(isRecorded))(
    "refuses $operationId, which is recorded, as unavailable",
    async (contract) => {
      expect(await get(contract)).toEqual([503, expect.stringContaining('"code":"unavailable"')]);
    },
  );
});

async function get(contract: (typeof CONTRACTS)[number]): Promise<[status: number, text: string]> {
  const { params, query = {} } = await sampleFor(contract, fixture);
  const response = await fetch(
    `${web.url}${pathOf(contract, params)}?${new URLSearchParams(query)}`,
    {
      headers: { Authorization: `Bearer ${fixture.admin}`, "X-Tenant-Id": fixture.tenant },
    },
  );
  return [response.status, await response.text()];
}
