import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalClosed } from "@countersign/protocol/proposals";
import { cardOf, Played } from "../played.ts";
import { sampleCard } from "../sample-card.ts";
import { selectedOf, type Want, type WatchEvent } from "./state.ts";
import { DEAD_MS } from "./update.ts";

const allowed = (id: string): Want => ({ kind: "decide", card: cardOf(id), decision: "allow-once" });

test("keys are dead for 400 ms after the card, or what is selected, has changed", () => {
  const watch = new Played().ask("one", "two");
  assert.deepEqual(watch.keys("a", "d").taken(), []);
  assert.equal(watch.state.input, undefined);
  assert.deepEqual(
    watch
      .after(DEAD_MS - 1)
      .keys("a")
      .taken(),
    [],
  );
  assert.deepEqual(watch.after(1).keys("j", "a").taken(), []);
  assert.deepEqual(watch.settle().keys("a").taken(), [allowed("two")]);
  assert.deepEqual(watch.keys("a", "d").taken(), [], "an answer is on its way");
});

test("a new card never takes the selection, nor what is being typed", () => {
  const watch = new Played().ask("one").settle().keys("d", "n", "o").ask("two", "one");
  assert.equal(watch.selected, "one");
  assert.deepEqual(watch.state.input, { kind: "reason", text: "no" });
  assert.deepEqual(watch.keys("enter").taken(), [
    { kind: "decide", card: cardOf("one"), decision: "deny", reason: "no" },
  ]);
});

test("dangerous: a asks, and only a typed yes allows", () => {
  const table: [name: string, play: (watch: Played) => Played, allows: boolean][] = [
    ["yes", (watch) => watch.keys("y", "e", "s", "enter"), true],
    ["YES", (watch) => watch.keys("Y", "E", "S", "enter"), true],
    ["corrected", (watch) => watch.keys("n", "backspace", "y", "e", "s", "enter"), true],
    ["nothing", (watch) => watch.keys("enter"), false],
    ["y", (watch) => watch.keys("y", "enter"), false],
    ["pasted", (watch) => watch.paste("yes").keys("enter"), false],
    ["pasted with its Enter", (watch) => watch.paste("yes\r"), false],
    ["gone back", (watch) => watch.keys("y", "e", "s", "escape", "enter"), false],
    [
      "answered meanwhile",
      (watch) =>
        watch
          .keys("y", "e", "s")
          .event({ kind: "closed", closed: { approvalId: "dangerous", by: "person" }, expired: false })
          .keys("enter"),
      false,
    ],
  ];
  for (const [name, play, allows] of table) {
    const watch = new Played().ask("dangerous").settle().keys("a");
    assert.deepEqual(watch.taken(), [], name);
    assert.equal(watch.state.input?.kind, "yes", name);
    assert.deepEqual(play(watch).taken(), allows ? [allowed("dangerous")] : [], name);
  }
});

test("a paste decides nothing; in a reason it is text, on one line", () => {
  const watch = new Played().ask("one").settle();
  assert.deepEqual(watch.paste("a").paste("d\r").paste("aaa").taken(), []);
  watch.keys("d").paste("first\r\n\x1b[2Jsecond");
  assert.deepEqual(watch.state.input, { kind: "reason", text: "first [2Jsecond" });
  watch.paste("x".repeat(5_000));
  assert.equal(watch.state.input?.text.length, 1_024);
});

test("a long command can be allowed once its end was on the screen, and not by jumping there", () => {
  const watch = new Played().ask("long").settle();
  assert.deepEqual(watch.keys("a").taken(), []);
  assert.match(watch.state.notice ?? "", /^Scroll/);
  const rows = watch.state.body?.commandRows ?? 0;
  const seen = new Set<number>();
  for (let pages = 0; !watch.state.endSeen; pages += 1) {
    assert.ok(pages < rows, "the end never comes");
    const before = watch.state.scroll;
    watch.keys(" ");
    seen.add(watch.state.scroll - before);
  }
  assert.ok(Math.max(...seen) < 24, "no row is jumped over");
  assert.deepEqual(watch.keys("page-up", "a").taken(), [allowed("long")]);
});

test("too small a window shows no card: nothing is seen, decided or paused there", () => {
  const small = { kind: "resize", size: { columns: 19, rows: 24 } } as const;
  const low = { kind: "resize", size: { columns: 80, rows: 7 } } as const;
  const large = { kind: "resize", size: { columns: 80, rows: 24 } } as const;
  for (const size of [small, low]) {
    const watch = new Played(size.size).ask("one").settle();
    assert.deepEqual(watch.keys("a", "d", "p", "?", "j", " ", "page-down", "enter").taken(), []);
    assert.deepEqual([watch.state.endSeen, watch.state.input, watch.state.help], [false, undefined, false]);
    assert.deepEqual(watch.event(large).keys("a").taken(), [], "it has just come on the screen");
    assert.deepEqual(watch.settle().keys("a").taken(), [allowed("one")]);

    const typed = new Played().ask("dangerous").settle().keys("a", "y", "e", "s").event(size);
    assert.equal(typed.state.endSeen, false);
    assert.deepEqual(typed.settle().keys("enter").taken(), []);
    assert.deepEqual(typed.event(large).settle().keys("enter").taken(), [allowed("dangerous")]);
    assert.deepEqual(new Played(size.size).ask("one").keys("q", "interrupt").taken(), [
      { kind: "quit" },
      { kind: "quit" },
    ]);
  }
});

test("no row is passed unseen: not below the help, nor by a window that becomes wider", () => {
  const watch = new Played().ask("long").settle().keys("?", "page-down");
  assert.deepEqual([watch.state.help, watch.state.scroll], [false, 0]);
  const narrow = new Played({ columns: 24, rows: 24 }).ask("long").settle();
  for (let pages = 0; pages < 10; pages += 1) narrow.keys(" ");
  narrow.event({ kind: "resize", size: { columns: 200, rows: 24 } });
  assert.deepEqual([narrow.state.scroll, narrow.state.endSeen], [0, false]);
});

test("a change of the policy can't be allowed before all of it was on the screen", () => {
  const riskReasons = Array.from({ length: 40 }, (_, at) => `Would allow: thing ${at}`);
  const card = sampleCard({ subject: "policy", riskReasons });
  const watch = new Played().event({ kind: "asked", card }).settle();
  assert.deepEqual(watch.keys("a").taken(), []);
  assert.equal(watch.state.notice, "Scroll to the change's end first (space).");
  assert.equal(watch.keys(" ", " ", " ", "a").taken().length, 1);
});

test("answered elsewhere: it stays, and can't be answered, until the person moves on", () => {
  const closed = { approvalId: "one", decision: "deny", by: "person", name: "bob", reason: "no" } as const;
  const watch = new Played().ask("one", "two", "three").settle().event({ kind: "closed", closed, expired: false });
  assert.deepEqual([watch.selected, watch.state.cards.length], ["one", 3]);
  const selected = selectedOf(watch.state);
  assert.equal(selected?.ended, 'denied by bob: "no"');
  assert.deepEqual(watch.settle().keys("a", "d").taken(), []);
  watch.event({ kind: "closed", closed: { approvalId: "three", by: "timeout" }, expired: true });
  watch.keys("j");
  assert.deepEqual([watch.selected, watch.state.cards.length], ["two", 2], "what expired can still be allowed");
  assert.deepEqual(
    watch.state.recent.map(({ mark, how }) => [mark, how]),
    [
      ["–", "expired"],
      ["✗", 'denied by bob: "no"'],
    ],
  );
});

test("answered elsewhere: the device that answered is named, where it isn't called as its person is", () => {
  const closed = { approvalId: "one", by: "person", name: "bob" } as const;
  const table: [Partial<ApprovalClosed>, string][] = [
    [{ decision: "allow-once", device: "bob's phone" }, "allowed by bob on bob's phone"],
    [{ decision: "allow-always", device: "pixel" }, "allowed more than once by bob on pixel"],
    [{ decision: "deny", device: "pixel", reason: "no" }, 'denied by bob on pixel: "no"'],
    [{ decision: "deny", device: "bob" }, "denied by bob"],
    [{ decision: "allow-once" }, "allowed by bob"],
  ];
  for (const [change, how] of table) {
    const watch = new Played().ask("one").event({ kind: "closed", closed: { ...closed, ...change }, expired: false });
    assert.equal(selectedOf(watch.state)?.ended, how);
  }
});

test("our own answer says so, whichever of its two news comes first", () => {
  const closed = { approvalId: "one", decision: "deny", by: "person", name: "ann", reason: "no" } as const;
  const told: WatchEvent = { kind: "closed", closed, expired: false };
  const taken: WatchEvent = { kind: "answered", approvalId: "one", decision: "deny" };
  for (const [events, how] of [
    [[told, taken], 'denied by you: "no"'],
    [[taken, told], "denied by you"],
  ] as const) {
    const watch = new Played().ask("one").event(...events);
    assert.deepEqual(
      watch.state.recent.map((event) => event.how),
      [how],
    );
  }
});

test("what the hub refused stays open, and its sentence is shown; what was gone is gone", () => {
  const watch = new Played().ask("one").settle().keys("a");
  watch.event({ kind: "not-answered", approvalId: "one", why: "The hub said no.", gone: false });
  assert.equal(watch.state.notice, "The hub said no.");
  assert.equal(watch.settle().keys("a").taken().length, 2);
  watch.event({ kind: "not-answered", approvalId: "one", why: "Too late.", gone: true });
  assert.equal(selectedOf(watch.state)?.ended, "no longer waits");
});

test("without a connection, or paused, nothing is allowed; the selection stays over a reconnection", () => {
  const watch = new Played().ask("one", "two").settle().keys("j").settle();
  watch.event({ kind: "link", link: { up: false, why: "The hub is gone." } });
  assert.deepEqual(watch.keys("a", "d", "p").taken(), []);
  watch
    .event({ kind: "link", link: { up: true } })
    .ask("one", "two")
    .event({ kind: "gone", approvalIds: ["one"] });
  assert.equal(watch.selected, "two");
  watch.event({ kind: "hub", hub: { paused: { by: "ann", atMs: 0 }, ranToday: 1, agents: 1 } });
  assert.deepEqual(watch.keys("a").taken(), []);
  assert.deepEqual(watch.keys("p", "p").taken(), [{ kind: "resume" }]);
});

test("one bell for a burst", () => {
  const bells = (watch: Played) => watch.wants.filter(({ kind }) => kind === "bell").length;
  const watch = new Played().ask("one", "two", "three").after(999).ask("four");
  assert.equal(bells(watch), 1);
  assert.equal(bells(watch.after(1).ask("five")), 2);
  assert.equal(bells(watch.after(5_000).ask("one")), 2, "one that is known isn't news");
});

test("q and Ctrl-C leave; in a line that is typed q is a letter", () => {
  const watch = new Played().ask("one").settle();
  assert.deepEqual(watch.keys("q").taken(), [{ kind: "quit" }]);
  assert.deepEqual(watch.keys("d", "q").taken(), []);
  assert.deepEqual(watch.keys("interrupt").taken(), [{ kind: "quit" }]);
});

const OFFERS = [
  { scope: "exact@session", words: "This exact command, this session", saves: ["run one"] },
  { scope: "pattern:run **@43200m", words: "Commands that fit `run **`, 30 days", saves: ["run **"] },
  { scope: "program@forever", words: "`run **`, for ever (broad)", saves: ["run **"] },
];
const offered = (approvalId: string): WatchEvent => ({ kind: "scopes", approvalId, offers: OFFERS });

test("s lists the ways to allow more than once; none is preselected, and a digit takes the one that it stands before", () => {
  const watch = new Played().ask("one").keys("s");
  assert.deepEqual(watch.taken(), [], "too soon");
  assert.deepEqual(watch.settle().keys("s").taken(), [{ kind: "scopes", card: cardOf("one") }]);
  assert.deepEqual(watch.keys("1", "enter", "a").taken(), [], "nothing is listed yet");
  watch.event(offered("two"));
  assert.equal(watch.state.menu?.offers, undefined, "another card's");
  watch.event(offered("one"));
  assert.deepEqual(watch.keys("1").taken(), [], "too soon");
  assert.deepEqual(watch.settle().keys("enter", "0", "4", "9", "a", "down").paste("1").taken(), []);
  assert.deepEqual(watch.keys("2").taken(), [
    { kind: "decide", card: cardOf("one"), decision: "allow-always", scope: "pattern:run **@43200m" },
  ]);
  assert.equal(watch.state.menu, undefined);
  watch.event({ kind: "answered", approvalId: "one", decision: "allow-always", note: "Saved to the policy: run **" });
  assert.equal(selectedOf(watch.state)?.ended, "allowed more than once by you");
  assert.equal(watch.state.notice, "Saved to the policy: run **");
});

test("dangerous: a scope wants a typed yes too", () => {
  const watch = new Played().ask("dangerous").settle().keys("s").event(offered("dangerous")).settle();
  watch.taken();
  assert.deepEqual(watch.keys("1").taken(), []);
  assert.deepEqual(watch.state.input, { kind: "yes", text: "", scope: "exact@session" });
  assert.deepEqual(watch.keys("n", "o", "enter").taken(), []);
  assert.deepEqual(watch.keys("1", "y", "e", "s", "enter").taken(), [
    { kind: "decide", card: cardOf("dangerous"), decision: "allow-always", scope: "exact@session" },
  ]);
});

test("a scope can be written; Esc goes back, first to the list and then to the card", () => {
  const watch = new Played().ask("one").settle().keys("s").event(offered("one")).settle();
  watch.taken();
  watch.keys("w");
  assert.deepEqual(watch.state.input, { kind: "scope", text: "pattern:run **@43200m" });
  assert.deepEqual(watch.keys("escape").state.menu?.offers, OFFERS);
  assert.equal(watch.keys("escape").state.menu, undefined);
  watch.settle().keys("s").event(offered("one")).settle();
  watch.taken();
  assert.deepEqual(watch.keys("w", "clear-line").paste("exact@5m").keys("enter").taken(), [
    { kind: "decide", card: cardOf("one"), decision: "allow-always", scope: "exact@5m" },
  ]);
});

test("the list goes with the card, with a hub that refuses, and isn't there for a change of the policy", () => {
  const watch = new Played().ask("one", "two").settle().keys("s").event(offered("one"));
  watch.event({
    kind: "closed",
    closed: { approvalId: "one", decision: "deny", by: "person", name: "bob" },
    expired: false,
  });
  assert.equal(watch.state.menu, undefined);
  watch.keys("j").settle().keys("s").event({ kind: "no-scopes", approvalId: "two", why: "There's no method" });
  assert.deepEqual([watch.state.menu, watch.state.notice], [undefined, "There's no method"]);
  const policy = new Played()
    .event({ kind: "asked", card: sampleCard({ subject: "policy" }) })
    .settle()
    .keys("s");
  assert.deepEqual(policy.taken(), []);
  assert.match(policy.state.notice ?? "", /change of the policy/);
});

test("what doesn't fit the window can't be chosen", () => {
  const watch = new Played({ columns: 40, rows: 11 }).ask("one").settle().keys("s").event(offered("one")).settle();
  watch.taken();
  assert.deepEqual(watch.keys("3").taken(), []);
  assert.equal(watch.keys("1").taken().length, 1);
});

test("l lists jails where there is one; a digit allows once in that jail, and dangerous wants a typed yes", () => {
  assert.equal(new Played().ask("one").settle().keys("l").state.menu, undefined, "it has no jail");
  const watch = new Played().ask("jailed").settle().keys("l");
  assert.deepEqual(watch.keys("4").taken(), [], "what can be chosen has just come");
  assert.deepEqual(watch.settle().keys("w", "enter", "9").taken(), []);
  assert.deepEqual(watch.keys("4").taken(), [
    { kind: "decide", card: cardOf("jailed"), decision: "allow-once", jail: "open" },
  ]);
  const dangerous = new Played().ask("dangerous jailed").settle().keys("l").settle().keys("1");
  assert.deepEqual(dangerous.taken(), []);
  assert.deepEqual(dangerous.keys("y", "e", "s", "enter").taken(), [
    { kind: "decide", card: cardOf("dangerous jailed"), decision: "allow-once", jail: "read-only" },
  ]);
});

const inJail = (approvalId: string) => sampleCard({ approvalId, command: `run ${approvalId}`, enforcement: "jail" });
const previewed = (approvalId: string, lines = 1): WatchEvent => {
  const outcome = { kind: "exited", exitCode: 0, stdout: "line\n".repeat(lines) } as const;
  const counts = { created: 0, changed: 0, deleted: 0 };
  return { kind: "previewed", result: { approvalId, outcome, how: "overlay", changes: [], counts, truncated: false } };
};

test("v tries it out and shows that in the card's place; nothing is decided from there", () => {
  const ask = (id: string): WatchEvent => ({ kind: "asked", card: inJail(id) });
  const watch = new Played().event(ask("one"), ask("two")).keys("v");
  assert.deepEqual(watch.taken(), [], "too soon");
  assert.deepEqual(watch.settle().keys("v").taken(), [{ kind: "preview", card: inJail("one") }]);
  watch.event(previewed("two"));
  assert.equal(watch.state.preview?.result, undefined, "another card's");
  watch.event(previewed("one", 100)).settle();
  assert.deepEqual(watch.keys("a", "d", "s", "enter", "p").paste("a").taken(), []);
  const places = ["down", "page-down", " ", "up", "b", "page-up", "up"].map(
    (key) => watch.keys(key as "up").state.preview?.scroll,
  );
  assert.deepEqual(places, [1, 19, 37, 36, 18, 0, 0]);
  for (let pages = 0; pages < 20; pages += 1) watch.keys(" ");
  assert.equal(watch.state.preview?.scroll, (watch.state.preview?.rows.length ?? 0) - 19, "to the end and no further");
  watch.event({ kind: "resize", size: { columns: 40, rows: 12 } });
  assert.equal(watch.state.preview?.rows.length, 104);
  assert.equal(watch.keys("escape").state.preview, undefined);
  assert.deepEqual(watch.settle().keys("a").taken(), [{ kind: "decide", card: inJail("one"), decision: "allow-once" }]);
});

test("leaving a preview that still runs ends it; one that has ended is only closed", () => {
  const ask: WatchEvent = { kind: "asked", card: inJail("one") };
  for (const key of ["escape", "q", "v"] as const) {
    const watch = new Played().event(ask).settle().keys("v");
    watch.taken();
    assert.deepEqual(watch.keys(key).taken(), [{ kind: "cancel-preview", card: inJail("one") }], key);
    assert.equal(watch.state.preview, undefined);
    watch.settle().keys("v").event(previewed("one")).taken();
    assert.deepEqual(watch.keys(key).taken(), [], key);
    assert.equal(watch.state.preview, undefined);
  }
});

test("a preview goes with its card, and isn't there for what no jail runs", () => {
  const watch = new Played()
    .event({ kind: "asked", card: inJail("one") })
    .settle()
    .keys("v");
  watch.event({ kind: "not-previewed", approvalId: "one", why: "The hub said no." });
  assert.deepEqual([watch.state.preview, watch.state.notice], [undefined, "The hub said no."]);
  watch.keys("v").event({ kind: "closed", closed: { approvalId: "one", by: "timeout" }, expired: true });
  assert.equal(watch.state.preview, undefined);
  assert.equal(watch.event(previewed("one")).state.preview, undefined);
  const open = new Played().ask("open").settle().keys("v");
  assert.match(open.state.notice ?? "", /isn't run in a jail/);
  const policy = sampleCard({ subject: "policy", enforcement: "jail" });
  assert.match(
    new Played().event({ kind: "asked", card: policy }).settle().keys("v").state.notice ?? "",
    /change of the policy/,
  );
});

test("a command whose end wasn't on the screen isn't passed by behind a preview", () => {
  const card = sampleCard({ approvalId: "long", command: "x ".repeat(4_000), enforcement: "jail" });
  const watch = new Played().event({ kind: "asked", card }).settle().keys("v");
  watch.taken();
  watch.event(previewed("long"), { kind: "resize", size: { columns: 400, rows: 200 } });
  assert.equal(watch.state.endSeen, false);
  assert.equal(watch.keys("escape").state.endSeen, true);
});

test("r asks for the card with nothing hidden; when it comes, the fingers rest before anything can be decided", () => {
  const watch = new Played();
  const asked = { ...cardOf("one"), command: "run [REDACTED: 7 characters]" };
  watch.event({ kind: "asked", card: asked }).settle();
  assert.deepEqual(watch.keys("r").taken(), [{ kind: "reveal", card: asked }]);
  const card = { ...asked, command: "run sk-1234" };
  watch.event({ kind: "revealed", card });
  assert.equal(selectedOf(watch.state)?.card.command, "run sk-1234");
  assert.match(watch.state.notice ?? "", /recorded that you looked/);
  assert.deepEqual(watch.keys("a").taken(), [], "too soon");
  assert.deepEqual(watch.settle().keys("a").taken(), [{ kind: "decide", card, decision: "allow-once" }]);
  watch.event({ kind: "not-revealed", why: "A token with the role observer may not do this" });
  assert.match(watch.state.notice ?? "", /observer/);
  assert.match(watch.keys("r").state.notice ?? "", /Nothing is hidden/);
  assert.deepEqual(watch.taken(), []);
});

test("what was revealed goes with its card, and comes too late for one that has ended", () => {
  const watch = new Played();
  const asked = { ...cardOf("one"), command: "run [REDACTED: 7 characters]" };
  const card = { ...asked, command: "run sk-1234" };
  watch.event({ kind: "asked", card: asked }).event({ kind: "revealed", card });
  const ended: WatchEvent = { kind: "closed", closed: { approvalId: "one", by: "timeout" }, expired: true };
  watch.event(ended);
  assert.ok(!JSON.stringify(watch.state.recent).includes("sk-1234"));
  const late = new Played().event({ kind: "asked", card: asked }, ended).event({ kind: "revealed", card });
  assert.ok(!JSON.stringify(late.state).includes("sk-1234"));
});

test("×2: x allows as many as the card stood for when it was pressed, and rests after each change of the number", () => {
  const played = new Played().ask("one").settle();
  played.keys("x");
  assert.deepEqual(played.taken(), [], "one is only one");
  played.event({ kind: "counted", counted: { approvalId: "one", count: 3 } }).keys("x");
  assert.deepEqual(played.taken(), [], "the number has just changed");
  played.settle().keys("x");
  const [want] = played.taken();
  assert.ok(want?.kind === "decide");
  assert.deepEqual([want.decision, want.times], ["allow-once", 3]);
  const once = new Played()
    .event({ kind: "asked", card: { ...cardOf("one"), count: 2 } })
    .settle()
    .keys("a");
  const [plain] = once.taken();
  assert.ok(plain?.kind === "decide" && plain.times === undefined, "a is for one");
});

test("an expired card stays for a while, and i allows it if it asks again", () => {
  const closed = { approvalId: "one", by: "timeout" };
  const played = new Played().ask("one", "two").settle().keys("down").event({ kind: "closed", closed, expired: true });
  assert.equal(played.state.cards.length, 2);
  played.keys("up").settle().keys("a");
  assert.deepEqual(played.taken(), [], "it has ended");
  played.keys("i");
  const [want] = played.taken();
  assert.ok(want?.kind === "allow-late" && want.card.approvalId === "one");
  played.event({ kind: "late", approvalId: "one", over: true, note: "done" });
  assert.equal(played.state.notice, "done");
  played.keys("down");
  assert.equal(played.state.cards.length, 1);
  const dangerous = { ...cardOf("worse"), riskLevel: "dangerous" as const };
  const other = new Played().event(
    { kind: "asked", card: dangerous },
    { kind: "closed", closed: { approvalId: "worse", by: "timeout" }, expired: true },
  );
  other.settle().keys("i");
  assert.deepEqual(other.taken(), []);
  other.keys("y", "e", "s", "enter");
  assert.equal(other.taken()[0]?.kind, "allow-late");
});

test("what expired long ago goes by itself, and the oldest make room", () => {
  const ids = Array.from({ length: 8 }, (_, index) => `card-${index}`);
  const played = new Played().ask("here", ...ids);
  for (const approvalId of ids) played.event({ kind: "closed", closed: { approvalId, by: "timeout" }, expired: true });
  assert.equal(played.state.cards.length, 6);
  const latest = Math.max(...played.state.cards.map(({ card }) => card.expiresAtMs));
  played.after(latest + 1_800_000).event({ kind: "tick" });
  assert.deepEqual(
    played.state.cards.map(({ card }) => card.approvalId),
    ["here"],
  );
});
