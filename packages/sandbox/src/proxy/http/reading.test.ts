import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "node:test";
import { Reading } from "./reading.ts";

test("a socket is read on when nothing stands in the way any more, whoever is ready first", () => {
  const socket = new Socket();
  const reading = new Reading(socket);
  reading.stop("gate");
  reading.stop("room");
  reading.stop("room");
  reading.goOn("gate");
  assert.equal(socket.isPaused(), true, "there is no room");
  reading.goOn("ahead");
  assert.equal(socket.isPaused(), true, "that was never in the way");
  reading.goOn("room");
  assert.equal(socket.isPaused(), false);
  reading.stop("gate");
  reading.stop("room");
  reading.goOnAnyway();
  assert.equal(socket.isPaused(), false);
  reading.stop("ahead");
  reading.goOn("gate");
  assert.equal(socket.isPaused(), true, "what was passed over doesn't come back");
  socket.destroy();
});
