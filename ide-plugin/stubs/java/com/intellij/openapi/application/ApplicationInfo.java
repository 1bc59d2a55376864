package com.intellij.openapi.application;

public abstract class ApplicationInfo {
    public abstract com.intellij.openapi.util.BuildNumber getBuild();
    public abstract java.lang.String getFullVersion();
    public static com.intellij.openapi.application.ApplicationInfo getInstance() { throw new AssertionError(); }
    protected ApplicationInfo() { throw new AssertionError(); }
}
