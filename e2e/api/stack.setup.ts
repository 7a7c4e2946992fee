import { stackUnderTest, startStack } from "../stack-under-test.ts";

/** The stack that all tests of e2e/api call. */
export default async function setup(): Promise<() => Promise<void>> {
  const stack = await stackUnderTest("api");
  Object.assign(process.env, stack.env);
  return startStack(stack);
}
