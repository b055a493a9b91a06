import "./answer.test.ts";
