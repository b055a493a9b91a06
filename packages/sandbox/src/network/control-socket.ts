import { lstatSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { parseJson } from "@countersign/receipts";
import * as z from "zod";
import { EgressError } from "../errors/index.ts";

const rules = z.array(z.string().max(512)).max(256);
/** One line of JSON; the answer is one, too. */
const requestSchema = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("add"),
    id: z.string().max(128),
    target: z.string().max(512),
    allow: rules.optional(),
    open: rules.optional(),
  }),
  z.strictObject({ op: z.literal("remove"), id: z.string().max(128) }),
  z.strictObject({ op: z.literal("list") }),
]);
export type ControlRequest = z.infer<typeof requestSchema>;

const LONGEST_REQUEST = 256 * 1024;
const MOST_CONNECTIONS = 16;
const REQUEST_MS = 10_000;

/** What the observer does when it is asked. */
interface Orders {
  add(sandbox: Extract<ControlRequest, { op: "add" }>): Promise<void>;
  remove(id: string): Promise<void>;
  list(): readonly object[];
}

/** Unix socket on which sandboxes are added to a running observer, removed and listed. Only its user and root can connect. */
export class ControlSocket {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(orders: Orders) {
    this.#server = createServer((socket) => void this.#take(socket, orders));
    this.#server.maxConnections = MOST_CONNECTIONS;
  }

  /** Replaces a socket that a killed observer left: the directory's lock proves that none is running. */
  static async open(path: string, orders: Orders): Promise<ControlSocket> {
    const control = new ControlSocket(orders);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && !found.isSocket()) throw new EgressError("BAD_REQUEST", `${path} isn't a socket: it isn't replaced`);
    rmSync(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      control.#server.once("error", reject);
      const umask = process.umask(0o177);
      control.#server.listen(path, resolve);
      process.umask(umask);
    });
    return control;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #take(socket: Socket, orders: Orders): Promise<void> {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setTimeout(REQUEST_MS, () => socket.destroy());
    socket.end(`${JSON.stringify(await answerTo(socket, orders))}\n`);
  }
}

async function answerTo(socket: Socket, orders: Orders): Promise<object> {
  try {
    const request = requestSchema.safeParse(parseJson(await readLine(socket)));
    if (!request.success) throw new EgressError("BAD_REQUEST", "it isn't a request that is known here");
    socket.setTimeout(0);
    return await carryOut(request.data, orders);
  } catch (cause) {
    if (cause instanceof EgressError) return { error: { code: cause.code, message: cause.message } };
    const message = cause instanceof SyntaxError ? "it isn't JSON" : String(cause);
    return { error: { code: "BAD_REQUEST", message } };
  }
}

async function carryOut(request: ControlRequest, orders: Orders): Promise<object> {
  if (request.op === "list") return { sandboxes: orders.list() };
  if (request.op === "remove") await orders.remove(request.id);
  else await orders.add(request);
  return { done: true };
}

async function readLine(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8");
  return await new Promise((resolve, reject) => {
    socket.on("data", (part: string) => {
      text += part;
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
      else if (text.length > LONGEST_REQUEST) reject(new EgressError("BAD_REQUEST", "it is too long"));
    });
    socket.on("end", () => resolve(text));
    socket.on("close", () => reject(new EgressError("BAD_REQUEST", "it was cut")));
  });
}
