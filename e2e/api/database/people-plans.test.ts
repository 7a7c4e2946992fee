import { afterAll, beforeAll, expect, test } from "vitest";
import { createTenant, enrol, sql, uniqueName } from "#e2e/fixtures.ts";
import { Explainer } from "./explained.ts";

// The members of a tenant and the owner of an address are looked up often. The accounts of all
// tenants are in one table of Supabase Auth, to which we can't add an index.

/** Enough accounts that reading all of them isn't the cheapest plan. */
const OTHERS = 3_000;
/** More than the rows that other tests leave in any small table. */
const MAX_ROWS_READ = 1_000;
const explainer = new Explainer(/^(users|account_index)$/);

const elsewhere = uniqueName("elsewhere");
let tenant: string;
let admin: string;
let person: string;

beforeAll(async () => {
  tenant = await createTenant();
  admin = (await enrol({ [tenant]: ["tenant_admin"] })).id;
  person = (await enrol({ [tenant]: ["tenant_analyst"] })).id;
  await sql(
    `insert into auth.users (id, email, raw_app_meta_data)
     select gen_random_uuid(), $1 || i || '@elsewhere.example',
       jsonb_build_object('tenants', jsonb_build_array($1)) from generate_series(1, $2::int) i`,
    [elsewhere, OTHERS],
  );
  await sql("analyze private.account_index");
  await explainer.open();
});
afterAll(async () => {
  await explainer.close();
  await sql(
    `delete from auth.users
     where id in (select user_id from private.account_index where tenants @> array[$1])`,
    [elsewhere],
  );
});

const CALLS: Record<string, readonly [verb: string, input: () => object]> = {
  "who can be assigned to": ["list_members", () => ({ limit: 50 })],
  "the members": ["list_tenant_members", () => ({ limit: 50 })],
  "an invitation": [
    "create_invitation",
    () => ({ email: "new@tieout.example", roles: ["tenant_lead"] }),
  ],
  "another role": [
    "update_tenant_member",
    () => ({ id: admin, roles: ["tenant_admin", "tenant_lead"], issuer: "" }),
  ],
  "a removal": [
    "remove_tenant_member",
    () => ({ id: person, reason: null, issuer: "", hand_over: true, hand_over_to: null }),
  ],
  "one's alerts": ["get_notification_settings", () => ({ is_account: true })],
};

test.each(Object.entries(CALLS))(
  "%s reads the accounts of the tenant, not everybody's",
  async (_call, [verb, input]) => {
    expect(await explainer.excessiveReads(tenant, verb, input(), MAX_ROWS_READ)).toEqual([]);
  },
);

test.each(["find_account", "tenants_of_email"])(
  "private.%s finds an account by its address in any case",
  async (lookup) => {
    const { email } = await enrol({ [tenant]: ["tenant_lead"] });
    const [{ found } = { found: null }] = await sql<{ found: unknown }>(
      `select to_jsonb(private.${lookup}($1)) as found`,
      [email.toUpperCase()],
    );
    expect(JSON.stringify(found)).toContain(tenant);
  },
);
