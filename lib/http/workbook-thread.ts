/**
 * A worker thread that writes workbooks: one of 20,000 rows would block the event loop for seconds.
 */
import type { MessagePort } from "node:worker_threads";
import { serveTasks } from "../runtime/serve-tasks.ts";
import { messagesOf } from "../runtime/threads.ts";
import type { Sheet } from "../wire/contract.ts";
import { type Item, writeSheets } from "./sheets.ts";
import type { ToWriter } from "./workbook.ts";

/**
 * Each task is one workbook and starts with its sheets. The items arrive by the port; if it closes
 * before the cover, the caller has gone away.
 */
serveTasks(async (sheets: readonly Sheet[], port: MessagePort) => {
  const items: Item[] = [];
  for await (const message of messagesOf<ToWriter>(port)) {
    if ("cover" in message) return writeSheets(sheets, items, message.cover);
    items.push(...message);
  }
});
