import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { SERVICES } from "../catalog/places/services.ts";
import { TOOLS } from "../catalog/tools/tools.ts";
import { classify } from "../classify/classify.ts";
import { findCredentials } from "../decide/credentials.ts";
import { decide } from "../decide/decide.ts";
import { findService } from "./tool-effects.ts";

const context = fixtureContext();
const look = (command: string) => classify(command, context);

/** Each example of the tables that is safe, with words for each use that has none. */
const safe = TOOLS.flatMap(({ names, examples }) =>
  examples.safe.flatMap((command) => names.map((name) => command.replace(new RegExp(`^${names[0]}(?= |$)`), name))),
);
/** The same of what was read from the table itself: each subcommand, bare and with an operand. */
const uses = TOOLS.flatMap(({ names, uses: all = [] }) =>
  all.flatMap(({ commands }) =>
    commands.flatMap((words) => names.flatMap((name) => [`${name} ${words}`, `${name} ${words} x`])),
  ),
).filter((command) => !command.includes("*"));

describe("services of the tables", () => {
  it("have a row for each program that asks one", () => {
    for (const tool of TOOLS) {
      if (!(tool.service || tool.uses?.some(({ service }) => service))) continue;
      for (const name of tool.names) assert.ok(findService(name), name);
    }
  });

  it("name a program once, and hosts that are exact or below one", () => {
    const programs = SERVICES.flatMap((service) => service.programs);
    assert.equal(new Set(programs).size, programs.length);
    for (const host of SERVICES.flatMap(({ hosts }) => hosts))
      assert.match(host, /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/, host);
  });

  it("are asked by name wherever a command is safe", () => {
    for (const command of [...safe, ...uses])
      for (const { kind, risk, ruleId, hosts } of look(command).effects)
        if (kind === "network-read" && risk === "safe" && ruleId === "tool.service")
          assert.ok(Array.isArray(hosts), command);
  });
});

describe("code of the workspace", () => {
  it("has neither the network nor a login in any use that is safe", () => {
    let count = 0;
    for (const command of [...safe, ...uses]) {
      const { riskLevel, effects } = look(command);
      const loads = effects.some(({ ruleId }) => ruleId === "tool.loads");
      if (!loads) continue;
      count += 1;
      const network = effects.some(({ kind }) => kind === "network-read" || kind === "network-send");
      if (network) assert.notEqual(riskLevel, "safe", command);
      for (const beside of ["gh pr list", "kubectl get pods", "docker ps", "git fetch origin"]) {
        const both = look(`${beside}; ${command}`);
        assert.notEqual(both.riskLevel, "safe", both.command);
        assert.deepEqual(findCredentials(both), [], both.command);
      }
    }
    assert.ok(count > 100, `${count}`);
  });

  it("asks about the network with what it runs", () => {
    const table: [string, string][] = [
      ["cargo search serde", "Runs what rust-toolchain.toml names, with the network"],
      ["cargo info serde", "Runs what rust-toolchain.toml names, with the network"],
      ["yarn info react", "Runs the yarn that .yarnrc.yml names, with the network"],
      ["yarn npm audit", "Runs the yarn that .yarnrc.yml names, with the network"],
      ["pnpm view react", "Runs what .pnpmfile.cjs and package.json name, with the network"],
      [
        "python3 -m pip index versions x",
        "Runs the python module pip, which the directory may hold itself, with the network",
      ],
      ["poetry search x", "Runs plugins of the project, with the network"],
      ["composer outdated", "Runs the Gemfile or plugins of the project, with the network"],
      ["gh pr list; cargo tree", "Runs what rust-toolchain.toml names, with the network"],
      ["echo $(cargo tree); gh pr list", "Runs what rust-toolchain.toml names, with the network"],
      ["cargo metadata | gh api user --input -", "Runs what rust-toolchain.toml names, with the network"],
    ];
    for (const [command, reason] of table) {
      const { riskLevel, riskReasons } = look(command);
      assert.notEqual(riskLevel, "safe", command);
      assert.ok(riskReasons.includes(reason), `${command}: ${riskReasons.join("; ")}`);
    }
  });

  it("stays safe in a jail without the network", () => {
    for (const command of [
      "cargo tree -d",
      "terraform state list",
      "terraform state show aws_instance.web",
      "ansible-galaxy collection list",
      "pulumi whoami",
      "pulumi stack ls",
      "kubectl kustomize overlays/dev",
      "helm template ./chart",
      "kustomize build .",
    ]) {
      const { riskLevel, effects } = look(command);
      assert.equal(riskLevel, "safe", command);
      assert.ok(!effects.some(({ kind }) => kind.startsWith("network")), command);
      const decided = decide(look(command), fixtureProfile(), { ...fixtureCircumstances(), enforcement: "none" });
      assert.equal(decided.verdict, "ask", command);
    }
  });

  it("has no registry where a compose file says what is fetched, and no login where compose only reads that file", () => {
    for (const program of ["docker compose", "docker-compose"]) {
      for (const use of ["ps", "-f a.yml logs web", "ls"]) {
        const asked = look(`${program} ${use}`).effects.flatMap(({ hosts = [] }) => hosts);
        assert.deepEqual(asked, [], `${program} ${use}`);
      }
      for (const use of ["config", "config --services", "-f a.yml config -q", "version"]) {
        const classification = look(`${program} ${use}`);
        assert.equal(classification.riskLevel, "safe", `${program} ${use}`);
        assert.ok(!classification.effects.some(({ kind }) => kind.startsWith("network")), `${program} ${use}`);
        assert.deepEqual(findCredentials(classification), [], `${program} ${use}`);
      }
    }
  });

  it("asks wherever an entry or a grant allows it beside a service", () => {
    const profile = fixtureProfile({ allowlist: [{ pattern: "npm test" }, { pattern: "./x.sh" }] });
    const granted = { entries: [], grants: [{ root: context.cwd }] };
    const at = { ...fixtureCircumstances(), enforcement: "jail", allowed: granted } as const;
    assert.equal(decide(look("./x.sh"), profile, at).verdict, "allow");
    for (const command of ["npm test; aws s3 ls", "./x.sh; gh pr list", "gh pr list; python3 a.py"])
      assert.equal(decide(look(command), profile, at).verdict, "ask", command);
  });
});

it("clients whose hosts are the user's own stay safe", () => {
  for (const command of ["gh pr list", "kubectl get pods", "aws s3 ls", "docker compose ps", "npm view react"])
    assert.equal(look(command).riskLevel, "safe", command);
});
