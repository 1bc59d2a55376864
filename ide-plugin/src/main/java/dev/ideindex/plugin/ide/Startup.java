package dev.ideindex.plugin.ide;

import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.startup.ProjectActivity;
import kotlin.Unit;
import kotlin.coroutines.Continuation;

/** Runs once for each project that opens, without waiting for its index. */
public final class Startup implements ProjectActivity, DumbAware {
    @Override
    public Object execute(Project project, Continuation<? super Unit> continuation) {
        ProjectWatch.begin(project);
        return Unit.INSTANCE;
    }
}
