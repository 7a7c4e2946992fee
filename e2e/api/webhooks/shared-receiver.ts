/**
 * One receiver for all files of a process: each webhook has its own path there. It ends with the
 * process.
 */
import { Receiver } from "#e2e/webhooks/receiver.ts";

export const receiver = await Receiver.start();
