import assert from "node:assert/strict";
import { test } from "node:test";
import { type Route, routeOf } from "../../wire/routes.ts";
import { strangeQuery } from "./strange-query.ts";

test("all that execd knows of a terminal's socket is known, and nothing else", () => {
  const strange = (query: string) => strangeQuery(routeOf("GET", `/pty/p1/ws?${query}`, { execd: [] }) as Route);
  for (const query of ["pty=0", "since=12&takeover=1", "mode=viewer&since=0"]) assert.equal(strange(query), undefined);
  assert.equal(strange("since=0&run=1"), "?run");
});
