import { ArrowLeftRight, FileQuestion, Landmark, type LucideIcon, NotebookText, ShoppingCart } from "lucide-react";
import type { Source } from "#lib/sources/contract.ts";

export const KIND_WORDS: Record<Source["kind"], string> = {
  bank_statement: "Bank statement",
  ledger: "Ledger",
  processor: "Payment processor",
  orders: "Orders",
  other: "Other",
};

export const KIND_ICONS: Record<Source["kind"], LucideIcon> = {
  bank_statement: Landmark,
  ledger: NotebookText,
  processor: ArrowLeftRight,
  orders: ShoppingCart,
  other: FileQuestion,
};

export const SIGN_WORDS: Record<Source["sign"], string> = {
  as_is: "Positive is money in",
  inverted: "Inverted: positive is money out",
};

/** "1,204 lines", "1 line". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
