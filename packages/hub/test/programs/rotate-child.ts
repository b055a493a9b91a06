// Changes the key of a ledger once, for tests that kill it on the way. Arguments: the database. Says when it began and when it was done.
import { openSqliteStore } from "@countersign/store";
import { frameRecord } from "../../../store/test/suite/sample-frames.ts";
import { append, keep } from "../../../store/test/suite/samples.ts";

const [path = ""] = process.argv.slice(2);
const store = await openSqliteStore(path);
await keep(store, append());
await store.record(frameRecord());
console.log("begun");
await store.rotateKey({ atMs: 1, body: {} });
await keep(store, append());
await store.record(frameRecord());
await store.close();
console.log("done");
