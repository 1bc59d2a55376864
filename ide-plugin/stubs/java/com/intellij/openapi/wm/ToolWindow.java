package com.intellij.openapi.wm;

public interface ToolWindow {
    com.intellij.ui.content.ContentManager getContentManager();
    com.intellij.openapi.Disposable getDisposable();
    boolean isDisposed();
}
