import { storeSuite } from "../suite.ts";
import { openTempStore } from "./temp-store.ts";

storeSuite("SQLite", openTempStore);
