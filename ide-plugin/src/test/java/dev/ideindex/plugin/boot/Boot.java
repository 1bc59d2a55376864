package dev.ideindex.plugin.boot;

import com.intellij.ide.plugins.IdeaPluginDescriptor;
import com.intellij.ide.plugins.PluginManager;
import com.intellij.ide.util.PropertiesComponent;
import com.intellij.idea.IdeaTestApplication;
import com.intellij.openapi.application.Application;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.application.ModalityState;
import com.intellij.openapi.application.WriteAction;
import com.intellij.openapi.extensions.PluginId;
import com.intellij.openapi.module.Module;
import com.intellij.openapi.module.ModuleManager;
import com.intellij.openapi.project.DumbService;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.project.ex.ProjectManagerEx;
import com.intellij.openapi.roots.ContentEntry;
import com.intellij.openapi.roots.ModifiableRootModel;
import com.intellij.openapi.roots.ModuleRootManager;
import com.intellij.openapi.roots.OrderRootType;
import com.intellij.openapi.roots.libraries.Library;
import com.intellij.openapi.util.Disposer;
import com.intellij.openapi.vfs.JarFileSystem;
import com.intellij.openapi.vfs.LocalFileSystem;
import com.intellij.openapi.vfs.VirtualFile;
import java.awt.EventQueue;
import java.io.File;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Starts the platform 183 without a screen, opens a Java project, and hands it to a class of the plugin's tests:
 * {@code Boot PROJECT JDK_JAR CLASS ARGUMENTS…}, where the class comes from the plugin's own class loader.
 */
public final class Boot {
    private Boot() {}

    public static void main(String[] arguments) throws Exception {
        int exit = 1;
        try {
            onUi(() -> IdeaTestApplication.getInstance(null));
            PropertiesComponent.getInstance().setValue("dev.ideindex.plugin.port", "0");
            Project project = onUi(() -> open(arguments[0], arguments[1]));
            while (DumbService.isDumb(project)) {
                Thread.sleep(20);
            }
            String[] rest = java.util.Arrays.copyOfRange(arguments, 3, arguments.length);
            Class<?> check = Class.forName(arguments[2], true, pluginLoader());
            exit = (int) check.getMethod("run", Project.class, String[].class).invoke(null, project, rest);
            onUi(() -> {
                Disposer.dispose(ApplicationManager.getApplication());
                return null;
            });
            exit = threadsOfTheCore() ? 1 : exit;
        } catch (Throwable failure) {
            failure.printStackTrace(System.out);
        }
        System.out.flush();
        Runtime.getRuntime().halt(exit);
    }

    /** After the application is gone no thread of the native core may be left. */
    private static boolean threadsOfTheCore() {
        boolean left = false;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("ide-")) {
                System.out.println("FAILED the thread " + thread.getName() + " outlives the application");
                left = true;
            }
        }
        return left;
    }

    private static ClassLoader pluginLoader() {
        IdeaPluginDescriptor plugin = PluginManager.getPlugin(PluginId.getId("dev.ideindex.plugin"));
        if (plugin == null) {
            throw new IllegalStateException("the platform did not load the plugin");
        }
        return plugin.getPluginClassLoader();
    }

    /** A module with its sources below {@code src}, or {@code src/main/java} and {@code src/test/java}. */
    private static Project open(String root, String jdk) throws Exception {
        ProjectManagerEx manager = ProjectManagerEx.getInstanceEx();
        Project project = manager.newProject("shop", root + "/.platform.ipr", false, false);
        if (!manager.openProject(project)) {
            throw new IllegalStateException("the project did not open");
        }
        WriteAction.run(() -> {
            Module module = ModuleManager.getInstance(project).newModule(root + "/.platform.iml", "JAVA_MODULE");
            ModifiableRootModel model = ModuleRootManager.getInstance(module).getModifiableModel();
            VirtualFile folder = LocalFileSystem.getInstance().refreshAndFindFileByPath(root);
            ContentEntry content = model.addContentEntry(folder);
            boolean maven = new File(root, "src/main/java").isDirectory();
            for (String source : maven ? new String[] {"src/main/java", "src/test/java"} : new String[] {"src"}) {
                VirtualFile sources = LocalFileSystem.getInstance().refreshAndFindFileByPath(root + "/" + source);
                if (sources != null) {
                    content.addSourceFolder(sources, source.contains("test"));
                }
            }
            Library library = model.getModuleLibraryTable().createLibrary("jdk");
            Library.ModifiableModel roots = library.getModifiableModel();
            roots.addRoot(JarFileSystem.getInstance().getJarRootForLocalFile(
                    LocalFileSystem.getInstance().refreshAndFindFileByPath(jdk)), OrderRootType.CLASSES);
            roots.commit();
            model.commit();
        });
        return project;
    }

    private static <T> T onUi(Callable<T> body) throws Exception {
        AtomicReference<T> result = new AtomicReference<>();
        AtomicReference<Exception> failure = new AtomicReference<>();
        Runnable run = () -> {
            try {
                result.set(body.call());
            } catch (Exception e) {
                failure.set(e);
            }
        };
        Application application = ApplicationManager.getApplication();
        if (application == null) {
            EventQueue.invokeAndWait(run);
        } else {
            application.invokeAndWait(run, ModalityState.NON_MODAL);
        }
        if (failure.get() != null) {
            throw failure.get();
        }
        return result.get();
    }
}
