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

test("one tier after the other as long as nobody answers, each of them once", () => {
  const { done } = new Played().asks("a").until(600);
  assert.deepEqual(done, ["0s bell !a", "5s browser !a", "30s phone !a"]);
});

test("what is answered is taken back where it was told, and told nowhere else", () => {
  const { done } = new Played().asks("a").until(6).answers("a").until(600);
  assert.deepEqual(done, ["0s bell !a", "5s browser !a", "6s bell -", "6s browser -"]);
});

test("a burst is one call, and what comes after it another", () => {
  const { done } = new Played().has(BELL).asks("a").until(1).asks("b", "c").until(2).asks("d").until(60);
  assert.deepEqual(done, ["0s bell !a", "10s bell !a,b,c,d"]);
});

test("a phone is told of everything that waits when its time has come, once", () => {
  const played = new Played().has(PHONE).asks("a").until(20).asks("b").until(29).asks("c").until(89).asks("d");
  assert.deepEqual(played.until(600).done, ["30s phone !a,b,c", "119s phone !a,b,c,d"]);
});

test("some answered: what is shown is put right without a call, many answers at once", () => {
  const played = new Played().has(BELL).asks("a").until(0).asks("b", "c").until(11);
  played.answers("a").until(11.5).answers("b").until(100);
  assert.deepEqual(played.done, ["0s bell !a", "10s bell !a,b,c", `${11 + SETTLE_MS / 1_000}s bell =c`]);
});

test("nobody is called while somebody looks; when they go, what waits begins anew", () => {
  const played = new Played().looks(true).asks("a").until(100);
  assert.deepEqual(played.done, []);
  played.looks(false).until(600);
  assert.deepEqual(played.done, ["100s bell !a", "105s browser !a", "130s phone !a"]);
});

test("that somebody had gone is found out late, and counts from when they went", () => {
  const played = new Played().looks(true).until(10).asks("a").until(35).looks(false, 5_000).until(600);
  assert.deepEqual(played.done, ["35s bell !a", "35s browser !a", "40s phone !a"]);
});

test("who comes to look before the phone's turn isn't called on it; what was shown is taken back when answered", () => {
  const played = new Played().asks("a").until(10).looks(true).until(100).answers("a");
  assert.deepEqual(played.done, ["0s bell !a", "5s browser !a", "100s bell -", "100s browser -"]);
});

test("a tier that appears is told of what waits already; one that is gone is forgotten", () => {
  const played = new Played().has(BELL).asks("a").until(40).has(BELL, PHONE).until(50).has(PHONE).answers("a");
  assert.deepEqual(played.done, ["0s bell !a", "40s phone !a", "50s phone -"]);
});

test("what is over before its turn was never told", () => {
  const played = new Played().has(PHONE).asks("a").until(29).answers("a").asks("b").until(58).answers("b").until(600);
  assert.deepEqual(played.done, []);
});

test("asking twice and answering twice are once", () => {
  const played = new Played().has(BELL).asks("a").until(20).asks("a").until(40).answers("a").answers("a").until(60);
  assert.deepEqual(played.done, ["0s bell !a", "40s bell -"]);
});
