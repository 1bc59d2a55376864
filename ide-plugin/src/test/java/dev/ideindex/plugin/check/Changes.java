package dev.ideindex.plugin.check;

import static dev.ideindex.plugin.asking.Checks.equal;
import static dev.ideindex.plugin.asking.Checks.same;
import static dev.ideindex.plugin.asking.Checks.that;

import dev.ideindex.plugin.asking.Asker;
import dev.ideindex.plugin.asking.Checks;
import dev.ideindex.plugin.spi.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Checks of what writes. Each leaves the project as it found it. */
final class Changes {
    private final Asker asker;

    Changes(Asker asker) {
        this.asker = asker;
    }

    void undoAndRedo() throws Exception {
        String shape = asker.text("Shape.java");
        String till = asker.text("Till.java");
        Map<String, Object> first = write("Shape.java", shape, shape.replace("label()", "title()"));
        Map<String, Object> second = write("Till.java", till, till.replace("demo()", "show()"));
        Map<String, Object> third = Json.object("kind", "create", "path", asker.path("Note.java"), "text", "package shop;\n\nclass Note {\n}\n");
        asker.ask("edit.apply", "title", "Rename label", "changes", List.of(first, second, third));
        that(asker.text("Shape.java").contains("title()") && asker.text("Till.java").contains("show()"), "nothing was written");
        that(asker.exists("Note.java"), "nothing was created");
        same(List.of("title", "area"), outline("Shape.java"));
        equal("conflict", asker.error("edit.undo", "path", asker.path("Shape.java"), "title", "Another title"));
        asker.ask("edit.undo", "path", asker.path("Shape.java"), "title", "Rename label");
        equal(shape, asker.text("Shape.java"));
        equal(till, asker.text("Till.java"));
        that(!asker.exists("Note.java"), "the new file stayed");
        asker.ask("edit.redo", "path", asker.path("Till.java"), "title", "Rename label");
        that(asker.text("Shape.java").contains("title()") && asker.exists("Note.java"), "nothing was done again");
        asker.ask("edit.undo", "path", asker.path("Till.java"), "title", "Rename label");
        equal(shape, asker.text("Shape.java"));
        equal(till, asker.text("Till.java"));
    }

    void conflict() throws Exception {
        String shape = asker.text("Shape.java");
        String till = asker.text("Till.java");
        equal("conflict", asker.error("edit.apply", "title", "x", "changes",
                List.of(write("Shape.java", shape, "class Shape {}"), write("Till.java", till + "\n", "class Till {}"))));
        equal(shape, asker.text("Shape.java"));
        equal(till, asker.text("Till.java"));
    }

    void createMoveDelete() throws Exception {
        asker.ask("edit.apply", "title", "Create", "changes", List.of(Json.object("kind", "create", "path",
                asker.path("src/shop/deep/New.java"), "text", "package shop.deep;\n\nclass New {\n}\n")));
        String moved = "package shop;\n\nclass Newer {\n}\n";
        asker.ask("edit.apply", "title", "Move", "changes", List.of(Json.object("kind", "move", "path",
                asker.path("src/shop/deep/New.java"), "to", asker.path("Newer.java"), "before",
                "package shop.deep;\n\nclass New {\n}\n", "text", moved)));
        equal(moved, asker.text("Newer.java"));
        that(!asker.exists("src/shop/deep/New.java"), "the old file stayed");
        same(List.of("Newer"), outline("Newer.java"));
        asker.ask("edit.apply", "title", "Delete", "changes", List.of(Json.object("kind", "delete", "path",
                asker.path("Newer.java"), "before", moved)));
        that(!asker.exists("Newer.java"), "the file stayed");
        asker.ask("edit.undo", "path", asker.path("Newer.java"), "title", "Delete");
        equal(moved, asker.text("Newer.java"));
        asker.ask("edit.redo", "path", asker.path("Newer.java"), "title", "Delete");
        that(!asker.exists("Newer.java"), "the file stayed");
    }

    void lineEnds() throws Exception {
        String before = "package shop;\r\n\r\nclass Dos {\r\n}\r\n";
        asker.write("Dos.java", before);
        asker.ask("sync", "paths", List.of(asker.path("Dos.java")));
        asker.ask("edit.apply", "title", "Dos", "changes", List.of(write("Dos.java", before, before.replace("Dos", "Os"))));
        equal(before.replace("Dos", "Os"), asker.text("Dos.java"));
        String mixed = "package shop;\n\r\nclass Os {\r\n}\n";
        asker.ask("edit.apply", "title", "Mixed", "changes", List.of(write("Dos.java", before.replace("Dos", "Os"), mixed)));
        equal(mixed, asker.text("Dos.java"));
        asker.ask("edit.apply", "title", "Clean", "changes",
                List.of(Json.object("kind", "delete", "path", asker.path("Dos.java"), "before", mixed)));
    }

    void outside() throws Exception {
        String text = "package shop;\n\nclass Outside extends Square {\n    Outside() { super(1); }\n}\n";
        asker.write("Outside.java", text);
        asker.ask("sync", "paths", List.of(asker.path("Outside.java")));
        that(asker.related("subtypes", "Square.java", "class |Square").contains("Outside.java:3:7"), "it was not seen");
        asker.write("Outside.java", text.replace("extends Square", "").replace("super(1);", ""));
        asker.ask("sync", "paths", List.of(asker.path("Outside.java")));
        same(List.of("Tile.java:3:7"), asker.related("subtypes", "Square.java", "class |Square"));
        asker.ask("edit.apply", "title", "Clean", "changes", List.of(Json.object("kind", "delete", "path",
                asker.path("Outside.java"), "before", asker.text("Outside.java"))));
    }

    private Map<String, Object> write(String file, String before, String text) {
        return Json.object("kind", "write", "path", asker.path(file), "before", before, "text", text);
    }

    private TreeSet<String> outline(String file) throws Exception {
        TreeSet<String> names = new TreeSet<>();
        List<?> nodes = (List<?>) asker.ask("outline", "path", asker.path(file)).get("nodes");
        Map<?, ?> type = (Map<?, ?>) nodes.get(0);
        List<?> members = (List<?>) type.get("children");
        for (Object member : members.isEmpty() ? nodes : members) {
            names.add(((Map<?, ?>) member).get("name").toString());
        }
        return names;
    }
}
