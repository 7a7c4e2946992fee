import { beforeAll, describe, expect, test } from "vitest";
import { expectProblem } from "../contracts/conformance.ts";
import { call, createRecord, createTeam, succeeded, type Team } from "./records.ts";

const SURFACE = "troubleshooting";

let team: Team;
beforeAll(async () => {
  team = await createTeam();
});

const at = (id: string) => `/v1/${SURFACE}/${id}`;

async function etagOf(id: string): Promise<string> {
  const tag = (await call(team, "GET", at(id))).headers.get("etag");
  expect(tag).toMatch(/^"[1-9]\d*-[\w-]{16}"$/);
  return tag as string;
}

describe("a record under concurrent writes", () => {
  test("accepts one of two changes of the same version, and the other receives 412", async () => {
    for (let round = 0; round < 20; round += 1) {
      const { id } = await createRecord(team, SURFACE, { count: 0 });
      const headers = { "If-Match": await etagOf(id) };
      const answers = await Promise.all(
        ["left", "right"].map((by) =>
          call(team, "PATCH", at(id), { body: { by, [by]: true }, headers }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      const [made, refused] = answers.sort((a, b) => a.status - b.status);
      if (!made || !refused) throw new Error("unreachable");
      expectProblem(refused, "precondition_failed");
      const now = await call(team, "GET", at(id));
      expect(now.text).toBe(made.text);
      expect(now.headers.get("etag")).toBe(made.headers.get("etag"));
      expect(now.headers.get("etag")).not.toBe(headers["If-Match"]);
    }
  });

  test("forty concurrent changes of forty fields are all applied", async () => {
    const { id } = await createRecord(team, SURFACE);
    const fields = Array.from({ length: 40 }, (_, index) => `field_${index}`);
    const answers = await Promise.all(
      fields.map((field) => call(team, "PATCH", at(id), { body: { [field]: field } })),
    );
    for (const answer of answers) succeeded(answer);
    expect(succeeded(await call(team, "GET", at(id)))).toMatchObject(
      Object.fromEntries(fields.map((field) => [field, field])),
    );
    expect(await etagOf(id)).toMatch(/^"41-/);
  });

  test("a counter with read, If-Match and retry loses no increment", async () => {
    const { id } = await createRecord(team, SURFACE, { count: 0 });
    const increment = async () => {
      for (;;) {
        const read = await call(team, "GET", at(id));
        const { count } = succeeded(read) as { count: number };
        const headers = { "If-Match": read.headers.get("etag") ?? "" };
        const { status } = await call(team, "PATCH", at(id), {
          body: { count: count + 1 },
          headers,
        });
        if (status === 200) return;
        expect(status).toBe(412);
      }
    };
    await Promise.all(Array.from({ length: 8 }, increment));
    expect(succeeded(await call(team, "GET", at(id)))).toMatchObject({ count: 8 });
  });

  test("accepts one of two concurrent deletions", async () => {
    const { id } = await createRecord(team, SURFACE);
    const answers = await Promise.all([call(team, "DELETE", at(id)), call(team, "DELETE", at(id))]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  });
});

describe("If-Match", () => {
  test("accepts the named version, also in a list, and any version with *", async () => {
    const { id } = await createRecord(team, SURFACE);
    for (const tags of ['"1"', '"7", "2"', "*"]) {
      succeeded(
        await call(team, "PATCH", at(id), { body: { tags }, headers: { "If-Match": tags } }),
      );
    }
  });

  test("rejects another version, a weak tag and a malformed one", async () => {
    const { id } = await createRecord(team, SURFACE);
    for (const tags of [
      '"2"',
      'W/"1"',
      '"01"',
      '"-1"',
      '"x"',
      '""',
      '"1e0"',
      '"99999999999999999999"',
    ]) {
      for (const method of ["PATCH", "DELETE"]) {
        const body = method === "PATCH" ? { a: 1 } : undefined;
        expectProblem(
          await call(team, method, at(id), { body, headers: { "If-Match": tags } }),
          "precondition_failed",
        );
      }
    }
    expect(succeeded(await call(team, "GET", at(id)))).not.toHaveProperty("a");
  });

  test("deletes the state it names", async () => {
    const { id } = await createRecord(team, SURFACE);
    const headers = { "If-Match": await etagOf(id) };
    succeeded(await call(team, "PATCH", at(id), { body: { a: 1 } }));
    expectProblem(await call(team, "DELETE", at(id), { headers }), "precondition_failed");
    succeeded(await call(team, "DELETE", at(id), { headers: { "If-Match": await etagOf(id) } }));
  });

  test("returns 404 for a record that doesn't exist", async () => {
    const { id } = await createRecord(team, SURFACE);
    succeeded(await call(team, "DELETE", at(id)));
    expectProblem(
      await call(team, "PATCH", at(id), { body: { a: 1 }, headers: { "If-Match": '"9"' } }),
      "not_found",
    );
  });

  test("a change without effect keeps the version", async () => {
    const created = await createRecord(team, SURFACE, { a: { b: [1] } });
    const etag = await etagOf(created.id);
    const answer = await call(team, "PATCH", at(created.id), {
      body: { a: { b: [1] }, missing: null },
    });
    expect(succeeded(answer)).toEqual(created);
    expect(answer.headers.get("etag")).toBe(etag);
  });
});
