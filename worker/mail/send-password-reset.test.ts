import type { JobHelpers } from "graphile-worker";
import { expect, test } from "vitest";
import type { Mailer } from "./mailer.ts";
import { sendPasswordReset } from "./send-password-reset.ts";

test("a link whose mail can't be sent is forgotten, so that it isn't one of the five of an hour, and the job fails", async () => {
  const links = new Set<unknown>();
  async function query(statement: string, [first, second]: unknown[]) {
    if (statement.includes("begin_password_reset_mail")) links.add(second);
    if (statement.includes("delete_password_reset")) links.delete(first);
    return { rows: [{ mail: { email: "ada@acme.example" } }] };
  }
  let kept = 0;
  const mailer = {
    async send() {
      kept = links.size;
      throw new Error("The mail server is down.");
    },
  } as unknown as Mailer;
  const send = sendPasswordReset(mailer, "https://tieout.example");
  await expect(
    send({ email: "ada@acme.example" }, { query } as unknown as JobHelpers),
  ).rejects.toThrow("The mail server is down.");
  expect({ kept, left: links.size }).toEqual({ kept: 1, left: 0 });
});
