import { describe, expect, test } from "vitest";
import { api, database, stack } from "#e2e/fixtures.ts";
import { publishedDocument } from "#lib/openapi/published.ts";
import { type ArtefactName, checkArtefact } from "../../../bin/dev/generate/artefacts.ts";

describe("committed files equal what the code generates", () => {
  test.each<[ArtefactName, string]>([
    ["openapi", "the OpenAPI document"],
    ["types", "the types of the database"],
    ["facts", "what the columns take"],
    ["operations", "the table of operations"],
  ])("%s: %s; if not, npm run generate", async (name) => {
    expect(await checkArtefact(name, database)).toEqual([]);
  });

  test("the OpenAPI document is served to everybody", async () => {
    const { status, headers, json } = await api("GET", "/v1/openapi.json");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("x-request-id")).toMatch(/^req_/);
    expect(json).toEqual(JSON.parse(JSON.stringify(publishedDocument(stack.url))));
  });
});
