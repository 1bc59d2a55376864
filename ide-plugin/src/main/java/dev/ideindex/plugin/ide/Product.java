package dev.ideindex.plugin.ide;

import com.intellij.openapi.application.ApplicationInfo;
import com.intellij.openapi.application.ApplicationNamesInfo;
import com.intellij.openapi.application.PathManager;
import dev.ideindex.plugin.spi.Json;
import java.nio.file.Path;
import java.util.Map;

/** The IDE that the plugin runs in, and where in it the plugin keeps its files. */
final class Product {
    private static final String FOLDER = "ide-index-mcp";

    private Product() {}

    /** Where copies of the native library go: not the system's folder for temporary files, from which nothing may run. */
    static Path nativeFolder() {
        return Path.of(PathManager.getSystemPath(), FOLDER, "native");
    }

    /** The configuration with which the core starts. Without a port of the plugin's own the server's settings decide. */
    static Map<String, Object> config(Path plugin) {
        ApplicationInfo application = ApplicationInfo.getInstance();
        return Json.object("product", application.getBuild().getProductCode(), "productName",
                ApplicationNamesInfo.getInstance().getFullProductName(), "version", application.getFullVersion(), "build",
                application.getBuild().asString(), "port", Preferences.port(), "stateDir",
                Path.of(PathManager.getConfigPath(), FOLDER).toString(), "cacheDir",
                Path.of(PathManager.getSystemPath(), FOLDER, "index").toString(), "librariesDir",
                plugin.resolve("libraries").toString());
    }
}
