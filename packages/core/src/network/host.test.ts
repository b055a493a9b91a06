import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { namesHost } from "../../../jail/src/network/network-rule.ts";
import { readAuthority, readHost } from "./host.ts";

test("hosts are compared in one form", () => {
  const forms: Array<[string, string | undefined]> = [
    ["registry.npmjs.org", "name registry.npmjs.org"],
    ["Registry.NPMjs.ORG.", "name registry.npmjs.org"],
    ["bücher.example", "name xn--bcher-kva.example"],
    ["xn--bcher-kva.example", "name xn--bcher-kva.example"],
    ["my_host", "name my_host"],
    ["93.184.216.34", "address 93.184.216.34"],
    ["127.1", "address 127.0.0.1"],
    ["2130706433", "address 127.0.0.1"],
    ["0x7f000001", "address 127.0.0.1"],
    ["0177.0.0.1", "address 127.0.0.1"],
    ["127。0。0。1", "address 127.0.0.1"],
    ["[::1]", "address ::1"],
    ["0:0:0:0:0:0:0:1", "address ::1"],
    ["2001:DB8::0:1", "address 2001:db8::1"],
    ["::ffff:127.0.0.1", "address 127.0.0.1"],
    ["[::ffff:7f00:1]", "address 127.0.0.1"],
    ["fe80::1%eth0", undefined],
    ["1.2.3.4.5", undefined],
    ["256.1.1.1", undefined],
    ["a..b", undefined],
    [".", undefined],
    ["", undefined],
    ["-a.example", undefined],
    ["a b", undefined],
    ["a\0b", undefined],
    ["a\r\nb", undefined],
    ["%6cocalhost", undefined],
    ["user@host", undefined],
    ["host:80", undefined],
    ["host/path", undefined],
    ["[::1", undefined],
    ["\x1b[31mred", undefined],
    [`${"a".repeat(63)}.`.repeat(5), undefined],
    ["a".repeat(1_000_000), undefined],
  ];
  assert.deepEqual(
    forms.map(([text]) => {
      const host = readHost(text);
      return [text, host && `${host.kind} ${host.text}`];
    }),
    forms,
  );
});

test("whatever comes, a host that is read is plain and reads as itself again", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.ipV6(), fc.ipV4Extended(), fc.domain()), (text) => {
      const host = readHost(text);
      if (!host) return;
      assert.match(host.text, /^[a-z0-9._:-]{1,253}$/);
      assert.deepEqual(readHost(host.text), host);
    }),
  );
});

test("an authority has a host and a port", () => {
  const forms: Array<[string, number | undefined, string | undefined]> = [
    ["a.example:443", undefined, "a.example 443"],
    ["a.example", 80, "a.example 80"],
    ["[::1]:8080", 80, "[::1] 8080"],
    ["a.example", undefined, undefined],
    ["a.example:", 80, undefined],
    ["a.example:0", 80, undefined],
    ["a.example:65536", 80, undefined],
    ["a.example:-1", 80, undefined],
    ["a.example:80:80", 80, undefined],
    ["::1:80", 80, undefined],
    [":80", 80, undefined],
    ["", 80, undefined],
  ];
  assert.deepEqual(
    forms.map(([text, port]) => {
      const read = readAuthority(text, port);
      return [text, port, read && `${read.host} ${read.port}`];
    }),
    forms,
  );
});

test("a rule names hosts exactly; an address only as an address", () => {
  const rule = { hosts: ["Registry.npmjs.org", "bücher.example", "192.0.2.7", "not a host"], privateToo: false };
  const asked = ["registry.npmjs.org.", "xn--bcher-kva.example", "192.0.2.7", "[::ffff:192.0.2.7]"];
  const others = ["npmjs.org", "evil.registry.npmjs.org", "registry.npmjs.org.evil.io", "192.0.2.8", "3221225991.io"];
  const named = (text: string) => {
    const host = readHost(text);
    return host !== undefined && namesHost(rule, host);
  };
  assert.deepEqual([asked.map(named), others.map(named)], [asked.map(() => true), others.map(() => false)]);
});
