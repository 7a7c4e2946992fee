import { beforeAll, describe, expect, it } from "vitest";
import { stack } from "#e2e/fixtures.ts";

const SMALLEST_RATIO = 2;

let script: string;
beforeAll(async () => {
  const html = await (await fetch(`${stack.url}/sign-in`)).text();
  script = `${stack.url}${/\/_next\/static\/[^"]+\.js/.exec(html)?.[0]}`;
});

const load = (encoding: string, init: RequestInit = {}) =>
  fetch(script, { ...init, headers: { "Accept-Encoding": encoding, ...init.headers } });

describe("scripts and styles of the build", () => {
  it.each(["br", "gzip"])(
    "are sent precompressed, %s, and are the same for everybody",
    async (encoding) => {
      const [plain, packed] = [await load("identity"), await load(encoding)];
      expect([
        plain.headers.get("content-encoding"),
        packed.headers.get("content-encoding"),
      ]).toEqual([null, encoding]);
      expect(packed.headers.get("vary")).toBe("Accept-Encoding");
      expect(Number(packed.headers.get("content-length")) * SMALLEST_RATIO).toBeLessThan(
        Number(plain.headers.get("content-length")),
      );
      expect(await packed.text()).toBe(await plain.text());
    },
  );

  it("are cached by browsers for a year, with nosniff", async () => {
    const { headers } = await load("br");
    expect(headers.get("cache-control")).toBe("public,max-age=31536000,immutable");
    expect(headers.get("content-type")).toMatch(/^(text|application)\/javascript/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("are sent whole even to range requests", async () => {
    const whole = (await (await load("br")).text()).length;
    for (const range of ["bytes=0-9", "bytes=5-2", "bytes=-", "bytes=99999999-"]) {
      const answer = await load("br", { headers: { Range: range } });
      expect([answer.status, (await answer.text()).length], range).toEqual([200, whole]);
    }
  });

  it("expose no other file of the file system", async () => {
    for (const path of [
      "../BUILD_ID",
      "..%2fBUILD_ID",
      "%2e%2e/BUILD_ID",
      "....//BUILD_ID",
      "chunks",
      "",
    ])
      expect(
        (await fetch(`${stack.url}/_next/static/${path}`, { redirect: "manual" })).status,
        path,
      ).not.toBe(200);
  });

  it("refuse POST", async () => {
    expect((await load("br", { method: "POST" })).status).not.toBe(200);
  });
});
