import { describe, expect, test } from "vitest";
import { check, type Expected, ofx, read, stmttrn } from "../field-report-cases.test-support.ts";

describe("OFX: days, ampersands, headers and what isn't read", () => {
  const day = (text: string) => ofx(stmttrn(text, "-5.00", "1"));
  const typed = (type: string, amount: string, id: string) =>
    stmttrn("20260601", amount, id).replace("OTHER", type);
  const spent: Expected = { lines: [[-500, "2026-06-01"]] };
  const xml = '<?xml version="1.0"?><?OFX OFXHEADER="200" VERSION="220"?>';
  const closed = (text: string) =>
    text
      .replace(/^[\s\S]*?(?=<OFX>)/, "")
      .replaceAll(
        /<(CURDEF|BANKID|ACCTID|ACCTTYPE|TRNTYPE|DTPOSTED|TRNAMT|FITID|NAME|MEMO)>([^<]*)/g,
        "<$1>$2</$1>",
      );
  const named = (name: string) => ofx(stmttrn("20260601", "-5.00", "1", `<NAME>${name}`));
  check([
    ["a zone's long name", day("20260601235959 Eastern Standard Time"), spent],
    ["an offset without brackets", day("20260601235959-0800"), spent],
    [
      "debits without a minus",
      ofx(typed("DEBIT", "45.20", "1") + typed("CREDIT", "300.00", "2")),
      {
        lines: [
          [4520, "2026-06-01"],
          [30000, "2026-06-01"],
        ],
        fileRefused: true,
        says: /which way the money goes/,
      },
    ],
    [
      "a card's debits as what is owed",
      ofx(typed("DEBIT", "45.20", "1") + typed("CREDIT", "-300.00", "2")),
      {
        lines: [
          [4520, "2026-06-01"],
          [-30000, "2026-06-01"],
        ],
        fileRefused: true,
        says: /which way the money goes/,
      },
    ],
    [
      "one debit given back among others",
      ofx(typed("DEBIT", "45.20", "1") + typed("POS", "-300.00", "2")),
      {
        lines: [
          [4520, "2026-06-01"],
          [-30000, "2026-06-01"],
        ],
      },
    ],
    ["ISO's dashes", day("2026-06-01T23:59:59Z"), spent],
    ["a half hour's zone in brackets", day("20260601000000.000[+5.5:IST]"), spent],
    ["a bracket that stays open", day("20260601120000[-3:BRT"), spent],
    ["day before month", day("01/06/2026"), { lines: [], refused: 1, says: /01\/06\/2026/ }],
    [
      "a bare ampersand at the end",
      xml + closed(named("MARKS &")),
      { ...spent, has: ['"MARKS &"'] },
    ],
    ["two of them in SGML", named("A && B"), { ...spent, has: ['"A && B"'] }],
    [
      "an entity of HTML",
      xml + closed(named("CAF&eacute; &amp; BAR")),
      { ...spent, has: ["CAF&eacute; & BAR"] },
    ],
    [
      "a number for a letter",
      xml + closed(named("M&#xFC;LLER &#38; CO")),
      { ...spent, has: ["MüLLER & CO"] },
    ],
    ["a smaller sign within a name", named("X < Y LTD"), { ...spent, has: ["X < Y LTD"] }],
    [
      "CDATA",
      xml + closed(named("@")).replace("@", "<![CDATA[A <b> & C]]>"),
      { ...spent, has: ["A <b> & C"] },
    ],
    [
      "an XML header over SGML, on a line",
      xml + named("SHOP").replace(/^[\s\S]*?(?=<OFX>)/, ""),
      { ...spent, has: ["SHOP"] },
    ],
    [
      "an SGML header over XML",
      named("SHOP").replace(/<OFX>[\s\S]*/, closed(named("SHOP"))),
      { ...spent, has: ["SHOP"] },
    ],
    ["no header at all", closed(named("SHOP")), { ...spent, has: ["SHOP"] }],
    [
      "empty elements",
      xml + closed(named("SHOP")).replace("</NAME>", "</NAME><MEMO/>"),
      { ...spent, has: ["SHOP"] },
    ],
    [
      "tags in small letters",
      xml +
        closed(named("SHOP")).replaceAll(
          /<(\/?)(\w+)>/g,
          (_, slash, tag) => `<${slash}${tag.toLowerCase()}>`,
        ),
      { ...spent, has: ["SHOP"] },
    ],
    [
      "a prefix before each tag",
      `${xml}${closed(named("SHOP"))
        .replaceAll(/<(\/?)(?=[A-Z])/g, "<$1o:")
        .replace("<o:OFX>", '<o:OFX xmlns:o="urn:ofx">')}`,
      { ...spent, has: ["SHOP"] },
    ],
    [
      "with pending ones",
      ofx(
        `${stmttrn("20260601", "-5.00", "1")}</BANKTRANLIST><BANKTRANLISTP><STMTTRNP><TRNTYPE>DEBIT<DTTRAN>20260602<TRNAMT>-9.00<NAME>HOLD</STMTTRNP></BANKTRANLISTP><BANKTRANLIST>`,
      ),
      { ...spent, skipped: 1 },
    ],
    [
      "a sale, a transfer and cash of a broker",
      "OFXHEADER:100\n\n<OFX><INVSTMTMSGSRSV1><INVSTMTTRNRS><INVSTMTRS><CURDEF>EUR<INVACCTFROM><BROKERID>b<ACCTID>9</INVACCTFROM><INVTRANLIST><SELLSTOCK><INVSELL><INVTRAN><FITID>1<DTTRADE>20260601</INVTRAN><TOTAL>50</INVSELL></SELLSTOCK><TRANSFER><INVTRAN><FITID>2<DTTRADE>20260601</INVTRAN></TRANSFER><INVBANKTRAN><STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260601<TRNAMT>-5.00<FITID>3</STMTTRN><SUBACCTFUND>CASH</INVBANKTRAN></INVTRANLIST></INVSTMTRS></INVSTMTTRNRS></INVSTMTMSGSRSV1></OFX>",
      { ...spent, skipped: 2 },
    ],
  ]);

  test("a file with another message type is refused with its name", async () => {
    const { messages } = await read(
      "OFXHEADER:100\n\n<OFX><LOANMSGSRSV1><LOANSTMTTRNRS></LOANSTMTTRNRS></LOANMSGSRSV1></OFX>",
    );
    expect(messages.join()).toMatch(/LOANMSGSRSV1/);
  });

  test("accounts of one number in one file share no ID, and a file of one keeps it short", async () => {
    const statement = (account: string) =>
      ofx(stmttrn("20260601", "-4.90", "1"), account).replace(
        /^[\s\S]*?<BANKMSGSRSV1>|<\/BANKMSGSRSV1>[\s\S]*$/g,
        "",
      );
    const file = (...accounts: string[]) =>
      `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1>${accounts.map(statement).join("")}</BANKMSGSRSV1></OFX>`;
    const ids = async (...accounts: string[]) =>
      (await read(file(...accounts))).lines.map(({ external_id }) => external_id);
    const [checking, savings, branch, other] = [
      "<BANKID>1<ACCTID>77<ACCTTYPE>CHECKING",
      "<BANKID>1<ACCTID>77<ACCTTYPE>SAVINGS",
      "<BANKID>1<BRANCHID>5<ACCTID>77<ACCTTYPE>CHECKING",
      "<BANKID>1<ACCTID>78<ACCTTYPE>CHECKING",
    ] as const;
    expect(await ids(checking)).toEqual(["77:1"]);
    expect(await ids(savings)).toEqual(["77:1"]);
    const all = await ids(checking, savings, branch, other);
    expect(new Set(all).size).toBe(4);
    expect(all[0]).toBe("77:1");
    expect(all[3]).toBe("78:1");
    expect(await ids(checking, checking)).toEqual(["77:1", "77:1"]);
  });
});
