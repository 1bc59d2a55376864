package dev.ideindex.plugin.spi;

/** An operation was not carried out. */
public final class HostException extends Exception {
    private static final long serialVersionUID = 1L;

    public static final String NO_PROJECT = "no_project";
    public static final String FILE_NOT_FOUND = "file_not_found";
    public static final String NO_SYMBOL = "no_symbol";
    public static final String INDEX_NOT_READY = "index_not_ready";
    public static final String READ_ONLY = "read_only";
    public static final String CONFLICT = "conflict";
    public static final String MODAL_DIALOG = "modal_dialog";
    public static final String UNSUPPORTED = "unsupported";
    public static final String CANCELLED = "cancelled";
    public static final String STALE = "stale";
    public static final String INTERNAL = "internal";

    private final String code;

    public HostException(String code, String message) {
        super(message);
        this.code = code;
    }

    public HostException(String code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** One of the constants above. */
    public String code() {
        return code;
    }
}
