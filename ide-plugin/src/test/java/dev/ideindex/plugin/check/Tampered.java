package dev.ideindex.plugin.check;

import com.intellij.openapi.project.Project;
import dev.ideindex.plugin.asking.Checks;
import dev.ideindex.plugin.ide.NativeService;
import java.nio.file.Files;
import java.nio.file.Path;

/** The plugin beside a native library that is not the one that was built with it. */
public final class Tampered {
    private Tampered() {}

    /** Called by name through the plugin's class loader. */
    public static int run(Project project, String[] arguments) {
        Checks checks = new Checks();
        checks.check("a library that was changed is refused, and the panel says so", () -> {
            Checks.eventually("an error is shown", () -> NativeService.getInstance().state().light().equals("error"));
            String told = NativeService.getInstance().state().text();
            Checks.that(told.contains("is not the file that was built with this plugin"), told);
        });
        checks.check("a library that was changed is not loaded", () -> {
            String mapped = Files.readString(Path.of("/proc/self/maps"));
            Checks.that(!mapped.contains("ide_plugin_jni"), "it is mapped");
        });
        return checks.verdict();
    }
}
