package dev.ideindex.plugin.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;

/** Writes files as an IDE does: all or none, from the text that was expected. */
final class FakeEdits {
    private FakeEdits() {}

    static synchronized Map<String, Object> apply(Arguments arguments) throws HostException, IOException {
        for (Arguments change : arguments.objects("changes")) {
            Path path = Paths.get(change.text("path"));
            boolean exists = Files.exists(path);
            boolean isThere = !change.text("kind").equals("create");
            if (exists != isThere || isThere && !Files.readString(path).equals(change.text("before"))) {
                throw new HostException(HostException.CONFLICT, path + " is another by now");
            }
        }
        for (Arguments change : arguments.objects("changes")) {
            Path path = Paths.get(change.text("path"));
            switch (change.text("kind")) {
                case "write", "create" -> {
                    Files.createDirectories(path.getParent());
                    Files.writeString(path, change.text("text"));
                }
                case "delete" -> Files.delete(path);
                case "move" -> {
                    Path to = Paths.get(change.text("to"));
                    Files.createDirectories(to.getParent());
                    Files.writeString(to, change.text("text"));
                    Files.delete(path);
                }
                default -> throw new HostException(HostException.INTERNAL, "no such change");
            }
        }
        return Map.of();
    }
}
