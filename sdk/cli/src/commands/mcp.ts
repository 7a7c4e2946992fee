import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { connect, type GlobalOptions } from "../connection.ts";
import { failureOf } from "../failure.ts";
import { TOOLS } from "../mcp/tools.ts";

/** Serves tools to a model over stdin and stdout (Model Context Protocol). */
export async function serveMcp(options: GlobalOptions & { allowWrites?: boolean }): Promise<void> {
  const { tieout } = await connect(options);
  const tools = TOOLS.filter(({ writes }) => !writes || options.allowWrites);
  const server = new Server(
    { name: "tieout", version: "1.0.0" },
    {
      capabilities: { tools: {} },
      instructions:
        "Amounts are integers of minor units: 125000 EUR is 1,250.00 EUR. Only people close periods and write off.",
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: tools.map(({ name, description, properties, required, writes }) => ({
      name,
      description,
      inputSchema: {
        type: "object" as const,
        properties,
        required: [...required],
        additionalProperties: false,
      },
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
    try {
      return answer(JSON.stringify(await tool.call(tieout, params.arguments ?? {})));
    } catch (error) {
      return answer(failureOf(error).message, true);
    }
  });
  await server.connect(new StdioServerTransport());
}

function answer(text: string, isError = false) {
  return { content: [{ type: "text" as const, text }], isError };
}
