import assert from "node:assert/strict";
import { it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import { decide } from "./decide.ts";

const at = fixtureCircumstances({ enforcement: "none" });
const denylist = [{ pattern: "git push **" }, { pattern: "docker compose up" }, { pattern: "rm" }];
const allowing = fixtureProfile({ allowlist: [{ pattern: "git **" }], denylist });
const full = fixtureProfile({ security: "full", denylist });

function verdict(command: string, profile = full): string {
  const { verdict, by } = decide(classify(command, fixtureContext()), profile, at);
  return `${verdict} ${by}`;
}

it("options before and between the words that choose don't dodge a deny entry", () => {
  for (const command of [
    "git push",
    "git -C /other push",
    "git --no-pager push origin",
    "git -P push",
    "git -C . --no-pager push",
    "git --git-dir=/x push",
    "git -c a=b push",
    "docker --context x compose -f y up",
    "docker compose up",
  ]) {
    assert.equal(verdict(command), "deny deny-entry", command);
    assert.equal(verdict(command, allowing), "deny deny-entry", command);
  }
  assert.equal(verdict("git status push", allowing), "allow entry");
  assert.equal(verdict("git log --oneline push", allowing), "allow entry");
  assert.equal(verdict("docker compose up -d"), "allow policy", "no ** behind it");
  assert.equal(verdict("rm -f x"), "allow policy", "its options are its own words");
});

it("a deny entry fits what a name leads to", () => {
  const context = fixtureContext({ resolveProgram: () => "/usr/bin/python3.12" });
  const profile = fixtureProfile({ security: "full", denylist: [{ pattern: "python3.12 **" }] });
  assert.equal(decide(classify("python3 x.py", context), profile, at).by, "deny-entry");
});

it("what may come to a denied command is never allowed without a person", () => {
  for (const command of [
    "git $X",
    "git p*",
    "git -P $X",
    "$(echo git) push",
    "echo push | xargs git",
    "some-runner git push",
    "some-runner --quiet -- git -C x push",
  ]) {
    assert.equal(verdict(command), "ask policy", command);
    const silent = fixtureProfile({ security: "full", ask: "off", denylist });
    assert.equal(verdict(command, silent), "deny policy", command);
  }
  assert.equal(verdict("git log $X"), "allow policy");
  assert.equal(verdict("echo git push"), "allow policy");
  assert.equal(verdict("some-runner git status"), "allow policy");
});

it("options without end are denied, and in no time", () => {
  assert.equal(
    verdict(`git ${"-x push ".repeat(300)}`, fixtureProfile({ denylist: [{ pattern: "git push push x" }] })),
    "deny deny-entry",
  );
  assert.equal(verdict(`git ${"-x ".repeat(20_000)}`), "allow policy");
});
