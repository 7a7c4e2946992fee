import { build } from "../../bin/setup.mjs";

// Code that is broken on purpose need not pass the type check.
await build({ typesAreChecked: true });
