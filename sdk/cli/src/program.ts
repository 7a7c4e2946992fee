import { Argument, Command, InvalidArgumentError } from "commander";
import { callApi } from "./commands/api.ts";
import { completions, printCompletion, SHELLS } from "./commands/completion.ts";
import { EXPORT_NAMES, exportList } from "./commands/export.ts";
import { importFile } from "./commands/import.ts";
import { checkKey, createKey, rotateKey } from "./commands/keys.ts";
import { listen, trigger } from "./commands/listen.ts";
import { login, whoami } from "./commands/login.ts";
import { tailLogs } from "./commands/logs.ts";
import { close, confirmMatches, run } from "./commands/period.ts";
import { resetSandbox } from "./commands/sandbox.ts";
import { DEFAULT_PROFILE, type GlobalOptions } from "./connection.ts";

const VERSION = "1.0.0";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The value of an option that can be given several times. */
const collect = (value: string, before: string[]): string[] => [...before, value];

function numberWithin(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() === "" || !(value >= min && value <= max))
      throw new InvalidArgumentError(`It is a number from ${min} to ${max}.`);
    return value;
  };
}

function methodOf(text: string): string {
  const method = text.toUpperCase();
  if (!METHODS.includes(method))
    throw new InvalidArgumentError(`Allowed choices are ${METHODS.join(", ")}.`);
  return method;
}

/** All commands, each with the program's options. */
export function createProgram(): Command {
  const program = new Command("tieout")
    .description("The Tieout API on the command line")
    .version(VERSION)
    .option("--profile <name>", "the profile of `tieout login`", DEFAULT_PROFILE)
    .option("--url <address>", "instead of the profile's (TIEOUT_URL)")
    .option("--tenant <id>", "instead of the profile's (TIEOUT_TENANT)")
    .option("--json", "print JSON, and never ask")
    .showHelpAfterError()
    .configureOutput({
      // The failure is printed as JSON instead.
      writeErr: (text) => {
        if (!process.argv.includes("--json")) process.stderr.write(text);
      },
    })
    .exitOverride();

  /** The last arguments of an action are its options and its command. */
  const withOptions =
    <Options extends GlobalOptions, Args extends unknown[]>(
      action: (...args: [...Args, Options]) => void | Promise<void>,
    ) =>
    async (...args: unknown[]) => {
      const command = args.at(-1) as Command;
      await action(...([...args.slice(0, -2), command.optsWithGlobals()] as [...Args, Options]));
    };

  program
    .command("login")
    .description("Save an address, a tenant and a credential as a profile")
    .option("--stdin", "read the credential from stdin")
    .action(withOptions(login));
  program
    .command("whoami")
    .description("Show who calls, and what they may do")
    .action(withOptions(whoami));

  program
    .command("listen")
    .description("Forward events to a receiver on this machine, signed as deliveries are")
    .requiredOption("--forward <url>", "the receiver")
    .option("--events <types...>", "only these types")
    .option("--since <time>", "also what happened since then (UTC)")
    .option("--replay <ids...>", "forward these events again, and end")
    .action(withOptions(listen));
  program
    .command("trigger <event>")
    .description("Send a test event to those who listen")
    .action(withOptions(trigger));

  program
    .command("import <file>")
    .description("Import a file of lines (- for stdin), and answer what it leaves open")
    .requiredOption("--source <id or name>", "where its lines come from")
    .option("--preview", "only say what the import would do")
    .option("--wait", "until its lines are in")
    .option("--answer <field=value>", "the answer to a question of the preview", collect, [])
    .option("--save-mapping", "save the answers with the source")
    .action(withOptions(importFile));
  program
    .command("run <reconciliation>")
    .description("Run the rules of a period")
    .option("--wait", "until it is done")
    .action(withOptions(run));
  program
    .command("matches")
    .description("Decide suggestions")
    .command("confirm <reconciliation>")
    .description("Confirm suggestions that are probable enough")
    .requiredOption("--min-score <score>", "at least as probable, 0 to 1", numberWithin(0, 1))
    .option("--rule <name>", "only of this rule")
    .option("--dry-run", "only count them")
    .action(withOptions(confirmMatches));
  program
    .command("close <reconciliation>")
    .description("Close a period; only people can")
    .option("--wait", "until it is closed")
    .action(withOptions(close));

  const keys = program.command("keys").description("Create, rotate and check API keys");
  keys
    .command("create")
    .description("Create a key; only admins can")
    .requiredOption("--name <name>", "its name")
    .requiredOption("--scope <scopes...>", "what it can do, such as read:exceptions")
    .option("--description <text>", "free text")
    .option("--expires <time>", "when it stops working (UTC)")
    .action(withOptions(createKey));
  keys
    .command("rotate <id>")
    .description("Replace a key by a successor")
    .option("--grace-period <seconds>", "how long both work", numberWithin(0, 604_800))
    .action(withOptions(rotateKey));
  keys
    .command("check")
    .description("Check whether a credential works, and what for")
    .option("--stdin", "read it from stdin instead of the profile")
    .action(withOptions(checkKey));

  program
    .command("sandbox")
    .description("Work with a sandbox tenant")
    .command("reset")
    .description("Delete everything made in it; keys, webhooks and logs stay")
    .option("--sample", "then load the sample month")
    .action(withOptions(resetSandbox));
  program
    .command("logs")
    .description("Read the request log")
    .command("tail")
    .description("Print calls as they come")
    .option("--failed", "only those that failed")
    .action(withOptions(tailLogs));
  program
    .command("export")
    .description("Save a list, a statement or its bundle as a file")
    .addArgument(new Argument("<what>").choices(EXPORT_NAMES))
    .argument("[id]", "of the reconciliation (matches, statement, bundle) or batch (entries)")
    .option("--format <format>", "csv, ndjson or xlsx; a bundle is a zip", "csv")
    .option("--output <file>", "instead of stdout; it appears only if it is whole")
    .option("--query <name=value>", "a filter of the list", collect, [])
    .action(withOptions(exportList));
  program
    .command("api")
    .description("Call any operation")
    .addArgument(new Argument("<method>").argParser(methodOf))
    .argument("<path>")
    .option("--data <json>", "the body: JSON, @file, or - for stdin")
    .option("--type <media type>", "of the body, by default JSON")
    .option("--paginate", "all items of a list, one per line")
    .option("--output <file>", "save the response, such as a PDF; it appears only if it is whole")
    .option("-i, --include", "print the status line and headers before the body")
    .option("--idempotency-key <key>", "instead of a random one")
    .option("--if-match <etag>", "change only the version that you read, such as '\"3\"'")
    .option("--audit-reason <text>", "why the service-role key is used, for the audit log")
    .action(withOptions(callApi));

  program
    .command("mcp")
    .description("Serve tools to a model over stdin and stdout (Model Context Protocol)")
    .option("--allow-writes", "also confirm matches and import files")
    .action(
      withOptions(async (options: GlobalOptions & { allowWrites?: boolean }) => {
        // Loaded only here: it is larger than everything else.
        const { serveMcp } = await import("./commands/mcp.ts");
        await serveMcp(options);
      }),
    );
  program
    .command("completion")
    .description("Print the completion script of a shell")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action((shell: string) => printCompletion(shell));
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .action((words: string[]) => console.log(completions(program, words).join("\n")));
  return program;
}
