import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { schemaDatabases } from "../../bin/dev/generate/schema-databases.ts";
import { LINES_OF_TWO_SOURCES } from "./exception-actions.ts";
import { TENANT } from "./exception-recorder.ts";

const PERIOD = "rcn_00000000000000000000000000000001";
const MATCH = "00000000-0000-0000-0000-000000000001";
const fresh = schemaDatabases();
let client: Client;

beforeAll(async () => {
  ({ client } = await fresh());
  await client.query(`select private.create_tenant('${TENANT}', 'Acme')`);
  for (const statement of LINES_OF_TWO_SOURCES.replaceAll("$1", `'${TENANT}'`).split(";\n"))
    await client.query(statement);
  await client.query(
    `insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
     select o.tenant_id, $2, o.pair_no, o.line_no, o.side, o.open_minor
     from private.open_lines o where o.tenant_id = $1 and o.open_minor in (300, 400)`,
    [TENANT, MATCH],
  );
}, 120_000);

/** The number of lines of each exception that is to be opened, in ascending order. */
async function pastGrace(): Promise<number[]> {
  const { rows } = await client.query("select lines from private.lines_past_grace($1, $2, 100)", [
    TENANT,
    PERIOD,
  ]);
  return rows[0].lines
    .map(({ lines }: { lines: object[] }) => lines.length)
    .sort((a: number, b: number) => a - b);
}

test("a suggestion opens its exception once the grace of each of its lines is over", async () => {
  expect(await pastGrace()).toEqual([1, 1, 2]);
  await client.query(
    `update private.open_lines set value_date = current_date where tenant_id = $1
       and open_minor = 400`,
    [TENANT],
  );
  expect(await pastGrace()).toEqual([1, 1]);
});
