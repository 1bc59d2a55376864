package com.intellij.openapi.application;

public final class ApplicationNamesInfo {
    public java.lang.String getFullProductName() { throw new AssertionError(); }
    public static com.intellij.openapi.application.ApplicationNamesInfo getInstance() { throw new AssertionError(); }
    protected ApplicationNamesInfo() { throw new AssertionError(); }
}
