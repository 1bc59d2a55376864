package dev.ideindex.plugin.psi;

import com.intellij.openapi.module.Module;
import com.intellij.openapi.module.ModuleManager;
import com.intellij.openapi.project.DumbService;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.project.ProjectManager;
import com.intellij.openapi.roots.ModuleRootManager;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.util.PsiModificationTracker;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The operations {@code projects.list} and {@code index.status}, and the projects that calls name. */
public final class Projects {
    private Projects() {}

    /** The open project with this root. */
    static Project byPath(String path) throws HostException {
        for (Project project : open()) {
            if (path.equals(path(project))) {
                return project;
            }
        }
        throw new HostException(HostException.NO_PROJECT, path + " is not open in the IDE");
    }

    /** What names the project towards the core: the absolute path of its folder. */
    public static String path(Project project) {
        return project.getBasePath();
    }

    private static List<Project> open() {
        List<Project> open = new ArrayList<>();
        for (Project project : ProjectManager.getInstance().getOpenProjects()) {
            if (!project.isDisposed() && !project.isDefault() && path(project) != null) {
                open.add(project);
            }
        }
        return open;
    }

    static Map<String, Object> list(Call call) throws Exception {
        List<Object> projects = new ArrayList<>();
        for (Project project : open()) {
            projects.add(call.platform().read(null, call.indicator(), () -> describe(project)));
        }
        return Json.object("projects", projects);
    }

    private static Map<String, Object> describe(Project project) {
        Set<String> roots = new LinkedHashSet<>();
        if (!project.isDisposed()) {
            for (Module module : ModuleManager.getInstance(project).getModules()) {
                for (VirtualFile root : ModuleRootManager.getInstance(module).getContentRoots()) {
                    roots.add(Files.path(root));
                }
            }
        }
        return Json.object("name", project.getName(), "path", path(project), "roots", roots, "dumb", DumbService.isDumb(project));
    }

    static Map<String, Object> status(Call call) throws Exception {
        Project project = call.project();
        return call.read(() -> Json.object("dumb", DumbService.isDumb(project), "modificationCount",
                PsiModificationTracker.SERVICE.getInstance(project).getModificationCount()));
    }
}
