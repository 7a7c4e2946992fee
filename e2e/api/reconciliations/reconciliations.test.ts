import { beforeAll, describe, expect, test } from "vitest";
import { api, createTenant, uniqueName, userToken } from "#e2e/fixtures.ts";
import { RECONCILIATION_STATUSES, type Reconciliation } from "#lib/reconciliations/contract.ts";
import type { Role } from "#lib/wire/access.ts";
import { expectProblem } from "../contracts/conformance.ts";

const PATH = "/v1/reconciliations";
const BODY = {
  name: "Stripe payouts to bank",
  period_start: "2026-10-01",
  period_end: "2026-10-31",
  left_source: "stripe.payouts",
  right_source: "bank.statement",
};

type Team = { tenant: string; admin: string };

async function createTeam(): Promise<Team> {
  const tenant = await createTenant();
  return { tenant, admin: await userToken(tenant, ["tenant_admin"]) };
}

let team: Team;
beforeAll(async () => {
  team = await createTeam();
});

const call = (
  { tenant, admin }: Team,
  method: string,
  path: string,
  body?: object,
  query?: Record<string, string>,
  bearer = admin,
) => api(method, path, { bearer, tenant, body, query });

async function create(fields: object = {}, owner = team): Promise<Reconciliation> {
  const { status, json, text } = await call(owner, "POST", PATH, { ...BODY, ...fields });
  expect(status, text).toBe(201);
  return json as Reconciliation;
}

async function get(id: string): Promise<Reconciliation> {
  return (await call(team, "GET", `${PATH}/${id}`)).json as Reconciliation;
}

async function list(
  owner: Team,
  query: Record<string, string> = {},
): Promise<{ items: Reconciliation[]; next_cursor: string | null }> {
  const { status, json, text } = await call(owner, "GET", PATH, undefined, query);
  expect(status, text).toBe(200);
  return json as { items: Reconciliation[]; next_cursor: string | null };
}

describe("a reconciliation", () => {
  test("is created with its fields and zero counts, and read back the same", async () => {
    const created = await create();
    expect(created).toEqual({
      ...BODY,
      id: expect.stringMatching(/^rcn_/),
      status: "open",
      matched_count: 0,
      unmatched_count: 0,
      excluded_count: 0,
      open_exceptions: 0,
      left_source_id: null,
      right_source_id: null,
      auto_run: true,
      preparing: false,
      closing: false,
      closing_failure: null,
      closed_at: null,
      closed_by: null,
      sign_off: null,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      created_by: "user:ada",
      updated_at: created.created_at,
    });
    expect(await get(created.id)).toEqual(created);
  });

  test("reads a UTC time as its day", async () => {
    expect(
      await create({
        period_start: "2026-10-01T00:00:00Z",
        period_end: "2026-10-31T23:59:59.999Z",
      }),
    ).toMatchObject({
      period_start: "2026-10-01",
      period_end: "2026-10-31",
    });
  });

  test("changes by patch, and only what the patch names", async () => {
    const created = await create({ matched_count: 10 });
    const { json } = await call(team, "PATCH", `${PATH}/${created.id}`, {
      unmatched_count: 7,
      name: "Renamed",
    });
    expect(json).toEqual({
      ...created,
      unmatched_count: 7,
      name: "Renamed",
      updated_at: expect.any(String),
    });
  });

  test.each([
    ["a period that ends before it starts", { period_end: "2026-09-30" }, "period_end"],
    ["a day that does not exist", { period_start: "2026-02-30" }, "period_start"],
    ["a year that no database has", { period_start: "0000-01-01" }, "period_start"],
    ["a year before all accounts", { period_start: "0001-01-01" }, "period_start"],
    ["a year after all accounts", { period_end: "9999-12-31" }, "period_end"],
    ["a local time", { period_start: "2026-10-01T00:00:00+02:00" }, "period_start"],
    ["a negative count", { matched_count: -1 }, "matched_count"],
    ["a count of a half", { matched_count: 0.5 }, "matched_count"],
    ["a count beyond exactness", { unmatched_count: 2 ** 53 }, "unmatched_count"],
    ["a count that is computed", { open_exceptions: 3 }, "open_exceptions"],
    ["a blank name", { name: "  " }, "name"],
    ["a name of null", { name: null }, "name"],
    ["a status to start with that is none", { status: "completed" }, "status"],
  ])("is not created with %s", async (_, fields, path) => {
    const answer = await call(team, "POST", PATH, { ...BODY, ...fields });
    expectProblem(answer, "invalid_request");
    expect((answer.json as { errors: { path: string }[] }).errors[0]?.path).toBe(path);
  });

  test("rejects a period that ends before it starts", async () => {
    const { id } = await create();
    for (const patch of [{ period_start: "2026-11-01" }, { period_end: "2026-09-30" }]) {
      const answer = await call(team, "PATCH", `${PATH}/${id}`, patch);
      expectProblem(answer, "invalid_request");
      expect((answer.json as { errors: { path: string }[] }).errors[0]?.path).toBe("period_end");
    }
    const moved = await call(team, "PATCH", `${PATH}/${id}`, {
      period_start: "2026-11-01",
      period_end: "2026-11-30",
    });
    expect(moved.status).toBe(200);
  });

  test("an analyst may read but not write, and a lead may do both", async () => {
    const as = (role: Role) => userToken(team.tenant, [role], "eve");
    const { id } = await create();
    const [lead, analyst] = await Promise.all([as("tenant_lead"), as("tenant_analyst")]);
    expect((await call(team, "GET", `${PATH}/${id}`, undefined, {}, analyst)).status).toBe(200);
    expectProblem(
      await call(team, "PATCH", `${PATH}/${id}`, { name: "x" }, {}, analyst),
      "role_required",
    );
    expectProblem(await call(team, "POST", PATH, BODY, {}, analyst), "role_required");
    expect(
      (await call(team, "PATCH", `${PATH}/${id}`, { name: "By the lead" }, {}, lead)).status,
    ).toBe(200);
  });
});

describe("the status of a reconciliation", () => {
  const ALLOWED_TRANSITIONS: Record<string, string[]> = {
    open: ["open", "in_progress", "archived"],
    in_progress: ["open", "in_progress", "completed", "archived"],
    completed: ["in_progress", "completed", "archived"],
    archived: ["archived"],
  };
  const STEPS_TO: Record<string, string[]> = {
    open: [],
    in_progress: ["in_progress"],
    completed: ["in_progress", "completed"],
    archived: ["archived"],
  };
  const moves = RECONCILIATION_STATUSES.flatMap((from) =>
    RECONCILIATION_STATUSES.map((to) => ({
      from,
      to,
      isAllowed: ALLOWED_TRANSITIONS[from]?.includes(to),
    })),
  );

  test.each(moves)("from $from to $to is allowed: $isAllowed", async ({ from, to, isAllowed }) => {
    const { id } = await create();
    for (const status of STEPS_TO[from] ?? [])
      expect((await call(team, "PATCH", `${PATH}/${id}`, { status })).status).toBe(200);
    const answer = await call(team, "PATCH", `${PATH}/${id}`, { status: to, name: "Moved" });
    if (isAllowed) expect(answer.json).toMatchObject({ status: to, name: "Moved" });
    else expectProblem(answer, "invalid_transition");
    expect(await get(id)).toMatchObject(
      isAllowed ? { status: to, name: "Moved" } : { status: from, name: BODY.name },
    );
  });

  test("accepts one of two conflicting transitions", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await create({ status: "in_progress" });
      const answers = await Promise.all(
        ["archived", "open", "completed"].map((status) =>
          call(team, "PATCH", `${PATH}/${id}`, { status }),
        ),
      );
      const { status } = await get(id);
      const accepted = answers
        .filter((answer) => answer.status === 200)
        .map(({ json }) => (json as Reconciliation).status);
      for (const answer of answers) expect([200, 409]).toContain(answer.status);
      expect(accepted).toContain(status);
      if (accepted.includes("archived")) expect(status).toBe("archived");
    }
  });
});

describe("the list", () => {
  test("is filtered by status and by a period that overlaps, newest first, page by page", async () => {
    const owner = await createTeam();
    const months = ["01", "02", "03", "04", "05", "06"];
    const ids: string[] = [];
    for (const month of months) {
      const period = { period_start: `2026-${month}-01`, period_end: `2026-${month}-28` };
      ids.unshift(
        (await create({ ...period, status: month === "03" ? "in_progress" : "open" }, owner)).id,
      );
    }
    const idsOf = async (query: Record<string, string>) =>
      (await list(owner, query)).items.map(({ id }) => id);
    const [june, may, april, march, february, january] = ids;
    expect(await idsOf({})).toEqual(ids);
    expect(await idsOf({ status: "in_progress" })).toEqual([march]);
    expect(await idsOf({ period_from: "2026-04-28" })).toEqual([june, may, april]);
    expect(await idsOf({ period_to: "2026-02-01" })).toEqual([february, january]);
    expect(await idsOf({ period_from: "2026-03-28", period_to: "2026-04-01" })).toEqual([
      april,
      march,
    ]);
    expect(await idsOf({ period_from: "2026-03-29", period_to: "2026-03-31" })).toEqual([]);
    expect(await idsOf({ period_from: "2026-03-01T00:00:00Z", status: "in_progress" })).toEqual([
      march,
    ]);
    const first = await list(owner, { limit: "4", status: "open" });
    expect(first.items.map(({ id }) => id)).toEqual([june, may, april, february]);
    const second = await list(owner, {
      limit: "4",
      status: "open",
      cursor: first.next_cursor as string,
    });
    expect(second).toMatchObject({ items: [{ id: january }], next_cursor: null });
  });
});

describe("its open exceptions", () => {
  const exception = (reconciliation_id: string | null) => ({
    title: uniqueName("Payout"),
    severity: "high",
    due_at: "2030-01-01T00:00:00.000Z",
    reconciliation_id,
  });
  const add = async (id: string) =>
    (await call(team, "POST", "/v1/exceptions", exception(id))).json as { id: string };
  const change = (id: string, body: object) => call(team, "PATCH", `/v1/exceptions/${id}`, body);

  test("are counted while open or in review, and move with the exception", async () => {
    const [left, right] = await Promise.all([create(), create()]);
    const { id } = await add(left.id);
    const counts = async () => [
      (await get(left.id)).open_exceptions,
      (await get(right.id)).open_exceptions,
    ];
    expect(await counts()).toEqual([1, 0]);
    await change(id, { status: "in_review" });
    expect(await counts()).toEqual([1, 0]);
    await change(id, { reconciliation_id: right.id });
    expect(await counts()).toEqual([0, 1]);
    await change(id, { status: "resolved", resolution: "Found." });
    expect(await counts()).toEqual([0, 0]);
    await change(id, { status: "open" });
    expect(await counts()).toEqual([0, 1]);
    await change(id, { reconciliation_id: null });
    expect(await counts()).toEqual([0, 0]);
    const listed = (await list(team, { limit: "250" })).items.find((item) => item.id === left.id);
    expect(listed?.open_exceptions).toBe(0);
  });

  test("are right after sixty concurrent writers, and the matched counts with them", async () => {
    const { id } = await create();
    const added = await Promise.all(Array.from({ length: 40 }, () => add(id)));
    const writes = [
      ...added
        .slice(0, 15)
        .map((item) => change(item.id, { status: "resolved", resolution: "Found." })),
      ...added.slice(15, 25).map((item) => change(item.id, { reconciliation_id: null })),
      ...Array.from({ length: 20 }, () => add(id)),
      call(team, "PATCH", `${PATH}/${id}`, { matched_count: 5000 }),
      call(team, "PATCH", `${PATH}/${id}`, { unmatched_count: 35 }),
      call(team, "PATCH", `${PATH}/${id}`, { status: "in_progress" }),
    ];
    await Promise.all(writes);
    expect(await get(id)).toMatchObject({
      open_exceptions: 35,
      matched_count: 5000,
      unmatched_count: 35,
      status: "in_progress",
    });
  });

  test("never count another tenant's exceptions", async () => {
    const other = await createTeam();
    const theirs = await create({}, other);
    const answer = await call(team, "POST", "/v1/exceptions", exception(theirs.id));
    expectProblem(answer, "invalid_request");
    expect((await call(other, "GET", `${PATH}/${theirs.id}`)).json).toMatchObject({
      open_exceptions: 0,
    });
  });
});
