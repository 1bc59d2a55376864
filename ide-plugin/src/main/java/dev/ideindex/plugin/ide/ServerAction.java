package dev.ideindex.plugin.ide;

import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.project.DumbAware;

/** An entry of the menu {@code Tools | IDE Index MCP}. */
abstract class ServerAction extends AnAction implements DumbAware {
    @Override
    public ActionUpdateThread getActionUpdateThread() {
        return ActionUpdateThread.BGT;
    }

    @Override
    public void update(AnActionEvent event) {
        event.getPresentation().setEnabled(!needsServer() || NativeService.getInstance().state().url() != null);
    }

    /** Whether the action means something only while the server runs. */
    boolean needsServer() {
        return true;
    }
}
