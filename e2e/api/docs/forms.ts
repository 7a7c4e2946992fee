import { type Forms, formsWriter } from "#components/docs/code/forms-of-fence.ts";
import { allOperations } from "#components/docs/reference/whole-reference.test-support.ts";
import { type Fence, fencesOf } from "./fences.ts";

/** How a reader makes the calls of a guide, by the name of the tab. */
export const FORMS = ["curl", "CLI", "TypeScript"] as const;
export type Form = (typeof FORMS)[number];

/** An example of a guide. `captures` are lines of shell that later examples need. */
export type Example = Fence & { captures: string };

const OPERATIONS = allOperations();

const CODE = {
  curl: ({ code }: Fence) => code,
  CLI: (_: Fence, { cli }: Forms) => cli,
  TypeScript: (_: Fence, { sdk }: Forms) => sdk,
};

/** The examples of a guide as someone reads them who always chooses the same tab. */
export function examplesOf(text: string, form: Form): Example[] {
  const write = formsWriter(OPERATIONS);
  return fencesOf(text)
    .filter((fence) => [form, undefined].includes(tabOf(fence)))
    .map((fence): Example => {
      const forms = fence.language === "sh" && fence.meta.length === 0 ? write(fence.code) : null;
      if (!forms || form === "curl") return { ...fence, captures: "" };
      const isModule = form === "TypeScript";
      const lines = fence.code.split("\n").filter((line) => line.startsWith("export "));
      return {
        ...fence,
        language: isModule ? "ts" : "sh",
        code: CODE[form](fence, forms),
        captures: isModule ? lines.join("\n") : "",
      };
    });
}

/** The tab of one of the forms: a receiver of webhooks has others. */
function tabOf({ meta }: Fence): Form | undefined {
  return FORMS.find((form) => meta.includes(`tab=${form}`));
}

/** Those in which the guide differs. */
export function formsOf(text: string): Form[] {
  const hasModule = examplesOf(text, "TypeScript").some(({ language }) => language === "ts");
  return hasModule ? [...FORMS] : ["curl"];
}

/** The results that a module of an example keeps for later ones. */
export const keptBy = (code: string): string[] =>
  [...code.matchAll(/^const (\w+) = await /gm)].map(([, name = ""]) => name);
