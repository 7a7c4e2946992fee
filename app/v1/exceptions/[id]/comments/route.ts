import {
  createExceptionCommentContract,
  listExceptionCommentsContract,
} from "#lib/exceptions/comments/contract.ts";
import { createExceptionComment } from "#lib/exceptions/comments/create-exception-comment.ts";
import { listExceptionComments } from "#lib/exceptions/comments/list-exception-comments.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listExceptionCommentsContract, ({ ctx, params, query }) =>
    listExceptionComments(ctx, params.id, query),
  ),
  endpoint(createExceptionCommentContract, ({ ctx, params, body }) =>
    createExceptionComment(ctx, params.id, body.body),
  ),
);
