package dev.ideindex.plugin.ide;

import java.util.Map;

/** What a person sees of the server: {@code light} is one of {@code running}, {@code starting}, {@code stopped} and {@code error}. */
public record ServerState(String light, String text, String url, String serverName) {
    static ServerState starting() {
        return new ServerState("starting", "Starting", null, null);
    }

    static ServerState stopped() {
        return new ServerState("stopped", "Stopped", null, null);
    }

    static ServerState failed(String because) {
        return new ServerState("error", because, null, null);
    }

    /** @param status the core's answer to {@code status} */
    static ServerState running(Map<?, ?> status) {
        return new ServerState("running", "Running", (String) status.get("url"), (String) status.get("serverName"));
    }
}
