import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { EXCEPTIONS } from "../../wire/facts.gen.ts";
import { text, timestamp } from "../../wire/schema.ts";
import { byId, exception, tag } from "../contract.ts";

export const pauseBody = z.strictObject({
  reason: text(EXCEPTIONS.pause_reason.max).meta({ example: "Waiting for the bank" }),
  until: timestamp
    .meta({ description: "When it resumes by itself.", example: "2026-11-23T09:00:00.000Z" })
    .nullable()
    .default(null),
});

export const pauseExceptionContract = contract({
  operationId: "pauseException",
  method: "POST",
  path: "/v1/exceptions/{id}/pause",
  tag,
  summary: "Pause an exception's clock",
  description:
    "While paused, it counts as on track, is listed last and crosses no threshold; due_at " +
    "is the deadline it would have if resumed now. Closing it ends the pause. 409 if it is " +
    "closed, paused or breached, or if the SLA policy allows no more pauses.",
  access: needs("write:exceptions"),
  idempotency: { field: "idempotency_key", required: false },
  params: byId,
  body: pauseBody,
  response: exception,
  resource: "unversioned",
  errors: ["conflict"],
});

export const resumeExceptionContract = contract({
  operationId: "resumeException",
  method: "POST",
  path: "/v1/exceptions/{id}/resume",
  tag,
  summary: "Resume an exception's clock",
  description:
    "It has the time left that it had when paused. Thresholds passed before the pause send " +
    "no second event.",
  access: needs("write:exceptions"),
  idempotency: { field: "idempotency_key", required: false },
  params: byId,
  response: exception,
  resource: "unversioned",
  errors: ["conflict"],
});
