import { z } from "zod";
import { savedFilters } from "../exceptions/filters/contract.ts";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { VIEWS } from "../wire/facts.gen.ts";
import { actor, id, page, pageQuery, text, time } from "../wire/schema.ts";

const viewId = id("viw");
const EXAMPLE = { severity: ["critical", "high"], assigned_to: ["me"] };

const settable = {
  name: text(VIEWS.name.max).meta({
    description: "The view's name.",
    example: "Mine, urgent",
  }),
  shared: z.boolean().meta({
    description: "Whether everyone in the tenant sees it. Otherwise only you.",
    example: true,
  }),
  filters: savedFilters.meta({
    description:
      "The filters of GET /v1/exceptions/sla, each with its values. `me` is the person viewing it.",
    example: EXAMPLE,
  }),
  sort_by: z.enum(VIEWS.sort_by).meta({ description: "The order, as sortBy.", example: "due_at" }),
};

export const view = z
  .object({
    id: viewId,
    ...settable,
    name: z.string().meta({ example: "Mine, urgent" }),
    open_count: z
      .int()
      .min(0)
      .nullable()
      .meta({
        description:
          "Open exceptions that match now. 10,000 stands for that many or more. Null: left out " +
          "of a long list.",
        example: 12,
      }),
    created_at: time,
    created_by: actor,
    updated_at: time,
  })
  .meta({ id: "View" });
export type View = z.output<typeof view>;

const tag = "Views";
const byId = z.strictObject({ id: viewId });
const idempotency = { field: "idempotency_key", required: false } as const;

export const listViewsContract = contract({
  operationId: "listViews",
  audience: "dashboard",
  method: "GET",
  path: "/v1/views",
  tag,
  summary: "List your views and those shared with you, oldest first",
  access: needs("read:views"),
  query: z.strictObject(pageQuery),
  response: page(view),
});

export const createViewContract = contract({
  operationId: "createView",
  audience: "dashboard",
  method: "POST",
  path: "/v1/views",
  tag,
  summary: "Save a view",
  description: "A view is a named set of exception filters. A person can have at most 50.",
  access: needs("write:views"),
  idempotency,
  body: z
    .strictObject({
      ...settable,
      shared: settable.shared.default(false),
      filters: settable.filters.default({}),
      sort_by: settable.sort_by.default("due_at"),
    })
    .meta({ example: { name: "Mine, urgent", shared: true, filters: EXAMPLE, sort_by: "due_at" } }),
  response: view,
  resource: "versioned",
  status: 201,
  errors: ["conflict"],
});

export const getViewContract = contract({
  operationId: "getView",
  audience: "dashboard",
  method: "GET",
  path: "/v1/views/{id}",
  tag,
  summary: "Get a view",
  access: needs("read:views"),
  params: byId,
  response: view,
  resource: "versioned",
});

export const updateViewContract = contract({
  operationId: "updateView",
  audience: "dashboard",
  method: "PATCH",
  path: "/v1/views/{id}",
  tag,
  summary: "Change a view",
  description:
    "A JSON merge patch (RFC 7396), except that filters are replaced as a whole. A shared view " +
    "can be changed by its creator or an admin.",
  access: needs("write:views"),
  params: byId,
  body: z
    .strictObject(settable)
    .partial()
    .meta({ example: { name: "Mine, urgent" } }),
  response: view,
  resource: "versioned",
});

export const deleteViewContract = contract({
  operationId: "deleteView",
  audience: "dashboard",
  method: "DELETE",
  path: "/v1/views/{id}",
  tag,
  summary: "Delete a view",
  description: "Can't be undone. A shared view can be deleted by its creator or an admin.",
  access: needs("write:views"),
  params: byId,
  response: z.object({ id: viewId, deleted: z.literal(true) }).meta({ id: "DeletedView" }),
  resource: "versioned",
});
