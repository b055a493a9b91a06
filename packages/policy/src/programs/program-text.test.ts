import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { classify } from "../classify/classify.ts";

const context = fixtureContext();

const DANGEROUS = [
  "sed '1e rm -rf ~' f",
  "sed -i '1e rm -rf ~' f",
  "sed -i '' -e '1e rm -rf ~' f",
  "sed -i -e1e\\ rm\\ -rf\\ ~ f",
  "sed --in-place --expression='1e rm -rf ~' f",
  "sed 's/a/rm -rf ~/e' f",
  "sed -n 's/.*/&/e' f",
  "sed e f",
  "sed -n 'w /etc/passwd' f",
  "sed '$r /etc/shadow' f",
  "awk '{system($1)}' f",
  "awk 'BEGIN{system(\"touch x\")}'",
  "awk '{print | \"sh\"}' f",
  "awk 'BEGIN{cmd=\"id\"; cmd | getline x}'",
  "awk '{print length / 2 / 1} END{system(\"id\")}' f",
  "sed -ne 's|a|id|ge' f",
  "sed '1!e id' f",
  "sed -e p --expression='e id' f",
  "awk '{print | $1}' f",
  "awk -W x 'BEGIN{system(\"rm -rf ~\")}'",
  "awk '{print $1 > \"/etc/cron.d/x\"}' f",
  "awk 'BEGIN{while ((getline l < \"/etc/shadow\") > 0) print l}'",
];
const NEEDS_REVIEW = [
  "awk '{print $1 | \"sort -rn\"}' f",
  "awk '{print $1 | \"cat 1>&2\"}' f",
  "awk '{print $1 > \"out.txt\"}' f",
  "awk 'BEGIN{\"date\" | getline d; print d}'",
  "sed 'w out.txt' f",
  "sed -i 's/a/b/' README.md",
  "sed 'sxaxbx' f",
  "jq env f.json",
];
const SAFE = [
  "awk '/system\\(/' f",
  "awk '/a|b/ {print \"x | getline\"}' f",
  "sed -n '/1e rm -rf ~/p' f",
  "psql -c \"SELECT * FROM log WHERE query LIKE 'drop table%'\"",
  "jq '.env' f.json",
];

describe("program text is judged for what it does", () => {
  for (const [risk, commands] of Object.entries({ dangerous: DANGEROUS, "needs-review": NEEDS_REVIEW, safe: SAFE })) {
    it(risk, () => {
      for (const command of commands) assert.equal(classify(command, context).riskLevel, risk, command);
    });
  }

  it("and what it reaches isn't the tool's own doing", () => {
    for (const command of [
      "sed '1e id' f",
      "sed 'w /tmp/x' f",
      "sed -i 's/a/b/w x' f",
      "awk '{print > $1}' f",
      "jq env f",
    ])
      assert.ok(
        classify(command, context).effects.some((effect) => !effect.own && effect.risk !== "safe"),
        command,
      );
    const { effects } = classify("sed -i s/a/b/ f", context);
    assert.ok(effects.every((effect) => effect.own));
  });
});
