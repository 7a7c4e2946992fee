import { XmlNode } from "./xml-events.ts";

/**
 * The maximum number of transactions of an entry that become separate lines; an entry with more
 * stays one line.
 */
export const MAX_TRANSACTIONS = 50_000;

export type Amount = { text: string; ccy: string };

/** The content of a TxDtls as a few texts: an entry may have tens of thousands of them. */
export type Transaction = {
  amount: Amount | undefined;
  /** The transaction's other amounts, in any currency. */
  amounts: Amount[];
  /** CRDT or DBIT, if the transaction states it. */
  direction: string | undefined;
  reference: string | undefined;
  description: string | undefined;
  debtor: Party;
  creditor: Party;
  bankReference: string | undefined;
  paymentId: string | undefined;
  /** Names of details and their texts. */
  more: [string, string | undefined][];
};

export type Party = {
  name: string | undefined;
  account: string | undefined;
  bank: string | undefined;
  ultimate: string | undefined;
};

/** Texts that banks write for a missing value. */
const PLACEHOLDER = /^(?:NOT ?PROVIDED|NOTPROV|NON ?REF|NONE|NA|N\/A|N\.A\.?|UNKNOWN|-|0+)$/i;

const EMPTY = new XmlNode("");

/** A TxDtls of any version; `undefined` for an entry without one. */
export function camtTransaction(node: XmlNode = EMPTY): Transaction {
  const refs = node.child("Refs") ?? EMPTY;
  const remittance = node.child("RmtInf") ?? EMPTY;
  const structured = remittance.all("Strd");
  const creditorReference = firstOf(
    structured.map((part) =>
      withoutPlaceholder(part.get("CdtrRefInf", "Ref") ?? part.get("CdtrRefInf", "CdtrRef")),
    ),
  );
  const invoice = firstOf(
    structured.map((part) =>
      withoutPlaceholder(part.get("RfrdDocInf", "Nb") ?? part.get("RfrdDocInf", "RfrdDocNb")),
    ),
  );
  const ref = (name: string) => withoutPlaceholder(refs.get(name));
  const bankReference = ref("AcctSvcrRef");
  const endToEnd = ref("EndToEndId");
  const unstructured = remittance.all("Ustrd").map((part) => part.text.trim());
  const additional = structured.flatMap((part) =>
    part.all("AddtlRmtInf").map((text) => text.text.trim()),
  );
  const amounts = node.child("AmtDtls") ?? EMPTY;
  const exchange =
    amounts.at("TxAmt", "CcyXchg") ??
    amounts.at("InstdAmt", "CcyXchg") ??
    amounts.at("CntrValAmt", "CcyXchg");
  return {
    amount: moneyOf(node.child("Amt") ?? amounts.at("TxAmt", "Amt")),
    amounts: amountsOf(amounts),
    direction: node.get("CdtDbtInd"),
    reference:
      creditorReference ??
      endToEnd ??
      invoice ??
      ref("TxId") ??
      ref("InstrId") ??
      ref("PmtInfId") ??
      ref("ChqNb") ??
      ref("MsgId") ??
      bankReference,
    description: joined(unstructured) ?? joined(additional) ?? node.get("AddtlTxInf"),
    debtor: partyOf(node, "Dbtr"),
    creditor: partyOf(node, "Cdtr"),
    bankReference,
    paymentId: ref("PmtInfId"),
    more: [
      ["end_to_end_id", endToEnd],
      ["creditor_reference", creditorReference],
      ["invoice_number", invoice],
      ["transaction_id", ref("TxId")],
      ["instruction_id", ref("InstrId")],
      ["message_id", ref("MsgId")],
      ["mandate_id", ref("MndtId")],
      ["cheque_number", ref("ChqNb")],
      ["uetr", ref("UETR")],
      ["transaction_info", node.get("AddtlTxInf")],
      ["purpose", node.get("Purp", "Cd") ?? node.get("Purp", "Prtry")],
      ["return_reason", node.get("RtrInf", "Rsn", "Cd") ?? node.get("RtrInf", "Rsn", "Prtry")],
      ["instructed_amount", moneyText(amounts.at("InstdAmt", "Amt"))],
      ["counter_value", moneyText(amounts.at("CntrValAmt", "Amt"))],
      ["exchange_rate", exchange?.get("XchgRate")],
      ["charges", chargesOf(node)],
    ],
  };
}

/** Charges of an entry or a transaction, as text with their currency. */
export function chargesOf(node: XmlNode): string | undefined {
  const charges = node.child("Chrgs");
  if (!charges) return undefined;
  return moneyText(
    charges.child("TtlChrgsAndTaxAmt") ?? charges.child("Amt") ?? charges.at("Rcrd", "Amt"),
  );
}

/** PMNT/RCDT/ESCT, or the bank's own code. */
export function bankTransactionCode(node: XmlNode): string | undefined {
  const code = node.child("BkTxCd");
  const domain = [
    code?.get("Domn", "Cd"),
    code?.get("Domn", "Fmly", "Cd"),
    code?.get("Domn", "Fmly", "SubFmlyCd"),
  ]
    .filter(Boolean)
    .join("/");
  return domain || code?.get("Prtry", "Cd");
}

/** The amounts of AmtDtls, with the booked amount before the announced or ordered ones. */
export function amountsOf(details: XmlNode): Amount[] {
  return ["TxAmt", "CntrValAmt", "AnncdPstngAmt", "InstdAmt"]
    .map((name) => moneyOf(details.at(name, "Amt")))
    .filter((amount) => amount !== undefined);
}

export function moneyOf(node: XmlNode | undefined): Amount | undefined {
  const text = node?.text.trim();
  return node?.ccy !== undefined && text ? { text, ccy: node.ccy } : undefined;
}

function moneyText(node: XmlNode | undefined): string | undefined {
  const money = moneyOf(node);
  return money && `${money.ccy} ${money.text}`;
}

/** The text, unless it is a placeholder. */
export function withoutPlaceholder(text: string | undefined): string | undefined {
  return text === undefined || PLACEHOLDER.test(text) ? undefined : text;
}

function partyOf(node: XmlNode, role: "Dbtr" | "Cdtr"): Party {
  const parties = node.child("RltdPties") ?? EMPTY;
  const name = (element: string) =>
    parties.get(element, "Nm") ??
    parties.get(element, "Pty", "Nm") ??
    parties.get(element, "Agt", "FinInstnId", "Nm");
  const account = parties.at(`${role}Acct`, "Id");
  const agent = node.at("RltdAgts", `${role}Agt`, "FinInstnId");
  return {
    name: withoutPlaceholder(name(role)),
    account: account?.get("IBAN") ?? account?.get("Othr", "Id") ?? account?.get("PrtryAcct", "Id"),
    bank: agent?.get("BICFI") ?? agent?.get("BIC") ?? agent?.get("Nm"),
    ultimate: withoutPlaceholder(name(`Ultmt${role}`)),
  };
}

function firstOf(texts: (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined);
}

function joined(texts: string[]): string | undefined {
  return texts.filter((text) => text !== "").join(" ") || undefined;
}
