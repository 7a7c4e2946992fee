/**
 * How much words that only one of two lines has count against a match. The losses are added up by
 * line and field in advance, so that a pair takes only a few additions.
 */
import type { Model } from "../evidence/model.ts";
import { FIELD_COUNT, type SideTexts } from "../prepare/texts.ts";
import type { Pool } from "./pool.ts";

/** Two sums for each field: for pairs in which the other line lacks it, and in which it has it. */
const CELLS = 2 * FIELD_COUNT;

/** The losses by the model as it was at the last call of `addUpSought`. */
export class Losses {
  /** The losses of the last seeking node. `seekerFields` has a bit for each of its fields. */
  private readonly seekerLosses = new Float64Array(CELLS);
  private seekerFields = 0;
  private readonly soughtLosses: Float64Array;
  private readonly soughtFields: Uint8Array;
  private readonly pool: Pool;
  private readonly model: Model;
  private readonly side: number;

  constructor(pool: Pool, model: Model) {
    const { sought } = pool;
    this.pool = pool;
    this.model = model;
    this.side = pool.seeking === "left" ? 0 : 1;
    this.soughtLosses = new Float64Array(sought.count * CELLS);
    this.soughtFields = new Uint8Array(sought.count);
  }

  /** Adds up the losses of all sought nodes. */
  addUpSought(): void {
    const { sought, soughtTexts, soughtRows } = this.pool;
    for (let node = 0; node < sought.count; node++) {
      this.soughtFields[node] = this.addUp(
        soughtTexts,
        1 - this.side,
        soughtRows[node] as number,
        this.soughtLosses,
        node * CELLS,
      );
    }
  }

  /** Adds up the losses of the next seeking node. */
  setSeeker(seeker: number): void {
    this.seekerFields = this.addUp(
      this.pool.seekersTexts,
      this.side,
      this.pool.seekersRows[seeker] as number,
      this.seekerLosses,
      0,
    );
  }

  /** A bit for each field that both the seeking node and a sought node have. */
  sharedFields(node: number): number {
    return this.seekerFields & (this.soughtFields[node] as number);
  }

  /** The loss of a field in which the two lines share no word. */
  lossOf(node: number, field: number, bothHave: number): number {
    return (
      (this.seekerLosses[2 * field + bothHave] as number) +
      (this.soughtLosses[node * CELLS + 2 * field + bothHave] as number)
    );
  }

  lossOfSeekerWord(word: number, bothHave: number): number {
    return this.model.wordLost(this.side, word, bothHave);
  }

  lossOfSoughtWord(word: number, bothHave: number): number {
    return this.model.wordLost(1 - this.side, word, bothHave);
  }

  private addUp(
    side: SideTexts,
    sideNumber: number,
    row: number,
    sums: Float64Array,
    from: number,
  ): number {
    let fields = 0;
    for (let field = 0; field < FIELD_COUNT; field++) {
      const cell = row * FIELD_COUNT + field;
      let withoutField = 0;
      let withField = 0;
      for (let at = side.start[cell] as number; at < (side.start[cell + 1] as number); at++) {
        withoutField += this.model.wordLost(sideNumber, side.words[at] as number, 0);
        withField += this.model.wordLost(sideNumber, side.words[at] as number, 1);
        fields |= 1 << field;
      }
      sums[from + 2 * field] = withoutField;
      sums[from + 2 * field + 1] = withField;
    }
    return fields;
  }
}
