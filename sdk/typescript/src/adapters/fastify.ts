import type { HeadersLike } from "../webhooks.ts";
import { type DeliveryHandler, receive, type Secret } from "./receive.ts";

/** The used part of an instance. Fastify's own type depends on its version. */
type Instance = {
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

/** A plugin for Fastify: `app.register(fastifyWebhook("/tieout", secret, handle))` */
export function fastifyWebhook(path: string, secret: Secret, handle: DeliveryHandler) {
  return async (instance: Record<keyof Instance, unknown>): Promise<void> => {
    const app = instance as Instance;
    const options = { parseAs: "buffer" } as const;
    app.addContentTypeParser("application/json", options, (_, body, done) => done(null, body));
    app.post(path, async ({ body, headers }, reply) =>
      reply.code(await receive(body, headers, secret, handle)).send(),
    );
  };
}
