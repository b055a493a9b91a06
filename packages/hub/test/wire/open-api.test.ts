import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS, type Operation } from "../../src/identity/operations.ts";
import { openServer } from "../support/open-server.ts";

interface Described {
  operationId: string;
  responses: Record<string, { content: Record<string, { schema: object }> }>;
}
interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
}

test("the OpenAPI file names exactly the routes that are served, and each is served", async (t) => {
  const server = await openServer(t);
  const { body } = await server.api("GET", "/api/v1/openapi.json");
  const { openapi, paths } = body as OpenApi;
  assert.equal(openapi, "3.1.0");
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
  );
  const served = Object.values(OPERATIONS as Record<string, Operation>)
    .flatMap(({ http }) => http ?? [])
    // MCP describes itself.
    .filter((route) => !route.endsWith(" /mcp"));
  assert.deepEqual(described.sort(), served.sort());
  for (const route of served) {
    const [method = "", path = ""] = route.split(" ");
    const answer = await server.api(
      method,
      path.replace(/:\w+/, "unknown"),
      method === "POST" ? { bad: 1 } : undefined,
    );
    const { error } = answer.body as { error?: { code: string } };
    assert.notEqual(error?.code, "METHOD_NOT_FOUND", route);
    assert.notEqual(error?.code, "INTERNAL", route);
  }
});

test("health, readiness and metrics answer without a token, and tell nothing but counts", async (t) => {
  const server = await openServer(t);
  await server.api("POST", "/api/v1/exec", { command: "echo a-word-of-mine", cwd: server.workspace });
  for (const path of ["/healthz", "/readyz"])
    assert.deepEqual(await (await fetch(server.url + path)).json(), { ok: true });
  const text = await (await fetch(`${server.url}/metrics`)).text();
  assert.match(text, /^countersign_outcomes_total\{kind="exited"\} 1$/m);
  assert.match(text, /^countersign_approvals_pending 0$/m);
  assert.doesNotMatch(text, /a-word-of-mine/);
});
