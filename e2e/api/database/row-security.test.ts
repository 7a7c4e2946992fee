import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, test } from "vitest";
import { database } from "#e2e/fixtures.ts";

const FOLDER = new URL("../../../supabase/tests/", import.meta.url);
const ASSERTIONS = readFileSync(new URL("assertions.sql", FOLDER), "utf8");

const files = readdirSync(FOLDER).filter((file) => file.endsWith("_rls.test.sql"));

describe("row-level security, persona by persona", () => {
  afterAll(() => database.end());

  test.each(files)("%s", async (file) => {
    const connection = await database.connect();
    try {
      await connection.query(`begin; ${ASSERTIONS}`);
      await connection.query(readFileSync(new URL(file, FOLDER), "utf8"));
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  });
});
