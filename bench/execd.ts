// `npm run bench:execd`: what the recording proxy costs, with its frames delivered to a real relay and recorder, beside a proxy that records nothing.
// Ratios in one run, in turns: machines are noisy, absolute times are not figures.
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { cpuMs, ExecdRoom, forgetPeak, type Part, peakMib } from "./execd-room.ts";
import { Figures } from "./figures.ts";
import { median } from "./rounds.ts";

const BYTES = 256 * 1024 * 1024;
const BLOCK = Buffer.alloc(256 * 1024, "y");
/** Single rounds are far apart on a machine that others use. */
const ROUNDS = 15;
const COMMANDS = 400;
const STREAMS = 500;
/** Memory is flat: 256 MiB that pass leave no more than this beside what passing the first ones took. */
const MOST_GROWTH_MIB = 64;

/** Calls that were made through the recording proxy: each is a frame. */
let recorded = 0;

const agent = new Agent({ keepAlive: true, maxSockets: STREAMS });

async function call(
  url: string,
  options: object,
  write?: (to: NodeJS.WritableStream) => Promise<void>,
): Promise<number> {
  const sent = request(url, { agent, ...options });
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  if (write) await write(sent);
  sent.end();
  const [answer] = await answered;
  if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`);
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  return bytes;
}

async function command(url: string, holdMs = 0): Promise<void> {
  const body = '{"command":"true"}';
  const headers = { "Content-Type": "application/json", "Content-Length": body.length, "X-Hold-Ms": holdMs };
  await call(`${url}/command`, { method: "POST", headers }, async (to) => void to.write(body));
}

async function upload(url: string): Promise<void> {
  const before =
    '--b\r\nContent-Disposition: form-data; name="metadata"; filename="m"\r\n\r\n{"path":"/big"}\r\n' +
    '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
  const after = "\r\n--b--\r\n";
  const headers = {
    "Content-Type": "multipart/form-data; boundary=b",
    "Content-Length": before.length + BYTES + after.length,
  };
  await call(`${url}/files/upload`, { method: "POST", headers }, async (to) => {
    to.write(before);
    for (let sent = 0; sent < BYTES; sent += BLOCK.length) if (!to.write(BLOCK)) await once(to, "drain");
    to.write(after);
  });
}

async function download(url: string): Promise<void> {
  const got = await call(`${url}/files/download?path=/big&bytes=${BYTES}`, { method: "GET" });
  if (got !== BYTES) throw new Error(`${got} bytes came`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

interface Parts {
  readonly execd: Part;
  readonly pass: Part;
  readonly record: Part;
}

async function benchCommands({ execd, pass, record }: Parts, figures: Figures): Promise<void> {
  const times = { direct: [] as number[], passed: [] as number[], recorded: [] as number[] };
  for (let round = -50; round < COMMANDS; round += 1) {
    const [direct, passed, told] = [
      await timed(() => command(execd.url)),
      await timed(() => command(pass.url)),
      await timed(() => command(record.url)),
    ];
    recorded += 1;
    if (round < 0) continue;
    times.direct.push(direct);
    times.passed.push(passed);
    times.recorded.push(told);
  }
  const added = (values: readonly number[]) => median(values) - median(times.direct);
  console.log(`/command, median of ${COMMANDS}, in turns: direct ${median(times.direct).toFixed(2)} ms`);
  console.log(`  passed on by one that records nothing: +${added(times.passed).toFixed(2)} ms`);
  figures.atMost("latency added on /command", added(times.recorded), 1, "ms");
}

async function benchLarge(
  name: string,
  work: (url: string) => Promise<void>,
  { pass, record }: Parts,
  figures: Figures,
) {
  const ratios: number[] = [];
  await work(record.url);
  await work(pass.url);
  await work(record.url);
  const firstPeak = peakMib(record);
  for (const part of [pass, record]) forgetPeak(part);
  const before = [cpuMs(pass), cpuMs(record)] as const;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [plain, told] = [await timed(() => work(pass.url)), await timed(() => work(record.url))];
    ratios.push(plain / told);
  }
  recorded += ROUNDS + 2;
  const [plainCpu, cpu] = [cpuMs(pass) - before[0], cpuMs(record) - before[1]].map((ms) => (ms / ROUNDS).toFixed(0));
  console.log(`${name} of 256 MiB, median of ${ROUNDS}, in turns with a proxy that records nothing:`);
  console.log(
    `  ${cpu} ms of processor for each, that one ${plainCpu} ms; its peak is ${peakMib(pass).toFixed(0)} MiB`,
  );
  console.log(`  each round: ${ratios.map((ratio) => `${(ratio * 100).toFixed(0)} %`).join(", ")}`);
  figures.atLeast(`${name}'s speed`, median(ratios) * 100, 80, "%");
  figures.atMost(`${name}'s peak memory over the first's`, peakMib(record) - firstPeak, MOST_GROWTH_MIB, "MiB");
}

async function benchStreams(room: ExecdRoom, { record }: Parts, figures: Figures): Promise<void> {
  const before = await room.haveOnRecord(recorded);
  const open = () => Promise.all(Array.from({ length: STREAMS }, () => command(record.url, 2000)));
  const took = await timed(async () => void (await open()));
  recorded += STREAMS;
  const after = await room.haveOnRecord(recorded);
  console.log(`${STREAMS} streams at once, each open for 2 s: all through after ${(took / 1000).toFixed(1)} s`);
  figures.exactly("receipts of the streams", after.receipts - before.receipts, STREAMS, "receipts");
  figures.exactly("receipts of everything", after.receipts, recorded, "receipts");
  figures.exactly("dropped", after.dropped, 0, "frames");
}

using room = new ExecdRoom();
const figures = new Figures();
await room.recorder();
await room.relay();
const execd = await room.child("execd");
const parts = { execd, pass: await room.child("pass", execd.url), record: await room.proxy(execd.url) };
await benchCommands(parts, figures);
await benchLarge("upload", upload, parts, figures);
await benchLarge("download", download, parts, figures);
await benchStreams(room, parts, figures);
room.run("receipts", "verify");
agent.destroy();
figures.close();
