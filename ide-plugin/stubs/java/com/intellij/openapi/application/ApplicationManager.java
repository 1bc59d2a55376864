package com.intellij.openapi.application;

public class ApplicationManager {
    public static com.intellij.openapi.application.Application getApplication() { throw new AssertionError(); }
    protected ApplicationManager() { throw new AssertionError(); }
}
