import assert from "node:assert/strict";
import { test } from "node:test";
import { whyRefused } from "./check-address.ts";
import { readHost } from "./host.ts";

const OWN = new Set(["203.0.113.9", "2001:db8:9::9", "10.1.1.1"]);

/** As the dialler sees it: in the form in which hosts are compared. */
function verdict(address: string, privateToo: boolean): string {
  const host = readHost(address);
  assert.equal(host?.kind, "address", address);
  return whyRefused((host as { text: string }).text, { privateToo, own: OWN }) ?? "reached";
}

const ITSELF = "the machine itself";
const CLOUD = "where a cloud keeps a machine's credentials";
const LINK = "link-local";
const RESERVED = "multicast, broadcast or reserved";
const TUNNEL = "a tunnel to an address that can't be told";

test("addresses that no rule opens", () => {
  const table: Array<[string, string]> = [
    ["0.0.0.0", ITSELF],
    ["0.1.2.3", ITSELF],
    ["127.0.0.1", ITSELF],
    ["127.255.255.255", ITSELF],
    ["::", ITSELF],
    ["::1", ITSELF],
    ["203.0.113.9", ITSELF],
    ["2001:db8:9::9", ITSELF],
    ["10.1.1.1", ITSELF],
    ["169.254.169.254", CLOUD],
    ["169.254.170.2", CLOUD],
    ["100.100.100.200", CLOUD],
    ["168.63.129.16", CLOUD],
    ["192.0.0.192", CLOUD],
    ["fd00:ec2::254", CLOUD],
    ["fd20:ce::254", CLOUD],
    ["169.254.0.1", LINK],
    ["fe80::1", LINK],
    ["febf:ffff::1", LINK],
    ["224.0.0.1", RESERVED],
    ["239.255.255.255", RESERVED],
    ["240.0.0.1", RESERVED],
    ["255.255.255.255", RESERVED],
    ["192.0.0.8", RESERVED],
    ["ff02::1", RESERVED],
    ["100::1", RESERVED],
    ["2001:0:4136:e378:8000:63bf:3fff:fdd2", TUNNEL],
    ["64:ff9b:1::7f00:1", TUNNEL],
    // The same in IPv6's clothes: mapped, compatible, translated, NAT64, 6to4, ISATAP.
    ["::ffff:127.0.0.1", ITSELF],
    ["::ffff:169.254.169.254", CLOUD],
    ["::127.0.0.1", ITSELF],
    ["::ffff:0:127.0.0.1", ITSELF],
    ["64:ff9b::127.0.0.1", ITSELF],
    ["64:ff9b::a9fe:a9fe", CLOUD],
    ["64:ff9b::203.0.113.9", ITSELF],
    ["64:ff9b::10.1.1.1", ITSELF],
    ["2002:7f00:1::", ITSELF],
    ["2002:a9fe:a9fe::1", CLOUD],
    ["2002:e000:1::1", RESERVED],
    ["2001:db8::5efe:127.0.0.1", ITSELF],
    ["2001:db8::200:5efe:169.254.0.1", LINK],
  ];
  for (const privateToo of [false, true])
    assert.deepEqual(
      table.map(([address]) => [address, verdict(address, privateToo)]),
      table,
    );
});

test("private addresses are reached only where the rule says so", () => {
  const table = [
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.127.255.255",
    "198.18.0.1",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "::ffff:10.0.0.1",
    "64:ff9b::192.168.0.1",
    "2002:a00:1::1",
    "2001:db8::5efe:10.0.0.1",
  ];
  assert.deepEqual(
    table.map((address) => [address, verdict(address, false), verdict(address, true)]),
    table.map((address) => [address, "a private address", "reached"]),
  );
});

test("the world is reached", () => {
  const table = [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "64:ff9b::1.1.1.1",
    "2002:101:101::1",
    "::ffff:8.8.8.8",
  ];
  assert.deepEqual(
    table.map((address) => [address, verdict(address, false)]),
    table.map((address) => [address, "reached"]),
  );
});
