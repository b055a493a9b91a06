import { basename, dirname, resolve } from "node:path";
import { ASSUMED_MACHINE, checkPolicy, type PolicyCheck } from "@countersign/policy";
import { visible } from "@countersign/protocol/text";
import type { PolicyLayer } from "@countersign/vocabulary";
import { EXIT, type GlobalOptions } from "../base/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { readJsonFile } from "./read-json-file.ts";

export interface CheckFileOptions extends GlobalOptions {
  readonly as?: PolicyLayer;
  readonly cwd?: string;
}

/** For CI: looks at no machine and no home, so that the same file has the same answer everywhere. */
export async function checkPolicyFile(file: string, options: CheckFileOptions): Promise<number> {
  const path = resolve(file);
  const as = options.as ?? layerByName(path);
  const cwd = options.cwd === undefined ? ASSUMED_MACHINE.cwd : resolve(options.cwd);
  const context = { ...ASSUMED_MACHINE, cwd, roots: [cwd] };
  const check = checkPolicy(readJsonFile(path), { as, context, nowMs: Date.now() });
  if (options.json) printJson({ file: path, as, ...check });
  else printLines(checkLines(path, check));
  return check.readable && check.failures.length === 0 ? EXIT.ok : EXIT.failed;
}

function layerByName(path: string): PolicyLayer {
  return basename(dirname(path)) === ".countersign" ? "repository" : "user";
}

function checkLines(path: string, check: PolicyCheck): string[] {
  if (!check.readable)
    return [`${visible(path)} is invalid:`, ...check.problems.map((problem) => `  ${visible(problem)}`)];
  const { examples, failures, warnings } = check;
  return [
    ...failures.flatMap(({ command, expected, got, reason, where }) => [
      `FAILED ${visible(where)}: ${visible(command)}`,
      `  should be ${expected}, is ${got}: ${visible(reason)}`,
    ]),
    ...warnings.map(
      ({ list, index, pattern, warning }) => `warning: ${list}.${index} ${visible(pattern)}: ${visible(warning)}`,
    ),
    `${visible(path)}: ${examples - failures.length} of ${examples} examples hold, ${warnings.length} warnings`,
  ];
}
