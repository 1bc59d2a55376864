package com.intellij.ui.jcef;

public class JBCefBrowser extends com.intellij.ui.jcef.JBCefBrowserBase {
    public JBCefBrowser(java.lang.String a) { throw new AssertionError(); }
}
