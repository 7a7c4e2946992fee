import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import {
  type ConnectionFile,
  connectionFile,
  type listConnectionFilesContract,
} from "./contract.ts";

type Contract = typeof listConnectionFilesContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([connectionFile.shape.id]) };

export function listConnectionFiles(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<ConnectionFile>(ctx, "list_connection_files", NEWEST_FIRST, { ...query, id });
}
