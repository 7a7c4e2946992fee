import { type Forms, formsWriter } from "#components/docs/code/forms-of-fence.ts";
import { allOperations } from "#components/docs/reference/whole-reference.test-support.ts";
import { type Fence, fencesOf } from "./fences.ts";

/** The tabs of a guide: the ways in which a reader can make its calls. */
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

/** The examples of a guide for a reader who always chooses the same tab. */
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

/** The form whose tab shows an example. Receivers of webhooks have other tabs. */
function tabOf({ meta }: Fence): Form | undefined {
  return FORMS.find((form) => meta.includes(`tab=${form}`));
}

/** The forms in which a guide's examples differ. */
export function formsOf(text: string): Form[] {
  const hasModule = examplesOf(text, "TypeScript").some(({ language }) => language === "ts");
  return hasModule ? [...FORMS] : ["curl"];
}

/** The names of the results that an example's module saves for later examples. */
export const savedNames = (code: string): string[] =>
  [...code.matchAll(/^const (\w+) = await /gm)].map(([, name = ""]) => name);
