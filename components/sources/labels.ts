import {
  ArrowLeftRight,
  FileQuestion,
  Landmark,
  type LucideIcon,
  NotebookText,
  ShoppingCart,
} from "lucide-react";
import type { Source } from "#lib/sources/contract.ts";

export const KIND_ICONS: Record<Source["kind"], LucideIcon> = {
  bank_statement: Landmark,
  ledger: NotebookText,
  processor: ArrowLeftRight,
  orders: ShoppingCart,
  other: FileQuestion,
};

export const SIGN_LABELS: Record<Source["sign"], string> = {
  as_is: "Positive is money in",
  inverted: "Inverted: positive is money out",
};

/** The note on a list of the first of `count`; false if all are listed. */
export function moreNote(listed: readonly unknown[], count: number): string | false {
  return count > listed.length && `and ${(count - listed.length).toLocaleString("en")} more.`;
}
