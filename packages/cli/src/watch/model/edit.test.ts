import assert from "node:assert/strict";
import { test } from "node:test";
import type { WireExplanation } from "@countersign/protocol/proposals";
import { plain } from "../../terminal/screen.ts";
import { Played } from "../played.ts";
import { effect, sampleCard } from "../sample-card.ts";
import type { WatchEvent } from "./state.ts";

const CARD = sampleCard({ approvalId: "one", command: "run one" });

function explanationOf(command: string, change: Partial<WireExplanation> = {}): WireExplanation {
  return {
    command,
    riskLevel: "needs-review",
    riskReasons: [],
    enforcement: "none",
    opaque: false,
    spans: [],
    effects: [effect(0, 3, "Runs another thing")],
    decision: { verdict: "ask", by: "policy", reason: "Nothing covers it", entryIds: [] },
    ...change,
  };
}

function explained(command: string, change: Partial<WireExplanation> = {}): WatchEvent {
  const explanation = explanationOf(command, change);
  return { kind: "explained", approvalId: "one", command, explained: { kind: "known", explanation } };
}

/** At the card, with the editor open and `two` written behind what was proposed. */
function writing(card = CARD): Played {
  return new Played().event({ kind: "asked", card }).settle().keys("e").paste(" two");
}

const CHANGED = { kind: "decide", card: CARD, decision: "allow-once", command: "run one two" };

test("e: what is written is judged by the hub, shown, and only then allowed, signed as it was written", () => {
  assert.equal(new Played().event({ kind: "asked", card: CARD }).keys("e").state.edit, undefined, "too soon");
  const watch = writing();
  assert.deepEqual(watch.taken(), []);
  assert.ok(watch.text.includes("$ run one two"), watch.text);
  assert.deepEqual(watch.keys("enter").taken(), [{ kind: "explain", card: CARD, command: "run one two" }]);
  assert.deepEqual(watch.settle().keys("a").taken(), [], "the hub hasn't said yet");
  watch.event(explained("run another"));
  assert.deepEqual(watch.keys("a").taken(), [], "that is about another text");
  watch.event(explained("run one two"));
  assert.ok(watch.text.includes("• Runs another thing"), watch.text);
  assert.deepEqual(watch.keys("a").taken(), [], "it has just come");
  assert.deepEqual(watch.settle().paste("a").keys("enter", "d", "s").taken(), []);
  assert.deepEqual(watch.keys("a").taken(), [CHANGED]);
  watch.event({ kind: "answered", approvalId: "one", decision: "allow-once", edited: true });
  assert.equal(watch.state.recent[0]?.how, "changed and allowed once by you");
  assert.equal(watch.state.edit, undefined);
});

test("the worst of what it would do stands first, and is said again where yes is typed", () => {
  const effects = [
    effect(0, 3, "Reads a file", "safe"),
    effect(0, 3, "Writes in the workspace"),
    effect(0, 3, "Deletes everything", "dangerous"),
  ];
  const watch = writing()
    .keys("enter")
    .event(explained("run one two", { riskLevel: "dangerous", effects }))
    .settle();
  watch.taken();
  const places = ["DANGEROUS: what", "• Deletes everything", "• Writes in the workspace", "• Reads a file"].map(
    (text) => watch.text.indexOf(text),
  );
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.ok(!places.includes(-1), watch.text);
  assert.deepEqual(watch.keys("a").taken(), []);
  assert.ok(watch.text.includes("Type yes to allow what you wrote: Deletes everything"), watch.text);
  assert.deepEqual(watch.paste("yes").keys("enter").taken(), []);
  assert.deepEqual(watch.keys("a", "y", "e", "s", "enter").taken(), [CHANGED]);
});

test("yes is typed, too, where the proposed one was dangerous, or nothing is known of the new one", () => {
  const dangerous = { ...CARD, riskLevel: "dangerous" as const };
  const proposed = writing(dangerous).keys("enter").event(explained("run one two")).settle();
  const why = "The hub said no.";
  const unknown = writing()
    .keys("enter")
    .event({ kind: "explained", approvalId: "one", command: "run one two", explained: { kind: "unknown", why } })
    .settle();
  assert.ok(unknown.text.includes(why));
  for (const watch of [proposed, unknown]) {
    watch.taken();
    assert.deepEqual(watch.keys("a").taken(), []);
    assert.equal(watch.state.input?.kind, "yes");
    assert.equal(watch.keys("y", "e", "s", "enter").taken().length, 1);
  }
});

test("what is on the floor isn't put in another's place", () => {
  const decision = { verdict: "ask", by: "floor", reason: "Only a person", entryIds: [] as string[] } as const;
  const watch = writing()
    .keys("enter")
    .event(explained("run one two", { riskLevel: "dangerous", decision }))
    .settle();
  watch.taken();
  assert.deepEqual(watch.keys("a").taken(), []);
  assert.match(watch.state.notice ?? "", /on the floor/);
  assert.equal(watch.state.input, undefined);
});

test("nothing, what was proposed, and what is hidden can't be allowed so; a change of the policy can't be changed", () => {
  const open = () => new Played().event({ kind: "asked", card: CARD }).settle().keys("e");
  const hidden = sampleCard({ approvalId: "one", command: "run [REDACTED: 7 characters]" });
  const table: [RegExp, Played][] = [
    [/what was proposed/, open()],
    [/nothing to run/, open().keys("clear-line", " ")],
    [/hidden/, writing(hidden)],
    [/no connection/, writing().event({ kind: "link", link: { up: false, why: "gone" } })],
  ];
  for (const [why, watch] of table) {
    assert.deepEqual(watch.keys("enter").taken(), []);
    assert.match(watch.state.notice ?? "", why);
    assert.equal(watch.state.edit?.step, "write", "what was written stays");
  }
  const policy = sampleCard({ subject: "policy" });
  const watch = new Played().event({ kind: "asked", card: policy }).settle().keys("e");
  assert.match(watch.state.notice ?? "", /change of the policy/);
});

test("Esc goes back, first to the text and then to the card; what the hub refuses stays to be changed", () => {
  const watch = writing().keys("enter").event(explained("run one two")).settle();
  watch.taken();
  assert.equal(watch.keys("escape").state.edit?.step, "write");
  assert.equal(watch.state.edit?.text, "run one two");
  assert.deepEqual(watch.keys("enter").taken().length, 1);
  watch.event(explained("run one two")).settle().keys("a");
  watch.event({ kind: "not-answered", approvalId: "one", why: "the policy denies what you wrote", gone: false });
  assert.equal(watch.state.edit?.text, "run one two");
  assert.equal(watch.state.notice, "the policy denies what you wrote");
  assert.equal(watch.keys("e", "escape").state.edit, undefined);
  watch.taken();
  assert.deepEqual(watch.settle().keys("a").taken(), [{ kind: "decide", card: CARD, decision: "allow-once" }]);
});

test("q, a and the other keys are letters while it is written; it goes with its card", () => {
  const watch = writing().keys("q", "a", "?", "p");
  assert.equal(watch.state.edit?.text, "run one twoqa?p");
  assert.deepEqual(watch.taken(), []);
  watch.event({ kind: "closed", closed: { approvalId: "one", by: "timeout" }, expired: true });
  assert.equal(watch.state.edit, undefined);
});

test("a long text is allowed once the end of what it would do was on the screen", () => {
  const command = `run one ${"x ".repeat(2_000)}`;
  const watch = writing().keys("clear-line").paste(command).keys("enter").event(explained(command)).settle();
  watch.taken();
  assert.deepEqual(watch.keys("a").taken(), []);
  assert.match(watch.state.notice ?? "", /^Scroll/);
  for (let pages = 0; !watch.text.includes("• Runs another thing"); pages += 1) {
    assert.ok(pages < 200, "the end never comes");
    watch.keys(" ");
  }
  assert.equal(watch.keys("a").taken().length, 1);
});

test("the cursor stands in the text; too small a window allows nothing", () => {
  const watch = writing().keys("left", "left", "left");
  const { lines, cursor } = watch.screen;
  assert.equal(lines[cursor?.row ?? -1]?.map(({ text }) => text).join(""), " $ run one two");
  assert.equal(cursor?.column, " $ run one ".length);
  assert.ok(lines.every((each) => plain(each).length <= 80));
  watch.keys("enter").event(explained("run one two")).settle();
  watch
    .event({ kind: "resize", size: { columns: 19, rows: 24 } })
    .settle()
    .taken();
  assert.deepEqual(watch.keys("a").taken(), []);
});

test("the keys say so: e at the card, and what each step offers", () => {
  const watch = new Played().event({ kind: "asked", card: CARD }).settle();
  assert.ok(watch.text.includes(" e edit "), watch.text);
  assert.ok(watch.keys("e").text.includes("Enter see what it would do"));
  watch.paste(" two").keys("enter").event(explained("run one two")).settle();
  assert.ok(watch.text.includes("a allow this once"), watch.text);
  assert.ok(watch.keys("escape", "escape", "?").text.includes("edit, see what that would do"), watch.text);
});
