import { describe, expect, test } from "vitest";
import { type ColourVision, contrast, distance, simulate } from "./colour.ts";
import { PAIRS, RISKS, readTokens, THEMES } from "./tokens.ts";

const tokens = readTokens();

function hex(name: string, theme: (typeof THEMES)[number]): string {
  const token = tokens.get(name);
  if (!token) throw new Error(`globals.css has no colour ${name}.`);
  return token[theme];
}

test("computes contrast as WCAG defines it", () => {
  expect(contrast("#ffffff", "#000000")).toBeCloseTo(21, 5);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});

describe.each(THEMES)("in the %s theme", (theme) => {
  test.each(PAIRS.map((pair) => [`${pair.ink} on ${pair.on}`, pair] as const))(
    "%s has enough contrast",
    (_, { ink, on, min }) => {
      expect(contrast(hex(ink, theme), hex(on, theme))).toBeGreaterThanOrEqual(min);
    },
  );

  const sights: ColourVision[] = ["usual", "protanopia", "deuteranopia", "tritanopia"];
  const pairs = RISKS.flatMap((risk, at) =>
    RISKS.slice(at + 1).map((other) => [risk, other] as const),
  );
  describe.each(sights)("for %s vision", (sight) => {
    test.each(pairs)("the badges of %s and %s differ", (a, b) => {
      const seen = (risk: string) => simulate(sight, hex(`risk-badge of ${risk}`, theme));
      expect(distance(seen(a), seen(b))).toBeGreaterThan(5);
    });
    test.each(["rail", "text"])("the %s of a breached exception has the most contrast", (part) => {
      const seen = (name: string) => simulate(sight, hex(name, theme));
      const [breached = 0, ...others] = RISKS.map((risk) =>
        contrast(seen(`risk-${part} of ${risk}`), seen("surface")),
      );
      expect(RISKS[0]).toBe("breached");
      expect(breached).toBeGreaterThan(Math.max(...others));
    });
    test.each(pairs)("the rails of %s and %s differ", (a, b) => {
      const seen = (risk: string) => simulate(sight, hex(`risk-rail of ${risk}`, theme));
      expect(distance(seen(a), seen(b))).toBeGreaterThan(5);
    });
  });
});
