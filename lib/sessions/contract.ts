import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { id, page, pageQuery, time } from "../wire/schema.ts";

const sessionId = id("ses");
const tag = "Tenant";
const noun = "session";
const MAX_SESSIONS = 100;

export const session = z
  .object({
    id: sessionId,
    provider: z.string().max(32).meta({
      description: "`password`, or the name of the identity provider.",
      example: "password",
    }),
    address: z
      .string()
      .nullable()
      .meta({ description: "Where it was signed in from.", example: "203.0.113.7" }),
    user_agent: z.string().max(300).nullable().meta({
      description: "What the browser called itself, its first 300 characters.",
      example: "Mozilla/5.0",
    }),
    started_at: time.meta({ description: "When you signed in." }),
    seen_at: time.meta({
      description: "The last time that you did something with it, to about a minute.",
    }),
    expires_at: time.meta({ description: "When it ends, whatever you do." }),
    ended_at: time
      .nullable()
      .meta({ description: "When it ended. Null: it is active.", example: null }),
    current: z
      .boolean()
      .meta({ description: "Whether this call was made with it.", example: true }),
  })
  .meta({ id: "UserSession" });
export type Session = z.output<typeof session>;

export const listSessionsContract = contract({
  operationId: "listSessions",
  audience: "dashboard",
  method: "GET",
  path: "/v1/me/sessions",
  tag,
  noun,
  summary: "List your sessions",
  description: "Your own active dashboard sessions, newest first, whichever tenant you name.",
  access: needs("read:sessions"),
  query: z.strictObject(pageQuery),
  response: page(session),
});

export const endSessionsContract = contract({
  operationId: "endSessions",
  audience: "dashboard",
  method: "POST",
  path: "/v1/me/sessions/end",
  tag,
  noun,
  summary: "Sign out of all or some sessions",
  description:
    "Ends all your dashboard sessions, including the one making this call, or only those in " +
    "ids. Their cookies are refused within SESSION_CHECK_SECONDS (60).",
  access: needs("write:sessions"),
  idempotency: { field: "idempotency_key", required: false },
  body: z.strictObject({
    ids: z
      .array(sessionId)
      .min(1)
      .max(MAX_SESSIONS)
      .optional()
      .meta({
        description: "Only these sessions.",
        example: ["ses_019a9f4be2c04d6f8a1b3c5d7e9f0a2b"],
      }),
  }),
  response: z
    .object({
      ended: z
        .array(sessionId)
        .max(MAX_SESSIONS)
        .meta({ description: "The sessions that this call ended.", example: [] }),
    })
    .meta({ id: "EndedSessions" }),
});
