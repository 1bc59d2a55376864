package dev.ideindex.plugin.ide;

import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.wm.ToolWindow;
import com.intellij.openapi.wm.ToolWindowFactory;
import com.intellij.ui.content.Content;
import com.intellij.ui.content.ContentFactory;
import java.util.List;
import java.util.Map;
import javax.swing.JComponent;
import javax.swing.Timer;

/** Fills the tool window {@code MCP Server}: the panel, and the whole dashboard beside it where the IDE has a browser. */
public final class PanelFactory implements ToolWindowFactory, DumbAware {
    private static final int REFRESH_MILLIS = 2000;
    private static final int CALLS = 50;

    @Override
    public void createToolWindowContent(Project project, ToolWindow window) {
        NativeService service = NativeService.getInstance();
        McpPanel panel = new McpPanel(commands(project));
        ContentFactory factory = window.getContentManager().getFactory();
        Content content = factory.createContent(panel, "Server", false);
        window.getContentManager().addContent(content);
        Runnable refresh = () -> refresh(panel, project);
        Timer timer = new Timer(REFRESH_MILLIS, event -> {
            if (panel.isShowing()) {
                refresh.run();
            }
        });
        timer.start();
        content.setDisposer(timer::stop);
        service.addListener(() -> ApplicationManager.getApplication().invokeLater(() -> {
            refresh.run();
            addDashboard(window);
        }), content);
        service.begin();
        refresh.run();
        addDashboard(window);
    }

    private static McpPanel.Commands commands(Project project) {
        return new McpPanel.Commands() {
            @Override
            public void copyUrl() {
                Actions.copyUrl();
            }

            @Override
            public void copyConfiguration() {
                Actions.copyConfiguration();
            }

            @Override
            public void openDashboard() {
                Actions.openDashboard();
            }

            @Override
            public void openSettings() {
                Actions.openSettings(project);
            }

            @Override
            public void refresh() {
                NativeService.getInstance().askAgain();
            }
        };
    }

    private static void refresh(McpPanel panel, Project project) {
        panel.show(NativeService.getInstance().state(), project.getName());
        if (NativeService.getInstance().state().url() != null) {
            Background.ask(answer -> panel.showCalls(answer.get("calls") instanceof List<?> calls ? calls : List.of()),
                    because -> panel.showCalls(List.of()), "op", "history", "limit", CALLS);
        }
    }

    /** Once: a page that is there reloads itself. */
    private static void addDashboard(ToolWindow window) {
        Dashboard dashboard = ApplicationManager.getApplication().getService(Dashboard.class);
        if (dashboard == null || NativeService.getInstance().state().url() == null || window.isDisposed()
                || window.getContentManager().findContent("Dashboard") != null) {
            return;
        }
        Background.ask(answer -> addDashboard(window, dashboard, answer), because -> { }, "op", "dashboard");
    }

    private static void addDashboard(ToolWindow window, Dashboard dashboard, Map<?, ?> answer) {
        if (window.isDisposed() || window.getContentManager().findContent("Dashboard") != null) {
            return;
        }
        JComponent page = dashboard.open(String.valueOf(answer.get("url")), window.getDisposable());
        if (page != null) {
            Content content = window.getContentManager().getFactory().createContent(page, "Dashboard", false);
            window.getContentManager().addContent(content, 0);
            window.getContentManager().setSelectedContent(content);
        }
    }
}
