package com.intellij.openapi.options;

public abstract class ShowSettingsUtil {
    public static com.intellij.openapi.options.ShowSettingsUtil getInstance() { throw new AssertionError(); }
    public abstract <T extends com.intellij.openapi.options.Configurable> void showSettingsDialog(com.intellij.openapi.project.Project a, java.lang.Class<T> b);
    protected ShowSettingsUtil() { throw new AssertionError(); }
}
