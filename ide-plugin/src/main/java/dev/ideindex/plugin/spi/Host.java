package dev.ideindex.plugin.spi;

/** Answers the questions of the native core. Both methods may be called from any thread, and at once. */
public interface Host {
    /**
     * Carries out an operation of {@code HOST.md}.
     *
     * @param callId names this call to {@link #cancel}; no two running calls share one
     * @param arguments a JSON object as UTF-8
     * @return a JSON object as UTF-8
     * @throws HostException with the code that the core understands; nothing else is thrown
     */
    byte[] call(long callId, String op, byte[] arguments) throws HostException;

    /** Asks a call to end soon. It may come before, during and after the call. */
    void cancel(long callId);
}
