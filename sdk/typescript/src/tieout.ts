import { Events } from "./events.ts";
import { Resources, WebhooksResource } from "./generated/operations.gen.ts";
import type { TieoutOptions } from "./request.ts";
import { sender } from "./send.ts";
import { sign, unwrap } from "./webhooks.ts";

/** `tieout.webhooks` */
export class Webhooks extends WebhooksResource {
  /** Verifies a delivery and returns its event. @throws TieoutError `invalid_signature` */
  readonly unwrap = unwrap;
  /** The headers of a signed delivery, to test a receiver with. */
  readonly sign = sign;
}

/** The client, with one method for each operation of the API. */
export class Tieout extends Resources {
  override readonly events = new Events(this.send);
  override readonly webhooks = new Webhooks(this.send);

  constructor(options: TieoutOptions) {
    super(sender(options));
  }
}
