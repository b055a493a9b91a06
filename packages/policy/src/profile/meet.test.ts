import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RISK_LEVELS } from "@countersign/vocabulary";
import fc from "fast-check";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import { decide } from "../decide/decide.ts";
import { deniedEffects } from "../decide/denials.ts";
import { describeWidening } from "./describe.ts";
import { meetProfiles } from "./meet.ts";
import {
  askFallbackSchema,
  askSchema,
  type Entry,
  type Grant,
  type Profile,
  profileSchema,
  sandboxSchema,
  securitySchema,
} from "./profile.ts";

const entry: fc.Arbitrary<Entry> = fc.record(
  {
    pattern: fc.constantFrom("npm **", "make **", "rm **", "git **"),
    id: fc.constantFrom("a", "b"),
    expiresAtMs: fc.constantFrom(500, 2_000),
    atMs: fc.constantFrom(100, 900),
    directory: fc.constantFrom("/home/me", "/home/me/project", "/home/me/project/x"),
    command: fc.constantFrom("npm test", "make > x"),
    code: fc.constantFrom({}, ...["one", "two"].map((hash) => ({ "/home/me/project/package.json": hash }))),
    ceiling: fc.record(
      {
        kinds: fc.subarray(["deletes", "executes", "writes"] as const).map((kinds) => [...kinds]),
        risk: fc.constantFrom(...RISK_LEVELS),
        roots: fc.subarray(["/tmp", "/tmp/a", "/srv", "/home/me/project"]),
        options: fc.subarray(["-rf", "--long", "--short"]),
        subcommand: fc.constantFrom("test", ""),
        hosts: fc.subarray(["a.example", "b.example"]),
        places: fc.subarray(["/home/me/project", "/srv"]),
      },
      { requiredKeys: ["kinds", "risk"] },
    ) as fc.Arbitrary<NonNullable<Entry["ceiling"]>>,
  },
  { requiredKeys: ["pattern"] },
) as fc.Arbitrary<Entry>;

const grant: fc.Arbitrary<Grant> = fc.record(
  {
    root: fc.constantFrom("/", "/home/me", "/home/me/project", "/srv"),
    expiresAtMs: fc.constantFrom(500, 2_000),
    atMs: fc.constantFrom(100, 900),
  },
  { requiredKeys: ["root"] },
) as fc.Arbitrary<Grant>;

const profile: fc.Arbitrary<Profile> = fc
  .record({
    security: fc.constantFrom(...securitySchema.options),
    ask: fc.constantFrom(...askSchema.options),
    timeoutMs: fc.integer({ min: 1, max: 5 }),
    askFallback: fc.constantFrom(...askFallbackSchema.options),
    allowlist: fc.array(entry, { maxLength: 4 }),
    denylist: fc.array(entry, { maxLength: 3 }),
    grants: fc.array(grant, { maxLength: 2 }),
    safeIsMiss: fc.boolean(),
    sandbox: fc.constantFrom(...sandboxSchema.options),
    extra: fc.constantFrom(1, 2),
  })
  .map((one) => fixtureProfile(one as Partial<Profile>));

describe("meetProfiles", () => {
  it("never widens its first, nor its second but for unknown keys", () => {
    fc.assert(
      fc.property(profile, profile, (a, b) => {
        const met = meetProfiles(a, b);
        assert.deepEqual(describeWidening(a, met), []);
        assert.deepEqual(describeWidening(b, { ...met, extra: b.extra }), []);
      }),
      { numRuns: 500 },
    );
  });

  it("with itself is itself", () => {
    fc.assert(
      fc.property(profile, (a) => assert.deepEqual(describeWidening(meetProfiles(a, a), a), [])),
      { numRuns: 200 },
    );
  });

  it("allows no command that either asks about or denies", () => {
    const rank = { deny: 0, ask: 1, allow: 2 };
    const commands = ["ls", "npm test", "make", "make > x", "rm -rf /tmp/a", "npm test && make", "rm x"].map((one) =>
      classify(one, fixtureContext()),
    );
    const denied = classify("make > y", fixtureContext());
    const denial = { approvalId: "a", proposalHash: "h", command: "make > y", by: "x", atMs: 500, standsUntilMs: 600 };
    const denials = [{ ...denial, effects: deniedEffects(denied, fixtureCircumstances()) }];
    const hashFile = (path: string) => (path === "/home/me/project/package.json" ? "one" : null);
    const moments = [{}, { hashFile }, { hashFile, denials }, { enforcement: "none", hashFile } as const];
    fc.assert(
      fc.property(
        profile,
        profile,
        fc.constantFrom(...commands),
        fc.constantFrom(...moments),
        (a, b, command, moment) => {
          const at = fixtureCircumstances(moment);
          // Like the floor, what resembles a denial needs a person either way: whether one can be asked is left out.
          const least = "denials" in moment ? rank.ask : rank.deny;
          const level = (one: Profile) => Math.max(least, rank[decide(command, one, at).verdict]);
          const met = level(meetProfiles(a, b));
          assert.ok(met <= level(a) && met <= level(b));
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

it("keeps every denial of both", () => {
  const many = (name: string) =>
    fixtureProfile({ denylist: Array.from({ length: 10_000 }, (_, index) => ({ pattern: `${name}${index} **` })) });
  const met = meetProfiles(many("a"), many("b"));
  assert.equal(met.denylist.length, 20_000);
  assert.equal(profileSchema.safeParse(met).success, true);
});

describe("describeWidening of a ceiling", () => {
  const seen = { kinds: ["executes" as const], risk: "needs-review" as const, roots: ["/w"] };
  const bound = { ...seen, options: ["--long", "--short", "-v"], subcommand: "status", hosts: ["a"] };
  const profileOf = (ceiling: NonNullable<Entry["ceiling"]>) =>
    fixtureProfile({ allowlist: [{ pattern: "git **", ceiling }] });
  const { options: _options, ...noOptions } = bound;
  const { subcommand: _subcommand, ...noSubcommand } = bound;
  const { hosts: _hosts, ...noHosts } = bound;
  const rows: readonly [string, NonNullable<Entry["ceiling"]>, boolean][] = [
    ["the same", bound, false],
    ["fewer options", { ...bound, options: ["--short", "-v"] }, false],
    ["without one that holds back", { ...bound, options: ["--long", "--short"] }, true],
    ["another option", { ...bound, options: ["--short", "-v", "-x"] }, true],
    ["options unbound", noOptions, true],
    ["another subcommand", { ...bound, subcommand: "push" }, true],
    ["the empty subcommand", { ...bound, subcommand: "" }, true],
    ["subcommand unbound", noSubcommand, true],
    ["another host", { ...bound, hosts: ["a", "b"] }, true],
    ["hosts unbound", noHosts, true],
    ["a directory below", { ...bound, roots: ["/w/x"] }, false],
    ["no shape at all", seen, true],
  ];
  for (const [name, ceiling, widens] of rows) {
    it(name, () => assert.equal(describeWidening(profileOf(bound), profileOf(ceiling)).length > 0, widens));
  }
  it("binding what was free is tighter", () => {
    assert.deepEqual(describeWidening(profileOf(seen), profileOf(bound)), []);
  });
});

describe("describeWidening", () => {
  const base = fixtureProfile({
    allowlist: [{ pattern: "git **" }],
    denylist: [{ pattern: "rm **" }],
    safeIsMiss: true,
  });
  const rows: readonly [Partial<Profile>, readonly string[]][] = [
    [{}, []],
    [{ security: "full" }, ["security: allowlist → full"]],
    [{ security: "deny" }, []],
    [{ ask: "always" }, []],
    [{ ask: "off" }, []],
    [{ askFallback: "full" }, ["askFallback: deny → full"]],
    [{ timeoutMs: 5 }, []],
    [
      { askFallback: "allowlist", timeoutMs: 5 },
      ["askFallback: deny → allowlist", "timeoutMs: 60000 → 5, after which silence allows"],
    ],
    [{ allowlist: [{ pattern: "git **" }, { pattern: "npm **" }] }, ['allowlist: adds "npm **"']],
    [{ allowlist: [{ pattern: "git **", id: "x", why: "y", hits: 3 }] }, []],
    [
      { allowlist: [{ pattern: "git **", ceiling: { kinds: ["privilege"], risk: "safe" } }] },
      ['allowlist: widens "git **"'],
    ],
    [{ allowlist: [] }, []],
    [{ denylist: [] }, ['denylist: removes "rm **"']],
    [{ denylist: [{ pattern: "rm **", expiresAtMs: 5 }] }, ['denylist: narrows "rm **"']],
    [{ allowlist: [{ pattern: "git **", directory: "/x" }] }, []],
    [{ allowlist: [{ pattern: "git **", code: { "/x": null } }] }, []],
    [{ allowlist: [{ pattern: "git **", atMs: 5 }] }, ['allowlist: widens "git **"']],
    [{ allowlist: [{ pattern: "git **", command: "git x > y" }] }, ['allowlist: adds "git x > y"']],
    [{ denylist: [{ pattern: "rm **", directory: "/x" }] }, ['denylist: narrows "rm **"']],
    [{ grants: [{ root: "/x" }] }, ['grants: adds "/x"']],
    [{ safeIsMiss: false }, ["safeIsMiss: true → false"]],
    [{ sandbox: "off" }, ["sandbox: auto → off"]],
    [{ sandbox: "required" }, []],
    [{ later: 1 }, ["later: changed, and this version doesn't know what it allows"]],
  ];
  for (const [change, sentences] of rows) {
    it(JSON.stringify(change), () => assert.deepEqual(describeWidening(base, { ...base, ...change }), sentences));
  }
  it("a person's answer where it was denied is wider", () => {
    assert.deepEqual(describeWidening(fixtureProfile({ ask: "off" }), fixtureProfile()), ["ask: off → on-miss"]);
  });
});
