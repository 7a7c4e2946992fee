/**
 * One receiver for all files that a process runs: each webhook has a path of its own there. It ends
 * with the process.
 */
import { Receiver } from "#e2e/webhooks/receiver.ts";

export const receiver = await Receiver.start();
