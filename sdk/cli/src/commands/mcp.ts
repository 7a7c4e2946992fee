import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { connect, type GlobalOptions } from "../connection.ts";
import { failureOf } from "../failure.ts";
import { TOOLS, type Tool } from "../mcp/tools.ts";

/** Serves tools to a model over stdin and stdout (Model Context Protocol). */
export async function serveMcp(options: GlobalOptions & { allowWrites?: boolean }): Promise<void> {
  const { tieout } = await connect(options);
  const validator = new AjvJsonSchemaValidator();
  const tools = TOOLS.filter(({ writes }) => !writes || options.allowWrites).map((tool) => {
    const { properties, required } = tool;
    const inputSchema = {
      type: "object" as const,
      properties,
      required: [...required],
      additionalProperties: false,
    };
    return { ...tool, inputSchema, validate: validator.getValidator(inputSchema) };
  });
  const server = new Server(
    { name: "tieout", version: "1.0.0" },
    {
      capabilities: { tools: {} },
      instructions:
        "Amounts are integers of minor units: 125000 EUR is 1,250.00 EUR. Only people close periods and write off.",
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: tools.map(({ name, description, inputSchema, writes }) => ({
      name,
      description,
      inputSchema,
      annotations: {
        readOnlyHint: !writes,
        destructiveHint: writes,
        idempotentHint: !writes,
        openWorldHint: false,
      },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) return answer(`There is no tool ${params.name}.`, true);
    const input = params.arguments ?? {};
    const { errorMessage } = tool.validate(input);
    if (errorMessage !== undefined) return answer(usageOf(tool, errorMessage), true);
    try {
      return answer(JSON.stringify(await tool.call(tieout, input)));
    } catch (error) {
      return answer(failureOf(error).message, true);
    }
  });
  await server.connect(new StdioServerTransport());
}

/** The error in the arguments, and the accepted ones. */
function usageOf({ name, properties, required }: Tool, fault: string): string {
  const names = Object.keys(properties);
  const listed = names.map((item) => (required.includes(item) ? `${item} (required)` : item));
  const takes = listed.length > 0 ? `Its arguments: ${listed.join(", ")}.` : "It takes none.";
  return `${name}: ${fault.replaceAll(/\bdata\b/g, "arguments")}. ${takes}`;
}

function answer(text: string, isError = false) {
  return { content: [{ type: "text" as const, text }], isError };
}
