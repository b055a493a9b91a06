import { goMap, goSlice } from "@countersign/sandbox";
import { type Exchange, ExecdError, type LocalLimits, type Route, readJson, sortedByBytes } from "../http/index.ts";
import {
  changePermissions,
  deleteFiles,
  makeDirectories,
  moveFiles,
  permission,
  removeDirectories,
  renaming,
  replaceInFiles,
  replacing,
} from "./change-files.ts";
import { download } from "./download.ts";
import { infoOf, listDirectory, searchFiles } from "./look-at-files.ts";
import { upload } from "./upload.ts";
import type { WorkspaceFiles } from "./workspace-files.ts";

export function fileRoutes(workspace: WorkspaceFiles, limits: LocalLimits, stateDirectory: string): Route[] {
  const paths = (exchange: Exchange) => exchange.query.getAll("path");
  const { maxJsonBytes, maxEntries } = limits;
  /** Changes that are asked for by query and answered with nothing. */
  const silent = (change: (exchange: Exchange) => Promise<void>) => async (exchange: Exchange) => {
    await change(exchange);
    exchange.done();
  };
  return [
    ["GET", "/files/info", async (exchange) => exchange.json(sortedByBytes(await infoOf(workspace, paths(exchange))))],
    ["DELETE", "/files", silent((exchange) => deleteFiles(workspace, paths(exchange)))],
    [
      "POST",
      "/files/mv",
      silent(async (exchange) =>
        moveFiles(workspace, (await readJson(exchange, goSlice(renaming), maxJsonBytes)) ?? []),
      ),
    ],
    [
      "POST",
      "/files/permissions",
      silent(async (exchange) =>
        changePermissions(workspace, await readJson(exchange, goMap(permission), maxJsonBytes)),
      ),
    ],
    ["GET", "/files/search", (exchange) => search(exchange, workspace, maxEntries)],
    ["POST", "/files/replace", (exchange) => replace(exchange, workspace, limits)],
    ["POST", "/files/upload", silent((exchange) => upload(exchange.request, workspace, limits, stateDirectory))],
    ["GET", "/files/download", (exchange) => download(exchange, workspace)],
    ["GET", "/directories/list", (exchange) => list(exchange, workspace, maxEntries)],
    [
      "POST",
      "/directories",
      silent(async (exchange) => makeDirectories(workspace, await readJson(exchange, goMap(permission), maxJsonBytes))),
    ],
    ["DELETE", "/directories", silent((exchange) => removeDirectories(workspace, paths(exchange)))],
  ];
}

async function search(exchange: Exchange, workspace: WorkspaceFiles, maxEntries: number): Promise<void> {
  const asked = { path: exchange.required("path"), pattern: exchange.query.get("pattern") || "**" };
  exchange.json(await searchFiles(workspace, asked, maxEntries));
}

async function list(exchange: Exchange, workspace: WorkspaceFiles, maxEntries: number): Promise<void> {
  const path = exchange.required("path");
  const depth = exchange.query.get("depth") || "1";
  if (!/^\+?\d{1,9}$/.test(depth)) {
    throw new ExecdError(400, "INVALID_REQUEST_BODY", `invalid query parameter 'depth': ${depth}`);
  }
  exchange.json(await listDirectory(workspace, { path, depth: Number(depth) }, maxEntries));
}

async function replace(exchange: Exchange, workspace: WorkspaceFiles, limits: LocalLimits): Promise<void> {
  const asked = await readJson(exchange, goMap(replacing), limits.maxJsonBytes);
  const counts = await replaceInFiles(workspace, asked, limits.maxReplaceBytes);
  if (exchange.query.get("verbose") === "true") exchange.json(sortedByBytes(counts));
  else exchange.done();
}
