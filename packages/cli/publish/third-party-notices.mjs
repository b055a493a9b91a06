// What we publish contains others' code: their licences ask that their notices go with it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bundle.mjs";

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;
const NOTICE = /^(?:licen[cs]e|notice|copying)/i;

/** Of every package that a bundle has modules of, and of those that the page is built with. */
export function noticesOf(files) {
  const modules = files.flatMap(({ moduleIds = [] }) => moduleIds);
  const dirs = new Set([...modules.flatMap((id) => PACKAGE.exec(id)?.[0] ?? []), ...pagePackages()]);
  const notices = [...dirs].map(noticeOf).sort();
  return `Countersign contains code of the packages below.\n\n${notices.join("\n")}`;
}

function noticeOf(dir) {
  const { name, version, license } = readPackage(dir);
  const files = readdirSync(dir).filter((file) => NOTICE.test(file));
  const texts = files.map((file) => readFileSync(join(dir, file), "utf8").trim());
  return `---- ${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
}

/** More than it contains (its build tools' own don't), never less. */
function pagePackages() {
  const { dependencies, devDependencies } = readPackage(join(root, "packages/web"));
  const found = new Set();
  const add = (names) => {
    for (const name of names) {
      const dir = join(root, "node_modules", name);
      if (name === "vite" || name.startsWith("@countersign/") || found.has(dir) || !existsSync(dir)) continue;
      found.add(dir);
      add(Object.keys(readPackage(dir).dependencies ?? {}));
    }
  };
  add(Object.keys({ ...dependencies, ...devDependencies }));
  return found;
}

function readPackage(dir) {
  return JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
}
