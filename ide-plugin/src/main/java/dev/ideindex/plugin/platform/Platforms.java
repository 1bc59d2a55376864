package dev.ideindex.plugin.platform;

import dev.ideindex.plugin.spi.HostException;

/** Chooses how to touch the IDE that runs now. */
public final class Platforms {
    /** Came with the interface that {@link Modern} is written against. */
    private static final String MARKER = "com.intellij.openapi.startup.ProjectActivity";
    /** Brought by tests only. */
    private static final String OLD = "dev.ideindex.plugin.platform.P183";

    private Platforms() {}

    /** @throws HostException {@code unsupported} in an IDE that is too old */
    public static Platform choose() throws HostException {
        ClassLoader loader = Platforms.class.getClassLoader();
        try {
            Class.forName(MARKER, false, loader);
            return new Modern();
        } catch (ClassNotFoundException | LinkageError tooOld) {
            try {
                return (Platform) Class.forName(OLD, true, loader).getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException | LinkageError e) {
                throw new HostException(HostException.UNSUPPORTED, "this IDE is too old: 2024.3 is the first", e);
            }
        }
    }
}
