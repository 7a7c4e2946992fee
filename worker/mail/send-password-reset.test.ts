import type { JobHelpers } from "graphile-worker";
import { expect, test } from "vitest";
import type { Mailer } from "./mailer.ts";
import { sendPasswordReset } from "./send-password-reset.ts";

test("revokes a link whose mail failed, so that it doesn't count, and fails", async () => {
  const links = new Set<unknown>();
  async function query(statement: string, [first, second]: unknown[]) {
    if (statement.includes("begin_password_reset_mail")) links.add(second);
    if (statement.includes("delete_password_reset")) links.delete(first);
    return { rows: [{ mail: { email: "ada@acme.example" } }] };
  }
  let stored = 0;
  const mailer = {
    async send() {
      stored = links.size;
      throw new Error("The mail server is down.");
    },
  } as unknown as Mailer;
  const send = sendPasswordReset(mailer, "https://tieout.example");
  await expect(
    send({ email: "ada@acme.example" }, { query } as unknown as JobHelpers),
  ).rejects.toThrow("The mail server is down.");
  expect({ stored, left: links.size }).toEqual({ stored: 1, left: 0 });
});
