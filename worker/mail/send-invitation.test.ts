import type { JobHelpers } from "graphile-worker";
import { expect, test } from "vitest";
import type { Mailer } from "./mailer.ts";
import type { Message } from "./message.ts";
import { sendInvitation } from "./send-invitation.ts";

test("an inviter's name, which anyone can choose, isn't in the subject", async () => {
  const mail = {
    email: "nora@acme.example",
    tenant_name: "Acme Corporation",
    invited_by: "user:Urgent_payment_needed",
    roles: ["tenant_lead"],
    expires_at: "2026-12-04T09:30:00.000Z",
  };
  const query = async (statement: string) => ({
    rows: statement.includes("begin_invitation_mail") ? [{ mail }] : [],
  });
  const sent: Message[] = [];
  const mailer = { send: async (message: Message) => void sent.push(message) } as unknown as Mailer;
  await sendInvitation(mailer, "https://tieout.example")(
    { tenant_id: "acme", invitation_id: "inv_1" },
    { query } as unknown as JobHelpers,
  );
  expect(sent.map(({ subject }) => subject)).toEqual([
    "Invitation to join Acme Corporation on Tieout",
  ]);
  expect(sent[0]?.paragraphs.join(" ")).toContain("Urgent_payment_needed");
});
