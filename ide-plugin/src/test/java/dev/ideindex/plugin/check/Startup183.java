package dev.ideindex.plugin.check;

import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.startup.StartupActivity;
import dev.ideindex.plugin.ide.ProjectWatch;

/** Stands where the descriptor names {@code Startup}, whose interface came after the platform 183. */
public final class Startup183 implements StartupActivity, DumbAware {
    @Override
    public void runActivity(Project project) {
        ProjectWatch.begin(project);
    }
}
