import { z } from "zod";
import { receiverUrl } from "../webhooks/contract.ts";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { actor, id, page, pageQuery, SECRET_FORMAT, text, time } from "../wire/schema.ts";

/** The alerts that a channel can receive: those that concern the whole tenant. */
export const CHANNEL_KINDS = [
  "exception_breached",
  "exception_at_risk",
  "webhook_failing",
  "api_key_expiring",
  "connection_failing",
] as const;
/** The alerts that a user can be mailed: the tenant's, and those that concern only them. */
export const ALERT_KINDS = [...CHANNEL_KINDS, "assigned", "mentioned"] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const ALERT_SCOPES = ["mine", "all", "off"] as const;

const channelId = id("ach");
const tag = "Alerts";
const noun = "alert channel";

const exceptionScope = z.enum(ALERT_SCOPES);
const settings = {
  exception_breached: exceptionScope.meta({
    description: "Exceptions past their deadline: yours, all, or none.",
    example: "mine",
  }),
  exception_at_risk: exceptionScope.meta({
    description: "Exceptions near their deadline.",
    example: "off",
  }),
  assigned: z.boolean().meta({ description: "Someone assigned you an exception." }),
  mentioned: z.boolean().meta({ description: "Someone mentioned you in a comment." }),
  webhook_failing: z
    .boolean()
    .meta({ description: "A webhook is failing or was disabled. For admins." }),
  api_key_expiring: z
    .boolean()
    .meta({ description: "An API key expires within 14, 3 or 1 days. For admins." }),
  connection_failing: z
    .boolean()
    .meta({ description: "A source's connection or one of its files fails. For admins." }),
};

export const notificationSettings = z
  .object({
    email: z
      .string()
      .nullable()
      .meta({
        description:
          "Where alerts are mailed. Null if you sign in with another identity provider, " +
          "whose users have no address here.",
        example: "ada@acme.example",
      }),
    ...settings,
  })
  .meta({ id: "NotificationSettings" });
export type NotificationSettings = z.output<typeof notificationSettings>;

export const getNotificationSettingsContract = contract({
  operationId: "getNotificationSettings",
  audience: "dashboard",
  method: "GET",
  path: "/v1/me/notifications",
  tag,
  noun: "notification settings",
  summary: "Get your notification settings",
  access: needs("read:notifications"),
  response: notificationSettings,
  resource: "versioned",
});

export const putNotificationSettingsContract = contract({
  operationId: "putNotificationSettings",
  audience: "dashboard",
  method: "PUT",
  path: "/v1/me/notifications",
  tag,
  noun: "notification settings",
  summary: "Change your notification settings",
  description:
    "Your own settings in this tenant. Alerts of one kind are mailed at most once a minute.",
  access: needs("write:notifications"),
  body: z.strictObject(settings),
  response: notificationSettings,
  resource: "versioned",
});

const name = text(120).meta({ example: "#recon-alerts" });
const kinds = z
  .array(z.enum(CHANNEL_KINDS))
  .min(1)
  .max(CHANNEL_KINDS.length)
  .refine((list) => new Set(list).size === list.length, "Name each kind once.")
  .meta({
    description: "The alerts that are sent to it.",
    example: ["exception_breached", "webhook_failing"],
  });
const url = receiverUrl.meta({
  description: "A Slack-compatible incoming webhook. It is a secret: sealed, and never returned.",
  example: "https://hooks.slack.example/services/T000/B000/XXXX",
  override: { format: SECRET_FORMAT, maxLength: 2048 },
});

export const alertChannel = z
  .object({
    id: channelId,
    name,
    url_hint: z.string().max(300).meta({
      description: "The URL's host and its last four characters.",
      example: "hooks.slack.example/…XXXX",
    }),
    kinds,
    last_sent_at: time.nullable(),
    last_failure_at: time
      .nullable()
      .meta({ description: "Null after a message was delivered.", example: null }),
    last_failure: z.string().max(500).nullable().meta({ example: null }),
    created_at: time,
    created_by: actor,
  })
  .meta({ id: "AlertChannel" });
export type AlertChannel = z.output<typeof alertChannel>;

const ofChannel = z.strictObject({ id: channelId });
const idempotency = { field: "idempotency_key", required: false } as const;

export const listAlertChannelsContract = contract({
  operationId: "listAlertChannels",
  method: "GET",
  path: "/v1/alert-channels",
  tag,
  noun,
  summary: "List alert channels, newest first",
  access: needs("read:alert-channels"),
  query: z.strictObject(pageQuery),
  response: page(alertChannel),
});

export const createAlertChannelContract = contract({
  operationId: "createAlertChannel",
  method: "POST",
  path: "/v1/alert-channels",
  tag,
  noun,
  summary: "Add an alert channel",
  description: "At most 20. The address must be public, like a webhook's.",
  access: needs("write:alert-channels"),
  idempotency,
  body: z.strictObject({ name, url, kinds }),
  response: alertChannel,
  resource: "versioned",
  status: 201,
  errors: ["conflict"],
});

export const getAlertChannelContract = contract({
  operationId: "getAlertChannel",
  method: "GET",
  path: "/v1/alert-channels/{id}",
  tag,
  noun,
  summary: "Get an alert channel",
  access: needs("read:alert-channels"),
  params: ofChannel,
  response: alertChannel,
  resource: "versioned",
});

export const updateAlertChannelContract = contract({
  operationId: "updateAlertChannel",
  method: "PATCH",
  path: "/v1/alert-channels/{id}",
  tag,
  noun,
  summary: "Change an alert channel",
  access: needs("write:alert-channels"),
  params: ofChannel,
  body: z.strictObject({ name, url, kinds }).partial(),
  response: alertChannel,
  resource: "versioned",
});

export const deleteAlertChannelContract = contract({
  operationId: "deleteAlertChannel",
  method: "DELETE",
  path: "/v1/alert-channels/{id}",
  tag,
  noun,
  summary: "Delete an alert channel",
  access: needs("write:alert-channels"),
  params: ofChannel,
  response: alertChannel,
  resource: "versioned",
});

export const testAlertChannelContract = contract({
  operationId: "testAlertChannel",
  method: "POST",
  path: "/v1/alert-channels/{id}/test",
  tag,
  noun,
  summary: "Send a test message",
  description: "Returns before the message is sent: last_sent_at or last_failure shows the result.",
  access: needs("write:alert-channels"),
  idempotency,
  params: ofChannel,
  response: alertChannel,
});
