import "./mcp.test.ts";
