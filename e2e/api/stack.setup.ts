import { isReady, stackUnderTest, startStack } from "../stack-under-test.ts";

/** The stack that all tests of e2e/api call. The first of their projects starts it. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const stack = await stackUnderTest("api");
  Object.assign(process.env, stack.env);
  return (await isReady(stack)) ? undefined : startStack(stack);
}
