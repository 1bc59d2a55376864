package dev.ideindex.plugin.check;

import static dev.ideindex.plugin.asking.Checks.equal;
import static dev.ideindex.plugin.asking.Checks.that;

import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.application.ModalityState;
import com.intellij.openapi.command.undo.UndoManager;
import com.intellij.openapi.fileEditor.FileEditorManager;
import com.intellij.openapi.project.DumbServiceImpl;
import com.intellij.openapi.project.Project;
import dev.ideindex.plugin.asking.Checks;
import dev.ideindex.plugin.ide.NativeService;
import dev.ideindex.plugin.spi.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The whole way: an MCP client asks over HTTP, the native core asks the host, the platform answers. */
public final class McpCheck {
    private final Project project;
    private final Path root;
    private final String url;
    private final HttpClient client = HttpClient.newHttpClient();
    private final Checks checks = new Checks();
    private int lastId;

    private McpCheck(Project project, String url) {
        this.project = project;
        this.root = Path.of(project.getBasePath());
        this.url = url;
    }

    /** Called by name through the plugin's class loader. */
    public static int run(Project project, String[] arguments) throws Exception {
        Serve.url();
        NativeService.getInstance().request("op", "settings.set", "key", "enabled_tools", "value",
                List.of("ide_reformat_code", "ide_optimize_imports"));
        NativeService.getInstance().restart();
        Checks.eventually("the server stops", () -> !NativeService.getInstance().state().light().equals("running"));
        McpCheck check = new McpCheck(project, Serve.url());
        check.reads();
        check.writes();
        return check.checks.verdict();
    }

    private Map<?, ?> post(String method, Map<String, Object> parameters) throws Exception {
        byte[] body = Json.bytes(Json.object("jsonrpc", "2.0", "id", ++lastId, "method", method, "params", parameters));
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream").header("MCP-Protocol-Version", "2025-06-18")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)).build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        String text = answer.body();
        int data = text.lastIndexOf("data: ");
        String json = data < 0 ? text : text.substring(data + 6, text.indexOf('\n', data) < 0 ? text.length() : text.indexOf('\n', data));
        return (Map<?, ?>) Json.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    /** Everything that a tool answers, text and structure, as one text. */
    private String tool(String name, Object... arguments) throws Exception {
        Map<String, Object> fields = Json.object(arguments);
        fields.put("project_path", root.toString());
        Map<?, ?> answer = post("tools/call", Json.object("name", name, "arguments", fields));
        that(answer.get("result") != null, name + ": " + answer);
        return new String(Json.bytes(answer.get("result")), StandardCharsets.UTF_8);
    }

    private void has(String text, String... parts) {
        for (String part : parts) {
            that(text.contains(part), "no `" + part + "` in " + text);
        }
    }

    private void reads() {
        checks.check("MCP: the server says who it is", () -> has(post("initialize", Json.object("protocolVersion", "2025-06-18",
                "capabilities", Map.of(), "clientInfo", Json.object("name", "check", "version", "1"))).toString(), "serverInfo"));
        checks.check("MCP: definition", () -> has(tool("ide_find_definition", "file", "src/shop/Till.java", "line", 7, "column", 26),
                "src/shop/Shape.java", "6"));
        checks.check("MCP: references", () -> has(tool("ide_find_references", "file", "src/shop/Square.java", "line", 6, "column", 14),
                "src/shop/Tile.java", "src/shop/Till.java"));
        checks.check("MCP: implementations", () -> has(tool("ide_find_implementations", "file", "src/shop/Shape.java", "line", 6,
                "column", 12), "src/shop/Square.java", "src/shop/Tile.java"));
        checks.check("MCP: super methods", () -> has(tool("ide_find_super_methods", "file", "src/shop/Tile.java", "line", 9, "column",
                19), "src/shop/Square.java"));
        checks.check("MCP: type hierarchy", () -> has(tool("ide_type_hierarchy", "file", "src/shop/Square.java", "line", 6, "column",
                14), "Shape", "Tile"));
        checks.check("MCP: call hierarchy", () -> has(tool("ide_call_hierarchy", "file", "src/shop/Shape.java", "line", 6, "column", 12,
                "direction", "callers"), "total"));
        checks.check("MCP: symbols", () -> has(tool("ide_find_symbol", "query", "total"), "src/shop/Till.java"));
        checks.check("MCP: classes", () -> has(tool("ide_find_class", "query", "Squ"), "src/shop/Square.java"));
        checks.check("MCP: files", () -> has(tool("ide_find_file", "query", "Till"), "src/shop/Till.java"));
        checks.check("MCP: text", () -> has(tool("ide_search_text", "query", "missing"), "src/shop/Till.java"));
        checks.check("MCP: structure", () -> has(tool("ide_file_structure", "file", "src/shop/Square.java"), "area", "side"));
        problems();
        checks.check("MCP: while the IDE indexes the index answers", () -> {
            onUi(() -> DumbServiceImpl.getInstance(project).setDumb(true));
            try {
                has(tool("ide_find_references", "file", "src/shop/Square.java", "line", 6, "column", 14), "src/shop/Tile.java");
            } finally {
                onUi(() -> DumbServiceImpl.getInstance(project).setDumb(false));
            }
        });
    }

    private void problems() {
        checks.check("MCP: diagnostics, of the index and of the IDE", () -> has(tool("ide_diagnostics", "file", "src/shop/Till.java"),
                "\"analysisMode\":\"embedded+ide\"", "missing"));
    }

    private void writes() {
        checks.check("MCP: rename, seen by the IDE, undone", () -> {
            String before = Files.readString(root.resolve("src/shop/Till.java"));
            has(tool("ide_refactor_rename", "file", "src/shop/Till.java", "line", 4, "column", 12, "newName", "sum"), "Till.java");
            String after = Files.readString(root.resolve("src/shop/Till.java"));
            has(after, "double sum(", "return sum(");
            tool("ide_undo");
            equal(before, Files.readString(root.resolve("src/shop/Till.java")));
        });
        checks.check("MCP: an edit from outside is seen", () -> {
            Files.writeString(root.resolve("src/shop/Extra.java"), "package shop;\n\nclass Extra extends Square {\n    Extra() { super(1); }\n}\n");
            has(tool("ide_type_hierarchy", "file", "src/shop/Square.java", "line", 6, "column", 14), "Extra");
            Files.delete(root.resolve("src/shop/Extra.java"));
            that(!tool("ide_type_hierarchy", "file", "src/shop/Square.java", "line", 6, "column", 14).contains("Extra"), "it is still there");
        });
        refactorings();
        checks.check("MCP: a change is one step of the IDE's own undo", () -> {
            tool("ide_refactor_rename", "file", "src/shop/Till.java", "line", 4, "column", 12, "newName", "sum");
            boolean[] available = new boolean[1];
            onUi(() -> {
                FileEditorManager.getInstance(project);
                available[0] = UndoManager.getInstance(project).isUndoAvailable(null);
            });
            tool("ide_undo");
            that(available[0], "the IDE knows nothing of the change");
        });
        checks.check("MCP: a file is opened", () -> {
            tool("ide_open_file", "file", "src/shop/Tile.java", "line", 9);
            int[] open = new int[1];
            onUi(() -> open[0] = FileEditorManager.getInstance(project).getOpenFiles().length);
            equal(1, open[0]);
        });
        checks.check("MCP: the tools of this list are there", () -> {
            Map<?, ?> listed = (Map<?, ?>) post("tools/list", Json.object()).get("result");
            that(((List<?>) listed.get("tools")).size() > 10, listed.toString());
        });
    }

    private void refactorings() {
        checks.check("MCP: move a file, undone", () -> {
            tool("ide_move_file", "file", "src/shop/Mode.java", "destination", "src/shop/floor/Mode.java");
            that(Files.readString(root.resolve("src/shop/floor/Mode.java")).startsWith("package shop.floor;"), "the package stayed");
            that(!Files.exists(root.resolve("src/shop/Mode.java")), "the old file stayed");
            tool("ide_undo");
            that(Files.readString(root.resolve("src/shop/Mode.java")).startsWith("package shop;"), "the file did not come back");
        });
        checks.check("MCP: safe delete of what is used is refused", () -> {
            has(tool("ide_refactor_safe_delete", "file", "src/shop/Square.java", "line", 6, "column", 14), "Tile.java");
            that(Files.exists(root.resolve("src/shop/Square.java")), "it was deleted");
        });
        checks.check("MCP: safe delete, undone", () -> {
            String before = Files.readString(root.resolve("src/shop/Till.java"));
            tool("ide_refactor_safe_delete", "file", "src/shop/Till.java", "line", 12, "column", 12);
            that(!Files.readString(root.resolve("src/shop/Till.java")).contains("demo"), "it is still there");
            tool("ide_undo");
            equal(before, Files.readString(root.resolve("src/shop/Till.java")));
        });
        checks.check("MCP: optimise imports, undone", () -> {
            String before = Files.readString(root.resolve("src/shop/Square.java"));
            tool("ide_optimize_imports", "file", "src/shop/Square.java");
            equal(before.replace("import java.util.ArrayList;\n", ""), Files.readString(root.resolve("src/shop/Square.java")));
            tool("ide_undo");
            equal(before, Files.readString(root.resolve("src/shop/Square.java")));
        });
        checks.check("MCP: reformat, undone", () -> {
            String before = Files.readString(root.resolve("src/shop/Till.java"));
            tool("ide_reformat_code", "file", "src/shop/Till.java");
            equal(before.replace("int   untidy=1 ;", "int untidy = 1;"), Files.readString(root.resolve("src/shop/Till.java")));
            tool("ide_undo");
            equal(before, Files.readString(root.resolve("src/shop/Till.java")));
        });
    }

    private static void onUi(Runnable body) {
        ApplicationManager.getApplication().invokeAndWait(body, ModalityState.NON_MODAL);
    }
}
