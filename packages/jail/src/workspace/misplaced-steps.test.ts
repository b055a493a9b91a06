import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMountInfo } from "@countersign/core/host/fs";
import type { PlaceStep } from "../plan/jail-view.ts";
import { misplacedSteps } from "./misplaced-steps.ts";

const read = (...lines: string[]) =>
  parseMountInfo(Buffer.from(lines.map((line, at) => `${at} 1 ${line} rw - ext4 x rw`).join("\n")));
const host = () => read("254:0 / /", "254:0 / /home", "254:1 /@ws /home/u/w", "254:2 / /home/u/w/data");
const pin = (path: string): PlaceStep => ({ do: "pin", path });

test("a bind is where it should be when the same part of the same file system stands there", () => {
  const jail = read(
    "254:0 / /",
    "254:1 /@ws /home/u/w",
    "254:1 /@ws/a /home/u/w/a",
    "254:2 /deep /home/u/w/data/deep",
    "254:0 /u/secrets /home/u/w/swapped",
    "254:1 /@ws/b /home/u/w/b",
    "254:0 /etc /home/u/w/b",
  );
  const steps = ["a", "data/deep", "swapped", "b", "missing"].map((name) => pin(`/home/u/w/${name}`));
  assert.deepEqual(misplacedSteps(steps, { host, jail, roots: ["/home/u/w"] }), {
    missing: [pin("/home/u/w/missing")],
    wrong: [pin("/home/u/w/swapped"), pin("/home/u/w/b")],
  });
});

test("what hides must be there, whatever it is", () => {
  const hide = (path: string): PlaceStep => ({ do: "hide", path, kind: "file" });
  const jail = read("0:5 /null /home/u/w/.env");
  assert.deepEqual(misplacedSteps([hide("/home/u/w/.env"), hide("/home/u/w/other")], { host, jail, roots: [] }), {
    missing: [hide("/home/u/w/other")],
    wrong: [],
  });
});

test("a workspace that is another one, for a preview, is measured by itself", () => {
  const jail = read("0:77 /merged /home/u/w", "0:77 /merged/a /home/u/w/a", "254:0 /u/x /home/u/w/b");
  const steps = ["a", "b"].map((name) => pin(`/home/u/w/${name}`));
  const { missing, wrong } = misplacedSteps(steps, { host, jail, roots: ["/home/u/w"] });
  assert.deepEqual([missing, wrong], [[], [pin("/home/u/w/b")]]);
});
