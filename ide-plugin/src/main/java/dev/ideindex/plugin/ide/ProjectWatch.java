package dev.ideindex.plugin.ide;

import com.intellij.openapi.Disposable;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.editor.EditorFactory;
import com.intellij.openapi.editor.event.CaretEvent;
import com.intellij.openapi.editor.event.CaretListener;
import com.intellij.openapi.editor.event.SelectionEvent;
import com.intellij.openapi.editor.event.SelectionListener;
import com.intellij.openapi.fileEditor.FileEditorManagerEvent;
import com.intellij.openapi.fileEditor.FileEditorManagerListener;
import com.intellij.openapi.project.DumbService;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.Disposer;
import com.intellij.openapi.vfs.VirtualFileManager;
import com.intellij.openapi.vfs.newvfs.BulkFileListener;
import com.intellij.openapi.vfs.newvfs.events.VFileEvent;
import com.intellij.util.messages.MessageBusConnection;
import dev.ideindex.plugin.psi.Editors;
import dev.ideindex.plugin.psi.Projects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.swing.Timer;

/** Tells the core what happens in an open project, for as long as that is open. */
public final class ProjectWatch implements Disposable {
    private static final int EDITOR_DELAY_MILLIS = 200;
    private static final int MAX_PATHS = 1000;

    private final Project project;
    private final String path;
    private final Timer editors;

    private ProjectWatch(Project project) {
        this.project = project;
        this.path = Projects.path(project);
        this.editors = new Timer(EDITOR_DELAY_MILLIS, event -> tellEditors());
        this.editors.setRepeats(false);
    }

    /** Starts the server with the first project. */
    public static void begin(Project project) {
        if (project.isDefault() || Projects.path(project) == null) {
            return;
        }
        ProjectWatch watch = new ProjectWatch(project);
        Disposer.register(project, watch);
        watch.listen();
        NativeService.getInstance().opened(watch.path);
    }

    private void listen() {
        MessageBusConnection connection = project.getMessageBus().connect(this);
        connection.subscribe(DumbService.DUMB_MODE, new DumbService.DumbModeListener() {
            @Override
            public void enteredDumbMode() {
                tell("dumb");
            }

            @Override
            public void exitDumbMode() {
                tell("smart");
            }
        });
        connection.subscribe(FileEditorManagerListener.FILE_EDITOR_MANAGER, new FileEditorManagerListener() {
            @Override
            public void selectionChanged(FileEditorManagerEvent event) {
                editors.restart();
            }
        });
        ApplicationManager.getApplication().getMessageBus().connect(this).subscribe(VirtualFileManager.VFS_CHANGES,
                new BulkFileListener() {
                    @Override
                    public void after(List<? extends VFileEvent> events) {
                        tellChanged(events);
                    }
                });
        listenToEditors();
        tryTo(() -> RootsWatch.subscribe(connection, () -> tell("rootsChanged")));
        tryTo(() -> BuildWatch.subscribe(connection, (errors, warnings) -> NativeService.getInstance().event("event",
                "buildFinished", "project", path, "errors", errors, "warnings", warnings)));
    }

    private void listenToEditors() {
        EditorFactory.getInstance().getEventMulticaster().addSelectionListener(new SelectionListener() {
            @Override
            public void selectionChanged(SelectionEvent event) {
                if (project.equals(event.getEditor().getProject())) {
                    editors.restart();
                }
            }
        }, this);
        EditorFactory.getInstance().getEventMulticaster().addCaretListener(new CaretListener() {
            @Override
            public void caretPositionChanged(CaretEvent event) {
                if (project.equals(event.getEditor().getProject())) {
                    editors.restart();
                }
            }
        }, this);
    }

    /** Listeners of plugins that are not in every IDE: without them their events are missing and nothing else. */
    private static void tryTo(Runnable subscribe) {
        try {
            subscribe.run();
        } catch (LinkageError e) {
            com.intellij.openapi.diagnostic.Logger.getInstance(ProjectWatch.class).debug(e);
        }
    }

    private void tell(String event) {
        NativeService.getInstance().event("event", event, "project", path);
    }

    private void tellChanged(List<? extends VFileEvent> events) {
        List<String> paths = new ArrayList<>();
        for (VFileEvent event : events) {
            String changed = event.getPath();
            if (changed.startsWith(path + "/") && paths.size() < MAX_PATHS) {
                paths.add(changed);
            }
        }
        if (!paths.isEmpty()) {
            NativeService.getInstance().event("event", "changed", "project", path, "paths", paths);
        }
    }

    private void tellEditors() {
        if (!project.isDisposed()) {
            Map<String, Object> state = Editors.state(project);
            NativeService.getInstance().event("event", "editors", "project", path, "editors", state.get("editors"));
        }
    }

    @Override
    public void dispose() {
        editors.stop();
        if (!ApplicationManager.getApplication().isDisposed()) {
            NativeService.getInstance().closed(path);
        }
    }
}
