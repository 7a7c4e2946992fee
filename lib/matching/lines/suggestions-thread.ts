/**
 * A worker thread that finds suggestions for lines: the engine must not block the event loop that
 * answers other calls.
 */
import { serveTasks } from "../../runtime/serve-tasks.ts";
import { suggestionsOf } from "./suggestions-of.ts";

serveTasks(suggestionsOf);
