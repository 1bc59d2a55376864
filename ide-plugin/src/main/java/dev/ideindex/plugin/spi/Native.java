package dev.ideindex.plugin.spi;

/** The functions of the native library. {@code HOST.md} states their contract; {@link Core} is how the plugin calls them. */
final class Native {
    private Native() {}

    static native String version();

    static native long start(Host host, byte[] config);

    static native byte[] request(long handle, byte[] request);

    static native void notifyEvent(long handle, byte[] event);

    static native void stop(long handle, long deadlineMillis);
}
