/**
 * Where lines are looked at for their suggestions: the engine must not hold the event loop that
 * answers others' calls.
 */
import { serveTasks } from "../../runtime/serve-tasks.ts";
import { suggestionsOf } from "./suggestions-of.ts";

serveTasks(suggestionsOf);
