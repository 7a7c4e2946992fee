/**
 * How much the words that only one of two lines has count against a match: added up by line and
 * field, so that a pair costs a few additions.
 */
import type { Model } from "../evidence/model.ts";
import { FIELD_COUNT, type SideTexts } from "../prepare/texts.ts";
import type { Pool } from "./pool.ts";

/** By field, whether the other line has it. */
const CELLS = 2 * FIELD_COUNT;

/** For a model as it was at the last call of `ask`. */
export class Losses {
  /** The losses of the last seeking node. `ownFields` has a bit for each field that it has. */
  readonly own = new Float64Array(CELLS);
  private ownFields = 0;
  private readonly others: Float64Array;
  private readonly otherFields: Uint8Array;
  private readonly pool: Pool;
  private readonly model: Model;
  private readonly side: number;

  constructor(pool: Pool, model: Model) {
    const { sought } = pool;
    this.pool = pool;
    this.model = model;
    this.side = pool.seeking === "left" ? 0 : 1;
    this.others = new Float64Array(sought.count * CELLS);
    this.otherFields = new Uint8Array(sought.count);
  }

  /** Asks the model of all sought nodes. */
  ask(): void {
    const { sought, soughtTexts, soughtRows } = this.pool;
    for (let node = 0; node < sought.count; node++) {
      this.otherFields[node] = this.addUp(
        soughtTexts,
        1 - this.side,
        soughtRows[node] as number,
        this.others,
        node * CELLS,
      );
    }
  }

  look(seeker: number): void {
    this.ownFields = this.addUp(
      this.pool.seekersTexts,
      this.side,
      this.pool.seekersRows[seeker] as number,
      this.own,
      0,
    );
  }

  /** Which fields the seeking node and a sought one both have. */
  shared(node: number): number {
    return this.ownFields & (this.otherFields[node] as number);
  }

  /** The loss of a field in which the two lines share no word. */
  of(node: number, field: number, bothHave: number): number {
    return (
      (this.own[2 * field + bothHave] as number) +
      (this.others[node * CELLS + 2 * field + bothHave] as number)
    );
  }

  ofOwnWord(word: number, bothHave: number): number {
    return this.model.wordLost(this.side, word, bothHave);
  }

  ofOtherWord(word: number, bothHave: number): number {
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
      let apart = 0;
      let both = 0;
      for (let at = side.start[cell] as number; at < (side.start[cell + 1] as number); at++) {
        apart += this.model.wordLost(sideNumber, side.words[at] as number, 0);
        both += this.model.wordLost(sideNumber, side.words[at] as number, 1);
        fields |= 1 << field;
      }
      sums[from + 2 * field] = apart;
      sums[from + 2 * field + 1] = both;
    }
    return fields;
  }
}
