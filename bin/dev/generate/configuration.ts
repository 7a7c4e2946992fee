import { PRODUCT } from "#lib/wire/product.ts";
import { VARIABLES } from "./variables.ts";

const GENERATED = "Written by `npm run generate` from bin/dev/generate/variables.ts.";

/** Generates docs/configuration.md: a table of variables for each group. */
export function configurationPage(): string {
  const sections = Object.entries(VARIABLES).map(([group, variables]) => {
    const rows = variables.map(({ names, meaning }) => {
      const list = names.map((name) => `\`${name}\``).join(", ");
      return `| ${list} | ${meaning} |`;
    });
    return [`## ${group}`, "", "| Variable | Meaning |", "| --- | --- |", ...rows].join("\n");
  });
  const intro =
    `${PRODUCT} reads its configuration from environment variables. The local stack needs none: ` +
    "missing secrets are\ngenerated once into `DATA_DIR/secrets.json` (mode 0600), and " +
    "`DATA_DIR/stack.json` has the addresses of the\nrunning stack.";
  return `<!-- ${GENERATED} -->\n\n# Configuration\n\n${intro}\n\n${sections.join("\n\n")}\n`;
}

/** Generates .env.example: every variable, commented out. */
export function environmentExample(): string {
  const groups = Object.entries(VARIABLES).map(([group, variables]) => {
    const names = variables.flatMap((variable) => variable.names).map((name) => `# ${name}=`);
    return [`# ${group}`, ...names].join("\n");
  });
  return `# ${GENERATED}\n# docs/configuration.md says what each means.\n\n${groups.join("\n\n")}\n`;
}
