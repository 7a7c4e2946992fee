export type { Call, List, WithResponse } from "./call.ts";
export { type ClientErrorCode, TieoutError } from "./errors.ts";
export type { Events, PollOptions, ReadEvent } from "./events.ts";
export { Export } from "./export.ts";
export type {
  ImportsResource as Imports,
  ReconciliationsResource as Reconciliations,
  RunsResource as Runs,
  TieoutEvent,
} from "./generated/operations.gen.ts";
export type * from "./generated/types.gen.ts";
export { toDecimal, toMinor } from "./money.ts";
export type { CallOptions, FileBody, TieoutOptions } from "./request.ts";
export { Tieout, type Webhooks } from "./tieout.ts";
export type { WaitOptions } from "./waits.ts";
export { type Delivery, type HeadersLike, type RawBody, sign, unwrap } from "./webhooks.ts";
