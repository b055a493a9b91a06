import "./serve.test.ts";
