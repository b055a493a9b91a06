// `npm run bench:receipts`: what a durable receipt costs beyond its signature, in a process that records and does nothing else, as a recorder's does.
// A number as argument is how many receipts.
import { sign } from "node:crypto";
import { compareRates } from "./compare-rates.ts";
import { Figures } from "./figures.ts";
import { RawRows } from "./raw-rows.ts";
import { openFrameBench } from "./record-frames.ts";
import { messagesOf, privateKey, writeReceipts } from "./sample-receipts.ts";

const COUNT = Number(process.argv[2] ?? 12_000);
const WARM_FRAMES = 60_000;
/** Few, so that V8 has no more to look after than a recorder's has. */
const SAMPLES = 100;

const raws = await writeReceipts(SAMPLES);
const messages = messagesOf(raws);
const frames = await openFrameBench();
const rows = new RawRows(raws);

const works = {
  "raw sign": () => {
    for (let at = 0; at < COUNT; at += 1) sign(null, messages[at % SAMPLES] as Buffer, privateKey);
  },
  "raw SQLite, hundreds": () => rows.write(COUNT, 100),
  "durable, 64 emitters": () => frames.record(COUNT, 1),
  "… of 64 sandboxes": () => frames.record(COUNT, 64),
};
// What a recorder does is compiled in steps, the last after tens of thousands of frames: it runs for weeks, so that is where it is measured.
for (const work of Object.values(works)) await work();
await frames.record(WARM_FRAMES, 1);
const ratio = await compareRates({ count: COUNT, works });
console.log(`raw SQLite, one by one:  ${rows.rateOneByOne()}/s`);
await frames.close();
rows.close();

const figures = new Figures();
figures.atLeast("durable, of raw signing", ratio("durable, 64 emitters", "raw sign") * 100, 65, "%");
figures.close();
