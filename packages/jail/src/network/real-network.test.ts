import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("../../test/support/real-network-child.ts", import.meta.url));

/**
 * Two machines with a cable between them, in namespaces that end with the script. This one also has an address on an
 * interface without a carrier, as docker0 is while nothing runs, and a range that only its routes know: the list of
 * interfaces has neither.
 */
const LAY_CABLES = `
set -e
ip link set lo up
ip link add hub0 type veth peer name world0
ip link add idle0 type veth peer name idle1
unshare --net sleep infinity < /dev/null > /dev/null 2>&1 &
world=$!
trap 'kill $world' EXIT
until [ "$(readlink /proc/$world/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.01; done
ip link set world0 netns $world
for address in 198.51.100.2/24 10.9.9.2/24; do ip addr add $address dev hub0; done
ip addr add 2001:db8:5::2/64 dev hub0 nodad
ip addr add 203.0.113.77/24 dev idle0
ip link set hub0 up
ip link set idle0 up
ip route add local 192.0.2.0/25 dev lo
there() { nsenter --net=/proc/$world/ns/net "$@"; }
for address in 198.51.100.1/24 10.9.9.1/24; do there ip addr add $address dev world0; done
there ip addr add 2001:db8:5::1/64 dev world0 nodad
there ip link set world0 up
`;

const RUN = `
exec 4< <(exec nsenter --net=/proc/$world/ns/net "$NODE" "$CHILD" world)
answering=$!
trap 'kill $world $answering' EXIT
read -r -u 4 ready
"$NODE" "$CHILD" "$@"
`;

function sh(script: string, args: readonly string[] = []) {
  const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", NODE: process.execPath, CHILD };
  return spawnSync("/usr/bin/unshare", ["--net", "bash", "--norc", "-c", script, "bash", ...args], {
    encoding: "utf8",
    env,
    timeout: 60_000,
  });
}

function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return "only root can lay cables between namespaces";
  const { status, error, stderr } = sh(LAY_CABLES);
  return status === 0 ? undefined : `no network can be laid here: ${error?.message ?? stderr.trim()}`;
}

test("other machines are reached, this one by none of its addresses", { skip: whyNot() ?? false }, () => {
  const refused = (host: string, what: string) => `Refused by the jail: ${host} is ${what}.`;
  const itself = (host: string) => [refused(host, "the machine itself"), refused(host, "the machine itself")];
  const expected: Record<string, string[]> = {
    "198.51.100.1": ["reached", "reached"],
    "[2001:db8:5::1]": ["reached", "reached"],
    "10.9.9.1": [refused("10.9.9.1", "a private address"), "reached"],
    "198.51.100.2": itself("198.51.100.2"),
    "[2001:db8:5::2]": itself("2001:db8:5::2"),
    "[::ffff:198.51.100.2]": itself("198.51.100.2"),
    "10.9.9.2": itself("10.9.9.2"),
    "203.0.113.77": itself("203.0.113.77"),
    "192.0.2.7": itself("192.0.2.7"),
    "127.0.0.1": itself("127.0.0.1"),
    "[::1]": itself("::1"),
    "192.0.2.199": Array(2).fill("From the jail, 192.0.2.199 can't be reached (no route)."),
  };
  const { stdout, stderr } = sh(LAY_CABLES + RUN, Object.keys(expected));
  assert.deepEqual([stdout && JSON.parse(stdout), stderr], [expected, ""]);
});
