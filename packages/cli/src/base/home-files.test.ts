import assert from "node:assert/strict";
import { test } from "node:test";
import { homeAt } from "@countersign/core/config";
import { homeFiles } from "./home-files.ts";

test("names the paths that the server names", () => {
  const { socket, address, token, database, config, witness } = homeAt("/h");
  assert.deepEqual(homeFiles("/h"), { socket, address, token, database, config, witness });
});
