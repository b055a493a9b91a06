import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fixtureContext } from "../../test/support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../../test/support/fixture-profile.ts";
import { classify } from "../classify/classify.ts";
import { decide } from "../decide/decide.ts";
import { deriveEntries } from "../entries/derive.ts";
import type { Entry } from "../profile/profile.ts";
import { readSandboxCall, type SandboxAct, writeSandboxCall } from "./sandbox-call.ts";

const write = (act: SandboxAct) => writeSandboxCall({ sandbox: "box-1", ...act });
/** Whatever it asks of the host is a mistake. */
const context = {
  ...fixtureContext(),
  realpath: () => assert.fail("looked at a path of this machine"),
  resolveProgram: () => assert.fail("looked for a program of this machine"),
};
const circumstances = fixtureCircumstances({ enforcement: "advisory" });

function judge(act: SandboxAct, lists: { allow?: readonly (string | Entry)[]; deny?: readonly string[] } = {}) {
  const entries = (list: readonly (string | Entry)[] = []): Entry[] =>
    list.map((one) => (typeof one === "string" ? { pattern: one } : one));
  const profile = fixtureProfile({ allowlist: entries(lists.allow), denylist: entries(lists.deny) });
  return decide(classify(write(act), context), profile, circumstances);
}

describe("the text of a call into a sandbox", () => {
  const rows: readonly [SandboxAct, string][] = [
    [{ kind: "command", command: "ls -la\npwd" }, "sandbox:box-1 command\nls -la\npwd"],
    [{ kind: "command", command: "ls", cwd: "/a b" }, 'sandbox:box-1 command cwd="/a b"\nls'],
    [{ kind: "command", command: "x", env: { A: "ü" } }, 'sandbox:box-1 command env={"A":"\\u00fc"}\nx'],
    [{ kind: "command", command: "ls", uid: 0, gid: 7 }, "sandbox:box-1 command uid=0 gid=7\nls"],
    [{ kind: "command", command: "ls '*'", argv: true, cwd: "/" }, "sandbox:box-1 command argv=true cwd=/\nls '*'"],
    [
      { kind: "command", command: "ls", background: true, timeoutMs: 9 },
      "sandbox:box-1 command background=true timeout_ms=9\nls",
    ],
    [{ kind: "session", session: "s1", command: "ls" }, "sandbox:box-1 session session=s1\nls"],
    [{ kind: "session", session: "s1", from: "/w", command: "ls" }, "sandbox:box-1 session session=s1 from=/w\nls"],
    [{ kind: "session", isolated: "i1", command: "ls" }, "sandbox:box-1 session isolated=i1\nls"],
    [
      { kind: "session", isolated: "i1", from: "/w", made: "bind /a at /b", cwd: "/", command: "ls" },
      'sandbox:box-1 session made="bind /a at /b" isolated=i1 from=/w cwd=/\nls',
    ],
    [
      {
        kind: "files",
        isolated: "i",
        from: "/w",
        made: "uid 0",
        changes: [{ change: "delete", path: "a", details: {} }],
      },
      'sandbox:box-1 files made="uid 0" isolated=i from=/w\ndelete a',
    ],
    [{ kind: "code", language: "python", code: "print(1)" }, "sandbox:box-1 code language=python\nprint(1)"],
    [
      { kind: "code", language: "unknown", named: "python", context: "c", from: "/a", cwd: "/b", code: "1" },
      "sandbox:box-1 code language=unknown named=python context=c from=/a cwd=/b\n1",
    ],
    [{ kind: "terminal", seconds: 600, cwd: "/w" }, "sandbox:box-1 terminal seconds=600 cwd=/w\n"],
    [
      { kind: "files", changes: [{ change: "move", path: "/a", details: { dest: "/b\n" } }] },
      'sandbox:box-1 files\nmove /a dest="/b\\n"',
    ],
    [
      {
        kind: "files",
        isolated: "i",
        changes: [{ change: "create", path: "/a", details: { mode: 4755, owner: "root" } }],
      },
      "sandbox:box-1 files isolated=i\ncreate /a mode=4755 owner=root",
    ],
  ];
  for (const [act, text] of rows) {
    it(text, () => {
      assert.equal(write(act), text);
      assert.equal(writeSandboxCall(readSandboxCall(text)?.call ?? assert.fail("not read back")), text);
    });
  }

  it("is read back to the same call, and two calls never share one", () => {
    const text = fc.string({ unit: "grapheme" });
    const command = fc.record({
      kind: fc.constant("command" as const),
      command: text,
      cwd: text,
      env: fc.dictionary(text, text),
      uid: fc.nat(0xffff_ffff),
    });
    const files = fc.record({
      kind: fc.constant("files" as const),
      changes: fc.array(
        fc.record({ change: fc.constant("move" as const), path: text, details: fc.record({ dest: text }) }),
        { minLength: 1, maxLength: 4 },
      ),
    });
    fc.assert(
      fc.property(fc.oneof(command, files), (act) => {
        const { call } = readSandboxCall(write(act)) ?? assert.fail("not read back");
        assert.equal(writeSandboxCall(call), write(act));
      }),
    );
  });

  it("is nothing that a shell could be given by mistake", () => {
    for (const other of [
      "sandbox:box-1 command",
      "sandbox:box 1 command\nls",
      "sandbox:box-1 run\nls",
      " sandbox:box-1 command\nls",
    ])
      assert.equal(readSandboxCall(other), undefined);
  });
});

describe("what is decided about a call into a sandbox", () => {
  const asked: readonly [string, SandboxAct][] = [
    ["a command that isn't safe", { kind: "command", command: "rm -rf build" }],
    ["one that runs code of the sandbox", { kind: "command", command: "./configure" }],
    ["a safe one in a session", { kind: "session", command: "echo", session: "s" }],
    ["a safe one with a variable that runs code", { kind: "command", command: "echo", env: { LD_PRELOAD: "/x.so" } }],
    ["a safe one as another user", { kind: "command", command: "echo", uid: 0 }],
    ["code", { kind: "code", language: "python", code: "1" }],
    ["files", { kind: "files", changes: [{ change: "create", path: "/tmp/x", details: {} }] }],
    ["a terminal", { kind: "terminal", seconds: 600 }],
  ];
  for (const [what, act] of asked) it(`${what} is asked about`, () => assert.equal(judge(act).verdict, "ask"));

  it("a safe command isn't", () => {
    for (const command of ["echo hi", "pwd && date"]) {
      const { verdict, by } = judge({ kind: "command", command });
      assert.deepEqual([verdict, by], ["allow", "policy"], command);
    }
  });

  it("entries that deny a program deny it there too; those that allow one here allow nothing there", () => {
    const act = { kind: "command", command: "true && curl https://example.com" } as const;
    assert.deepEqual(
      [judge(act, { deny: ["curl **"] }).verdict, judge(act, { allow: ["curl **"] }).verdict],
      ["deny", "ask"],
    );
  });

  it("an entry made from an answer covers its like in that sandbox, and a terminal never", () => {
    const make = (act: SandboxAct) =>
      deriveEntries(classify(write(act), context), { roots: ["/"], enforcement: "advisory" }).entries;
    const code = { kind: "code", language: "python", code: "1" } as const;
    const [entry] = make(code);
    assert.equal(entry?.pattern, "sandbox:box-1 code **");
    assert.equal(judge({ ...code, code: "2" }, { allow: make(code) }).verdict, "allow");
    const elsewhere = classify(writeSandboxCall({ sandbox: "box-2", ...code }), context);
    const profile = fixtureProfile({ allowlist: [...make(code)] });
    assert.equal(decide(elsewhere, profile, circumstances).verdict, "ask");
    const terminal = { kind: "terminal", seconds: 600 } as const;
    assert.deepEqual(make(terminal), []);
    assert.equal(judge(terminal, { allow: ["sandbox:box-1 terminal **"] }).verdict, "ask");
  });

  it("an entry covers a command as the user that it was made from, and as no other", () => {
    const make = (act: SandboxAct) =>
      deriveEntries(classify(write(act), context), { roots: ["/"], enforcement: "advisory" }).entries;
    const as = (uid?: number, gid?: number) => {
      const user = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
      return { kind: "command", command: "make", cwd: "/w", ...user } as const;
    };
    const users = [as(), as(0), as(7), as(7, 0), as(7, 7)];
    for (const made of users) {
      const covered = users.filter((act) => judge(act, { allow: make(made) }).verdict === "allow");
      assert.deepEqual(covered, [made]);
    }
    assert.equal(make(as(7, 0))[0]?.pattern, "sandbox:box-1 command uid=7 gid=0 **");
    // Neither does one that somebody wrote, nor a command that only looks like a user.
    for (const wide of [
      "sandbox:box-1 **",
      "sandbox:box-1 command **",
      "sandbox:box-1 command uid=* **",
      "sandbox:* **",
    ])
      assert.equal(judge(as(0), { allow: [wide] }).verdict, "ask", wide);
    const disguised = { kind: "command", command: "uid=0 make" } as const;
    assert.equal(judge(disguised, { allow: make(as(0)) }).verdict, "ask");
    assert.equal(judge(as(0), { deny: ["sandbox:box-1 **"] }).verdict, "deny");
  });

  it("an entry covers what is done in a session that was made as the one that it is from, and in no other", () => {
    const make = (act: SandboxAct) =>
      deriveEntries(classify(write(act), context), { roots: ["/"], enforcement: "advisory" }).entries;
    const changes = [{ change: "create", path: "/w/x", details: {} }] as const;
    for (const act of [
      { kind: "session", command: "make", isolated: "i", from: "/w" },
      { kind: "files", isolated: "i", changes },
    ] as const) {
      const sessions = [
        act,
        ...["mode rw", "bind /data at /w", "bind /data at /w; uid 0"].map((made) => ({ ...act, made })),
      ];
      for (const one of sessions) {
        const covered = sessions.filter((other) => judge(other, { allow: make(one) }).verdict === "allow");
        assert.deepEqual(covered, [one]);
      }
      for (const wide of ["sandbox:box-1 **", `sandbox:box-1 ${act.kind} **`, `sandbox:box-1 ${act.kind} made=* **`])
        assert.equal(judge({ ...act, made: "uid 0" }, { allow: [wide] }).verdict, "ask", wide);
    }
  });

  it("an entry from a session that was made out of sight is for that very call: another one may be made with anything", () => {
    const changes = [{ change: "create", path: "/w/x", details: {} }] as const;
    for (const act of [
      { kind: "session", command: "make", isolated: "i", from: "unknown", made: "unknown" },
      { kind: "files", isolated: "i", made: "unknown", changes },
    ] as const) {
      const { entries } = deriveEntries(classify(write(act), context), { roots: ["/"], enforcement: "advisory" });
      assert.equal(judge(act, { allow: entries }).verdict, "allow");
      assert.equal(judge({ ...act, isolated: "j" }, { allow: entries }).verdict, "ask");
    }
  });

  it("whose a file becomes, and with whose rights it runs, is said, and no entry covers it but for that very change", () => {
    const change = (details: Record<string, string | number>) =>
      ({ kind: "files", changes: [{ change: "create", path: "/tmp/x", details }] }) as const;
    const make = (act: SandboxAct) =>
      deriveEntries(classify(write(act), context), { roots: ["/"], enforcement: "advisory" }).entries;
    const sentences = (act: SandboxAct) => classify(write(act), context).effects.map(({ sentence }) => sentence);
    assert.deepEqual(sentences(change({ mode: 755 })), [
      "Creates /tmp/x, with mode 755, inside the sandbox box-1, not on this machine",
    ]);
    assert.deepEqual(sentences(change({ mode: 4755, owner: "root" })), [
      "Creates /tmp/x, with mode 4755, owner root, inside the sandbox box-1, not on this machine",
      "Says whose /tmp/x is, or whose rights it runs with: mode 4755, owner root",
    ]);
    const plain = make(change({ mode: 644 }));
    assert.equal(judge(change({ mode: 755 }), { allow: plain }).verdict, "allow");
    for (const details of [{ mode: 4755 }, { mode: 644, owner: "root" }, { group: "0" }])
      assert.equal(judge(change(details), { allow: plain }).verdict, "ask");
    const rooted = make(change({ owner: "root" }));
    assert.equal(judge(change({ owner: "root" }), { allow: rooted }).verdict, "allow");
    assert.equal(judge(change({ owner: "admin" }), { allow: rooted }).verdict, "ask");
  });

  it("the worst is said where it stands", () => {
    const text = write({ kind: "command", command: "rm -rf /" });
    const { riskLevel, effects } = classify(text, context);
    assert.equal(riskLevel, "dangerous");
    const worst = effects.find(({ risk }) => risk === "dangerous");
    assert.ok(worst);
    assert.match(text.slice(worst.span.pos, worst.span.end), /rm -rf \/|\//);
  });
});
