import "./keep.test.ts";
