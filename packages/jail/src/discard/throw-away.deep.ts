import "./throw-away.test.ts";
