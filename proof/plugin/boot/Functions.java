package boot;

import static boot.Drive.expect;
import static boot.Drive.thrownBy;

import java.net.ServerSocket;

/** The native functions one by one: what they give, and that everything wrong is an exception with a reason. */
final class Functions {
    private final Drive drive;

    Functions(Drive drive) {
        this.drive = drive;
    }

    String run() throws Exception {
        try (Loaded loaded = new Loaded(drive)) {
            Plug plug = loaded.plug;
            expect(plug.version().matches("\\d+\\.\\d+\\.\\d+.*"), plug.version());
            wrongStarts(loaded);
            for (long handle : new long[] {0, -1, 4711, Long.MAX_VALUE}) {
                stale(loaded, handle);
            }
            long handle = loaded.start();
            String status = loaded.request(handle, "status");
            expect(status.contains(drive.project.toString()) && status.contains("intellij-index"), status);
            expect(loaded.request(handle, "dashboard").contains("/dashboard/login?key="), "a link to the dashboard");
            expect(loaded.request(handle, "history").contains("\"calls\""), "the history");
            settings(loaded, handle);
            expect(thrownBy(() -> loaded.request(handle, "nonsense")).contains("nonsense"), "an unknown request");
            expect(thrownBy(() -> plug.request(handle, "no JSON")).contains("JSON"), "a request that is no JSON");
            projects(loaded, handle);
            loaded.stop(handle);
            stale(loaded, handle);
            expect(Drive.ourThreads().isEmpty(), "threads are left: " + Drive.ourThreads());
            return "starts, requests, events and stops do what is written";
        }
    }

    private void wrongStarts(Loaded loaded) throws Exception {
        Plug plug = loaded.plug;
        expect(thrownBy(() -> plug.start("no host")).contains("host"), "no host");
        expect(thrownBy(() -> plug.start("[")).contains("JSON"), "a configuration that is no JSON");
        try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            String config = drive.config().replace("\"port\":0", "\"port\":" + taken.getLocalPort());
            String why = thrownBy(() -> Loaded.onShortThread(() -> plug.start(config)));
            expect(why.contains("taken") && why.contains(String.valueOf(taken.getLocalPort())), why);
        }
        String far = drive.config().replace("127.0.0.1", "0.0.0.0");
        expect(thrownBy(() -> Loaded.onShortThread(() -> plug.start(far))).contains("loopback"), "an open address");
        String tooHigh = drive.config().replace("\"port\":0", "\"port\":70000");
        expect(thrownBy(() -> Loaded.onShortThread(() -> plug.start(tooHigh))).contains("70000"), "a port that is none");
    }

    private static void stale(Loaded loaded, long handle) {
        String number = String.valueOf(handle);
        expect(thrownBy(() -> loaded.request(handle, "status")).contains(number), "a stale request");
        expect(thrownBy(() -> {
            loaded.plug.event(handle, "{\"event\":\"smart\"}");
            return null;
        }).contains(number), "a stale event");
        expect(thrownBy(() -> {
            loaded.stop(handle);
            return null;
        }).contains(number), "a stale stop");
    }

    private static void settings(Loaded loaded, long handle) {
        String set = loaded.plug.request(handle, "{\"op\":\"settings.set\",\"key\":\"max_response_chars\",\"value\":12345}");
        expect(set.contains("12345") && set.contains("\"holds\":true"), set);
        String now = loaded.request(handle, "settings");
        expect(now.contains("settings.toml") && now.contains("12345") && !now.contains("10000"), "it holds at once: " + now);
        String later = loaded.plug.request(handle, "{\"op\":\"settings.set\",\"key\":\"port\",\"value\":1}");
        expect(later.contains("\"holds\":false"), "a port needs another start: " + later);
        loaded.plug.request(handle, "{\"op\":\"settings.set\",\"key\":\"port\",\"value\":null}");
        String why = thrownBy(() -> loaded.plug.request(handle, "{\"op\":\"settings.set\",\"key\":\"prot\",\"value\":1}"));
        expect(why.contains("port"), why);
        loaded.plug.request(handle, "{\"op\":\"settings.set\",\"key\":\"max_response_chars\",\"value\":null}");
    }

    private void projects(Loaded loaded, long handle) throws Exception {
        String other = drive.state.resolve("another 𝒳").toString();
        java.nio.file.Files.createDirectories(java.nio.file.Path.of(other));
        loaded.plug.event(handle, "{\"event\":\"projectOpened\",\"path\":" + Drive.quoted(other) + "}");
        Drive.await(() -> loaded.request(handle, "status").contains("another 𝒳"), "a project was opened");
        loaded.plug.event(handle, "{\"event\":\"projectClosed\",\"path\":" + Drive.quoted(other) + "}");
        Drive.await(() -> !loaded.request(handle, "status").contains("another 𝒳"), "a project was closed");
        loaded.plug.event(handle, "{\"event\":\"somethingNew\"}");
    }
}
