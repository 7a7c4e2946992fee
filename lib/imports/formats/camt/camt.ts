import type { Format } from "../mapping.ts";
import type { Reader, Reading } from "../reader.ts";
import { type Place, refuseFile } from "../refusal.ts";
import { CamtStatement } from "./camt-statement.ts";
import { camtTransaction, MAX_TRANSACTIONS, type Transaction } from "./camt-transaction.ts";
import { XmlNode, xmlEvents } from "./xml-events.ts";

/**
 * ISO's namespaces, SWIFT's from the first years, and national ones that restrict ISO's
 * (`ISO:camt.053.001.02:APC:STUZZA:…`).
 */
export const CAMT_NAMESPACE = /(?<![a-z])(camt\.05[234])\.001\.(\d{2})(?!\d)/;
/** Namespaces of other ISO 20022 messages. */
const OTHER_MESSAGE = /(?<![a-z])[a-z]{4}\.\d{3}\.\d{3}\.\d{2}(?!\d)/;
export const CAMT_VERSIONS = { first: 1, last: 13 };
/** The format of a message whose namespace doesn't state it. */
export const CAMT_MESSAGES: Record<string, Format> = {
  BkToCstmrAcctRpt: "camt.052",
  BkToCstmrStmt: "camt.053",
  BkToCstmrDbtCdtNtfctn: "camt.054",
};

const STATEMENTS: Record<string, Format> = {
  Stmt: "camt.053",
  Rpt: "camt.052",
  Ntfctn: "camt.054",
};
/** The parts of a statement that are read; the others are ignored. */
const PARTS = new Set(["Id", "CreDtTm", "FrToDt", "Acct", "Bal", "TxsSummry", "Ntry"]);
/** The maximum number of elements of an entry without its transactions, and of a transaction. */
const MAX_NODES = 20_000;
/** The maximum length of an entry's text, which is in memory until the entry ends. */
const TEXT_MAX_LENGTH = 32 * 1024 * 1024;

/**
 * ISO 20022 camt.052, 053 and 054, versions 01 to 13. Booked entries become lines; pending and
 * information entries (PDNG, INFO, FUTR) are counted as skipped. An entry of several transactions
 * becomes one line each if their amounts add up to it, otherwise one line with the transactions in
 * its details. An entry with a reversal indicator keeps its sign: CdtDbtInd is the direction of the
 * entry itself.
 */
export function readCamt(reading: Reading, format: Format): Reader {
  let depth = 0;
  let statement: CamtStatement | undefined;
  let statementDepth = 0;
  let statements = 0;
  let message: string | undefined;
  let headerDate: string | undefined;
  /** The open elements of the part that is being read, outermost first. */
  const open: XmlNode[] = [];
  let nodes = 0;
  let textLength = 0;
  let transactionNodes = 0;
  let entryPlace: Place = { line: 1 };
  let transactions: Transaction[] = [];
  let transactionCount = 0;

  function begin(place: Place): void {
    statement = new CamtStatement(reading, format, place, headerDate);
    statementDepth = depth;
    statements++;
  }

  function requireFormat(uri: string, local: string, place: Place): void {
    const [, named, version] = CAMT_NAMESPACE.exec(uri) ?? [];
    const other = named === undefined ? OTHER_MESSAGE.exec(uri)?.[0] : undefined;
    const found = named ?? other ?? message ?? format;
    if (found !== format || STATEMENTS[local] !== format)
      throw refuseFile(place, null, "This is another kind of statement.", found, format);
    if (version === undefined) return;
    if (Number(version) >= CAMT_VERSIONS.first && Number(version) <= CAMT_VERSIONS.last) return;
    throw refuseFile(
      place,
      null,
      "This version is not known.",
      `${found}.001.${version}`,
      `${format}.001.01 to .${CAMT_VERSIONS.last}`,
    );
  }

  function finish(part: XmlNode): void {
    switch (part.name) {
      case "Ntry":
        statement?.entry(part, transactions, transactionCount, entryPlace);
        break;
      case "Bal":
        statement?.balance(part);
        break;
      case "GrpHdr":
        headerDate = part.get("CreDtTm");
        break;
      default:
        statement?.describe(part);
    }
  }

  return xmlEvents({
    open(tag, place) {
      depth++;
      const parent = open.at(-1);
      if (parent === undefined) {
        if (statement === undefined && tag.local !== "GrpHdr") {
          message = CAMT_MESSAGES[tag.local] ?? message;
          if (!Object.hasOwn(STATEMENTS, tag.local)) return;
          requireFormat(tag.uri, tag.local, place());
          return begin(place());
        }
        if (statement && (depth !== statementDepth + 1 || !PARTS.has(tag.local))) return;
        nodes = 0;
        textLength = 0;
        if (tag.local === "Ntry") {
          entryPlace = place();
          transactions = [];
          transactionCount = 0;
        }
      }
      if (tag.local === "TxDtls") transactionNodes = 1;
      else if (transactionNodes > 0) transactionNodes++;
      else nodes++;
      if (nodes > MAX_NODES || transactionNodes > MAX_NODES)
        throw refuseFile(
          place(),
          tag.local,
          "An entry has too many elements.",
          "",
          `at most ${MAX_NODES}`,
        );
      const node = new XmlNode(tag.local, tag.attributes.Ccy?.value);
      // Transactions aren't added to their entry, which may have many: each is read when it ends.
      if (tag.local !== "TxDtls") parent?.children.push(node);
      open.push(node);
    },
    text(text) {
      const node = open.at(-1);
      if (!node) return;
      textLength += text.length;
      if (textLength > TEXT_MAX_LENGTH)
        throw refuseFile(
          entryPlace,
          open[0]?.name ?? null,
          "An entry has too much text.",
          "",
          `at most ${TEXT_MAX_LENGTH} characters`,
        );
      node.text += text;
    },
    close() {
      depth--;
      const node = open.pop();
      if (node === undefined) {
        if (statement === undefined || depth !== statementDepth - 1) return;
        statement.close();
        statement = undefined;
      } else if (open.length === 0) finish(node);
      else if (node.name === "NtryDtls" && node.children.length === 0) {
        // Some banks wrap each transaction of an entry in an NtryDtls, which is empty by now.
        open.at(-1)?.children.pop();
        nodes--;
      } else if (node.name === "TxDtls" && open[0]?.name === "Ntry") {
        transactionNodes = 0;
        transactionCount++;
        if (transactionCount <= MAX_TRANSACTIONS) transactions.push(camtTransaction(node));
        else {
          transactions = [];
          textLength = 0;
        }
      }
    },
    end() {
      if (statements === 0)
        throw refuseFile({ line: 1 }, null, "The file has no statement.", "", format);
    },
  });
}
