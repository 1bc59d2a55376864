package dev.ideindex.plugin.archive;

import static dev.ideindex.plugin.asking.Checks.equal;
import static dev.ideindex.plugin.asking.Checks.that;

import com.jetbrains.plugin.structure.base.plugin.PluginCreationFail;
import com.jetbrains.plugin.structure.base.plugin.PluginCreationResult;
import com.jetbrains.plugin.structure.base.plugin.PluginCreationSuccess;
import com.jetbrains.plugin.structure.intellij.plugin.IdePlugin;
import com.jetbrains.plugin.structure.intellij.plugin.IdePluginManager;
import dev.ideindex.plugin.asking.Checks;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The archive as the Marketplace would look at it: by JetBrains' own library, by what its descriptors name, and signed.
 * {@code ArchiveCheck ARCHIVE WORK_FOLDER SIGNER_JAR}.
 */
public final class ArchiveCheck {
    private static final Pattern CLASS = Pattern.compile("\"(dev\\.ideindex\\.[\\w.$]+)\"");
    private static final Pattern CONFIG = Pattern.compile("config-file=\"([^\"]+)\"");

    private final Path archive;
    private final Path work;
    private final Path signer;

    private ArchiveCheck(Path archive, Path work, Path signer) {
        this.archive = archive.toAbsolutePath();
        this.work = work.toAbsolutePath();
        this.signer = signer.toAbsolutePath();
    }

    public static void main(String[] arguments) {
        ArchiveCheck check = new ArchiveCheck(Path.of(arguments[0]), Path.of(arguments[1]), Path.of(arguments[2]));
        Checks checks = new Checks();
        checks.check("JetBrains' library finds nothing wrong", check::structure);
        checks.check("JetBrains' library refuses a broken descriptor", check::broken);
        checks.check("descriptors name classes and files that are there", check::names);
        checks.check("class files are those of Java 17", check::classVersions);
        checks.check("the archive is signed and verified; a changed one is not", check::signed);
        System.exit(checks.verdict());
    }

    private void structure() {
        PluginCreationResult<IdePlugin> result = IdePluginManager.createManager().createPlugin(archive);
        if (result instanceof PluginCreationFail<?> fail) {
            throw new AssertionError(fail.getErrorsAndWarnings().toString());
        }
        PluginCreationSuccess<IdePlugin> success = (PluginCreationSuccess<IdePlugin>) result;
        equal(List.of(), success.getWarnings());
        equal(List.of(), success.getUnacceptableWarnings());
        IdePlugin plugin = success.getPlugin();
        equal("dev.ideindex.plugin", plugin.getPluginId());
        that(plugin.getSinceBuild().asString().startsWith("243"), "since " + plugin.getSinceBuild());
        equal(null, plugin.getUntilBuild());
    }

    private void broken() throws IOException {
        Path folder = Files.createDirectories(work.resolve("broken/lib"));
        Path classes = Files.createDirectories(work.resolve("broken-classes/META-INF"));
        Files.writeString(classes.resolve("plugin.xml"), "<idea-plugin><id>x</id><name>x</name></idea-plugin>");
        run(List.of("jar", "--create", "--file", folder.resolve("x.jar").toString(), "-C", classes.getParent().toString(), "."), true);
        PluginCreationResult<IdePlugin> result = IdePluginManager.createManager().createPlugin(folder.getParent());
        that(result instanceof PluginCreationFail, "it was taken");
    }

    /** The jar inside of the archive, unpacked to a file. */
    private ZipFile jar() throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            ZipEntry entry = zip.getEntry("ide-index-mcp/lib/ide-index-mcp.jar");
            that(entry != null, "the archive has no jar");
            Path copy = work.resolve("inside.jar");
            Files.write(copy, zip.getInputStream(entry).readAllBytes());
            return new ZipFile(copy.toFile());
        }
    }

    private static String text(ZipFile jar, String name) throws IOException {
        ZipEntry entry = jar.getEntry(name);
        that(entry != null, "the jar has no " + name);
        return new String(jar.getInputStream(entry).readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }

    private void names() throws IOException {
        try (ZipFile jar = jar()) {
            String descriptor = text(jar, "META-INF/plugin.xml");
            StringBuilder all = new StringBuilder(descriptor);
            Set<String> files = new TreeSet<>();
            for (Matcher config = CONFIG.matcher(descriptor); config.find();) {
                that(files.add(config.group(1)), config.group(1) + " stands twice");
                all.append(text(jar, "META-INF/" + config.group(1)));
            }
            int classes = 0;
            for (Matcher name = CLASS.matcher(all); name.find();) {
                if (Character.isUpperCase(name.group(1).charAt(name.group(1).lastIndexOf('.') + 1))) {
                    that(jar.getEntry(name.group(1).replace('.', '/') + ".class") != null, "there is no " + name.group(1));
                    classes++;
                }
            }
            that(classes > 8, "only " + classes + " classes were found");
            that(jar.getEntry("icons/mcpServer.svg") != null, "the icon is missing");
        }
    }

    private void classVersions() throws IOException {
        try (ZipFile jar = jar()) {
            for (ZipEntry entry : jar.stream().filter(e -> e.getName().endsWith(".class")).toList()) {
                byte[] head = jar.getInputStream(entry).readNBytes(8);
                equal(61, head[7] & 0xFF);
                that(entry.getName().startsWith("dev/ideindex/plugin/"), entry.getName() + " is not ours");
            }
        }
    }

    private void signed() throws IOException {
        Path key = work.resolve("key.pem");
        Path certificate = work.resolve("certificate.pem");
        run(List.of("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test", "-keyout",
                key.toString(), "-out", certificate.toString()), true);
        Path signedArchive = work.resolve("signed.zip");
        Files.deleteIfExists(signedArchive);
        run(signer("sign", "-in", archive.toString(), "-out", signedArchive.toString(), "-cert-file", certificate.toString(),
                "-key-file", key.toString()), true);
        run(signer("verify", "-in", signedArchive.toString(), "-cert", certificate.toString()), true);
        byte[] bytes = Files.readAllBytes(signedArchive);
        bytes[bytes.length / 2] ^= 1;
        Path changed = work.resolve("changed.zip");
        Files.write(changed, bytes);
        run(signer("verify", "-in", changed.toString(), "-cert", certificate.toString()), false);
    }

    private List<String> signer(String... arguments) {
        List<String> command = new ArrayList<>(List.of("java", "-jar", signer.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    private void run(List<String> command, boolean expected) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).directory(new File(work.toString())).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        try {
            that((process.waitFor() == 0) == expected, command + " ended with " + process.exitValue() + ": " + output);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
