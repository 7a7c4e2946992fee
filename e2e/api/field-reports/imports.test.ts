import { beforeAll, describe, expect, test } from "vitest";
import type { Import, ImportPreview } from "#lib/imports/contract.ts";
import {
  createSource,
  createTeam,
  importIn,
  linesOf,
  sendFile,
  type Team,
} from "../lines/ledgers.ts";
import { casesOf, fileOf, type ImportCheck, type ImportFile } from "./cases.ts";
import { type Done, faultsOf, isViolated } from "./judge-import.ts";

let team: Team;
beforeAll(async () => {
  team = await createTeam();
});

type Errors = { detail: string; errors?: { path: string; message: string }[] };

async function importFile(id: string, source: string, { file, format }: ImportFile) {
  const bytes = new Uint8Array(fileOf(id, file));
  const query = { file_name: file, ...(format && { format }) };
  const previewed = await sendFile(team, source, bytes, { query: { ...query, preview: "true" } });
  const preview = previewed.json as ImportPreview;
  const sent = await sendFile(team, source, bytes, { query });
  if (sent.status !== 202) {
    const { detail, errors = [] } = sent.json as Errors;
    const message = [detail, ...errors.map((error) => `${error.path}: ${error.message}`)].join(" ");
    const isQuestion = previewed.status === 200 && preview.questions.length > 0;
    return { preview, isQuestion, message, done: { refused: message } satisfies Done };
  }
  const found = await importIn(team, (sent.json as Import).id, ["done", "failed"]);
  if (found.status === "failed") {
    const message = found.failure ?? "";
    return { preview, isQuestion: false, message, done: { refused: message } satisfies Done };
  }
  const lines = await linesOf(team, { source_id: source, import_id: found.id });
  return { preview, isQuestion: false, message: "", done: { found, lines } satisfies Done };
}

describe.each(casesOf<ImportCheck>("import"))("$id: $title", ({ id, checks }) => {
  test.each(checks.map((check, at) => [at, check] as const))("check %i", async (_, check) => {
    const { currency } = check.into;
    const source = await createSource(team, check.into);
    for (const file of check.files) {
      const { done, isQuestion, message, preview } = await importFile(id, source.id, file);
      const place = `${id}/${file.file}`;
      for (const never of file.never ?? [])
        expect(isViolated(never, done, currency), `${place} never ${JSON.stringify(never)}`).toBe(
          false,
        );
      if (isQuestion && file.ask) {
        const named = (file.about ?? []).some((word) => new RegExp(word, "i").test(message));
        expect(named, `${place} asks about something else: ${message}`).toBe(true);
        continue;
      }
      const accepted = file.ask === "only" ? [] : [file.right, ...(file.tolerable ?? [])];
      const faults = accepted.map((outcome) => faultsOf(outcome, done, currency));
      expect(
        faults.some((found) => found.length === 0),
        `${place}: ${JSON.stringify(faults)}`,
      ).toBe(true);
      if ("found" in done && done.found)
        expect(
          [preview.read_count, preview.refused_count, preview.skipped_count],
          `${place}: the preview counts as the import does`,
        ).toEqual([done.found.read_count, done.found.refused_count, done.found.skipped_count]);
    }
  });
});
