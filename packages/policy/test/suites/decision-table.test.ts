import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Decider, ENFORCEMENTS, type Enforcement, type Verdict } from "@countersign/vocabulary";
import { classify } from "../../src/classify/classify.ts";
import { decide, decideOnTimeout } from "../../src/decide/decide.ts";
import {
  askFallbackSchema,
  askSchema,
  type Profile,
  sandboxSchema,
  securitySchema,
} from "../../src/profile/profile.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../support/fixture-profile.ts";

const context = fixtureContext();
/** One command of each kind that the table tells apart. */
const COMMANDS = {
  safe: "ls",
  allowlisted: "npm test",
  granted: "make",
  missed: "touch /tmp/x",
  dangerous: "rm -rf build",
  opaque: "shopt -s x; npm test",
  floor: "rm -rf /",
  denied: "curl https://x.io",
} as const;
type Kind = keyof typeof COMMANDS;
const KINDS = Object.keys(COMMANDS) as Kind[];
const classifications = Object.fromEntries(KINDS.map((kind) => [kind, classify(COMMANDS[kind], context)]));
const LISTS = {
  allowlist: [{ pattern: "npm test", id: "e" }],
  denylist: [{ pattern: "curl **", id: "d" }],
  grants: [{ root: "/home/me/project", id: "g" }],
};

type Row = readonly [Verdict, Decider];
interface Case extends Pick<Profile, "security" | "ask" | "sandbox"> {
  readonly kind: Kind;
  readonly enforcement: Enforcement;
  readonly attended: boolean;
}

/** 3-policy.md, "Decision", said once more and in other words than the code. */
function expected({ security, ask, sandbox, kind, enforcement, attended }: Case): Row {
  if (kind === "denied") return ["deny", "deny-entry"];
  if (security === "deny" || (sandbox === "required" && enforcement !== "jail")) return ["deny", "policy"];
  const asks: Row = attended ? ["ask", "policy"] : ["deny", "policy"];
  if (kind === "floor") return [attended && ask !== "off" ? "ask" : "deny", "floor"];
  if (ask === "always") return asks;
  if (security === "full") return ["allow", "policy"];
  if (kind === "safe") return ["allow", "policy"];
  if (kind === "allowlisted") return ["allow", "entry"];
  if (kind === "granted" && enforcement === "jail") return ["allow", "grant"];
  return ask === "off" ? ["deny", "policy"] : asks;
}

function expectedOnTimeout(askFallback: Profile["askFallback"], { security, sandbox, kind, enforcement }: Case): Row {
  if (kind === "denied") return ["deny", "deny-entry"];
  if (security === "deny" || (sandbox === "required" && enforcement !== "jail")) return ["deny", "policy"];
  const allowed = {
    deny: [] as Kind[],
    full: ["safe", "allowlisted", "granted", "missed"],
    allowlist: ["allowlisted"],
  }[askFallback];
  return [(allowed as Kind[]).includes(kind) ? "allow" : "deny", "timeout"];
}

function* cases(): Generator<Case> {
  for (const security of securitySchema.options)
    for (const ask of askSchema.options)
      for (const sandbox of sandboxSchema.options)
        for (const kind of KINDS)
          for (const enforcement of ENFORCEMENTS)
            for (const attended of [true, false]) yield { security, ask, sandbox, kind, enforcement, attended };
}

describe("every case of the decision table", () => {
  const all = [...cases()];
  it(`decides (${all.length})`, () => {
    for (const one of all) {
      const { security, ask, sandbox, kind, enforcement, attended } = one;
      const profile = fixtureProfile({ security, ask, sandbox, ...LISTS });
      const classification = classifications[kind];
      assert(classification);
      const { verdict, by } = decide(classification, profile, fixtureCircumstances({ enforcement, attended }));
      assert.deepEqual([verdict, by], expected(one), JSON.stringify(one));
    }
  });

  it(`takes silence for what the profile says (${all.length * askFallbackSchema.options.length})`, () => {
    for (const askFallback of askFallbackSchema.options) {
      for (const one of all) {
        const { security, ask, sandbox, kind, enforcement, attended } = one;
        const profile = fixtureProfile({ security, ask, sandbox, askFallback, ...LISTS });
        const classification = classifications[kind];
        assert(classification);
        const decision = decideOnTimeout(classification, profile, fixtureCircumstances({ enforcement, attended }));
        const row = expectedOnTimeout(askFallback, one);
        assert.deepEqual([decision.verdict, decision.by], row, JSON.stringify({ askFallback, ...one }));
      }
    }
  });
});

describe("the floor", () => {
  const commands = [
    "rm -rf /",
    "rm -rf /*",
    "rm -r --no-preserve-root /",
    "rm -rf ~",
    "rm -rf ~/*",
    'rm -rf "$HOME"',
    "rm -rf /home/me",
    "rm -rf /home/other",
    "rm -rf /root",
    "rm -rf ..",
    "rm -rf /home/me/project",
    "rm -rf /mnt/c",
    "rm -rf /media/me/stick",
    "rm -rf /Volumes/Work",
    "sudo rm -rf /",
    "bash -c 'rm -rf /'",
    "find / -delete",
    "find ~ -exec rm -rf {} +",
    "cd ~ && rm -rf *",
    "ls | xargs rm -rf /",
    "rsync -a --delete empty/ /",
    "dd if=x of=/dev/sda",
    "cat x > /dev/sda",
    "tee /dev/nvme0n1",
    "cp x /dev/sdb",
    "mkfs.ext4 /dev/sda1",
    "wipefs -a /dev/sda",
    "shred /dev/sda",
    ":(){ :|:& };:",
    "cat ~/.countersign/keys/token",
    "echo x >> ~/.countersign/profiles/default/config.json",
    "rm ~/.countersign/countersign.db",
    "echo '{}' > .countersign/policy.json",
    "rm -rf .countersign",
    "mv .countersign elsewhere",
  ];
  const everything = {
    kinds: [...new Set(commands.flatMap((one) => classify(one, context).effects.map((e) => e.kind)))],
  };
  /** Entries as wide as can be written, for the program and for the very command. */
  const entriesFor = (command: string) => [
    ...classify(command, context).parts.flatMap((part) => [
      { pattern: `${part.words[0]} **`, ceiling: { ...everything, risk: "dangerous" as const } },
    ]),
    { pattern: "**", command, ceiling: { ...everything, risk: "dangerous" as const, roots: ["/"] } },
  ];
  for (const command of commands) {
    it(command, () => {
      const classification = classify(command, context);
      for (const security of ["allowlist", "full"] as const) {
        for (const enforcement of ENFORCEMENTS) {
          const profile = fixtureProfile({
            security,
            allowlist: entriesFor(command),
            grants: [{ root: "/" }],
            askFallback: "full",
          });
          const at = fixtureCircumstances({ enforcement });
          const seen = (changes: Partial<Profile>, circumstances = at) => {
            const { verdict, by } = decide(classification, { ...profile, ...changes }, circumstances);
            return `${verdict} by ${by}`;
          };
          assert.equal(seen({}), "ask by floor");
          assert.equal(seen({ ask: "always" }), "ask by floor");
          assert.equal(seen({ ask: "off" }), "deny by floor");
          assert.equal(seen({}, { ...at, attended: false }), "deny by floor");
          for (const askFallback of askFallbackSchema.options)
            assert.equal(decideOnTimeout(classification, { ...profile, askFallback }, at).verdict, "deny");
        }
      }
    });
  }
});
