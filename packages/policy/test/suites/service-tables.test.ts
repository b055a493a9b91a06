import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AZ_GROUPS, GCLOUD_GROUPS } from "../../src/catalog/tools/cloud-groups.ts";
import type { Usage } from "../../src/catalog/tools/tool.ts";
import { TOOLS } from "../../src/catalog/tools/tools.ts";
import { classify } from "../../src/classify/classify.ts";
import { fixtureContext } from "../support/fixture-context.ts";

const context = fixtureContext();
const risk = (command: string) => classify(command, context).riskLevel;
const asks = (usage: Usage) => usage.service === true;
const services = TOOLS.filter((tool) => asks(tool) || tool.uses?.some(asks));

describe("clients of services", () => {
  for (const tool of services) {
    const all = [tool, ...(tool.uses ?? [])];
    const takesAnyOption = all.some((usage) => usage.noOptions || usage.options.includes("--*"));
    it(tool.names.join(", "), () => {
      for (const command of tool.examples.safe) {
        assert.notEqual(risk(`${command} "$x"`), "safe", command);
        assert.notEqual(risk(`${command} $(unknown-tool)`), "safe", command);
        // What follows the container in `docker top` is for ps.
        if (!takesAnyOption && !command.includes(" top "))
          assert.notEqual(risk(`${command} --frobnicate=x`), "safe", command);
        assert.notEqual(risk(`unknown-${command}`), "safe", command);
      }
    });
  }

  it("are many", () => assert.ok(services.length >= 35, `${services.length}`));
});

describe("groups of the clouds", () => {
  // A verb among them would make `projects create list` a list.
  const verbs =
    "create delete update set add remove deploy start stop reset restart resize patch enable disable import export run execute submit invoke ssh scp connect attach detach move copy cancel " +
    "list describe show get login upload download restore rollback assign purge regenerate renew";
  const secret = /^(credentials?|keys?|secrets?|tokens?|passwords?|appsettings|connection-strings?|oauth-clients)$/;
  it("gcloud", () => {
    const groups = GCLOUD_GROUPS.split(/\s+/);
    assert.deepEqual(
      groups.filter((word) => verbs.split(" ").includes(word)),
      [],
    );
    // The names and states of keys and secrets are shown, never what they hold.
    assert.deepEqual(
      groups.filter((word) => secret.test(word)),
      ["keys", "secrets"],
    );
  });
  it("az", () => {
    const groups = AZ_GROUPS.split(/\s+/);
    assert.deepEqual(
      groups.filter((word) => verbs.split(" ").includes(word) || secret.test(word)),
      [],
    );
  });
});
