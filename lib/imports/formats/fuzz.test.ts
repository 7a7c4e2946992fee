import { expect, test } from "vitest";
import { fuzz } from "../../../bench/import-fuzzing.ts";
import { FORMATS } from "./mapping.ts";

test.each(FORMATS)(
  "300 broken %s files never crash or hang the reader, or yield a wrong amount",
  async (format) => {
    const { files, clean, unsound, misread, verified_wrong } = await fuzz(format, 300, 20_260_101);
    expect({ unsound, misread, verified_wrong }).toEqual({
      unsound: [],
      misread: [],
      verified_wrong: [],
    });
    // Some mutations are harmless: if all or none were refused, the test would prove nothing.
    expect(clean).toBeGreaterThan(0);
    expect(clean).toBeLessThan(files * 0.6);
  },
  120_000,
);
