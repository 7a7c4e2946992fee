import { amountMarks } from "../../../../wire/amount-marks.ts";
import type { Mapping } from "../../mapping.ts";
import { type Question, type TriedReading, tryReading } from "../csv-readings.ts";
import { shareOfSteps } from "../csv-steps.ts";
import type { Column, Table } from "../csv-table.ts";
import { magnitudeOf } from "./amount-signs.ts";

/**
 * The minimum share of a balance's steps that equal amounts; rows without an amount interrupt them.
 */
const MIN_STEPS_SHARE = 0.8;

/**
 * A table, and what is known about its money. The steps of `weigh` complete the mapping or add a
 * question.
 */
export class Evidence {
  readonly table: Table;
  readonly currency: string | undefined;
  mapping: Mapping;
  readonly questions: Question[] = [];

  constructor(table: Table, mapping: Mapping, currency: string | undefined) {
    this.table = table;
    this.mapping = mapping;
    this.currency = currency;
  }

  /** The column of signed amounts, in major or minor units. */
  get amountName(): string | undefined {
    return this.mapping.fields.amount ?? this.mapping.fields.amount_minor;
  }

  column(name: string | undefined): Column | undefined {
    return name === undefined ? undefined : this.table.columns.find((one) => one.name === name);
  }

  isMapped({ name }: Column): boolean {
    return Object.values(this.mapping.fields).includes(name);
  }

  unmapped(kind: Column["kind"]): Column[] {
    return this.table.columns.filter((one) => one.kind === kind && !this.isMapped(one));
  }

  try(changes: Partial<Mapping>): TriedReading {
    return tryReading(this.table, { ...this.mapping, ...changes }, this.currency);
  }

  /** Whether the steps between balances equal the amounts, regardless of their signs. */
  stepsAreAmounts(balances: readonly string[]): boolean {
    const { debit, credit } = this.mapping.fields;
    const columns = [this.amountName, debit, credit].flatMap((name) => this.column(name) ?? []);
    const sizes = this.table.rows.map((_, row) =>
      columns.map(({ all }) => magnitudeOf(all[row] ?? "", this.mapping)).find((size) => size > 0),
    );
    const values = balances.map((text) => {
      const size = magnitudeOf(text, this.mapping);
      return amountMarks(text)?.negative ? -size : size;
    });
    return shareOfSteps(values, sizes) >= MIN_STEPS_SHARE;
  }
}
