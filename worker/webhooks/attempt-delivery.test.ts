import { expect, test } from "vitest";
import { AccessTokens } from "#lib/webhooks/access-token.ts";
import { createSender } from "#lib/webhooks/send.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import type { ClaimedDelivery } from "./queries.ts";

const claimed: ClaimedDelivery = {
  attempt_id: "1",
  delivery_id: "dlv_1",
  webhook_id: "whk_1",
  tenant_id: "acme",
  event_id: "evt_1",
  url: "https://hooks.example.com/",
  body: "{}",
  secrets: null,
  sent_at: "0",
  type: "run.done",
  request_id: null,
  headers: null,
  oauth: null,
};
const OAUTH = { token_url: "https://login.example.com/", client_id: "a", id: "whs_1", sealed: "" };

test.each([
  ["without a token", claimed, 5],
  ["that first needs a token", { ...claimed, oauth: OAUTH }, 2],
])(
  "an attempt %s doesn't start so late that it could outlast its lease",
  async (_, late, limit) => {
    const sender = createSender(new Set());
    const context = { sender, tokens: new AccessTokens(sender) };
    const stop = new AbortController().signal;
    const after = (seconds: number) =>
      attemptDelivery(context, late, performance.now() - seconds * 1000, stop);
    const tooLate = {
      interrupted: true,
      pause_seconds: 0,
      detail: expect.stringMatching(/before it/),
    };
    expect(await after(limit + 0.1)).toMatchObject(tooLate);
    // It starts, and finds no secret to sign with.
    expect(await after(limit - 0.5)).toMatchObject({ interrupted: true, pause_seconds: 60 });
    await sender.close();
  },
);
