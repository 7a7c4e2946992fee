import { answer } from "../../answer.js";

export const dynamic = "force-dynamic";

/** Takes in the body, as whoever answers a POST has to. */
export async function POST(request) {
  await request.text();
  return answer("POST /v1/exceptions", 201);
}
