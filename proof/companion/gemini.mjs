// The editor's client of Gemini CLI: finds the server, waits for a selection, proposes three changes. Whoever runs it decides.
// node gemini.mjs PROJECT
import { join } from "node:path";
import { IdeClient, ideContextStore } from "@google/gemini-cli-core";

const project = process.argv[2];
const until = async (check) => {
  for (;;) {
    const value = check();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
};
const client = await IdeClient.getInstance();
await client.connect();
console.log(client.getConnectionStatus().status);
console.log("selected", await until(() => ideContextStore.get()?.workspaceState?.openFiles?.[0]?.selectedText));
const file = join(project, "main.py");
console.log("accepted", JSON.stringify(await client.openDiff(file, "x = 1\n")));
console.log("rejected", JSON.stringify(await client.openDiff(file, "x = 2\n")));
void client.openDiff(file, "x = 3\n");
await new Promise((resolve) => setTimeout(resolve, 500));
await client.resolveDiffFromCli(file, "rejected");
console.log("closed");
await client.disconnect();
process.exit(0);
