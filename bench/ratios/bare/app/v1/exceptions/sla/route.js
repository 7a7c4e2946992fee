import { answer } from "../../../answer.js";

export const dynamic = "force-dynamic";

export const GET = async () => answer("GET /v1/exceptions/sla", 200);
