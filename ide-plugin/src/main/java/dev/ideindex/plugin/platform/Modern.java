package dev.ideindex.plugin.platform;

import com.intellij.codeInsight.CodeSmellInfo;
import com.intellij.lang.annotation.HighlightSeverity;
import com.intellij.openapi.application.NonBlockingReadAction;
import com.intellij.openapi.application.ReadAction;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.progress.ProgressIndicator;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.TextRange;
import com.intellij.openapi.vcs.CodeSmellDetector;
import com.intellij.psi.PsiFile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** IDEs from 2024.3 on. */
public final class Modern implements Platform {
    @Override
    public <T> T read(Project project, ProgressIndicator indicator, Callable<T> body) {
        NonBlockingReadAction<T> action = ReadAction.nonBlocking(body);
        if (project != null) {
            action = action.withDocumentsCommitted(project);
        }
        return action.wrapProgress(indicator).executeSynchronously();
    }

    @Override
    public List<Problem> problems(PsiFile file, Document document, ProgressIndicator indicator) {
        List<Problem> problems = new ArrayList<>();
        ProgressManager.getInstance().runProcess(() -> {
            CodeSmellDetector detector = CodeSmellDetector.getInstance(file.getProject());
            for (CodeSmellInfo smell : detector.findCodeSmells(List.of(file.getVirtualFile()))) {
                TextRange range = smell.getTextRange();
                problems.add(new Problem(range.getStartOffset(), range.getEndOffset(), severity(smell.getSeverity()),
                        smell.getDescription(), null));
            }
        }, indicator);
        return problems;
    }

    /** The word that {@code HOST.md} has for a severity; those that a person defines lie between the platform's. */
    public static String severity(HighlightSeverity severity) {
        if (severity.compareTo(HighlightSeverity.ERROR) >= 0) {
            return "error";
        }
        if (severity.compareTo(HighlightSeverity.WARNING) >= 0) {
            return "warning";
        }
        return severity.compareTo(HighlightSeverity.WEAK_WARNING) >= 0 ? "weakWarning" : "info";
    }
}
