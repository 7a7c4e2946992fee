/**
 * Reads broken files of every format and prints what became of them (see `import-fuzzing.ts` for
 * what must hold).
 *
 *   node bench/fuzz-imports.ts [--seed 1] [--runs 50000] [format…]
 *
 * Ends with 1 if a reader crashed, hung, misread an amount or accepted totals that do not hold.
 */
import { parseArgs } from "node:util";
import { FORMATS, type Format } from "#lib/imports/formats/mapping.ts";
import { fuzz } from "./import-fuzzing.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string" }, runs: { type: "string", default: "50000" } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const formats = positionals.length > 0 ? (positionals as Format[]) : FORMATS;
console.log(`seed ${seed}, ${values.runs} files a format`);
const before = process.memoryUsage.rss();
const table: Record<string, unknown> = {};
for (const format of formats) {
  const { unsound, misread, verified_wrong, compensated, ...counts } = await fuzz(
    format,
    Number(values.runs),
    seed,
  );
  table[format] = {
    ...counts,
    compensated: compensated.length,
    unsound: unsound.length,
    misread: misread.length,
    verified_wrong: verified_wrong.length,
  };
  for (const [kind, list] of Object.entries({ unsound, misread, verified_wrong, compensated }))
    for (const what of list) console.log(`${format} ${kind}: ${what}`);
  if (unsound.length + misread.length + verified_wrong.length > 0) process.exitCode = 1;
}
console.table(table);
console.log(`memory added: ${Math.round((process.memoryUsage.rss() - before) / 1024 / 1024)} MB`);
