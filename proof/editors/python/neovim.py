"""Leads Neovim by its own interface, as a person does: commands of its language client, keys, buffers.

usage: neovim.py FOLDER STEPS -- SERVER...      prints the observations of the steps as one JSON list
"""

import json
import os
import sys
import time

import pynvim

DEADLINE = 20.0

START = """
local command, root, filetype = ...
vim.o.swapfile = false
vim.o.hidden = true
vim.o.completeopt = 'menuone,noinsert,noselect'
Client = nil
vim.api.nvim_create_autocmd('FileType', {
  pattern = filetype,
  callback = function(event)
    local id = vim.lsp.start({ name = 'ours', cmd = command, root_dir = root }, { bufnr = event.buf })
    Client = vim.lsp.get_client_by_id(id)
    vim.lsp.completion.enable(true, id, event.buf, { autotrigger = false })
  end,
})
"""

FLOAT = """
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then
    return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\\n')
  end
end
return ''
"""

CLOSE_FLOATS = """
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then vim.api.nvim_win_close(window, true) end
end
"""


class Editor:
    def __init__(self, folder, server, filetype):
        self.folder = os.path.realpath(folder)
        program = os.path.join(os.path.dirname(sys.executable), "nvim")
        self.nvim = pynvim.attach(
            "child", argv=[program, "--embed", "--headless", "-u", "NONE", "-i", "NONE", "--cmd", "filetype on"]
        )
        self.nvim.exec_lua(START, server, self.folder, filetype)

    def wait(self, what, ask):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            found = ask()
            if found:
                return found
            time.sleep(0.02)
        raise TimeoutError(f"{what}: nothing within {DEADLINE} s")

    def go(self, step):
        self.nvim.command("stopinsert")
        self.nvim.exec_lua(CLOSE_FLOATS)
        self.open(step)
        # Neovim counts columns in bytes.
        self.nvim.current.window.cursor = (step["line"] + 1, self.column(step))

    def column(self, step):
        line = self.nvim.current.buffer[step["line"]]
        return len(line.encode("utf-16-le")[: 2 * step["character"]].decode("utf-16-le").encode())

    def open(self, step):
        path = os.path.join(self.folder, step["file"])
        if self.nvim.current.buffer.name != path:
            self.nvim.command(f"edit {path}")
        self.wait("attached", lambda: self.nvim.exec_lua("return Client ~= nil and Client.initialized == true"))

    def here(self):
        # At once: a jump may come between two questions.
        name, (row, column) = self.nvim.exec_lua(
            "return {vim.api.nvim_buf_get_name(0), vim.api.nvim_win_get_cursor(0)}"
        )
        return self.place(name, row, column)

    def place(self, name, row, column):
        """A byte column of a file as the protocol counts it."""
        number = self.nvim.funcs.bufadd(name)
        self.nvim.funcs.bufload(number)
        line = self.nvim.buffers[number][row - 1]
        character = len(line.encode()[:column].decode().encode("utf-16-le")) // 2
        return f"{os.path.relpath(name, self.folder)}:{row - 1}:{character}"

    def hover(self, step):
        self.go(step)
        self.nvim.exec_lua("vim.lsp.buf.hover()")
        return self.wait("hover", lambda: self.nvim.exec_lua(FLOAT))

    def signature(self, step):
        self.go(step)
        self.nvim.exec_lua("vim.lsp.buf.signature_help()")
        return self.wait("signature", lambda: self.nvim.exec_lua(FLOAT))

    def definition(self, step):
        self.go(step)
        before = self.here()
        self.nvim.exec_lua("vim.lsp.buf.definition()")
        return [self.wait("definition", lambda: (self.here() != before) and self.here())]

    def references(self, step):
        self.go(step)
        self.nvim.funcs.setqflist([], "r")
        self.nvim.exec_lua("vim.lsp.buf.references()")
        found = self.wait("references", lambda: self.nvim.funcs.getqflist())
        self.nvim.command("cclose")
        name = lambda item: self.nvim.buffers[item["bufnr"]].name
        return [self.place(name(item), item["lnum"], item["col"] - 1) for item in found]

    def type(self, step):
        self.go(step)
        text = step["text"].split("\n")
        # The cursor cannot stand behind the end of a line, a text can.
        row, column = step["line"], self.column(step)
        self.nvim.api.buf_set_text(self.nvim.current.buffer, row, column, row, column, text)
        # Neovim holds changes of other buffers back for 150 ms.
        time.sleep(0.3)
        return None

    def complete(self, step):
        """The text is typed by keys, and the menu that opens is read."""
        self.type({**step, "text": step["text"][:-1]})
        self.go({**step, **after(step, step["text"][:-1])})
        self.nvim.input("a" + step["text"][-1])
        self.wait("insert mode", lambda: self.nvim.api.get_mode()["mode"] == "i")
        self.nvim.exec_lua("vim.lsp.completion.get()")
        items = self.wait("completion", lambda: self.nvim.funcs.complete_info(["items"])["items"])
        self.nvim.input("<C-e><Esc>")
        self.wait("normal mode", lambda: self.nvim.api.get_mode()["mode"] == "n")
        return [item["abbr"] or item["word"] for item in items]

    def problems(self, step):
        """Waits until there is one that says the text, or, without a text, until no error is left besides the given one."""
        self.open(step)
        says, besides = step.get("says"), step.get("besides")

        def ask():
            found = self.nvim.exec_lua("return vim.diagnostic.get(0)")
            if says is None:
                return not any(one["severity"] == 1 and one["message"] != besides for one in found) and (found or [None])
            return any(says in one["message"] for one in found) and found

        found = self.wait("problems", ask)
        if says is None:
            # An opened file has no problems until the answer comes.
            time.sleep(1.0)
            found = self.wait("problems", ask)
        return [[one["lnum"], one["severity"], one["message"]] for one in found if one]

    def action(self, step):
        self.go(step)
        before = self.text(step)
        options = {"apply": True, "context": {"only": [step["kind"]], "diagnostics": []}}
        self.nvim.exec_lua("vim.lsp.buf.code_action(...)", options)
        self.wait("action", lambda: self.text(step) != before)
        return self.text(step)

    def text(self, step):
        return "\n".join(self.nvim.current.buffer[:]) + "\n"

    def revert(self, step):
        self.open(step)
        self.nvim.command("edit!")
        return None

    def rename(self, step):
        self.go(step)
        self.nvim.exec_lua("vim.lsp.buf.rename(...)", step["name"])
        modified = "return #vim.fn.getbufinfo({bufmodified = 1})"
        self.wait("rename", lambda: self.nvim.exec_lua(modified) > 0)
        self.nvim.command("wall")
        return None


def after(step, text):
    """The place behind a text that was put at a place, with the cursor on its last character."""
    lines = text.split("\n")
    start = step["character"] if len(lines) == 1 else 0
    return {"line": step["line"] + len(lines) - 1, "character": max(start + len(lines[-1]) - 1, 0)}


def main():
    folder, steps = sys.argv[1], json.loads(open(sys.argv[2]).read())
    editor = Editor(folder, sys.argv[sys.argv.index("--") + 1 :], steps["language"])
    seen = []
    for step in steps["steps"]:
        try:
            seen.append(getattr(editor, step["do"])(step))
        except Exception as error:
            messages = editor.nvim.command_output("messages")
            print(f"{step}: {error}\n{messages}", file=sys.stderr)
            raise
    messages = editor.nvim.command_output("messages")
    editor.nvim.command("qall!", async_=True)
    print(json.dumps({"seen": seen, "messages": messages}))


main()
