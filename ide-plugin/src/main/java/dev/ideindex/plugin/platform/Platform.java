package dev.ideindex.plugin.platform;

import com.intellij.openapi.editor.Document;
import com.intellij.openapi.progress.ProgressIndicator;
import com.intellij.openapi.project.Project;
import com.intellij.psi.PsiFile;
import java.util.List;
import java.util.concurrent.Callable;

/** What the operations need of the IDE and what is not the same in every version of it. */
public interface Platform {
    /** A problem of a file; offsets are those of the document. */
    record Problem(int start, int end, String severity, String message, String code) {}

    /**
     * Reads code. It gives way to whoever wants to write, and begins again after that: so the body keeps nothing from one
     * run to the next. The documents of the project, where there is one, are committed when the body begins.
     */
    <T> T read(Project project, ProgressIndicator indicator, Callable<T> body) throws Exception;

    /** The problems of a file after a whole pass over it. Takes its own read actions; never on the UI thread. */
    List<Problem> problems(PsiFile file, Document document, ProgressIndicator indicator) throws Exception;
}
