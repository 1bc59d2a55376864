package dev.ideindex.plugin.spi;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Loads the library of this machine from the folder of the plugin.
 *
 * <p>A JVM loads a file for one class loader only, and Windows locks a loaded one. So every load is of a fresh copy below a
 * folder of the IDE, and copies of processes that ended are removed at the next start.
 */
public final class NativeLibrary {
    /** Lines of {@code SHA-256  folder/file}, written by the build into the jar. */
    static final String CHECKSUMS = "/META-INF/native.sha256";

    private NativeLibrary() {}

    /** {@code linux-x86_64}, {@code macos-arm64}, …: a folder of {@code native/} in the plugin. */
    public static String target() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        String system = os.startsWith("windows") ? "windows" : os.startsWith("mac") ? "macos" : "linux";
        String processor = arch.equals("aarch64") || arch.equals("arm64") ? "arm64" : "x86_64";
        return system + "-" + processor;
    }

    static String fileName(String target) {
        return target.startsWith("windows") ? "ide_plugin_jni.dll"
                : target.startsWith("macos") ? "libide_plugin_jni.dylib" : "libide_plugin_jni.so";
    }

    /**
     * @param plugin the folder that has {@code native/}
     * @param copies a folder for copies that only this plugin uses
     * @throws HostException {@code unsupported} when there is no library for this machine; {@code internal} when it is not
     *     the file that was built, or does not load
     */
    public static void load(Path plugin, Path copies) throws HostException {
        String target = target();
        Path library = plugin.resolve("native").resolve(target).resolve(fileName(target));
        if (!Files.isRegularFile(library)) {
            throw new HostException(HostException.UNSUPPORTED, "there is no native library for " + target);
        }
        try {
            byte[] bytes = Files.readAllBytes(library);
            verify(target + "/" + fileName(target), bytes);
            Files.createDirectories(copies);
            removeOld(copies);
            Path folder = Files.createTempDirectory(copies, ProcessHandle.current().pid() + "-");
            Path copy = folder.resolve(fileName(target));
            Files.write(copy, bytes);
            System.load(copy.toAbsolutePath().toString());
        } catch (IOException | LinkageError | RuntimeException e) {
            throw new HostException(HostException.INTERNAL, "the native library does not load: " + e.getMessage(), e);
        }
    }

    /** A plugin that was built without the list, as developers do, is taken as it is. */
    private static void verify(String name, byte[] bytes) throws IOException, HostException {
        String sum = sum(bytes);
        try (InputStream in = NativeLibrary.class.getResourceAsStream(CHECKSUMS)) {
            if (in == null) {
                return;
            }
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                String[] parts = line.trim().split("\\s+", 2);
                if (parts.length == 2 && parts[1].equals(name) && parts[0].equalsIgnoreCase(sum)) {
                    return;
                }
            }
        }
        throw new HostException(HostException.INTERNAL, "native/" + name + " is not the file that was built with this plugin");
    }

    static String sum(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Folders begin with the number of their process; a process that has it now, and began before the copy, may use it. */
    private static void removeOld(Path copies) throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(copies)) {
            for (Path folder : folders) {
                if (!isUsed(folder)) {
                    removeQuietly(folder);
                }
            }
        }
    }

    private static boolean isUsed(Path folder) throws IOException {
        String pid = folder.getFileName().toString().split("-")[0];
        if (!pid.matches("\\d{1,18}")) {
            return true;
        }
        FileTime made = Files.getLastModifiedTime(folder);
        return ProcessHandle.of(Long.parseLong(pid))
                .map(p -> p.info().startInstant().map(begun -> begun.isBefore(made.toInstant())).orElse(true))
                .orElse(false);
    }

    private static void removeQuietly(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            // The next start tries again.
        }
    }
}
