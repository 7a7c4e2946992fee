import { indexOf } from "#components/docs/search/index-of.ts";
import { guides } from "../guides.ts";
import { reference } from "../reference.ts";

/** The index of the search. */
export async function GET(): Promise<Response> {
  return Response.json(indexOf(await guides(), reference()), {
    headers: { "Cache-Control": "public, max-age=300" },
  });
}
