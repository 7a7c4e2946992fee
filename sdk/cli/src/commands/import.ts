import { confirm, select } from "@clack/prompts";
import type { Import, ImportPreview, Source } from "../../../typescript/src/generated/types.gen.ts";
import type { Tieout } from "../../../typescript/src/index.ts";
import { answerOf, isInteractive } from "../ask.ts";
import { connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { fileOf, nameOf, pairOf } from "../input.ts";
import { facts, print, progressReporter, waitingFor } from "../output.ts";

type ImportOptions = GlobalOptions & {
  source: string;
  preview?: boolean;
  wait?: boolean;
  answer: string[];
  saveMapping?: boolean;
};
export const SAVE_QUESTION = "Save these answers with the source?";
type Mapping = Record<string, unknown> & { fields?: Record<string, unknown> };

/**
 * Imports a file. The file's open questions are answered by --answer or at the terminal; otherwise
 * they are printed and nothing is imported.
 */
export async function importFile(path: string, options: ImportOptions): Promise<void> {
  const file = await fileOf(path);
  const { tieout } = await connect(options);
  const source = await sourceOf(tieout, options.source);
  const { preview, answers } = await answerQuestions(tieout, source, file, options);
  if (options.preview) {
    print(options, preview, summaryOf(preview));
    requireAllRows(preview, "Rows that would be rejected");
    return;
  }
  const mapping = preview.mapping as Mapping | null;
  const query = {
    file_name: nameOf(path),
    ...(mapping && answers > 0 && { mapping: JSON.stringify(mapping) }),
  };
  if (mapping && answers > 0 && (await savesMapping(options)))
    await saveMapping(tieout, source.id, mapping);
  const onProgress = progressReporter<Import>(
    options,
    ({ status, read_count }) => `${status}: ${read_count} lines`,
  );
  const done = options.wait
    ? await waitingFor(
        "the import",
        tieout.imports.createAndWait(source.id, file, query, { onProgress }),
      )
    : ((await tieout.sources.createImport(source.id, file, query)) as Import);
  print(options, done, options.wait ? outcomeOf(done) : `${done.id} is ${done.status}`);
  if (options.wait) requireAllRows(done, "Rejected rows");
}

/** The accepted rows stay: the exit code tells a script that the file was not imported in full. */
function requireAllRows({ refused_count }: { refused_count: number }, what: string): void {
  if (refused_count > 0) throw new CliError(EXIT.rowsRejected, `${what}: ${refused_count}`);
}

/** Finds the source by its ID, or else by its name. */
async function sourceOf(tieout: Tieout, named: string): Promise<Source> {
  if (/^src_[0-9a-z]{20,}$/.test(named)) return tieout.sources.get(named);
  for await (const source of tieout.sources.list()) if (source.name === named) return source;
  throw new CliError(EXIT.notFound, `There is no source named ${named}.`);
}

async function answerQuestions(tieout: Tieout, source: Source, file: File, options: ImportOptions) {
  const answersByField = new Map(options.answer.map(pairOf));
  let mapping: Mapping | undefined;
  for (let answers = 0; ; answers += 1) {
    const query = { preview: true, ...(mapping && { mapping: JSON.stringify(mapping) }) };
    const preview = (await tieout.sources.createImport(source.id, file, query)) as ImportPreview;
    if (preview.failure) throw new CliError(EXIT.invalid, preview.failure);
    const [question] = preview.questions;
    if (!question) return { preview, answers };
    const value =
      answersByField.get(question.about) ??
      (await askAbout(question, preview, [...answersByField.keys()], options));
    answersByField.delete(question.about);
    mapping = withAnswer((preview.mapping ?? {}) as Mapping, question, value);
  }
}

type Question = ImportPreview["questions"][number];

/** @throws CliError without a terminal */
async function askAbout(
  question: Question,
  { questions }: ImportPreview,
  unused: readonly string[],
  options: ImportOptions,
): Promise<string> {
  if (isInteractive(options)) return answerOf(select(selectionOf(question)));
  const lines = questions.map(({ about, message, choices }) =>
    [`${message}`, ...choices.map(({ value }) => `  --answer ${about}=${value}`)].join("\n"),
  );
  const others = unused.map((about) => `No question is about ${about}.`);
  const text = ["The file leaves questions open.", ...lines, ...others].join("\n");
  throw new CliError(EXIT.questions, text);
}

/** What the terminal shows of a question: each choice with what it makes of the file's values. */
export function selectionOf({ message, choices }: Pick<Question, "message" | "choices">) {
  const options = choices.map(({ value, reads_as }) => ({
    value,
    label: reads_as ? `${value} (${reads_as})` : value,
  }));
  return { message, options };
}

/** `about` names the mapping's field, or one of its `fields`. */
function withAnswer(mapping: Mapping, { about, choices }: Question, value: string): Mapping {
  if (!choices.some((choice) => choice.value === value))
    throw new CliError(
      EXIT.usage,
      `${about} is one of ${choices.map((choice) => choice.value).join(", ")}.`,
    );
  if (about.startsWith("fields."))
    return { ...mapping, fields: { ...mapping.fields, [about.slice("fields.".length)]: value } };
  // Another sheet has other columns.
  if (about === "sheet") return { fields: {}, sheet: value };
  return { ...mapping, [about]: parsed(value) };
}

/** Parses a choice that is JSON; any other choice is text. */
function parsed(value: string): unknown {
  try {
    const json: unknown = JSON.parse(value);
    return typeof json === "object" || typeof json === "boolean" ? json : value;
  } catch {
    return value;
  }
}

async function savesMapping(options: ImportOptions): Promise<boolean> {
  if (options.saveMapping !== undefined || !isInteractive(options))
    return options.saveMapping === true;
  return answerOf(confirm({ message: SAVE_QUESTION }));
}

async function saveMapping(tieout: Tieout, id: string, mapping: Mapping): Promise<void> {
  const { etag } = await tieout.sources.get(id).withResponse();
  await tieout.sources.update(id, { mapping: mapping as never }, { ifMatch: etag });
}

function summaryOf(preview: ImportPreview): string {
  return facts([
    ["Format", preview.format],
    ["Lines", preview.read_count],
    ["Already imported", preview.duplicate_count],
    ["Rejected", preview.refused_count],
    ["Skipped", preview.skipped_count],
    ...preview.warnings.map(({ message }): [string, string] => ["Warning", message]),
  ]);
}

function outcomeOf(done: Import): string {
  return facts([
    ["Import", done.id],
    ["New lines", done.accepted_count],
    ["Already imported", done.duplicate_count],
    ["Rejected", done.refused_count],
  ]);
}
