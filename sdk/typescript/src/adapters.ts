import { TieoutError } from "./errors.ts";
import { type Delivery, type HeadersLike, type RawBody, unwrap } from "./webhooks.ts";

type Secret = string | readonly string[];
/** Stores a delivery: what it doesn't throw for is answered with 204 and never sent again. */
export type DeliveryHandler = (delivery: Delivery) => unknown;
type NodeRequest = AsyncIterable<Uint8Array> & { headers: HeadersLike; body?: unknown };
type NodeResponse = { statusCode: number; end: () => unknown };
type FastifyLike = {
  addContentTypeParser: (
    type: string,
    options: { parseAs: "buffer" },
    parse: (request: unknown, body: Uint8Array, done: (e: null, body: Uint8Array) => void) => void,
  ) => unknown;
  post: (
    path: string,
    handle: (
      request: { headers: HeadersLike; body: Uint8Array },
      reply: { code: (status: number) => { send: () => unknown } },
    ) => unknown,
  ) => unknown;
};

/** A route of Next, or of anything that serves Fetch's requests: `export const POST = …` */
export function nextWebhook(secret: Secret, handle: DeliveryHandler) {
  return async (request: Request): Promise<Response> =>
    new Response(null, {
      status: await receive(await request.arrayBuffer(), request.headers, secret, handle),
    });
}

/** A handler for Hono: `app.post("/tieout", honoWebhook(secret, handle))` */
export function honoWebhook(secret: Secret, handle: DeliveryHandler) {
  const serve = nextWebhook(secret, handle);
  return (context: { req: { raw: Request } }): Promise<Response> => serve(context.req.raw);
}

/** A handler for Express, before `express.json()` or behind `express.raw()`. */
export function expressWebhook(secret: Secret, handle: DeliveryHandler) {
  return async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    let body = request.body as RawBody | undefined;
    if (body === undefined) {
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for await (const part of request) parts.push(part as Uint8Array<ArrayBuffer>);
      body = await new Blob(parts).arrayBuffer();
    }
    response.statusCode = await receive(body, request.headers, secret, handle);
    response.end();
  };
}

/** A plugin for Fastify: `app.register(fastifyWebhook("/tieout", secret, handle))` */
export function fastifyWebhook(path: string, secret: Secret, handle: DeliveryHandler) {
  return async (app: FastifyLike): Promise<void> => {
    const options = { parseAs: "buffer" } as const;
    app.addContentTypeParser("application/json", options, (_, body, done) => done(null, body));
    app.post(path, async ({ body, headers }, reply) =>
      reply.code(await receive(body, headers, secret, handle)).send(),
    );
  };
}

/** @returns the status to respond with */
async function receive(
  body: RawBody,
  headers: HeadersLike,
  secret: Secret,
  handle: DeliveryHandler,
): Promise<204 | 401> {
  let delivery: Delivery;
  try {
    delivery = await unwrap(body, headers, secret);
  } catch (error) {
    if (error instanceof TieoutError) return 401;
    throw error;
  }
  await handle(delivery);
  return 204;
}
