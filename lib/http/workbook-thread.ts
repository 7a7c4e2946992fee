/** A thread of its own, where workbooks are written: one of most rows holds an event loop for seconds. */
import type { MessagePort } from "node:worker_threads";
import { serveTasks } from "../runtime/serve-tasks.ts";
import { messagesOf } from "../runtime/threads.ts";
import type { Sheet } from "../wire/contract.ts";
import { type Item, writeSheets } from "./sheets.ts";
import type { ToWriter } from "./workbook.ts";

/** One task a workbook: its sheets. The items come by the port; where it closes before their end, the caller is gone. */
serveTasks(async (sheets: readonly Sheet[], port: MessagePort) => {
  const items: Item[] = [];
  for await (const message of messagesOf<ToWriter>(port)) {
    if (message === "end") return writeSheets(sheets, items);
    items.push(...message);
  }
});
