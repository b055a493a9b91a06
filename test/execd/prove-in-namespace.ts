import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { proveEnforced } from "@countersign/sandbox";

/** In a network of its own: what is proved of an execd of another user, as things are put right one by one. One line of JSON. */
const [NOBODY, ROOT, EXECD, ANOTHER] = [65_534, 0, 54_361, 54_362];
const PORT = 44_772;
const execd = new URL(`http://127.0.0.1:${PORT}`);
const directory = mkdtempSync(join(tmpdir(), "countersign-enforced-"));
const tokenFile = join(directory, "token");
writeFileSync(tokenFile, "secret", { mode: 0o600 });
execFileSync("ip", ["link", "set", "lo", "up"]);

const prove = async (file: string | undefined = tokenFile) => {
  const { enforcement, why } = await proveEnforced({ execd, tokenFile: file });
  return `${enforcement} ${why}`.trim();
};
const listen = async (uid: number, status: number, host = "") => {
  const on = `${PORT},${host && `"${host}",`}`;
  const code = `require("node:http").createServer((q,r)=>{r.statusCode=${status};r.end()}).listen(${on}()=>console.log("up"))`;
  const child = spawn(process.execPath, ["-e", code], { uid, gid: uid, env: {}, cwd: "/" });
  await once(child.stdout, "data");
  return async () => {
    child.kill();
    await once(child, "close");
  };
};

/** A process of that user, which does nothing. */
const rest = (uid: number) => {
  const child = spawn("sleep", ["600"], { uid, gid: uid, cwd: "/" });
  return async () => {
    child.kill();
    await once(child, "close");
  };
};
const keepOut = (users: string) => {
  const rule = `tcp dport ${PORT} meta skuid ${users} reject with tcp reset`;
  const chain = `chain out {\ntype filter hook output priority 0;\n${rule}\n}`;
  execFileSync("nft", ["-f", "-"], { input: `flush ruleset\ntable inet gate {\n${chain}\n}\n` });
};

const own = process.getuid?.() ?? 0;
const told: string[] = [];
try {
  told.push(await prove());
  const stopOwn = await listen(own, 401);
  told.push(await prove());
  await stopOwn();
  const stopOpen = await listen(EXECD, 200);
  told.push(await prove());
  await stopOpen();
  const stop = await listen(EXECD, 401);
  told.push(await proveEnforced({ execd, tokenFile: undefined }).then(({ enforcement }) => enforcement));
  chmodSync(tokenFile, 0o644);
  told.push(await prove());
  chmodSync(tokenFile, 0o600);
  told.push(await prove());
  for (const kept of [[EXECD], [EXECD, NOBODY], [EXECD, NOBODY, ROOT]]) {
    keepOut(`{ ${kept.join(", ")} }`);
    const stopAnother = kept.includes(ROOT) ? rest(ANOTHER) : undefined;
    told.push(await prove());
    await stopAnother?.();
  }
  keepOut(`!= ${own}`);
  const stopOther = rest(own);
  told.push(await prove());
  await stopOther();
  told.push(await prove());
  // A network, from where others come in whom no rule asks for their user.
  execFileSync("ip", ["link", "add", "net0", "type", "veth", "peer", "name", "net1"]);
  for (const name of ["net0", "net1"]) execFileSync("ip", ["link", "set", name, "up"]);
  execFileSync("ip", ["address", "add", "10.99.0.1/24", "dev", "net0"]);
  told.push(await prove());
  await stop();
  const stopLocal = await listen(EXECD, 401, "127.0.0.1");
  told.push(await prove());
  await stopLocal();
  process.stdout.write(JSON.stringify(told));
} finally {
  rmSync(directory, { recursive: true });
}
