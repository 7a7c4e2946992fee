import { answer } from "../../answer.js";

export const dynamic = "force-dynamic";

/** Reads the body, as every handler of a POST has to. */
export async function POST(request) {
  await request.text();
  return answer("POST /v1/exceptions", 201);
}
