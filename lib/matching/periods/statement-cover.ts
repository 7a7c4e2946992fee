import type { PeriodSignature } from "../../reconciliations/contract.ts";
import type { Cover } from "../../wire/contract.ts";
import { periodOf } from "../../wire/period-name.ts";
import type { Statement } from "./contract.ts";

/** The title sheet of a statement's workbook: its content, its sources, and who signed it. */
export function statementCover(
  statement: Statement,
  signatures: readonly PeriodSignature[],
): Cover {
  const { name, left_source, right_source, as_of, closed_at, closed_by, proof } = statement;
  const [left, right] =
    left_source === right_source
      ? [`${left_source} (left)`, `${right_source} (right)`]
      : [left_source, right_source];
  return {
    name: "Statement",
    title: "Reconciliation statement",
    facts: [
      ["Reconciliation", name],
      ["Period", periodOf(statement)],
      ["Left source", left],
      ["Right source", right],
      ["Currencies", [...new Set(proof.items.map(({ currency }) => currency))].sort().join(", ")],
      closed_at === null
        ? ["Status", `Not closed, as of ${timeText(as_of)}`]
        : ["Status", `Closed ${timeText(closed_at)}`],
      ...signatures.map(({ kind, signed_by, signed_at }) =>
        signed(kind === "prepared" ? "Prepared by" : "Reviewed by", signed_by, signed_at),
      ),
      ...(closed_by && closed_at ? [signed("Closed by", closed_by, closed_at)] : []),
      ["Proof", proof.holds ? "Holds to the cent" : "Doesn't hold"],
      ["Signs", `Amounts without a source are ${left} less ${right}.`],
    ],
    sides: { left, right },
  };
}

function signed(fact: string, who: string, at: string): Cover["facts"][number] {
  return [fact, `${who.replace(/^user:/, "")}, ${timeText(at)}`];
}

/** "2026-11-30 14:02 UTC" */
function timeText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
