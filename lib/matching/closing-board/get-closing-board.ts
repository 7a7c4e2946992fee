import { z } from "zod";
import { readPage } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import { lastDayOf } from "../../wire/months.ts";
import type { BoardPair, getClosingBoardContract } from "./contract.ts";

type Query = z.output<(typeof getClosingBoardContract)["query"]>;
type Answer = z.input<(typeof getClosingBoardContract)["response"]>;

const BY_SOURCES = { name: "sources", key: z.tuple([z.string(), z.string()]) };

export function getClosingBoard(ctx: Context, { from, to, ...rest }: Query): Promise<Answer> {
  return readPage<BoardPair>(ctx, "get_closing_board", BY_SOURCES, {
    from: `${from}-01`,
    to: lastDayOf(to),
    ...rest,
  });
}
