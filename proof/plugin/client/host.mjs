// The JVM with the library and the host in it, steered over its standard input (see ../boot/Steered.java).
import { execFileSync, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

export class Host {
  /** @param {string[]} command the JVM with its arguments */
  constructor(command) {
    this.jcmd = join(dirname(command[0]), "jcmd");
    this.child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    this.ended = new Promise((resolve) => this.child.on("exit", (code, signal) => resolve(signal ?? code)));
    /** Whatever it prints that is no answer: the complaints of -Xcheck:jni among it. */
    this.printed = [];
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.turn = Promise.resolve();
  }

  /** Has it do one thing; the text of its answer. */
  tell(command) {
    const said = this.turn.then(() => this.#tell(command));
    this.turn = said.catch(() => {});
    return said;
  }

  async #tell(command) {
    this.child.stdin.write(`${command}\n`);
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) throw new Error(`the JVM ended during \`${command}\`: ${await this.ended}`);
      if (value.startsWith("= ")) return value.slice(2);
      if (value.startsWith("! ")) throw new Error(`\`${command}\`: ${value.slice(2)}`);
      this.printed.push(value);
    }
  }

  async figures() {
    return JSON.parse(await this.tell("figures"));
  }

  async start() {
    return JSON.parse(await this.tell("start"));
  }

  /** Has the C library return freed memory to the system, by hundreds of MiB after the compiler of the JVM has worked. */
  trim() {
    execFileSync(this.jcmd, [String(this.child.pid), "System.trim_native_heap"], { stdio: "ignore" });
  }

  /** Lets it go; how it ended. */
  async end() {
    this.child.stdin.write("end\n");
    for (let line = await this.lines.next(); !line.done; line = await this.lines.next()) this.printed.push(line.value);
    return this.ended;
  }
}
