package com.intellij.openapi.application;

public interface NonBlockingReadAction<T> {
    T executeSynchronously() throws com.intellij.openapi.progress.ProcessCanceledException;
    com.intellij.openapi.application.NonBlockingReadAction<T> withDocumentsCommitted(com.intellij.openapi.project.Project a);
    com.intellij.openapi.application.NonBlockingReadAction<T> wrapProgress(com.intellij.openapi.progress.ProgressIndicator a);
}
