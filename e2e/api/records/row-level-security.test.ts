import { SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { stack } from "#e2e/fixtures.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";
import type { Scope } from "#lib/wire/access.ts";
import { call, createRecord, createTeam, succeeded, type Team } from "./records.ts";

// Calls the Data API directly, without the application's own checks: only the database decides.

type Claims = {
  role?: string;
  principal_type?: string;
  roles?: string[];
  scopes?: string[];
  tenant_id?: string;
  sub?: string;
};
type Persona = { name: string; claims: Claims; reads: (record: Known) => boolean };
type Known = { id: string; surface: string; published: boolean; deleted: boolean };

let team: Team;
let stranger: Team;
let known: Known[];

beforeAll(async () => {
  [team, stranger] = await Promise.all([createTeam(), createTeam()]);
  known = await Promise.all(
    SURFACES.flatMap(({ path }) =>
      [true, false].flatMap((published) =>
        [true, false].map(async (deleted) => {
          const { id } = await createRecord(team, path, { published });
          if (deleted) succeeded(await call(team, "DELETE", `/v1/${path}/${id}`));
          return { id, surface: path, published, deleted };
        }),
      ),
    ),
  );
});

const nothing = () => false;
const user = (roles: string[]): Claims => ({
  role: "authenticated",
  principal_type: "user",
  roles,
  scopes: [],
});
const apiKey = (...scopes: Scope[]): Claims => ({
  role: "authenticated",
  principal_type: "api_key",
  roles: [],
  scopes,
});
const publicSurfaces: string[] = SURFACES.filter((surface) => surface.public).map(
  ({ path }) => path,
);

const PERSONAS: Persona[] = [
  { name: "a tenant admin", claims: user(["tenant_admin"]), reads: () => true },
  { name: "a lead", claims: user(["tenant_lead"]), reads: ({ deleted }) => !deleted },
  { name: "an analyst", claims: user(["tenant_analyst"]), reads: ({ deleted }) => !deleted },
  { name: "a user without a role", claims: user([]), reads: nothing },
  {
    name: "a user with a scope",
    claims: { ...user([]), scopes: ["write:integrations"] },
    reads: nothing,
  },
  {
    name: "an API key that reads integrations",
    claims: apiKey("read:integrations"),
    reads: ({ surface, deleted }) => surface === "integrations" && !deleted,
  },
  {
    // Functions that read return nothing to it, except what it changes.
    name: "an API key that writes release notes",
    claims: apiKey("write:release-notes"),
    reads: ({ surface, deleted }) => surface === "release-notes" && !deleted,
  },
  {
    name: "an API key for other things",
    claims: apiKey("read:exceptions", "write:webhooks"),
    reads: nothing,
  },
  {
    name: "an API key with a role",
    claims: { ...apiKey(), roles: ["tenant_admin"] },
    reads: nothing,
  },
  {
    name: "the publishable key",
    claims: { role: "anon", principal_type: "publishable_key" },
    reads: ({ surface, published, deleted }) =>
      publicSurfaces.includes(surface) && published && !deleted,
  },
  { name: "anon with a role", claims: { ...user(["tenant_admin"]), role: "anon" }, reads: nothing },
  {
    name: "anon with scopes",
    claims: { ...apiKey("read:integrations", "write:integrations"), role: "anon" },
    reads: nothing,
  },
  {
    name: "a Supabase user",
    claims: { role: "authenticated", sub: "9f0e7b52-0c1f-4a52-9c56-6f3b1a2c3d4e" },
    reads: nothing,
  },
  { name: "empty claims", claims: { role: "anon" }, reads: nothing },
];

async function dataApi(
  tenant: string,
  claims: Claims,
  method: string,
  path: string,
  body?: object,
) {
  const named = Object.keys(claims).includes("principal_type")
    ? { tenant_id: tenant, actor: "user:eve" }
    : {};
  const token = await new SignJWT({ ...named, ...claims })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setExpirationTime("1m")
    .sign(new TextEncoder().encode(stack.supabaseJwtSecret));
  const response = await fetch(`${stack.supabaseUrl}/rest/v1/${path}`, {
    method,
    headers: {
      apikey: stack.publishableKey,
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Prefer: "return=representation",
    },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json().catch(() => null)) as unknown };
}

const idsOf = (json: unknown) =>
  Array.isArray(json) ? json.map(({ id }) => id as string).sort() : [];

describe.each(PERSONAS)("$name", ({ claims, reads }) => {
  test("sees its own rows", async () => {
    const { json } = await dataApi(team.tenant, claims, "GET", "records?select=id,data,search");
    expect(idsOf(json)).toEqual(
      known
        .filter(reads)
        .map(({ id }) => id)
        .sort(),
    );
  });

  test("sees nothing of another tenant", async () => {
    const { json } = await dataApi(stranger.tenant, claims, "GET", "records?select=id");
    expect(idsOf(json)).toEqual([]);
  });
});

test("the purge and inner functions can't be called over the Data API", async () => {
  for (const { claims } of PERSONAS) {
    for (const name of ["purge_records", "find_records", "lock_record"]) {
      const { status } = await dataApi(team.tenant, claims, "POST", `rpc/${name}`, {});
      expect([401, 403, 404]).toContain(status);
    }
  }
});
