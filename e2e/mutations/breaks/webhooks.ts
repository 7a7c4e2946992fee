import type { Break } from "../break.ts";

const SECRETS = "e2e/api/webhooks/secrets.test.ts";
const DELIVERY = "e2e/api/webhooks/delivery.test.ts";
const RETRY = "e2e/api/webhooks/retry.test.ts";
const PATIENCE = "e2e/api/webhooks/patience.test.ts";
const DISABLING = "e2e/api/webhooks/disabling.test.ts";

/** What is sent, how it is signed, and when it is given up. */
export const WEBHOOKS: Break[] = [
  {
    name: "ended-secret-still-signs",
    effect: "an earlier secret signs after its grace period",
    patch: {
      function: "private.begin_attempts",
      replace: "and (secret.expires_at is null or secret.expires_at > now())",
      by: "",
    },
    killedBy: { file: SECRETS, name: "ends every earlier secret at once with a grace period of 0" },
  },
  {
    name: "second-signature-skipped",
    effect: "during a rotation one secret alone signs",
    patch: {
      file: "worker/webhooks/attempt-delivery.ts",
      replace: "sign(claimed.event_id, sentAt, body, secretsOf(claimed))",
      by: "sign(claimed.event_id, sentAt, body, secretsOf(claimed).slice(0, 1))",
    },
    killedBy: {
      file: SECRETS,
      name: "signs with both secrets during the grace period, and then only with the new one",
    },
  },
  {
    name: "timestamp-not-signed",
    effect: "a message can be replayed with another time",
    patch: {
      file: "lib/webhooks/signature.ts",
      replace: "`${id}.${timestamp}.${body}`",
      by: "`${id}.${body}`",
      rebuild: false,
    },
    killedBy: { file: DELIVERY, name: "is signed as Standard Webhooks defines" },
  },
  {
    name: "unasked-events-sent",
    effect: "a webhook gets kinds that it did not ask for",
    patch: {
      function: "private.fan_out_events",
      replace: "else event.type = any (webhook.events)",
      by: "else true",
    },
    killedBy: {
      file: DELIVERY,
      name: "goes only to webhooks of its tenant that subscribe to its kind",
    },
  },
  {
    name: "no-caps",
    effect: "a receiver that hangs is sent everything at once",
    patch: {
      function: "private.deliveries_to_send",
      replace: "then 20 else 2 end as cap",
      by: "then 60 else 60 end as cap",
    },
    killedBy: {
      file: PATIENCE,
      name: "at most 20 requests are under way to each receiver, and 2 while they fail",
    },
  },
  {
    name: "impatient",
    effect: "a receiver has 5 seconds",
    patch: {
      file: "lib/webhooks/send.ts",
      replace: "const SEND_TIMEOUT_MS = 15_000;",
      by: "const SEND_TIMEOUT_MS = 5_000;",
      rebuild: false,
    },
    killedBy: { file: PATIENCE, name: "an attempt without a response times out" },
  },
  {
    name: "retries-too-soon",
    effect: "the second retry comes after a minute",
    patch: { function: "private.retry_schedule", replace: "5, 300, 1800", by: "5, 60, 1800" },
    killedBy: {
      file: RETRY,
      name: "is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, each ±20 %, with one ID, then fails",
    },
  },
  {
    name: "retries-together",
    effect: "all that failed comes back at the same moment",
    patch: { function: "private.retry_pause", replace: " * (0.8 + 0.4 * random())", by: "" },
    killedBy: { file: RETRY, name: "is not retried at the same time as the others" },
  },
  {
    name: "answers-kept-whole",
    effect: "a receiver fills our database",
    patch: {
      file: "lib/webhooks/receiver-response.ts",
      replace: "const STORED_BYTES_MAX = 16_384;",
      by: "const STORED_BYTES_MAX = 131_072;",
      rebuild: false,
    },
    killedBy: { file: RETRY, name: "of 10 MB is truncated to 16 kB" },
  },
  {
    name: "gone-is-asked-again",
    effect: "410 is a failure like any other",
    patch: {
      function: "private.settle_webhook_attempts",
      replace: "bool_or(verdict.active and verdict.status_code = 410) as gone",
      by: "false as gone",
    },
    killedBy: { file: DISABLING, name: "is sent nothing more" },
  },
  {
    name: "secret-outlives-its-webhook",
    effect: "the secret of a deleted webhook is kept",
    patch: {
      function: "private.delete_webhook_secrets",
      replace: "where secret.tenant_id = private.tenant_id() and secret.webhook_id = $1;",
      by: "where false;",
    },
    killedBy: {
      file: "e2e/api/webhooks/registration.test.ts",
      name: "a deleted one is removed with its secret",
    },
  },
  {
    name: "private-addresses-reached",
    effect: "a webhook reaches the metadata service",
    patch: {
      file: "lib/webhooks/connector.ts",
      replace:
        "if (isAddress(options.hostname) && !isPublicAddress(options.hostname))\n      return callback(blocked(), null);",
      by: "",
    },
    killedBy: {
      file: "lib/webhooks/connector.test.ts",
      name: "to the literal 127.0.0.1 is not made",
    },
  },
];
