package dev.ideindex.plugin.spi;

import boot.Plug;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The native methods as they are, without what the plugin puts around them. */
public final class NativePlug implements Plug {
    private final FakeHost host;

    public NativePlug(List<String> projects) {
        host = new FakeHost(projects);
    }

    @Override
    public void load(String library) {
        System.load(library);
    }

    @Override
    public String version() {
        return Native.version();
    }

    @Override
    public long start(String config) {
        return Native.start(config.equals("no host") ? null : host, config.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String request(long handle, String request) {
        return new String(Native.request(handle, request.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }

    @Override
    public void event(long handle, String event) {
        Native.notifyEvent(handle, event.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void stop(long handle, long deadlineMillis) {
        Native.stop(handle, deadlineMillis);
    }

    @Override
    public void behave(String op, String what) {
        host.behave(op, what);
    }

    @Override
    public long figure(String name) {
        return host.figure(name);
    }
}
