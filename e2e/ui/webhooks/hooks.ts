/** A tenant whose admin is signed in, and the receiver of its webhooks. */
import { expect, type Locator, type Page } from "@playwright/test";
import { type Behaviour, Receiver } from "../../webhooks/receiver.ts";
import { type Registered, Subscriber } from "../../webhooks/subscriber.ts";
import { beSignedIn } from "../person.ts";
import { test as plain } from "../test.ts";

class Hooks {
  readonly receiver: Receiver;
  readonly subscriber: Subscriber;

  constructor(receiver: Receiver, subscriber: Subscriber) {
    this.receiver = receiver;
    this.subscriber = subscriber;
  }

  get list(): string {
    return `/${this.subscriber.tenant}/webhooks`;
  }

  pageOf({ id }: { id: string }): string {
    return `${this.list}/${id}`;
  }

  /** Registers a webhook in the page with its own path, and returns its secret. */
  async register(page: Page, path: string): Promise<string> {
    await page.getByRole("button", { name: "Register webhook" }).click();
    await dialog(page).getByLabel("URL").fill(this.receiver.url(path));
    await dialog(page).getByRole("button", { name: "Copy the secret" }).click();
    const secret = await copiedText(page);
    await this.receiver.behave(path, { secrets: [secret], strict: true });
    await dialog(page).getByRole("button", { name: "Register webhook" }).click();
    await expect(page).toHaveURL(/\/webhooks\/whk_\w+$/);
    return secret;
  }

  /** Registers a webhook with this behaviour, and waits for the result of a first delivery. */
  async registerAndDeliver(behaviour: Behaviour): Promise<Registered> {
    const webhook = await this.subscriber.register(
      ["exception.created", "exception.updated"],
      behaviour,
    );
    const event = await this.subscriber.emit("exception.created", { note: "first" });
    await webhook.becomes(event, ["delivered", "retrying", "failed"]);
    return webhook;
  }
}

export const test = plain.extend<{ hooks: Hooks }, { receiver: Receiver }>({
  receiver: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from the pattern
    async ({}, use) => {
      const receiver = await Receiver.start();
      await use(receiver);
      await receiver.stop();
    },
    { scope: "worker" },
  ],
  hooks: [
    async ({ receiver, context }, use) => {
      const subscriber = await Subscriber.create(receiver);
      await beSignedIn(context, { [subscriber.tenant]: ["tenant_admin"] });
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await use(new Hooks(receiver, subscriber));
    },
    { auto: true },
  ],
});

export function dialog(page: Page): Locator {
  return page.getByRole("dialog").last();
}

export function panelOf(page: Page, kind: string): Locator {
  return page.getByRole("dialog", { name: `Delivery of ${kind}` });
}

export function copiedText(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Chooses an item in the menu “More actions” of a webhook's page. */
export async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: action }).click();
}
