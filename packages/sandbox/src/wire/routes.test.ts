import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { routeOf } from "./routes.ts";
import { readQuery, readTarget } from "./target.ts";

const route = (method: string, target: string) => routeOf(method, target, { execd: [44772], own: 44771 });
const brief = (method: string, target: string) => {
  const found = route(method, target);
  return found && [found.operation, found.name, ...(found.sentAs === undefined ? [] : [found.sentAs])];
};

test("plain requests", () => {
  const asked: readonly (readonly [string, string, string, string])[] = [
    ["POST", "/command", "command.run", "/command"],
    ["POST", "/session/s1/run", "session.run", "/command"],
    ["POST", "/code", "code.run", "/code"],
    ["GET", "/files/download?path=/a", "file.download", "/files"],
    ["DELETE", "/files?path=/a&path=/b", "file.delete", "/files"],
    ["GET", "/directories/list?path=/", "directory.list", "/directories"],
    ["GET", "/pty/p1/ws?pty=0", "pty.socket", "/pty"],
    ["GET", "/ping", "control", "/ping"],
    ["GET", "/metrics/watch", "control", "/metrics"],
    ["PATCH", "/command", "control", "/command"],
    ["GET", "/files?path=/a", "file.download", "/files"],
    ["PUT", "/files?path=/a", "file.write", "/files"],
    ["GET", "/directories?path=/a", "directory.list", "/directories"],
    ["POST", "/v1/isolated/session/i1/run", "isolated.run", "/command"],
    ["POST", "/v1/isolated/session/i1/files/upload", "file.upload", "/files"],
  ];
  for (const [method, target, operation, family] of asked) {
    const found = route(method, target);
    assert.deepEqual([found?.operation, found?.family, found?.sentAs], [operation, family, undefined], target);
  }
  assert.equal(route("POST", "/v1/isolated/session/i%201/files/mv")?.filesAt, "/v1/isolated/session/i%201/files");
});

test("what gin decodes is decoded once, and every other way to write a path is read at its widest", () => {
  const tricks = [
    ...["/%63ommand", "/%63%6f%6D%6dand", "//command", "/command/", "///command//", "/./command", "/x/../command"],
    ...["/proxy/44772/command", "/proxy/044772/command", "/%70roxy/44772/%63ommand", "/proxy/44772//command/"],
    ...[
      "/proxy/44772/proxy/44772/command",
      "/proxy%2F44772%2Fcommand",
      "http://elsewhere/command",
      "http:/command",
      "http://h:1/proxy/44772/command",
    ],
  ];
  for (const trick of tricks) {
    assert.deepEqual(brief("POST", `${trick}?a=/b`), ["command.run", "POST /command", trick], trick);
  }
});

test("what execd would not take for a command isn't one here", () => {
  for (const other of [
    "/%2563ommand",
    "/COMMAND",
    "/proxy/44771/command",
    "/proxy/44772x/command",
    "/commands",
    "/proxy/command",
    "/proxy/8080/../../command",
    "/proxy/8080/x/../../../command",
    "//proxy/8080/../../command",
    "/proxy/44772/proxy/8080/../../command",
    "/",
  ]) {
    assert.equal(route("POST", other)?.operation, "control", other);
  }
  assert.equal(route("post", "/command")?.operation, "control");
  for (const refused of ["/%6", "/%zz", "command", "/com mand", "/\x7f", "", "http:command"]) {
    assert.equal(route("POST", refused), null, refused);
  }
});

test("a route is found through any number of ways back into execd", () => {
  const level = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 2 }));
  fc.assert(
    fc.property(fc.array(level, { minLength: 1, maxLength: 50 }), (levels) => {
      const way = levels
        .map(([zeros, slashes]) => `/proxy/${"0".repeat(zeros)}44772${"/".repeat(slashes - 1)}`)
        .join("");
      assert.deepEqual(brief("DELETE", `${way}/files`), [
        "file.delete",
        "DELETE /files",
        `${way}/files`.slice(0, 1024),
      ]);
    }),
  );
});

test("any text is a target, or none", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 40 }), (text) => {
      const read = readTarget(`/${text}`);
      if (read) assert.equal(routeOf("GET", `/${text}`, { execd: [44772] })?.rawQuery, read.rawQuery);
      readQuery(text);
    }),
  );
});

test("a query is read as Go reads it: plus is a space, pairs with a semicolon or half an escape are left out", () => {
  const read = readQuery("path=/a+b&path=%2Fc%20d&path=/e;f&path=%zz&&=x&p%61th=/g&flag&path=a=b&path=%ff");
  assert.deepEqual(
    read.map(([name, value]) => [name, value.toString("latin1")]),
    [
      ["path", "/a b"],
      ["path", "/c d"],
      ["", "x"],
      ["path", "/g"],
      ["flag", ""],
      ["path", "a=b"],
      ["path", "\xff"],
    ],
  );
});

test("through execd back to the proxy itself is told from other ports, however it is written", () => {
  const leadsBack = (target: string) => route("POST", target)?.leadsBack;
  for (const loop of [
    "/proxy/44771/command",
    "//proxy/0044771",
    "/%70roxy/44771/x",
    "/proxy/44772/proxy/44771/command",
  ])
    assert.equal(leadsBack(loop), true, loop);
  for (const other of ["/proxy/8080/proxy/44771/x", "/proxy/447710/x", "/proxy/44772/command", "/command"])
    assert.equal(leadsBack(other), undefined, other);
});
