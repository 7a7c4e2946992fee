import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { id, page, pageQuery, time } from "../wire/schema.ts";

const sessionId = id("ses");
const tag = "Tenant";
const noun = "session";

export const session = z
  .object({
    id: sessionId,
    provider: z.string().max(32).meta({ description: "`password`, or the name of the identity provider.", example: "password" }),
    address: z.string().nullable().meta({ description: "Where it was signed in from.", example: "203.0.113.7" }),
    user_agent: z
      .string()
      .max(300)
      .nullable()
      .meta({ description: "What the browser called itself, its first 300 characters.", example: "Mozilla/5.0" }),
    started_at: time.meta({ description: "When you signed in." }),
    seen_at: time.meta({ description: "The last time that you did something with it, to about a minute." }),
    expires_at: time.meta({ description: "When it ends, whatever you do." }),
    ended_at: time.nullable().meta({ description: "When it was signed out; null: it goes on.", example: null }),
    current: z.boolean().meta({ description: "Whether this call was made with it.", example: true }),
  })
  .meta({ id: "Session" });
export type Session = z.output<typeof session>;

export const listSessionsContract = contract({
  operationId: "listSessions",
  method: "GET",
  path: "/v1/me/sessions",
  tag,
  noun,
  summary: "List where you are signed in",
  description: "Your own sessions in the dashboard that have not ended, newest first, whichever tenant you name.",
  access: needs("read:sessions"),
  query: z.strictObject(pageQuery),
  response: page(session),
});

export const endSessionContract = contract({
  operationId: "endSession",
  method: "DELETE",
  path: "/v1/me/sessions/{id}",
  tag,
  noun,
  summary: "Sign out one of your sessions",
  description: "Whoever has its cookie is signed out within `SESSION_CHECK_SECONDS` (60).",
  access: needs("write:sessions"),
  params: z.strictObject({ id: sessionId }),
  response: session,
});

export const endSessionsContract = contract({
  operationId: "endSessions",
  method: "DELETE",
  path: "/v1/me/sessions",
  tag,
  noun,
  summary: "Sign out everywhere",
  description: "Ends all of your sessions in the dashboard, the one that this call was made with included.",
  access: needs("write:sessions"),
  response: z.object({ ended: z.array(sessionId).max(100) }).meta({ id: "EndedSessions" }),
});
