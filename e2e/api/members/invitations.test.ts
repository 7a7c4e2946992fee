import { describe, expect, it } from "vitest";
import { callAccount } from "#e2e/account-call.ts";
import {
  api,
  createTenant,
  enrol,
  sql,
  tablesHolding,
  transactionNow,
  uniqueName,
  userToken,
} from "#e2e/fixtures.ts";
import { linkIn, mailsTo, mailTo } from "#e2e/mailbox.ts";
import { signIn } from "#e2e/sign-in.ts";
import type { Invitation } from "#lib/invitations/contract.ts";

const PASSWORD = "a password of my own";

async function tenantThatInvites() {
  const tenant = await createTenant();
  const bearer = await userToken(tenant, ["tenant_admin"]);
  const call = (method: string, path = "", body?: object) =>
    api(method, `/v1/tenants/${tenant}/invitations${path}`, { bearer, tenant, body });
  const invite = async (
    email = `${uniqueName("nia")}@mail.example`,
    roles = ["tenant_analyst"],
  ) => {
    const { status, json } = await call("POST", "", { email, roles });
    return { status, email, invitation: json as Invitation };
  };
  return { tenant, call, invite };
}

const allowResend = (id: string) =>
  sql("update public.invitations set requested_at = now() - interval '2 minutes' where id = $1", [
    id,
  ]);
/** Backdates the requests for mails by this interval. */
const backdateRequests = (id: string, span: string) =>
  sql(
    `update public.invitations set requested_at = requested_at - $2::interval,
       requests = array(select at - $2::interval from unnest(requests) at) where id = $1`,
    [id, span],
  );

describe("an invitation", () => {
  it("is mailed, sets a password, grants its roles, and works once", async () => {
    const { tenant, invite } = await tenantThatInvites();
    const { status, email, invitation } = await invite();
    expect(status).toBe(201);
    const mail = await mailTo(email);
    expect(mail.subject).toContain(`Tenant ${tenant}`);
    const { token, url } = linkIn(mail);
    expect(new URL(url).pathname).toBe("/sign-in/invitation");
    expect((await callAccount("invitation", { token })).json).toMatchObject({
      email,
      roles: ["tenant_analyst"],
      next: "set_password",
    });
    expect((await callAccount("accept", { token, password: PASSWORD })).json).toEqual({
      tenant_id: tenant,
    });

    const { cookies } = await signIn(email, PASSWORD);
    const me = await api("GET", "/v1/me", {
      tenant,
      headers: { Cookie: cookies, "Sec-Fetch-Site": "same-origin" },
    });
    expect(me.json).toMatchObject({
      principal: { name: email.split("@")[0], roles: ["tenant_analyst"] },
    });
    expect((await callAccount("accept", { token, password: PASSWORD })).status).toBe(404);
    const events = await sql(
      `select type, details from public.security_events where tenant_id = $1
         and type like 'member.%' order by seq`,
      [tenant],
    );
    expect(events).toMatchObject([
      { type: "member.invited", details: { email, roles: ["tenant_analyst"] } },
      {
        type: "member.admitted",
        details: { invitation: invitation.id, roles: { from: [], to: ["tenant_analyst"] } },
      },
    ]);
  });

  it("to a person with an account needs their sign-in, and keeps their password", async () => {
    const { tenant, invite } = await tenantThatInvites();
    const person = await enrol({ acme: ["tenant_lead"] });
    const other = await enrol({ acme: ["tenant_lead"] });
    await invite(person.email.toUpperCase(), ["tenant_lead", "tenant_admin"]);
    const { token } = linkIn(await mailTo(person.email));
    expect((await callAccount("accept", { token, password: PASSWORD })).status).toBe(409);
    const others = await signIn(other.email);
    expect(
      (await callAccount("invitation", { token }, { cookies: others.cookies })).json,
    ).toMatchObject({ next: "sign_in" });
    expect((await callAccount("accept", { token }, { cookies: others.cookies })).status).toBe(409);

    const { cookies } = await signIn(person.email);
    expect((await callAccount("accept", { token }, { cookies })).json).toEqual({
      tenant_id: tenant,
    });
    for (const [named, roles] of Object.entries({
      [tenant]: ["tenant_admin", "tenant_lead"],
      acme: ["tenant_lead"],
    })) {
      const me = await api("GET", "/v1/me", {
        tenant: named,
        headers: { Cookie: cookies, "Sec-Fetch-Site": "same-origin" },
      });
      expect(me.json).toMatchObject({ principal: { roles } });
    }
  });

  it("doesn't change the roles of a person who has become a member since", async () => {
    const { tenant, invite } = await tenantThatInvites();
    const person = await enrol({ acme: ["tenant_lead"] });
    await invite(person.email, ["tenant_analyst"]);
    const { token } = linkIn(await mailTo(person.email));
    await sql(
      `update auth.users set raw_app_meta_data =
         jsonb_build_object('tenants', jsonb_build_object($2::text, '["tenant_admin"]'::jsonb))
       where id = $1`,
      [person.id, tenant],
    );
    const { cookies } = await signIn(person.email);
    expect((await callAccount("accept", { token }, { cookies })).status).toBe(200);
    const me = await api("GET", "/v1/me", {
      tenant,
      headers: { Cookie: cookies, "Sec-Fetch-Site": "same-origin" },
    });
    expect(me.json).toMatchObject({ principal: { roles: ["tenant_admin"] } });
  });

  it("isn't blocked by an account with its address that nobody confirmed", async () => {
    const { tenant, invite } = await tenantThatInvites();
    const unconfirmed = await enrol({});
    await sql("update auth.users set email_confirmed_at = null where id = $1", [unconfirmed.id]);
    await invite(unconfirmed.email, ["tenant_analyst"]);
    const { token } = linkIn(await mailTo(unconfirmed.email));
    expect((await callAccount("accept", { token, password: PASSWORD })).json).toEqual({
      tenant_id: tenant,
    });
    const { cookies } = await signIn(unconfirmed.email, PASSWORD);
    const me = await api("GET", "/v1/me", {
      tenant,
      headers: { Cookie: cookies, "Sec-Fetch-Site": "same-origin" },
    });
    expect(me.json).toMatchObject({ principal: { roles: ["tenant_analyst"] } });
  });

  it("resent has a new link that replaces the old one; revoked or expired, none works", async () => {
    const { invite, call } = await tenantThatInvites();
    const { email, invitation } = await invite();
    const first = linkIn(await mailTo(email)).token;
    // As if requested just now, because sending the mail may have taken a minute.
    await sql("update public.invitations set requested_at = clock_timestamp() where id = $1", [
      invitation.id,
    ]);
    expect((await call("POST", `/${invitation.id}/resend`)).status).toBe(429);
    await allowResend(invitation.id);
    expect((await call("POST", `/${invitation.id}/resend`)).status).toBe(200);
    const second = linkIn(await mailTo(email, 2)).token;
    const statusOf = async (token: string) => (await callAccount("invitation", { token })).status;
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    await sql("update public.invitations set expires_at = now() where id = $1", [invitation.id]);
    expect(await statusOf(second)).toBe(404);
    await allowResend(invitation.id);
    await call("POST", `/${invitation.id}/resend`);
    const third = linkIn(await mailTo(email, 3)).token;
    expect((await call("DELETE", `/${invitation.id}`)).json).toMatchObject({ status: "revoked" });
    expect([
      await statusOf(third),
      (await callAccount("accept", { token: third, password: PASSWORD })).status,
    ]).toEqual([404, 404]);
    expect((await call("POST", `/${invitation.id}/resend`)).status).toBe(409);
  });

  it("never floods a mailbox: an address is invited at most five times an hour", async () => {
    const { invite, call } = await tenantThatInvites();
    const { email, invitation } = await invite();
    let last = invitation;
    for (let n = 2; n <= 5; n++) {
      await call("DELETE", `/${last.id}`);
      last = (await invite(email)).invitation;
    }
    await call("DELETE", `/${last.id}`);
    expect((await invite(email)).status).toBe(429);
    expect((await invite()).status).toBe(201);
  });

  it("never floods a mailbox: it is resent at most 5 times an hour and 10 times a day", async () => {
    const { invite, call } = await tenantThatInvites();
    const { id } = (await invite()).invitation;
    const sends = async (times: number) => {
      const statuses: number[] = [];
      for (let n = 0; n < times; n++) {
        await backdateRequests(id, "2 minutes");
        statuses.push((await call("POST", `/${id}/resend`)).status);
      }
      return statuses;
    };
    expect(await sends(5)).toEqual([200, 200, 200, 200, 429]);
    await backdateRequests(id, "1 hour");
    expect(await sends(6)).toEqual([200, 200, 200, 200, 200, 429]);
    await backdateRequests(id, "1 hour");
    expect(await sends(1)).toEqual([429]);
    await backdateRequests(id, "23 hours");
    expect(await sends(1)).toEqual([200]);
  });

  it("leaves its link nowhere but in the mail", async () => {
    const since = await transactionNow();
    const { invite } = await tenantThatInvites();
    const { email, invitation } = await invite();
    const { token } = linkIn(await mailTo(email));
    expect(JSON.stringify(invitation)).not.toContain(token);
    expect(await tablesHolding([token], since)).toEqual([]);
  });

  it("never reveals whether an account exists, and invites nobody twice", async () => {
    const { tenant, invite } = await tenantThatInvites();
    const known = await enrol({ acme: ["tenant_lead"] });
    const [to, toNobody] = [await invite(known.email), await invite()];
    const shape = ({
      id: _id,
      email: _email,
      created_at: _at,
      expires_at: _until,
      sent_at: _sent,
      ...rest
    }: Invitation) => rest;
    expect(shape(to.invitation)).toEqual(shape(toNobody.invitation));
    expect((await invite(known.email)).status).toBe(409);
    const member = await enrol({ [tenant]: ["tenant_lead"] });
    expect((await invite(member.email)).status).toBe(409);
  });

  it.each([
    "nia",
    "nia@",
    "nia@mail.example\r\nBcc: eve@evil.example",
    "a@b.example,c@d.example",
    "<nia@mail.example>",
    `${"n".repeat(250)}@mail.example`,
  ])("accepts exactly one address: %j", async (email) => {
    expect((await (await tenantThatInvites()).invite(email)).status).toBe(400);
  });

  it("shows the tenant's name as plain text", async () => {
    const { tenant, invite } = await tenantThatInvites();
    await sql("update public.tenants set name = $2 where id = $1", [
      tenant,
      "<img src=x>\r\nBcc: eve@evil.example",
    ]);
    const { email } = await invite();
    const mail = await mailTo(email);
    expect(mail.html).not.toContain("<img");
    expect(mail.subject).toContain("<img src=x> Bcc: eve@evil.example");
    expect(mailsTo("eve@evil.example")).toEqual([]);
  });
});
