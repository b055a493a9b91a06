import { VERSION } from "@countersign/core/base";
import { problemSchema } from "@countersign/protocol/proposals";
import * as z from "zod";
import { OPERATIONS, type Operation, type OperationName } from "../../identity/index.ts";
import type { Route } from "../http/index.ts";

/** Makes the OpenAPI 3.1 document from the schemas that validate requests. */
export function openApi(routes: Readonly<Partial<Record<OperationName, Route>>>): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, route] of Object.entries(routes) as [OperationName, Route][]) {
    const { http = "", roles } = OPERATIONS[name] as Operation;
    const [method = "", path = ""] = http.split(" ");
    const template = path.replace(/:(\w+)/g, "{$1}");
    paths[template] = { ...paths[template], [method.toLowerCase()]: describe(name, { ...route, roles, path }) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Countersign", version: VERSION, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "http://127.0.0.1:18789" }],
    security: [{ token: [] }],
    paths,
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}

function describe(name: string, route: Route & { readonly roles: readonly string[]; readonly path: string }): object {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, parameter]) => {
    return { name: parameter, in: "path", required: true, schema: { type: "string" } };
  });
  const inQuery = Object.entries(route.query?.shape ?? {}).map(([parameter, schema]) => {
    return { name: parameter, in: "query", required: false, schema: toSchema(schema as z.ZodType) };
  });
  return {
    operationId: name,
    summary: route.summary,
    description: `Roles: ${route.roles.join(", ")}.`,
    parameters: [...inPath, ...inQuery],
    ...(route.body ? { requestBody: { required: true, content: json(route.body) } } : {}),
    responses: {
      200: {
        description: "Done",
        content: { ...(route.result ? json(route.result) : {}), ...events(route), ...files(route) },
      },
      ...(route.later ? { 202: { description: "Still open", content: json(route.later) } } : {}),
      default: {
        description: "Refused; nothing was run unless the message says so",
        content: json(z.object({ error: problemSchema })),
      },
    },
  };
}

/** OpenAPI 3.1 can't describe event streams, so each event's data schema has the event's name as title. */
function events({ events }: Route): object {
  if (!events) return {};
  const data = Object.entries(events).map(([event, schema]) => ({ title: event, ...toSchema(schema) }));
  return { "text/event-stream": { schema: { type: "string", contentSchema: { anyOf: data } } } };
}

function files({ files = [] }: Route): object {
  return Object.fromEntries(files.map((type) => [type, { schema: { type: "string" } }]));
}

function json(schema: z.ZodType): object {
  return { "application/json": { schema: toSchema(schema) } };
}

function toSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  return rest;
}
