import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BREACH_RISKS } from "#lib/wire/facts.gen.ts";

export const THEMES = ["light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** A colour in both themes. */
export type Token = Record<Theme, string>;

export const RISKS = BREACH_RISKS;
export const TONES = ["neutral", "good", "info", "warning", "danger"] as const;

const DECLARATION = /--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)/g;

/**
 * The design's colours, read from their single source: "ink", "risk-badge of high", "tone-ink of
 * good".
 */
export function readTokens(): Map<string, Token> {
  const css = readFileSync(join(process.cwd(), "app/globals.css"), "utf8");
  const tokens = new Map<string, Token>();
  for (const [, selector = "", body = ""] of css.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    const [, of] = /\[data-(?:risk|tone)="(\w+)"\]/.exec(selector) ?? [];
    for (const [, name = "", light = "", dark = ""] of body.matchAll(DECLARATION)) {
      tokens.set(of ? `${name} of ${of}` : name.replace(/^color-/, ""), { light, dark });
    }
  }
  return tokens;
}

export type Pair = { ink: string; on: string; min: number };

/** Needs 4.5:1: each text colour on each background it's used on. */
const TEXT_MIN = 4.5;
/** For meaningful lines and marks. */
const MARK_MIN = 3;

const GROUNDS = ["canvas", "surface", "raised", "hover", "selected"];

/** Every pair of colours used together, with the contrast it needs. */
export const PAIRS: readonly Pair[] = [
  ...["ink", "muted"].flatMap((ink) => GROUNDS.map((on) => ({ ink, on, min: TEXT_MIN }))),
  ...["accent-text", "danger-text"].flatMap((ink) =>
    ["canvas", "surface", "raised", "hover"].map((on) => ({ ink, on, min: TEXT_MIN })),
  ),
  { ink: "accent-text", on: "accent-soft", min: TEXT_MIN },
  { ink: "danger-text", on: "danger-soft", min: TEXT_MIN },
  ...["accent", "accent-hover"].map((on) => ({ ink: "on-accent", on, min: TEXT_MIN })),
  ...["danger", "danger-hover"].map((on) => ({ ink: "on-danger", on, min: TEXT_MIN })),
  ...RISKS.flatMap((risk) => [
    ...["surface", "raised", "hover", "accent-soft", "canvas"].map((on) => ({
      ink: `risk-text of ${risk}`,
      on,
      min: TEXT_MIN,
    })),
    { ink: `risk-badge-ink of ${risk}`, on: `risk-badge of ${risk}`, min: TEXT_MIN },
  ]),
  ...TONES.map((tone) => ({
    ink: `tone-ink of ${tone}`,
    on: `tone-soft of ${tone}`,
    min: TEXT_MIN,
  })),
  ...["surface", "raised", "canvas"].flatMap((on) =>
    ["field", "focus", "accent", "warning"].map((ink) => ({ ink, on, min: MARK_MIN })),
  ),
];
