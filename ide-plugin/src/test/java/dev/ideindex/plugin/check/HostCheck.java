package dev.ideindex.plugin.check;

import static dev.ideindex.plugin.asking.Checks.equal;
import static dev.ideindex.plugin.asking.Checks.same;
import static dev.ideindex.plugin.asking.Checks.that;

import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.application.ModalityState;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.project.DumbService;
import com.intellij.openapi.project.DumbServiceImpl;
import com.intellij.openapi.project.Project;
import dev.ideindex.plugin.asking.Asker;
import dev.ideindex.plugin.asking.Checks;
import dev.ideindex.plugin.platform.P183;
import dev.ideindex.plugin.psi.PsiHost;
import dev.ideindex.plugin.spi.HostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Every operation of the contract on the real platform. */
public final class HostCheck {
    private final Project project;
    private final PsiHost host;
    private final Asker asker;
    private final Checks checks = new Checks();

    private HostCheck(Project project) {
        this.project = project;
        this.host = new PsiHost(new P183(), (id, verdict, content) -> { });
        this.asker = new Asker(host::call, Path.of(project.getBasePath()));
    }

    /** Called by name through the plugin's class loader. */
    public static int run(Project project, String[] arguments) {
        HostCheck check = new HostCheck(project);
        check.about();
        check.relations();
        check.names();
        check.files();
        check.changes();
        check.editors();
        check.failures();
        check.threads();
        return check.checks.verdict();
    }

    private void about() {
        checks.check("capabilities name Java and the operations", () -> {
            Map<?, ?> answer = asker.ask("capabilities");
            equal(List.of("java"), answer.get("languages"));
            that(((List<?>) answer.get("ops")).contains("places"), "ops: " + answer.get("ops"));
        });
        checks.check("projects are listed with their roots", () -> {
            List<?> projects = (List<?>) asker.ask("projects.list").get("projects");
            equal(1, projects.size());
            Map<?, ?> one = (Map<?, ?>) projects.get(0);
            equal(project.getBasePath(), one.get("path"));
            equal(List.of(project.getBasePath()), one.get("roots"));
            equal(false, one.get("dumb"));
        });
        checks.check("the index is ready", () -> equal(false, asker.ask("index.status").get("dumb")));
        checks.check("every member is as this platform has it", () -> {
            List<String> bad = new java.util.ArrayList<>();
            for (Object member : (List<?>) asker.ask("selfcheck").get("members")) {
                Map<?, ?> fields = (Map<?, ?>) member;
                if (!Boolean.TRUE.equals(fields.get("ok")) && !KnownGaps.of183(fields.get("member").toString())) {
                    bad.add(fields.get("member") + ": " + fields.get("because"));
                }
            }
            equal(List.of(), bad);
        });
    }

    private void relations() {
        checks.check("definition of a method", () -> same(List.of("Shape.java:6:12"),
                asker.related("definition", "Till.java", "shape.|area")));
        checks.check("definition of a constructor", () -> same(List.of("Square.java:9:12"),
                asker.related("definition", "Square.java", "new |Square(1)")));
        checks.check("definition in the JDK", () -> {
            Map<?, ?> answer = asker.at("places", "Square.java", "static |List<", "relation", "definition");
            Map<?, ?> place = (Map<?, ?>) ((List<?>) answer.get("places")).get(0);
            that(place.get("path").toString().endsWith("!/java/util/List.class"), place.toString());
            Map<?, ?> library = asker.ask("library.read", "url", place.get("path"));
            String[] lines = library.get("text").toString().split("\n");
            int line = ((Number) place.get("line")).intValue();
            that(lines[line - 1].substring(((Number) place.get("column")).intValue() - 1).startsWith("List"), lines[line - 1]);
        });
        checks.check("references of an interface method", () -> same(
                List.of("Till.java:7:26", "Till.java:14:44", "Shape.java:9:27"),
                asker.related("references", "Shape.java", "double |area")));
        checks.check("references of a class", () -> same(List.of("Square.java:18:17", "Square.java:19:28", "Square.java:19:43",
                "Till.java:14:22", "Tile.java:3:20"), asker.related("references", "Square.java", "class |Square")));
        checks.check("implementations of a method, with a lambda", () -> same(
                List.of("Square.java:14:19", "Tile.java:9:19", "Till.java:13:22"),
                asker.related("implementations", "Shape.java", "double |area")));
        checks.check("references of an enum constant that has a body", () -> same(List.of("Mode.java:15:17"),
                asker.related("references", "Mode.java", "|ON {")));
        checks.check("direct subtypes only", () -> same(List.of("Square.java:6:14"),
                asker.related("subtypes", "Shape.java", "interface |Shape")));
        checks.check("supertypes", () -> same(List.of("Square.java:6:14"), asker.related("supertypes", "Tile.java", "class |Tile")));
        checks.check("super methods", () -> same(List.of("Square.java:14:19"),
                asker.related("superMethods", "Tile.java", "double |area")));
        checks.check("a cap cuts", () -> {
            Map<?, ?> answer = asker.at("places", "Square.java", "class |Square", "relation", "references", "cap", 2);
            equal(2, ((List<?>) answer.get("places")).size());
            equal(true, answer.get("cut"));
        });
        checks.check("callers", () -> same(List.of("total", "demo", "label"),
                names(asker.at("calls", "Shape.java", "double |area", "incoming", true).get("calls"))));
        checks.check("callees", () -> same(List.of("total", "some", "area", "Tile"),
                names(asker.at("calls", "Till.java", "double |demo", "incoming", false).get("calls"))));
    }

    private static TreeSet<String> names(Object list) {
        TreeSet<String> names = new TreeSet<>();
        for (Object one : (List<?>) list) {
            names.add(((Map<?, ?>) one).get("name").toString());
        }
        return names;
    }

    private void names() {
        checks.check("class search", () -> same(List.of("Square"),
                names(asker.ask("search", "pattern", "squ", "kind", "class", "limit", 10).get("symbols"))));
        checks.check("symbol search", () -> same(List.of("total"),
                names(asker.ask("search", "pattern", "tot", "kind", "symbol", "language", "java", "limit", 10).get("symbols"))));
        checks.check("file search", () -> same(List.of("Till.java", "Tile.java"),
                names(asker.ask("search", "pattern", "Ti", "kind", "file", "limit", 10).get("symbols"))));
        checks.check("symbol search of another language", () -> same(List.of(),
                names(asker.ask("search", "pattern", "tot", "kind", "symbol", "language", "kotlin", "limit", 10).get("symbols"))));
        checks.check("text search by word", () -> same(List.of("Till.java:18:9"), asker.places(asker.ask("text", "pattern", "missing",
                "regex", false, "caseSensitive", true, "wholeWord", true, "limit", 10).get("places"))));
        checks.check("text search by regular expression", () -> same(List.of("Till.java:19:15"), asker.places(asker.ask("text",
                "pattern", "untidy ?= ?\\d", "regex", true, "caseSensitive", true, "wholeWord", false, "limit", 10).get("places"))));
        checks.check("a broken regular expression is refused", () -> equal("unsupported", asker.error("text", "pattern", "(", "regex",
                true)));
    }

    private void files() {
        checks.check("outline", () -> {
            List<?> nodes = (List<?>) asker.ask("outline", "path", asker.path("Square.java")).get("nodes");
            Map<?, ?> type = (Map<?, ?>) nodes.get(0);
            equal("Square", type.get("name"));
            equal("class", type.get("kind"));
            same(List.of("Square", "area", "some", "side"), names(type.get("children")));
            equal("Square.java:6:14", asker.place(type.get("place")));
        });
        checks.check("documentation", () -> {
            String text = asker.at("describe", "Till.java", "shape.|area").get("markdown").toString();
            that(text.contains("double area()") && text.contains("The area in square units."), text);
        });
        checks.check("type of an expression", () -> equal("double", asker.at("type", "Till.java", "|sum +=").get("type")));
        checks.check("diagnostics of a closed file", () -> {
            Map<?, ?> answer = asker.ask("diagnostics", "path", asker.path("Till.java"), "text", asker.text("Till.java"));
            List<String> errors = new java.util.ArrayList<>();
            for (Object one : (List<?>) answer.get("diagnostics")) {
                Map<?, ?> fields = (Map<?, ?>) one;
                if ("error".equals(fields.get("severity"))) {
                    errors.add(asker.place(fields.get("place")) + " " + fields.get("message"));
                }
            }
            equal(List.of("Till.java:18:9 Cannot resolve method 'missing()'"), errors);
        });
        checks.check("diagnostics of another text are stale", () -> equal("stale",
                asker.error("diagnostics", "path", asker.path("Till.java"), "text", "class Till {}")));
        checks.check("completion", () -> {
            Map<?, ?> answer = asker.at("complete", "Till.java", "shape.a|rea", "limit", 10);
            Map<?, ?> first = (Map<?, ?>) ((List<?>) answer.get("items")).get(0);
            equal("area", first.get("label"));
            equal("method", first.get("kind"));
        });
        checks.check("formatting writes nothing", () -> {
            String before = asker.text("Till.java");
            String text = asker.ask("format", "path", asker.path("Till.java")).get("text").toString();
            equal(before.replace("int   untidy=1 ;", "int untidy = 1;"), text);
            equal(before, asker.text("Till.java"));
        });
        checks.check("imports are optimised and nothing is written", () -> {
            String before = asker.text("Square.java");
            String text = asker.ask("imports", "path", asker.path("Square.java")).get("text").toString();
            equal(before.replace("import java.util.ArrayList;\n", ""), text);
            equal(before, asker.text("Square.java"));
        });
        checks.check("rename plans every use and the overriders", () -> {
            Map<?, ?> answer = asker.at("rename", "Shape.java", "double |area", "newName", "extent");
            TreeSet<String> edits = new TreeSet<>();
            for (Object file : (List<?>) answer.get("edits")) {
                Map<?, ?> fields = (Map<?, ?>) file;
                for (Object edit : (List<?>) fields.get("edits")) {
                    Map<?, ?> one = (Map<?, ?>) edit;
                    equal("extent", one.get("text"));
                    edits.add(Path.of(fields.get("path").toString()).getFileName() + ":" + one.get("line") + ":" + one.get("column"));
                }
            }
            same(List.of("Shape.java:6:12", "Shape.java:9:27", "Square.java:14:19", "Tile.java:9:19", "Tile.java:10:22",
                    "Till.java:7:26", "Till.java:14:44", "Till.java:14:64"), edits);
            equal(List.of(), answer.get("conflicts"));
        });
        checks.check("rename finds a conflict", () -> that(!((List<?>) asker.at("rename", "Shape.java", "String |label", "newName",
                "area").get("conflicts")).isEmpty(), "no conflict"));
    }

    private void changes() {
        Changes changes = new Changes(asker);
        checks.check("a change of three files is one step, undone and redone", changes::undoAndRedo);
        checks.check("a change of what moved on is refused and writes nothing", changes::conflict);
        checks.check("create, move and delete", changes::createMoveDelete);
        checks.check("ends of lines stay", changes::lineEnds);
        checks.check("edits from outside are seen after a sync", changes::outside);
    }

    private void editors() {
        checks.check("a file is opened, selected, told and closed", () -> {
            asker.ask("editor.open", "path", asker.path("Tile.java"), "line", 3, "column", 7, "endLine", 3, "endColumn", 11, "focus",
                    true, "preview", false);
            Map<?, ?> state = (Map<?, ?>) ((List<?>) asker.ask("editor.state").get("editors")).get(0);
            equal(asker.path("Tile.java"), state.get("path"));
            equal("Tile", state.get("selectedText"));
            equal(true, state.get("active"));
            equal(false, state.get("dirty"));
            asker.ask("editor.save", "path", asker.path("Tile.java"));
            asker.ask("editor.close", "path", asker.path("Tile.java"));
            equal(List.of(), asker.ask("editor.state").get("editors"));
        });
        checks.check("a comment is shown and taken away", () -> {
            Object id = asker.ask("comment.add", "path", asker.path("Tile.java"), "line", 4, "text", "why 3?", "author", "agent")
                    .get("id");
            asker.ask("comment.remove", "id", id);
            asker.ask("editor.close", "path", asker.path("Tile.java"));
        });
        checks.check("without a screen a diff is unsupported", () -> equal("unsupported", asker.error("diff.open", "id", 1, "oldPath",
                asker.path("Tile.java"), "newPath", asker.path("Tile.java"), "proposal", "x", "by", "agent")));
    }

    private void failures() {
        checks.check("errors have their codes", () -> {
            equal("unsupported", asker.error("nonsense"));
            equal("file_not_found", asker.error("outline", "path", "/no/such/File.java"));
            equal("internal", asker.error("outline"));
            equal("stale", asker.error("places", "path", asker.path("Tile.java"), "line", 4000, "column", 1, "relation",
                    "definition"));
            equal("no_symbol", asker.error("places", "path", asker.path("Tile.java"), "line", 2, "column", 1, "relation",
                    "definition"));
            equal("no_symbol", asker.error("places", asker.arguments("Till.java", "|missing()", "relation", "definition")));
        });
        checks.check("a project that is not open", () -> {
            try {
                host.call(Asker.newCall(), "index.status", "{\"project\": \"/nowhere\"}".getBytes());
                throw new AssertionError("it answered");
            } catch (HostException e) {
                equal("no_project", e.code());
            }
        });
    }

    private void threads() {
        checks.check("while the IDE indexes, searches say so and the rest answers", () -> {
            onUi(() -> DumbServiceImpl.getInstance(project).setDumb(true));
            try {
                equal("index_not_ready", asker.error("places", asker.arguments("Shape.java", "double |area", "relation", "references")));
                equal(true, asker.ask("index.status").get("dumb"));
                that(!((List<?>) asker.ask("outline", "path", asker.path("Tile.java")).get("nodes")).isEmpty(), "no outline");
            } finally {
                onUi(() -> DumbServiceImpl.getInstance(project).setDumb(false));
            }
            that(!DumbService.isDumb(project), "still dumb");
        });
        checks.check("a cancelled read lets the UI thread write within 10 ms", this::cancelledRead);
        checks.check("a read gives way to a writer and begins again", this::givesWay);
        checks.check("a cancel that comes first ends the call", () -> {
            long call = Asker.newCall();
            host.cancel(call);
            try {
                asker.ask(call, "index.status");
                throw new AssertionError("it answered");
            } catch (HostException e) {
                equal("cancelled", e.code());
            }
        });
        checks.check("64 calls at once", () -> {
            List<CompletableFuture<TreeSet<String>>> calls = new java.util.ArrayList<>();
            for (int i = 0; i < 64; i++) {
                calls.add(CompletableFuture.supplyAsync(() -> {
                    try {
                        return asker.related("references", "Square.java", "class |Square");
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }));
            }
            for (CompletableFuture<TreeSet<String>> call : calls) {
                equal(5, call.get(30, TimeUnit.SECONDS).size());
            }
        });
    }

    /** A read that only ends by being cancelled. */
    private void cancelledRead() throws Exception {
        P183 platform = new P183();
        com.intellij.openapi.progress.EmptyProgressIndicator indicator = new com.intellij.openapi.progress.EmptyProgressIndicator();
        CountDownLatch spinning = new CountDownLatch(1);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread reader = new Thread(() -> {
            try {
                ApplicationManager.getApplication().runReadAction(() -> {
                    ProgressManager.getInstance().runProcess(() -> {
                        spinning.countDown();
                        while (true) {
                            ProgressManager.checkCanceled();
                        }
                    }, indicator);
                });
            } catch (Throwable e) {
                end.set(e);
            }
        });
        reader.start();
        spinning.await();
        long[] waited = new long[1];
        CompletableFuture<Void> written = new CompletableFuture<>();
        ApplicationManager.getApplication().invokeLater(() -> {
            long begun = System.nanoTime();
            ApplicationManager.getApplication().runWriteAction(() -> {
                waited[0] = System.nanoTime() - begun;
            });
            written.complete(null);
        }, ModalityState.NON_MODAL);
        long begun = System.nanoTime();
        indicator.cancel();
        written.get(20, TimeUnit.SECONDS);
        long took = System.nanoTime() - begun;
        reader.join();
        System.out.println("       the write lock came " + took / 1000 + " µs after the cancel");
        that(took < 10_000_000, "it took " + took / 1000 + " µs");
        that(platform != null && end.get() != null, "the read ended by itself");
    }

    /** The body runs until a writer interrupts it, and is through at its second try. */
    private void givesWay() throws Exception {
        P183 platform = new P183();
        CountDownLatch spinning = new CountDownLatch(1);
        int[] runs = new int[1];
        CompletableFuture<Long> written = new CompletableFuture<>();
        Thread writer = new Thread(() -> {
            try {
                spinning.await();
            } catch (InterruptedException e) {
                return;
            }
            ApplicationManager.getApplication().invokeLater(() -> {
                long begun = System.nanoTime();
                ApplicationManager.getApplication().runWriteAction(() -> { });
                written.complete(System.nanoTime() - begun);
            }, ModalityState.NON_MODAL);
        });
        writer.start();
        String result = platform.read(project, new com.intellij.openapi.progress.EmptyProgressIndicator(), () -> {
            runs[0]++;
            spinning.countDown();
            while (runs[0] == 1) {
                ProgressManager.checkCanceled();
            }
            return "done";
        });
        equal("done", result);
        equal(2, runs[0]);
        long took = written.get(20, TimeUnit.SECONDS);
        System.out.println("       the write lock came after " + took / 1000 + " µs");
        that(took < 10_000_000, "it took " + took / 1000 + " µs");
    }

    private static void onUi(Runnable body) {
        ApplicationManager.getApplication().invokeAndWait(body, ModalityState.NON_MODAL);
    }
}
