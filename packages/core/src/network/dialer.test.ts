import assert from "node:assert/strict";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { echoUpstream } from "../../../hub/test/support/proxy-fixture.ts";
import { systemDialer } from "./dialer.ts";

test("the kernel knows which addresses lead here", async () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const asked = own.filter(({ scopeid }) => !scopeid).map(({ address }) => address);
  const routes = await Promise.all(asked.map(systemDialer.routeTo));
  assert.ok(asked.includes("127.0.0.1"));
  assert.deepEqual(
    routes,
    asked.map(() => "here"),
  );
  assert.notEqual(await systemDialer.routeTo("198.51.100.77"), "here");
  assert.notEqual(await systemDialer.routeTo("2001:db8:77::1"), "here");
  assert.equal(await systemDialer.routeTo("255.255.255.255"), "nowhere");
});

test("a name has addresses, or is refused with the reason's code", async () => {
  assert.ok((await systemDialer.resolve("localhost")).includes("127.0.0.1"));
  await assert.rejects(systemDialer.resolve("no-such-host.invalid"), { syscall: "getaddrinfo" });
});

test("one of the given addresses is connected to, the next when one is refused", async (t) => {
  const port = await echoUpstream(t);
  const socket = systemDialer.connect(["127.0.0.2", "127.0.0.1"], port);
  t.after(() => socket.destroy());
  await once(socket, "connect");
  assert.equal(socket.remoteAddress, "127.0.0.1");
});
