import { makeRequestRole } from "../supervisor/request-role.ts";
import { fail } from "./fail.ts";

const USAGE = `Usage: DATABASE_URL=… npm run -s request-role
Makes the role that calls of requests come in as, or gives it a new password, and prints REQUEST_DATABASE_URL.`;

const ownerUrl = process.env.DATABASE_URL;
if (!ownerUrl || process.argv.length > 2) fail(USAGE);

try {
  console.log(await makeRequestRole(ownerUrl));
} catch (error) {
  fail(
    `The role could not be made: ${(error as Error).message}. ` +
      "DATABASE_URL has to be the project owner's.",
  );
}
