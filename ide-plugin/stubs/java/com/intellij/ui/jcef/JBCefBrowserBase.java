package com.intellij.ui.jcef;

public abstract class JBCefBrowserBase implements com.intellij.openapi.Disposable {
    public void dispose() { throw new AssertionError(); }
    public javax.swing.JComponent getComponent() { throw new AssertionError(); }
    protected JBCefBrowserBase() { throw new AssertionError(); }
}
