import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import { decide } from "../decide/decide.ts";
import { describeWidening } from "./describe.ts";
import { effectiveProfile, type LayerFile, readLayer } from "./layers.ts";
import { askFallbackSchema, askSchema, type Entry, type Profile, sandboxSchema, securitySchema } from "./profile.ts";

const REPOSITORY = "/home/me/project";

function layer(block: object, { trusted = false, ...more }: Partial<LayerFile> = {}): LayerFile {
  const kind = more.layer ?? "repository";
  const reading = readLayer({ execApproval: block }, kind === "repository" ? REPOSITORY : undefined);
  assert.ok(reading.ok, JSON.stringify(reading));
  return { layer: kind, file: `/${kind}.json`, block: reading.block, trusted };
}

function over(changes: Partial<Profile>, layers: readonly LayerFile[]) {
  const idOf = ({ pattern }: Entry, where: string) => `${where}:${pattern}`;
  return effectiveProfile({ file: "/user.json", profile: fixtureProfile(changes) }, layers, idOf);
}

function verdict(command: string, profile: Profile) {
  return decide(classify(command, fixtureContext()), profile, fixtureCircumstances());
}

describe("effectiveProfile", () => {
  it("keeps every denial, each with its layer, whoever is trusted", () => {
    const { profile } = over({ denylist: [{ pattern: "npm publish **" }] }, [
      layer(
        { denylist: [{ pattern: "shutdown **", why: "others work here" }] },
        { layer: "organisation", trusted: true },
      ),
      layer({ denylist: [{ pattern: "git push **", id: "entry-of-ours" }] }),
    ]);
    assert.deepEqual(
      profile.denylist.map(({ pattern, layer: from, file, id }) => [pattern, from, file, id]),
      [
        ["shutdown **", "organisation", "/organisation.json", "organisation:shutdown **"],
        ["git push **", "repository", "/repository.json", "repository:git push **"],
        ["npm publish **", "user", "/user.json", "user:npm publish **"],
      ],
    );
    assert.deepEqual(
      ["shutdown now", "git push", "npm publish"].map((command) => verdict(command, profile).verdict),
      ["deny", "deny", "deny"],
    );
  });

  it("takes what a layer allows only where it is trusted", () => {
    const block = { allowlist: [{ pattern: "npm test" }] };
    assert.equal(verdict("npm test", over({}, [layer(block)]).profile).verdict, "ask");
    const { verdict: allowed, entryIds } = verdict("npm test", over({}, [layer(block, { trusted: true })]).profile);
    assert.deepEqual([allowed, entryIds], ["allow", ["repository:npm test"]]);
  });

  it("holds a repository's entries to the repository", () => {
    const { profile } = over({}, [layer({ allowlist: [{ pattern: "touch **" }] }, { trusted: true })]);
    assert.equal(verdict("touch a", profile).verdict, "allow");
    assert.equal(verdict("touch /tmp/a", profile).verdict, "ask");
    const narrower = {
      allowlist: [{ pattern: "touch **", ceiling: { kinds: ["writes"], risk: "needs-review", roots: ["src"] } }],
    };
    const { profile: inSrc } = over({}, [layer(narrower, { trusted: true })]);
    assert.deepEqual(inSrc.allowlist[0]?.ceiling?.roots, [`${REPOSITORY}/src`]);
    assert.equal(verdict("touch src/a", inSrc).verdict, "allow");
    assert.equal(verdict("touch a", inSrc).verdict, "ask");
  });

  it("lets a layer tighten and never loosen, and says which one did", () => {
    const rows: [Partial<Profile>, object, Partial<Profile>][] = [
      [{}, { security: "full" }, {}],
      [{ security: "full" }, { security: "allowlist" }, { security: "allowlist" }],
      [{}, { ask: "always" }, { ask: "always" }],
      [{}, { ask: "off" }, { ask: "off" }],
      [{ security: "full", ask: "off" }, { security: "allowlist" }, { security: "allowlist", ask: "off" }],
      [{ ask: "always" }, { ask: "on-miss" }, { ask: "always" }],
      [{ sandbox: "off" }, { sandbox: "required" }, { sandbox: "required" }],
      [{ sandbox: "required" }, { sandbox: "off" }, { sandbox: "required" }],
      [{}, { assurance: "device" }, { assurance: "device" }],
      [{ askFallback: "full" }, { askFallback: "deny" }, { askFallback: "deny" }],
      [{}, { timeoutMs: 5 }, { timeoutMs: 5 }],
      [{}, { timeoutMs: 500_000 }, {}],
      [{}, { safeIsMiss: true }, { safeIsMiss: true }],
    ];
    for (const [user, block, expected] of rows) {
      const { profile, origins } = over(user, [layer(block, { trusted: true })]);
      assert.deepEqual(profile, fixtureProfile({ ...user, ...expected }), JSON.stringify([user, block]));
      for (const key of Object.keys(origins) as (keyof typeof origins)[]) {
        const changed = fixtureProfile(user)[key] !== profile[key];
        const wanted = changed ? "repository" : key in user ? "user" : "default";
        assert.equal(origins[key].layer, wanted, `${JSON.stringify([user, block])} ${key}`);
      }
    }
  });

  it("is never wider than the profile, whatever an untrusted layer says", () => {
    const entries = fc.array(fc.record({ pattern: fc.constantFrom("npm **", "rm **", "** x", "*") }), { maxLength: 3 });
    const settings = fc.record({
      security: fc.constantFrom(...securitySchema.options),
      ask: fc.constantFrom(...askSchema.options),
      timeoutMs: fc.integer({ min: 1, max: 5 }),
      askFallback: fc.constantFrom(...askFallbackSchema.options),
      allowlist: entries,
      denylist: entries,
      safeIsMiss: fc.boolean(),
      sandbox: fc.constantFrom(...sandboxSchema.options),
      assurance: fc.constantFrom("device", "token"),
    });
    const some = fc.array(fc.tuple(settings, fc.subarray(Object.keys(fixtureProfile()))), { maxLength: 3 });
    fc.assert(
      fc.property(settings, some, (user, blocks) => {
        const layers = blocks.map(([block, keys]) =>
          layer(Object.fromEntries(Object.entries(block).filter(([key]) => keys.includes(key)))),
        );
        const { profile } = over(user as Partial<Profile>, layers);
        assert.deepEqual(describeWidening(fixtureProfile(user as Partial<Profile>), profile), []);
      }),
    );
  });
});

describe("readLayer", () => {
  it("refuses what it doesn't know, and roots outside of the repository", () => {
    const rows: [unknown, RegExp][] = [
      [{ execApproval: { denyKinds: ["writes"] } }, /denyKinds/],
      [{ execApproval: { denylist: [{ pattern: "x", onlyOn: "monday" }] } }, /onlyOn/],
      [{ execApproval: { denylist: [{ pattern: "" }] } }, /denylist\.0\.pattern/],
      [{ execApproval: { security: "open" } }, /security/],
      [{ execApproval: { grants: [{ root: "/" }] } }, /grants/],
      [{ execApproval: 1 }, /execApproval/],
      [[], /file/],
      [null, /file/],
      ...["..", "/etc", "a/../../b", "../project2"].map((root): [unknown, RegExp] => [
        { execApproval: { allowlist: [{ pattern: "x", ceiling: { kinds: [], risk: "safe", roots: [root] } }] } },
        /isn't inside \/home\/me\/project/,
      ]),
    ];
    for (const [file, problem] of rows) {
      const reading = readLayer(file, REPOSITORY);
      assert.ok(!reading.ok, JSON.stringify(file));
      assert.match(reading.problems.join(), problem);
    }
    assert.ok(readLayer({ examples: {}, $schema: "x" }).ok, "beside the block anything may stand");
  });
});
