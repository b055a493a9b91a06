import "./recorder.test.ts";
