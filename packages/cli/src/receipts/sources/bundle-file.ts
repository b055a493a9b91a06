import { readFileSync, statSync } from "node:fs";
import { BUNDLE_FORMAT, type Bundle, JsonError, MAX_BUNDLE_BYTES, readBundle, readJson } from "@countersign/receipts";
import { unreadable } from "./unreadable.ts";

export function readBundleFile(path: string): Bundle {
  const { size } = statSync(path);
  if (size > MAX_BUNDLE_BYTES) {
    throw unreadable(`${path} is larger than ${MAX_BUNDLE_BYTES} bytes. Export it as lines: receipts export --jsonl.`);
  }
  const bundle = readBundle(parse(path));
  if (bundle === null) throw unreadable(`${path} isn't a bundle of this version (${BUNDLE_FORMAT}).`);
  return bundle;
}

function parse(path: string): unknown {
  try {
    return readJson(readFileSync(path, "utf8"));
  } catch (cause) {
    if (cause instanceof JsonError) throw unreadable(`${path} isn't a whole bundle (${cause.message}).`, cause);
    throw cause;
  }
}
