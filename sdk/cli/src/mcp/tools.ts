import { basename } from "node:path";
import type { ImportPreview } from "../../../typescript/src/generated/types.gen.ts";
import type { Tieout } from "../../../typescript/src/index.ts";
import { readableFile } from "../input.ts";

type Input = Record<string, unknown>;
type Properties = Record<string, object>;

/** A tool of the model: its arguments, as JSON Schema, and its action. */
export type Tool = {
  name: string;
  description: string;
  properties: Properties;
  required: readonly string[];
  /** Omitted unless the person who starts the server allows writing. */
  writes: boolean;
  call: (tieout: Tieout, input: Input) => PromiseLike<unknown>;
};

const text = (description: string) => ({ type: "string", minLength: 1, description });
const limit = { type: "integer", minimum: 1, maximum: 100, description: "At most so many items." };
const exceptionId = { id: text("The exception's ID, exc_…") };
const periodId = { id: text("The reconciliation's ID, rcn_…") };
const score = { type: "number", minimum: 0, maximum: 1, description: "At least as probable." };
const file = {
  path: text("A file on this machine: CSV, .xlsx, camt, MT940, BAI2, OFX or JSON."),
  source_id: text("The source that its lines are of, src_…"),
};
const LIMIT_DEFAULT = 20;

function readTool(
  name: string,
  description: string,
  properties: Properties,
  call: Tool["call"],
  required: readonly string[] = [],
): Tool {
  return { name, description, properties, required, writes: false, call };
}

const idOf = ({ id }: Input) => String(id);

/** One page, with a low limit, because a model has to read all of it. */
const pageQuery = ({ limit: size = LIMIT_DEFAULT, ...query }: Input) => ({
  ...query,
  limit: Number(size),
});

async function previewImport(tieout: Tieout, { path, source_id }: Input): Promise<ImportPreview> {
  const opened = await readableFile(String(path));
  const query = { preview: true };
  return (await tieout.sources.createImport(String(source_id), opened, query)) as ImportPreview;
}

async function countSuggestions(tieout: Tieout, { id, min_score }: Input): Promise<number> {
  let count = 0;
  const suggested = { state: "suggested" as const };
  for await (const match of tieout.reconciliations.listMatches(String(id), suggested))
    if ((match.score ?? 0) >= Number(min_score)) count += 1;
  return count;
}

/**
 * The tools of a model. Closing a period, writing off, keys and webhooks are left to people,
 * whatever the credential allows.
 */
export const TOOLS: readonly Tool[] = [
  readTool("whoami", "The caller, its tenant and its permissions.", {}, (tieout) =>
    tieout.me.get(),
  ),
  readTool(
    "list_exceptions",
    "Exceptions: items to resolve before a deadline. Newest first.",
    {
      status: text("open, in_review, resolved or dismissed; several by commas."),
      severity: text("critical, high, medium or low; several by commas."),
      breach_risk: text("breached, high, medium or low; several by commas."),
      assigned_to: text("user:<name>."),
      q: text("Words of the title, the reason code or the ID."),
      limit,
    },
    (tieout, input) => tieout.exceptions.list(pageQuery(input)).page(),
  ),
  readTool(
    "get_exception",
    "One exception.",
    exceptionId,
    (t, input) => t.exceptions.get(idOf(input)),
    ["id"],
  ),
  readTool(
    "get_exception_history",
    "Every change of an exception, with its author.",
    exceptionId,
    (tieout, input) => tieout.exceptions.listHistory(idOf(input)).page(),
    ["id"],
  ),
  readTool(
    "list_reconciliations",
    "Periods of two sources that are compared.",
    { limit },
    (t, input) => t.reconciliations.list(pageQuery(input)).page(),
  ),
  readTool(
    "get_reconciliation",
    "One period.",
    periodId,
    (t, input) => t.reconciliations.get(idOf(input)),
    ["id"],
  ),
  readTool(
    "get_checklist",
    "The checks that a period must pass before it closes.",
    periodId,
    (tieout, input) => tieout.reconciliations.getChecklist(idOf(input)),
    ["id"],
  ),
  readTool(
    "get_proof",
    "The proof that no cent of a period is missing.",
    periodId,
    (tieout, input) => tieout.reconciliations.getProof(idOf(input)),
    ["id"],
  ),
  readTool(
    "list_open_lines",
    "Lines of a period without a match.",
    { ...periodId, limit },
    (tieout, { id, ...input }) =>
      tieout.reconciliations.listOpenLines(String(id), pageQuery(input)).page(),
    ["id"],
  ),
  readTool(
    "list_matches",
    "Matches of a period with their evidence.",
    { ...periodId, state: text("suggested, confirmed, rejected or undone."), limit },
    (tieout, { id, ...input }) =>
      tieout.reconciliations.listMatches(String(id), pageQuery(input)).page(),
    ["id"],
  ),
  readTool("list_sources", "The sources of lines.", { limit }, (tieout, input) =>
    tieout.sources.list(pageQuery(input)).page(),
  ),
  readTool(
    "list_events",
    "What happened in the last 30 days, oldest first.",
    {
      types: text("Event types; several by commas."),
      subject: text("An ID."),
      since: text("A time in UTC."),
      limit,
    },
    (tieout, input) => tieout.events.list(pageQuery(input)).page(),
  ),
  readTool(
    "preview_import",
    "What importing a file would do, and the questions that it leaves open. Nothing is saved.",
    file,
    previewImport,
    ["path", "source_id"],
  ),
  readTool(
    "count_suggestions",
    "How many suggested matches are at least as probable: what confirm_matches would confirm.",
    { ...periodId, min_score: score },
    async (tieout, input) => ({ count: await countSuggestions(tieout, input) }),
    ["id", "min_score"],
  ),
  {
    name: "confirm_matches",
    description: "Confirms suggested matches: all of them, or none if their number has changed.",
    properties: {
      ...periodId,
      min_score: score,
      expected_count: {
        type: "integer",
        minimum: 1,
        description: "The result of count_suggestions.",
      },
    },
    required: ["id", "min_score", "expected_count"],
    writes: true,
    call: (tieout, { id, min_score, expected_count }) =>
      tieout.matches.decide({
        action: "confirm",
        filter: { reconciliation_id: String(id), score_from: Number(min_score) },
        expected_count: Number(expected_count),
      }),
  },
  {
    name: "import_file",
    description: "Imports a file and waits until its lines are stored. Preview it first.",
    properties: file,
    required: ["path", "source_id"],
    writes: true,
    call: async (tieout, { path, source_id }) =>
      tieout.imports.createAndWait(String(source_id), await readableFile(String(path)), {
        file_name: basename(String(path)),
      }),
  },
];
