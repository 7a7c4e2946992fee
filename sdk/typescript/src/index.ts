export { Call, type CallOptions, Export, type FileBody, List, type WithResponse } from "./call.ts";
export { type ClientErrorCode, TieoutError } from "./errors.ts";
export type { Events, PollOptions, ReadEvent } from "./events.ts";
export type { TieoutEvent } from "./generated/operations.gen.ts";
export type * from "./generated/types.gen.ts";
export { toDecimal, toMinor } from "./money.ts";
export { Tieout, type TieoutOptions, type Webhooks } from "./tieout.ts";
export type { Imports, Reconciliations, Runs, WaitOptions } from "./waits.ts";
export { type Delivery, type HeadersLike, type RawBody, sign, unwrap } from "./webhooks.ts";
