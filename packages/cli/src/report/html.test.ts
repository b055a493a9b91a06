import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Figures, Report } from "@countersign/protocol/records";
import fc from "fast-check";
import { chromium } from "playwright-core";
import { reportHtml } from "./html.ts";
import { reportSections } from "./sections.ts";
import { sectionLines } from "./text.ts";

const AT = "2026-01-31T12:00:00.000Z";
const FLOW = { before: 1, entered: 2, left: 1, after: 2 };

/** Everything that somebody else may have named. */
function reportBy(name: string, fault: Report["record"]["fault"] = null): Report {
  const event = (type: string) => ({ seq: 7, at: AT, type, session: name, said: { person: name, [name]: [name] } });
  const figures: Figures = {
    receipts: { count: 3, byType: { decided: 3 } },
    waiting: FLOW,
    decided: {
      ...{ allowed: 1, denied: 0, expired: 0, cancelled: 0, allowedBy: { [name]: 1 }, deniedBy: {} },
      ...{ allowedRisk: { [name]: 1 }, allowedEnforcement: { none: 1 } },
    },
    permitted: { ...FLOW, started: 1, neverStarted: { [name]: 0 } },
    running: { ...FLOW, as: { [name]: 1 }, reportedBy: { executor: 1 } },
    previews: { before: 0, entered: 0, left: 0, after: 0, as: {} },
    agents: [{ agent: name, allowed: 1, asked: 1, refused: 0, ended: 1, failed: 0, waitedMs: 61_000 }],
    approvers: [
      { person: name, device: name, assurance: "device", allowed: 1, denied: 0, medianMs: 900, slowestMs: 90_061_000 },
    ],
    emitters: [{ emitter: name, frames: 1, failed: 0, blocked: 0, unwatched: 0, dropped: 2 }],
    authFailures: { count: 2, addresses: [name] },
    events: [event("policy-changed"), event("paused"), event("token-created"), event(name)],
    gaps: {
      recordBegins: AT,
      epochs: [event("epoch-opened")],
      downs: [{ from: AT, to: null, how: "crashed" }],
      clock: { count: 1, largestMs: 60_000, firstSeq: 4 },
      incomplete: [{ code: "incomplete_session", seq: 5, emitter: name, subject: name }],
      odd: [{ code: name, seq: 6 }],
    },
    leftOut: { paused: 4 },
  };
  return {
    format: "countersign-report/1",
    span: { from: "2026-01-31T00:00:00.000Z", to: "2026-02-01T00:00:00.000Z" },
    madeAt: AT,
    record: { whole: fault === null, fault, receipts: 9, head: null, lastAt: AT, trusted: "nobody" },
    unanswered: 1,
    figures,
    notProved: [name],
  };
}

const TAGS = new Set(
  "html head meta title style body header h1 h2 p div strong main section table thead tbody tr th td ul li footer".split(
    " ",
  ),
);

test("a page holds our tags and nobody else's, a terminal's lines no control, whatever others are called", () => {
  const odd = fc.string({ unit: fc.constantFrom(..."<>\"'`&=/ \n\r\t\u001b\u202e\u2028ax-![]\u0000") });
  fc.assert(
    fc.property(fc.oneof(odd, fc.string(), fc.constant("</style><script>alert(1)</script>")), (name) => {
      const sections = reportSections(reportBy(name));
      const page = reportHtml(sections);
      const found = [...page.replace(/^<!doctype html>/, "").matchAll(/<\/?([^\s>]*)/g)].map(([, tag = ""]) => tag);
      assert.deepEqual(
        found.filter((tag) => !TAGS.has(tag)),
        [],
      );
      assert.equal(page.match(/<script|\son\w+=\S*[^<>]*>/g), null);
      for (const line of sectionLines(sections)) assert.doesNotMatch(line, /[\p{Cc}\u202e\u2028]/u);
    }),
  );
});

test("a record that doesn't hold says so before anything else", () => {
  const sections = reportSections(reportBy("ann", { code: "BROKEN_LINK", seq: 12, detail: "it was cut" }));
  const [first, second] = sectionLines(sections);
  assert.equal(first, "BROKEN at receipt 12: BROKEN_LINK");
  assert.match(second ?? "", /one was removed, put in or exchanged\. \(it was cut\)$/);
  const page = reportHtml(sections);
  assert.ok(page.indexOf("BROKEN at receipt 12") < page.indexOf("<main>"));
  assert.match(page, /<div class="verdict bad">/);
});

test("in a browser nothing of a name acts, and a phone needn't scroll sideways", async (t) => {
  const executablePath = spawnSync("which", ["chromium"], { encoding: "utf8" }).stdout.trim();
  if (executablePath === "") return t.skip("install chromium (apt-get install chromium)");
  const directory = mkdtempSync(join(tmpdir(), "cs-report-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const name = `<img src=x onerror="document.title='owned'"><style>body{display:none}</style>${"long".repeat(60)}`;
  writeFileSync(join(directory, "report.html"), reportHtml(reportSections(reportBy(name))));
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--no-first-run"] });
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(`file://${directory}/report.html`);
  const seen = await page.evaluate(`({
    title: document.title.slice(0, 18),
    images: document.images.length,
    shown: getComputedStyle(document.body).display,
    styled: getComputedStyle(document.body).overflowWrap,
    wide: document.documentElement.scrollWidth <= innerWidth,
  })`);
  const expected = { title: "Countersign report", images: 0, shown: "block", styled: "break-word", wide: true };
  assert.deepEqual([seen, complaints], [expected, []]);
});
