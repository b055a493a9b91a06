import { openMirroredTempStore } from "../../test/mirrored-temp-store.ts";
import { storeSuite } from "../../test/suite.ts";

storeSuite("mirrored", openMirroredTempStore, { isMirror: true });
