/** A receiver and a tenant that has webhooks registered there, for the tests of a file. */
import { afterAll } from "vitest";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { Subscriber } from "#e2e/webhooks/subscriber.ts";

export const receiver = await Receiver.start();
export const subscriber = await Subscriber.create(receiver);

afterAll(() => receiver.stop());
