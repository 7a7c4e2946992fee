import { expect, test } from "vitest";
import { rawMail } from "#e2e/bank-mail.ts";
import { attachmentsOf } from "./mail-attachments.ts";

const MAIL = {
  from: "statements@bank.example",
  to: "files-1@files.tieout.example",
  text: "Attached.",
};

/** A mail whose attachment has this encoding, as it comes over the wire. */
const encodedMail = (encoding: string, content: string) =>
  Buffer.from(
    [
      "From: statements@bank.example",
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b",
      "Content-Type: text/plain",
      "",
      "The text of the mail.",
      "--b",
      "Content-Type: text/csv",
      'Content-Disposition: attachment; filename="day.csv"',
      `Content-Transfer-Encoding: ${encoding}`,
      "",
      `${content}\r\n--b--`,
      "",
    ].join("\r\n"),
  );

test("returns the names and bytes of attachments, without the mail's text", async () => {
  const content = Buffer.from([0, 255, 13, 10, 46, 13, 10]);
  const statement = { filename: "Auszug März.sta", content };
  const raw = await rawMail({ ...MAIL, html: "<p>Attached.</p>", attachments: [statement] });
  expect(await attachmentsOf(raw)).toEqual([{ name: "Auszug März.sta", content }]);
});

test("a mail that is attached to another is one attachment", async () => {
  const forwarded = await rawMail({ ...MAIL, attachments: [{ filename: "a.csv", content: "1" }] });
  const raw = await rawMail({
    ...MAIL,
    attachments: [{ filename: "Fwd.eml", content: forwarded, contentType: "message/rfc822" }],
  });
  expect((await attachmentsOf(raw)).map(({ name }) => name)).toEqual(["Fwd.eml"]);
});

test.each([
  ["7bit", "a,b\r\n".repeat(100_000), "a,b\r\n".repeat(100_000)],
  ["base64", `${"YSxi".repeat(19)}\r\n`.repeat(10_000), "a,b".repeat(190_000)],
  ["quoted-printable", `${"=C3=A4,".repeat(10)}=\r\n`.repeat(10_000), "ä,".repeat(100_000)],
  ["quoted-printable", "a =3D\r\n".repeat(100_000), "a =\r\n".repeat(100_000)],
])("%s is decoded whole, wherever the mail is cut into pieces", async (encoding, sent, content) => {
  const [attachment] = await attachmentsOf(encodedMail(encoding, sent));
  expect(attachment?.content.equals(Buffer.from(content))).toBe(true);
});

test("other work continues while a large mail is read", async () => {
  let turns = 0;
  let isReading = true;
  const count = () => {
    turns++;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  await attachmentsOf(encodedMail("7bit", "2026-11-05,1.00,Line\r\n".repeat(100_000)));
  isReading = false;
  expect(turns).toBeGreaterThan(30);
});

test.each([
  ["many parts", encodedMail("7bit", "\r\n--b\r\n\r\nx".repeat(1_001))],
  ["long headers", Buffer.from(`${"X-Filler: 1\r\n".repeat(100_000)}\r\n`)],
  ["a long line of quoted-printable", encodedMail("quoted-printable", "=41".repeat(100_000))],
])("a mail with too %s is refused", async (_what, raw) => {
  await expect(attachmentsOf(raw)).rejects.toThrow(Error);
});
