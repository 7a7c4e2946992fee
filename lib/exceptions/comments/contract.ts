import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { EXCEPTION_COMMENTS } from "../../wire/facts.gen.ts";
import { actor, id, page, pageQuery, person, text, time, user } from "../../wire/schema.ts";
import { byId, exceptionId, tag } from "../contract.ts";

const commentId = id("cmt");
const example = "<@user:leo> the bank confirmed it for Monday.";

export const comment = z
  .object({
    id: commentId,
    exception_id: exceptionId,
    body: z
      .string()
      .max(EXCEPTION_COMMENTS.body.max)
      .meta({ description: "Plain text. `<@user:leo>` mentions a person.", example }),
    mentions: z
      .array(user)
      .max(EXCEPTION_COMMENTS.mentions.max)
      .meta({ description: "The people its body mentions, each once.", example: ["user:leo"] }),
    created_at: time,
    created_by: actor,
    ...person,
  })
  .meta({ id: "ExceptionComment" });
export type Comment = z.output<typeof comment>;

export const listExceptionCommentsContract = contract({
  operationId: "listExceptionComments",
  method: "GET",
  path: "/v1/exceptions/{id}/comments",
  tag,
  summary: "List an exception's comments, newest first",
  access: needs("read:exceptions"),
  params: byId,
  query: z.strictObject(pageQuery),
  response: page(comment),
});

export const createExceptionCommentContract = contract({
  operationId: "createExceptionComment",
  method: "POST",
  path: "/v1/exceptions/{id}/comments",
  tag,
  summary: "Comment on an exception",
  description:
    "Closed exceptions can be commented too. Comments can't be changed or deleted. " +
    "`<@user:leo>` in the body mentions a person; the event exception.commented lists the " +
    "mentions. At most 1,000 comments on an exception.",
  access: needs("write:exceptions"),
  idempotency: { field: "idempotency_key", required: false },
  params: byId,
  body: z.strictObject({
    body: text(EXCEPTION_COMMENTS.body.max).meta({
      description: "Plain text, never rendered as HTML or Markdown.",
      example,
    }),
  }),
  response: comment,
  status: 201,
  errors: ["conflict"],
});
