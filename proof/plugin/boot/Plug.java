package boot;

/** A plugin as the process around it sees it: everything passes as text, for its classes are of another loader. */
public interface Plug {
    void load(String library);

    String version();

    long start(String config);

    String request(long handle, String request);

    void event(long handle, String event);

    void stop(long handle, long deadlineMillis);

    /** Has the host do something in calls of an operation: {@code throw …}, {@code null}, {@code sleep}, {@code answer …}, or nothing. */
    void behave(String op, String what);

    /** Figures of the host: {@code calls}, {@code cancels}, {@code running}, {@code most} at once. */
    long figure(String name);
}
