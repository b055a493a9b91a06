import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { permitFor, runClaim, serveClaims } from "../support/claimed-run.ts";

/** Each version that is on PATH, once; from 18 on the runner must run on it. */
function nodesHere(): Map<string, string> {
  const found = new Map<string, string>();
  for (const dir of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(dir, "node");
    if (!dir.startsWith("/") || !existsSync(path)) continue;
    const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.trim();
    if (Number(/^v(\d+)/.exec(version)?.[1]) >= 18) found.set(version, path);
  }
  return found;
}

const SHELLS = ["bash", "dash", "sh", "zsh", "ksh", "busybox"].flatMap((name) => {
  const path = [`/bin/${name}`, `/usr/bin/${name}`].find((one) => existsSync(one));
  return path === undefined ? [] : [path];
});

test("the rewritten command does the same on every Node and in every shell that is here", async (t) => {
  const server = await serveClaims(t);
  if (server.served.noJail !== undefined) return t.skip(server.served.noJail);
  const directory = join(server.workspace, "it's\n here\n");
  mkdirSync(directory);
  for (const [version, node] of nodesHere()) {
    for (const path of SHELLS) {
      for (const strict of ["", "set -eu; "]) {
        const permit = await permitFor(server, "cat; echo out; echo err >&2; cd it*; exit 3");
        const shell = path.endsWith("busybox") ? [path, "sh"] : [path];
        const after = `\ncode=$?; printf '%s|%s' "$code" "$PWD"`;
        const end = await runClaim(server, permit, { shell, node, before: strict, after: strict === "" ? after : "" });
        const left = strict === "" ? `3|${directory}` : "";
        assert.deepEqual(
          end,
          { code: strict === "" ? 0 : 3, signal: null, stdout: `out\n${left}`, stderr: "err\n" },
          `${version} ${path} ${strict}`,
        );
      }
    }
  }
  t.diagnostic(`${[...nodesHere().keys()].join(", ")} in ${SHELLS.join(", ")}`);
});
