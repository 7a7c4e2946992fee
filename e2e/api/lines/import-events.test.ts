import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { api } from "#e2e/fixtures.ts";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { createSource, createTeam, imported, type Team } from "./ledgers.ts";

const CSV = `Valuta;Name;Betrag
25.10.2026;Kunde 17 GmbH;1.250,00
26.10.2026;Kunde 18 GmbH;-12,50
`;

const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);

async function eventsOf({ tenant, admin }: Team, target: string): Promise<SecurityEvent[]> {
  const { json } = await api("GET", "/v1/security-events", {
    bearer: admin,
    tenant,
    query: { target },
  });
  return (json as { items: SecurityEvent[] }).items;
}

test("an import leaves a second event once it is read, with its counts and hash", async () => {
  const team = await createTeam();
  const source = await createSource(team);
  await imported(team, source.id, CSV);
  const { id } = await imported(team, source.id, `${CSV}28.10.2026;Kunde 19 GmbH;1,00\n`, {
    query: { file_name: "oktober.csv" },
  });
  const [finished, created] = await eventsOf(team, id);
  expect(created).toMatchObject({ type: "import.created", actor: "user:ada" });
  expect(finished).toMatchObject({
    type: "import.finished",
    actor: "system",
    details: {
      file_name: "oktober.csv",
      sha256,
      source_id: source.id,
      read_count: 3,
      accepted_count: 1,
      duplicate_count: 2,
      refused_count: 0,
      skipped_count: 0,
    },
  });
  expect(finished?.details.sha256).toBe(created?.details.sha256);
});

test("an import that fails leaves an event that says why", async () => {
  const team = await createTeam();
  const source = await createSource(team);
  const whole = readFileSync(
    new URL("../../../lib/imports/formats/samples/camt053-v08-batches.xml", import.meta.url),
  );
  const failed = await imported(team, source.id, new Uint8Array(whole.subarray(0, -200)), {
    query: { file_name: "cut.xml" },
  });
  expect(failed).toMatchObject({ status: "failed", failure: expect.any(String) });
  expect((await eventsOf(team, failed.id))[0]).toMatchObject({
    type: "import.failed",
    details: { file_name: "cut.xml", sha256, failure: failed.failure },
  });
});
