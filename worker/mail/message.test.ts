import { expect, test } from "vitest";
import { htmlOf, type Message, subjectOf, textOf } from "./message.ts";

const message = (given: Partial<Message>): Message => ({
  id: "inv_1",
  to: "nia@acme.example",
  subject: "Join Acme",
  paragraphs: ["Hello."],
  footer: "Sent by Tieout.",
  ...given,
});

test.each([
  "Join Acme\r\nBcc: eve@evil.example",
  "Join Acme\nBcc: eve@evil.example",
  "Join\u2028Acme\u0000\u0085Bcc: x",
  "Join\u202eAcme",
])("keeps the subject on one line, whatever a name contains: %j", (subject) => {
  expect(subjectOf(message({ subject }))).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});

test("escapes a tenant's name in HTML, in attributes too", () => {
  const evil = `<img src=x onerror="alert(1)">'&`;
  const html = htmlOf(
    message({
      paragraphs: [evil],
      items: [{ text: evil, detail: evil, url: `https://t.example/?q="><script>` }],
      action: { label: evil, url: `https://t.example/#"><script>` },
      footer: evil,
    }),
  );
  expect(html).not.toMatch(/<img|<script|onerror="/);
  expect(html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;");
});

test("has the same content in text and HTML", () => {
  const text = textOf(
    message({
      items: [{ text: "Payout\nmissing", detail: "Due 10:00", url: "https://t.example/1" }],
      action: { label: "Open", url: "https://t.example/" },
    }),
  );
  expect(text).toBe(
    "Hello.\n\n* Payout missing\n  Due 10:00\n  https://t.example/1\n\nOpen:\nhttps://t.example/\n\n--\nSent by Tieout.\n\n",
  );
});
