import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { startAs, type World } from "./world.ts";

export interface Listeners {
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly abstractName: string;
  /** Files of stream sockets. */
  readonly streams: readonly string[];
  /** And of a datagram socket. */
  readonly datagram: string;
}

/** Everything on this machine that a process could talk to, and where services have it. */
export async function listenEverywhere(
  t: TestContext,
  { dir, home, workspace, elsewhere, who }: World,
): Promise<Listeners> {
  const abstractName = `countersign-escape-${process.pid}-${who.uid}`;
  const inRun = process.getuid?.() === 0 ? [`/run/${abstractName}.sock`] : [];
  const directories = [dir, home, workspace, join(workspace, "sub"), ...(elsewhere ? [elsewhere] : [])];
  const streams = [...directories.map((one) => join(one, "service.sock")), ...inRun];
  for (const path of [...streams, `\0${abstractName}`]) await listen(t, path);
  const tcp = await listen(t, 0);
  const udp = createSocket("udp4");
  t.after(() => udp.close());
  udp.on("message", (_, from) => udp.send("heard", from.port, from.address));
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  const shared = `/dev/shm/${abstractName}`;
  writeFileSync(shared, "");
  t.after(() => rmSync(shared, { force: true }));
  const datagram = join(elsewhere ?? workspace, "datagram.sock");
  await bindDatagram(t, who, datagram);
  return { tcpPort: (tcp as AddressInfo).port, udpPort: udp.address().port, abstractName, streams, datagram };
}

async function listen(t: TestContext, at: string | number) {
  const server = createServer((socket) => socket.on("error", () => undefined).end("heard\n"));
  t.after(() => server.close());
  if (typeof at === "string") server.listen(at);
  else server.listen(at, "127.0.0.1");
  await once(server, "listening");
  if (typeof at !== "string" || at.startsWith("\0")) return server.address();
  t.after(() => rmSync(at, { force: true }));
  chmodSync(at, 0o777);
  return server.address();
}

/** Node has no datagram sockets of this kind. */
async function bindDatagram(t: TestContext, who: World["who"], path: string): Promise<void> {
  const program = `use Socket; socket(S, AF_UNIX, SOCK_DGRAM, 0); bind(S, sockaddr_un($ARGV[0])) or die; $| = 1; print "up"; sleep 600`;
  const [file = "", ...args] = [...startAs(who), "perl", "-e", program, path];
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
}
