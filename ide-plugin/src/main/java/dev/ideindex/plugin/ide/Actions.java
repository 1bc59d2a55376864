package dev.ideindex.plugin.ide;

import com.intellij.ide.BrowserUtil;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.ide.CopyPasteManager;
import com.intellij.openapi.options.ShowSettingsUtil;
import com.intellij.openapi.project.Project;
import dev.ideindex.plugin.spi.Json;
import java.awt.datatransfer.StringSelection;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What a person can do with the server; the menu and the tool window share it. */
final class Actions {
    private Actions() {}

    static void copyUrl() {
        copy(NativeService.getInstance().state().url(), "The server's address was");
    }

    /** For clients that are configured with {@code mcpServers}, which nearly all are. */
    static void copyConfiguration() {
        ServerState state = NativeService.getInstance().state();
        Map<String, Object> server = Json.object("url", state.url());
        String name = state.serverName() == null ? "jetbrains-index" : state.serverName();
        Map<String, Object> configuration = Json.object("mcpServers", Json.object(name, server));
        copy(new String(Json.bytes(configuration), StandardCharsets.UTF_8), "The configuration was");
    }

    private static void copy(String text, String what) {
        if (text != null) {
            CopyPasteManager.getInstance().setContents(new StringSelection(text));
            Notices.copied(what);
        }
    }

    /** The link lets in one browser, once: so it is asked for each time. */
    static void openDashboard() {
        Background.ask(answer -> BrowserUtil.browse(String.valueOf(answer.get("url"))),
                because -> Notices.failed("The dashboard does not open", because), "op", "dashboard");
    }

    static void openSettings(Project project) {
        ShowSettingsUtil.getInstance().showSettingsDialog(project, SettingsPage.class);
    }

    /** {@code Copy Server Address}. */
    public static final class CopyUrl extends ServerAction {
        @Override
        public void actionPerformed(AnActionEvent event) {
            copyUrl();
        }
    }

    /** {@code Copy Client Configuration}. */
    public static final class CopyConfiguration extends ServerAction {
        @Override
        public void actionPerformed(AnActionEvent event) {
            copyConfiguration();
        }
    }

    /** {@code Open Dashboard}. */
    public static final class OpenDashboard extends ServerAction {
        @Override
        public void actionPerformed(AnActionEvent event) {
            openDashboard();
        }
    }

    /** {@code Settings…}. */
    public static final class OpenSettings extends ServerAction {
        @Override
        public void actionPerformed(AnActionEvent event) {
            openSettings(event.getProject());
        }

        @Override
        boolean needsServer() {
            return false;
        }
    }

    /** {@code Restart Server}. */
    public static final class Restart extends ServerAction {
        @Override
        public void actionPerformed(AnActionEvent event) {
            NativeService.getInstance().restart();
        }

        @Override
        boolean needsServer() {
            return false;
        }
    }
}
