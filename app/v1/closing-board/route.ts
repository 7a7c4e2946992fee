import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getClosingBoardContract } from "#lib/matching/closing-board/contract.ts";
import { getClosingBoard } from "#lib/matching/closing-board/get-closing-board.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getClosingBoardContract, ({ ctx, query }) => getClosingBoard(ctx, query)),
);
