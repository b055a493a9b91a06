import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { silentLog, systemClock } from "@countersign/core/base";
import { httpUpstream, listen, worldOf } from "../../../hub/test/support/proxy-fixture.ts";
import { BWRAP, inside } from "../../test/support/inside-network.ts";
import { JailNetworks } from "./jail-networks.ts";
import { PROXY_ENV } from "./proxy-env.ts";

const A = "198.51.100.1";
const bwrap = spawnSync(BWRAP, ["--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "true"], {
  encoding: "utf8",
});
const whyNoNetwork =
  bwrap.status === 0 ? undefined : `no room can be made here: ${bwrap.error?.message ?? bwrap.stderr}`;

function needs(program: string): { skip: string | false } {
  const { status } = spawnSync("which", [program]);
  return { skip: whyNoNetwork ?? (status === 0 ? false : `${program} isn't installed`) };
}

/** A network that may reach a.example, which is this port. */
async function openNamespaceOf(t: TestContext, port: number) {
  const { dialer } = worldOf({ "a.example": [A] }, { [A]: port });
  const own = { ownAddresses: () => [], routeTo: async () => "elsewhere" } as const;
  const networks = new JailNetworks({
    ...{ bwrap: BWRAP, clock: systemClock, log: silentLog },
    dialer: { ...own, ...dialer } as Required<typeof dialer>,
  });
  t.after(() => networks.close());
  return networks.open({ hosts: ["a.example"], privateToo: false });
}

test("programs find the proxy by themselves, and say when it was the jail", needs("curl"), async (t) => {
  const network = await openNamespaceOf(
    t,
    await httpUpstream(t, (request, response) => response.end(`<${request.url}>`)),
  );
  const fetch = (url: string) =>
    `"$NODE" -e 'fetch("${url}").then(async (r) => console.log(r.status, await r.text()), (e) => console.log(e.cause))'`;
  const heard = [
    await inside(network, "curl -sS http://a.example/plain"),
    await inside(network, "curl -sS http://b.example/plain"),
    await inside(network, "curl -sS --proxytunnel http://a.example/tunnel"),
    await inside(network, "curl -sS --socks5-hostname 127.0.0.1:3128 http://a.example/socks"),
    await inside(network, fetch("http://a.example/node")),
  ];
  assert.deepEqual(heard, [
    "</plain>",
    "Refused by the jail: b.example isn't among the hosts that this command may reach.",
    "</tunnel>",
    "</socks>",
    "200 </node>",
  ]);
});

test("what a run serves on its own loopback it reaches without the proxy", needs("curl"), async (t) => {
  const network = await openNamespaceOf(t, 1);
  const serve = `"$NODE" -e 'http.createServer((q, r) => r.end("own")).listen(8080, () => console.log("ready"))'`;
  const script = `exec 3< <(${serve}); read -r -u 3; curl -sS http://localhost:8080/; kill $!`;
  assert.deepEqual([await inside(network, script), network.refused()], ["own", []]);
});

test("git reaches a machine by ssh, and so does the shell that rsync is given", needs("ssh"), async (t) => {
  const greetings: string[] = [];
  const port = await listen(
    t,
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (bytes) => {
        greetings.push(String(bytes).slice(0, 15));
        socket.end();
      });
      socket.write("SSH-2.0-Nobody\r\n");
    }),
  );
  const network = await openNamespaceOf(t, port);
  await inside(network, "git ls-remote ssh://git@a.example/x");
  await inside(network, `${PROXY_ENV.RSYNC_RSH} a.example true`);
  assert.deepEqual(greetings, ["SSH-2.0-OpenSSH", "SSH-2.0-OpenSSH"]);
  assert.match(await inside(network, "git ls-remote ssh://git@b.example/x"), /^b\.example:22: 403 Refused by the jail/);
});
