package dev.ideindex.plugin.platform;

import com.intellij.codeInsight.daemon.DaemonCodeAnalyzer;
import com.intellij.codeInsight.daemon.impl.DaemonCodeAnalyzerImpl;
import com.intellij.codeInsight.daemon.impl.DaemonProgressIndicator;
import com.intellij.codeInsight.daemon.impl.HighlightInfo;
import com.intellij.concurrency.SensitiveProgressWrapper;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.application.ModalityState;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.progress.ProgressIndicator;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.progress.util.ProgressIndicatorUtils;
import com.intellij.openapi.project.Project;
import com.intellij.psi.PsiDocumentManager;
import com.intellij.psi.PsiFile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** The platform 183, on which the operations are tested: its read actions can give way, but have no builder yet. */
public final class P183 implements Platform {
    @Override
    public <T> T read(Project project, ProgressIndicator indicator, Callable<T> body) throws Exception {
        while (true) {
            indicator.checkCanceled();
            if (project != null && PsiDocumentManager.getInstance(project).hasUncommitedDocuments()) {
                ApplicationManager.getApplication().invokeAndWait(
                        () -> PsiDocumentManager.getInstance(project).commitAllDocuments(), ModalityState.defaultModalityState());
            }
            Attempt<T> attempt = new Attempt<>(body);
            if (ProgressIndicatorUtils.runInReadActionWithWriteActionPriority(attempt, new SensitiveProgressWrapper(indicator))) {
                return attempt.result();
            }
            ProgressIndicatorUtils.yieldToPendingWriteActions();
        }
    }

    private static final class Attempt<T> implements Runnable {
        private final Callable<T> body;
        private T value;
        private Exception failure;

        Attempt(Callable<T> body) {
            this.body = body;
        }

        @Override
        public void run() {
            try {
                value = body.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                failure = e;
            }
        }

        T result() throws Exception {
            if (failure != null) {
                throw failure;
            }
            return value;
        }
    }

    @Override
    public List<Problem> problems(PsiFile file, Document document, ProgressIndicator indicator) throws Exception {
        DaemonProgressIndicator daemon = new DaemonProgressIndicator();
        List<Problem> problems = new ArrayList<>();
        ProgressManager.getInstance().runProcess(() -> ApplicationManager.getApplication().runReadAction(() -> {
            DaemonCodeAnalyzerImpl analyzer = (DaemonCodeAnalyzerImpl) DaemonCodeAnalyzer.getInstance(file.getProject());
            for (HighlightInfo info : analyzer.runMainPasses(file, document, daemon)) {
                if (info.getDescription() != null) {
                    problems.add(new Problem(info.getStartOffset(), info.getEndOffset(), Modern.severity(info.getSeverity()),
                            info.getDescription(), null));
                }
            }
        }), daemon);
        return problems;
    }
}
