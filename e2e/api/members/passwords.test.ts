import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callAccount } from "#e2e/account-call.ts";
import {
  api,
  enrol,
  PASSWORD,
  sql,
  tablesHolding,
  transactionNow,
  uniqueName,
} from "#e2e/fixtures.ts";
import { linkIn, mailsTo, mailTo } from "#e2e/mailbox.ts";
import { signIn } from "#e2e/sign-in.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";

const NEW_PASSWORD = "correct horse battery";

const isSignedIn = async (cookies: string) =>
  (
    await api("GET", "/v1/me", {
      tenant: "acme",
      headers: { Cookie: cookies, "Sec-Fetch-Site": "same-origin" },
    })
  ).status === 200;

const canSignIn = async (email: string, password: string) =>
  (await signIn(email, password)).cookies.includes("tieout.session");

const mailsSent = () =>
  until(
    "the mails are sent",
    async () =>
      (await sql("select from graphile_worker.jobs where task_identifier = 'send_password_reset'"))
        .length === 0,
  );

describe("a forgotten password", () => {
  it("is replaced by a link that works once, and every session ends", async () => {
    const since = await transactionNow();
    const person = await enrol({ acme: ["tenant_lead"] });
    const { cookies } = await signIn(person.email);
    expect(await isSignedIn(cookies)).toBe(true);
    expect(await callAccount("forgot", { email: person.email.toUpperCase() })).toMatchObject({
      status: 200,
      json: {},
    });
    const { token, url } = linkIn(await mailTo(person.email));
    expect(new URL(url).pathname).toBe("/sign-in/reset");
    expect(await tablesHolding([token], since)).toEqual([]);
    expect((await callAccount("reset", { token, password: "too short" })).status).toBe(400);
    expect((await callAccount("reset", { token, password: NEW_PASSWORD })).status).toBe(200);
    expect(await isSignedIn(cookies)).toBe(false);
    expect([
      await canSignIn(person.email, PASSWORD),
      await canSignIn(person.email, NEW_PASSWORD),
    ]).toEqual([false, true]);
    expect((await callAccount("reset", { token, password: "yet another one" })).status).toBe(404);
    const events = await sql(
      "select from public.security_events where type = 'member.password_reset' and actor = $1",
      [`user:${person.name}`],
    );
    expect(events).toHaveLength(1);
    expect(await tablesHolding([NEW_PASSWORD], since)).toEqual([]);
  });

  it("accepts a reset link once, even concurrently", async () => {
    const person = await enrol({ acme: ["tenant_lead"] });
    await callAccount("forgot", { email: person.email });
    const { token } = linkIn(await mailTo(person.email));
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => callAccount("reset", { token, password: `${NEW_PASSWORD} ${n}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  });

  it("for an unknown address returns the same response, and sends no mail", async () => {
    const nobody = `${uniqueName("nobody")}@mail.example`;
    const banned = await enrol({ acme: ["tenant_lead"] });
    await sql("update auth.users set banned_until = '2999-01-01' where id = $1", [banned.id]);
    const known = await enrol({ acme: ["tenant_lead"] });
    const answers = [];
    for (const email of [nobody, banned.email, known.email])
      answers.push(await callAccount("forgot", { email }));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    await mailTo(known.email);
    await mailsSent();
    expect([mailsTo(nobody), mailsTo(banned.email)]).toEqual([[], []]);
  });

  it("takes the same time for an existing account", async () => {
    const person = await enrol({ acme: ["tenant_lead"] });
    const known: number[] = [];
    const unknown: number[] = [];
    for (let n = 0; n < 12; n++) {
      known.push((await callAccount("forgot", { email: person.email })).ms);
      unknown.push(
        (await callAccount("forgot", { email: `${uniqueName("nobody")}@mail.example` })).ms,
      );
    }
    // The fastest of the calls that send a mail, because other load slows some.
    const fastest = (times: number[]) => Math.min(...times.slice(0, 5));
    expect(fastest(known) / fastest(unknown)).toBeGreaterThan(1 / 3);
    expect(fastest(known) / fastest(unknown)).toBeLessThan(3);
    await mailsSent();
    // Only five of the twelve requests send a mail.
    expect(mailsTo(person.email)).toHaveLength(5);
  });

  it("has a link that expires after an hour", async () => {
    const person = await enrol({ acme: ["tenant_lead"] });
    await callAccount("forgot", { email: person.email });
    const { token } = linkIn(await mailTo(person.email));
    await sql("update private.password_resets set expires_at = now() where user_id = $1", [
      person.id,
    ]);
    expect((await callAccount("reset", { token, password: NEW_PASSWORD })).status).toBe(404);
  });
});

describe("a password", () => {
  it("needs the current one to be changed, which ends the other sessions", async () => {
    const person = await enrol({ acme: ["tenant_lead"] });
    const [here, elsewhere] = [
      (await signIn(person.email)).cookies,
      (await signIn(person.email)).cookies,
    ];
    const change = (current: string, cookies = here) =>
      callAccount("password", { current, password: NEW_PASSWORD }, { cookies });
    expect((await change(PASSWORD, "")).status).toBe(401);
    expect((await change("not this one")).json).toMatchObject({ errors: [{ path: "current" }] });
    expect((await change(PASSWORD)).status).toBe(200);
    expect([await isSignedIn(here), await isSignedIn(elsewhere)]).toEqual([true, false]);
    expect(await canSignIn(person.email, NEW_PASSWORD)).toBe(true);
  });

  it.each(["cross-site", "same-site", "none"])(
    "can't be requested, reset or changed from a page of %s origin",
    async (site) => {
      for (const call of ["forgot", "reset", "invitation", "accept", "password"] as const) {
        const answer = await callAccount(
          call,
          { email: "ada@acme.example" },
          { headers: { "Sec-Fetch-Site": site } },
        );
        expect(answer.status, call).toBe(401);
      }
    },
  );
});

describe("attempts with links and passwords", () => {
  let web: WebProcess;
  beforeAll(async () => {
    web = await startWebProcess({ AUTH_FAILURES_PER_MINUTE: "15" });
  });
  afterAll(() => web.stop());

  it("are limited like sign-in attempts", async () => {
    const statuses = async (call: "forgot" | "reset", body: () => object, times: number) => {
      const seen = [];
      for (let n = 0; n < times; n++)
        seen.push((await callAccount(call, body(), { url: web.url })).status);
      return seen;
    };
    const email = `${uniqueName("nobody")}@mail.example`;
    expect(
      (await statuses("forgot", () => ({ email }), 11)).filter((status) => status === 429),
    ).toHaveLength(1);
    const invalidReset = () => ({ token: "x".repeat(43), password: NEW_PASSWORD });
    expect(
      (await statuses("reset", invalidReset, 6)).filter((status) => status === 429).length,
    ).toBeGreaterThanOrEqual(1);
  });
});
