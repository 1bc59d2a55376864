package com.intellij.diff;

public interface DiffRequestPanel extends com.intellij.openapi.Disposable {
    javax.swing.JComponent getComponent();
    void setRequest(com.intellij.diff.requests.DiffRequest a);
}
