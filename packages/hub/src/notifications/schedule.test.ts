import assert from "node:assert/strict";
import { test } from "node:test";
import { NotificationSchedule, SETTLE_MS, type Tier } from "./schedule.ts";

const BELL: Tier = { name: "bell", afterMs: 0, againMs: 10_000 };
const BROWSER: Tier = { name: "browser", afterMs: 5_000, againMs: 10_000 };
const PHONE: Tier = { name: "phone", afterMs: 30_000, againMs: 60_000 };
const ALL = [BELL, BROWSER, PHONE];

/** Plays a story against the clock and keeps what was done, each with its second. */
class Played {
  readonly schedule = new NotificationSchedule();
  readonly done: string[] = [];
  #tiers: readonly Tier[] = ALL;
  #nowMs = 0;

  asks(...ids: string[]): this {
    for (const id of ids) this.schedule.asked(id, this.#nowMs);
    return this.#run();
  }

  answers(...ids: string[]): this {
    for (const id of ids) this.schedule.closed(id, this.#nowMs);
    return this.#run();
  }

  looks(looking: boolean, untilMs = this.#nowMs): this {
    this.schedule.looking(looking, untilMs);
    return this.#run();
  }

  has(...tiers: Tier[]): this {
    this.#tiers = tiers;
    return this.#run();
  }

  /** Goes on as a timer would: from one time that the schedule named to the next. */
  until(seconds: number): this {
    for (;;) {
      const { nextMs } = this.schedule.due(this.#tiers, this.#nowMs);
      if (nextMs === undefined || nextMs > seconds * 1_000) break;
      this.#nowMs = nextMs;
      this.#run();
    }
    this.#nowMs = seconds * 1_000;
    return this.#run();
  }

  #run(): this {
    for (const act of this.schedule.due(this.#tiers, this.#nowMs).acts) {
      const what = act.kind === "withdraw" ? "-" : `${act.alert ? "!" : "="}${act.ids.join(",")}`;
      this.done.push(`${this.#nowMs / 1_000}s ${act.tier} ${what}`);
    }
    return this;
  }
}

test("the schedule calls each tier once, in order, until an answer", () => {
  const { done } = new Played().asks("a").until(600);
  assert.deepEqual(done, ["0s bell !a", "5s browser !a", "30s phone !a"]);
});

test("the schedule withdraws an answered approval where it was announced", () => {
  const { done } = new Played().asks("a").until(6).answers("a").until(600);
  assert.deepEqual(done, ["0s bell !a", "5s browser !a", "6s bell -", "6s browser -"]);
});

test("the schedule calls once for a burst", () => {
  const { done } = new Played().has(BELL).asks("a").until(1).asks("b", "c").until(2).asks("d").until(60);
  assert.deepEqual(done, ["0s bell !a", "10s bell !a,b,c,d"]);
});

test("the schedule calls the phone once, about all pending approvals", () => {
  const played = new Played().has(PHONE).asks("a").until(20).asks("b").until(29).asks("c").until(89).asks("d");
  assert.deepEqual(played.until(600).done, ["30s phone !a,b,c", "119s phone !a,b,c,d"]);
});

test("the schedule corrects what is shown without an alert", () => {
  const played = new Played().has(BELL).asks("a").until(0).asks("b", "c").until(11);
  played.answers("a").until(11.5).answers("b").until(100);
  assert.deepEqual(played.done, ["0s bell !a", "10s bell !a,b,c", `${11 + SETTLE_MS / 1_000}s bell =c`]);
});

test("the schedule calls nobody while somebody looks, and restarts afterwards", () => {
  const played = new Played().looks(true).asks("a").until(100);
  assert.deepEqual(played.done, []);
  played.looks(false).until(600);
  assert.deepEqual(played.done, ["100s bell !a", "105s browser !a", "130s phone !a"]);
});

test("the schedule counts from the time when somebody stopped looking", () => {
  const played = new Played().looks(true).until(10).asks("a").until(35).looks(false, 5_000).until(600);
  assert.deepEqual(played.done, ["35s bell !a", "35s browser !a", "40s phone !a"]);
});

test("the schedule skips the phone if somebody looks before its turn", () => {
  const played = new Played().asks("a").until(10).looks(true).until(100).answers("a");
  assert.deepEqual(played.done, ["0s bell !a", "5s browser !a", "100s bell -", "100s browser -"]);
});

test("the schedule announces pending approvals on a new tier", () => {
  const played = new Played().has(BELL).asks("a").until(40).has(BELL, PHONE).until(50).has(PHONE).answers("a");
  assert.deepEqual(played.done, ["0s bell !a", "40s phone !a", "50s phone -"]);
});

test("the schedule never announces an approval that closed before its turn", () => {
  const played = new Played().has(PHONE).asks("a").until(29).answers("a").asks("b").until(58).answers("b").until(600);
  assert.deepEqual(played.done, []);
});

test("the schedule ignores a repeated question or answer", () => {
  const played = new Played().has(BELL).asks("a").until(20).asks("a").until(40).answers("a").answers("a").until(60);
  assert.deepEqual(played.done, ["0s bell !a", "40s bell -"]);
});
