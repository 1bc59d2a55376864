package com.intellij.ui.jcef;

public final class JBCefApp {
    public static boolean isSupported() { throw new AssertionError(); }
    protected JBCefApp() { throw new AssertionError(); }
}
