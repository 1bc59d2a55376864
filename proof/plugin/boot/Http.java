package boot;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Calls tools without a library, on a connection of its own each time: no thread of it stays. */
final class Http {
    private final String url;

    Http(String url) {
        this.url = url;
    }

    /** The whole answer to a call of a tool. */
    String tool(String name, String arguments) throws IOException {
        HttpURLConnection connection = open(name, arguments);
        try (var in = connection.getResponseCode() < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            connection.disconnect();
        }
    }

    /** A connection on which the call was sent. */
    HttpURLConnection open(String name, String arguments) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        connection.setRequestProperty("Connection", "close");
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setRequestProperty("Accept", "application/json, text/event-stream");
        connection.setRequestProperty("MCP-Protocol-Version", "2025-06-18");
        String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" + name + "\",\"arguments\":"
                + arguments + "}}";
        connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        return connection;
    }
}
