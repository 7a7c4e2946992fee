import { beforeAll, describe, expect, it } from "vitest";
import { createTenant, sql, stack, uniqueName } from "#e2e/fixtures.ts";
import type { Role } from "#lib/wire/access.ts";
import { pageOf } from "./page.ts";

const OURS = uniqueName("Ours");
const THEIRS = uniqueName("Theirs");

let tenant: string;
let other: string;
let ours: Record<"exception" | "reconciliation" | "webhook" | "api_key", string>;
let theirs: typeof ours;

beforeAll(async () => {
  [tenant, other] = await Promise.all([createTenant(), createTenant()]);
  [ours, theirs] = await Promise.all([
    createResources(tenant, OURS),
    createResources(other, THEIRS),
  ]);
});

/** Creates one resource of each kind, with the word in its name. */
async function createResources(id: string, word: string): Promise<typeof ours> {
  const [created] = await sql<typeof ours>(
    `with exception as (
       select id from private.change_exceptions('create', array[jsonb_build_object(
         'tenant_id', $1::text, 'title', $2::text, 'severity', 'high', 'due_at',
           now() + interval '1 hour', 'created_by', 'user:leo')])),
     reconciliation as (
       insert into public.reconciliations (tenant_id, name, period_start, period_end, left_source,
         right_source, created_by)
       values ($1, $2, '2026-10-01', '2026-10-31', 'stripe.payouts', 'bank.statement', 'user:leo')
       returning id),
     webhook as (
       insert into public.webhooks (tenant_id, url, description, events, created_by)
       values ($1, 'https://hooks.example.com/' || $2, $2, '{webhook.test}', 'user:ada')
       returning id),
     api_key as (
       insert into public.api_keys (tenant_id, key_id, name, scopes, created_by)
       values ($1, 'tk_' || substr(md5($2), 1, 22), $2, '{read:exceptions}', 'user:ada')
       returning id)
     select exception.id as exception, reconciliation.id as reconciliation, webhook.id as webhook,
       api_key.id as api_key
     from exception, reconciliation, webhook, api_key`,
    [id, word],
  );
  return created as typeof ours;
}

const as = (...roles: Role[]) => ({ [tenant]: roles });

describe("admin pages", () => {
  const pages = {
    "api-keys": "Admins manage API keys",
    webhooks: "Admins manage webhooks",
    "security-events": "Admins view security events",
  };
  for (const role of ["tenant_analyst", "tenant_lead"] as const) {
    it.each(Object.entries(pages))(
      `a ${role} reads who may see /%s, but none of its content`,
      async (path, heading) => {
        const { status, headings, text } = await pageOf(`/${tenant}/${path}`, as(role));
        expect(status).toBe(200);
        expect(headings).toContain(heading);
        expect(text).not.toContain(OURS);
      },
    );

    it(`a ${role} sees nothing of a webhook at its address`, async () => {
      const { headings, text } = await pageOf(`/${tenant}/webhooks/${ours.webhook}`, as(role));
      expect(headings).toContain("Admins manage webhooks");
      expect(text).not.toContain(OURS);
    });
  }

  it("an admin sees their content", async () => {
    for (const path of ["api-keys", "webhooks", `webhooks/${ours.webhook}`]) {
      expect((await pageOf(`/${tenant}/${path}`, as("tenant_admin"))).text, path).toContain(OURS);
    }
  });
});

it.each([
  "",
  "exceptions",
  "exceptions/import",
  "sla-policy",
  "calendars",
  "reconciliations",
  "integrations",
  "release-notes",
  "api-keys",
  "webhooks",
])(
  "a member without a role gets the shell at /%s, and nothing of the tenant's data",
  async (path) => {
    const { status, text } = await pageOf(`/${tenant}/${path}`, as());
    expect(status).toBe(200);
    expect(text).toMatch(/<nav[^>]*aria-label="Main"/);
    expect(text).not.toContain(OURS);
    expect(text).not.toContain('type="file"');
  },
);

describe("another tenant's", () => {
  it.each([
    "",
    "exceptions",
    "reconciliations",
    "integrations",
    "api-keys",
    "webhooks",
    "security-events",
    "nowhere",
  ])("/%s is 404, as for an unknown tenant", async (path) => {
    for (const id of [other, "no-such-tenant"]) {
      const { status, text } = await pageOf(`/${id}/${path}`, as("tenant_admin"));
      expect(status).toBe(404);
      expect(text).not.toContain(THEIRS);
      expect(text).not.toContain(`Tenant ${id}`);
    }
  });

  it("reconciliation is 404, as an unknown one", async () => {
    for (const id of [theirs.reconciliation, `rcn_${"0".repeat(32)}`, "x"]) {
      const { status, text } = await pageOf(`/${tenant}/reconciliations/${id}`, as("tenant_lead"));
      expect([id, status]).toEqual([id, 404]);
      expect(text).not.toContain(THEIRS);
    }
  });

  it("webhook is 404, as an unknown one", async () => {
    for (const id of [theirs.webhook, "whk_00000000000000000000", "nonsense"]) {
      const { status, text } = await pageOf(`/${tenant}/webhooks/${id}`, as("tenant_admin"));
      expect([id, status]).toEqual([id, 404]);
      expect(text).not.toContain(THEIRS);
    }
  });

  it("exceptions are not listed with one's own", async () => {
    const { text } = await pageOf(`/${tenant}/exceptions`, as("tenant_analyst"));
    expect(text).toContain(OURS);
    expect(text).not.toContain(THEIRS);
  });
});

it("an undeclared surface has no page", async () => {
  expect((await pageOf(`/${tenant}/runbooks`, as("tenant_admin"))).status).toBe(404);
});

it("an invalid tenant name has no updates page", async () => {
  for (const name of ["UPPER", "x'y", "%00"]) {
    expect((await pageOf(`/${name}/updates`)).status, name).toBeGreaterThanOrEqual(400);
  }
});

it("a tenant that doesn't exist has the same updates page as an empty one", async () => {
  const answer = await pageOf("/no-such-tenant/updates");
  expect(answer.status).toBe(200);
  expect(answer.text).toContain("No updates yet");
});

describe("no form of request gets a tenant's data without a session", () => {
  const forms: Record<string, Record<string, string>> = {
    "the page": {},
    "an RSC request": { RSC: "1" },
    "a prefetch": { RSC: "1", "Next-Router-Prefetch": "1" },
    "a request that pretends to be the proxy's own": {
      "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy",
    },
    "a session that is not ours": {
      Cookie: "tieout.session=eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA",
    },
  };
  it.each(Object.entries(forms))("%s", async (_form, headers) => {
    for (const path of [
      `/${tenant}/exceptions`,
      `/${tenant}/exceptions.rsc`,
      `/${tenant}/exceptions?_rsc=abc`,
    ]) {
      const { status, text } = await pageOf(path, undefined, headers);
      expect(text).not.toContain(OURS);
      expect(text).not.toContain(`Tenant ${tenant}`);
      expect([200, 404]).toContain(status);
    }
  });
});

it("pages carry their security headers, and a nonce that is new each time", async () => {
  const [first, second] = [await pageOf("/sign-in"), await pageOf("/sign-in")];
  const policyOf = ({ headers }: { headers: Headers }) =>
    headers.get("content-security-policy") ?? "";
  expect(policyOf(first)).toContain("frame-ancestors 'none'");
  expect(policyOf(first)).not.toContain("unsafe");
  expect(Object.fromEntries(first.headers)).toMatchObject({
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "strict-origin-when-cross-origin",
  });
  const nonceOf = (policy: string) => /'nonce-([^']+)'/.exec(policy)?.[1];
  expect(nonceOf(policyOf(first))).toBeTruthy();
  expect(nonceOf(policyOf(second))).not.toBe(nonceOf(policyOf(first)));
  for (const { text } of [first, second]) {
    expect(text).not.toMatch(/<[^>]+\sstyle=/);
    expect(text).not.toMatch(/<script(?![^>]*nonce=)/);
  }
});

it("the HTML of the updates contains only published records", async () => {
  const word = uniqueName("note");
  const records: [surface: string, owner: string, data: object, deleted: boolean][] = [
    [
      "release-notes",
      tenant,
      { title: `${word} out`, published: true, body: "Seen by all" },
      false,
    ],
    [
      "release-notes",
      tenant,
      { title: `${word} draft`, published: false, body: "Seen by none" },
      false,
    ],
    ["release-notes", tenant, { title: `${word} taken back`, published: true }, true],
    ["integrations", tenant, { name: `${word} inner`, published: true }, false],
    ["release-notes", other, { title: `${word} foreign`, published: true }, false],
  ];
  for (const [surface, owner, data, deleted] of records) {
    await sql(
      `insert into public.records (tenant_id, surface, data, deleted_at, created_by)
       values ($1, $2, $3, case when $4 then now() end, 'user:ada')`,
      [owner, surface, JSON.stringify(data), deleted],
    );
  }
  const { text } = await pageOf(`/${tenant}/updates`);
  expect(text).toContain(`${word} out`);
  expect(text).toContain("Seen by all");
  for (const hidden of ["draft", "taken back", "inner", "foreign"])
    expect(text, hidden).not.toContain(`${word} ${hidden}`);
  for (const hidden of ["Seen by none", stack.secretKey])
    expect(text, hidden).not.toContain(hidden);
});
