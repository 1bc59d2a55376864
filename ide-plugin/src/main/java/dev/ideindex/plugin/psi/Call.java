package dev.ideindex.plugin.psi;

import com.intellij.openapi.progress.ProgressIndicator;
import com.intellij.openapi.project.DumbService;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiManager;
import dev.ideindex.plugin.platform.Platform;
import dev.ideindex.plugin.platform.UiThread;
import dev.ideindex.plugin.spi.Arguments;
import dev.ideindex.plugin.spi.HostException;
import java.util.concurrent.Callable;

/** A running call: its arguments, its project, and how it may touch the IDE. */
final class Call {
    private static final int UI_PATIENCE_MILLIS = 20_000;

    private final Platform platform;
    private final Arguments arguments;
    private final ProgressIndicator indicator;
    private Project project;

    Call(Platform platform, Arguments arguments, ProgressIndicator indicator) {
        this(platform, arguments, indicator, null);
    }

    /** @param project null for the one that the arguments name */
    Call(Platform platform, Arguments arguments, ProgressIndicator indicator, Project project) {
        this.project = project;
        this.platform = platform;
        this.arguments = arguments;
        this.indicator = indicator;
    }

    Arguments arguments() {
        return arguments;
    }

    ProgressIndicator indicator() {
        return indicator;
    }

    Platform platform() {
        return platform;
    }

    /** The open project that the call names. */
    Project project() throws HostException {
        if (project == null) {
            project = Projects.byPath(arguments.text("project"));
        }
        return project;
    }

    /** Reads code; works also while the IDE indexes. */
    <T> T read(Callable<T> body) throws Exception {
        return platform.read(project(), indicator, body);
    }

    /** Reads with the indexes of the IDE: {@code index_not_ready} at once where they are being built. */
    <T> T readIndexed(Callable<T> body) throws Exception {
        Project wanted = project();
        return platform.read(wanted, indicator, () -> {
            if (DumbService.isDumb(wanted)) {
                throw new HostException(HostException.INDEX_NOT_READY, "the IDE is indexing " + wanted.getName());
            }
            return body.call();
        });
    }

    /** Runs on the UI thread, outside of dialogs. The caller must hold no lock. */
    <T> T ui(Callable<T> body) throws Exception {
        int patience = Math.min(UI_PATIENCE_MILLIS, Math.max(1, arguments.number("deadlineMs", UI_PATIENCE_MILLIS)));
        return UiThread.run(patience, indicator, body);
    }

    /** The file of the argument {@code path}. Not inside of a read: the file system may have to look at the disk. */
    VirtualFile file() throws HostException {
        return Files.find(arguments.text("path"));
    }

    /** Only inside of a read. */
    PsiFile psi(VirtualFile file) throws HostException {
        if (!file.isValid()) {
            throw new HostException(HostException.FILE_NOT_FOUND, file.getPath() + " is gone");
        }
        PsiFile psi = PsiManager.getInstance(project()).findFile(file);
        if (psi == null) {
            throw new HostException(HostException.UNSUPPORTED, "the IDE reads no code in " + file.getName());
        }
        return psi;
    }

    /** The offset of the arguments {@code line} and {@code column}. Only inside of a read. */
    int offset(PsiFile psi) throws HostException {
        return Text.of(psi).offset(arguments.number("line"), arguments.number("column"));
    }
}
