import { generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { privateKey } = generateKeyPairSync("ed25519");
const ALLOW = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } });

/** One that stands where a hub should be. It gets what the hook sent, and says what it likes. */
export type FalseHub = (socket: Socket, line: string) => void;

const line = (socket: Socket, value: unknown) => socket.write(`${JSON.stringify(value)}\n`);
const payload = (answer: object, signature?: string) => ({ ok: true, payload: { answer, keyId: "x", signature } });

/** Signed as a hub signs, with a key that nobody pinned. */
function signed(sent: string): object {
  const { nonce } = JSON.parse(sent).params;
  const text = JSON.stringify(["countersign hook answer", 1, nonce, sent, ALLOW, "", 0]);
  return payload({ stdout: ALLOW, exitCode: 0 }, sign(null, Buffer.from(text), privateKey).toString("base64url"));
}

export const FALSE_HUBS: Readonly<Record<string, FalseHub>> = {
  "signs with another key": (socket, sent) => line(socket, signed(sent)),
  "signs nothing": (socket) => line(socket, payload({ stdout: ALLOW, exitCode: 0 })),
  "has an empty signature": (socket) => line(socket, payload({ stdout: ALLOW, exitCode: 0 }, "")),
  "answers nothing": (socket) => line(socket, { ok: true }),
  "answers null": (socket) => line(socket, null),
  "answers no JSON": (socket) => socket.write("allow\n"),
  "is of a version without hooks": (socket) =>
    line(socket, { ok: false, error: { code: "METHOD_NOT_FOUND", message: "There's no method" } }),
  "refuses without words": (socket) => line(socket, { ok: false }),
  "goes away at once": (socket) => socket.destroy(),
  "dies in the middle of its answer": (socket, sent) => socket.end(JSON.stringify(signed(sent)).slice(0, 40)),
  "never ends its answer": (socket) => {
    const go = () => {
      while (socket.writable && socket.write("x".repeat(65_536)));
    };
    socket.on("drain", go);
    go();
  },
  "never answers": () => undefined,
  "answers half and waits": (socket) => socket.write('{"ok":true,'),
};

/** Listens as a hub of its own home does; returns that home. */
export async function standIn(t: { after(fn: () => unknown): void }, falseHub: FalseHub): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "cs-false-"));
  mkdirSync(join(home, "run"));
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let received = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text;
      if (received.endsWith("\n")) falseHub(socket, received.slice(0, -1));
    });
  });
  await new Promise<void>((resolve) => server.listen(join(home, "run", "hub.sock"), resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(home, { recursive: true, force: true });
  });
  return home;
}

/** Stands before a real hub, and gives the first answer that it heard to everyone. */
export function replaying(realSocket: string): FalseHub {
  let first: string | undefined;
  return (socket, sent) => {
    if (first !== undefined) {
      socket.write(first);
      return;
    }
    const real = connect(realSocket);
    real.setEncoding("utf8").on("data", (text: string) => {
      first = text;
      socket.write(text);
      real.destroy();
    });
    real.write(`${sent}\n`);
  };
}
