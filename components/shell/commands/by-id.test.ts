import { expect, test } from "vitest";
import type { Role } from "#lib/wire/access.ts";
import { byId } from "./by-id.ts";

const REST = "019a9f4be2c04d6f8a1b3c5d7e9f0a2b";
const as = (role: Role) => ({ tenant: { id: "acme", name: "Acme" }, roles: [role] });

test.each([
  ["exc", `/acme/exceptions?exception=exc_${REST}`],
  ["rcn", `/acme/reconciliations/rcn_${REST}`],
  ["src", `/acme/sources/src_${REST}`],
  ["lin", `/acme/lines?line=lin_${REST}`],
  ["key", `/acme/api-keys?key=key_${REST}`],
  ["whk", `/acme/webhooks/whk_${REST}`],
  ["req", `/acme/requests?period=14d&request=req_${REST}`],
  ["evt", `/acme/requests?view=deliveries&event_id=evt_${REST}`],
  ["sev", `/acme/security-events?event=sev_${REST}`],
])("an ID that begins with %s leads to its page", (prefix, href) => {
  expect(byId(as("tenant_admin"), ` ${prefix}_${REST}\n`)).toEqual([
    expect.objectContaining({ href }),
  ]);
});

test("an ID that only admins can open is refused to others, with the reason", () => {
  const refused = (prefix: string) => byId(as("tenant_analyst"), `${prefix}_${REST}`)[0]?.refused;
  expect(["exc", "rcn", "src", "lin"].map(refused)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  for (const prefix of ["key", "whk", "req", "evt", "sev"])
    expect(refused(prefix)).toMatch(/^Admins only/);
});

test.each(["exc_", "exc_1", `xyz_${REST}`, `exc_${REST} late`, `tk_${REST}.${REST}`, "late"])(
  "%s isn't an ID",
  (text) => {
    expect(byId(as("tenant_admin"), text)).toEqual([]);
  },
);
