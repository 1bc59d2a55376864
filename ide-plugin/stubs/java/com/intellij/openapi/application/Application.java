package com.intellij.openapi.application;

public interface Application extends com.intellij.openapi.components.ComponentManager {
    java.util.concurrent.Future<?> executeOnPooledThread(java.lang.Runnable a);
    void invokeLater(java.lang.Runnable a);
    void invokeLater(java.lang.Runnable a, com.intellij.openapi.application.ModalityState b);
    void invokeLater(java.lang.Runnable a, com.intellij.openapi.application.ModalityState b, com.intellij.openapi.util.Condition<?> c);
    boolean isDispatchThread();
    boolean isReadAccessAllowed();
}
