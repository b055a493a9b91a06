// A process of clients that count what comes and read none of it, so that theirs isn't the time that is measured.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";

export interface Told {
  readonly registeredMs: number;
  readonly completeMs: number;
  readonly complete: number;
  readonly bytes: number;
  /** How often the hub closed with which code. */
  readonly closed: Record<string, number>;
}

const [url = "", token = "", dialect = "", clients = "", waiting = ""] = process.argv.slice(2);
const { hostname, port, host } = new URL(url);
/** The answer to the login comes first. */
const FRAMES = Number(waiting) + 1;
/** A hub's ping is empty, and who doesn't answer it is cut. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const GIVE_UP_MS = 900_000;

const began = performance.now();
const closed: Record<string, number> = {};
const paused: Socket[] = [];
let registeredMs = 0;
let completeMs = 0;
let registered = 0;
let complete = 0;
let over = 0;
let bytes = 0;

for (let index = 0; index < Number(clients); index += 1) start();
setTimeout(end, GIVE_UP_MS).unref();

/** One WebSocket, as far as this needs it (RFC 6455, 5.2): what a server sends isn't masked. */
function start(): void {
  const socket = connect({ host: hostname, port: Number(port) });
  let head = "";
  let isOpen = false;
  let frames = 0;
  /** Of the frame under way: what of its header has come, and how many bytes are still to come. */
  let header = Buffer.alloc(0);
  let left = 0;
  let isDone = false;
  const key = randomBytes(16).toString("base64");
  socket.on("connect", () => {
    const path = dialect === "envelope" ? "/ws" : "/";
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
  });
  const done = (how?: string) => {
    if (isDone) return;
    isDone = true;
    if (how !== undefined) closed[how] = (closed[how] ?? 0) + 1;
    over += 1;
    if (over === Number(clients)) end();
  };
  socket.on("error", (error) => done(error.message));
  socket.on("close", () => done("without a word"));
  socket.on("data", (chunk) => {
    bytes += chunk.length;
    let at = 0;
    if (!isOpen) {
      head += chunk.toString("latin1");
      const blank = head.indexOf("\r\n\r\n");
      if (blank === -1) return;
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      if (!head.startsWith("HTTP/1.1 101") || !head.includes(accept)) return done(head.slice(0, head.indexOf("\r\n")));
      isOpen = true;
      at = blank + 4 - (head.length - chunk.length);
      socket.write(masked(login()));
    }
    while (at < chunk.length) {
      if (left > 0) {
        const skipped = Math.min(left, chunk.length - at);
        left -= skipped;
        at += skipped;
        continue;
      }
      header = Buffer.concat([header, chunk.subarray(at, at + 1)]);
      at += 1;
      const short = (header[1] ?? 0) & 127;
      const size = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (header.length < size) continue;
      left = short === 127 ? Number(header.readBigUInt64BE(2)) : short === 126 ? header.readUInt16BE(2) : short;
      const opcode = (header[0] ?? 0) & 15;
      header = Buffer.alloc(0);
      if (opcode === 8) return done(at + 2 <= chunk.length ? String(chunk.readUInt16BE(at)) : "closed");
      if (opcode === 9) socket.write(PONG);
      if (opcode !== 1) continue;
      frames += 1;
      if (frames === 1) {
        registered += 1;
        // One process reads for all: it goes on when all have sent their login, lest the hub wait for that.
        paused.push(socket.pause());
        if (registered === Number(clients)) {
          registeredMs = performance.now() - began;
          for (const one of paused) one.resume();
        }
      }
      if (frames === FRAMES) {
        complete += 1;
        completeMs = performance.now() - began;
        done();
      }
    }
  });
}

function login(): string {
  if (dialect !== "envelope") return JSON.stringify({ type: "auth", token });
  const payload = { deviceType: "client", token };
  return JSON.stringify({ id: randomUUID(), from: randomUUID(), to: "gateway", action: "register", payload });
}

function masked(text: string): Buffer {
  const body = Buffer.from(text);
  const header = Buffer.from([0x81, 0x80 | 126, body.length >> 8, body.length & 255, 0, 0, 0, 0]);
  return Buffer.concat([header, body]);
}

function end(): void {
  const told: Told = { registeredMs, completeMs, complete, bytes, closed };
  process.send?.(told, () => process.exit(0));
}
