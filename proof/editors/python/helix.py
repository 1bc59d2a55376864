"""Leads Helix as a person does: keys into a terminal, and what stands on its screen.

usage: helix.py FOLDER STEPS -- SERVER...      prints the observations of the steps as one JSON list; HELIX is the program
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import struct
import sys
import termios
import time

import pyte

DEADLINE = 20.0
ROWS, COLUMNS = 60, 240
ESCAPE, ENTER, NEXT, ERASE_LINE = "\x1b", "\r", "\x0e", "\x15"

# Each part of the screen has a background of its own, by which it is told from the others.
POPUP, MENU, SELECTED, STATUS = "000010", "000020", "000030", "000040"
THEME = f"""
"ui.background" = {{ bg = "#000001" }}
"ui.selection" = {{ bg = "#000002" }}
"ui.popup" = {{ bg = "#{POPUP}" }}
"ui.menu" = {{ bg = "#{MENU}" }}
"ui.menu.selected" = {{ bg = "#{SELECTED}" }}
"ui.statusline" = {{ bg = "#{STATUS}" }}
"""

CONFIG = """
theme = "regions"
[editor]
true-color = true
auto-info = false
auto-pairs = false
preview-completion-insert = false
[editor.statusline]
left = ["mode", "file-absolute-path", "file-modification-indicator", "position"]
center = []
right = []
"""

STATUS_LINE = re.compile(r"(NOR|INS|SEL) +(/.*?)( \[\+\])? +(\d+):(\d+)$")
SEVERITIES = {"ERROR": 1, "WARN": 2, "INFO": 3, "HINT": 4}


class Terminal:
    """A program in a pseudo-terminal, and its screen."""

    def __init__(self, program, folder):
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.stream = pyte.ByteStream(self.screen)
        self.process, self.tty = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
            os.execv(program, [program])
        fcntl.ioctl(self.tty, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        # Programs ask terminals what they are, and wait for the answer.
        self.screen.write_process_input = self.send

    def send(self, keys):
        os.write(self.tty, keys.encode())

    def read(self, seconds):
        """Takes in what was written; false when nothing came for that long, or will come any more."""
        if not select.select([self.tty], [], [], seconds)[0]:
            return False
        try:
            self.stream.feed(os.read(self.tty, 1 << 16))
        except OSError:  # the program is gone
            return False
        return True

    def settle(self):
        """Takes in what was written, up to the end of a frame."""
        end = time.monotonic() + DEADLINE
        while self.read(0.03) and time.monotonic() < end:
            pass

    def wait(self, what, ask):
        end = time.monotonic() + DEADLINE
        while True:
            self.settle()
            found = ask()
            if found:
                return found
            if time.monotonic() > end:
                screen = "\n".join(line.rstrip() for line in self.lines())
                raise TimeoutError(f"{what}: not on the screen within {DEADLINE} s\n{screen}")

    def rows(self):
        # The second cell of a wide character is empty.
        return [[self.screen.buffer[y][x] for x in range(COLUMNS)] for y in range(ROWS)]

    def lines(self):
        return ["".join(cell.data for cell in row) for row in self.rows()]

    def region(self, *backgrounds):
        """The text that stands on one of these backgrounds, by lines."""
        texts = ["".join(cell.data for cell in row if cell.bg in backgrounds).strip() for row in self.rows()]
        return [text for text in texts if text]

    def menu(self):
        """The entries of a menu by line and text, and which one is selected."""
        parts = [[cell for cell in row if cell.bg in (MENU, SELECTED)] for row in self.rows()]
        text = lambda cells: "".join(cell.data for cell in cells).strip()
        return {(y, text(cells)): cells[0].bg == SELECTED for y, cells in enumerate(parts) if cells}

    def end(self):
        """Reads up to the end of the program."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            self.read(0.03)
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                return os.waitstatus_to_exitcode(status)
        raise TimeoutError(f"no end within {DEADLINE} s")


class Editor:
    def __init__(self, folder, server, language, first):
        self.folder = os.path.realpath(folder)
        home = pathlib.Path(os.environ["XDG_CONFIG_HOME"], "helix")
        (home / "themes").mkdir(parents=True)
        (home / "themes/regions.toml").write_text(THEME)
        (home / "config.toml").write_text(CONFIG)
        # As the documentation has it, but for the command. JSON's strings and lists are also TOML's.
        command, arguments = json.dumps(server[0]), json.dumps(server[1:])
        (home / "languages.toml").write_text(
            f"[language-server.ide-index]\ncommand = {command}\nargs = {arguments}\n\n"
            f'[[language]]\nname = "{language}"\nlanguage-servers = ["ide-index"]\n'
        )
        self.terminal = Terminal(os.environ["HELIX"], self.folder)
        self.wait, self.send = self.terminal.wait, self.terminal.send
        self.wait("start", lambda: any("[scratch]" in line for line in self.terminal.region(STATUS)))
        # A key that asks something of a server that is not there yet is lost; the first file has a problem.
        self.open(first)
        self.wait("a problem in the margin", lambda: any(line.startswith("●") for line in self.terminal.lines()))

    def status(self):
        """Mode, file, whether it is modified, line and column."""
        found = [STATUS_LINE.search(line) for line in self.terminal.region(STATUS)]
        [found] = [one for one in found if one] or [None]
        return found and (found[1], found[2], bool(found[3]), int(found[4]), int(found[5]))

    def is_at_rest(self):
        status = self.status()
        return status and status[0] == "NOR" and not self.terminal.region(POPUP, MENU) and not self.picker() and status

    def rest(self):
        """Back to normal mode with nothing open. The next key would make another one of an escape that is not read yet."""
        self.send(ESCAPE)
        return self.wait("normal mode", self.is_at_rest)

    def command(self, text):
        self.send(f":{text}{ENTER}")

    def open(self, file, row=1, column=1):
        path = os.path.join(self.folder, file)
        self.command(f"open {path}:{row}:{column}")
        is_there = lambda: (self.is_at_rest() or [None] * 5)[1] == path and self.status()[3:] == (row, column)
        self.wait(f"{file}:{row}:{column}", is_there)

    def go(self, step):
        """Helix counts columns in characters."""
        line = self.read(step["file"]).split("\n")[step["line"]]
        units = line.encode("utf-16-le")[: 2 * step["character"]]
        self.open(step["file"], step["line"] + 1, len(units.decode("utf-16-le")) + 1)

    def read(self, file):
        return pathlib.Path(self.folder, file).read_bytes().decode()

    def place(self):
        """The file of the cursor, and the place in it as the protocol counts."""
        _, path, _, row, column = self.wait("a place", self.is_at_rest)
        file = os.path.relpath(path, self.folder)
        before = self.read(file).split("\n")[row - 1][: column - 1]
        return f"{file}:{row - 1}:{len(before.encode('utf-16-le')) // 2}"

    def picker(self):
        """The rows of the list that is open, below the line for a pattern; `None` without one."""
        lines = self.terminal.lines()
        for top, line in enumerate(lines):
            left, right = line.find("┌"), line.find("┐")
            if 0 <= left < right:
                height = next(i for i, below in enumerate(lines[top:]) if below[left] == "└")
                return [line[left + 1 : right].rstrip() for line in lines[top + 1 : top + height]]
        return None

    def list(self, keys):
        """Opens a list and gives its rows, the selected one with `>`."""
        self.send(keys)
        rows = self.wait("a list", lambda: (self.picker() or [""])[0].strip() and self.picker())
        return [row for row in rows[2:] if row.strip()]

    def choose(self, keys, n, head=0):
        """Follows the row of that number in a list; `head` lines stand above the first."""
        self.list(keys)
        for i in range(n + 1):
            if i > 0:
                self.send(NEXT)
            is_there = lambda: any(row.startswith(" >") for row in (self.picker() or [])[2 + head + i :][:1])
            self.wait(f"row {i}", is_there)
        self.send(ENTER)
        return self.wait("a place", self.is_at_rest)

    def hover(self, step):
        self.go(step)
        self.send(" k")
        found = self.wait("hover", lambda: self.terminal.region(POPUP))
        self.rest()
        return "\n".join(found)

    def definition(self, step):
        self.go(step)
        before = self.place()
        self.send("gd")
        self.wait("definition", lambda: self.is_at_rest() and self.place() != before)
        return [self.place()]

    def references(self, step):
        self.go(step)
        n = len(self.list("gr"))
        self.rest()
        found = []
        for i in range(n):
            self.go(step)
            self.choose("gr", i)
            found.append(self.place())
        return found

    def signature(self, step):
        """Helix shows it as soon as something can be typed."""
        self.go(step)
        self.send("i")
        found = self.wait("signature", lambda: self.terminal.region(POPUP))
        self.rest()
        return "\n".join(found)

    def paste(self, step, text):
        self.go(step)
        self.send("i")
        self.wait("insert mode", lambda: (self.status() or "")[:1] == ("INS",))
        self.send(f"\x1b[200~{text}\x1b[201~")
        rows = text.count("\n")
        self.wait("the text", lambda: self.status()[2] and self.status()[3] == step["line"] + 1 + rows)

    def type(self, step):
        self.paste(step, step["text"])
        self.rest()

    def complete(self, step):
        """The last character is typed, and the menu that opens is read to its end."""
        self.paste(step, step["text"][:-1])
        self.send(step["text"][-1])
        self.wait("completion", self.terminal.menu)
        self.send(NEXT)
        state = self.wait("a selected completion", lambda: any(self.terminal.menu().values()) and self.terminal.menu())
        first, found = state, []
        while True:
            found += [row for _, row in state if row not in found]
            self.send(NEXT)
            before = state
            state = self.wait("the next completion", lambda: self.terminal.menu() != before and self.terminal.menu())
            if state == first:
                self.rest()
                return found

    def problems(self, step):
        """Waits until there is one that says the text, or, without a text, until no error is left besides the given one.

        A file that nobody has looked at has no problems either; each of ours has one that stays.
        """
        self.open(step["file"])
        says, besides = step.get("says"), step.get("besides")

        def ask():
            head, *rows = self.list(" d")
            self.rest()
            found = [[SEVERITIES[row[3:].split()[0]], row[head.index("message") :]] for row in rows]
            is_right = any(says in one[1] for one in found) if says else not any(one[0] == 1 and one[1] != besides for one in found)
            return is_right and found

        found = self.wait("problems", ask)
        lines = [self.choose(" d", i, head=1)[3] for i in range(len(found))]
        return [[line - 1, *one] for line, one in zip(lines, found)]

    def action(self, step):
        self.go(step)
        self.send(" a")
        title = "Organize imports"
        is_there = lambda chosen: any(title in text and (is_chosen or not chosen) for (_, text), is_chosen in self.terminal.menu().items())
        self.wait("the action", lambda: is_there(False))
        self.wait("the chosen action", lambda: is_there(True) or self.send(NEXT))
        self.send(ENTER)
        self.wait("a change", lambda: (self.is_at_rest() or [False] * 3)[2])
        return self.text()

    def text(self):
        """The buffer as it is, which need not be what the disk has."""
        out = pathlib.Path(os.environ["HOME"], "text")
        out.unlink(missing_ok=True)
        self.send("%")
        self.command(f"pipe-to cat > {out}.new && mv {out}.new {out}")
        self.wait("the text", out.exists)
        return out.read_bytes().decode()

    def revert(self, step):
        self.open(step["file"])
        self.command("reload")
        self.wait("the file as it is on the disk", lambda: not (self.is_at_rest() or [True] * 3)[2])

    def rename(self, step):
        self.go(step)
        self.send(" r")
        self.wait("a question", lambda: any("rename-to:" in line for line in self.terminal.lines()[-2:]))
        self.send(ERASE_LINE + step["name"] + ENTER)
        self.wait("the new name", lambda: (self.is_at_rest() or [False] * 3)[2])
        self.command("write-all")

        def are_written():
            rows = self.list(" b")
            self.rest()
            return not any("+" in row for row in rows)

        self.wait("files that are written", are_written)

    def end(self):
        self.command("quit-all!")
        return self.terminal.end()


def main():
    folder, steps = sys.argv[1], json.loads(open(sys.argv[2]).read())
    editor = Editor(folder, sys.argv[sys.argv.index("--") + 1 :], steps["language"], steps["steps"][0]["file"])
    seen = []
    for step in steps["steps"]:
        try:
            seen.append(getattr(editor, step["do"])(step))
        except Exception as error:
            print(f"{step}: {error}", file=sys.stderr)
            raise
    ended = editor.end()
    assert ended == 0, f"Helix ended with {ended}"
    print(json.dumps({"seen": seen}))


main()
