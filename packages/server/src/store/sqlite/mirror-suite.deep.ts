import { storeSuite } from "../suite.ts";
import { openMirroredTempStore } from "./mirrored-temp-store.ts";

storeSuite("mirrored", openMirroredTempStore, { isMirror: true });
