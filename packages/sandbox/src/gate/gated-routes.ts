import type { Route } from "../wire/index.ts";

type Operation = Route["operation"];

/** What a person or the policy decides about. */
const DECIDED: ReadonlySet<Operation> = new Set<Operation>([
  ...(["command.run", "session.run", "isolated.run", "code.run"] as const),
  ...(["file.upload", "file.write", "file.replace", "file.permissions", "file.move", "file.delete"] as const),
  ...(["directory.create", "directory.delete", "pty.open", "pty.socket", "pty.delete"] as const),
]);

/** What only looks. */
const LOOKS: ReadonlySet<Operation> = new Set<Operation>([
  ...(["file.download", "file.look", "directory.list", "context.get", "context.list"] as const),
]);

/** A session or a context does nothing before it is given something to run. It is read, so that what it says is known then. */
const MAKES: ReadonlySet<Operation> = new Set<Operation>(["session.create", "context.create", "isolated.create"]);

/** What else is known of execd, and starts nothing by itself. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["GET /ping", "GET /metrics", "GET /metrics/watch", "GET /v1/isolated/capabilities", "GET /v1/isolated/sessions"],
  ...["DELETE /command", "GET /command/status/:id", "GET /command/:id/logs", "GET /command/:id/resume"],
  ...["DELETE /session/:sessionId"],
  ...["DELETE /code", "DELETE /code/contexts", "DELETE /code/contexts/:contextId", "GET /pty/:sessionId"],
  ...["GET /v1/isolated/session/:sessionId", "GET /v1/isolated/session/:sessionId/diff"],
  ...["DELETE /v1/isolated/session/:sessionId"],
  ...["GET /v1/isolated/session/:sessionId/runs/:runId", "GET /v1/isolated/session/:sessionId/runs/:runId/logs"],
]);

/** `unknown`: a build that is newer than this gate, or a way to something else in the sandbox; either may run anything. */
export function standingOf({
  operation,
  name,
}: Pick<Route, "operation" | "name">): "decided" | "read" | "passes" | "unknown" {
  if (DECIDED.has(operation)) return "decided";
  if (MAKES.has(operation)) return "read";
  return LOOKS.has(operation) || HARMLESS.has(name) ? "passes" : "unknown";
}
