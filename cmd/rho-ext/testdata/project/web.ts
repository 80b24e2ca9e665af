import { defineTool } from "rho-ext";

export default defineTool({
  name: "calls_out",
  description: "Asks a web server",
  risk: "network",
  async execute() {
    const answer = await fetch("http://example.com/path?secret=1");
    return answer.status;
  },
});
