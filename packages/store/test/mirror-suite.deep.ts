import { openMirroredTempStore } from "./mirrored-temp-store.ts";
import { storeSuite } from "./suite.ts";

storeSuite("mirrored", openMirroredTempStore, { isMirror: true });
