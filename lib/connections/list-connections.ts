import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type Connection, connection, type listConnectionsContract } from "./contract.ts";

type Contract = typeof listConnectionsContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([connection.shape.id]) };

export function listConnections(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Connection>(ctx, "list_connections", NEWEST_FIRST, query);
}
