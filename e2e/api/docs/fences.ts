/** The examples of a guide, in order. */
export type Fence = { line: number; language: string; meta: string[]; code: string };

/**
 * Examples in these languages are run, or written to the file that they name. The others show an
 * output or a file.
 */
const RUN = ["sh", "js", "ts"];

export function fencesOf(markdown: string): Fence[] {
  const found: Fence[] = [];
  for (const match of markdown.matchAll(/^```(\w*)(?: (.*))?\n([\s\S]*?)^```$/gm)) {
    const [, language = "", info = "", code = ""] = match;
    found.push({
      line: markdown.slice(0, match.index).split("\n").length,
      language,
      meta: info.split(" ").filter(Boolean),
      code,
    });
  }
  return found;
}

export const isOutput = ({ meta }: Fence) => meta[0] === "output";

/** The file of docs/ that an example shows. */
export const includedFile = ({ meta }: Fence) => /^file=(.+)$/.exec(meta[0] ?? "")?.[1];

/** The file name of an example that others run. */
export const fileName = (fence: Fence) =>
  RUN.includes(fence.language) && fence.meta[0]?.includes(".") && !includedFile(fence)
    ? fence.meta[0]
    : undefined;

export const isRun = (fence: Fence) =>
  RUN.includes(fence.language) && !isOutput(fence) && !includedFile(fence);
