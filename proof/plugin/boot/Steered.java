package boot;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * Does what standard input says, a command a line, each answered by a line that begins with {@code = } or {@code ! }:
 * {@code start}, {@code stop MILLIS}, {@code behave OP WHAT…}, {@code behave OP}, {@code event JSON}, {@code request JSON},
 * {@code figures}, {@code figure NAME}, {@code end}.
 */
final class Steered {
    private final Drive drive;
    /** The same at each start, so that settings stay. */
    private String config;
    private Loaded loaded;
    private long handle;

    Steered(Drive drive) {
        this.drive = drive;
    }

    String run() throws Exception {
        loaded = new Loaded(drive);
        config = drive.config();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int commands = 0;
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            commands++;
            String said;
            try {
                said = "= " + answer(line);
            } catch (Exception | AssertionError thrown) {
                said = "! " + thrown;
            }
            System.out.println(said.replace('\n', ' '));
            System.out.flush();
        }
        loaded.close();
        return commands + " commands";
    }

    private String answer(String line) throws Exception {
        String[] words = line.split(" ", 2);
        String rest = words.length > 1 ? words[1] : "";
        switch (words[0]) {
            case "start" -> {
                handle = loaded.start(config);
                return loaded.request(handle, "status");
            }
            case "stop" -> {
                long begun = System.nanoTime();
                loaded.stop(handle, Long.parseLong(rest));
                return String.valueOf((System.nanoTime() - begun) / 1_000_000);
            }
            case "behave" -> {
                String[] both = rest.split(" ", 2);
                loaded.plug.behave(both[0], both.length > 1 ? both[1] : null);
                return "";
            }
            case "event" -> {
                loaded.plug.event(handle, rest);
                return "";
            }
            case "request" -> {
                return loaded.plug.request(handle, rest);
            }
            case "figure" -> {
                return String.valueOf(loaded.plug.figure(rest));
            }
            case "figures" -> {
                return figures();
            }
            default -> throw new IllegalArgumentException("no such command: " + line);
        }
    }

    private String figures() throws Exception {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        long sockets = 0;
        long files = 0;
        try (var all = Files.list(Paths.get("/proc/self/fd"))) {
            for (Path descriptor : all.toList()) {
                try {
                    if (Files.readSymbolicLink(descriptor).toString().startsWith("socket:")) {
                        sockets++;
                    } else {
                        files++;
                    }
                } catch (java.io.IOException gone) {
                    // that of the listing itself
                }
            }
        }
        Plug plug = loaded.plug;
        return "{\"sockets\":" + sockets + ",\"files\":" + files + ",\"threads\":" + Drive.threads().size() + ",\"ours\":"
                + Drive.ourThreads().size() + ",\"memory\":" + Unloading.memory() + ",\"running\":" + plug.figure("running")
                + ",\"most\":" + plug.figure("most") + ",\"calls\":" + plug.figure("calls") + ",\"cancels\":"
                + plug.figure("cancels") + "}";
    }
}
