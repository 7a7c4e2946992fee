import { build } from "../../bin/setup.mjs";

await build();
